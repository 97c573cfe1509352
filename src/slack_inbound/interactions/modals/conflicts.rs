//! The conflicts of accepting a request, with a box to acknowledge them.

use super::{Metadata, field, update};
use crate::actions::acceptance;
use crate::actions::{ActionError, Result, overview};
use crate::domain::edit::Answering;
use crate::domain::ids::RequestId;
use crate::domain::refusal::Refusal;
use crate::domain::request::Step;
use crate::slack_inbound::incoming::View;
use crate::slack_inbound::interactions::blocks::{Blocks, modal};
use crate::slack_inbound::interactions::requests;
use crate::slack_inbound::interactions::visit::{Outcome, Visit};
use crate::slack_inbound::reply::Reply;
use crate::talk::{self, proposing::acceptance_token};
use serde_json::Value;

/// The `callback_id`.
pub const NAME: &str = "accept";

/// The form for somebody who accepts a request.
pub fn form(visit: &Visit, request: &RequestId) -> Result<Value> {
    let (rotation, asked) = overview::request(visit.app, visit.caller(), request)?;
    let found = acceptance::preview(visit.app, visit.caller(), &rotation.id, request)?;
    let metadata = Metadata {
        rotation: Some(rotation.id),
        request: Some(request.clone()),
        revision: Some(found.revision),
        ..Metadata::default()
    };
    let mut blocks = Blocks::view();
    let noun = asked.view.request.kind.noun();
    let name = visit.plain(&asked.view.rotation_name);
    blocks.section(&format!("You are about to accept a {noun} in {name}."));
    if !found.started_legs.is_empty() {
        blocks.section("A turn has begun: the rest of it changes hands.");
    }
    match found.conflicts.is_empty() {
        false => field::conflicts(visit, &mut blocks, &found.conflicts),
        true => blocks.section("Nothing else is in the way."),
    }
    if found.conflicts.is_empty() && !found.started_legs.is_empty() {
        let label = "I take over the rest of the turn.";
        field::acknowledge(&mut blocks, &acceptance_token(&found), label);
    }
    Ok(modal(
        NAME,
        "Accept",
        Some("Accept"),
        &metadata.text(),
        blocks,
    ))
}

/// The form was sent. What has changed since it was shown is shown again.
pub fn sent(visit: &Visit, view: &View, metadata: &Metadata) -> Outcome {
    let (Some(rotation), Some(request)) = (&metadata.rotation, &metadata.request) else {
        return Err(Refusal::NotFound("request").into());
    };
    let found = match acceptance::preview(visit.app, visit.caller(), rotation, request) {
        Ok(found) => found,
        Err(ActionError::Refused(refusal)) => return over(visit, request, &refusal),
        Err(stop) => return Err(stop),
    };
    let is_empty = found.conflicts.is_empty() && found.started_legs.is_empty();
    if !is_empty && !field::is_acknowledged(view, &acceptance_token(&found)) {
        return Ok(update(form(visit, request)?));
    }
    let answering = Answering {
        expected_revision: metadata.revision.unwrap_or(found.revision),
        acknowledged: found.conflicts.into_iter().map(|one| one.id).collect(),
        started_legs: found.started_legs,
    };
    let once = visit.operation_id.clone();
    match talk::requests::take(visit, rotation, request, Step::Accept, once, answering) {
        Ok(()) => Ok(Reply::nothing()),
        Err(ActionError::Refused(refusal)) => over(visit, request, &refusal),
        Err(stop) => Err(stop),
    }
}

/// The outcome of the request, in place of the form.
fn over(visit: &Visit, request: &RequestId, refusal: &Refusal) -> Outcome {
    let reply = requests::over(visit, request, refusal)?;
    let text = reply.body.as_ref().and_then(|body| body.get("text"));
    let text = text.and_then(Value::as_str).unwrap_or_default();
    Ok(update(super::told(text)))
}
