//! When an assignment of the record began and ended, regardless of covered hours: a turn goes on behind hours that are shut.

use super::shuts;
use crate::domain::cadence::Cadence;
use crate::domain::duty::Duty;
use crate::domain::holidays::Calendar;
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::resolve;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};

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
        Present {
            holder,
            turn_since: cell.holder.as_ref().map(|holder| holder.since),
            turn_ends,
            shuts: shuts(rotation, &rotation.windows[cell.window], calendar),
        }
    }
}

/// The hand-overs of a window, as they are today.
#[derive(Clone, Copy, Debug)]
pub struct HandOvers<'a> {
    pub cadence: &'a Cadence,
    pub calendar: &'a Calendar,
}

impl HandOvers<'_> {
    fn has(&self, at: Timestamp) -> bool {
        self.next(at - SignedDuration::from_millis(1)) == Some(at)
    }

    fn next(&self, after: Timestamp) -> Option<Timestamp> {
        self.cadence.next(self.calendar, after)
    }
}

/// A walk from the entry of somebody on call at an instant to the end of their assignment and of the turn.
#[derive(Debug)]
pub struct Onward<'a> {
    first: Duty,
    at: Timestamp,
    hand_overs: Option<HandOvers<'a>>,
    /// The end of the last entry that was looked at.
    last_end: Option<Timestamp>,
    /// The end of the last entry in which the dealt turn is known to have gone on; `None` while it runs.
    turn_seen_until: Option<Timestamp>,
    /// Until when they are on call without a break, as far as is known.
    covered_until: Option<Timestamp>,
    /// When the cell was found empty, where nobody is known to have had it since.
    gap: Option<Timestamp>,
    until: Option<Timestamp>,
    /// Whether the assignment ended where an arrangement began, beneath which the turn went on.
    goes_beneath: bool,
    /// When the first turn began of those that the cell is known to have had after the instant.
    later_turn: Option<Timestamp>,
}

impl<'a> Onward<'a> {
    /// From the entry of somebody at an instant, with the hand-overs of its window where it has any.
    pub fn new(first: Duty, at: Timestamp, hand_overs: Option<HandOvers<'a>>) -> Onward<'a> {
        Onward {
            at,
            hand_overs,
            last_end: first.end,
            turn_seen_until: first.end,
            covered_until: first.end,
            gap: None,
            until: None,
            goes_beneath: false,
            later_turn: None,
            first,
        }
    }

    /// Looks at the next entry of the cell; `false` once everything is known.
    pub fn look(&mut self, piece: &Duty) -> bool {
        if self.later_turn.is_none() {
            self.later_turn = piece.turn_since.filter(|since| *since > self.at);
        }
        if self.until.is_none() {
            self.look_for_end(piece);
        }
        if piece.is_dealt() && piece.turn_since == self.first.turn_since {
            self.turn_seen_until = piece.end;
        }
        self.last_end = piece.end;
        let turn_is_known = self.later_turn.is_some() || self.turn_ends_with_it();
        self.until.is_none() || !turn_is_known
    }

    fn look_for_end(&mut self, piece: &Duty) {
        match &piece.entry.user {
            Some(_) if self.first.goes_on_in(piece) => {
                if self.covered_until == Some(piece.entry.start) {
                    self.covered_until = piece.end;
                }
                self.gap = None;
            }
            Some(_) => {
                let earliest = self
                    .first
                    .end
                    .unwrap_or(piece.entry.start)
                    .min(piece.entry.start);
                let next = piece.held_since.unwrap_or(piece.entry.start);
                let next = next.clamp(earliest, piece.entry.start);
                self.goes_beneath = self.gap.is_none() && piece.entry.arrangement.is_some();
                self.until = Some(self.gap.unwrap_or(next));
            }
            None if piece.entry.reason == Reason::BusinessHoursOffline || self.waits_in(piece) => {}
            None => {
                self.gap.get_or_insert(piece.entry.start);
            }
        }
    }

    /// Whether an entry of nobody has the same turn waiting for its hours.
    fn waits_in(&self, piece: &Duty) -> bool {
        let dealt = self.first.entry.arrangement.is_none();
        dealt && piece.turn_since.is_some() && piece.turn_since == self.first.turn_since
    }

    /// Whether the dealt turn ends where the assignment does.
    fn turn_ends_with_it(&self) -> bool {
        self.first.entry.arrangement.is_none() && !self.goes_beneath
    }

    /// The hand-over at which the turn was to end, unless the record shows that it went on: a turn that is dealt while the
    /// hours are shut has no entry. `None` where the cadence seems to have been another one then.
    fn due(&self) -> Option<Timestamp> {
        let hand_overs = self.hand_overs?;
        let mut turns = self.first.turn_since.iter().chain(&self.later_turn);
        if !turns.any(|since| hand_overs.has(*since)) {
            return None;
        }
        if self.first.entry.arrangement.is_some() {
            return hand_overs.next(self.at);
        }
        let due = hand_overs.next(self.first.turn_since?)?;
        self.turn_seen_until.filter(|seen| *seen <= due)?;
        Some(due)
    }

    /// Combines what was found. `since` is where the assignment began, where its entry does not say it; `present` is how the
    /// cell stands now, where it is still there; `period` is that of the arrangement by which they were on call.
    pub fn finish(
        mut self,
        since: Timestamp,
        present: Option<&Present>,
        period: Option<Interval>,
    ) -> Bounds {
        let present = present.filter(|_| self.last_end.is_none());
        let still_there =
            present.filter(|present| self.until.is_none() && self.is_held_in(present));
        let shuts = still_there.and_then(|present| present.shuts);
        match present {
            _ if self.until.is_some() => {}
            Some(present) => {
                self.until = match &present.holder {
                    Some((_, _, _, ends)) if still_there.is_some() => *ends,
                    Some((_, arrangement, began, _)) => {
                        self.goes_beneath = self.gap.is_none() && arrangement.is_some();
                        self.gap.or(Some(*began))
                    }
                    None => self.gap.or(self.first.end),
                };
            }
            None => self.until = self.gap.or(self.last_end),
        }
        if let Some(present) = present {
            let dealt_since = present.turn_since.filter(|since| *since > self.at);
            self.later_turn = self.later_turn.or(dealt_since);
        }
        if self.first.entry.arrangement.is_none() && still_there.is_none() {
            self.until = self.until.into_iter().chain(self.due()).min();
        }
        let turn_ends = match present {
            Some(present) if self.is_same_turn(present) => present.turn_ends,
            _ if self.turn_ends_with_it() => self.until,
            _ => self.later_turn.into_iter().chain(self.due()).min(),
        };
        let mut until = self.until;
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

    /// Whether they still have the cell by the same assignment.
    fn is_held_in(&self, present: &Present) -> bool {
        let holder = present.holder.as_ref();
        holder.is_some_and(|(user, arrangement, began, _)| {
            Some(user) == self.first.entry.user.as_ref()
                && *arrangement == self.first.entry.arrangement
                && self.first.held_since.is_none_or(|held| held == *began)
        })
    }

    /// Whether the turn of the instant is still the cell's.
    fn is_same_turn(&self, present: &Present) -> bool {
        let is_known = present.turn_since.is_some() && self.later_turn.is_none();
        is_known && present.turn_since <= Some(self.at)
    }
}

impl Duty {
    /// Whether somebody is on call by a dealt turn.
    fn is_dealt(&self) -> bool {
        self.entry.user.is_some() && self.entry.arrangement.is_none()
    }

    /// Whether a later entry of somebody is of the same assignment. Older records do not say when it began.
    pub fn goes_on_in(&self, later: &Duty) -> bool {
        let same_person = self.entry.user == later.entry.user
            && self.entry.arrangement == later.entry.arrangement;
        let no_new_turn = matches!(
            later.entry.reason,
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
    earliest: Duty,
}

impl Backward {
    /// From the entry of somebody.
    pub fn new(first: Duty) -> Backward {
        Backward { earliest: first }
    }

    /// Looks at the entry before; `false` once the beginning is known.
    pub fn look(&mut self, piece: Duty) -> bool {
        if piece.entry.user.is_none() && piece.entry.reason == Reason::BusinessHoursOffline {
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
        self.earliest.entry.start
    }
}

#[cfg(test)]
mod tests;
