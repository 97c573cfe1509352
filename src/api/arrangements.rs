//! /v1/rotations/{rotationId}/duty-arrangements: assignments of a cell for an interval.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{
    Body, Kind, NOT_MODIFIED, Operation, PAGE, PAGE_SIZE, gives, gives_tagged, parameter, shape,
};
use crate::actions::assignments::{self, Assign, ChangeArrangement, EndArrangement};
use crate::actions::{Error, arrangements};
use crate::domain::arrangement::ArrangementWritten as Written;
use crate::domain::ids::{ArrangementId, RotationId};
use crate::wire::arrangement::{
    self, AgreementPreview, Arrangement, ArrangementWritten, AssignmentRequest, Named, StepRequest,
};
use crate::wire::etag::Precondition;
use crate::wire::page::Page;

/// The stored response of a write of arrangements.
fn written(operation_id: &str, written: &Written) -> Result<String, Error> {
    once::text(&arrangement::written(operation_id, written))
}

pub const PREVIEW: Operation = Operation {
    id: "previewArrangement",
    tag: "arrangements",
    summary: "Preview an assignment",
    about: "Returns when the assignment would take effect and what conflicts with it. Changes nothing.",
    query: &[],
    body: Body::Required(shape::<AssignmentRequest>),
    gives: &[gives_tagged(200, "The preview.", shape::<AgreementPreview>)],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "repairNotSupported"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST a preview of an assignment.
pub fn preview(_: &Api, call: &Call) -> Outcome {
    let new = arrangement::parse_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = assignments::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &arrangement::preview(&preview))
}

pub const CREATE: Operation = Operation {
    id: "createArrangement",
    tag: "arrangements",
    summary: "Assign a cell",
    about: "A person of the cell's roster holds the cell for the interval. Dealing continues underneath: when the assignment \
            ends, the current dealt holder is back.",
    query: &[],
    body: Body::Required(shape::<Named<AssignmentRequest>>),
    gives: &[gives_tagged(
        200,
        "The changed records.",
        shape::<ArrangementWritten>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "operationIdReused"),
        (409, "conflictsNotAcknowledged"),
        (409, "conflictBlocks"),
        (409, "tooManyArrangements"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST an assignment.
pub fn create(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = arrangement::parse_new(&call.body)?;
    let key = (CREATE.id, operation_id);
    once::write(call, precondition, key, Assign(new), written)
}

pub const LIST: Operation = Operation {
    id: "listArrangements",
    tag: "arrangements",
    summary: "List arrangements",
    about: "The arrangements that overlap a range, including cancelled ones, ordered by end.",
    query: &[
        parameter("from", Kind::NeededInstant, "Start of the range."),
        parameter("to", Kind::NeededInstant, "End of the range, exclusive."),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of arrangements.",
        shape::<Page<Arrangement>>,
    )],
    refuses: &[],
};

/// GET arrangements.
pub fn list(_: &Api, call: &Call) -> Outcome {
    let (range, page) = (call.query.any_range()?, call.query.page()?);
    let id: RotationId = call.path.id("rotationId");
    let (found, total) = arrangements::list(call.app, call.caller, &id, range, page)?;
    let shown = found.iter().map(arrangement::render).collect();
    answer::json(200, &Page::new(shown, page.number, page.size, total))
}

pub const READ: Operation = Operation {
    id: "getArrangement",
    tag: "arrangements",
    summary: "Read an arrangement",
    about: "One arrangement, with the ETag of its rotation.",
    query: &[],
    body: Body::None,
    gives: &[
        gives_tagged(200, "The arrangement.", shape::<Arrangement>),
        NOT_MODIFIED,
    ],
    refuses: &[],
};

/// GET an arrangement.
pub fn read(_: &Api, call: &Call) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let arrangement: ArrangementId = call.path.id("arrangementId");
    let (rotation, found) = arrangements::read(call.app, call.caller, &id, &arrangement)?;
    answer::cached(call, &rotation, || arrangement::render(&found))
}

pub const CHANGE: Operation = Operation {
    id: "changeArrangement",
    tag: "arrangements",
    summary: "Change an assignment",
    about: "Cancels the assignment and creates another. A running one is replaced from now on; the part already served \
            stays in the record.",
    query: &[],
    body: Body::Required(shape::<Named<AssignmentRequest>>),
    gives: &[gives_tagged(
        200,
        "The changed records.",
        shape::<ArrangementWritten>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "operationIdReused"),
        (409, "repairNotSupported"),
        (409, "arrangementChanged"),
        (409, "conflictsNotAcknowledged"),
        (409, "conflictBlocks"),
        (409, "tooManyArrangements"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST a change of an assignment.
pub fn change(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new, expected_revision) = arrangement::parse_change(&call.body)?;
    let change = ChangeArrangement {
        arrangement: call.path.id("arrangementId"),
        new,
        expected_revision,
    };
    let key = (CHANGE.id, operation_id);
    once::write(call, precondition, key, change, written)
}

pub const END: Operation = Operation {
    id: "endArrangement",
    tag: "arrangements",
    summary: "End an assignment",
    about: "Cancels an assignment that has not begun. A running one ends now, and the dealt holder is back.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<ArrangementWritten>,
    )],
    refuses: &[
        (409, "rotation_disabled"),
        (409, "operationIdReused"),
        (409, "repairNotSupported"),
        (409, "arrangementChanged"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST the end of an assignment.
pub fn end(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, step) = arrangement::parse_step::<Arrangement>(&call.body)?;
    let end = EndArrangement {
        arrangement: call.path.id("arrangementId"),
        expected_revision: step.expected_revision,
    };
    once::write(call, precondition, (END.id, operation_id), end, written)
}
