//! What lies ahead, as the weekly summaries of people and of channels tell it.

use crate::domain::forecast::Stretch;
use crate::domain::ids::UserId;
use crate::domain::request::RequestKind;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use serde::{Deserialize, Serialize};

/// The most entries of a list in a summary.
const MOST: usize = 20;

/// The first entries of a list, and how many more there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed<T> {
    pub first: Vec<T>,
    #[serde(default)]
    pub more: usize,
}

impl<T> Listed<T> {
    /// A list, of which a summary names the first ones.
    pub fn of(mut all: Vec<T>) -> Listed<T> {
        let more = all.len().saturating_sub(MOST);
        all.truncate(MOST);
        Listed { first: all, more }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

/// A request that waits for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    pub is_swap: bool,
    pub requester: UserId,
    /// The name of the rotation.
    pub rotation: String,
}

impl Waiting {
    /// What is asked for.
    pub fn kind(&self) -> RequestKind {
        match self.is_swap {
            true => RequestKind::Swap,
            false => RequestKind::Cover,
        }
    }
}

/// A person's next days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonSummary {
    /// The person's.
    pub zone: ZoneName,
    /// What they are on call for.
    pub shifts: Listed<Stretch>,
    /// What others are on call for in their turns.
    pub covered: Listed<Stretch>,
    pub requests: Listed<Waiting>,
    /// When they are away.
    pub away: Listed<Interval>,
}

impl PersonSummary {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.shifts.is_empty()
            && self.covered.is_empty()
            && self.requests.is_empty()
            && self.away.is_empty()
    }
}

/// A rotation's coming week, in a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeekAhead {
    /// That of the summary.
    pub zone: ZoneName,
    pub turns: Listed<Stretch>,
    pub away: Listed<Absent>,
    /// Covered hours without anybody, by slot.
    pub vacant: Listed<Stretch>,
}

/// A member who is away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    pub user: UserId,
    #[serde(flatten)]
    pub period: Interval,
}

impl PersonSummary {
    /// Everybody who is named.
    pub(super) fn people(&self) -> impl Iterator<Item = &UserId> {
        let stretches = self.shifts.first.iter().chain(&self.covered.first);
        let requesters = self.requests.first.iter().map(|waiting| &waiting.requester);
        stretches.flat_map(Stretch::people).chain(requesters)
    }
}

impl WeekAhead {
    /// Everybody who is named.
    pub(super) fn people(&self) -> impl Iterator<Item = &UserId> {
        let turns = self.turns.first.iter().flat_map(Stretch::people);
        turns.chain(self.away.first.iter().map(|absent| &absent.user))
    }
}
