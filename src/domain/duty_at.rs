//! Who is on call at an instant: as planned, or as recorded (rules.md 25).

mod bounds;

use super::duty::Duty;
use super::event::Nobody;
use super::holidays::Calendar;
use super::ids::UserId;
use super::linked::Outsider;
use super::resolve;
use super::rotation::{Entry, Reason, Rotation, Window};
pub use bounds::{Backward, Bounds, HandOvers, Onward, Present};
use jiff::Timestamp;

/// Who is on call in a rotation at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum DutyAt {
    /// From when it was last judged: the rotation as it stands then.
    Planned(Box<Rotation>),
    /// Before that: what the record has.
    Recorded(Recorded),
}

impl DutyAt {
    /// The people on call who are known here, each once, in the order of slots.
    pub fn people(&self) -> Vec<UserId> {
        let recorded = match self {
            DutyAt::Planned(rotation) => return resolve::everybody_on_call(rotation),
            DutyAt::Recorded(recorded) => recorded,
        };
        let mut people: Vec<UserId> = Vec::new();
        let users = recorded
            .held
            .iter()
            .filter_map(|held| held.duty.entry.user.as_ref());
        for user in users {
            if !people.contains(user) {
                people.push(user.clone());
            }
        }
        people
    }
}

/// Who was on call at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// In the order of slots; those of cells that are gone come last.
    pub held: Vec<Held>,
    /// Somebody who was on call on a partner's schedule and is unknown here.
    pub outsider: Option<Outsider>,
    /// Only valid if nobody was on call.
    pub nobody: Nobody,
}

/// Somebody who was on call in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Theirs alone.
    pub duty: Duty,
    pub bounds: Bounds,
}

/// Whether the hours were open at an instant under which an entry was recorded, by its window, if that is still there.
pub fn was_open(
    rotation: &Rotation,
    window: Option<&Window>,
    entry: &Entry,
    calendar: &Calendar,
    at: Timestamp,
) -> bool {
    entry.reason != Reason::BusinessHoursOffline
        && rotation.hours_then(window, entry).at(calendar, at).open
}
