//! The state that the API shows of a rotation that follows a partner, as of an instant.

use super::{Assignment, External, same_assignments};
use crate::domain::partner::{MemberKind, Partner};
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};

/// The instant that an answer is for, and the settings that count in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsOf {
    pub now: Timestamp,
    /// How often each schedule is read.
    pub poll_every: SignedDuration,
    /// The partners with settings.
    pub connected: Vec<Partner>,
}

words! {
    /// Whether the last reading succeeded and is younger than three polls (`current`); failed or is older, while now is still
    /// within what is known (`stale`); nothing is known of now, and the last known people stay on call (`unknown`); no schedule is
    /// linked or the partner has no settings (`notConnected`).
    pub enum State as ExternalState {
        Current = "current",
        Stale = "stale",
        Unknown = "unknown",
        NotConnected = "notConnected",
    }
}

words! {
    /// Whether the slots have somebody in them: `complete`, `partial` (some slot is empty), `none` (all of them, or there is no
    /// slot), `unknown`.
    pub enum Coverage as ExternalCoverage {
        Complete = "complete",
        Partial = "partial",
        None = "none",
        Unknown = "unknown",
    }
}

/// How many assignments there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Slots with somebody or nobody.
    pub required: usize,
    /// With somebody.
    pub assigned: usize,
    /// With nobody.
    pub empty: usize,
    /// With somebody who is unknown here.
    pub unmapped: usize,
    /// Different people now.
    pub responders: usize,
    /// Different people in all that is known.
    pub participants: usize,
}

/// The next change of the assignments.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub at: Timestamp,
    pub starting: Vec<Assignment>,
    pub continuing: Vec<Assignment>,
    pub ending: Vec<Assignment>,
}

impl External {
    /// The state at an instant.
    pub fn state(&self, as_of: &AsOf) -> State {
        let connected = self.link.as_ref();
        if !connected.is_some_and(|link| as_of.connected.contains(&link.partner)) {
            return State::NotConnected;
        }
        let schedule = &self.schedule;
        let (Some(read_at), Some(timeline)) = (schedule.read_at, &schedule.timeline) else {
            return State::Unknown;
        };
        if as_of.now >= timeline.known.until {
            return State::Unknown;
        }
        let age = as_of.now.duration_since(read_at);
        match schedule.failure.is_none() && age < as_of.poll_every * 3 {
            true => State::Current,
            false => State::Stale,
        }
    }

    /// Whether the schedule cannot be read: the partner has no settings, the newest reading failed, or it is old. One that has not
    /// been read yet is no such schedule.
    pub fn is_unread(&self, as_of: &AsOf) -> bool {
        let is_new = self.schedule.read_at.is_none() && self.schedule.failure.is_none();
        match self.state(as_of) {
            State::Current => false,
            State::Stale => true,
            State::Unknown => !is_new,
            State::NotConnected => self.link.is_some(),
        }
    }

    /// The coverage, in a state.
    pub fn coverage(&self, state: State) -> Coverage {
        if matches!(state, State::Unknown | State::NotConnected) {
            return Coverage::Unknown;
        }
        let empty = self.current.iter().filter(|one| one.is_empty()).count();
        match empty {
            _ if empty == self.current.len() => Coverage::None,
            0 => Coverage::Complete,
            _ => Coverage::Partial,
        }
    }
}

impl External {
    /// The next change of the assignments after an instant, as far as it is known.
    pub fn upcoming(&self, after: Timestamp) -> Option<Change> {
        let at = self.next_change(after)?;
        let then = self.at(at);
        let is_in = |list: &[Assignment], one: &Assignment| {
            let one = std::slice::from_ref(one);
            list.iter()
                .any(|it| same_assignments(std::slice::from_ref(it), one))
        };
        let ending = self.current.iter().filter(|one| !is_in(&then, one));
        let ending = ending.cloned().collect();
        let (continuing, starting) = then.into_iter().partition(|one| is_in(&self.current, one));
        Some(Change {
            at,
            starting,
            continuing,
            ending,
        })
    }
}

/// Counts the assignments.
pub fn counts(external: &External) -> Counts {
    let current = &external.current;
    let empty = current.iter().filter(|one| one.is_empty()).count();
    let unmapped = current.iter().filter(|one| one.is_unmapped()).count();
    let known = external.timeline().into_iter().flat_map(|it| &it.shifts);
    let known: Vec<Assignment> = known.map(|shift| external.resolve(shift)).collect();
    Counts {
        required: current.len(),
        assigned: current.len() - empty,
        empty,
        unmapped,
        responders: distinct(current.iter()),
        participants: distinct(known.iter().chain(current)),
    }
}

/// Different people: several outside people may be one person here. Teams and escalations are no people.
fn distinct<'a>(assignments: impl Iterator<Item = &'a Assignment>) -> usize {
    let mut people: Vec<(bool, &str)> = assignments
        .filter(|one| one.shift.member.kind == MemberKind::User)
        .filter_map(|one| match &one.user {
            Some(user) => Some((true, user.as_str())),
            None => Some((false, one.shift.member.id.as_deref()?)),
        })
        .collect();
    people.sort_unstable();
    people.dedup();
    people.len()
}
