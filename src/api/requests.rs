//! What cover-requests and swap-requests have in common.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use crate::actions::Fault;
use crate::actions::answering::AnswerRequest;
use crate::actions::requests::{self, Start};
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::request::{RequestKind, RequestWritten as Written, Step};
use crate::domain::rotation::Rotation;
use crate::store::RequestPosition;
use crate::wire::etag::{self, Precondition};
use crate::wire::request::{self, Record, RequestList};
use crate::wire::{arrangement, cursor};
use serde::Serialize;

/// The request that the path names.
fn named(call: &Call, kind: RequestKind) -> RequestId {
    call.path.id(match kind {
        RequestKind::Cover => "coverRequestId",
        RequestKind::Swap => "swapRequestId",
    })
}

/// GET a list of them.
pub fn list<T: Record + Serialize>(call: &Call, kind: RequestKind) -> Outcome {
    let (range, sent) = (call.query.any_range()?, call.query.one("cursor")?);
    let id: RotationId = call.path.id("rotationId");
    let scope = format!("{} {id}", kind.name());
    let start = match sent {
        None => Start::First,
        Some(sent) => cursor::read(sent, &scope, range)
            .and_then(RequestPosition::of)
            .map_or(Start::Unknown, Start::Behind),
    };
    let (rotation, page) = requests::list(call.app, call.caller, &id, kind, range, start)?;
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
    for_now(call, &rotation, &shown)
}

/// GET one of them.
pub fn read<T: Record + Serialize>(call: &Call, kind: RequestKind) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let (rotation, found) = requests::read(call.app, call.caller, &id, kind, &named(call, kind))?;
    let shown = request::item::<T>(&found);
    for_now(call, &rotation, &shown)
}

/// What the caller may do depends on who asks, on the time and on absences, none of which changes the rotation: the
/// validator is the rotation's, for writes, and `If-None-Match` is never answered with 304.
fn for_now<T: Serialize>(call: &Call, rotation: &Rotation, found: &T) -> Outcome {
    let tag = etag::tag(rotation, call.app.calendar());
    Ok(answer::with(answer::json(200, found)?, "ETag", tag))
}

/// POST a step, named as its operation is.
pub fn take<T: Record + Serialize>(
    call: &Call,
    precondition: &Precondition,
    kind: RequestKind,
    step: Step,
    name: &str,
) -> Outcome {
    let (operation_id, answering) = arrangement::parse_step(&call.body)?;
    let answer = AnswerRequest {
        kind,
        request: named(call, kind),
        step,
        answering,
    };
    once::write(
        call,
        precondition,
        (name, operation_id),
        answer,
        written::<T>,
    )
}

/// What a write of a request came to, as it is stored for retries.
pub fn written<T: Record + Serialize>(
    operation_id: &str,
    written: &Written,
) -> Result<String, Fault> {
    once::text(&request::written::<T>(operation_id, written))
}
