//! Changes that wait and would be refused when their time comes.

use super::{Ended, Forecast, Limits};
use crate::domain::handover::DealingContext;
use crate::domain::rotation::Rotation;
use jiff::Timestamp;

/// The limits of looking for them: some fifteen milliseconds.
const LIMITS: Limits = Limits::work(300_000);

/// The changes that would be refused up to an instant as things stand, with why, as far as the limits allow.
pub fn failing(rotation: &Rotation, dealing: DealingContext, until: Timestamp) -> Vec<Ended> {
    let mut failing = Vec::new();
    let mut future = rotation.clone();
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    while !forecast.rotation().waiting.is_empty()
        && let Some(step) = forecast.step_until(until)
    {
        let ended = step.changed.into_iter().flat_map(|changed| changed.ended);
        failing.extend(ended.filter(|one| one.outcome.is_err()));
    }
    failing
}
