//! Bodies of the webhook receiver that is built into `rota dev`.

use super::body::{self, invalid, present};
use super::int32::Int32;
use super::moment::Moment;
use super::strict::strict;
use crate::domain::fault::Fault;
use crate::domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

strict!(AnswerRequest);

/// The longest delay, in milliseconds.
const LONGEST_DELAY: i32 = 60_000;

/// The response of a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverResponse {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    /// In real time, regardless of the development clock.
    pub delay_ms: u32,
    pub body: String,
}

impl Default for ReceiverResponse {
    /// Status 200, an empty body, no delay.
    fn default() -> ReceiverResponse {
        ReceiverResponse {
            status: 200,
            headers: BTreeMap::new(),
            delay_ms: 0,
            body: String::new(),
        }
    }
}

/// A request that a receiver got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Received {
    pub at: Moment,
    /// Names in lower case. Repeated headers are joined.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// The requests that a receiver got.
#[derive(Clone, Debug, Serialize)]
pub struct Requests {
    /// Oldest first.
    pub requests: Vec<Received>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnswerRequest {
    #[serde(default, deserialize_with = "present")]
    status: Option<Int32>,
    #[serde(default, deserialize_with = "present")]
    headers: Option<BTreeMap<String, String>>,
    #[serde(default, deserialize_with = "present")]
    delay_ms: Option<Int32>,
    #[serde(default, deserialize_with = "present")]
    body: Option<String>,
}

/// Reads the response of a receiver. Omitted members have the values of [`ReceiverResponse::default`].
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn answer(bytes: &[u8]) -> Result<ReceiverResponse, Refusal> {
    let request: AnswerRequest = body::parse(bytes)?;
    let status = match request.status.map_or(200, |status| status.0) {
        status @ 200..=599 => status.unsigned_abs() as u16,
        status => {
            return invalid(
                "status",
                Fault::OutOfRange {
                    least: 200,
                    most: 599,
                    sent: status.into(),
                },
            );
        }
    };
    let delay_ms = match request.delay_ms.map_or(0, |delay| delay.0) {
        delay @ 0..=LONGEST_DELAY => delay.unsigned_abs(),
        delay => {
            return invalid(
                "delayMs",
                format!("send 0 to {LONGEST_DELAY} milliseconds, not {delay}"),
            );
        }
    };
    let headers = request.headers.unwrap_or_default();
    for (name, value) in &headers {
        check_header(name, value)?;
    }
    Ok(ReceiverResponse {
        status,
        headers,
        delay_ms,
        body: request.body.unwrap_or_default(),
    })
}

/// A field name is a token, and a value contains no line breaks (RFC 9110, sections 5.1 and 5.5).
fn check_header(name: &str, value: &str) -> Result<(), Refusal> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(token) {
        return invalid("headers", "send names of letters, digits and `-`");
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return invalid(format!("headers.{name}"), Fault::ControlCharacters);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_have_the_members_sent() {
        assert_eq!(answer(b"{}"), Ok(ReceiverResponse::default()));
        let body = r#"{"status":"503","headers":{"Retry-After":"7"},"delayMs":60000,"body":"no"}"#;
        let read = answer(body.as_bytes()).unwrap();
        let shown = json!({
            "status": 503, "headers": { "Retry-After": "7" }, "delayMs": 60000, "body": "no",
        });
        assert_eq!(json!(read), shown);
    }

    #[test]
    fn refusals_name_the_wrong_member() {
        for (body, expected) in [
            ("", "the body is empty; send a JSON object"),
            (r#"{"status":199}"#, "status: send 200 to 599, not 199"),
            (r#"{"status":600}"#, "status: send 200 to 599, not 600"),
            (
                r#"{"status":null}"#,
                "status: send a whole number of at most 32 bits, not null",
            ),
            (
                r#"{"delayMs":-1}"#,
                "delayMs: send 0 to 60000 milliseconds, not -1",
            ),
            (
                r#"{"delayMs":60001}"#,
                "delayMs: send 0 to 60000 milliseconds, not 60001",
            ),
            (r#"{"body":{}}"#, "body: send a string, not an object"),
            (r#"{"headers":[]}"#, "headers: send an object, not a list"),
            (
                r#"{"headers":{"A":1}}"#,
                "headers.A: send a string, not integer `1`",
            ),
            (
                r#"{"headers":{"A":"b\r\nC: d"}}"#,
                "headers.A: send no line breaks or other control characters",
            ),
            (
                r#"{"headers":{"A b":""}}"#,
                "headers: send names of letters, digits and `-`",
            ),
            (
                r#"{"headers":{"":""}}"#,
                "headers: send names of letters, digits and `-`",
            ),
        ] {
            let refusal = answer(body.as_bytes()).unwrap_err();
            assert_eq!(crate::tests::detail(&refusal), expected, "{body}");
        }
    }
}
