//! Pending requests that an edit leaves without their duty.

use super::{horizon, keeps, known_cells};
use crate::domain::handover::DealingContext;
use crate::domain::request::Pending;
use crate::domain::rotation::Rotation;

/// Forecasts that one edit may take to find the requests that it ends.
const PASSES: usize = 8;

/// Expires pending requests whose duties are no longer held as planned, as far as the forecast reaches. Time alone does not
/// cause this, because what happens matches the forecast.
///
/// An expiry is an instant at which empty slots are filled. Those of the lost requests do not come, so each pass expires only
/// what is lost before the first of them. The last of these passes expires everything that is lost.
pub fn expire_lost(rotation: &mut Rotation, dealing: DealingContext) {
    for pass in 1..=PASSES {
        if !expire_some(rotation, dealing, pass == PASSES) {
            return;
        }
    }
}

/// One pass of it. Returns whether a request was lost.
fn expire_some(rotation: &mut Rotation, dealing: DealingContext, all: bool) -> bool {
    let pending = &rotation.pending;
    let until = pending.iter().map(Pending::until).max();
    let judged_at = rotation.stamps.judged_at;
    let until = until.unwrap_or(judged_at);
    let horizon = horizon(judged_at, until);
    let (cells, known_until) = known_cells(rotation, dealing, horizon);
    let known_until = known_until.or(Some(horizon).filter(|horizon| *horizon < until));
    let keeps = |pending: &&Pending| keeps(rotation, &cells, known_until, pending);
    let lost: Vec<&Pending> = pending.iter().filter(|one| !keeps(one)).collect();
    let first = lost.iter().map(|lost| lost.expires_at()).min();
    let certain = |lost: &&&Pending| all || first.is_none_or(|first| lost.begins_at() < first);
    let certain = lost.iter().filter(certain).map(|lost| lost.id.clone());
    let certain: Vec<_> = certain.collect();
    rotation.pending.retain(|one| !certain.contains(&one.id));
    !certain.is_empty()
}
