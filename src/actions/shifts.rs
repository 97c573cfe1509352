//! The duty that an absence leaves with its person.

use super::{ActionError, App, Result, reads};
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::access::Principal;
use crate::domain::duty::Duty;
use crate::domain::edit::NewAbsence;
use crate::domain::editing::Editing;
use crate::domain::forecast::{self, Budget, Forecast, Limits};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store;
use jiff::SignedDuration;
use std::sync::Arc;

/// Standing duties that one answer lists at the most.
pub const MOST_STANDING: usize = 100;

/// How far ahead they are looked for: as far as a schedule may be asked for.
const FORESIGHT: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The duty that a stored absence leaves: the stretches within it for which the person is on call as planned, arrangements
/// included. Of an absence from all rotations, those in every rotation that the caller may see; the one named comes first.
pub fn standing(
    app: &App,
    caller: &Principal,
    named: &RotationId,
    absence: &Absence,
) -> Result<Vec<Duty>> {
    let everywhere = absence.applies_to == AppliesTo::AllRotations;
    let of = (&absence.user, absence.period, everywhere);
    while_away(app, caller, named, of, |rotation| rotation)
}

/// The duty that an absence leaves which is not stored yet.
pub fn would_stand(
    app: &App,
    caller: &Principal,
    named: &RotationId,
    new: &NewAbsence,
) -> Result<Vec<Duty>> {
    let of = (&new.user, new.period, new.everywhere);
    while_away(app, caller, named, of, |rotation| {
        with_absence(app, rotation, new)
    })
}

/// A rotation as it would stand if an absence were stored now.
fn with_absence(app: &App, mut rotation: Rotation, new: &NewAbsence) -> Rotation {
    let (now, calendar) = (app.now(), app.calendar());
    let before = Arc::clone(&rotation.absences);
    let dealing = DealingContext::new(calendar, &before);
    let mut due = Forecast::new(&mut rotation, dealing, Limits::NONE);
    while due.step_until(now).is_some() {}
    rotation.absences = Arc::new(before.with(&new.user, new.period));
    let editing = Editing {
        calendar,
        limits: app.tier_limits(),
        at: now.max(rotation.stamps.judged_at),
        deals: true,
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
) -> Result<Vec<Duty>> {
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
        let dealing = DealingContext::new(app.calendar(), &rotation.absences);
        let most = MOST_STANDING - standing.len();
        standing.extend(forecast::standing(
            &rotation,
            dealing,
            user,
            period,
            most,
            &mut budget,
        ));
        if standing.len() >= MOST_STANDING || budget.is_spent() {
            break;
        }
    }
    Ok(standing)
}
