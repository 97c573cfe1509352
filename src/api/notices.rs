//! /v1/rotations/{rotationId}/pending-notices (rules.md 28).

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation};
use crate::actions::told_plan;
use crate::server::Response;
use crate::wire::notice::{self as wire, PendingNotices, PeopleTold};

pub const PENDING: Operation = operation(
    "getPendingNotices",
    "messages",
    "Read what people are still to be told",
)
.about("Whether a rotation was changed so that shifts may have moved, and when people are told. 204 where nothing is pending.")
.gives::<PendingNotices>(200, "What is pending.")
.gives_nothing("Nothing is pending.");

/// GET what is pending.
pub fn pending(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    match told_plan::pending(call.app, call.caller, &id)? {
        Some(view) => answer::json(200, &wire::pending(view.pending, view.sends_at)),
        None => Ok(Response::empty(204)),
    }
}

pub const SEND: Operation = operation(
    "sendPendingNotices",
    "messages",
    "Tell people now that their shifts moved",
)
.about("Sends the messages of kind `shiftsMoved` that are pending, without waiting for further changes.")
.gives::<PeopleTold>(200, "Who was told.");

/// POST: tell them now.
pub fn send(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    let told = told_plan::send_now(call.app, &call.author(), &id)?;
    answer::json(200, &wire::told(&told))
}
