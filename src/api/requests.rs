//! What cover-requests and swap-requests have in common.

use super::answer::{self, Outcome};
use super::arrangements::{operation, receipt};
use super::extract::Call;
use crate::actions::requests::{self, Taking};
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::request::{RequestKind, Step};
use crate::domain::rotation::Rotation;
use crate::wire::arrangement;
use crate::wire::etag::{self, Precondition};
use crate::wire::request::Record;
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
    let (range, cursor) = (call.query.any_range()?, call.query.one("cursor")?);
    let id: RotationId = call.path.id("rotationId");
    let (rotation, found) = requests::list::<T>(call.app, call.caller, &id, kind, range, cursor)?;
    for_now(call, &rotation, &found)
}

/// GET one of them.
pub fn read<T: Record + Serialize>(call: &Call, kind: RequestKind) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let request = named(call, kind);
    let (rotation, found) = requests::read::<T>(call.app, call.caller, &id, kind, &request)?;
    for_now(call, &rotation, &found)
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
    let taking = Taking {
        kind,
        request: named(call, kind),
        step,
        operation: operation(call, operation_id, name),
        answering,
    };
    let id = call.path.id("rotationId");
    receipt(requests::take::<T>(
        call.app,
        call.caller,
        &id,
        precondition,
        taking,
    )?)
}
