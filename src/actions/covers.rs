//! Creates cover requests.

use super::Result;
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::proposals::{self, Proposal};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, LegPreview, Preview};
use crate::domain::conflict::{self, Conflict};
use crate::domain::edit::NewCover;
use crate::domain::fault::Fault;
use crate::domain::ids::{RequestId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::{Leg, Request, RequestKind, RequestWritten};
use crate::domain::shift;
use crate::store::WriteTx;
use crate::wire::etag;

/// Checks a cover request. Whether a recipient may hold it in addition to their other duties is checked when they
/// accept.
fn check(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewCover,
) -> Result<Preview, Refusal> {
    let cell = context.cell("cellId", &new.cell)?;
    let period = context.rest("to", new.asked)?;
    for (index, recipient) in new.recipients.iter().enumerate() {
        let member = format!("recipientUserIds[{index}]");
        if recipient == requester {
            return invalid(member, Fault::Yourself("ask another person"));
        }
        context.check_eligible(&member, cell, recipient)?;
    }
    context.check_runs("cellId", cell)?;
    if !context.rotation.has_member(requester) {
        // Checked before the forecast, because anyone who sees the rotation may get this far.
        return Err(Refusal::NotYourDuty(
            "you are not a member of this rotation".into(),
        ));
    }
    let forecasts = context.forecasts(period.until)?;
    let covered = context.check_covered("", cell, period)?;
    let selection = forecasts[cell].selection(period, context.now);
    context.check_selection(new.turn_selection, selection)?;
    let offered = new
        .recipients
        .iter()
        .map(|user| leg(requester, new, Some(user)));
    let offers = shift::shifts(context, &offered.collect::<Vec<_>>(), |_| String::new())?;
    shift::check_held(&offers[..1], &forecasts)?;
    let conflicts = offers.iter();
    let conflicts = conflicts.flat_map(|offer| offer.conflicts(context, &etag::conflict_id));
    let conflicts: Vec<Conflict> = conflicts.collect();
    let leg = LegPreview {
        key: None,
        user: None,
        period,
        covered,
        is_acknowledged: conflict::acknowledged(&conflicts, &new.acknowledged),
        conflicts,
        selection,
        has_started: new.asked.from <= context.now,
    };
    Ok(Preview { legs: vec![leg] })
}

fn leg(requester: &UserId, new: &NewCover, assignee: Option<&UserId>) -> Leg {
    Leg {
        key: None,
        cell: new.cell.clone(),
        holder: requester.clone(),
        assignee: assignee.cloned(),
        period: new.asked,
        arrangement: None,
    }
}

impl Proposal for NewCover {
    const NAME: &'static str = "ask for cover";
    type Output = RequestWritten;

    fn named(&self) -> NamedIds {
        NamedIds::people(&self.recipients)
    }

    fn check(&self, context: &AgreementContext, by: &Principal) -> Result<Preview> {
        Ok(check(context, by.person()?, self)?)
    }

    fn previewed(self, preview: &Preview, _: bool) -> NewCover {
        NewCover {
            turn_selection: preview.first().selection,
            ..self
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
        let id = RequestId::from(tx.mint("cov_"));
        let request = Request {
            legs: vec![leg(requester, &self, None)],
            recipients: self.recipients,
            reason: self.reason,
            turn_selection: self.turn_selection,
            ..Request::new(id, &rotation, RequestKind::Cover, requester)
        };
        proposals::request(tx, draft, by, (request, checked))
    }
}
