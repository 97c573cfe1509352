//! Hand-over notices: who takes a slot over from whom, and when people are to be told beforehand.

use super::{Forecast, Limits, Phase, phases, trades, without_requests};
use crate::domain::books::Dealt;
use crate::domain::external::Assignment;
use crate::domain::handover::DealingContext;
use crate::domain::holidays::Calendar;
use crate::domain::ids::{CellId, UserId};
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::stored;
use crate::domain::time::{FOREVER, Interval, just_before};
use crate::domain::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The limits of looking for what changes hands at an instant: some fifteen milliseconds.
const LIMITS: Limits = Limits::work(300_000);

/// One slot in which somebody else is on call than before. Hours that shut and open again for the same person are none, and a slot
/// that changes hands while its window is shut is one when it opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoverNotice {
    /// `None` in messages that earlier versions stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<CellId>,
    /// The name of the slot, in a rotation with more than one; parts without a name are left out.
    #[serde(rename = "name", default, skip_serializing_if = "Vec::is_empty")]
    pub slot: Vec<String>,
    /// Whoever was on call last.
    pub off: Option<UserId>,
    pub on: Option<UserId>,
    /// The name of somebody who comes on and is unknown here: then `on` is `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// When whoever comes on is on call last by this turn or arrangement, as far as that is known.
    #[serde(with = "stored", default)]
    pub until: Option<Timestamp>,
    /// Of the hand-overs of its window.
    pub zone: Option<ZoneName>,
    /// Whose turn it is, where whoever comes on stands in for somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
    /// Only in messages that earlier versions stored of slots that changed hands while shut: when the hours begin.
    #[serde(with = "stored", default)]
    pub begins_at: Option<Timestamp>,
}

/// For whom somebody comes on, and what is given back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instead {
    /// Whose turn it is.
    pub owner: UserId,
    pub dealt: Dealt,
    /// Of a trade, when the turn begins by which the owner pays it back; of a repayment, when the turn began that the owner took.
    /// `None` where that is not known.
    #[serde(with = "stored", default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Timestamp>,
}

/// The slots in which somebody else is on call, in their order, those that are gone last.
pub fn notices(
    before: &Rotation,
    after: &Rotation,
    dealing: DealingContext,
) -> Vec<HandoverNotice> {
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
    let mut left: Vec<&UserId> = gone
        .iter()
        .filter_map(|cell| cell.announced.as_ref())
        .collect();
    let calendar = dealing.calendar;
    let mut ends = None;
    let mut notices = Vec::new();
    // The cells that are taken over by a trade, with the index of the notice.
    let mut traded: Vec<(&CellId, usize)> = Vec::new();
    for (slot, cell) in after.cells.iter().enumerate() {
        let known = before.slot_near(&cell.id, slot);
        // An edit that replaces cells gives them new ids: whoever held one that is gone simply goes on.
        let holder = resolve::holder(after, cell).map(Hold::user);
        let moved = left
            .iter()
            .position(|user| known.is_none() && Some(*user) == holder);
        if let Some(moved) = moved {
            left.remove(moved);
            continue;
        }
        let was = known.and_then(|index| before.cells[index].announced.as_ref());
        if after.windows[cell.window].open && was != cell.announced.as_ref() {
            let ends = ends.get_or_insert_with(|| resolve::turn_ends(after, calendar));
            let notice = notice(after, cell, was.cloned(), calendar, ends);
            let is_traded = |instead: &Instead| instead.dealt == Dealt::Trade;
            if notice.instead.as_ref().is_some_and(is_traded) {
                traded.push((&cell.id, notices.len()));
            }
            notices.push(notice);
        }
    }
    let cells: Vec<&CellId> = traded.iter().map(|(cell, _)| *cell).collect();
    let returns = trades::returns(after, dealing, &cells);
    for ((_, index), turn) in traded.into_iter().zip(returns) {
        if let Some(instead) = &mut notices[index].instead {
            instead.turn = turn;
        }
    }
    for cell in gone {
        let Some(off) = resolve::on_call(before, cell).map(Hold::user) else {
            continue;
        };
        if let Some(index) = left.iter().position(|user| *user == off) {
            left.remove(index);
            notices.push(HandoverNotice {
                cell: Some(cell.id.clone()),
                slot: slot_name(before, cell),
                off: Some(off.clone()),
                on: None,
                outside: None,
                until: None,
                zone: None,
                instead: None,
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
            cell: after.cells.first().map(|cell| cell.id.clone()),
            slot: Vec::new(),
            off: leaves,
            on: comes.and_then(|comes| comes.user.clone()),
            outside: outside.map(|outside| outside.called()),
            until: comes.and_then(|comes| comes.shift.ends_at()),
            zone: after.cells.first().and_then(|cell| zone(after, cell)),
            instead: None,
            begins_at: None,
        }
    };
    let somebody = |notice: &HandoverNotice| {
        notice.on.is_some() || notice.off.is_some() || notice.outside.is_some()
    };
    let notices = (0..on.len().max(off.len())).map(notice);
    notices.filter(somebody).collect()
}

fn notice(
    rotation: &Rotation,
    cell: &Cell,
    off: Option<UserId>,
    calendar: &Calendar,
    turn_ends: &[Option<Timestamp>],
) -> HandoverNotice {
    let hold = resolve::on_call(rotation, cell);
    let until = hold.and_then(|hold| {
        let (_, until) = resolve::bounds(rotation, cell, hold, turn_ends[cell.window]);
        until.map(|until| covered_until(rotation, cell, calendar, until))
    });
    HandoverNotice {
        cell: Some(cell.id.clone()),
        slot: slot_name(rotation, cell),
        off,
        on: hold.map(|hold| hold.user().clone()),
        outside: None,
        until,
        zone: zone(rotation, cell),
        instead: hold.and_then(instead),
        begins_at: None,
    }
}

/// For whom somebody holds a cell, where it is not their own turn. When a trade is paid back is not known from the hold.
fn instead(hold: Hold) -> Option<Instead> {
    let turn = hold.dealt()?;
    let owner = turn.instead_of(hold.user())?;
    Some(Instead {
        owner: owner.clone(),
        dealt: turn.dealt,
        turn: turn.since,
    })
}

/// When a cell is covered for the last time by an assignment that ends at an instant.
fn covered_until(
    rotation: &Rotation,
    cell: &Cell,
    calendar: &Calendar,
    until: Timestamp,
) -> Timestamp {
    let from = rotation.stamps.judged_at;
    if until >= FOREVER || until <= from {
        return until;
    }
    let hours = rotation.hours(&rotation.windows[cell.window]);
    let last = hours.open_until(calendar, Interval { from, until });
    last.unwrap_or(until)
}

/// The zone that times of a slot are given in: that of its hand-overs.
pub fn zone(rotation: &Rotation, cell: &Cell) -> Option<ZoneName> {
    let cadence = rotation.windows[cell.window].cadence.as_ref();
    cadence.map(|cadence| cadence.zone)
}

/// The name of a slot.
pub fn slot_name(rotation: &Rotation, cell: &Cell) -> Vec<String> {
    let window = rotation.windows[cell.window].name.as_ref();
    let window = window.filter(|_| rotation.windows.len() > 1);
    let names = [rotation.lane_name(cell.lane), window];
    names.into_iter().flatten().cloned().collect()
}

/// The name of a slot, by its id; nothing where it is not there.
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
    let phases = phases(rotation, calendar);
    let due_by_windows = phases
        .iter()
        .find_map(|phase| windows_due(phase, calendar, after));
    let arranged = rotation.arranged.iter();
    let bounds = arranged.flat_map(|arranged| [arranged.period.from, arranged.period.until]);
    let external = rotation.external.as_ref();
    let outside = external.and_then(|external| external.next_change(after));
    let changes = rotation.waiting.iter().map(|change| change.at);
    let next = due_by_windows
        .into_iter()
        .chain(outside)
        .chain(bounds.filter(|at| *at > after))
        .chain(changes.filter(|at| *at > after))
        .min();
    next.and_then(|at| at.checked_sub(before).ok())
}

/// The next hand-over or opening of a window within a phase, after an instant.
fn windows_due(phase: &Phase, calendar: &Calendar, after: Timestamp) -> Option<Timestamp> {
    let Phase { period, rotation } = phase;
    if period.until <= after || !rotation.enabled {
        return None;
    }
    let after = match period.contains(after) {
        true => after,
        false => just_before(period.from),
    };
    let windows = rotation.windows.iter();
    let due = windows.flat_map(|window| {
        let cadence = window.cadence.as_ref();
        let hand_over = cadence.and_then(|cadence| cadence.next(calendar, after));
        // Whoever takes over while a window is shut comes on when it opens.
        let view = rotation.hours(window).at(calendar, after);
        [hand_over, view.next.map(|stretch| stretch.from)]
    });
    due.flatten().filter(|at| *at < period.until).min()
}

/// The slots in which somebody else comes on call at an instant to come, as forecast; none where that is beyond the limits.
pub fn upcoming_notices(
    rotation: &Rotation,
    dealing: DealingContext,
    at: Timestamp,
) -> Vec<HandoverNotice> {
    let found = notices_at(rotation, dealing, &[at]).pop();
    found.map_or_else(Vec::new, |(_, notices)| notices)
}

/// The same at several instants to come, the earliest first. Instants at which nothing changes are left out.
pub fn notices_at(
    rotation: &Rotation,
    dealing: DealingContext,
    instants: &[Timestamp],
) -> Vec<(Timestamp, Vec<HandoverNotice>)> {
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    let mut found = Vec::new();
    for at in instants {
        while forecast.step_before(*at).is_some() {}
        let before = forecast.rotation().clone();
        if let Some(step) = forecast.step_until(*at) {
            found.push((*at, notices(&before, step.rotation, dealing)));
        }
    }
    found
}
