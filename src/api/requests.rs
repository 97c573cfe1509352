//! /v1/requests.

use super::answer::Outcome;
use super::collection::{self, Items, More};
use super::extract::Call;
use super::operation::{Kind, OF_ROTATION, Operation, operation, parameter, text};
use crate::actions::requests::{self};
use crate::actions::{ActionError, App};
use crate::domain::access::Principal;
use crate::domain::fault::Fault;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::request::RequestState;
use crate::store::{Part, RequestFilter, RequestKey};
use crate::wire::page::Page;
use crate::wire::request::{self, RequestItem};

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
            Err(_) => {
                return invalid(
                    "userId",
                    Fault::Missing("send the person whose role is asked for".into()),
                );
            }
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
