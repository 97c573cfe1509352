//! Who is on call at an instant: as planned, or as recorded (rules.md 25).

mod bounds;

use super::absence::Away;
use super::duty::Duty;
use super::event::Nobody;
use super::external::{Assignment, External, Outsider};
use super::holidays::Calendar;
use super::ids::UserId;
use super::resolve;
use super::rotation::{Cell, Entry, Reason, Rotation, Window};
pub use bounds::{Backward, Bounds, HandOvers, Onward, Present};
use jiff::Timestamp;

/// Who is on call in a rotation at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum DutyAt {
    /// From when it was last judged: the rotation as it stands then.
    Planned(Box<Rotation>),
    /// Before that: what the record has.
    Recorded(OnCall),
}

impl DutyAt {
    /// The people on call who are known here, each once, in the order of slots.
    pub fn people(&self) -> Vec<UserId> {
        let recorded = match self {
            DutyAt::Planned(rotation) => return resolve::everybody_on_call(rotation),
            DutyAt::Recorded(recorded) => recorded,
        };
        let mut people: Vec<UserId> = Vec::new();
        let held = recorded.held.iter();
        for user in held.filter_map(|held| held.duty.entry.user.as_ref()) {
            if !people.contains(user) {
                people.push(user.clone());
            }
        }
        people
    }
}

/// Who is on call, with the bounds of each assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct OnCall {
    /// In the order of slots; those of cells that are gone come last.
    pub held: Vec<Held>,
    /// Somebody who is on call on a partner's schedule and is unknown here.
    pub outsider: Option<Outsider>,
    /// Why nobody is on call; `None` if somebody is.
    pub nobody: Option<Nobody>,
}

/// Somebody who is on call in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Theirs alone.
    pub duty: Duty,
    pub bounds: Bounds,
    /// The person's own absences within the assignment; the record does not have them.
    pub absences: Vec<Away>,
}

impl Held {
    /// Somebody in a cell of a rotation as it stands, without what dealing noted.
    fn of(rotation: &Rotation, slot: usize, user: &UserId, bounds: Bounds) -> Held {
        let duty = Duty::running(rotation, slot);
        let cell = &rotation.cells[slot];
        let entry = Entry {
            user: Some(user.clone()),
            turn: None,
            lane_name: rotation.lane_name(cell.lane).cloned(),
            window_name: rotation.windows[cell.window].name.clone(),
            skipped: Vec::new(),
            passed_over: Vec::new(),
            dealt: None,
            ..duty.entry
        };
        Held {
            duty: Duty { entry, ..duty },
            bounds,
            absences: Vec::new(),
        }
    }
}

/// Who is on call in a rotation as it was last judged.
pub fn now(rotation: &Rotation, calendar: &Calendar) -> OnCall {
    if let Some(external) = &rotation.external {
        return from_outside(rotation, external);
    }
    let ends = resolve::turn_ends(rotation, calendar);
    let shuts = |window| shuts(rotation, window, calendar);
    let shuts: Vec<_> = rotation.windows.iter().map(shuts).collect();
    let mut away = resolve::absences_on_call(rotation, calendar);
    let held = |(slot, cell): (usize, &Cell)| {
        let hold = resolve::on_call(rotation, cell)?;
        let turn_ends = ends[cell.window];
        let (since, until) = resolve::bounds(rotation, cell, hold, turn_ends);
        let bounds = Bounds {
            since,
            until,
            covered_until: until.into_iter().chain(shuts[cell.window]).min(),
            turn_ends,
        };
        let theirs = away.iter_mut().find(|(of, _)| *of == slot);
        let mut held = Held::of(rotation, slot, hold.user(), bounds);
        held.absences = theirs.map_or_else(Vec::new, |(_, theirs)| std::mem::take(theirs));
        let entry = &mut held.duty.entry;
        entry.turn = rotation.turn_of(cell, hold.user());
        entry.skipped = hold.skipped().to_vec();
        entry.dealt = hold.dealt().cloned();
        entry.passed_over = resolve::passed_over(rotation, cell).to_vec();
        Some(held)
    };
    let cells = rotation.cells.iter().enumerate();
    let held: Vec<Held> = cells.filter_map(held).collect();
    OnCall {
        nobody: held.is_empty().then(|| Nobody::of(rotation)),
        held,
        outsider: None,
    }
}

/// Who is on call by a partner's schedule, all of them in the only cell.
fn from_outside(rotation: &Rotation, external: &External) -> OnCall {
    let held = |current: &Assignment| {
        let (user, span) = (current.user.as_ref()?, current.shift.span);
        let until = current.shift.ends_at();
        let bounds = Bounds {
            since: span.from,
            until,
            covered_until: until,
            turn_ends: until,
        };
        Some(Held {
            absences: rotation.absences.meeting(user, span),
            ..Held::of(rotation, 0, user, bounds)
        })
    };
    let nobody = !resolve::is_anybody_on_call(rotation);
    OnCall {
        held: external.current.iter().filter_map(held).collect(),
        outsider: external.outsider(),
        nobody: nobody.then(|| Nobody::of(rotation)),
    }
}

/// When an open window shuts; `None` if it does not, as in a disabled rotation.
fn shuts(rotation: &Rotation, window: &Window, calendar: &Calendar) -> Option<Timestamp> {
    if !rotation.enabled {
        return None;
    }
    let hours = rotation.hours(window);
    let view = hours.at(calendar, rotation.stamps.judged_at);
    view.current.map(|stretch| stretch.until)
}

/// Whether the hours were open at an instant under which an entry was recorded, by its window, if that is still there.
pub fn was_open(
    rotation: &Rotation,
    window: Option<&Window>,
    entry: &Entry,
    calendar: &Calendar,
    at: Timestamp,
) -> bool {
    entry.reason != Reason::BusinessHoursOffline
        && rotation.hours_then(window, entry).at(calendar, at).open
}
