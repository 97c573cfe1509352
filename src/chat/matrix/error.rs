//! Answers of homeservers, by what follows from them.

use crate::chat::call_error::{Class, LONGEST_WAIT, Pause, Refusal, USUAL_WAIT, wait};
use crate::client::HttpResponse;
use serde_json::Value;
use std::time::Duration;

/// Who answers.
pub(super) const SERVER: &str = "the homeserver";

/// The value of an answer of success.
pub(super) fn read(answer: &HttpResponse) -> Result<Value, Class> {
    let value: Option<Value> = serde_json::from_slice(&answer.body).ok();
    if answer.status == 429 {
        return Err(Class::Wait(pause_of(answer, value.as_ref())));
    }
    if answer.status >= 500 || (300..400).contains(&answer.status) {
        let why = format!("{SERVER} answers {}", answer.status);
        return Err(Class::Transient(why));
    }
    if answer.truncated {
        let why = format!("the answer of {SERVER} is incomplete or too large");
        return Err(Class::Transient(why));
    }
    let Some(value) = value.filter(|value| value.is_object() || value.is_array()) else {
        let why = format!("the answer of {SERVER} is not JSON");
        return Err(Class::Transient(why));
    };
    if answer.status < 300 {
        return Ok(value);
    }
    let text = |name: &str| value[name].as_str().filter(|text| !text.is_empty());
    let Some(code) = text("errcode") else {
        let why = format!("{SERVER} answers {} without a code", answer.status);
        return Err(Class::Transient(why));
    };
    let plain = |text: &str| -> String {
        let shown = text.chars().filter(|c| !c.is_control());
        shown.take(200).collect()
    };
    Err(classify(&plain(code), text("error").map(plain)))
}

/// The longer of what the header and the body ask for.
fn pause_of(answer: &HttpResponse, value: Option<&Value>) -> Duration {
    let header = answer.header("retry-after");
    let by_header = header.map(|header| wait(Some(header)));
    let by_body = value.and_then(|value| value["retry_after_ms"].as_u64());
    let by_body =
        by_body.map(|ms| Duration::from_millis(ms).clamp(Duration::from_millis(1), LONGEST_WAIT));
    by_header.max(by_body).unwrap_or(USUAL_WAIT)
}

/// The class of an error code.
fn classify(code: &str, detail: Option<String>) -> Class {
    match code {
        "M_LIMIT_EXCEEDED" => Class::Wait(USUAL_WAIT),
        "M_UNKNOWN_TOKEN" | "M_MISSING_TOKEN" | "M_USER_LOCKED" | "M_USER_DEACTIVATED"
        | "M_USER_SUSPENDED" => Class::Paused(Pause {
            by: SERVER,
            code: code.to_owned(),
            needed: None,
        }),
        _ => Class::Refused(Refusal {
            by: SERVER,
            code: code.to_owned(),
            detail,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_their_class() {
        let class = |status, body: &str, headers: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let answer = HttpResponse {
                status,
                headers: headers.iter().map(owned).collect(),
                body: body.as_bytes().to_vec(),
                truncated: false,
            };
            match read(&answer) {
                Ok(value) => value.to_string(),
                Err(Class::Wait(length)) => format!("wait {}", length.as_millis()),
                Err(Class::Transient(why)) => why,
                Err(Class::Refused(refusal)) => refusal.to_string(),
                Err(Class::Paused(pause)) => format!("paused: {pause}"),
            }
        };
        let retry = [("retry-after", "7")];
        for (status, body, headers, expected) in [
            (200, r#"{"a":1}"#, &[][..], r#"{"a":1}"#),
            (429, "", &[], "wait 30000"),
            (
                429,
                r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4200}"#,
                &[],
                "wait 4200",
            ),
            (
                429,
                r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4200}"#,
                &retry,
                "wait 7000",
            ),
            (
                429,
                r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":8200}"#,
                &retry,
                "wait 8200",
            ),
            (502, "<html>", &[], "the homeserver answers 502"),
            (302, "", &[], "the homeserver answers 302"),
            (
                200,
                "<html>",
                &[],
                "the answer of the homeserver is not JSON",
            ),
            (
                404,
                "<html>",
                &[],
                "the answer of the homeserver is not JSON",
            ),
            (403, "{}", &[], "the homeserver answers 403 without a code"),
            (
                401,
                r#"{"errcode":"M_UNKNOWN_TOKEN","soft_logout":true}"#,
                &[],
                "paused: the homeserver answers M_UNKNOWN_TOKEN",
            ),
            (
                401,
                r#"{"errcode":"M_MISSING_TOKEN"}"#,
                &[],
                "paused: the homeserver answers M_MISSING_TOKEN",
            ),
            (
                401,
                r#"{"errcode":"M_USER_LOCKED"}"#,
                &[],
                "paused: the homeserver answers M_USER_LOCKED",
            ),
            (
                403,
                r#"{"errcode":"M_USER_DEACTIVATED"}"#,
                &[],
                "paused: the homeserver answers M_USER_DEACTIVATED",
            ),
            (
                403,
                r#"{"errcode":"M_USER_SUSPENDED"}"#,
                &[],
                "paused: the homeserver answers M_USER_SUSPENDED",
            ),
            (
                403,
                r#"{"errcode":"M_FORBIDDEN","error":"not\nyou"}"#,
                &[],
                "the homeserver answers M_FORBIDDEN (notyou)",
            ),
            (
                413,
                r#"{"errcode":"M_TOO_LARGE"}"#,
                &[],
                "the homeserver answers M_TOO_LARGE",
            ),
        ] {
            assert_eq!(class(status, body, headers), expected, "{status} {body}");
        }
    }
}
