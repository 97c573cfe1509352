//! Creates swap requests.

use super::Result;
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::proposals::{self, Proposal};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, LegPreview, Preview};
use crate::domain::conflict;
use crate::domain::edit::{NewLeg, NewSwap};
use crate::domain::fault::Fault;
use crate::domain::forecast::CellForecast;
use crate::domain::ids::{RequestId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::{Leg, Request, RequestKind, RequestWritten};
use crate::domain::shift::{self, Shift};
use crate::domain::time::Interval;
use crate::store::WriteTx;
use crate::wire::etag;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Checks an offer. The forecast is checked last, because a disabled rotation has none.
fn check(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewSwap,
) -> Result<Preview, Refusal> {
    let shifts = check_terms(context, requester, new)?;
    let forecasts = context.forecasts(shift::last_end(&shifts))?;
    check_plan(context, new, shifts, &forecasts)
}

/// Whether an offer can be made, with forecasts that reach to the end of both shifts.
pub(super) fn can_offer(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewSwap,
    forecasts: &[CellForecast],
) -> bool {
    let checked = check_terms(context, requester, new)
        .and_then(|shifts| check_plan(context, new, shifts, forecasts));
    checked.is_ok_and(|checked| !checked.legs.iter().any(LegPreview::is_blocked))
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
) -> Result<Vec<Shift>, Refusal> {
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
    Ok(shifts)
}

/// Checks both shifts against what is planned.
fn check_plan(
    context: &AgreementContext,
    new: &NewSwap,
    shifts: Vec<Shift>,
    forecasts: &[CellForecast],
) -> Result<Preview, Refusal> {
    let covered = |(index, shift): (usize, &Shift)| {
        context.check_covered(&path(index), shift.cell, shift.terms.period)
    };
    let covered = shifts.iter().enumerate().map(covered);
    let covered: Vec<Vec<Interval>> = covered.collect::<Result<_, _>>()?;
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
    let legs = new.legs.iter().zip(shifts).zip(covered);
    let legs = legs.map(|((leg, shift), covered)| {
        let conflicts = shift.conflicts(context, &etag::conflict_id);
        LegPreview {
            key: Some(leg.key.clone()),
            user: Some(shift.terms.user),
            period: shift.terms.period,
            covered,
            is_acknowledged: conflict::acknowledged(&conflicts, &new.acknowledged),
            conflicts,
            selection: None,
            has_started: leg.period.from <= context.now,
        }
    });
    Ok(Preview {
        legs: legs.collect(),
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

impl Proposal for NewSwap {
    const NAME: &'static str = "offer swap";
    type Output = RequestWritten;

    fn named(&self) -> NamedIds {
        NamedIds::people([&self.recipient])
    }

    fn check(&self, context: &AgreementContext, by: &Principal) -> Result<Preview> {
        Ok(check(context, by.person()?, self)?)
    }

    fn previewed(self, preview: &Preview, acknowledges: bool) -> NewSwap {
        match acknowledges {
            true => NewSwap {
                acknowledged: preview.conflict_ids(),
                ..self
            },
            false => self,
        }
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        by: &Principal,
        checked: Preview,
    ) -> Result<RequestWritten> {
        let (requester, rotation) = (by.person()?, draft.rotation.id.clone());
        let legs = self.legs.iter().enumerate();
        let legs = legs.map(|(index, leg)| handed_over(requester, &self, leg, &path(index)));
        let id = RequestId::from(tx.mint("swp_"));
        // Only existing conflicts are stored as acknowledged.
        let seen = checked.conflict_ids().into_iter();
        let request = Request {
            legs: legs.collect::<Result<_, _>>()?,
            acknowledged: seen.filter(|id| self.acknowledged.contains(id)).collect(),
            recipients: vec![self.recipient],
            reason: self.reason,
            ..Request::new(id, &rotation, RequestKind::Swap, requester)
        };
        proposals::request(tx, draft, by, (request, checked))
    }
}
