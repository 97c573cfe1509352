//! /v1/rotations/{rotationId}/changes: edits that are made as one, now or later.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{Kind, Operation, operation, parameter, text};
use super::rotations::agrees;
use crate::actions::Error;
use crate::actions::changes::{self, CancelChange, MakeChange};
use crate::domain::ids::{ChangeId, RotationId};
use crate::domain::staged::{ChangeState, StagedChange};
use crate::server::Problem;
use crate::store::ChangeFilter;
use crate::wire::change::{self, Change, ChangeRequest};
use crate::wire::etag::Precondition;

const STATES: &[&str] = &["waiting", "applied", "failed", "cancelled"];

pub const CREATE: Operation = operation("createChange", "changes", "Make a change, now or later")
    .about("Applies edits in one transaction: at once, at the next hand-over, or at an instant. One that waits is part of the plan \
        from now on: schedule, shifts, feeds, warnings and previews show what will be. It is refused where a preview would refuse \
        it. When its time comes it is applied before everything else of that instant, and whoever comes on is dealt once, after it.")
    .takes::<ChangeRequest>()
    .gives_with::<Change>(201, "The change.", &["ETag", "Location"])
    .refuses(&[
        "payment_required", "rotation_code_taken", "external_rotation_is_read_only", "operationIdReused", "user_group_not_manageable",
        "chat_unavailable", "too_many_changes", "change_ended",
    ]);

/// POST a change.
pub fn create(call: &Call, precondition: &Precondition) -> Outcome {
    let asked = change::parse(&call.body)?;
    let make = MakeChange {
        change: asked.change,
        agrees: asked.repeated.map(|repeated| agrees(call, repeated)),
        chosen: None,
    };
    let id: RotationId = call.path.id("rotationId");
    let (answer, etag) = once::written(call, precondition, asked.operation_id, make, rendered)?;
    let made: serde_json::Value = serde_json::from_str(&answer)
        .map_err(|error| Problem::internal(format!("cannot read a stored change: {error}")))?;
    let location = format!(
        "/v1/rotations/{id}/changes/{}",
        made["id"].as_str().unwrap_or_default()
    );
    let body = answer::with_body(201, crate::server::Body::from_data(answer));
    Ok(body.with("ETag", etag).with("Location", location))
}

fn rendered(_: &str, change: &StagedChange) -> Result<String, Error> {
    once::text(&shown(change))
}

fn shown(change: &StagedChange) -> Change {
    let problem = change.problem.clone();
    let problem = problem.map(|refusal| Problem::from(refusal).body(None));
    change::render(change, problem)
}

pub const LIST: Operation = operation("listChanges", "changes", "List changes")
    .about("The changes of the rotation by their instants: those that wait, and those that ended in the last 30 days.")
    .query(&[
        parameter("state", Kind::OneOf(STATES), "Only those in this state."),
        text("managedBy", "Only those of this file."),
    ])
    .gives_page::<Change>("A page of changes.");

/// GET changes.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let filter = ChangeFilter {
        state: call.query.choice("state", STATES, ChangeState::parse)?,
        managed_by: call.query.one("managedBy")?.map(str::to_owned),
        ended_after: None,
    };
    let id: RotationId = call.path.id("rotationId");
    let found = changes::list(call.app, call.caller, &id, filter)?;
    answer::json(
        200,
        &answer::page_of(found, page).map(|change| shown(&change)),
    )
}

pub const READ: Operation = operation("getChange", "changes", "Read a change")
    .about("One change, with the ETag of its rotation. One that ended more than 30 days ago is no longer there.")
    .gives_tagged::<Change>("The change.");

/// GET a change.
pub fn read(call: &Call) -> Outcome {
    let (id, change): (RotationId, ChangeId) =
        (call.path.id("rotationId"), call.path.id("changeId"));
    let (rotation, found) = changes::read(call.app, call.caller, &id, &change)?;
    answer::tagged(call, &rotation, 200, &shown(&found))
}

pub const CANCEL: Operation = operation("cancelChange", "changes", "Cancel a change")
    .about("Cancels a change that waits. The plan is again what it would be without it.")
    .gives_tagged::<Change>("The change as it is then.")
    .refuses(&["change_ended"]);

/// DELETE a change.
pub fn cancel(call: &Call, precondition: &Precondition) -> Outcome {
    let written = call.write(precondition, CancelChange(call.path.id("changeId")))?;
    answer::tagged(call, &written.rotation, 200, &shown(&written.output))
}
