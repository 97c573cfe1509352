//! Creates swap requests.

use super::chat_ids::Named;
use super::draft::Draft;
use super::mutation::Operation;
use super::request_writes::{Notify, Outcome, ask, written};
use super::{ActionError, App, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, check_unblocked};
use crate::domain::conflict::{self, Conflict};
use crate::domain::edit::{NewLeg, NewSwap};
use crate::domain::fault::Fault;
use crate::domain::forecast::CellForecast;
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::{Leg, Request, RequestKind, RequestState, RequestWritten};
use crate::domain::rotation::Rotation;
use crate::domain::shift::{self, LegPreview, Shift};
use crate::domain::time::Interval;
use crate::store::{ReadTx, WriteTx};
use crate::wire::etag;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Two shifts with their forecast, each with the other person as its new holder.
struct Checked {
    legs: Vec<Leg>,
    shifts: Vec<Shift>,
    /// By leg, as are the conflicts.
    covered: Vec<Vec<Interval>>,
    conflicts: Vec<Vec<Conflict>>,
}

/// Checks an offer. The forecast is checked last, because a disabled rotation has none.
fn check(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewSwap,
) -> Result<Checked, Refusal> {
    let (legs, shifts) = check_terms(context, requester, new)?;
    let forecasts = context.forecasts(shift::last_end(&shifts))?;
    check_plan(context, legs, shifts, &forecasts)
}

/// Whether an offer can be made, with forecasts that reach to the end of both shifts.
pub(super) fn can_offer(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewSwap,
    forecasts: &[CellForecast],
) -> bool {
    let checked = check_terms(context, requester, new)
        .and_then(|(legs, shifts)| check_plan(context, legs, shifts, forecasts));
    checked.is_ok_and(|checked| !checked.conflicts.iter().any(|leg| conflict::blocks(leg)))
}

/// The path of a leg in the request.
fn path(index: usize) -> String {
    format!("legs[{index}].")
}

/// Checks what can be said without a forecast: who is to take which turn.
fn check_terms(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewSwap,
) -> Result<(Vec<Leg>, Vec<Shift>), Refusal> {
    if &new.recipient == requester {
        return invalid(
            "recipientUserId",
            Fault::Yourself("offer the swap to another person"),
        );
    }
    if !context.rotation.has_member(&new.recipient) {
        let recipient = &new.recipient;
        return invalid("recipientUserId", Fault::NotMember(recipient.clone()));
    }
    let latest = six_months_after(context.now);
    let mut legs = Vec::new();
    for (index, leg) in new.legs.iter().enumerate() {
        let path = path(index);
        if leg.period.from <= context.now {
            return invalid(format!("{path}from"), Fault::NotAfter(context.now));
        }
        if leg.period.until > latest {
            return invalid(
                format!("{path}to"),
                "send an instant at most six months from now",
            );
        }
        legs.push(handed_over(requester, new, leg, &path)?);
    }
    if legs[0].holder == legs[1].holder {
        return invalid(
            "legs[1].holderUserId",
            "holds the other leg as well; send one shift of each",
        );
    }
    let shifts = shift::shifts(context, &legs, path)?;
    for (index, shift) in shifts.iter().enumerate() {
        let member = path(index) + "cellId";
        context.check_eligible(&member, shift.cell, &shift.terms.user)?;
    }
    for (index, shift) in shifts.iter().enumerate() {
        context.check_runs(&format!("{}cellId", path(index)), shift.cell)?;
    }
    Ok((legs, shifts))
}

/// Checks both shifts against what is planned.
fn check_plan(
    context: &AgreementContext,
    legs: Vec<Leg>,
    shifts: Vec<Shift>,
    forecasts: &[CellForecast],
) -> Result<Checked, Refusal> {
    let covered = |(index, shift): (usize, &Shift)| {
        context.check_covered(&path(index), shift.cell, shift.terms.period)
    };
    let covered = shifts.iter().enumerate().map(covered);
    let covered = covered.collect::<Result<_, _>>()?;
    for (index, shift) in shifts.iter().enumerate() {
        let (forecast, path) = (&forecasts[shift.cell], path(index));
        if !forecast.is_turn(shift.terms.period) {
            return invalid(
                format!("{path}from"),
                "not a whole turn of the cell; read the schedule",
            );
        }
        if shift::check_held(std::slice::from_ref(shift), forecasts).is_err() {
            let holder = &shift.holder;
            return invalid(
                format!("{path}holderUserId"),
                Fault::NotTheirTurn(holder.clone()),
            );
        }
    }
    let members = [path(0), path(1)].map(|path| path + "cellId");
    let terms = [
        (&*members[0], &shifts[0].terms),
        (&*members[1], &shifts[1].terms),
    ];
    context.check_single(forecasts, &terms)?;
    Ok(Checked {
        conflicts: shifts
            .iter()
            .map(|shift| shift.conflicts(context, &etag::conflict_id))
            .collect(),
        legs,
        shifts,
        covered,
    })
}

/// A leg with the person of the two who does not hold it as its new holder.
fn handed_over(
    requester: &UserId,
    new: &NewSwap,
    leg: &NewLeg,
    path: &str,
) -> Result<Leg, Refusal> {
    let assignee = if &leg.holder == requester {
        &new.recipient
    } else if leg.holder == new.recipient {
        requester
    } else {
        return invalid(
            format!("{path}holderUserId"),
            "send yourself or the recipient",
        );
    };
    Ok(Leg {
        key: Some(leg.key.clone()),
        cell: leg.cell.clone(),
        holder: leg.holder.clone(),
        assignee: Some(assignee.clone()),
        period: leg.period,
        arrangement: None,
    })
}

/// In calendar months, in UTC.
fn six_months_after(now: Timestamp) -> Timestamp {
    let later = now.to_zoned(TimeZone::UTC).checked_add(6.months());
    later.map_or(Timestamp::MAX, |later| later.timestamp())
}

/// Previews a swap without changing anything. Returns the rotation for its ETag.
pub fn preview(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: &NewSwap,
) -> Result<(Rotation, Vec<LegPreview>), ActionError> {
    let requester = caller.person()?;
    reads::in_context(app, caller, id, |_, context| {
        context.rotation.check_own()?;
        let checked = check(context, requester, new)?;
        let parts = checked
            .legs
            .into_iter()
            .zip(checked.shifts)
            .zip(checked.covered.into_iter().zip(checked.conflicts));
        let legs = parts.map(|((leg, shift), (covered, conflicts))| LegPreview {
            has_started: leg.has_started(context.now),
            key: leg.key.unwrap_or_default(),
            terms: shift.terms,
            covered,
            is_acknowledged: conflict::acknowledged(&conflicts, &new.acknowledged),
            conflicts,
        });
        Ok(legs.collect())
    })
}

/// Offers a swap. Who is on call does not change until the recipient accepts.
pub struct OfferSwap(pub NewSwap);

impl Operation for OfferSwap {
    const NAME: &'static str = "offer swap";
    type Output = RequestWritten;

    fn named(&self) -> Named {
        Named::people([&self.0.recipient])
    }

    fn admit(
        &self,
        _: &ReadTx,
        rotation: &Rotation,
        caller: &Principal,
    ) -> Result<(), ActionError> {
        Ok(caller.check_ask(rotation)?)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        caller: &Principal,
    ) -> Result<RequestWritten, ActionError> {
        let (OfferSwap(new), requester) = (self, caller.person()?);
        let checked = check(&draft.context(tx), requester, &new)?;
        let conflicts: Vec<Conflict> = checked.conflicts.into_iter().flatten().collect();
        check_unblocked(&conflicts)?;
        // Only existing conflicts are stored as acknowledged.
        let seen = conflicts.into_iter().map(|conflict| conflict.id);
        let acknowledged = seen.filter(|id| new.acknowledged.contains(id)).collect();
        let new = NewSwap {
            acknowledged,
            ..new
        };
        let request = request(tx, draft, requester.clone(), new, checked.legs);
        ask(tx, draft, &request)?;
        written(tx, draft, caller, &request, Outcome::beside(Notify::Asked))
    }
}

fn request(
    tx: &mut WriteTx,
    draft: &Draft,
    requester: UserId,
    new: NewSwap,
    legs: Vec<Leg>,
) -> Request {
    Request {
        id: RequestId::from(tx.mint("swp_")),
        rotation: draft.rotation.id.clone(),
        kind: RequestKind::Swap,
        requester,
        recipients: vec![new.recipient],
        declined: Vec::new(),
        legs,
        reason: new.reason,
        turn_selection: None,
        acknowledged: new.acknowledged,
        revision: 1,
        state: RequestState::Pending,
        accepted_by: None,
    }
}
