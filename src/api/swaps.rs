//! /v1/rotations/{rotationId}/swap-requests.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{FROM, Operation, TO, operation, refusals, text};
use super::requests::{self, written};
use crate::actions::swaps::{self, OfferSwap};
use crate::domain::ids::RotationId;
use crate::domain::request::{RequestKind, Step};
use crate::wire::arrangement::{Named, StepRequest};
use crate::wire::etag::Precondition;
use crate::wire::request::{
    self, Item, RequestList, RequestWritten, SwapBody, SwapPreview, SwapRequest,
};

pub const PREVIEW: Operation = operation("previewSwapRequest", "swap", "Preview a swap request")
    .about("Returns what conflicts with the swap, by leg. Changes nothing.")
    .takes::<SwapBody>()
    .gives_tagged::<SwapPreview>("The preview.")
    .refuses(refusals::PREVIEW_SWAP);

/// POST a preview.
pub fn preview(call: &Call) -> Outcome {
    let new = request::parse_swap_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, legs) = swaps::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &request::swap_preview(&legs))
}

pub const CREATE: Operation = operation("createSwapRequest", "swap", "Offer a swap")
    .about("Offers a person to swap two full shifts, one held by each. Who is on call does not change until they \
        accept.")
    .takes::<Named<SwapBody>>()
    .gives_tagged::<RequestWritten<SwapRequest>>("The request.")
    .refuses(refusals::OFFER_SWAP);

/// POST a request.
pub fn create(call: &Call, precondition: &Precondition) -> Outcome {
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

pub const LIST: Operation = operation("listSwapRequests", "swap", "List swap requests")
    .about("The requests that overlap a range, the caller's permitted actions on each, and what the caller may request in \
        each cell. For an API key, which is not a person, all of these are false.")
    .query(&[
        FROM,
        TO,
        text("cursor", "The `nextCursor` of the previous page, with the same range."),
    ])
    .gives_tagged::<RequestList<SwapRequest>>("A page of requests.")
    .refuses(&["invalidCoverCursor"]);

/// GET requests.
pub fn list(call: &Call) -> Outcome {
    requests::list::<SwapRequest>(call, RequestKind::Swap)
}

pub const READ: Operation = operation("getSwapRequest", "swap", "Read a swap request")
    .about("A request and the caller's permitted actions on it now. The ETag is the rotation's, for a write; because the \
        permitted actions change with time and absences, `If-None-Match` is ignored.")
    .gives_tagged::<Item<SwapRequest>>("The request.");

/// GET a request.
pub fn read(call: &Call) -> Outcome {
    requests::read::<SwapRequest>(call, RequestKind::Swap)
}

pub const ACCEPT: Operation = operation("acceptSwapRequest", "swap", "Accept a swap request")
    .about("Swaps the shifts: both legs change hands in one change, or neither does. A leg that has begun changes \
        hands from now on, which requires its key in `acknowledgedStartedLegKeys`.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<SwapRequest>>("The changed records.")
    .refuses(refusals::ACCEPT_SWAP);

/// POST accept.
pub fn accept(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Accept, ACCEPT.id)
}

pub const DECLINE: Operation = operation("declineSwapRequest", "swap", "Decline a swap request")
    .about("Declines the request, which settles it.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<SwapRequest>>("What changed.")
    .refuses(refusals::ANSWER);

/// POST decline.
pub fn decline(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Decline, DECLINE.id)
}

pub const CANCEL: Operation = operation("cancelSwapRequest", "swap", "Cancel a swap request")
    .about("Withdraws the offer. Editors of the rotation may cancel it, too.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<SwapRequest>>("What changed.")
    .refuses(refusals::ANSWER);

/// POST cancel.
pub fn cancel(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Cancel, CANCEL.id)
}

fn take(call: &Call, precondition: &Precondition, step: Step, name: &str) -> Outcome {
    requests::take::<SwapRequest>(call, precondition, RequestKind::Swap, step, name)
}
