//! /v1/rotations/{rotationId}/cover-requests.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::once;
use super::operation::{FROM, Operation, TO, operation, refusals, text};
use super::requests::{self, written};
use crate::actions::covers::{self, AskForCover};
use crate::domain::ids::RotationId;
use crate::domain::request::{RequestKind, Step};
use crate::wire::arrangement::{self, AgreementPreview, Named, StepRequest};
use crate::wire::etag::Precondition;
use crate::wire::request::{self, CoverBody, CoverRequest, Item, RequestList, RequestWritten};

pub const PREVIEW: Operation = operation("previewCoverRequest", "cover", "Preview a cover request")
    .about(
        "Returns when the cover request would take effect and what conflicts \
        with it. Changes nothing.",
    )
    .takes::<CoverBody>()
    .gives_tagged::<AgreementPreview>("The preview.")
    .refuses(refusals::PREVIEW_COVER);

/// POST a preview.
pub fn preview(call: &Call) -> Outcome {
    let new = request::parse_cover_preview(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (rotation, preview) = covers::preview(call.app, call.caller, &id, &new)?;
    answer::tagged(call, &rotation, 200, &arrangement::preview(&preview))
}

pub const CREATE: Operation = operation("createCoverRequest", "cover", "Request cover")
    .about("Asks others to cover a duty of yours. Who is on call does not change until one of them accepts.")
    .takes::<Named<CoverBody>>()
    .gives_tagged::<RequestWritten<CoverRequest>>("The request.")
    .refuses(refusals::ASK_FOR_COVER);

/// POST a request.
pub fn create(call: &Call, precondition: &Precondition) -> Outcome {
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

pub const LIST: Operation = operation("listCoverRequests", "cover", "List cover requests")
    .about("The requests that overlap a range, the caller's permitted actions on each, and what the caller may request in \
        each cell. For an API key, which is not a person, all of these are false.")
    .query(&[
        FROM,
        TO,
        text("cursor", "The `nextCursor` of the previous page, with the same range."),
    ])
    .gives_tagged::<RequestList<CoverRequest>>("A page of requests.")
    .refuses(&["invalidCoverCursor"]);

/// GET requests.
pub fn list(call: &Call) -> Outcome {
    requests::list::<CoverRequest>(call, RequestKind::Cover)
}

pub const READ: Operation = operation("getCoverRequest", "cover", "Read a cover request")
    .about("A request and the caller's permitted actions on it now. The ETag is the rotation's, for a write; because the \
        permitted actions change with time and absences, `If-None-Match` is ignored.")
    .gives_tagged::<Item<CoverRequest>>("The request.");

/// GET a request.
pub fn read(call: &Call) -> Outcome {
    requests::read::<CoverRequest>(call, RequestKind::Cover)
}

pub const ACCEPT: Operation = operation("acceptCoverRequest", "cover", "Accept a cover request")
    .about("Takes the duty over, from the later of its start and now. The first person to accept settles the \
        request.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<CoverRequest>>("The changed records.")
    .refuses(refusals::ACCEPT_COVER);

/// POST accept.
pub fn accept(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Accept, ACCEPT.id)
}

pub const DECLINE: Operation = operation("declineCoverRequest", "cover", "Decline a cover request")
    .about("Declines the request. Once all recipients have declined, it is settled.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<CoverRequest>>("What changed.")
    .refuses(refusals::ANSWER);

/// POST decline.
pub fn decline(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Decline, DECLINE.id)
}

pub const CANCEL: Operation = operation("cancelCoverRequest", "cover", "Cancel a cover request")
    .about("Withdraws the request. Editors of the rotation may cancel it, too.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<CoverRequest>>("What changed.")
    .refuses(refusals::ANSWER);

/// POST cancel.
pub fn cancel(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::Cancel, CANCEL.id)
}

pub const END: Operation = operation("endCoverRequest", "cover", "End an accepted cover")
    .about("Ends an accepted cover, for either side: one that has not begun is cancelled, a running one ends \
        now and the dealt holder is back.")
    .takes::<StepRequest>()
    .gives_tagged::<RequestWritten<CoverRequest>>("The changed records.")
    .refuses(refusals::ANSWER);

/// POST end.
pub fn end(call: &Call, precondition: &Precondition) -> Outcome {
    take(call, precondition, Step::End, END.id)
}

fn take(call: &Call, precondition: &Precondition, step: Step, name: &str) -> Outcome {
    requests::take::<CoverRequest>(call, precondition, RequestKind::Cover, step, name)
}
