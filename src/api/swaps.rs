//! /v1/rotations/{rotationId}/swap-requests: swapping two shifts.

use super::Api;
use super::answer::{self, Outcome};
use super::arrangements::{operation, receipt};
use super::extract::Call;
use super::operation::{Body, Kind, Operation, gives_tagged, parameter, shape};
use super::requests;
use crate::actions::swaps;
use crate::domain::ids::RotationId;
use crate::domain::request::{RequestKind, Step};
use crate::wire::arrangement::{Named, StepRequest};
use crate::wire::etag::{self, Precondition};
use crate::wire::request::{
    self, Item, RequestList, RequestWritten, SwapBody, SwapPreview, SwapRequest,
};

pub const PREVIEW: Operation = Operation {
    id: "previewSwapRequest",
    tag: "swap",
    summary: "Preview a swap request",
    about: "What offering the swap would meet, leg by leg. Changes nothing.",
    query: &[],
    body: Body::Required(shape::<SwapBody>),
    gives: &[gives_tagged(
        200,
        "What the request would meet.",
        shape::<SwapPreview>,
    )],
    refuses: &[(402, "payment_required"), (409, "rotation_disabled")],
};

/// POST a request to look at.
pub fn preview(_: &Api, call: &Call) -> Outcome {
    let new = request::parse_swap_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = swaps::preview(call.app, call.caller, &id, &new)?;
    Ok(answer::with(
        answer::json(200, &preview)?,
        "ETag",
        etag::tag(&rotation, call.app.calendar()),
    ))
}

pub const CREATE: Operation = Operation {
    id: "createSwapRequest",
    tag: "swap",
    summary: "Offer a swap",
    about: "Offers somebody to swap two full shifts, one held by each. Who is on duty stays as it is until they \
            accept.",
    query: &[],
    body: Body::Required(shape::<Named<SwapBody>>),
    gives: &[gives_tagged(
        200,
        "The request.",
        shape::<RequestWritten<SwapRequest>>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "operationIdReused"),
        (409, "conflictBlocks"),
        (409, ""),
    ],
};

/// POST a request.
pub fn create(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = request::parse_swap(&call.body)?;
    let id = call.path.id("rotationId");
    let operation = operation(call, operation_id, CREATE.id);
    receipt(swaps::create(
        call.app,
        call.caller,
        &id,
        precondition,
        operation,
        new,
    )?)
}

pub const LIST: Operation = Operation {
    id: "listSwapRequests",
    tag: "swap",
    summary: "List swap requests",
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
        shape::<RequestList<SwapRequest>>,
    )],
    refuses: &[(422, "invalidCoverCursor")],
};

/// GET requests.
pub fn list(_: &Api, call: &Call) -> Outcome {
    requests::list::<SwapRequest>(call, RequestKind::Swap)
}

pub const READ: Operation = Operation {
    id: "getSwapRequest",
    tag: "swap",
    summary: "Read a swap request",
    about: "One request with what the caller may do with it now. The ETag is the rotation's, for a write; as what the caller may \
            do changes with time and absences, `If-None-Match` is ignored.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(
        200,
        "The request.",
        shape::<Item<SwapRequest>>,
    )],
    refuses: &[],
};

/// GET a request.
pub fn read(_: &Api, call: &Call) -> Outcome {
    requests::read::<SwapRequest>(call, RequestKind::Swap)
}

pub const ACCEPT: Operation = Operation {
    id: "acceptSwapRequest",
    tag: "swap",
    summary: "Accept a swap request",
    about: "Swaps the shifts: both legs change hands in one change, or none does. A leg that has begun changes \
            hands from now on, which needs its key among `acknowledgedStartedLegKeys`.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<SwapRequest>>,
    )],
    refuses: &[
        (402, "payment_required"),
        (409, "operationIdReused"),
        (409, "requestNotPending"),
        (409, "requestChanged"),
        (409, "rotation_disabled"),
        (409, "notYourDuty"),
        (409, "startedLegNotAcknowledged"),
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
    id: "declineSwapRequest",
    tag: "swap",
    summary: "Decline a swap request",
    about: "Declines, which settles the request.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<SwapRequest>>,
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
    id: "cancelSwapRequest",
    tag: "swap",
    summary: "Cancel a swap request",
    about: "Takes the offer back. An editor of the rotation may do so too.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "What changed.",
        shape::<RequestWritten<SwapRequest>>,
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

fn take(call: &Call, precondition: &Precondition, step: Step, name: &str) -> Outcome {
    requests::take::<SwapRequest>(call, precondition, RequestKind::Swap, step, name)
}
