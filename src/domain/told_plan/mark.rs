//! Marks of writes that may have moved somebody's shifts, until people are told.

use super::Sentence;
use crate::domain::actor::{Actor, ActorKind};
use crate::domain::ids::{CellId, UserId};
use crate::domain::stored;
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long after the first write people are told at the latest, where writes go on.
const LATEST: SignedDuration = SignedDuration::from_mins(5);

/// One write that may have moved shifts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub actor: Actor,
    pub reason: Reason,
    pub told_otherwise: Vec<ToldOtherwise>,
}

/// Why shifts moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// By the clock that rotations go by.
    #[serde(with = "stored")]
    pub at: Timestamp,
    pub said: Sentence,
}

/// A part of a cover or swap that somebody accepted or ended: its people have messages of their own about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldOtherwise {
    pub cell: CellId,
    pub users: Vec<UserId>,
    #[serde(flatten)]
    pub period: Interval,
}

/// What has marked a rotation since its people were told last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingNotices {
    /// The first and the last write, in real time.
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// How many writes; each has another number.
    pub count: u64,
    /// Who made them, each once.
    pub actors: Vec<Actor>,
    /// Of the last three, oldest first.
    pub reasons: Vec<Reason>,
    pub told_otherwise: Vec<ToldOtherwise>,
}

impl PendingNotices {
    /// When people are told: once nothing has marked the rotation for so long, and not much later than the first mark.
    pub fn sends_at(&self, delay: SignedDuration) -> Timestamp {
        let after = |at: Timestamp, wait| at.saturating_add(wait).unwrap_or(Timestamp::MAX);
        after(self.last_at, delay).min(after(self.first_at, delay.max(LATEST)))
    }

    /// Whether it is time to tell people. A system clock that was set back delays nothing.
    pub fn is_due(&self, now: Timestamp, delay: SignedDuration) -> bool {
        now >= self.sends_at(delay) || now < self.first_at
    }

    /// Whether the person made all of the writes.
    pub fn are_all_by(&self, user: &UserId) -> bool {
        let is_theirs = |actor: &Actor| {
            actor.kind == ActorKind::Person && actor.id.as_deref() == Some(user.as_str())
        };
        self.actors.iter().all(is_theirs)
    }
}
