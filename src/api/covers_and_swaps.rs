//! /v1/rotations/{rotationId}/cover-requests and swap-requests. What both have is generic over the record.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{FROM, Operation, Parameter, TO, operation, refusals, text};
use crate::actions::answering::AnswerRequest;
use crate::actions::covers::{self, AskForCover};
use crate::actions::requests::{self, Start};
use crate::actions::swaps::{self, OfferSwap};
use crate::actions::{Error, mutation};
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::request::{RequestWritten as Written, Step};
use crate::store::RequestPosition;
use crate::wire::arrangement::{self, AgreementPreview, StepRequest, WithOperationId};
use crate::wire::cursor;
use crate::wire::etag::Precondition;
use crate::wire::request::{
    self, CoverBody, CoverRequest, Item, Record, RequestList, RequestWritten, SwapBody,
    SwapPreview, SwapRequest,
};

pub const PREVIEW_COVER: Operation = operation(
    "previewCoverRequest",
    "cover",
    "Preview a cover request",
)
.about(
    "Returns when the cover request would take effect and what conflicts with it. Changes nothing.",
)
.takes::<CoverBody>()
.gives_tagged::<AgreementPreview>("The preview.")
.refuses(refusals::PREVIEW_COVER);

/// POST a preview of a cover.
pub fn preview_cover(call: &Call) -> Outcome {
    let new = request::parse_cover_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = covers::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &arrangement::preview(&preview))
}

pub const PREVIEW_SWAP: Operation =
    operation("previewSwapRequest", "swap", "Preview a swap request")
        .about("Returns what conflicts with the swap, by leg. Changes nothing.")
        .takes::<SwapBody>()
        .gives_tagged::<SwapPreview>("The preview.")
        .refuses(refusals::PREVIEW_SWAP);

/// POST a preview of a swap.
pub fn preview_swap(call: &Call) -> Outcome {
    let new = request::parse_swap_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, legs) = swaps::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &request::swap_preview(&legs))
}

pub const ASK_FOR_COVER: Operation = asking::<CoverRequest, CoverBody>("createCoverRequest", "Request cover")
    .about("Asks others to cover a duty of yours. Who is on call does not change until one of them accepts.")
    .refuses(refusals::ASK_FOR_COVER);

/// POST a cover request.
pub fn ask_for_cover(call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = request::parse_cover(&call.body)?;
    write::<CoverRequest, _>(call, precondition, operation_id, AskForCover(new))
}

pub const OFFER_SWAP: Operation = asking::<SwapRequest, SwapBody>("createSwapRequest", "Offer a swap")
    .about("Offers a person to swap two full shifts, one held by each. Who is on call does not change until they \
        accept.")
    .refuses(refusals::OFFER_SWAP);

/// POST a swap request.
pub fn offer_swap(call: &Call, precondition: &Precondition) -> Outcome {
    let (operation_id, new) = request::parse_swap(&call.body)?;
    write::<SwapRequest, _>(call, precondition, operation_id, OfferSwap(new))
}

const fn asking<T: Record, B: schemars::JsonSchema>(
    id: &'static str,
    summary: &'static str,
) -> Operation {
    operation(id, T::KIND.name(), summary)
        .takes::<WithOperationId<B>>()
        .gives_tagged::<RequestWritten<T>>("The request.")
}

pub const LIST_COVERS: Operation =
    listing::<CoverRequest>("listCoverRequests", "List cover requests");
pub const LIST_SWAPS: Operation = listing::<SwapRequest>("listSwapRequests", "List swap requests");

const QUERY: &[Parameter] = &[
    FROM,
    TO,
    text(
        "cursor",
        "The `nextCursor` of the previous page, with the same range.",
    ),
];

const fn listing<T: Record>(id: &'static str, summary: &'static str) -> Operation {
    operation(id, T::KIND.name(), summary)
        .about("The requests that overlap a range, the caller's permitted actions on each, and what the caller may request in \
            each cell. For an API key, which is not a person, all of these are false.")
        .query(QUERY)
        .gives_tagged::<RequestList<T>>("A page of requests.")
        .refuses(&["invalidCoverCursor"])
}

/// GET a list of requests.
pub fn list<T: Record>(call: &Call) -> Outcome {
    let (range, sent) = (call.query.any_range()?, call.query.one("cursor")?);
    let id: RotationId = call.path.id("rotationId");
    let scope = format!("{} {id}", T::KIND.name());
    let start = match sent {
        None => Start::First,
        Some(sent) => cursor::read(sent, &scope, range)
            .and_then(RequestPosition::of)
            .map_or(Start::Unknown, Start::Behind),
    };
    let (rotation, page) = requests::list(call.app, call.caller, &id, T::KIND, range, start)?;
    let next = page.next.map(|next| next.numbers());
    let shown: RequestList<T> = RequestList {
        items: page.requests.iter().map(request::item).collect(),
        capabilities: page
            .capabilities
            .iter()
            .map(request::cell_capability)
            .collect(),
        from: range.from.into(),
        to: range.until.into(),
        complete: next.is_none(),
        next_cursor: next.map(|next| cursor::write(next, &scope, range)),
    };
    answer::tagged(call, &rotation, 200, &shown)
}

pub const READ_COVER: Operation =
    reading::<CoverRequest>("getCoverRequest", "Read a cover request");
pub const READ_SWAP: Operation = reading::<SwapRequest>("getSwapRequest", "Read a swap request");

const fn reading<T: Record>(id: &'static str, summary: &'static str) -> Operation {
    operation(id, T::KIND.name(), summary)
        .about("A request and the caller's permitted actions on it now. The ETag is the rotation's, for a write; because the \
            permitted actions change with time and absences, `If-None-Match` is ignored.")
        .gives_tagged::<Item<T>>("The request.")
}

/// GET a request.
pub fn read<T: Record>(call: &Call) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let (rotation, found) = requests::read(call.app, call.caller, &id, T::KIND, &named::<T>(call))?;
    answer::tagged(call, &rotation, 200, &request::item::<T>(&found))
}

pub const ACCEPT_COVER: Operation = step::<CoverRequest>("acceptCoverRequest", "Accept a cover request", CHANGED)
    .about("Takes the duty over, from the later of its start and now. The first person to accept settles the \
        request.")
    .refuses(refusals::ACCEPT_COVER);
pub const ACCEPT_SWAP: Operation = step::<SwapRequest>("acceptSwapRequest", "Accept a swap request", CHANGED)
    .about("Swaps the shifts: both legs change hands in one change, or neither does. A leg that has begun changes \
        hands from now on, which requires its key in `acknowledgedStartedLegKeys`.")
    .refuses(refusals::ACCEPT_SWAP);
pub const DECLINE_COVER: Operation = step::<CoverRequest>(
    "declineCoverRequest",
    "Decline a cover request",
    "What changed.",
)
.about("Declines the request. Once all recipients have declined, it is settled.");
pub const DECLINE_SWAP: Operation = step::<SwapRequest>(
    "declineSwapRequest",
    "Decline a swap request",
    "What changed.",
)
.about("Declines the request, which settles it.");
pub const CANCEL_COVER: Operation = step::<CoverRequest>(
    "cancelCoverRequest",
    "Cancel a cover request",
    "What changed.",
)
.about("Withdraws the request. Editors of the rotation may cancel it, too.");
pub const CANCEL_SWAP: Operation = step::<SwapRequest>(
    "cancelSwapRequest",
    "Cancel a swap request",
    "What changed.",
)
.about("Withdraws the offer. Editors of the rotation may cancel it, too.");
pub const END_COVER: Operation = step::<CoverRequest>("endCoverRequest", "End an accepted cover", CHANGED)
    .about("Ends an accepted cover, for either side: one that has not begun is cancelled, a running one ends \
        now and the dealt holder is back.");

const CHANGED: &str = "The changed records.";

const fn step<T: Record>(
    id: &'static str,
    summary: &'static str,
    gives: &'static str,
) -> Operation {
    operation(id, T::KIND.name(), summary)
        .takes::<StepRequest>()
        .gives_tagged::<RequestWritten<T>>(gives)
        .refuses(refusals::ANSWER)
}

/// POST accept.
pub fn accept<T: Record>(call: &Call, precondition: &Precondition) -> Outcome {
    take::<T>(call, precondition, Step::Accept)
}

/// POST decline.
pub fn decline<T: Record>(call: &Call, precondition: &Precondition) -> Outcome {
    take::<T>(call, precondition, Step::Decline)
}

/// POST cancel.
pub fn cancel<T: Record>(call: &Call, precondition: &Precondition) -> Outcome {
    take::<T>(call, precondition, Step::Cancel)
}

/// POST end.
pub fn end<T: Record>(call: &Call, precondition: &Precondition) -> Outcome {
    take::<T>(call, precondition, Step::End)
}

fn take<T: Record>(call: &Call, precondition: &Precondition, step: Step) -> Outcome {
    let (operation_id, answering) = arrangement::parse_step::<T>(&call.body)?;
    let answer = AnswerRequest {
        kind: T::KIND,
        request: named::<T>(call),
        step,
        answering,
    };
    write::<T, _>(call, precondition, operation_id, answer)
}

/// The id of the request in the path.
fn named<T: Record>(call: &Call) -> RequestId {
    call.path.id(&format!("{}RequestId", T::KIND.name()))
}

/// Writes a request once under the caller's `operationId`.
fn write<T: Record, O: mutation::Operation<Output = Written>>(
    call: &Call,
    precondition: &Precondition,
    operation_id: String,
    operation: O,
) -> Outcome {
    once::write(call, precondition, operation_id, operation, written::<T>)
}

/// The stored response.
fn written<T: Record>(operation_id: &str, written: &Written) -> Result<String, Error> {
    once::text(&request::written::<T>(operation_id, written))
}
