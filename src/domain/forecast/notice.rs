//! Hand-over notices: who takes a slot over from whom, and when people are to be told beforehand.

use super::{Forecast, Limits, without_requests};
use crate::domain::handover::DealingContext;
use crate::domain::holidays::Calendar;
use crate::domain::ids::{CellId, UserId};
use crate::domain::linked::Assignment;
use crate::domain::resolve;
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};

/// What looking for what changes hands at an instant may take: some fifteen milliseconds.
const LIMITS: Limits = Limits::work(300_000);

/// One slot that has another holder. A window that opens or shuts is none: the slot stays its holder's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoverNotice {
    /// What the slot is called, in a rotation with more than one; parts without a name are left out.
    pub slot: Vec<String>,
    pub off: Option<UserId>,
    pub on: Option<UserId>,
    /// What somebody is called who comes on and is unknown here: then `on` is `None`.
    pub outside: Option<String>,
    /// When whoever comes on goes off again, as far as that is known.
    pub until: Option<Timestamp>,
    /// Of the hand-overs of its window.
    pub zone: Option<ZoneName>,
    /// When the hours begin; `None` where the window is open.
    pub begins_at: Option<Timestamp>,
}

/// The slots with another holder, in their order, those that are gone last.
pub fn notices(before: &Rotation, after: &Rotation, calendar: &Calendar) -> Vec<HandoverNotice> {
    if before.external.is_some() && after.external.is_some() {
        return from_outside(before, after);
    }
    let gone: Vec<&Cell> = before
        .cells
        .iter()
        .enumerate()
        .filter(|(slot, cell)| after.slot_near(&cell.id, *slot).is_none())
        .map(|(_, cell)| cell)
        .collect();
    let mut left: Vec<UserId> = gone
        .iter()
        .filter_map(|cell| holder(before, cell))
        .collect();
    let ends = resolve::turn_ends(after, calendar);
    let mut notices = Vec::new();
    for (slot, cell) in after.cells.iter().enumerate() {
        let known = before.slot_near(&cell.id, slot);
        let was = known.and_then(|index| holder(before, &before.cells[index]));
        let is = holder(after, cell);
        if was == is {
            continue;
        }
        // An edit that replaces cells gives them new ids: whoever held one that is gone simply goes on.
        let moved = left
            .iter()
            .position(|user| known.is_none() && Some(user) == is.as_ref());
        if let Some(moved) = moved {
            left.remove(moved);
            continue;
        }
        notices.push(notice(after, cell, was, calendar, &ends));
    }
    for cell in gone {
        let Some(off) = holder(before, cell) else {
            continue;
        };
        if let Some(index) = left.iter().position(|user| *user == off) {
            left.remove(index);
            notices.push(HandoverNotice {
                slot: slot_name(before, cell),
                off: Some(off),
                on: None,
                outside: None,
                until: None,
                zone: None,
                begins_at: None,
            });
        }
    }
    notices
}

/// Those who come on and go off by a partner's schedule, one beside the other as far as there are as many.
fn from_outside(before: &Rotation, after: &Rotation) -> Vec<HandoverNotice> {
    fn all(rotation: &Rotation) -> Vec<&Assignment> {
        let current = rotation
            .external
            .iter()
            .flat_map(|external| &external.current);
        current.filter(|one| !one.is_empty()).collect()
    }
    fn who(one: &Assignment) -> (Option<&UserId>, Option<&String>) {
        let outside = one.shift.member.id.as_ref();
        (one.user.as_ref(), outside.filter(|_| one.user.is_none()))
    }
    fn missing<'r>(from: &[&'r Assignment], among: &[&Assignment]) -> Vec<&'r Assignment> {
        let mut missing: Vec<&Assignment> = Vec::new();
        for one in from {
            let is_there = |other: &&Assignment| who(other) == who(one);
            if !among.iter().any(is_there) && !missing.iter().any(is_there) {
                missing.push(one);
            }
        }
        missing
    }
    let (was, is) = (all(before), all(after));
    let (off, on) = (missing(&was, &is), missing(&is, &was));
    let notice = |index: usize| {
        let comes = on.get(index);
        let leaves = off.get(index).and_then(|leaves| leaves.user.clone());
        let outside = comes.and_then(|comes| comes.outsider());
        HandoverNotice {
            slot: Vec::new(),
            off: leaves,
            on: comes.and_then(|comes| comes.user.clone()),
            outside: outside.map(|outside| outside.called()),
            until: comes.and_then(|comes| comes.shift.ends_at()),
            zone: after.cells.first().and_then(|cell| zone(after, cell)),
            begins_at: None,
        }
    };
    let somebody = |notice: &HandoverNotice| {
        notice.on.is_some() || notice.off.is_some() || notice.outside.is_some()
    };
    let notices = (0..on.len().max(off.len())).map(notice);
    notices.filter(somebody).collect()
}

fn holder(rotation: &Rotation, cell: &Cell) -> Option<UserId> {
    resolve::holder(rotation, cell).map(|hold| hold.user().clone())
}

fn notice(
    rotation: &Rotation,
    cell: &Cell,
    off: Option<UserId>,
    calendar: &Calendar,
    turn_ends: &[Option<Timestamp>],
) -> HandoverNotice {
    let window = &rotation.windows[cell.window];
    let hold = resolve::holder(rotation, cell);
    let bounds = hold.map(|hold| resolve::bounds(rotation, cell, hold, turn_ends[cell.window]));
    let opens = || {
        let view = rotation
            .hours(window)
            .at(calendar, rotation.stamps.judged_at);
        view.next.map(|stretch| stretch.from)
    };
    HandoverNotice {
        slot: slot_name(rotation, cell),
        off,
        on: hold.map(|hold| hold.user().clone()),
        outside: None,
        until: bounds.and_then(|(_, until)| until),
        zone: zone(rotation, cell),
        begins_at: (!window.open).then(opens).flatten(),
    }
}

/// The zone that times of a slot are given in: that of its hand-overs.
pub fn zone(rotation: &Rotation, cell: &Cell) -> Option<ZoneName> {
    let cadence = rotation.windows[cell.window].cadence.as_ref();
    cadence.map(|cadence| cadence.zone)
}

/// What a slot is called.
pub fn slot_name(rotation: &Rotation, cell: &Cell) -> Vec<String> {
    let window = rotation.windows[cell.window].name.as_ref();
    let window = window.filter(|_| rotation.windows.len() > 1);
    let names = [rotation.lane_name(cell.lane), window];
    names.into_iter().flatten().cloned().collect()
}

/// What a slot is called, by its id; nothing where it is not there.
pub fn slot_named(rotation: &Rotation, cell: &CellId) -> Vec<String> {
    let index = rotation.slot_of(cell);
    index.map_or_else(Vec::new, |index| {
        slot_name(rotation, &rotation.cells[index])
    })
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
    let external = rotation.external.as_ref();
    let outside = external.and_then(|external| external.next_change(after));
    let next = hand_overs
        .chain(outside)
        .chain(bounds.filter(|at| *at > after))
        .min();
    next.and_then(|at| at.checked_sub(before).ok())
}

/// The slots that change hands at an instant to come, as forecast; none where that is beyond the limits.
pub fn upcoming_notices(
    rotation: &Rotation,
    dealing: DealingContext,
    at: Timestamp,
) -> Vec<HandoverNotice> {
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    while forecast.step_before(at).is_some() {}
    let before = forecast.rotation().clone();
    match forecast.step_until(at) {
        Some(step) => notices(&before, step.rotation, dealing.calendar),
        None => Vec::new(),
    }
}
