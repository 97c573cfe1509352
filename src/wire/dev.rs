//! Bodies of the development routes (contract section 14).

use super::body::{self, invalid, present};
use super::int32::Int32;
use super::moment::Moment;
use crate::domain::access::Scope;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::tiers::Tier;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the clock stands.
#[derive(Clone, Debug, Serialize)]
pub struct Clock {
    pub now: Moment,
    /// Whether it stands still until it is moved.
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

/// Reads where the clock is to be moved to from `now`.
///
/// # Errors
/// [`Refusal::Invalid`] when that is not forward, or when not exactly one of the two members is there.
pub fn clock(bytes: &[u8], now: Timestamp) -> Result<Timestamp, Refusal> {
    let request: ClockRequest = body::parse(bytes)?;
    let (member, to) = match (request.to, request.advance_seconds) {
        (Some(to), None) => ("to", Some(to.0)),
        (None, Some(seconds)) => {
            let seconds = SignedDuration::from_secs(seconds.0.into());
            ("advanceSeconds", now.checked_add(seconds).ok())
        }
        _ => return invalid("to: send either `to` or `advanceSeconds`"),
    };
    match to {
        Some(to) if to >= now => Ok(to),
        _ => invalid(format!(
            "{member}: the clock stands at {now} and only moves forward"
        )),
    }
}

#[derive(Deserialize)]
struct PlanRequest {
    name: String,
}

/// Reads the plan to switch to.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn plan(bytes: &[u8]) -> Result<Tier, Refusal> {
    let request: PlanRequest = body::parse(bytes)?;
    match Tier::parse(&request.name) {
        Some(tier) => Ok(tier),
        None => invalid("name: send one of `free` `pro`"),
    }
}

/// The plan after a switch.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub name: &'static str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenRequest {
    user_id: String,
}

/// Reads the person that a token is minted for.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn token(bytes: &[u8]) -> Result<UserId, Refusal> {
    let request: TokenRequest = body::parse(bytes)?;
    Ok(UserId::from(request.user_id))
}

/// A minted member token.
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

/// A key to mint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedKey {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub rotations: Option<Vec<RotationId>>,
    pub disabled: bool,
}

/// Reads a key to mint.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn key(bytes: &[u8]) -> Result<WantedKey, Refusal> {
    let request: KeyRequest = body::parse(bytes)?;
    let mut scopes = Vec::new();
    for (index, name) in request.scopes.iter().enumerate() {
        match Scope::parse(name) {
            Some(scope) => scopes.push(scope),
            None => {
                let known = Scope::ALL.map(Scope::name).join("` `");
                return invalid(format!("scopes[{index}]: send one of `{known}`"));
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

/// A minted key.
#[derive(Clone, Debug, Serialize)]
pub struct Key {
    pub id: String,
    pub key: String,
}

/// What the local chat platform holds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Chat {
    /// What was posted; nothing is posted yet.
    pub messages: Vec<serde_json::Value>,
    /// Topics by channel id.
    pub topics: BTreeMap<String, String>,
    /// Groups by id.
    pub groups: BTreeMap<String, ChatGroup>,
}

/// A chat user group as the platform holds it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatGroup {
    pub handle: Option<String>,
    pub user_ids: Vec<String>,
    /// A platform that cannot hold an empty group disables it; the local one can.
    pub disabled: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

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
