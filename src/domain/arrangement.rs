//! Arrangements: a person holds a cell for an interval instead of the dealt holder (rules.md 8).

use super::ids::{ArrangementId, CellId, RequestId, RotationId, UserId};
use super::time::Interval;
use crate::domain::words::words;
use jiff::Timestamp;

/// The maximum number of arrangements of a rotation that have not ended.
pub const MAX_ARRANGED: usize = 1_000;

/// An arrangement that has not ended, with the fields that the rules need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arranged {
    pub id: ArrangementId,
    pub cell: CellId,
    pub user: UserId,
    pub period: Interval,
    /// As last judged; in a disabled rotation it does not change.
    pub running: bool,
    /// The request it came from; `None` for an assignment.
    pub request: Option<RequestId>,
}

impl Arranged {
    /// The parts of its period outside an interval: none, one or two.
    pub fn without(&self, taken: Interval) -> Vec<Interval> {
        let before = Interval {
            from: self.period.from,
            until: taken.from.min(self.period.until),
        };
        let after = Interval {
            from: taken.until.max(self.period.from),
            until: self.period.until,
        };
        [before, after]
            .into_iter()
            .filter(|piece| !piece.is_empty())
            .collect()
    }
}

/// A stored arrangement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    pub id: ArrangementId,
    pub rotation: RotationId,
    pub cell: CellId,
    pub user: UserId,
    pub period: Interval,
    /// Starts at 1 and rises with every change.
    pub revision: u64,
    /// An arrangement that is not cancelled may have ended.
    pub cancelled: bool,
    pub kind: ArrangementKind,
    /// The request it came from; `None` for an assignment.
    pub request: Option<RequestId>,
    /// The plan for the cell before it.
    pub snapshot: Snapshot,
    pub turn_selection: Option<TurnSelection>,
}

/// The result of a write of arrangements.
#[derive(Clone, Debug)]
pub struct ArrangementWritten {
    pub rotation_version: u64,
    /// When it takes effect.
    pub effective_from: Timestamp,
    /// The changed records: cancelled ones and their replacements.
    pub arrangements: Vec<Arrangement>,
    /// Whether notifications are queued.
    pub queued: bool,
}

words! {
    /// How an arrangement was made.
    pub enum ArrangementKind {
        DirectAssignment = "directAssignment",
        AcceptedCover = "acceptedCover",
        SwapLeg = "swapLeg",
    }
}

/// The plan for a cell over an interval, as of an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub as_of: Timestamp,
    pub period: Interval,
    /// False if segments were omitted because of the limit.
    pub complete: bool,
    /// Ordered and contiguous.
    pub segments: Vec<Segment>,
}

impl Snapshot {
    /// The people who would have been on call, each once, in order.
    pub fn people(&self) -> Vec<&UserId> {
        let mut people: Vec<&UserId> = Vec::new();
        for user in self
            .segments
            .iter()
            .filter_map(|segment| segment.user.as_ref())
        {
            if !people.contains(&user) {
                people.push(user);
            }
        }
        people
    }
}

/// A part of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub period: Interval,
    /// `None` if nobody would have been on call.
    pub user: Option<UserId>,
}

/// The dealt turn that an interval replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnSelection {
    pub kind: TurnKind,
    /// The original turn, including any part already served.
    pub turn: Interval,
}

words! {
    /// How much of a turn the interval takes over.
    pub enum TurnKind as TurnSelectionKind {
        FullTurn = "fullTurn",
        /// The rest of the running turn.
        RemainingTurn = "remainingTurn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_an_arrangement() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let span = |from, until| Interval {
            from: at(from),
            until: at(until),
        };
        for (taken, left) in [
            (span(0, 5), vec![span(10, 20)]),
            (span(0, 10), vec![span(10, 20)]),
            (span(0, 12), vec![span(12, 20)]),
            (span(10, 12), vec![span(12, 20)]),
            (span(12, 15), vec![span(10, 12), span(15, 20)]),
            (span(12, 20), vec![span(10, 12)]),
            (span(12, 30), vec![span(10, 12)]),
            (span(10, 20), vec![]),
            (span(5, 25), vec![]),
            (span(20, 25), vec![span(10, 20)]),
        ] {
            let arranged = Arranged {
                id: "arr_1".into(),
                cell: "cel_1".into(),
                user: "U1".into(),
                period: span(10, 20),
                running: false,
                request: None,
            };
            assert_eq!(arranged.without(taken), left, "{taken:?}");
        }
    }
}
