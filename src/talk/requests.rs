//! Cover and swap requests: those that wait for the reader, and steps of one.

use super::visit::{Visit, title};
use crate::actions::answering::AnswerRequest;
use crate::actions::overview::{self, Asked, OwnRequests};
use crate::actions::{ActionError, Error, Result};
use crate::domain::edit::Answering;
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{
    Leg, Request, RequestKind, RequestState, RequestView, RequestWritten, Step,
};
use crate::wire::etag::Precondition;

/// Whose requests these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// They wait for the reader.
    Waiting,
    /// The reader made them.
    Own,
}

/// The requests that wait for the reader, and their own that are pending.
pub fn pending(visit: &Visit) -> Result<(Vec<Asked>, Vec<Asked>)> {
    let all = overview::requests_of(visit.app, visit.caller(), visit.me(), OwnRequests::Pending)?;
    let can_answer = |asked: &Asked| {
        let capability = &asked.view.capability;
        capability.can_accept || capability.can_decline
    };
    let (own, others): (Vec<Asked>, Vec<Asked>) = all
        .into_iter()
        .partition(|asked| asked.view.request.requester == *visit.me());
    Ok((others.into_iter().filter(can_answer).collect(), own))
}

/// A line about a request.
pub fn line(visit: &Visit, asked: &Asked, side: Side) -> String {
    let request = &asked.view.request;
    let rotation = visit.plain(&title(&asked.view.rotation_name, asked.code.as_deref()));
    let leg = |leg: &Leg| {
        let index = request.legs.iter().position(|one| one == leg);
        let slot = index.and_then(|index| asked.slots.get(index));
        let slot = slot.map_or(String::new(), |slot| slot.join(", "));
        let slot = match slot.is_empty() {
            true => String::new(),
            false => format!("{}, ", visit.plain(&slot)),
        };
        let (from, until) = (leg.period.from, leg.period.until);
        format!("{slot}{} to {}", visit.time(from), visit.time(until))
    };
    let legs = |theirs: bool| {
        let of = |one: &&Leg| (one.holder == request.requester) == theirs;
        let legs: Vec<String> = request.legs.iter().filter(of).map(leg).collect();
        legs.join(" and ")
    };
    let who = match side {
        Side::Waiting => visit.person(&request.requester),
        Side::Own => "You".to_owned(),
    };
    let asks = if side == Side::Own {
        ("ask", "offer")
    } else {
        ("asks", "offers")
    };
    let whom = match side {
        Side::Waiting => "you".to_owned(),
        Side::Own => visit.people(&request.recipients),
    };
    let said = match request.kind {
        RequestKind::Cover => format!(
            "{who} {} {whom} to cover {rotation}: {}",
            asks.0,
            legs(true)
        ),
        RequestKind::Swap => format!(
            "{who} {} {whom} a swap in {rotation}: {} for {}",
            asks.1,
            legs(true),
            legs(false)
        ),
    };
    match request.reason.trim() {
        "" => said,
        reason => format!("{said}\n{}", visit.markup.quote(reason)),
    }
}

/// The id of the request, as it is kept for the second answer.
pub fn made(_: &str, written: &RequestWritten) -> Result<String, Error> {
    Ok(written.request.request.id.to_string())
}

/// Takes a step, as the API does, at the revision that the request has now: a button is about the request as it stands.
pub fn take(
    visit: &Visit,
    rotation: &RotationId,
    request: &RequestId,
    step: Step,
    operation_id: String,
    answering: Answering,
) -> Result<()> {
    let kind = overview::kind_of(request);
    let action = match (step, kind) {
        (Step::Accept, RequestKind::Cover) => "acceptCoverRequest",
        (Step::Accept, RequestKind::Swap) => "acceptSwapRequest",
        (Step::Decline, RequestKind::Cover) => "declineCoverRequest",
        (Step::Decline, RequestKind::Swap) => "declineSwapRequest",
        (Step::Cancel, RequestKind::Cover) => "cancelCoverRequest",
        (Step::Cancel, RequestKind::Swap) => "cancelSwapRequest",
        (Step::End, _) => "endCoverRequest",
    };
    let expected_revision = match answering.expected_revision {
        0 => {
            overview::request(visit.app, visit.caller(), request)?
                .1
                .view
                .request
                .revision
        }
        seen => seen,
    };
    let operation = AnswerRequest {
        kind,
        request: request.clone(),
        step,
        answering: Answering {
            expected_revision,
            ..answering
        },
    };
    let named = (action, request.as_str());
    visit.write(
        rotation,
        named,
        operation_id,
        &Precondition::Any,
        operation,
        made,
    )?;
    Ok(())
}

/// The reply once a step is taken.
pub fn done(step: Step) -> &'static str {
    match step {
        Step::Accept => "You have accepted.",
        Step::Decline => "You have declined.",
        Step::Cancel => "The request was cancelled.",
        Step::End => "The cover was ended.",
    }
}

/// Why a step did nothing: what came of the request where it is over, else the refusal.
pub fn over(visit: &Visit, request: &RequestId, refusal: &Refusal) -> Result<String> {
    let outcome = match overview::request(visit.app, visit.caller(), request) {
        Ok((_, asked)) => came_of(visit, &asked.view),
        Err(ActionError::Refused(_)) => None,
        Err(stop) => return Err(stop),
    };
    Ok(match outcome {
        Some(outcome) => outcome,
        None => visit.why(refusal)?,
    })
}

/// The outcome of a request; `None` while it is pending.
fn came_of(visit: &Visit, view: &RequestView) -> Option<String> {
    let request: &Request = &view.request;
    let noun = request.kind.noun();
    Some(match request.state {
        RequestState::Pending => return None,
        RequestState::Accepted => match &request.accepted_by {
            Some(by) => format!("This {noun} is over: {} has accepted it.", visit.person(by)),
            None => format!("This {noun} is over: it was accepted."),
        },
        RequestState::Declined => {
            format!("This {noun} is over: everybody who was asked has declined.")
        }
        RequestState::Cancelled => format!("This {noun} is over: it was cancelled."),
        RequestState::Expired => format!(
            "This {noun} is over: nobody accepted in time, or the turn is no longer held as planned."
        ),
        RequestState::Ended => format!("This {noun} is over: the cover was ended."),
    })
}
