//! /v1/rotations/{rotationId}/cover-requests.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{Body, Kind, Operation, gives_tagged, parameter, shape};
use super::requests::{self, written};
use crate::actions::covers::{self, AskForCover};
use crate::domain::ids::RotationId;
use crate::domain::request::{RequestKind, Step};
use crate::wire::arrangement::{self, AgreementPreview, Named, StepRequest};
use crate::wire::etag::Precondition;
use crate::wire::request::{self, CoverBody, CoverRequest, Item, RequestList, RequestWritten};

pub const PREVIEW: Operation = Operation {
    id: "previewCoverRequest",
    tag: "cover",
    summary: "Preview a cover request",
    about: "Returns when the cover request would take effect and what conflicts \
            with it. Changes nothing.",
    query: &[],
    body: Body::Required(shape::<CoverBody>),
    gives: &[gives_tagged(200, "The preview.", shape::<AgreementPreview>)],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "notYourDuty"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST a preview.
pub fn preview(_: &Api, call: &Call) -> Outcome {
    let new = request::parse_cover_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = covers::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &arrangement::preview(&preview))
}

pub const CREATE: Operation = Operation {
    id: "createCoverRequest",
    tag: "cover",
    summary: "Request cover",
    about: "Asks others to cover a duty of yours. Who is on call does not change until one of them accepts.",
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
        (409, "tooManyPendingRequests"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST a request.
pub fn create(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = request::parse_cover(&call.body)?;
    let key = (CREATE.id, operation_id);
    once::write(
        call,
        precondition,
        key,
        AskForCover(new),
        written::<CoverRequest>,
    )
}

pub const LIST: Operation = Operation {
    id: "listCoverRequests",
    tag: "cover",
    summary: "List cover requests",
    about: "The requests that overlap a range, the caller's permitted actions on each, and what the caller may request in \
            each cell. For an API key, which is not a person, all of these are false.",
    query: &[
        parameter("from", Kind::NeededInstant, "Start of the range."),
        parameter("to", Kind::NeededInstant, "End of the range, exclusive."),
        parameter(
            "cursor",
            Kind::Text,
            "The `nextCursor` of the previous page, with the same range.",
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
    about: "A request and the caller's permitted actions on it now. The ETag is the rotation's, for a write; because the \
            permitted actions change with time and absences, `If-None-Match` is ignored.",
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
    about: "Takes the duty over, from the later of its start and now. The first person to accept settles the \
            request.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "The changed records.",
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
        (409, "tooManyArrangements"),
        (409, "external_rotation_is_read_only"),
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
    about: "Declines the request. Once all recipients have declined, it is settled.",
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
        (409, "external_rotation_is_read_only"),
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
    about: "Withdraws the request. Editors of the rotation may cancel it, too.",
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
        (409, "external_rotation_is_read_only"),
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
    about: "Ends an accepted cover, for either side: one that has not begun is cancelled, a running one ends \
            now and the dealt holder is back.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "The changed records.",
        shape::<RequestWritten<CoverRequest>>,
    )],
    refuses: &[
        (409, "operationIdReused"),
        (409, "requestNotPending"),
        (409, "requestChanged"),
        (409, "rotation_disabled"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST end.
pub fn end(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::End, END.id)
}

fn take(call: &Call, precondition: &Precondition, step: Step, name: &str) -> Outcome {
    requests::take::<CoverRequest>(call, precondition, RequestKind::Cover, step, name)
}
