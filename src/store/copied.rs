//! When a standby's working copy was copied.

use jiff::{SignedDuration, Timestamp};
use std::sync::atomic::{AtomicI64, Ordering};

/// How far a state is stepped from its copy at the most.
pub const MOST_AHEAD: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The instant that a database was copied at, in milliseconds; none for one that is not copied.
#[derive(Debug)]
pub(super) struct CopiedAt(AtomicI64);

const NEVER: i64 = i64::MIN;

impl CopiedAt {
    pub(super) fn new(at: Option<Timestamp>) -> CopiedAt {
        CopiedAt(AtomicI64::new(at.map_or(NEVER, Timestamp::as_millisecond)))
    }

    pub(super) fn get(&self) -> Option<Timestamp> {
        match self.0.load(Ordering::Acquire) {
            NEVER => None,
            at => Timestamp::from_millisecond(at).ok(),
        }
    }

    pub(super) fn set(&self, at: Timestamp) {
        self.0.store(at.as_millisecond(), Ordering::Release);
    }

    /// The instant that a state is stepped to now: not before the copy, and at most so far from it.
    pub(super) fn bound(&self, now: Timestamp) -> Timestamp {
        match self.get() {
            Some(at) => now.clamp(at, at.saturating_add(MOST_AHEAD).unwrap_or(at).max(at)),
            None => now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_stepped_neither_back_nor_for_ever() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let copied = CopiedAt::new(Some(at("2026-11-23T09:00:00Z")));
        for (now, expected) in [
            ("2026-11-23T08:00:00Z", "2026-11-23T09:00:00Z"),
            ("2026-11-23T09:30:00Z", "2026-11-23T09:30:00Z"),
            ("2028-01-01T00:00:00Z", "2027-11-24T09:00:00Z"),
        ] {
            assert_eq!(copied.bound(at(now)), at(expected), "{now}");
        }
        let never = CopiedAt::new(None);
        assert_eq!(
            never.bound(at("2028-01-01T00:00:00Z")),
            at("2028-01-01T00:00:00Z")
        );
    }
}
