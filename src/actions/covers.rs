//! Asking others to cover a duty (api.md "POST .../cover-requests"; contract section 10).

use super::acceptance;
use super::mutation::Draft;
use super::operation::{self, Operation, Receipt};
use super::requests::{self, Notify, Outcome};
use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, check_unblocked};
use crate::domain::arrangement::TurnSelection;
use crate::domain::conflict::Conflict;
use crate::domain::edit::NewCover;
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{Leg, Request, RequestKind, RequestState};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{ReadTx, WriteTx};
use crate::wire::arrangement::{self as wire, AgreementPreview};
use crate::wire::etag::Precondition;
use crate::wire::request::CoverRequest;

/// A duty to cover as the plan sees it.
struct Judged {
    period: Interval,
    conflicts: Vec<Conflict>,
    selection: Option<TurnSelection>,
}

/// Judges what somebody asks others to cover. Whether a recipient may hold it beside what they hold is judged when they
/// accept.
fn judge(
    context: &AgreementContext,
    requester: &UserId,
    new: &NewCover,
) -> Result<Judged, Refusal> {
    let cell = context.cell("cellId", &new.cell)?;
    let period = context.rest("to", new.asked)?;
    for (index, recipient) in new.recipients.iter().enumerate() {
        let member = format!("recipientUserIds[{index}]");
        if recipient == requester {
            return Err(Refusal::Invalid(format!(
                "{member}: that is you; ask somebody else"
            )));
        }
        context.check_eligible(&member, cell, recipient)?;
    }
    context.check_runs("cellId", cell)?;
    if !context.rotation.has_member(requester) {
        // Without a look at the plan: anybody who sees the rotation may come this far.
        return Err(Refusal::NotYourDuty(
            "you are not a member of this rotation".into(),
        ));
    }
    let outlooks = context.outlooks(period.until)?;
    let selection = outlooks[cell].selection(period, context.now);
    context.check_selection(new.turn_selection, selection)?;
    let offered = new
        .recipients
        .iter()
        .map(|user| leg(requester, new, Some(user)));
    let offers = acceptance::shifts(context, &offered.collect::<Vec<_>>(), |_| String::new())?;
    acceptance::check_held(&offers[..1], &outlooks)?;
    Ok(Judged {
        period,
        conflicts: offers
            .iter()
            .flat_map(|offer| offer.conflicts(context))
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

/// What asking for cover would meet; changes nothing. The rotation is answered for its validator.
pub fn preview(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: &NewCover,
) -> Result<(Rotation, AgreementPreview), Stop> {
    let requester = caller.person()?;
    reads::in_context(app, caller, id, |_, context| {
        let judged = judge(context, requester, new)?;
        Ok(wire::preview(
            judged.period,
            &judged.conflicts,
            &new.acknowledged,
            judged.selection,
        ))
    })
}

/// Asks others to cover a duty; who is on duty stays as it is until somebody accepts.
pub fn create(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    operation: Operation,
    new: NewCover,
) -> Result<Receipt, Stop> {
    let requester = caller.person()?.clone();
    let (asking, named) = (caller.clone(), operation.id.clone());
    let part = |_: &ReadTx, _: &Rotation| Ok(());
    operation::run(
        app,
        caller,
        id,
        precondition,
        operation,
        part,
        move |tx, draft| {
            let judged = judge(&draft.context(tx), &requester, &new)?;
            check_unblocked(&judged.conflicts)?;
            let request = request(tx, draft, requester, new);
            requests::ask(tx, draft, &request)?;
            requests::written::<CoverRequest>(
                tx,
                draft,
                &asking,
                named,
                &request,
                Outcome::beside(Notify::Asked),
            )
        },
    )
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
