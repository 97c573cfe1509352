//! Calendar feeds: addresses at which calendar programs read who is on duty (rules.md 20).

use super::fault::Fault;
use super::ids::{CalendarFeedId, RotationId, UserId};
use super::refusal::{Refusal, invalid};
use jiff::{SignedDuration, Timestamp};

/// The longest name, in characters.
pub const LONGEST_NAME: usize = 100;

/// Alarms of an event at the most.
pub const MOST_ALARMS: usize = 3;

/// The earliest alarm: four weeks before, in minutes.
pub const EARLIEST_ALARM: u32 = 4 * 7 * 24 * 60;

/// Feeds that one person makes at the most.
pub const MOST_OF_A_PERSON: u64 = 20;

/// Feeds that all API keys make at the most.
pub const MOST_OF_KEYS: u64 = 2_000;

/// The person or rotation that a feed shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The turns of a person in all rotations that they see.
    Person(UserId),
    /// Everybody's turns in a rotation, and when nobody is on call.
    Rotation(RotationId),
    /// The turns of a person in one rotation.
    PersonIn(UserId, RotationId),
}

impl Shows {
    /// The subject that these ids ask for.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where both are missing.
    pub fn of(user: Option<UserId>, rotation: Option<RotationId>) -> Result<Shows, Refusal> {
        match (user, rotation) {
            (Some(user), None) => Ok(Shows::Person(user)),
            (None, Some(rotation)) => Ok(Shows::Rotation(rotation)),
            (Some(user), Some(rotation)) => Ok(Shows::PersonIn(user, rotation)),
            (None, None) => invalid("userId", "send userId, rotationId or both"),
        }
    }

    /// The person whose turns it shows; `None` for everybody's.
    pub fn user(&self) -> Option<&UserId> {
        match self {
            Shows::Person(user) | Shows::PersonIn(user, _) => Some(user),
            Shows::Rotation(_) => None,
        }
    }

    /// The rotation that it is limited to.
    pub fn rotation(&self) -> Option<&RotationId> {
        match self {
            Shows::Rotation(rotation) | Shows::PersonIn(_, rotation) => Some(rotation),
            Shows::Person(_) => None,
        }
    }
}

/// A feed. Its address holds a secret, of which only the hash is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarFeed {
    pub id: CalendarFeedId,
    pub shows: Shows,
    pub name: Option<String>,
    /// Minutes before the beginning of each event.
    pub alarms: Vec<u32>,
    /// The person who made it; `None` for an API key.
    pub created_by: Option<UserId>,
    pub created_at: Timestamp,
    pub revision: Revision,
    /// Set while the rotation that it is limited to is not there, or hidden from it.
    pub gone: Option<Gone>,
}

/// How long a feed is an empty calendar once its rotation is gone. Calendar programs that read nothing at all keep what they have.
const EMPTY_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A rotation that a feed no longer shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// When it was last there and visible.
    pub since: Timestamp,
    /// Its name then.
    pub name: String,
}

impl Gone {
    /// Whether the feed is still an empty calendar.
    pub fn is_empty_at(&self, now: Timestamp) -> bool {
        now.duration_since(self.since) < EMPTY_FOR
    }
}

impl CalendarFeed {
    /// The person whose rights it has: whose turns it shows, else whoever made it. A rotation's feed that a key made has
    /// nobody's, and shows the rotation as long as it exists.
    pub fn reader(&self) -> Option<&UserId> {
        self.shows.user().or(self.created_by.as_ref())
    }
}

/// Which state of what it shows a feed has last been read in. It counts up, also across restarts, so that calendar programs
/// take what they read for newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// A digest of everything that the events depend on; `None` before the first reading.
    pub state: Option<[u8; 32]>,
    /// How often it changed.
    pub sequence: u32,
    /// When a reading first found it like this.
    pub changed_at: Timestamp,
}

impl Revision {
    /// The revision after a reading; the same where nothing changed.
    pub fn seen(self, state: [u8; 32], now: Timestamp) -> Revision {
        match self.state {
            Some(known) if known == state => self,
            known => Revision {
                state: Some(state),
                sequence: self.sequence.saturating_add(u32::from(known.is_some())),
                changed_at: now.max(self.changed_at),
            },
        }
    }
}

/// A feed to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFeed {
    pub shows: Shows,
    pub name: Option<String>,
    pub alarms: Vec<u32>,
}

impl NewFeed {
    /// Checks what does not depend on what is stored.
    ///
    /// # Errors
    /// [`Refusal::Invalid`], naming the member.
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(name) = &self.name {
            if name.trim().is_empty() || name.chars().count() > LONGEST_NAME {
                return invalid(
                    "name",
                    format!(
                        "send 1 to {LONGEST_NAME} characters that are not all blank, or omit it"
                    ),
                );
            }
            if name.contains(char::is_control) {
                return invalid("name", Fault::ControlCharacters);
            }
        }
        if self.alarms.len() > MOST_ALARMS {
            return invalid("alarms", format!("send at most {MOST_ALARMS}"));
        }
        for (index, minutes) in self.alarms.iter().enumerate() {
            if *minutes > EARLIEST_ALARM {
                return invalid(
                    format!("alarms[{index}]"),
                    format!("send at most {EARLIEST_ALARM} minutes, which is four weeks"),
                );
            }
            if self.alarms[..index].contains(minutes) {
                return invalid(
                    format!("alarms[{index}]"),
                    format!("{minutes} is named twice"),
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused() {
        let long = "ä".repeat(LONGEST_NAME);
        for (name, alarms, refused) in [
            (None, &[][..], None),
            (Some(long.as_str()), &[0, 15, EARLIEST_ALARM], None),
            (Some(" "), &[], Some("name")),
            (Some("two\nlines"), &[], Some("name")),
            (Some(&format!("{long}ä")), &[], Some("name")),
            (None, &[1, 2, 3, 4], Some("alarms")),
            (None, &[1, 1], Some("alarms[1]")),
            (None, &[EARLIEST_ALARM + 1], Some("alarms[0]")),
        ] {
            let feed = NewFeed {
                shows: Shows::Person("U1".into()),
                name: name.map(str::to_owned),
                alarms: alarms.to_vec(),
            };
            let outcome = feed.check();
            assert_eq!(
                crate::tests::member(&outcome),
                refused,
                "{name:?} {alarms:?}"
            );
        }
        assert!(Shows::of(None, None).is_err());
    }

    #[test]
    fn a_revision_counts_changes() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut revision = Revision {
            state: None,
            sequence: 0,
            changed_at: at(5),
        };
        for (state, now, sequence, changed_at) in [
            (1, 10, 0, 10),
            (1, 20, 0, 10),
            (2, 30, 1, 30),
            // A clock that was set back does not make it older.
            (1, 25, 2, 30),
            (1, 40, 2, 30),
        ] {
            revision = revision.seen([state; 32], at(now));
            let found = (revision.sequence, revision.changed_at);
            assert_eq!(found, (sequence, at(changed_at)), "{state} at {now}");
        }
    }
}
