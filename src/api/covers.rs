//! /v1/rotations/{rotationId}/cover-requests: asking others to cover a duty.

use super::Api;
use super::answer::{self, Outcome};
use super::arrangements::{operation, receipt};
use super::extract::Call;
use super::operation::{Body, Kind, Operation, gives_tagged, parameter, shape};
use super::requests;
use crate::actions::covers;
use crate::domain::ids::RotationId;
use crate::domain::request::{RequestKind, Step};
use crate::wire::arrangement::{AgreementPreview, Named, StepRequest};
use crate::wire::etag::{self, Precondition};
use crate::wire::request::{self, CoverBody, CoverRequest, Item, RequestList, RequestWritten};

pub const PREVIEW: Operation = Operation {
    id: "previewCoverRequest",
    tag: "cover",
    summary: "Preview a cover request",
    about: "What asking others to cover a duty of yours would meet: when it takes effect, and what conflicts \
            with their taking it. Changes nothing.",
    query: &[],
    body: Body::Required(shape::<CoverBody>),
    gives: &[gives_tagged(
        200,
        "What the request would meet.",
        shape::<AgreementPreview>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "notYourDuty"),
    ],
};

/// POST a request to look at.
pub fn preview(_: &Api, call: &Call) -> Outcome {
    let new = request::parse_cover_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = covers::preview(call.app, call.caller, &id, &new)?;
    Ok(answer::with(
        answer::json(200, &preview)?,
        "ETag",
        etag::tag(&rotation, call.app.calendar()),
    ))
}

pub const CREATE: Operation = Operation {
    id: "createCoverRequest",
    tag: "cover",
    summary: "Ask for cover",
    about: "Asks others to cover a duty of yours. Who is on duty stays as it is until one of them accepts.",
    query: &[],
    body: Body::Required(shape::<Named<CoverBody>>),
    gives: &[gives_tagged(
        200,
        "The request.",
        shape::<RequestWritten<CoverRequest>>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "operationIdReused"),
        (409, "notYourDuty"),
        (409, "conflictBlocks"),
        (409, ""),
    ],
};

/// POST a request.
pub fn create(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = request::parse_cover(&call.body)?;
    let id = call.path.id("rotationId");
    let operation = operation(call, operation_id, CREATE.id);
    receipt(covers::create(
        call.app,
        call.caller,
        &id,
        precondition,
        operation,
        new,
    )?)
}

pub const LIST: Operation = Operation {
    id: "listCoverRequests",
    tag: "cover",
    summary: "List cover requests",
    about: "The requests that meet a range, with what the caller may do with each and ask for in each cell. For an API \
            key, which stands for nobody, all of that is false.",
    query: &[
        parameter("from", Kind::NeededInstant, "The range begins here."),
        parameter("to", Kind::NeededInstant, "The range has ended here."),
        parameter(
            "cursor",
            Kind::Text,
            "The `nextCursor` of the page before, with the same range.",
        ),
    ],
    body: Body::None,
    gives: &[gives_tagged(
        200,
        "A page of requests.",
        shape::<RequestList<CoverRequest>>,
    )],
    refuses: &[(422, "invalidCoverCursor")],
};

/// GET requests.
pub fn list(_: &Api, call: &Call) -> Outcome {
    requests::list::<CoverRequest>(call, RequestKind::Cover)
}

pub const READ: Operation = Operation {
    id: "getCoverRequest",
    tag: "cover",
    summary: "Read a cover request",
    about: "One request with what the caller may do with it now. The ETag is the rotation's, for a write; as what the caller may \
            do changes with time and absences, `If-None-Match` is ignored.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(
        200,
        "The request.",
        shape::<Item<CoverRequest>>,
    )],
    refuses: &[],
};

/// GET a request.
pub fn read(_: &Api, call: &Call) -> Outcome {
    requests::read::<CoverRequest>(call, RequestKind::Cover)
}

pub const ACCEPT: Operation = Operation {
    id: "acceptCoverRequest",
    tag: "cover",
    summary: "Accept a cover request",
    about: "Takes the duty over, from the later of its beginning and now. The first to accept settles the \
            request.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<CoverRequest>>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "operationIdReused"),
        (409, "requestNotPending"),
        (409, "coverAlreadyAccepted"),
        (409, "requestChanged"),
        (409, "rotation_disabled"),
        (409, "notYourDuty"),
        (409, "conflictsNotAcknowledged"),
        (409, "conflictBlocks"),
        (409, ""),
    ],
};

/// POST accept.
pub fn accept(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Accept, ACCEPT.id)
}

pub const DECLINE: Operation = Operation {
    id: "declineCoverRequest",
    tag: "cover",
    summary: "Decline a cover request",
    about: "Declines. When all recipients have, the request is settled.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<CoverRequest>>,
    )],
    refuses: &[
        (409, "operationIdReused"),
        (409, "requestNotPending"),
        (409, "requestChanged"),
        (409, "rotation_disabled"),
    ],
};

/// POST decline.
pub fn decline(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Decline, DECLINE.id)
}

pub const CANCEL: Operation = Operation {
    id: "cancelCoverRequest",
    tag: "cover",
    summary: "Cancel a cover request",
    about: "Takes the request back. An editor of the rotation may do so too.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<CoverRequest>>,
    )],
    refuses: &[
        (409, "operationIdReused"),
        (409, "requestNotPending"),
        (409, "requestChanged"),
        (409, "rotation_disabled"),
    ],
};

/// POST cancel.
pub fn cancel(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Cancel, CANCEL.id)
}

pub const END: Operation = Operation {
    id: "endCoverRequest",
    tag: "cover",
    summary: "End an accepted cover",
    about: "Ends an accepted cover, from either side: one that has not begun is cancelled, one that runs ends \
            now and the dealt holder is back.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<CoverRequest>>,
    )],
    refuses: &[
        (409, "operationIdReused"),
        (409, "requestNotPending"),
        (409, "requestChanged"),
        (409, "rotation_disabled"),
    ],
};

/// POST end.
pub fn end(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::End, END.id)
}

fn take(call: &Call, precondition: &Precondition, step: Step, name: &str) -> Outcome {
    requests::take::<CoverRequest>(call, precondition, RequestKind::Cover, step, name)
}
