//! What one person has on their plan: in all rotations, and what of it an absence leaves standing.

use super::reads::{self, recorded};
use super::{ActionError, App};
use crate::domain::absence::{Absence, AppliesTo, StandingDuty};
use crate::domain::access::Principal;
use crate::domain::edit::NewAbsence;
use crate::domain::editing::Editing;
use crate::domain::forecast::{self, Budget, Forecast, Limits, PlannedTurn, Shift, ShiftRotation};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store;
use jiff::SignedDuration;
use std::sync::Arc;

/// The turns of one person that touch a range, in all rotations that the caller may see, by start, rotation, lane and
/// window. Each rotation is read from a snapshot of its own.
///
/// # Errors
/// [`Refusal::NotFound`] for somebody unknown, [`Refusal::Invalid`] where the range takes too much to forecast.
pub fn of_person(
    app: &App,
    caller: &Principal,
    user: &UserId,
    range: Interval,
) -> Result<Vec<Shift>, ActionError> {
    let rotations = app.store().read(|tx| -> Result<_, ActionError> {
        let known = caller.sees_directory() && store::load_person(tx, user)?.is_some();
        if !known {
            return Err(Refusal::NotFound("user").into());
        }
        Ok(store::list_rotations_of(tx, user)?)
    })?;
    let mut budget = Budget::default();
    let mut shifts = Vec::new();
    for id in rotations {
        let found = app.store().read(|tx| -> Result<_, ActionError> {
            let found = store::load_rotation(tx, &id)?;
            // Somebody deactivated, or from outside, is no member.
            let theirs = found
                .filter(|rotation| caller.check_see(rotation).is_ok() && rotation.has_member(user));
            let Some(rotation) = theirs else {
                return Ok(None);
            };
            let dealing = DealingContext {
                calendar: app.calendar(),
                absences: &rotation.absences,
            };
            let mut turns = forecast::turns_of(&rotation, dealing, user, range, &mut budget)?;
            let past = recorded(tx, &rotation, range)?;
            turns.extend(
                past.into_iter()
                    .filter(|turn| turn.entry.user.as_ref() == Some(user)),
            );
            Ok(Some((rotation, turns)))
        })?;
        if let Some((rotation, turns)) = found {
            add(&rotation, user, turns, range, &mut shifts);
        }
    }
    shifts.sort_by(|(one, first), (two, second)| {
        let start = one.turn.entry.start.cmp(&two.turn.entry.start);
        let named = |shift: &Shift| (shift.rotation.name.clone(), shift.rotation.id.clone());
        let rotation = || named(one).cmp(&named(two));
        start.then_with(rotation).then(first.cmp(second))
    });
    Ok(shifts.into_iter().map(|(shift, _)| shift).collect())
}

/// Adds the turns in a rotation, each with its lane and window by position.
fn add(
    rotation: &Rotation,
    user: &UserId,
    turns: Vec<PlannedTurn>,
    range: Interval,
    shifts: &mut Vec<(Shift, (usize, usize))>,
) {
    let named = Arc::new(ShiftRotation {
        id: rotation.id.clone(),
        name: rotation.profile.name.clone(),
        code: rotation.profile.code.clone(),
    });
    for turn in turns {
        let Some(covered) = turn.period().meets(range) else {
            continue;
        };
        let cell = &rotation.cells[turn.cell];
        let shift = Shift {
            rotation: Arc::clone(&named),
            cell: cell.id.clone(),
            lane: rotation.lanes[cell.lane].id.clone(),
            window: rotation.windows[cell.window].id.clone(),
            absences: rotation.absences.meeting(user, turn.period()),
            covered,
            turn,
        };
        shifts.push((shift, (cell.lane, cell.window)));
    }
}

/// Standing duties that one answer lists at the most.
pub const MOST_STANDING: usize = 100;

/// How far ahead they are looked for: as far as a schedule may be asked for.
const FORESIGHT: SignedDuration = SignedDuration::from_hours(366 * 24);

/// What a stored absence leaves standing: the stretches within it for which the person is on call as planned, arrangements
/// included. Of an absence from all rotations, those in every rotation that the caller may see; the one named comes first.
pub fn standing(
    app: &App,
    caller: &Principal,
    named: &RotationId,
    absence: &Absence,
) -> Result<Vec<StandingDuty>, ActionError> {
    let everywhere = absence.applies_to == AppliesTo::AllRotations;
    let of = (&absence.user, absence.period, everywhere);
    while_away(app, caller, named, of, |rotation| rotation)
}

/// The same of an absence that is not stored yet.
pub fn would_stand(
    app: &App,
    caller: &Principal,
    named: &RotationId,
    new: &NewAbsence,
) -> Result<Vec<StandingDuty>, ActionError> {
    let of = (&new.user, new.period, new.everywhere);
    while_away(app, caller, named, of, |rotation| {
        with_absence(app, rotation, new)
    })
}

/// A rotation as it would stand if an absence were stored now.
fn with_absence(app: &App, mut rotation: Rotation, new: &NewAbsence) -> Rotation {
    let (now, calendar) = (app.now(), app.calendar());
    let before = Arc::clone(&rotation.absences);
    let dealing = DealingContext {
        calendar,
        absences: &before,
    };
    let mut due = Forecast::new(&mut rotation, dealing, Limits::NONE);
    while due.step_until(now).is_some() {}
    rotation.absences = Arc::new(before.with(&new.user, new.period));
    let editing = Editing {
        calendar,
        limits: app.tier_limits(),
        at: now.max(rotation.stamps.judged_at),
    };
    if new.period.until > editing.at {
        editing.follow_absences(&mut rotation, &new.user, &before);
    }
    rotation
}

/// The stretches of a period for which a person stays on call, in each rotation as `as_if` makes it.
fn while_away(
    app: &App,
    caller: &Principal,
    named: &RotationId,
    (user, period, everywhere): (&UserId, Interval, bool),
    as_if: impl Fn(Rotation) -> Rotation,
) -> Result<Vec<StandingDuty>, ActionError> {
    let mut rotations = vec![named.clone()];
    if everywhere {
        let theirs = app.store().read(|tx| store::list_rotations_of(tx, user))?;
        rotations.extend(theirs.into_iter().filter(|id| id != named));
    }
    let horizon = app.now().saturating_add(FORESIGHT);
    let period = Interval {
        until: horizon.map_or(period.until, |horizon| period.until.min(horizon)),
        ..period
    };
    let mut budget = Budget::default();
    let mut standing = Vec::new();
    for id in rotations {
        let rotation = match app.store().read(|tx| reads::visible(tx, caller, &id)) {
            Ok(rotation) => as_if(rotation),
            // Deleted since, or hidden from the caller.
            Err(ActionError::Refused(_)) => continue,
            Err(error) => return Err(error),
        };
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &rotation.absences,
        };
        let most = MOST_STANDING - standing.len();
        let found = forecast::standing(&rotation, dealing, user, period, most, &mut budget);
        standing.extend(found.into_iter().map(|(cell, period)| StandingDuty {
            cell: rotation.cells[cell].id.clone(),
            period,
        }));
        if standing.len() >= MOST_STANDING || budget.is_spent() {
            break;
        }
    }
    Ok(standing)
}
