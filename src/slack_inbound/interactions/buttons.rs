//! The buttons of answers, modals and the home tab. Those under messages, which are answers to requests and mentions, are
//! `chat::slack`.

use super::blocks::{Button, Style};
use crate::chat::slack::{About, Button as Answering};
use crate::domain::ids::{AbsenceId, RequestId, RotationId};
use crate::domain::message::OfferedAnswer;
use serde_json::Value;

/// The beginning of each `action_id`.
const BEGINNING: &str = "button:";

/// The request of a click. The value of a button carries ids, and the validator of what its reader saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Click {
    Rotate {
        rotation: RotationId,
        tag: String,
    },
    Cover(RotationId),
    Swap(RotationId),
    Details(RotationId),
    /// Cancels a request of the reader's.
    Cancel(RequestId),
    /// Ends an absence of the reader's.
    EndAbsence(AbsenceId),
    /// Opens the form for an absence.
    Away,
}

impl Click {
    /// The button.
    pub fn button(&self) -> Button {
        let (text, name, value) = match self {
            Click::Rotate { rotation, tag } => ("Rotate", "rotate", format!("{rotation} {tag}")),
            Click::Cover(rotation) => ("Ask for cover", "cover", rotation.to_string()),
            Click::Swap(rotation) => ("Offer a swap", "swap", rotation.to_string()),
            Click::Details(rotation) => ("Details", "details", rotation.to_string()),
            Click::Cancel(request) => ("Cancel the request", "cancel", request.to_string()),
            Click::EndAbsence(absence) => ("End", "end-absence", absence.to_string()),
            Click::Away => ("I am away", "away", "away".to_owned()),
        };
        let button = Button::new(text, format!("{BEGINNING}{name}"), value);
        match self {
            Click::Cancel(_) => button.styled(Style::Danger),
            _ => button,
        }
    }

    /// Reads a click; `None` if it is of no button of these.
    pub fn parse(action_id: &str, value: &str) -> Option<Click> {
        let name = action_id.strip_prefix(BEGINNING)?;
        let one = (!value.is_empty() && !value.contains(' ')).then_some(value);
        Some(match name {
            "rotate" => {
                let (rotation, tag) = value.split_once(' ')?;
                Click::Rotate {
                    rotation: rotation.into(),
                    tag: tag.to_owned(),
                }
            }
            "cover" => Click::Cover(one?.into()),
            "swap" => Click::Swap(one?.into()),
            "details" => Click::Details(one?.into()),
            "cancel" => Click::Cancel(one?.into()),
            "end-absence" => Click::EndAbsence(one?.into()),
            "away" => Click::Away,
            _ => return None,
        })
    }
}

/// Accept and Decline, as under the message that asks.
pub fn answers(
    rotation: &RotationId,
    request: &RequestId,
    answers: &[OfferedAnswer],
) -> Vec<Value> {
    let about = About::Request {
        rotation: rotation.clone(),
        request: request.clone(),
    };
    let element = |answer: &OfferedAnswer| {
        let button = Answering {
            answer: *answer,
            about: about.clone(),
        };
        button.element()
    };
    answers.iter().map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_are_read_as_they_are_written() {
        for click in [
            Click::Rotate {
                rotation: "rot_1".into(),
                tag: "\"5-a b\"".into(),
            },
            Click::Cover("rot_1".into()),
            Click::Swap("rot_1".into()),
            Click::Details("rot_1".into()),
            Click::Cancel("cov_1".into()),
            Click::EndAbsence("abs_1".into()),
            Click::Away,
        ] {
            let button = click.button();
            assert_eq!(Click::parse(&button.action_id, &button.value), Some(click));
        }
        for (action_id, value) in [
            ("", ""),
            ("rotate", "rot_1 x"),
            ("button:rotate", "rot_1"),
            ("button:cover", ""),
            ("button:cover", "a b"),
            ("button:other", "rot_1"),
        ] {
            assert_eq!(Click::parse(action_id, value), None, "{action_id} {value}");
        }
    }
}
