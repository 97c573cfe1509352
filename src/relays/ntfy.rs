//! Publishing to a topic of an ntfy server, as JSON at its root, as the server documents it.

use crate::client::guard::GuardedClient;
use crate::client::{DialError, HttpResponse, Limits, Request};
use crate::domain::message::MessageKind;
use crate::domain::push::PushTarget;
use crate::domain::relay::RelayError;
use crate::domain::retry_schedule;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::Duration;

/// The limits of a post.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(12),
    body: Duration::from_secs(2),
    body_bytes: 1024,
};

/// The longest message, in bytes: the server makes an attachment of a longer one.
const MESSAGE: usize = 4_096;

/// The longest body, in bytes.
const BODY: usize = 8_192;

/// What is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    pub title: String,
    /// With lines that end in `\n`.
    pub message: String,
    /// The page that a tap opens.
    pub click: Option<String>,
    /// 3 is usual, 4 is high.
    pub priority: u8,
}

/// How urgent messages of a kind are.
pub fn priority(kind: Option<MessageKind>) -> u8 {
    match kind {
        Some(MessageKind::Mention | MessageKind::Nobody | MessageKind::CoverAsked) => 4,
        _ => 3,
    }
}

impl Publication {
    /// The body, with the message cut between characters to what the server takes.
    pub fn body(&self, topic: &str) -> Value {
        let mut message = cut(&self.message, MESSAGE);
        loop {
            let body = self.with(topic, message);
            let excess = body.to_string().len().saturating_sub(BODY);
            if excess == 0 || message.is_empty() {
                return body;
            }
            // A character has at most six bytes for each of its own in JSON.
            message = cut(
                message,
                message.len() - (excess / 6).max(1).min(message.len()),
            );
        }
    }

    fn with(&self, topic: &str, message: &str) -> Value {
        let mut body = json!({
            "topic": topic,
            "title": self.title,
            "message": message,
            "priority": self.priority,
            "tags": ["rota"],
        });
        if let Some(click) = &self.click {
            body["click"] = json!(click);
        }
        body
    }

    /// Publishes. Takes at most 12 s.
    ///
    /// # Errors
    /// [`RelayError::Permanent`] if the server refuses it for good; otherwise a retry may succeed.
    pub fn publish(
        &self,
        client: &GuardedClient,
        target: &PushTarget,
        now: Timestamp,
    ) -> Result<(), RelayError> {
        let body = self.body(target.topic());
        let mut request = Request::post(target.server()).json(&body).within(LIMITS);
        if let Some(token) = target.token() {
            request = request.header("Authorization", &format!("Bearer {token}"));
        }
        // The address is a secret, so it is in no text.
        let answer = client.send(&request).map_err(|error| match error {
            DialError::PrivateAddress(..) => {
                RelayError::Permanent("the push server has an address that is not public".into())
            }
            DialError::InvalidUrl(_) | DialError::NotSent(_) => {
                RelayError::Permanent("the push address cannot be used".into())
            }
            error => RelayError::temporary(format!("the push server is not reached: {error}")),
        })?;
        judge(&answer, now)
    }
}

/// The beginning of a text that has at most so many bytes.
fn cut(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn judge(answer: &HttpResponse, now: Timestamp) -> Result<(), RelayError> {
    let status = answer.status;
    // What else the server says could repeat the address.
    let code = serde_json::from_slice::<Value>(&answer.body).ok();
    let code = code.and_then(|body| body["code"].as_u64());
    let code = code.map(|code| format!(" (code {code})"));
    let why = format!(
        "the push server answered {status}{}",
        code.unwrap_or_default()
    );
    match status {
        200..=299 => Ok(()),
        429 => {
            let asked = answer.header("retry-after");
            let asked = asked.and_then(|header| retry_schedule::retry_after(header, now));
            let wait = asked.map(SignedDuration::from_secs);
            Err(RelayError::Temporary { why, wait })
        }
        500..=599 => Err(RelayError::temporary(why)),
        _ => Err(RelayError::Permanent(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publication(message: &str) -> Publication {
        Publication {
            title: "Platform".into(),
            message: message.into(),
            click: Some("https://rota.example/rotations/rot_1".into()),
            priority: 4,
        }
    }

    #[test]
    fn the_body_is_what_the_server_documents() {
        let expected = json!({
            "topic": "t",
            "title": "Platform",
            "message": "You are on duty.",
            "priority": 4,
            "tags": ["rota"],
            "click": "https://rota.example/rotations/rot_1",
        });
        assert_eq!(publication("You are on duty.").body("t"), expected);
        let mut without = publication("x");
        without.click = None;
        assert!(without.body("t").get("click").is_none());
        assert_eq!(priority(Some(MessageKind::CoverAsked)), 4);
        assert_eq!(priority(Some(MessageKind::OnDuty)), 3);
        assert_eq!(priority(None), 3);
    }

    /// rules.md 19.13.
    #[test]
    fn messages_are_cut_between_characters() {
        for text in ["\u{1f600}", "x", "\n", "\u{1}", "\"", "a\u{e5}\u{20ac}"] {
            let body = publication(&text.repeat(5_000)).body("t");
            let message = body["message"].as_str().expect("a message");
            assert!(
                message.len() <= MESSAGE && body.to_string().len() <= BODY,
                "{text:?}"
            );
            assert!(message.len() > 1_000, "{text:?}: {}", message.len());
            assert!(text.repeat(5_000).starts_with(message), "{text:?}");
        }
    }

    #[test]
    fn answers_are_final_or_not() {
        let answer = |status, header: Option<&str>, body: &str| HttpResponse {
            status,
            headers: header
                .map(|value| ("retry-after".into(), value.into()))
                .into_iter()
                .collect(),
            body: body.into(),
            truncated: false,
        };
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(judge(&answer(200, None, "{}"), now), Ok(()));
        for (status, header, wait) in [
            (429, Some("30"), Some(30)),
            (429, None, None),
            (503, None, None),
        ] {
            let Err(RelayError::Temporary { wait: asked, .. }) =
                judge(&answer(status, header, ""), now)
            else {
                panic!("{status} is temporary");
            };
            assert_eq!(asked.map(|wait| wait.as_secs()), wait, "{status}");
        }
        for status in [301, 400, 401, 403, 404, 408, 413] {
            let judged = judge(
                &answer(status, None, r#"{"code":40301,"error":"my-topic"}"#),
                now,
            );
            let why = format!("the push server answered {status} (code 40301)");
            assert_eq!(judged, Err(RelayError::Permanent(why)));
        }
    }
}
