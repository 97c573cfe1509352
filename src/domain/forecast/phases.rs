//! The grids that a rotation has one after the other, where changes wait: as it is, and as each of them makes it.

use crate::domain::holidays::Calendar;
use crate::domain::rotation::{Cell, Rotation, Waiting};
use crate::domain::time::Interval;
use jiff::Timestamp;
use std::borrow::Cow;

/// A time in which no change begins.
#[derive(Clone, Debug)]
pub struct Phase<'r> {
    pub period: Interval,
    /// People, settings and grid of that time. Who holds which cell is not looked at.
    pub rotation: Cow<'r, Rotation>,
}

/// The phases of a rotation, from now to the end of time. Changes that would be refused make none.
pub fn phases<'r>(rotation: &'r Rotation, calendar: &Calendar) -> Vec<Phase<'r>> {
    let mut phases = vec![Phase {
        period: Interval::new(Timestamp::MIN, Timestamp::MAX),
        rotation: Cow::Borrowed(rotation),
    }];
    for due in rotation.waiting.chunk_by(|one, next| one.at == next.at) {
        let at = due[0].at;
        let last = phases.len() - 1;
        if let Some(then) = changed(&phases[last].rotation, due, calendar) {
            phases[last].period.until = at;
            phases.push(Phase {
                period: Interval::new(at, Timestamp::MAX),
                rotation: Cow::Owned(then),
            });
        }
    }
    phases
}

/// The rotation after the changes of one instant; `None` where all of them would be refused.
fn changed(rotation: &Rotation, due: &[Waiting], calendar: &Calendar) -> Option<Rotation> {
    let mut changed: Option<Rotation> = None;
    for change in due {
        let mut then = changed.as_ref().unwrap_or(rotation).clone();
        if change.planned.apply(&mut then, calendar, change.at).is_ok() {
            changed = Some(then);
        }
    }
    changed
}

/// The rotation with the lanes, windows, rosters and cells behind its own that changes which wait add. A forecast numbers cells by
/// it.
pub fn with_coming<'r>(rotation: &'r Rotation, calendar: &Calendar) -> Cow<'r, Rotation> {
    if rotation.waiting.is_empty() {
        return Cow::Borrowed(rotation);
    }
    let mut whole = rotation.clone();
    for phase in &phases(rotation, calendar)[1..] {
        for cell in &phase.rotation.cells {
            if whole.slot_of(&cell.id).is_none() {
                add(&mut whole, &phase.rotation, cell);
            }
        }
    }
    Cow::Owned(whole)
}

/// Adds a cell of one rotation to another, with what it needs.
fn add(whole: &mut Rotation, from: &Rotation, cell: &Cell) {
    let lane = &from.lanes[cell.lane];
    let known = whole.lanes.iter().position(|one| one.id == lane.id);
    let lane = known.unwrap_or_else(|| {
        whole.lanes.push(lane.clone());
        whole.lanes.len() - 1
    });
    let window = &from.windows[cell.window];
    let known = whole.windows.iter().position(|one| one.id == window.id);
    let window = known.unwrap_or_else(|| {
        whole.windows.push(window.clone());
        whole.windows.len() - 1
    });
    if !whole.rosters.iter().any(|one| one.id == cell.roster) {
        whole
            .rosters
            .push(from.roster(cell.roster.as_ref()).clone());
    }
    whole.cells.push(Cell {
        lane,
        window,
        ..cell.clone()
    });
}
