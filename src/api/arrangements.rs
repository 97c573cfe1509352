//! /v1/rotations/{rotationId}/duty-arrangements: who holds a cell for an interval.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    Body, Kind, NOT_MODIFIED, Operation, PAGE, PAGE_SIZE, gives, gives_tagged, parameter, shape,
};
use crate::actions::assignments;
use crate::actions::operation::{self as once, Receipt};
use crate::domain::ids::{ArrangementId, RotationId};
use crate::wire::arrangement::{
    self, AgreementPreview, Arrangement, ArrangementWritten, AssignmentRequest, Named, StepRequest,
};
use crate::wire::etag::{self, Precondition};
use crate::wire::page::Page;

/// What a write says that was carried out, now or at an earlier try.
pub fn receipt(receipt: Receipt) -> Outcome {
    let body = answer::text(receipt.answer);
    Ok(answer::with(body, "ETag", receipt.etag))
}

/// How the caller names a write: method and path count as part of the body.
pub fn operation(call: &Call, id: String, name: &str) -> once::Operation {
    let path: Vec<&str> = call
        .path
        .0
        .iter()
        .map(|(_, value)| value.as_ref())
        .collect();
    let body_hash = arrangement::body_hash(name, &path, &call.body);
    once::Operation { id, body_hash }
}

pub const PREVIEW: Operation = Operation {
    id: "previewArrangement",
    tag: "arrangements",
    summary: "Preview an assignment",
    about: "What making the assignment would meet: when it takes effect, and what conflicts with it. Changes nothing.",
    query: &[],
    body: Body::Required(shape::<AssignmentRequest>),
    gives: &[gives_tagged(
        200,
        "What the write would meet.",
        shape::<AgreementPreview>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "repairNotSupported"),
    ],
};

/// POST an assignment to look at.
pub fn preview(_: &Api, call: &Call) -> Outcome {
    let new = arrangement::parse_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = assignments::preview(call.app, call.caller, &id, &new)?;
    Ok(answer::with(
        answer::json(200, &preview)?,
        "ETag",
        etag::tag(&rotation, call.app.calendar()),
    ))
}

pub const CREATE: Operation = Operation {
    id: "createArrangement",
    tag: "arrangements",
    summary: "Assign a cell",
    about: "Somebody of the cell's roster holds it for the interval. Dealing goes on underneath: when the assignment \
            ends, whoever is dealt the turn by then is back.",
    query: &[],
    body: Body::Required(shape::<Named<AssignmentRequest>>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<ArrangementWritten>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "operationIdReused"),
        (409, "conflictsNotAcknowledged"),
        (409, "conflictBlocks"),
        (409, ""),
    ],
};

/// POST an assignment.
pub fn create(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = arrangement::parse_new(&call.body)?;
    let id = call.path.id("rotationId");
    let operation = operation(call, operation_id, CREATE.id);
    receipt(assignments::create(
        call.app,
        call.caller,
        &id,
        precondition,
        operation,
        new,
    )?)
}

pub const LIST: Operation = Operation {
    id: "listArrangements",
    tag: "arrangements",
    summary: "List arrangements",
    about: "The arrangements that meet a range, cancelled ones too, by where they end.",
    query: &[
        parameter("from", Kind::NeededInstant, "The range begins here."),
        parameter("to", Kind::NeededInstant, "The range has ended here."),
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
    let (found, total) = assignments::list(call.app, call.caller, &id, range, page)?;
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
    let (rotation, found) = assignments::read(call.app, call.caller, &id, &arrangement)?;
    answer::tagged(
        call,
        &etag::tag(&rotation, call.app.calendar()),
        &arrangement::render(&found),
    )
}

pub const CHANGE: Operation = Operation {
    id: "changeArrangement",
    tag: "arrangements",
    summary: "Change an assignment",
    about: "Cancels the assignment and puts another in its place. One that runs is replaced from now on; what was served \
            stays in the record.",
    query: &[],
    body: Body::Required(shape::<Named<AssignmentRequest>>),
    gives: &[gives_tagged(
        200,
        "What changed.",
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
        (409, ""),
    ],
};

/// POST a change of an assignment.
pub fn change(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new, revision) = arrangement::parse_change(&call.body)?;
    let (id, arrangement) = (call.path.id("rotationId"), call.path.id("arrangementId"));
    let operation = operation(call, operation_id, CHANGE.id);
    let change = (new, revision);
    receipt(assignments::change(
        call.app,
        call.caller,
        &id,
        precondition,
        operation,
        arrangement,
        change,
    )?)
}

pub const END: Operation = Operation {
    id: "endArrangement",
    tag: "arrangements",
    summary: "End an assignment",
    about: "Cancels an assignment that has not begun; ends one that runs now, and the dealt holder is back.",
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
    ],
};

/// POST the end of an assignment.
pub fn end(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, step) = arrangement::parse_step(&call.body)?;
    let (id, arrangement) = (call.path.id("rotationId"), call.path.id("arrangementId"));
    let operation = operation(call, operation_id, END.id);
    let revision = step.expected_revision;
    receipt(assignments::end(
        call.app,
        call.caller,
        &id,
        precondition,
        operation,
        arrangement,
        revision,
    )?)
}
