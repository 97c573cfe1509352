//! Slack's signatures of requests, scheme `v0`: HMAC-SHA256 over the time and the raw body (rules.md 21.8).

use crate::client::Secret;
use crate::wire::hex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// The header with the time of the request, in seconds since 1970.
pub const TIMESTAMP_HEADER: &str = "X-Slack-Request-Timestamp";
/// The header with the signature.
pub const SIGNATURE_HEADER: &str = "X-Slack-Signature";

/// How far the time of a request may be from now, in seconds. An older one may be a repetition by somebody who read it.
const WINDOW: u64 = 5 * 60;

/// The signature of a request, as its header has it.
pub fn sign(secret: &Secret, timestamp: &str, body: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) else {
        unreachable!("HMAC takes a key of any length");
    };
    for part in [b"v0:", timestamp.as_bytes(), b":", body] {
        mac.update(part);
    }
    format!("v0={}", hex(&mac.finalize().into_bytes()))
}

/// Whether a request is from Slack, and not old. `now` is in seconds since 1970.
///
/// # Errors
/// The error of a signature, for the log and the answer.
pub fn verify(
    secret: &Secret,
    timestamp: Option<&str>,
    signature: Option<&str>,
    body: &[u8],
    now: i64,
) -> Result<(), &'static str> {
    let timestamp = timestamp.ok_or("X-Slack-Request-Timestamp is missing")?;
    let signature = signature.ok_or("X-Slack-Signature is missing")?;
    let is_plain = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let at = timestamp.parse::<i64>().ok().filter(|_| is_plain);
    let at = at.ok_or("X-Slack-Request-Timestamp is not a number of seconds")?;
    if at.abs_diff(now) > WINDOW {
        return Err("X-Slack-Request-Timestamp is more than five minutes away");
    }
    let expected = sign(secret, timestamp, body);
    match bool::from(signature.as_bytes().ct_eq(expected.as_bytes())) {
        true => Ok(()),
        false => Err("X-Slack-Signature does not match"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Slack's documentation.
    const BODY: &str = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&\
        channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&\
        response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&\
        trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const SIGNATURE: &str = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    const AT: i64 = 1_531_420_618;

    /// rules.md 21.8.
    #[test]
    fn signatures() {
        let secret = Secret::new("8f742231b10e8888abcd99yyyzzz85a5");
        let (at, other) = (AT.to_string(), "v0=".to_owned() + &"a".repeat(64));
        let other_scheme = SIGNATURE.replace("v0=", "v1=");
        for (timestamp, signature, body, now, right) in [
            (Some(&*at), Some(SIGNATURE), BODY, AT, true),
            (Some(&*at), Some(SIGNATURE), BODY, AT + 300, true),
            (Some(&*at), Some(SIGNATURE), BODY, AT - 300, true),
            (Some(&*at), Some(SIGNATURE), BODY, AT + 301, false),
            (Some(&*at), Some(SIGNATURE), BODY, AT - 301, false),
            (Some(&*at), Some(&*other), BODY, AT, false),
            (Some(&*at), Some(&*other_scheme), BODY, AT, false),
            (Some(&*at), Some(""), BODY, AT, false),
            (Some(&*at), None, BODY, AT, false),
            (None, Some(SIGNATURE), BODY, AT, false),
            (Some(""), Some(SIGNATURE), BODY, AT, false),
            (Some("+1531420618"), Some(SIGNATURE), BODY, AT, false),
            (
                Some("99999999999999999999"),
                Some(SIGNATURE),
                BODY,
                AT,
                false,
            ),
            (Some(&*at), Some(SIGNATURE), "token=other", AT, false),
        ] {
            let found = verify(&secret, timestamp, signature, body.as_bytes(), now);
            assert_eq!(
                found.is_ok(),
                right,
                "{timestamp:?} {signature:?} {now}: {found:?}"
            );
        }
    }
}
