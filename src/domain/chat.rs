//! Capabilities of chat platforms, errors of their calls, and retries.

use super::ids::UserId;
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};
use std::time::{Duration, Instant};

/// The capabilities of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Why user groups cannot be synced with on-call; `None` if they can.
    pub no_binding: Option<String>,
    /// Why user groups cannot be created; `None` if they can.
    pub no_creating: Option<String>,
    /// Whether a user group may be empty.
    pub holds_empty_groups: bool,
    /// The longest topic of a channel, in characters.
    pub longest_topic: usize,
    /// The longest message, in characters.
    pub longest_message: usize,
}

words! {
    /// The state of a platform.
    pub enum PlatformState {
        Up = "up",
        /// It does not answer.
        Down = "down",
        /// It does not take the token, or not for everything: no call is made until it does.
        Paused = "paused",
    }
}

/// Why a call of the platform failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatError {
    /// The call failed; a retry may succeed.
    Unavailable(String),
    /// The platform asks to make no calls for this long.
    RateLimited(SignedDuration),
    /// The call was not made: the platform, or the pace that it permits, asks to wait until then in real time. This is no
    /// failed try.
    NotBefore(Instant),
    /// The call was not made, or refused, because the platform does not take the token: it waits until it does. This is no
    /// failed try either.
    Paused(String),
    /// The target does not exist for rota: a channel that the app is not in, a deleted user group.
    NotFound(String),
    /// The platform does not permit it.
    Refused(String),
    /// The platform does not take some of these people, and does not say whom.
    PeopleRefused(String),
    /// The call was not made because of an internal error.
    Internal(String),
    /// The call was not made because it is too late.
    Expired,
}

impl ChatError {
    /// For people.
    pub fn detail(&self) -> String {
        match self {
            ChatError::Unavailable(why) => format!("the chat platform failed: {why}"),
            ChatError::RateLimited(wait) => format!(
                "the chat platform has too many requests and asks to wait for {} s",
                wait.as_secs()
            ),
            ChatError::NotBefore(_) => "it waits for its turn".into(),
            ChatError::Internal(why) => format!("rota could not read its data: {why}"),
            ChatError::Expired => "it could not be sent in time".into(),
            ChatError::NotFound(why)
            | ChatError::Refused(why)
            | ChatError::PeopleRefused(why)
            | ChatError::Paused(why) => why.clone(),
        }
    }
}

/// How the platform of `rota dev` fails on request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureMode {
    /// The delay before each response, in real time.
    pub delay: Duration,
    /// The error of every call.
    pub failure: Option<ChatError>,
    /// Channels, people and user groups that appear not to exist.
    pub forgotten: Vec<String>,
    /// Why user groups cannot be synced; `None` if they can.
    pub no_groups: Option<String>,
    pub holds_empty_groups: bool,
}

impl Default for FailureMode {
    fn default() -> FailureMode {
        FailureMode {
            delay: Duration::ZERO,
            failure: None,
            forgotten: Vec::new(),
            no_groups: None,
            holds_empty_groups: true,
        }
    }
}

/// The wait after each failed try; the last one repeats.
const WAITS: [SignedDuration; 4] = [
    SignedDuration::from_secs(2),
    SignedDuration::from_secs(10),
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(5),
];

/// The longest wait that a platform can request.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// How long after queueing a message may be sent.
const MESSAGE_LIFE: SignedDuration = SignedDuration::from_hours(24);

impl ChatError {
    /// Whether the call waits, rather than having failed: for its turn, or for a paused platform.
    pub fn is_wait(&self) -> bool {
        matches!(self, ChatError::NotBefore(_) | ChatError::Paused(_))
    }
}

/// Whether a message is too old to be sent.
pub fn is_stale(made_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(made_at) > MESSAGE_LIFE
}

/// When a call that has failed `tries` times is retried.
pub fn next_try(tries: u32, error: &ChatError, ended_at: Timestamp) -> Timestamp {
    let place = (tries.saturating_sub(1) as usize).min(WAITS.len() - 1);
    let wait = match error {
        ChatError::RateLimited(asked) => WAITS[place].max((*asked).min(LONGEST_WAIT)),
        _ => WAITS[place],
    };
    ended_at.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

/// Until when the platform asks to make no calls; `None` if it does not.
pub fn held_until(error: &ChatError, ended_at: Timestamp) -> Option<Timestamp> {
    let ChatError::RateLimited(asked) = error else {
        return None;
    };
    let wait = (*asked).min(LONGEST_WAIT);
    Some(ended_at.saturating_add(wait).unwrap_or(Timestamp::MAX))
}

/// When a message is retried; `None` if it is dropped: the target does not exist, it is too old, or it cannot be read.
pub fn next_post(
    tries: u32,
    error: &ChatError,
    made_at: Timestamp,
    ended_at: Timestamp,
) -> Option<Timestamp> {
    if matches!(
        error,
        ChatError::NotFound(_)
            | ChatError::Refused(_)
            | ChatError::PeopleRefused(_)
            | ChatError::Internal(_)
            | ChatError::Expired
    ) {
        return None;
    }
    let next = next_try(tries, error, ended_at);
    (!is_stale(made_at, next)).then_some(next)
}

/// The desired people of a user group: those on call, and those in it whom rota did not add, in their present order.
pub fn wanted_in_group(present: &[UserId], ours: &[UserId], on_call: &[UserId]) -> Vec<UserId> {
    let stays = |user: &&UserId| on_call.contains(user) || !ours.contains(user);
    let mut wanted: Vec<UserId> = present.iter().filter(stays).cloned().collect();
    for user in on_call {
        if !wanted.contains(user) {
            wanted.push(user.clone());
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_heed_the_platform() {
        let end: Timestamp = "2026-11-23T08:00:00Z".parse().unwrap();
        let later = ChatError::Unavailable("down".into());
        let wait = |secs| ChatError::RateLimited(SignedDuration::from_secs(secs));
        for (tries, error, secs) in [
            (1, &later, 2),
            (2, &later, 10),
            (3, &later, 60),
            (4, &later, 300),
            (99, &later, 300),
            (1, &wait(1), 2),
            (1, &wait(30), 30),
            (1, &wait(1_000_000), 86_400),
        ] {
            let next = next_try(tries, error, end);
            assert_eq!(
                next.duration_since(end).as_secs(),
                secs,
                "{tries} {error:?}"
            );
        }
    }

    #[test]
    fn messages_are_given_up() {
        let end: Timestamp = "2026-11-23T08:00:00Z".parse().unwrap();
        let made = |hours| end - SignedDuration::from_hours(hours);
        let later = ChatError::Unavailable("down".into());
        assert!(next_post(9, &later, made(23), end).is_some());
        assert!(next_post(9, &later, made(24), end).is_none());
        assert!(next_post(1, &ChatError::NotFound("left".into()), end, end).is_none());
        assert!(next_post(1, &ChatError::Refused("no".into()), end, end).is_none());
    }

    #[test]
    fn groups_keep_strangers_and_swap_our_own_people() {
        let ids =
            |names: &str| -> Vec<UserId> { names.split_whitespace().map(Into::into).collect() };
        for (present, ours, on_call, wanted) in [
            ("", "a b", "a", "a"),
            ("a", "a b", "b", "b"),
            ("x a y", "a b", "b", "x y b"),
            ("x a y b", "a b", "b", "x y b"),
            ("x", "a b", "", "x"),
            ("a b", "a b", "", ""),
            ("", "a b c", "c a", "c a"),
        ] {
            let found = wanted_in_group(&ids(present), &ids(ours), &ids(on_call));
            assert_eq!(found, ids(wanted), "{present} / {ours} / {on_call}");
        }
    }
}
