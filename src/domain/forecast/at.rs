//! A rotation as it will stand at one instant.

use super::budget::LIMITS;
use super::{Budget, Forecast, too_far, without_requests};
use crate::domain::handover::DealingContext;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::trace::Trace;
use jiff::Timestamp;

/// The rotation with everything done that falls due up to an instant, itself included.
///
/// # Errors
/// As [`schedule`](super::schedule), for an instant that takes too much to forecast.
pub fn rotation_at(
    rotation: &Rotation,
    dealing: DealingContext,
    at: Timestamp,
) -> Result<Rotation, Refusal> {
    let mut future = rotation.clone();
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    match forecast.reaches(at) {
        true => Ok(future),
        false => too_far(),
    }
}

/// The rotation at an instant without the requests that are pending, where that instant is known; what dealing does on the way
/// is written to a
/// `trace`, in [`Rotation::trace`]. `instants` are now and that instant.
///
/// # Errors
/// [`Refusal::Invalid`] where that takes more than is left of the budget, and [`Refusal::NotKnownYet`] past what is known of a
/// partner's schedule.
pub fn standing_at(
    rotation: &Rotation,
    dealing: DealingContext,
    (now, at): (Timestamp, Timestamp),
    budget: &mut Budget,
    trace: Option<Trace>,
) -> Result<Rotation, Refusal> {
    check_known(rotation, now, at)?;
    let mut future = Rotation {
        trace,
        ..without_requests(rotation)
    };
    let mut forecast = Forecast::new(&mut future, dealing, budget.limits());
    if !forecast.reaches(at) {
        return invalid(
            "at",
            "too many hand-overs lie before it; ask for an earlier instant",
        );
    }
    budget.spend(&forecast);
    Ok(future)
}

/// Refuses an instant to come of which nothing is known on the partner's schedule that a rotation follows. A disabled rotation
/// stays as it is.
fn check_known(rotation: &Rotation, now: Timestamp, at: Timestamp) -> Result<(), Refusal> {
    let Some(external) = rotation.external.as_ref().filter(|_| rotation.enabled) else {
        return Ok(());
    };
    let known_until = external.timeline().map(|timeline| timeline.known.until);
    match known_until {
        _ if at <= now => Ok(()),
        Some(until) if at < until => Ok(()),
        until => Err(Refusal::NotKnownYet(until)),
    }
}
