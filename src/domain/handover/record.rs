//! The effect of a change on the record and on what people are told: who is announced, and the entries that begin.

use super::{Change, WindowChange, external};
use crate::domain::resolve::{self, Hold};
use crate::domain::roster::Order;
use crate::domain::rotation::{Entry, HoursHeld, Reason, Rotation};
use jiff::Timestamp;
use std::sync::Arc;

impl Change<'_> {
    /// Begins the entries that the record needs. Answers whose, as indices into [`Rotation::cells`]. `was_open` is how the windows
    /// were before the change.
    pub(super) fn begin_entries(&mut self, was_open: &[bool]) -> Vec<usize> {
        let mut begun = Vec::new();
        for index in 0..self.rotation.cells.len() {
            let window = self.rotation.cells[index].window;
            if let Some(reason) = self.entry_reason(index, was_open[window]) {
                let (_, order) = self.order(index);
                let hours = match self.rotation.enabled {
                    true => Arc::clone(self.memo.hours_held(self.rotation, window)),
                    false => Arc::clone(&self.rotation.cells[index].entry.hours),
                };
                let entry = entry(self.rotation, &order, hours, index, self.at, reason);
                self.rotation.cells[index].entry = entry;
                begun.push(index);
            }
        }
        begun
    }

    /// Notes who is on call in the cells of open windows. Nobody is announced in one that is shut, and a stopped cell has nobody.
    pub(super) fn announce(&mut self) {
        for index in 0..self.rotation.cells.len() {
            let cell = &self.rotation.cells[index];
            if !self.rotation.windows[cell.window].open && !cell.stopped {
                continue;
            }
            let on_call = resolve::on_call(self.rotation, cell).map(Hold::user);
            if cell.announced.as_ref() != on_call {
                self.rotation.cells[index].announced = on_call.cloned();
            }
        }
    }

    /// Why a cell's record needs a new entry now; `None` when the running one goes on.
    fn entry_reason(&mut self, index: usize, was_open: bool) -> Option<Reason> {
        let same_hours = self.is_under_same_hours(index);
        let cell = &self.rotation.cells[index];
        let window = &self.rotation.windows[cell.window];
        let covering = resolve::on_call(self.rotation, cell);
        let same_person = covering.map(Hold::user) == cell.entry.user.as_ref();
        if cell.stopped {
            return (!same_person).then_some(Reason::CoverageChanged);
        }
        // What happens to the dealt turn beneath an arrangement is not news of who covers.
        let is_arranged = matches!(covering, Some(Hold::Arranged(_)));
        if self.rotation.external.is_some() && self.touched[index].is_some() {
            return self.touched[index];
        }
        let changed = self.touched[index]
            .filter(|_| !is_arranged)
            .or(self.moved[index]);
        let same_turn = changed.is_none() || covering.is_none();
        if same_person && same_turn && same_hours && was_open == window.open {
            return None;
        }
        let flipped = was_open != window.open;
        Some(match changed {
            _ if !same_hours || (flipped && self.window_change == WindowChange::ByEdit) => {
                Reason::CoverageChanged
            }
            _ if flipped && !window.open => Reason::BusinessHoursOffline,
            Some(reason) => reason,
            None if flipped => Reason::BusinessHoursBackOnline,
            // A cell that runs again: who covers it is a matter of the tier, not of the clock.
            None => Reason::CoverageChanged,
        })
    }

    /// Whether the hours of a cell are those of its running entry. In a disabled rotation those of the entry count until it is
    /// enabled.
    fn is_under_same_hours(&mut self, index: usize) -> bool {
        if !self.rotation.enabled {
            return true;
        }
        let window = self.rotation.cells[index].window;
        let hours = self.memo.hours_held(self.rotation, window);
        let same = self.rotation.cells[index].entry.hours == *hours;
        if same {
            // Shared, so that the next look compares no more than where they are.
            self.rotation.cells[index].entry.hours = Arc::clone(hours);
        }
        same
    }
}

/// The entry that a cell's present state calls for; `order` is that of its roster, `hours` those of its window.
fn entry(
    rotation: &Rotation,
    order: &Order,
    hours: Arc<HoursHeld>,
    index: usize,
    at: Timestamp,
    reason: Reason,
) -> Entry {
    let cell = &rotation.cells[index];
    let window = &rotation.windows[cell.window];
    let hold = resolve::on_call(rotation, cell);
    Entry {
        start: at,
        user: hold.map(|hold| hold.user().clone()),
        // An external assignment has no turn.
        turn: hold
            .filter(|_| rotation.external.is_none())
            .and_then(|hold| order.turn_of(hold.user())),
        reason,
        lane_name: rotation.lane_name(cell.lane).cloned(),
        window_name: window.name.clone(),
        hours,
        skipped: hold.map(|hold| hold.skipped().to_vec()).unwrap_or_default(),
        passed_over: resolve::passed_over(rotation, cell).to_vec(),
        dealt: hold.and_then(|hold| hold.dealt().cloned()),
        arrangement: hold.and_then(|hold| hold.arrangement().cloned()),
        outside: external::outsider(rotation),
        beside: external::beside(rotation),
    }
}

/// The entry that a slot begins with that nobody has held yet.
pub fn first_entry(rotation: &Rotation, index: usize, at: Timestamp) -> Entry {
    let cell = &rotation.cells[index];
    let window = &rotation.windows[cell.window];
    Entry {
        lane_name: rotation.lane_name(cell.lane).cloned(),
        window_name: window.name.clone(),
        hours: Arc::new(rotation.hours_held(window)),
        ..Entry::never_held(at)
    }
}
