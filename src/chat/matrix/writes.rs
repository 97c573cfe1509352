//! When something may be written next. A homeserver limits what an account writes altogether; reading goes on.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is written. After a wait those come first that stand first here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    /// Answers to people, and what they wait for.
    Answer,
    Message,
    /// Topics and groups, of which only the newest state counts.
    State,
}

impl Rank {
    /// How long after the others the gate opens.
    pub(super) fn behind(self) -> Duration {
        match self {
            Rank::Answer => Duration::ZERO,
            Rank::Message => Duration::from_millis(150),
            Rank::State => Duration::from_millis(300),
        }
    }
}

/// The gate before all writes.
#[derive(Default)]
pub(super) struct Writes(Mutex<Option<Instant>>);

impl Writes {
    /// Until when writes of a rank wait; `None` if one can be made now.
    pub(super) fn opens(&self, rank: Rank, now: Instant) -> Option<Instant> {
        let closed = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = closed.map(|until| until + rank.behind());
        until.filter(|until| *until > now)
    }

    /// Closes the gate until an instant, because the homeserver asks for it.
    pub(super) fn close(&self, until: Instant) {
        let mut closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *closed = (*closed).max(Some(until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::clock::monotonic;

    #[test]
    fn answers_come_first_after_a_wait() {
        let (writes, now) = (Writes::default(), monotonic());
        let at = |ms| now + Duration::from_millis(ms);
        assert_eq!(writes.opens(Rank::State, now), None);
        writes.close(at(5_000));
        writes.close(at(1_000));
        for (rank, ms) in [
            (Rank::Answer, 5_000),
            (Rank::Message, 5_150),
            (Rank::State, 5_300),
        ] {
            assert_eq!(writes.opens(rank, at(4_999)), Some(at(ms)), "{rank:?}");
            assert_eq!(writes.opens(rank, at(ms)), None, "{rank:?}");
        }
    }
}
