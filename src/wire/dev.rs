//! Bodies of the development routes.

use super::body::{self, invalid, present};
use super::int32::Int32;
use super::moment::Moment;
use super::strict::strict;
use crate::domain::access::Scope;
use crate::domain::chat::{ChatError, FailureMode};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::tiers::Tier;
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

strict! {
    ClockRequest => Clock,
    PlanRequest,
    TokenRequest,
    KeyRequest,
    FailureModeRequest,
    SyncRequest,
}

/// The development clock.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Clock {
    pub now: Moment,
    /// Whether the clock stays at this instant until it is moved.
    pub frozen: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClockRequest {
    #[serde(default, deserialize_with = "present")]
    to: Option<Moment>,
    #[serde(default, deserialize_with = "present")]
    advance_seconds: Option<Int32>,
}

/// Reads the instant to move the clock to, counted from `now`.
///
/// # Errors
/// [`Refusal::Invalid`] unless exactly one of the two members is present and it does not move the clock back.
pub fn clock(bytes: &[u8], now: Timestamp) -> Result<Timestamp, Refusal> {
    let request: ClockRequest = body::parse(bytes)?;
    let (member, to) = match (request.to, request.advance_seconds) {
        (Some(to), None) => ("to", Some(to.0)),
        (None, Some(seconds)) => {
            let seconds = SignedDuration::from_secs(seconds.0.into());
            ("advanceSeconds", now.checked_add(seconds).ok())
        }
        _ => return invalid("to", "send either `to` or `advanceSeconds`"),
    };
    match to {
        Some(to) if to >= now => Ok(to),
        _ => invalid(
            member,
            format!("the clock is at {now} and cannot move back; send a later instant"),
        ),
    }
}

#[derive(Deserialize)]
struct PlanRequest {
    name: String,
}

/// Reads the tier to switch to.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn plan(bytes: &[u8]) -> Result<Tier, Refusal> {
    let request: PlanRequest = body::parse(bytes)?;
    match Tier::parse(&request.name) {
        Some(tier) => Ok(tier),
        None => invalid("name", "send one of `free` `pro`"),
    }
}

/// A request to read the outside sources. It says nothing else.
#[derive(Default, Deserialize)]
struct SyncRequest {}

/// Checks a request to read the outside sources.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn sync(bytes: &[u8]) -> Result<(), Refusal> {
    let SyncRequest {} = body::parse_optional(bytes)?;
    Ok(())
}

/// How many things of outside sources were read.
#[derive(Clone, Debug, Serialize)]
pub struct Sync {
    pub read: u64,
    pub failed: u64,
}

/// The tier after a switch.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub name: &'static str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenRequest {
    user_id: String,
}

/// Reads the person to issue a token for.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn token(bytes: &[u8]) -> Result<UserId, Refusal> {
    let request: TokenRequest = body::parse(bytes)?;
    Ok(UserId::from(request.user_id))
}

/// A new member token.
#[derive(Clone, Debug, Serialize)]
pub struct Token {
    pub token: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyRequest {
    name: String,
    scopes: Vec<String>,
    #[serde(default)]
    rotation_ids: Option<Vec<String>>,
    #[serde(default)]
    disabled: bool,
}

/// A key to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedKey {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub rotations: Option<Vec<RotationId>>,
    pub disabled: bool,
}

/// Reads a key to create.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn key(bytes: &[u8]) -> Result<WantedKey, Refusal> {
    let request: KeyRequest = body::parse(bytes)?;
    let mut scopes = Vec::new();
    for (index, name) in request.scopes.iter().enumerate() {
        match Scope::parse(name).filter(|scope| Scope::COMBINED.contains(scope)) {
            Some(scope) => scopes.push(scope),
            None => {
                let known = Scope::COMBINED.map(Scope::name).join("` `");
                return invalid(format!("scopes[{index}]"), format!("send one of `{known}`"));
            }
        }
    }
    let ids = |ids: Vec<String>| ids.into_iter().map(RotationId::from).collect();
    Ok(WantedKey {
        name: request.name,
        scopes,
        rotations: request.rotation_ids.map(ids),
        disabled: request.disabled,
    })
}

/// A new key.
#[derive(Clone, Debug, Serialize)]
pub struct Key {
    pub id: String,
    pub key: String,
}

/// The content of the local chat platform.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Chat {
    /// Oldest first.
    pub messages: Vec<ChatMessage>,
    /// Topics by channel id.
    pub topics: BTreeMap<String, String>,
    /// Groups by id.
    pub groups: BTreeMap<String, ChatGroup>,
}

/// A message to a channel or to a person.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    pub at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    pub text: String,
}

/// The failure mode of the chat platform. Members that are left out mean normal operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FailureModeRequest {
    /// Delay before each response, in milliseconds of real time.
    delay_ms: u32,
    failure: Option<Failure>,
    /// The wait that `rateLimited` requests, in seconds.
    retry_after_seconds: Option<u32>,
    /// Channels and user groups that the platform reports as unknown.
    forgotten: Vec<String>,
    /// The reason why user groups cannot be synced.
    no_groups: Option<String>,
    /// Whether empty user groups are refused.
    no_empty_groups: bool,
}

words! {
    /// The error that every call returns.
    pub enum Failure {
        Error = "error",
        RateLimited = "rateLimited",
        Refused = "refused",
    }
}

/// The longest delay, in milliseconds.
const LONGEST_DELAY: u32 = 60_000;

/// Reads a failure mode. Also returns the request as it was read.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn failure_mode(bytes: &[u8]) -> Result<(FailureMode, FailureModeRequest), Refusal> {
    let request: FailureModeRequest = body::parse(bytes)?;
    if request.delay_ms > LONGEST_DELAY {
        return invalid("delayMs", format!("send at most {LONGEST_DELAY}"));
    }
    let wait = SignedDuration::from_secs(request.retry_after_seconds.unwrap_or(1).into());
    let failure = request.failure.map(|failure| match failure {
        Failure::Error => ChatError::Unavailable("it answered with an error".into()),
        Failure::RateLimited => ChatError::RateLimited(wait),
        Failure::Refused => ChatError::Refused("the app may not do this".into()),
    });
    let mode = FailureMode {
        delay: Duration::from_millis(request.delay_ms.into()),
        failure,
        forgotten: request.forgotten.clone(),
        no_groups: request.no_groups.clone(),
        holds_empty_groups: !request.no_empty_groups,
    };
    Ok((mode, request))
}

/// A chat user group as the platform holds it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatGroup {
    pub handle: Option<String>,
    pub user_ids: Vec<String>,
    /// Platforms without empty user groups disable an empty one. The local platform never does.
    pub disabled: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_list_the_failures() {
        for failure in ["5", "{}", r#""\u0000""#, r#""Error""#] {
            let body = format!(r#"{{"failure":{failure}}}"#);
            let detail = crate::tests::detail(&failure_mode(body.as_bytes()).expect_err(&body));
            assert!(detail.starts_with("failure: send "), "{detail}");
            assert!(!detail.contains(char::is_control), "{detail:?}");
        }
        let (_, read) = failure_mode(br#"{"failure":"rateLimited"}"#).unwrap();
        assert_eq!(read.failure, Some(Failure::RateLimited));
    }

    #[test]
    fn the_clock_moves_forward() {
        let now: Timestamp = "2026-01-05T08:00:00Z".parse().unwrap();
        for (body, expected) in [
            (
                r#"{"to":"2026-01-05T10:00:00+01:00"}"#,
                Some("2026-01-05T09:00:00Z"),
            ),
            (
                r#"{"to":"2026-01-05T08:00:00Z"}"#,
                Some("2026-01-05T08:00:00Z"),
            ),
            (r#"{"advanceSeconds":60}"#, Some("2026-01-05T08:01:00Z")),
            (r#"{"advanceSeconds":"1"}"#, Some("2026-01-05T08:00:01Z")),
            (r#"{"advanceSeconds":-1}"#, None),
            (r#"{"to":"2026-01-05T07:59:59Z"}"#, None),
            (r#"{"to":"2026-01-05T09:00:00Z","advanceSeconds":1}"#, None),
            ("{}", None),
        ] {
            let read = clock(body.as_bytes(), now).ok().map(|at| at.to_string());
            assert_eq!(read.as_deref(), expected, "{body}");
        }
    }
}
