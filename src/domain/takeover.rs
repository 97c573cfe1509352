//! Who takes a place over from whom: what people are told of a change (contract section 12, "Messages").

use super::handover::{self, DealingContext};
use super::holidays::Calendar;
use super::ids::{CellId, UserId};
use super::outlook;
use super::resolve;
use super::rotation::{Cell, Rotation};
use super::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};

/// One place that has another holder. A window that opens or shuts is none: the place stays its holder's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeover {
    /// What the place is called, in a rotation with more than one; parts without a name are left out.
    pub place: Vec<String>,
    pub off: Option<UserId>,
    pub on: Option<UserId>,
    /// When whoever comes on goes off again, as far as that is known.
    pub until: Option<Timestamp>,
    /// Of the hand-overs of its window.
    pub zone: Option<ZoneName>,
    /// When the hours begin; `None` where the window is open.
    pub begins_at: Option<Timestamp>,
}

/// The places with another holder, in the order of places, those that are gone last.
pub fn between(before: &Rotation, after: &Rotation, calendar: &Calendar) -> Vec<Takeover> {
    let gone: Vec<&Cell> = before
        .cells
        .iter()
        .enumerate()
        .filter(|(place, cell)| after.place_near(&cell.id, *place).is_none())
        .map(|(_, cell)| cell)
        .collect();
    let mut left: Vec<UserId> = gone
        .iter()
        .filter_map(|cell| holder(before, cell))
        .collect();
    let ends = resolve::turn_ends(after, calendar);
    let mut takeovers = Vec::new();
    for (place, cell) in after.cells.iter().enumerate() {
        let known = before.place_near(&cell.id, place);
        let was = known.and_then(|index| holder(before, &before.cells[index]));
        let is = holder(after, cell);
        if was == is {
            continue;
        }
        // An edit that replaces places gives them new ids: whoever held one that is gone simply goes on.
        let moved = left
            .iter()
            .position(|user| known.is_none() && Some(user) == is.as_ref());
        if let Some(moved) = moved {
            left.remove(moved);
            continue;
        }
        takeovers.push(takeover(after, cell, was, calendar, &ends));
    }
    for cell in gone {
        let Some(off) = holder(before, cell) else {
            continue;
        };
        if let Some(place) = left.iter().position(|user| *user == off) {
            left.remove(place);
            takeovers.push(Takeover {
                place: place_name(before, cell),
                off: Some(off),
                on: None,
                until: None,
                zone: None,
                begins_at: None,
            });
        }
    }
    takeovers
}

fn holder(rotation: &Rotation, cell: &Cell) -> Option<UserId> {
    resolve::holder(rotation, cell).map(|hold| hold.user().clone())
}

fn takeover(
    rotation: &Rotation,
    cell: &Cell,
    off: Option<UserId>,
    calendar: &Calendar,
    turn_ends: &[Option<Timestamp>],
) -> Takeover {
    let window = &rotation.windows[cell.window];
    let hold = resolve::holder(rotation, cell);
    let bounds = hold.map(|hold| resolve::bounds(rotation, cell, hold, turn_ends[cell.window]));
    let opens = || {
        let view = rotation
            .hours(window)
            .at(calendar, rotation.stamps.judged_at);
        view.next.map(|stretch| stretch.from)
    };
    Takeover {
        place: place_name(rotation, cell),
        off,
        on: hold.map(|hold| hold.user().clone()),
        until: bounds.and_then(|(_, until)| until),
        zone: zone(rotation, cell),
        begins_at: (!window.open).then(opens).flatten(),
    }
}

/// The zone that times of a place are told in: that of its hand-overs.
pub fn zone(rotation: &Rotation, cell: &Cell) -> Option<ZoneName> {
    let cadence = rotation.windows[cell.window].cadence.as_ref();
    cadence.map(|cadence| cadence.zone)
}

/// What a place is called.
pub fn place_name(rotation: &Rotation, cell: &Cell) -> Vec<String> {
    let lane = Some(&rotation.lanes[cell.lane].name).filter(|_| rotation.lanes.len() > 1);
    let window = Some(&rotation.windows[cell.window].name).filter(|_| rotation.windows.len() > 1);
    let names = [lane, window].into_iter().flatten();
    names.filter_map(Clone::clone).collect()
}

/// What a place is called, by its id; nothing where it is not there.
pub fn place_named(rotation: &Rotation, cell: &CellId) -> Vec<String> {
    let index = rotation.place_of(cell);
    index.map_or_else(Vec::new, |index| {
        place_name(rotation, &rotation.cells[index])
    })
}

/// Those who are on call, each once, in the order of places.
pub fn on_call(rotation: &Rotation) -> Vec<UserId> {
    let mut people: Vec<UserId> = Vec::new();
    for cell in rotation.running() {
        if let Some(hold) = resolve::on_call(rotation, cell)
            && !people.contains(hold.user())
        {
            people.push(hold.user().clone());
        }
    }
    people
}

/// When somebody is to be reminded next, so long `before` they come on, of what lies more than that behind `now`; `None`
/// where nothing is to come, and where the rotation is disabled.
pub fn next_reminder(
    rotation: &Rotation,
    calendar: &Calendar,
    before: SignedDuration,
    now: Timestamp,
) -> Option<Timestamp> {
    if !rotation.enabled || before.is_zero() {
        return None;
    }
    let after = now.checked_add(before).ok()?;
    let cadences = rotation
        .windows
        .iter()
        .filter_map(|window| window.cadence.as_ref());
    let hand_overs = cadences.filter_map(|cadence| cadence.next(calendar, after));
    let arranged = rotation.arranged.iter();
    let bounds = arranged.flat_map(|arranged| [arranged.period.from, arranged.period.until]);
    let next = hand_overs.chain(bounds.filter(|at| *at > after)).min();
    next.and_then(|at| at.checked_sub(before).ok())
}

/// The places that change hands at an instant to come, as planned; none where that is too far ahead to be told.
pub fn foreseen(rotation: &Rotation, dealing: DealingContext, at: Timestamp) -> Vec<Takeover> {
    match outlook::stand(rotation, dealing, at) {
        Some((before, after)) if after.stamps.judged_at == at => {
            between(&before, &after, dealing.calendar)
        }
        _ => Vec::new(),
    }
}

/// Who is on duty until when, and who is next: what topics tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    pub on_call: Vec<UserId>,
    /// When the first of them goes off.
    pub until: Option<Timestamp>,
    /// Who holds then the places that are handed over then; where nobody is on call, whoever is next.
    pub next: Vec<UserId>,
    pub next_until: Option<Timestamp>,
    /// In which the instants are told.
    pub zone: Option<ZoneName>,
}

/// Looks at a rotation as it stands and a little ahead.
pub fn glance(rotation: &Rotation, dealing: DealingContext) -> Glance {
    let ends = resolve::turn_ends(rotation, dealing.calendar);
    let held: Vec<(&Cell, Option<Timestamp>)> = rotation
        .running()
        .filter_map(|cell| {
            let hold = resolve::on_call(rotation, cell)?;
            let (_, until) = resolve::bounds(rotation, cell, hold, ends[cell.window]);
            Some((cell, until))
        })
        .collect();
    let until = held.iter().filter_map(|(_, until)| *until).min();
    let mut zones = rotation.running().filter_map(|cell| zone(rotation, cell));
    let glance = Glance {
        on_call: on_call(rotation),
        until,
        zone: zones.next(),
        ..Glance::default()
    };
    let (places, then) = match until {
        Some(until) => {
            let first = held.iter().filter(|(_, ends)| *ends == Some(until));
            let places = first.map(|(cell, _)| cell.id.clone()).collect();
            let over = |then: &Rotation| then.stamps.judged_at >= until;
            (places, outlook::stand_when(rotation, dealing, over))
        }
        None if held.is_empty() => {
            let covered = |then: &Rotation| !on_call(then).is_empty();
            let then = outlook::stand_when(rotation, dealing, covered);
            (Vec::new(), then)
        }
        None => (Vec::new(), None),
    };
    // A hand-over that nothing schedules is made by hand.
    let Some(then) = then.or_else(|| by_hand(rotation, dealing)) else {
        return glance;
    };
    let ends = resolve::turn_ends(&then, dealing.calendar);
    let (mut next, mut untils) = (Vec::new(), Vec::new());
    for cell in then.running() {
        let asked = places.contains(&cell.id) || places.is_empty();
        let hold = match places.is_empty() {
            true => resolve::on_call(&then, cell),
            false => resolve::holder(&then, cell),
        };
        if let Some(hold) = hold.filter(|_| asked) {
            untils.extend(resolve::bounds(&then, cell, hold, ends[cell.window]).1);
            if !next.contains(hold.user()) {
                next.push(hold.user().clone());
            }
        }
    }
    Glance {
        next,
        next_until: untils.into_iter().min(),
        ..glance
    }
}

/// The rotation after a hand-over by hand now; `None` where nobody goes on or off duty.
fn by_hand(rotation: &Rotation, dealing: DealingContext) -> Option<Rotation> {
    if !rotation.enabled || rotation.mode() != super::rotation::Mode::Manual {
        return None;
    }
    let mut then = rotation.clone();
    let at = rotation.stamps.judged_at;
    let cells: Vec<usize> = (0..then.cells.len())
        .filter(|&index| !then.cells[index].stopped)
        .collect();
    let mut change =
        handover::Change::begin(&mut then, dealing, at, handover::WindowChange::ByEdit);
    change.hand_over(&cells, super::rotation::Reason::RotateToNextOnDuty);
    change.finish();
    Some(then)
}

#[cfg(test)]
mod tests;
