//! Arrangements: who holds a cell for an interval, over the dealt turn (rules.md 8).

use super::ids::{ArrangementId, CellId, RequestId, RotationId, UserId};
use super::time::Interval;
use jiff::Timestamp;

/// Arrangements that are not over and that a rotation holds at the most.
pub const MAX_ARRANGED: usize = 1_000;

/// An arrangement that is not over, as the rules need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arranged {
    pub id: ArrangementId,
    pub cell: CellId,
    pub user: UserId,
    pub period: Interval,
    /// As last judged; a disabled rotation stays frozen as it was.
    pub running: bool,
    /// The request that it was agreed by; `None` for an assignment.
    pub request: Option<RequestId>,
}

impl Arranged {
    /// What is left of its period without a stretch that somebody else takes over: nothing, one piece or two.
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

/// The record of an arrangement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    pub id: ArrangementId,
    pub rotation: RotationId,
    pub cell: CellId,
    pub user: UserId,
    pub period: Interval,
    /// Starts at 1, rises with every change of the record.
    pub revision: u64,
    /// One that is not cancelled may be over already.
    pub cancelled: bool,
    pub kind: ArrangementKind,
    /// The request that it was agreed by; `None` for an assignment.
    pub request: Option<RequestId>,
    /// What was planned for the cell before it.
    pub snapshot: Snapshot,
    pub turn_selection: Option<TurnSelection>,
}

/// What a write of arrangements came to.
#[derive(Clone, Debug)]
pub struct ArrangementWritten {
    pub rotation_version: u64,
    /// When it takes effect.
    pub effective_from: Timestamp,
    /// The records that changed, those cancelled and those that took their place.
    pub arrangements: Vec<Arrangement>,
    /// Whether anything is queued to be sent.
    pub queued: bool,
}

/// How an arrangement came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrangementKind {
    DirectAssignment,
    AcceptedCover,
    SwapLeg,
}

impl ArrangementKind {
    /// Every kind, for reading them back.
    pub const ALL: [ArrangementKind; 3] = [
        ArrangementKind::DirectAssignment,
        ArrangementKind::AcceptedCover,
        ArrangementKind::SwapLeg,
    ];

    /// The name that the wire and the database use.
    pub fn name(self) -> &'static str {
        match self {
            ArrangementKind::DirectAssignment => "directAssignment",
            ArrangementKind::AcceptedCover => "acceptedCover",
            ArrangementKind::SwapLeg => "swapLeg",
        }
    }
}

/// What was planned for a cell over an interval, as of an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub as_of: Timestamp,
    pub period: Interval,
    /// False where there were more segments than are kept.
    pub complete: bool,
    /// In order and without holes.
    pub segments: Vec<Segment>,
}

impl Snapshot {
    /// The people who would have been on call, each once, in the order that they would have come on.
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

/// A stretch of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub period: Interval,
    /// `None` where nobody would have been on call.
    pub user: Option<UserId>,
}

/// The dealt turn that an interval takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnSelection {
    pub kind: TurnKind,
    /// The original turn, with any part that has been served already.
    pub turn: Interval,
}

/// How much of a turn is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    FullTurn,
    RemainingTurn,
}

impl TurnKind {
    /// Every kind, for reading them back.
    pub const ALL: [TurnKind; 2] = [TurnKind::FullTurn, TurnKind::RemainingTurn];

    /// The name that the wire and the database use.
    pub fn name(self) -> &'static str {
        match self {
            TurnKind::FullTurn => "fullTurn",
            TurnKind::RemainingTurn => "remainingTurn",
        }
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
