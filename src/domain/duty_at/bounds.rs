//! When an assignment of the record began and ended, regardless of covered hours: a turn goes on behind hours that are shut.

use super::Piece;
use crate::domain::holidays::Calendar;
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::resolve;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// The bounds of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub since: Timestamp,
    /// `None` where no end is known yet.
    pub until: Option<Timestamp>,
    /// When the person went off call.
    pub covered_until: Option<Timestamp>,
    /// When the dealt turn ended.
    pub turn_ends: Option<Timestamp>,
}

/// How a cell stands now, for assignments that have not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Who holds it, whether its hours are open or not, with the arrangement and the bounds.
    holder: Option<(UserId, Option<ArrangementId>, Timestamp, Option<Timestamp>)>,
    turn_since: Option<Timestamp>,
    turn_ends: Option<Timestamp>,
    shuts: Option<Timestamp>,
}

impl Present {
    /// How a cell of a rotation stands. `turn_ends` is what [`resolve::turn_ends`] answers.
    pub fn of(
        rotation: &Rotation,
        calendar: &Calendar,
        slot: usize,
        turn_ends: &[Option<Timestamp>],
    ) -> Present {
        let cell = &rotation.cells[slot];
        let turn_ends = turn_ends[cell.window];
        let holder = resolve::holder(rotation, cell).map(|hold| {
            let (since, until) = resolve::bounds(rotation, cell, hold, turn_ends);
            let arrangement = hold.arrangement().cloned();
            (hold.user().clone(), arrangement, since, until)
        });
        let hours = rotation.hours(&rotation.windows[cell.window]);
        let view = hours.at(calendar, rotation.stamps.judged_at);
        Present {
            holder,
            turn_since: cell.holder.as_ref().map(|holder| holder.since),
            turn_ends,
            shuts: view
                .current
                .filter(|_| rotation.enabled)
                .map(|stretch| stretch.until),
        }
    }
}

/// A walk from the entry of somebody on call to the end of their assignment and of the turn.
#[derive(Debug)]
pub struct Onward {
    first: Piece,
    /// The end of the last entry that was looked at.
    last_end: Option<Timestamp>,
    /// Until when they are on call without a break, as far as is known.
    covered_until: Option<Timestamp>,
    /// When the cell was found empty, where nobody is known to have had it since.
    gap: Option<Timestamp>,
    until: Option<Timestamp>,
    turn_ends: Option<Timestamp>,
}

impl Onward {
    /// From the entry of somebody.
    pub fn new(first: Piece) -> Onward {
        Onward {
            last_end: first.end,
            covered_until: first.end,
            gap: None,
            until: None,
            turn_ends: None,
            first,
        }
    }

    /// Looks at the next entry of the cell; `false` once everything is known.
    pub fn look(&mut self, piece: &Piece) -> bool {
        if self.turn_ends.is_none() {
            self.turn_ends = piece.turn_since.filter(|since| *since > self.first.start);
        }
        if self.until.is_none() {
            self.look_for_end(piece);
        }
        self.last_end = piece.end;
        self.until.is_none() || self.turn_ends.is_none()
    }

    fn look_for_end(&mut self, piece: &Piece) {
        match &piece.user {
            Some(_) if self.first.goes_on_in(piece) => {
                if self.covered_until == Some(piece.start) {
                    self.covered_until = piece.end;
                }
                self.gap = None;
            }
            Some(_) => {
                let earliest = self.first.end.unwrap_or(piece.start).min(piece.start);
                let next = piece.held_since.unwrap_or(piece.start);
                let next = next.clamp(earliest, piece.start);
                self.until = Some(self.gap.unwrap_or(next));
            }
            None if piece.reason == Reason::BusinessHoursOffline || self.waits_in(piece) => {}
            None => {
                self.gap.get_or_insert(piece.start);
            }
        }
    }

    /// Whether an entry of nobody has the same turn waiting for its hours.
    fn waits_in(&self, piece: &Piece) -> bool {
        let dealt = self.first.arrangement.is_none();
        dealt && piece.turn_since.is_some() && piece.turn_since == self.first.turn_since
    }

    /// What was found. `since` is where the assignment began, where its entry does not say it; `present` is how the cell stands now, where it is still there; `period` is that of the arrangement by which
    /// they were on call.
    pub fn finish(
        self,
        since: Timestamp,
        present: Option<&Present>,
        period: Option<Interval>,
    ) -> Bounds {
        let (mut until, mut turn_ends) = (self.until, self.turn_ends);
        let mut shuts = None;
        match present.filter(|_| self.last_end.is_none()) {
            Some(present) => {
                if until.is_none() {
                    until = match &present.holder {
                        Some((user, arrangement, began, ends))
                            if Some(user) == self.first.user.as_ref()
                                && *arrangement == self.first.arrangement
                                && self.first.held_since.is_none_or(|held| held == *began) =>
                        {
                            shuts = present.shuts;
                            *ends
                        }
                        Some((_, _, began, _)) => self.gap.or(Some(*began)),
                        None => self.gap.or(self.first.end),
                    };
                }
                let dealt_since = present.turn_since.filter(|at| *at > self.first.start);
                turn_ends = turn_ends.or(dealt_since).or(present.turn_ends);
            }
            None => until = until.or(self.gap).or(self.last_end),
        }
        if let Some(period) = period {
            until = Some(until.map_or(period.until, |until| until.min(period.until)));
        }
        let covered = self.covered_until.or(shuts);
        Bounds {
            since,
            until,
            covered_until: covered.into_iter().chain(until).min(),
            turn_ends,
        }
    }
}

impl Piece {
    /// Whether a later entry of somebody is of the same assignment. Older records do not say when it began.
    pub fn goes_on_in(&self, later: &Piece) -> bool {
        let same_person = self.user == later.user && self.arrangement == later.arrangement;
        let no_new_turn = matches!(
            later.reason,
            Reason::BusinessHoursBackOnline | Reason::CoverageChanged
        );
        same_person
            && match (self.held_since, later.held_since) {
                (Some(one), Some(other)) => one == other,
                _ => no_new_turn,
            }
    }
}

/// A walk back from an older entry, which does not say when its assignment began.
#[derive(Debug)]
pub struct Backward {
    earliest: Piece,
}

impl Backward {
    /// From the entry of somebody.
    pub fn new(first: Piece) -> Backward {
        Backward { earliest: first }
    }

    /// Looks at the entry before; `false` once the beginning is known.
    pub fn look(&mut self, piece: Piece) -> bool {
        if piece.user.is_none() && piece.reason == Reason::BusinessHoursOffline {
            return true;
        }
        let same = piece.goes_on_in(&self.earliest);
        if same {
            self.earliest = piece;
        }
        same
    }

    /// Where the assignment began, as far as the record shows.
    pub fn since(self) -> Timestamp {
        self.earliest.start
    }
}

#[cfg(test)]
mod tests;
