//! Cover and swap requests: those that wait for the reader, and what a click on one does.

use super::blocks::Blocks;
use super::buttons::{Click, answers};
use super::mrkdwn::{people, person, plain, time};
use super::visit::{Outcome, Visit, title};
use crate::actions::answering::AnswerRequest;
use crate::actions::overview::{self, Asked, OwnRequests};
use crate::actions::{ActionError, Error, Result};
use crate::domain::edit::Answering;
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::domain::request::{
    Leg, Request, RequestKind, RequestState, RequestView, RequestWritten, Step,
};
use crate::wire::etag::Precondition;

/// Requests in one list.
const MOST: usize = 8;

/// Whose requests these are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// They wait for the reader.
    Waiting,
    /// The reader made them.
    Own,
}

/// Adds the requests that wait for the reader, with the buttons that answer them, and their own that are pending.
pub fn add(visit: &Visit, blocks: &mut Blocks, text: &mut Vec<String>) -> Result<()> {
    let all = overview::requests_of(visit.app, visit.caller(), visit.me(), OwnRequests::Pending)?;
    let can_answer = |asked: &&Asked| {
        let capability = &asked.view.capability;
        capability.can_accept || capability.can_decline
    };
    let waiting: Vec<&Asked> = all.iter().filter(can_answer).collect();
    let is_own = |asked: &&Asked| asked.view.request.requester == *visit.me();
    let own: Vec<&Asked> = all.iter().filter(is_own).collect();
    for (heading, side, shown) in [
        ("*Waiting for you*", Side::Waiting, waiting),
        ("*Your requests*", Side::Own, own),
    ] {
        if shown.is_empty() && side == Side::Own {
            continue;
        }
        blocks.section(heading);
        text.push(heading.to_owned());
        if shown.is_empty() {
            blocks.section("No request.");
            text.push("No request.".to_owned());
        }
        for asked in shown.iter().take(MOST) {
            let line = line(visit, asked, side);
            blocks.section(&line);
            text.push(line);
            blocks.elements(elements(asked, side));
        }
        if shown.len() > MOST {
            blocks.context(&format!("And {} more.", shown.len() - MOST));
        }
    }
    Ok(())
}

fn elements(asked: &Asked, side: Side) -> Vec<serde_json::Value> {
    let (request, capability) = (&asked.view.request, &asked.view.capability);
    if side == Side::Own {
        let cancel = Click::Cancel(request.id.clone()).button();
        return match capability.can_cancel {
            true => vec![cancel.render()],
            false => Vec::new(),
        };
    }
    let offered = [
        capability.can_accept.then_some(OfferedAnswer::Accept),
        capability.can_decline.then_some(OfferedAnswer::Decline),
    ];
    let offered: Vec<OfferedAnswer> = offered.into_iter().flatten().collect();
    answers(&request.rotation, &request.id, &offered)
}

fn line(visit: &Visit, asked: &Asked, side: Side) -> String {
    let request = &asked.view.request;
    let rotation = plain(&title(&asked.view.rotation_name, asked.code.as_deref()));
    let leg = |leg: &Leg| {
        let index = request.legs.iter().position(|one| one == leg);
        let slot = index.and_then(|index| asked.slots.get(index));
        let slot = slot.map_or(String::new(), |slot| slot.join(", "));
        let slot = match slot.is_empty() {
            true => String::new(),
            false => format!("{}, ", plain(&slot)),
        };
        let (from, until) = (leg.period.from, leg.period.until);
        let zone = visit.zone();
        format!("{slot}{} to {}", time(from, zone), time(until, zone))
    };
    let legs = |theirs: bool| {
        let of = |one: &&Leg| (one.holder == request.requester) == theirs;
        let legs: Vec<String> = request.legs.iter().filter(of).map(leg).collect();
        legs.join(" and ")
    };
    let who = match side {
        Side::Waiting => person(&request.requester),
        Side::Own => "You".to_owned(),
    };
    let asks = if side == Side::Own {
        ("ask", "offer")
    } else {
        ("asks", "offers")
    };
    let whom = match side {
        Side::Waiting => "you".to_owned(),
        Side::Own => people(&request.recipients),
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
        reason => format!("{said}\n&gt; {}", plain(reason)),
    }
}

/// The id of the request, as it is kept for the second answer.
pub fn made(_: &str, written: &RequestWritten) -> Result<String, Error> {
    Ok(written.request.request.id.to_string())
}

/// A click on the button that cancels a request of the reader's.
pub fn cancel(visit: &Visit, request: &RequestId) -> Outcome {
    let (rotation, _) = overview::request(visit.app, visit.caller(), request)?;
    let once = visit.incoming.operation_id();
    match take(
        visit,
        &rotation.id,
        request,
        Step::Cancel,
        once,
        Answering::default(),
    ) {
        Ok(()) => Ok(visit.say(done(Step::Cancel))),
        Err(ActionError::Refused(refusal)) => over(visit, request, refusal),
        Err(stop) => Err(stop),
    }
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

/// Why a click did nothing: what came of the request where it is over, else the refusal.
pub fn over(visit: &Visit, request: &RequestId, refusal: Refusal) -> Outcome {
    let found = overview::request(visit.app, visit.caller(), request);
    let outcome = match &found {
        Ok((_, asked)) => came_of(&asked.view),
        Err(ActionError::Refused(_)) => None,
        Err(_) => return found.map(|_| crate::slack_inbound::Reply::nothing()),
    };
    let said = match outcome {
        Some(outcome) => outcome,
        None => visit.why(&refusal)?,
    };
    Ok(visit.say(&said))
}

/// The outcome of a request; `None` while it is pending.
pub fn came_of(view: &RequestView) -> Option<String> {
    let request: &Request = &view.request;
    let noun = request.kind.noun();
    Some(match request.state {
        RequestState::Pending => return None,
        RequestState::Accepted => match &request.accepted_by {
            Some(by) => format!("This {noun} is over: {} has accepted it.", person(by)),
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
