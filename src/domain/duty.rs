//! Duty: who has a cell from when to when, and why. The record keeps it, and the forecast steps through it; whatever is told of
//! who is on call, now, then or ahead, is a part of it.

use super::actor::Doer;
use super::ids::{CellId, ChangeId, LaneId, UserId, WindowId};
use super::resolve;
use super::rotation::{Entry, Reason, Rotation};
use super::time::Interval;
use crate::domain::words::words;
use jiff::Timestamp;
use std::collections::HashSet;

/// An entry of the record: over, running, or to come if nothing changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Duty {
    /// Index into [`Rotation::cells`]; `None` where the cell is gone.
    pub slot: Option<usize>,
    pub cell: CellId,
    pub lane: LaneId,
    pub window: WindowId,
    /// Who is on call, from when on, and why.
    pub entry: Entry,
    /// `None` while it runs, and where no end is known.
    pub end: Option<Timestamp>,
    /// When the assignment began, whether its hours were open or not; `None` on older records.
    pub held_since: Option<Timestamp>,
    /// When the dealt turn began, also where somebody waits for their hours or an arrangement lies over it.
    pub turn_since: Option<Timestamp>,
    /// Who did it by hand; `None` if it fell due, and on older records.
    pub by: Option<Doer>,
    /// Whether the window is open: where it is and nobody is on call, there is a gap. The record knows only of hours that shut by
    /// themselves.
    pub is_open: bool,
    /// The change that waits without which it would not be planned so.
    pub change: Option<ChangeId>,
}

words! {
    /// The kind of a planned turn: `turn`, a dealt turn; `arrangement`; `nobody`, the slot is empty or the window is shut.
    pub enum DutyKind as PlannedKind {
        Turn = "turn",
        Arrangement = "arrangement",
        Nobody = "nobody",
    }
}

impl Duty {
    /// The running duty of a cell.
    pub fn running(rotation: &Rotation, slot: usize) -> Duty {
        let cell = &rotation.cells[slot];
        let window = &rotation.windows[cell.window];
        let hold = resolve::on_call(rotation, cell);
        Duty {
            slot: Some(slot),
            cell: cell.id.clone(),
            lane: rotation.lanes[cell.lane].id.clone(),
            window: window.id.clone(),
            entry: cell.entry.clone(),
            end: None,
            held_since: hold.map(|hold| resolve::bounds(rotation, cell, hold, None).0),
            turn_since: cell.holder.as_ref().map(|holder| holder.since),
            by: None,
            is_open: window.open,
            change: None,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> DutyKind {
        match (&self.entry.user, &self.entry.arrangement) {
            (Some(_), Some(_)) => DutyKind::Arrangement,
            (Some(_), None) => DutyKind::Turn,
            (None, _) if self.entry.outside.is_some() => DutyKind::Turn,
            (None, _) => DutyKind::Nobody,
        }
    }

    /// What tells it from other planned turns: its cell, beginning and end, and who has it.
    pub fn identity(&self) -> (CellId, Timestamp, Option<Timestamp>, Option<UserId>) {
        let user = self.entry.user.clone();
        (self.cell.clone(), self.entry.start, self.end, user)
    }

    /// Whether its window is open and nobody is on call.
    pub fn is_vacant(&self) -> bool {
        self.is_open && self.kind() == DutyKind::Nobody
    }

    /// Whether a person is on call by it.
    pub fn is_of(&self, user: &UserId) -> bool {
        self.entry.user.as_ref() == Some(user)
    }

    /// Whose turn its person has, where it is not their own.
    pub fn instead_of(&self) -> Option<&UserId> {
        let turn = self.entry.dealt.as_ref()?;
        turn.instead_of(self.entry.user.as_ref()?)
    }

    /// The people it is shown with: whoever is on call, and whose turn it is.
    pub fn people(&self) -> impl Iterator<Item = &UserId> {
        let on_call = self.entry.user.iter().chain(&self.entry.beside);
        on_call.chain(self.instead_of())
    }

    /// The same from one instant to another.
    pub fn over(&self, from: Timestamp, until: Option<Timestamp>) -> Duty {
        let mut duty = self.clone();
        (duty.entry.start, duty.end) = (from, until);
        duty
    }

    /// From its start to its end, or to the end of time where none is known.
    pub fn period(&self) -> Interval {
        Interval::new(self.entry.start, self.end.unwrap_or(Timestamp::MAX))
    }

    /// Whether it has ended at an instant.
    pub fn is_over(&self, at: Timestamp) -> bool {
        self.end.is_some_and(|end| end <= at)
    }

    /// Whether it has ended, after an instant.
    pub fn is_over_after(&self, at: Timestamp) -> bool {
        self.end.is_some_and(|end| end > at)
    }

    /// The names that its lane and window had.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = [&self.entry.lane_name, &self.entry.window_name];
        names.into_iter().flatten().map(String::as_str)
    }

    /// One for each person who covers at the same time, on a partner's schedule with several slots.
    pub fn each_person(mut self) -> Vec<Duty> {
        let beside = std::mem::take(&mut self.entry.beside);
        let is_nobody = self.kind() == DutyKind::Nobody;
        let others = beside.into_iter().map(|user| {
            let mut other = self.clone();
            other.entry.user = Some(user);
            other.entry.outside = None;
            other
        });
        let mut all: Vec<Duty> = others.collect();
        if !is_nobody || all.is_empty() {
            all.insert(0, self);
        }
        all
    }
}

/// Recorded duties that are over, and then planned ones that are not recorded yet.
pub fn merged(recorded: Vec<Duty>, planned: Vec<Duty>) -> Vec<Duty> {
    let begins = |duty: &Duty| (duty.cell.clone(), duty.entry.start);
    let known: HashSet<(CellId, Timestamp)> = recorded.iter().map(begins).collect();
    let mut all = recorded;
    all.extend(
        planned
            .into_iter()
            .filter(|duty| !known.contains(&begins(duty))),
    );
    all
}

/// Sorts them by start, then lane, then window; those of cells that are gone come last.
pub fn sort(rotation: &Rotation, duties: &mut [Duty]) {
    duties.sort_by_key(|duty| {
        let cell = duty.slot.map(|slot| &rotation.cells[slot]);
        let place = cell.map_or((usize::MAX, usize::MAX), |cell| (cell.lane, cell.window));
        (duty.entry.start, place)
    });
}

/// Whether an entry of the record with this reason was under open hours, as far as the record says.
pub fn is_open_by(reason: Reason) -> bool {
    reason != Reason::BusinessHoursOffline
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// An entry of the first cell of [`rotation`](crate::domain::rotation::tests::rotation).
    pub fn duty(entry: Entry, end: Option<Timestamp>) -> Duty {
        Duty {
            is_open: is_open_by(entry.reason),
            entry,
            end,
            ..Duty::running(&crate::domain::rotation::tests::rotation(), 0)
        }
    }
}
