//! Creates cover requests.

use super::chat_ids::Named;
use super::draft::Draft;
use super::mutation::Operation;
use super::request_writes::{Notify, Outcome, ask, written};
use super::{ActionError, App, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, AgreementPreview, check_unblocked};
use crate::domain::arrangement::TurnSelection;
use crate::domain::conflict::Conflict;
use crate::domain::edit::NewCover;
use crate::domain::fault::Fault;
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::{Leg, Request, RequestKind, RequestState, RequestWritten};
use crate::domain::rotation::Rotation;
use crate::domain::shift;
use crate::domain::time::Interval;
use crate::store::{ReadTx, WriteTx};
use crate::wire::etag;

/// A checked cover request with its forecast.
struct Checked {
    period: Interval,
    covered: Vec<Interval>,
    conflicts: Vec<Conflict>,
    selection: Option<TurnSelection>,
}

/// Checks a cover request. Whether a recipient may hold it in addition to their other duties is checked when they
/// accept.
fn check(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewCover,
) -> Result<Checked, Refusal> {
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
    Ok(Checked {
        period,
        covered,
        conflicts: offers
            .iter()
            .flat_map(|offer| offer.conflicts(context, &etag::conflict_id))
            .collect(),
        selection,
    })
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

/// Previews a cover request without changing anything. Returns the rotation for its ETag.
pub fn preview(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: &NewCover,
) -> Result<(Rotation, AgreementPreview), ActionError> {
    let requester = caller.person()?;
    reads::in_context(app, caller, id, |_, context| {
        context.rotation.check_own()?;
        let checked = check(context, requester, new)?;
        Ok(AgreementPreview::new(
            checked.period,
            checked.covered,
            checked.conflicts,
            &new.acknowledged,
            checked.selection,
        ))
    })
}

/// Creates a cover request. Who is on call does not change until it is accepted.
pub struct AskForCover(pub NewCover);

impl Operation for AskForCover {
    const NAME: &'static str = "ask for cover";
    type Output = RequestWritten;

    fn named(&self) -> Named {
        Named::people(&self.0.recipients)
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
        let (AskForCover(new), requester) = (self, caller.person()?);
        let checked = check(&draft.context(tx), requester, &new)?;
        check_unblocked(&checked.conflicts)?;
        let request = request(tx, draft, requester.clone(), new);
        ask(tx, draft, &request)?;
        written(tx, draft, caller, &request, Outcome::beside(Notify::Asked))
    }
}

fn request(tx: &mut WriteTx, draft: &Draft, requester: UserId, new: NewCover) -> Request {
    let leg = leg(&requester, &new, None);
    Request {
        id: RequestId::from(tx.mint("cov_")),
        rotation: draft.rotation.id.clone(),
        kind: RequestKind::Cover,
        requester,
        recipients: new.recipients,
        declined: Vec::new(),
        legs: vec![leg],
        reason: new.reason,
        turn_selection: new.turn_selection,
        acknowledged: Vec::new(),
        revision: 1,
        state: RequestState::Pending,
        accepted_by: None,
    }
}
