//! Duties that change hands by a request: one for a cover, two for a swap.

use super::agreement::AgreementContext;
use super::conflict::{Conflict, Terms};
use super::conflict_search::Name;
use super::fault::Fault;
use super::forecast::CellForecast;
use super::ids::UserId;
use super::refusal::Refusal;
use super::request::{Leg, Request};
use jiff::Timestamp;

/// A duty that is to change hands, as forecast.
pub struct Shift {
    /// Index into [`Rotation::cells`](super::rotation::Rotation::cells).
    pub cell: usize,
    /// The current holder.
    pub holder: UserId,
    pub terms: Terms,
}

impl Shift {
    /// All conflicts, except with arrangements of the current holder, which are cut.
    pub fn conflicts(&self, context: &AgreementContext, name: &Name) -> Vec<Conflict> {
        context.conflicts(&self.terms, Some(&self.holder), name)
    }
}

/// The future part of each leg with its new holder. `path` is the path of the legs in the request.
pub fn shifts(
    context: &AgreementContext,
    legs: &[Leg],
    path: impl Fn(usize) -> String,
) -> Result<Vec<Shift>, Refusal> {
    let shift = |(index, leg): (usize, &Leg)| {
        let path = path(index);
        Ok(Shift {
            cell: context.cell(&format!("{path}cellId"), &leg.cell)?,
            holder: leg.holder.clone(),
            terms: Terms {
                cell: leg.cell.clone(),
                user: leg.assignee.clone().unwrap_or_else(|| leg.holder.clone()),
                asked: leg.period,
                period: context.rest(&format!("{path}to"), leg.period)?,
            },
        })
    };
    legs.iter().enumerate().map(shift).collect()
}

/// When the last of them ends.
pub fn last_end(shifts: &[Shift]) -> Timestamp {
    let ends = shifts.iter().map(|shift| shift.terms.period.until);
    ends.max().unwrap_or(Timestamp::MIN)
}

/// Refuses a holder who does not hold the cell, dealt or arranged, over the whole interval.
pub fn check_held(shifts: &[Shift], forecasts: &[CellForecast]) -> Result<(), Refusal> {
    for shift in shifts {
        if !forecasts[shift.cell].is_held_by(&shift.holder, shift.terms.period) {
            return Err(Refusal::NotYourDuty(Fault::NotHeld {
                user: shift.holder.clone(),
                cell: shift.terms.cell.clone(),
                period: shift.terms.period,
            }));
        }
    }
    Ok(())
}

/// Refuses shifts that would have a person on call in two cells at once where one may not.
pub fn check_single(
    context: &AgreementContext,
    shifts: &[Shift],
    forecasts: &[CellForecast],
) -> Result<(), Refusal> {
    let terms = shifts.iter().map(|shift| ("the request", &shift.terms));
    context.check_single(forecasts, &terms.collect::<Vec<_>>())
}

/// The legs with their holders once this person accepts.
pub fn taken(request: &Request, person: &UserId) -> Vec<Leg> {
    let mut legs = request.legs.clone();
    for leg in &mut legs {
        leg.assignee.get_or_insert_with(|| person.clone());
    }
    legs
}

/// Whether a person may hold the legs of a request in addition to their other duties at that time.
pub fn may_take(
    context: &AgreementContext,
    request: &Request,
    person: &UserId,
    forecasts: &[CellForecast],
) -> bool {
    let shifts = shifts(context, &taken(request, person), |_| String::new());
    shifts.is_ok_and(|shifts| check_single(context, &shifts, forecasts).is_ok())
}
