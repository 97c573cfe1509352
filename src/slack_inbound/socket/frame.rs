//! Frames of Slack on the socket, and their acknowledgement. Pure.

use crate::slack_inbound::incoming::Class;
use serde_json::{Value, json};

/// A text frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// The connection is ready.
    Hello,
    /// Slack closes the connection soon, and why.
    Disconnect(Reason),
    Envelope(Envelope),
    /// A kind that is not known, without an envelope to acknowledge.
    Other(String),
}

/// Why Slack closes a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is replaced: `warning` or `refresh_requested`.
    Refresh,
    /// `too_many_websockets`, `link_disabled`, or one that is not known.
    Other(String),
}

/// Something that has to be acknowledged.
///
/// ```json
/// { "envelope_id": "9b1deb4d", "type": "slash_commands", "accepts_response_payload": true, "payload": { "command": "/rota" } }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Of the envelope, not of what is in it: it may be another one when the same is sent again.
    pub id: String,
    /// `None` for a class that is not known.
    pub class: Option<Class>,
    pub payload: Value,
    /// Whether the acknowledgement may have a body.
    pub takes_body: bool,
}

/// Reads a text frame.
///
/// # Errors
/// The error of a frame. Its text is not repeated.
pub fn parse(text: &str) -> Result<Frame, &'static str> {
    let mut frame: Value = serde_json::from_str(text).map_err(|_| "it is not JSON")?;
    let kind = frame["type"].as_str().ok_or("it has no type")?.to_owned();
    let id = frame["envelope_id"].as_str().map(str::to_owned);
    Ok(match (kind.as_str(), id) {
        ("hello", _) => Frame::Hello,
        ("disconnect", _) => Frame::Disconnect(match frame["reason"].as_str() {
            Some("warning" | "refresh_requested") => Reason::Refresh,
            reason => Reason::Other(reason.unwrap_or("no reason").to_owned()),
        }),
        (_, Some(id)) => Frame::Envelope(Envelope {
            id,
            class: Class::parse(&kind),
            payload: frame["payload"].take(),
            takes_body: frame["accepts_response_payload"] == true,
        }),
        (_, None) => Frame::Other(kind),
    })
}

/// The acknowledgement of an envelope.
pub fn acknowledgement(id: &str, body: Option<&Value>) -> String {
    let mut frame = json!({ "envelope_id": id });
    if let Some(body) = body {
        frame["payload"] = body.clone();
    }
    frame.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        let envelope = |class, takes_body| {
            Ok(Frame::Envelope(Envelope {
                id: "e1".into(),
                class,
                payload: json!({ "a": 1 }),
                takes_body,
            }))
        };
        for (text, expected) in [
            (
                r#"{"type":"hello","num_connections":1,"connection_info":{"app_id":"A1"}}"#,
                Ok(Frame::Hello),
            ),
            (
                r#"{"type":"disconnect","reason":"warning"}"#,
                Ok(Frame::Disconnect(Reason::Refresh)),
            ),
            (
                r#"{"type":"disconnect","reason":"refresh_requested"}"#,
                Ok(Frame::Disconnect(Reason::Refresh)),
            ),
            (
                r#"{"type":"disconnect","reason":"too_many_websockets"}"#,
                Ok(Frame::Disconnect(Reason::Other(
                    "too_many_websockets".into(),
                ))),
            ),
            (
                r#"{"type":"disconnect"}"#,
                Ok(Frame::Disconnect(Reason::Other("no reason".into()))),
            ),
            (
                r#"{"type":"slash_commands","envelope_id":"e1","payload":{"a":1},"accepts_response_payload":true}"#,
                envelope(Some(Class::Command), true),
            ),
            (
                r#"{"type":"events_api","envelope_id":"e1","payload":{"a":1}}"#,
                envelope(Some(Class::Event), false),
            ),
            (
                r#"{"type":"future","envelope_id":"e1","payload":{"a":1}}"#,
                envelope(None, false),
            ),
            (r#"{"type":"future"}"#, Ok(Frame::Other("future".into()))),
            (r#"{"type":1}"#, Err("it has no type")),
            ("[]", Err("it has no type")),
            ("", Err("it is not JSON")),
            ("{", Err("it is not JSON")),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn acknowledgements() {
        assert_eq!(acknowledgement("e1", None), r#"{"envelope_id":"e1"}"#);
        let body = json!({ "text": "Ana" });
        let expected = r#"{"envelope_id":"e1","payload":{"text":"Ana"}}"#;
        assert_eq!(acknowledgement("e1", Some(&body)), expected);
    }
}
