//! The buttons under messages: what they say of themselves when somebody clicks.
//!
//! A button's `action_id` is `answer:accept`, `answer:decline`, `answer:acknowledge` or `answer:pass`; its `value` names what
//! it is about: `request ROTATION_ID REQUEST_ID` or `mention ROTATION_ID MENTION_ID`. Values carry ids alone, and whoever
//! reads one checks rights again: a value may be old, or made by somebody else.

use crate::domain::ids::{MentionId, RequestId, RotationId};
use crate::domain::message::{Answer, Subject};
use serde_json::{Value, json};

/// The beginning of the `action_id` of buttons under messages.
const BEGINNING: &str = "answer:";

/// A button under a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    pub answer: Answer,
    pub about: About,
}

/// What a button is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    Request {
        rotation: RotationId,
        request: RequestId,
    },
    Mention {
        rotation: RotationId,
        mention: MentionId,
    },
}

impl About {
    /// What the buttons of a message are about; `None` if it is about a rotation alone.
    pub fn of(rotation: &RotationId, subject: &Subject) -> Option<About> {
        let rotation = rotation.clone();
        match subject {
            Subject::Rotation => None,
            Subject::Request(request) => Some(About::Request {
                rotation,
                request: request.clone(),
            }),
            Subject::Mention(mention) => Some(About::Mention {
                rotation,
                mention: mention.clone(),
            }),
        }
    }

    /// The value of a button.
    pub fn value(&self) -> String {
        match self {
            About::Request { rotation, request } => format!("request {rotation} {request}"),
            About::Mention { rotation, mention } => format!("mention {rotation} {mention}"),
        }
    }

    /// Reads the value of a button.
    pub fn parse(value: &str) -> Option<About> {
        let words: Vec<&str> = value.split(' ').collect();
        match words[..] {
            ["request", rotation, request] if !rotation.is_empty() && !request.is_empty() => {
                Some(About::Request {
                    rotation: RotationId::from(rotation),
                    request: RequestId::from(request),
                })
            }
            ["mention", rotation, mention] if !rotation.is_empty() && !mention.is_empty() => {
                Some(About::Mention {
                    rotation: RotationId::from(rotation),
                    mention: MentionId::from(mention),
                })
            }
            _ => None,
        }
    }
}

impl Button {
    /// Reads a click; `None` if it is of no button of ours.
    pub fn parse(action_id: &str, value: &str) -> Option<Button> {
        let name = action_id.strip_prefix(BEGINNING)?;
        let answer = Answer::parse(name)?;
        let about = About::parse(value)?;
        let fits = match about {
            About::Request { .. } => matches!(answer, Answer::Accept | Answer::Decline),
            About::Mention { .. } => matches!(answer, Answer::Acknowledge | Answer::Pass),
        };
        fits.then_some(Button { answer, about })
    }

    /// The element of a Block Kit `actions` block.
    pub fn element(&self) -> Value {
        let (label, style) = match self.answer {
            Answer::Accept => ("Accept", Some("primary")),
            Answer::Decline => ("Decline", None),
            Answer::Acknowledge => ("Acknowledge", Some("primary")),
            Answer::Pass => ("Pass", None),
        };
        let mut element = json!({
            "type": "button",
            "action_id": format!("{BEGINNING}{}", self.answer.name()),
            "text": { "type": "plain_text", "text": label },
            "value": self.about.value(),
        });
        if let Some(style) = style {
            element["style"] = style.into();
        }
        element
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_are_read_as_they_are_written() {
        let request = About::Request {
            rotation: "rot_1".into(),
            request: "req_2".into(),
        };
        let mention = About::Mention {
            rotation: "rot_1".into(),
            mention: "men_3".into(),
        };
        for (answer, about) in [
            (Answer::Accept, &request),
            (Answer::Decline, &request),
            (Answer::Acknowledge, &mention),
            (Answer::Pass, &mention),
        ] {
            let button = Button {
                answer,
                about: about.clone(),
            };
            let element = button.element();
            let text = |name: &str| element[name].as_str().expect("a text").to_owned();
            assert_eq!(
                Button::parse(&text("action_id"), &text("value")),
                Some(button)
            );
        }
    }

    #[test]
    fn other_clicks_are_none_of_ours() {
        for (action_id, value) in [
            ("answer:accept", "mention rot_1 men_3"),
            ("answer:pass", "request rot_1 req_2"),
            ("answer:accept", "request rot_1"),
            ("answer:accept", "request rot_1 "),
            ("answer:accept", "request rot_1 req_2 x"),
            ("answer:", "request rot_1 req_2"),
            ("accept", "request rot_1 req_2"),
            ("", ""),
        ] {
            assert_eq!(Button::parse(action_id, value), None, "{action_id} {value}");
        }
    }
}
