//! Who has what from when to when: what is planned, what is recorded, and both as one list, of a rotation or of a person.

use super::reads::{self, visible};
use super::{App, Result, overview};
use crate::domain::access::Principal;
use crate::domain::arrangement::Arrangement;
use crate::domain::duty::{self, Duty, DutyKind};
use crate::domain::forecast::{self, Budget, Shift, ShiftRotation};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx};
use std::sync::Arc;

/// The filter of a schedule; an empty list narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanFilter {
    pub user: Option<UserId>,
    pub cell: Option<CellId>,
    pub kinds: Vec<DutyKind>,
}

impl PlanFilter {
    fn keeps(&self, duty: &Duty) -> bool {
        self.user.as_ref().is_none_or(|user| duty.is_of(user))
            && self.cell.as_ref().is_none_or(|cell| duty.cell == *cell)
            && (self.kinds.is_empty() || self.kinds.contains(&duty.kind()))
    }
}

fn dealing<'a>(app: &'a App, rotation: &'a Rotation) -> DealingContext<'a> {
    DealingContext::new(app.calendar(), &rotation.absences)
}

/// The duty that touches a range if nothing changes, by start, then lane, then window. What lies before now comes from
/// the record, as far as the running turns reach (rules.md 6).
pub fn schedule(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
    filter: &PlanFilter,
) -> Result<(Rotation, Vec<Duty>)> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let mut duties = forecast::schedule(&rotation, dealing(app, &rotation), range)?;
        duties.extend(of_running_turns(tx, &rotation, range)?);
        duties.retain(|duty| filter.keeps(duty));
        duty::sort(&rotation, &mut duties);
        Ok((rotation, duties))
    })
}

/// The entries of the record that belong to the running turns, from before the running entries, and touch a range.
fn of_running_turns(tx: &ReadTx, rotation: &Rotation, range: Interval) -> Result<Vec<Duty>> {
    let mut duties = Vec::new();
    if rotation.external.is_some() {
        // The assignments of a partner's schedule have their own beginnings.
        return Ok(duties);
    }
    for cell in &rotation.cells {
        let holder = cell.holder.as_ref();
        let Some(holder) = holder.filter(|holder| holder.since < cell.entry.start) else {
            continue;
        };
        let since = holder.since.max(range.from);
        duties.extend(store::list_pieces(tx, rotation, &cell.id, since)?);
    }
    duties.retain(|duty| duty.entry.start < range.until && duty.is_over_after(range.from));
    Ok(duties)
}

/// The record of a range, by start (rules.md 7).
pub fn history(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<Vec<Duty>> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        recorded(tx, &rotation, range)
    })
}

/// The same of a rotation that has been loaded, one for each person.
fn recorded(tx: &ReadTx, rotation: &Rotation, range: Interval) -> Result<Vec<Duty>> {
    let entries = store::list_history(tx, rotation, range)?.into_iter();
    let mut duties: Vec<Duty> = entries.flat_map(Duty::each_person).collect();
    duty::sort(rotation, &mut duties);
    Ok(duties)
}

/// Arrangements of one range that are looked at, at the most.
const MOST_ARRANGED: u32 = 1_000;

/// Duty in a range: the record of what is over, the forecast of the rest, by start and slot; and the
/// arrangements over it.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<(Rotation, Vec<Duty>, Vec<Arrangement>)> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let planned = forecast::schedule(&rotation, dealing(app, &rotation), range)?;
        let mut past = match range.from < rotation.stamps.judged_at {
            true => recorded(tx, &rotation, range)?,
            false => Vec::new(),
        };
        // What still runs is among what is planned, with its end.
        past.retain(|duty| duty.end.is_some() && !duty.period().is_momentary());
        let mut duties = duty::merged(past, planned);
        duties.sort_by_key(|duty| (duty.entry.start, duty.slot.unwrap_or(usize::MAX)));
        let page = Page::first(MOST_ARRANGED);
        let (arranged, _) = store::list_arrangements(tx, id, range, page)?;
        Ok((rotation, duties, arranged))
    })
}

/// The name of a duty's slot; that of the time where the slot is gone or still to come.
pub fn slot_of(rotation: &Rotation, duty: &Duty) -> Vec<String> {
    match duty.slot {
        Some(slot) => forecast::slot_name(rotation, &rotation.cells[slot]),
        None => duty.names().map(str::to_owned).collect(),
    }
}

/// The shifts of one person that touch a range, in all rotations that the caller may see, by start, rotation, lane and
/// window. Each rotation is read from a snapshot of its own.
///
/// # Errors
/// [`Refusal::NotFound`] for somebody unknown, [`Refusal::Invalid`] where the range takes too much to forecast.
pub fn of_person(
    app: &App,
    caller: &Principal,
    user: &UserId,
    range: Interval,
) -> Result<Vec<Shift>> {
    let rotations = app.store().read(|tx| -> Result<_> {
        let known = caller.sees_directory() && store::load_person(tx, user)?.is_some();
        if !known {
            return Err(Refusal::NotFound("user").into());
        }
        reads::rotations_of(tx, user)
    })?;
    let mut budget = Budget::default();
    let mut shifts = Vec::new();
    for id in rotations {
        app.store().read(|tx| -> Result<_> {
            let found = store::load_rotation(tx, &id)?;
            // Somebody deactivated, or from outside, is no member.
            let is_in = |rotation: &Rotation| {
                let mut phases = forecast::phases(rotation, app.calendar()).into_iter();
                phases.any(|phase| phase.rotation.has_member(user))
            };
            let theirs =
                found.filter(|rotation| caller.check_see(rotation).is_ok() && is_in(rotation));
            if let Some(rotation) = theirs {
                let past = of_running_turns(tx, &rotation, range)?;
                shifts.extend(shifts_of(app, &rotation, user, range, past, &mut budget)?);
            }
            Ok(())
        })?;
    }
    shifts.sort_by(|one, other| one.order().cmp(&other.order()));
    Ok(shifts)
}

/// The shifts to come of a person in a range, in every rotation of theirs that the caller sees, by start. A rotation whose turns are
/// too many to look at is left out.
pub fn to_come(
    app: &App,
    caller: &Principal,
    user: &UserId,
    range: Interval,
) -> Result<Vec<Shift>> {
    let mut shifts = Vec::new();
    let mut rotations = overview::rotations_of(app, caller, user)?;
    app.store().read(|tx| -> Result<_> {
        for id in store::list_rotations_to_join(tx, user)? {
            if rotations.iter().any(|known| known.id == id) {
                continue;
            }
            let joins = store::load_rotation(tx, &id)?;
            rotations.extend(joins.filter(|rotation| caller.check_see(rotation).is_ok()));
        }
        Ok(())
    })?;
    for rotation in rotations {
        let budget = &mut Budget::default();
        let theirs = shifts_of(app, &rotation, user, range, Vec::new(), budget);
        shifts.extend(theirs.unwrap_or_default());
    }
    shifts.sort_by_key(|shift| shift.duty.entry.start);
    Ok(shifts)
}

/// The shifts of one person in a rotation, by start; `past` is what of the record is among them.
fn shifts_of(
    app: &App,
    rotation: &Rotation,
    user: &UserId,
    range: Interval,
    past: Vec<Duty>,
    budget: &mut Budget,
) -> Result<Vec<Shift>, Refusal> {
    let mut duties = forecast::duties_of(rotation, dealing(app, rotation), user, range, budget)?;
    duties.extend(past.into_iter().filter(|duty| duty.is_of(user)));
    duty::sort(rotation, &mut duties);
    let named = Arc::new(ShiftRotation::of(rotation));
    let shift = |duty: Duty| {
        Some(Shift {
            rotation: Arc::clone(&named),
            slot: slot_of(rotation, &duty),
            zone: match duty.slot {
                Some(slot) => rotation.windows[rotation.cells[slot].window].zone,
                None => duty.entry.hours.zone,
            },
            absences: rotation.absences.meeting(user, duty.period()),
            covered: duty.period().meets(range)?,
            duty,
        })
    };
    Ok(duties.into_iter().filter_map(shift).collect())
}
