//! /v1/rotations/{rotationId}/explain: why somebody is on call, or nobody.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, instant, operation, refusals, text};
use crate::actions::explain;
use crate::domain::ids::CellId;
use crate::domain::naming::Naming;
use crate::wire::explain::{self as wire, Explanation};

pub const EXPLAIN: Operation = operation("explain", "on-call", "Explain who is on call")
    .about("Why each cell is as it is at an instant: the steps that decided, in their order. Instants ahead are explained by the \
        code that makes hand-overs, if nothing changes. The present and the past are explained by what the history holds; a \
        step `notRecorded` says what it does not hold.")
    .query(&[
        instant("at", "The instant asked about, from the creation of the rotation to 366 days from now; now by default."),
        text("cellId", "Only this cell."),
    ])
    .gives::<Explanation>(200, "The explanation.")
    .refuses(refusals::FORECAST);

/// GET explain.
pub fn explain(call: &Call) -> Outcome {
    let at = call.query.instant("at")?;
    let cell = call.query.one("cellId")?.map(CellId::from);
    let id = call.path.id("rotationId");
    let found = explain::of(call.app, call.caller, &id, at, cell.as_ref(), Naming::Names)?;
    let body = wire::render(found, call.app.calendar());
    Ok(answer::json(200, &body)?.with("Cache-Control", "no-store"))
}
