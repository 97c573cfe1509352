//! /v1/requests, and what cover-requests and swap-requests have in common.

use super::answer::{self, Outcome};
use super::collection::{self, Items, More};
use super::extract::Call;
use super::once;
use super::operation::{Kind, OF_ROTATION, Operation, operation, parameter, text};
use crate::actions::answering::AnswerRequest;
use crate::actions::requests::{self, Start};
use crate::actions::{ActionError, App, Error};
use crate::domain::access::Principal;
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::{RequestKind, RequestState, RequestWritten as Written, Step};
use crate::domain::rotation::Rotation;
use crate::store::{Part, RequestFilter, RequestKey, RequestPosition};
use crate::wire::etag::Precondition;
use crate::wire::page::Page;
use crate::wire::request::{self, Record, RequestItem, RequestList};
use crate::wire::{arrangement, cursor};
use schemars::JsonSchema;
use serde::Serialize;

/// The id of the request in the path.
fn named(call: &Call, kind: RequestKind) -> RequestId {
    call.path.id(match kind {
        RequestKind::Cover => "coverRequestId",
        RequestKind::Swap => "swapRequestId",
    })
}

/// GET a list of requests.
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

const STATES: &[&str] = &[
    "pending",
    "accepted",
    "declined",
    "cancelled",
    "expired",
    "ended",
];
const ROLES: &[&str] = &["requester", "recipient"];

pub const ACROSS: Operation = operation("listRequests", "requests", "List requests of all rotations")
    .about("The cover and swap requests of all rotations that the credential may see, newest first, with what the caller may \
        do with each. A page of more than 64 KiB is rendered while it is sent: each request in it is current.")
    .query(&[
        parameter("state", Kind::OneOf(STATES), "Only those in this state."),
        text("userId", "Only those that this person has made or was asked by."),
        parameter("role", Kind::OneOf(ROLES), "Only those in which the person has this role. Without `userId`, the person is the one whose member token it is."),
        OF_ROTATION,
    ])
    .gives_page::<RequestItem>("A page of requests.");

/// GET the requests of all rotations.
pub fn across(call: &Call) -> Outcome {
    let (filter, page) = (filter(call)?, call.query.page()?);
    let (app, caller) = (call.app, call.caller);
    let (found, total) = requests::list_across(app, caller, filter, page)?;
    let mut unshown = found.into_iter();
    let mut first = Items::default();
    show(app, caller, &mut unshown, &mut first)?;
    let more = (unshown.len() > 0).then(|| -> More {
        let (app, caller) = (app.clone(), caller.clone());
        Box::new(move |items| {
            show(&app, &caller, &mut unshown, items)?;
            Ok(unshown.len() > 0)
        })
    });
    let envelope = Page::new(Vec::new(), page.number, page.size, total);
    collection::page(call, envelope, first, more)
}

/// Adds requests to the items of a page, as many as are enough for now. One that is not there any more is left out.
fn show(
    app: &App,
    caller: &Principal,
    unshown: &mut std::vec::IntoIter<RequestKey>,
    items: &mut Items,
) -> Result<(), ActionError> {
    for (rotation, kind, id) in unshown {
        match requests::read(app, caller, &rotation, kind, &id) {
            Ok((_, found)) => items.push(&request::any_item(&found))?,
            Err(ActionError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        if items.is_enough() {
            break;
        }
    }
    Ok(())
}

fn filter(call: &Call) -> Result<RequestFilter, Refusal> {
    let query = &call.query;
    let role = query.choice("role", ROLES, |word| match word {
        "requester" => Some(Part::Requester),
        "recipient" => Some(Part::Recipient),
        _ => None,
    })?;
    let user = match (query.one("userId")?, role) {
        (Some(user), _) => Some(UserId::from(user)),
        (None, Some(_)) => match call.caller.person() {
            Ok(person) => Some(person.clone()),
            Err(_) => return invalid("userId: missing; send the person whose role is asked for"),
        },
        (None, None) => None,
    };
    Ok(RequestFilter {
        state: query.choice("state", STATES, RequestState::parse)?,
        user: user.map(|user| (user, role)),
        rotation: query.one("rotationId")?.map(RotationId::from),
        ..RequestFilter::default()
    })
}

/// GET one of them.
pub fn read<T: Record + Serialize>(call: &Call, kind: RequestKind) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let (rotation, found) = requests::read(call.app, call.caller, &id, kind, &named(call, kind))?;
    let shown = request::item::<T>(&found);
    for_now(call, &rotation, &shown)
}

/// A response without 304: the permitted actions depend on the caller, the time and absences, none of which changes the
/// rotation. The ETag is the rotation's, for writes.
fn for_now<T: Serialize>(call: &Call, rotation: &Rotation, found: &T) -> Outcome {
    answer::tagged(call, rotation, 200, found)
}

/// POST a step, named as its operation is.
pub fn take<T: Record + Serialize + JsonSchema + 'static>(
    call: &Call,
    precondition: &Precondition,
    kind: RequestKind,
    step: Step,
    name: &str,
) -> Outcome {
    let (operation_id, answering) = arrangement::parse_step::<T>(&call.body)?;
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

/// The stored response of a write of a request.
pub fn written<T: Record + Serialize>(
    operation_id: &str,
    written: &Written,
) -> Result<String, Error> {
    once::text(&request::written::<T>(operation_id, written))
}
