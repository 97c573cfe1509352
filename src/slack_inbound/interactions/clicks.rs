//! Clicks on buttons: under messages, in answers, on the home tab.

use super::buttons::Click;
use super::visit::{Outcome, Visit};
use super::{duty, me, modals, requests, rotation};
use crate::actions::ActionError;
use crate::chat::slack::{About, Button};
use crate::domain::edit::Answering;
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::domain::request::Step;
use crate::slack_inbound::incoming::{Actions, Place};
use crate::slack_inbound::reply::{Later, Reply};
use crate::talk;
use serde_json::Value;

/// Answers a click. Choices in fields of a modal wait until it is sent.
pub fn answer(visit: &Visit, actions: &Actions) -> Outcome {
    let Some(action) = actions.actions.first() else {
        return Ok(Reply::nothing());
    };
    let value = action.entered.one().unwrap_or_default();
    let trigger_id = actions.trigger_id.as_deref();
    if let Some(Button { answer, about }) = Button::parse(&action.action_id, value) {
        let outcome = match about {
            About::Request { rotation, request } => {
                asked(visit, (&rotation, &request), answer, trigger_id)
            }
            About::Mention { mention, .. } => {
                let said = talk::mention::answer(visit, &mention, answer);
                said.map(|said| visit.say(&said.map_or_else(|told| told, str::to_owned)))
            }
        };
        return placed(visit, actions, outcome);
    }
    let Some(click) = Click::parse(&action.action_id, value) else {
        return Ok(Reply::nothing());
    };
    let outcome = match &click {
        Click::Rotate { rotation, tag } => duty::rotate_shown(visit, rotation, tag),
        Click::Cover(id) | Click::Swap(id) => {
            let found = visit.rotation(id.as_str());
            let channel = match &actions.place {
                Place::Message { channel, .. } => Some(channel),
                Place::View(_) => None,
            };
            let made = found.and_then(|rotation| match click {
                Click::Cover(_) => modals::cover(visit, Some(&rotation), channel),
                _ => modals::swap(visit, Some(&rotation), channel),
            });
            made.map(|made| match made {
                Ok(view) => visit.open(trigger_id, view),
                Err(why_not) => visit.say(&why_not),
            })
        }
        Click::Details(id) => rotation::details(visit, id).map(|view| visit.open(trigger_id, view)),
        Click::Cancel(request) => requests::cancel(visit, request),
        Click::EndAbsence(absence) => me::end(visit, absence),
        Click::Away => {
            modals::away(visit, None, None, None).map(|view| visit.open(trigger_id, view))
        }
    };
    placed(visit, actions, outcome)
}

/// A click on Accept or Decline. Where something is in the way of accepting, a modal names it.
fn asked(
    visit: &Visit,
    (rotation, request): (&RotationId, &RequestId),
    answer: OfferedAnswer,
    trigger_id: Option<&str>,
) -> Outcome {
    let step = match answer {
        OfferedAnswer::Accept => Step::Accept,
        _ => Step::Decline,
    };
    let once = visit.incoming.operation_id();
    match talk::requests::take(visit, rotation, request, step, once, Answering::default()) {
        Ok(()) => Ok(visit.say(talk::requests::done(step))),
        Err(ActionError::Refused(
            Refusal::ConflictsNotAcknowledged(_) | Refusal::StartedLegNotAcknowledged(_),
        )) => {
            let view = modals::in_the_way(visit, request)?;
            Ok(visit.open(trigger_id, view))
        }
        Err(ActionError::Refused(refusal)) => requests::over(visit, request, &refusal),
        Err(stop) => Err(stop),
    }
}

/// Puts the answer where its reader sees it: a click on the home tab has no message to answer to, so its answer is a modal.
fn placed(visit: &Visit, actions: &Actions, outcome: Outcome) -> Outcome {
    let mut reply = match outcome {
        Ok(reply) => reply,
        Err(stop) => visit.refused(stop)?,
    };
    if matches!(actions.place, Place::View(_))
        && let Some(body) = reply.body.take()
        && let Some(trigger_id) = &actions.trigger_id
    {
        let text = body.get("text").and_then(Value::as_str).unwrap_or_default();
        reply.later.push(Later::OpenView {
            trigger_id: trigger_id.clone(),
            view: modals::told(text),
        });
    }
    Ok(reply)
}
