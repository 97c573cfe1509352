//! What is asked of the chat platform, what it can do, and when it is asked again after it could not
//! (contract section 12).

use super::ids::{ChannelId, UserId};
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::time::Duration;

/// Where a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    Channel(ChannelId),
    /// A direct message.
    Person(UserId),
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recipient::Channel(id) => write!(f, "channel {id}"),
            Recipient::Person(id) => write!(f, "person {id}"),
        }
    }
}

/// What a platform can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manners {
    /// Why user groups cannot be kept in step with duty; `None` where they can.
    pub no_binding: Option<String>,
    /// Why user groups cannot be made; `None` where they can.
    pub no_creating: Option<String>,
    /// Whether a user group may have nobody in it.
    pub holds_empty_groups: bool,
    /// The longest topic of a channel, in characters.
    pub longest_topic: usize,
    /// The longest message, in characters.
    pub longest_message: usize,
}

/// Why the platform did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It may go another time.
    Later(String),
    /// It asks everybody to wait for so long.
    Wait(SignedDuration),
    /// What was named is not there for us: a channel that the app is not in, a user group that was deleted.
    Gone(String),
    /// It does not allow it.
    Refused(String),
    /// It was not asked, because of a fault of ours.
    Ours(String),
    /// It was not asked, for it is too late.
    Late,
}

impl Trouble {
    /// For people to read.
    pub fn told(&self) -> String {
        match self {
            Trouble::Later(why) => format!("the chat platform failed: {why}"),
            Trouble::Wait(wait) => format!(
                "the chat platform has too many requests and asks to wait for {} s",
                wait.as_secs()
            ),
            Trouble::Ours(why) => format!("rota could not read what it needs: {why}"),
            Trouble::Late => "it could not be sent in time".into(),
            Trouble::Gone(why) | Trouble::Refused(why) => why.clone(),
        }
    }
}

/// How a platform that misbehaves on command behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mood {
    /// How long it thinks before each answer, in real time.
    pub delay: Duration,
    /// What it answers instead of doing anything.
    pub failure: Option<Trouble>,
    /// Channels and user groups that it says it has never heard of.
    pub forgotten: Vec<String>,
    /// Why user groups cannot be kept in step; `None` where they can.
    pub no_groups: Option<String>,
    pub holds_empty_groups: bool,
}

impl Default for Mood {
    fn default() -> Mood {
        Mood {
            delay: Duration::ZERO,
            failure: None,
            forgotten: Vec::new(),
            no_groups: None,
            holds_empty_groups: true,
        }
    }
}

/// The waits after each failed try; the last one repeats.
const WAITS: [SignedDuration; 4] = [
    SignedDuration::from_secs(2),
    SignedDuration::from_secs(10),
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(5),
];

/// The longest wait that the platform can ask for.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// How long a message is worth sending.
const MESSAGE_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// Whether what a message says is of yesterday.
pub fn is_stale(made_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(made_at) > MESSAGE_LIFE
}

/// When something is tried again that has failed `tries` times.
pub fn next_try(tries: u32, trouble: &Trouble, ended_at: Timestamp) -> Timestamp {
    let place = (tries.saturating_sub(1) as usize).min(WAITS.len() - 1);
    let wait = match trouble {
        Trouble::Wait(asked) => WAITS[place].max((*asked).min(LONGEST_WAIT)),
        _ => WAITS[place],
    };
    ended_at.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

/// Until when the platform asks everybody to wait; `None` where it does not.
pub fn held_until(trouble: &Trouble, ended_at: Timestamp) -> Option<Timestamp> {
    let Trouble::Wait(asked) = trouble else {
        return None;
    };
    let wait = (*asked).min(LONGEST_WAIT);
    Some(ended_at.saturating_add(wait).unwrap_or(Timestamp::MAX))
}

/// When a message is tried again; `None` where it is not sent any more: nobody can be reached there, or what it says is of
/// yesterday.
pub fn next_post(
    tries: u32,
    trouble: &Trouble,
    made_at: Timestamp,
    ended_at: Timestamp,
) -> Option<Timestamp> {
    if matches!(
        trouble,
        Trouble::Gone(_) | Trouble::Refused(_) | Trouble::Late
    ) {
        return None;
    }
    let next = next_try(tries, trouble, ended_at);
    (!is_stale(made_at, next)).then_some(next)
}

/// Who is to be in a user group: those on call, and those of the people in it who are none of ours, in the order in which
/// they stand there.
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
        let later = Trouble::Later("down".into());
        let wait = |secs| Trouble::Wait(SignedDuration::from_secs(secs));
        for (tries, trouble, secs) in [
            (1, &later, 2),
            (2, &later, 10),
            (3, &later, 60),
            (4, &later, 300),
            (99, &later, 300),
            (1, &wait(1), 2),
            (1, &wait(30), 30),
            (1, &wait(1_000_000), 86_400),
        ] {
            let next = next_try(tries, trouble, end);
            assert_eq!(
                next.duration_since(end).as_secs(),
                secs,
                "{tries} {trouble:?}"
            );
        }
    }

    #[test]
    fn messages_are_given_up() {
        let end: Timestamp = "2026-11-23T08:00:00Z".parse().unwrap();
        let made = |hours| end - SignedDuration::from_hours(hours);
        let later = Trouble::Later("down".into());
        assert!(next_post(9, &later, made(23), end).is_some());
        assert!(next_post(9, &later, made(24), end).is_none());
        assert!(next_post(1, &Trouble::Gone("left".into()), end, end).is_none());
        assert!(next_post(1, &Trouble::Refused("no".into()), end, end).is_none());
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
