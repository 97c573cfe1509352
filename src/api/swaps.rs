//! /v1/rotations/{rotationId}/swap-requests.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{Body, Kind, Operation, gives_tagged, parameter, shape};
use super::requests::{self, written};
use crate::actions::swaps::{self, OfferSwap};
use crate::domain::ids::RotationId;
use crate::domain::request::{RequestKind, Step};
use crate::wire::arrangement::{Named, StepRequest};
use crate::wire::etag::Precondition;
use crate::wire::request::{
    self, Item, RequestList, RequestWritten, SwapBody, SwapPreview, SwapRequest,
};

pub const PREVIEW: Operation = Operation {
    id: "previewSwapRequest",
    tag: "swap",
    summary: "Preview a swap request",
    about: "Returns what conflicts with the swap, by leg. Changes nothing.",
    query: &[],
    body: Body::Required(shape::<SwapBody>),
    gives: &[gives_tagged(200, "The preview.", shape::<SwapPreview>)],
    refuses: &[
        (402, "payment_required"),
        (409, "rotation_disabled"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST a preview.
pub fn preview(_: &Api, call: &Call) -> Outcome {
    let new = request::parse_swap_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, legs) = swaps::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &request::swap_preview(&legs))
}

pub const CREATE: Operation = Operation {
    id: "createSwapRequest",
    tag: "swap",
    summary: "Offer a swap",
    about: "Offers a person to swap two full shifts, one held by each. Who is on call does not change until they \
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
        (409, "tooManyPendingRequests"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST a request.
pub fn create(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = request::parse_swap(&call.body)?;
    let key = (CREATE.id, operation_id);
    once::write(
        call,
        precondition,
        key,
        OfferSwap(new),
        written::<SwapRequest>,
    )
}

pub const LIST: Operation = Operation {
    id: "listSwapRequests",
    tag: "swap",
    summary: "List swap requests",
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
    about: "A request and the caller's permitted actions on it now. The ETag is the rotation's, for a write; because the \
            permitted actions change with time and absences, `If-None-Match` is ignored.",
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
    about: "Swaps the shifts: both legs change hands in one change, or neither does. A leg that has begun changes \
            hands from now on, which requires its key in `acknowledgedStartedLegKeys`.",
    query: &[],
    body: Body::Required(shape::<StepRequest>),
    gives: &[gives_tagged(
        200,
        "The changed records.",
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
        (409, "tooManyArrangements"),
        (409, "external_rotation_is_read_only"),
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
    about: "Declines the request, which settles it.",
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
        (409, "external_rotation_is_read_only"),
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
    about: "Withdraws the offer. Editors of the rotation may cancel it, too.",
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
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST cancel.
pub fn cancel(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Cancel, CANCEL.id)
}

fn take(call: &Call, precondition: &Precondition, step: Step, name: &str) -> Outcome {
    requests::take::<SwapRequest>(call, precondition, RequestKind::Swap, step, name)
}
