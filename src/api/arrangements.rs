//! /v1/rotations/{rotationId}/duty-arrangements: assignments of a cell for an interval.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{FROM, Operation, TO, operation, refusals};
use crate::actions::assignments::EndArrangement;
use crate::actions::proposals::{self, Propose};
use crate::actions::{Error, arrangements};
use crate::domain::arrangement::ArrangementWritten as Written;
use crate::domain::ids::{ArrangementId, RotationId};
use crate::wire::arrangement::{
    self, AgreementPreview, Arrangement, ArrangementWritten, AssignmentRequest, StepRequest,
    WithOperationId,
};
use crate::wire::etag::Precondition;

/// The stored response of a write of arrangements.
fn written(operation_id: &str, written: &Written) -> Result<String, Error> {
    once::text(&arrangement::written(operation_id, written))
}

pub const PREVIEW: Operation = operation(
    "previewArrangement",
    "arrangements",
    "Preview an assignment",
)
.about("Returns when the assignment would take effect and what conflicts with it. Changes nothing.")
.takes::<AssignmentRequest>()
.gives_tagged::<AgreementPreview>("The preview.")
.refuses(refusals::PREVIEW_ASSIGNMENT);

/// POST a preview of an assignment.
pub fn preview(call: &Call) -> Outcome {
    let new = arrangement::parse_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = proposals::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &arrangement::preview(&preview))
}

pub const CREATE: Operation = operation("createArrangement", "arrangements", "Assign a cell")
    .about("A person of the cell's roster holds the cell for the interval. Dealing continues underneath: when the assignment \
        ends, the current dealt holder is back. Owners and workspace admins assign anybody of the roster; any member may take hours that \
        nobody has, for themselves.")
    .takes::<WithOperationId<AssignmentRequest>>()
    .gives_tagged::<ArrangementWritten>("The changed records.")
    .refuses(refusals::ASSIGN);

/// POST an assignment.
pub fn create(call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = arrangement::parse_new(&call.body)?;
    once::write(call, precondition, operation_id, Propose(new), written)
}

pub const LIST: Operation = operation("listArrangements", "arrangements", "List arrangements")
    .about("The arrangements that overlap a range, including cancelled ones, ordered by end.")
    .query(&[FROM, TO])
    .gives_page::<Arrangement>("A page of arrangements.");

/// GET arrangements.
pub fn list(call: &Call) -> Outcome {
    let (range, page) = (call.query.any_range()?, call.query.page()?);
    let id: RotationId = call.path.id("rotationId");
    let (found, total) = arrangements::list(call.app, call.caller, &id, range, page)?;
    let shown = found.iter().map(arrangement::render).collect();
    answer::listed(shown, page, total)
}

pub const READ: Operation = operation("getArrangement", "arrangements", "Read an arrangement")
    .about("One arrangement, with the ETag of its rotation.")
    .gives_tagged::<Arrangement>("The arrangement.")
    .or_not_modified();

/// GET an arrangement.
pub fn read(call: &Call) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let arrangement: ArrangementId = call.path.id("arrangementId");
    let (rotation, found) = arrangements::read(call.app, call.caller, &id, &arrangement)?;
    answer::cached(call, &rotation, || arrangement::render(&found))
}

pub const CHANGE: Operation = operation("changeArrangement", "arrangements", "Change an assignment")
    .about("Cancels the assignment and creates another. A running one is replaced from now on; the part already served \
        stays in the record.")
    .takes::<WithOperationId<AssignmentRequest>>()
    .gives_tagged::<ArrangementWritten>("The changed records.")
    .refuses(refusals::CHANGE_ASSIGNMENT);

/// POST a change of an assignment.
pub fn change(call: &Call, precondition: &Precondition) -> Outcome {
    let replaced = call.path.id("arrangementId");
    let (operation_id, new) = arrangement::parse_change(&call.body, replaced)?;
    once::write(call, precondition, operation_id, Propose(new), written)
}

pub const END: Operation = operation("endArrangement", "arrangements", "End an assignment")
    .about("Cancels an assignment that has not begun. A running one ends now, and the dealt holder is back.")
    .takes::<StepRequest>()
    .gives_tagged::<ArrangementWritten>("What changed.")
    .refuses(refusals::END_ASSIGNMENT);

/// POST the end of an assignment.
pub fn end(call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, step) = arrangement::parse_step::<Arrangement>(&call.body)?;
    let end = EndArrangement {
        arrangement: call.path.id("arrangementId"),
        expected_revision: step.expected_revision,
    };
    once::write(call, precondition, operation_id, end, written)
}
