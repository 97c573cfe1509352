//! /v1/rotations/{rotationId}/on-call and /rotate, /v1/on-call.

use super::answer::{self, Outcome};
use super::collection::{self, Items};
use super::extract::Call;
use super::operation::{Kind, Operation, instant, operation, parameter, refusals, text};
use crate::actions::directory_edit::{PersonRecord, load_person};
use crate::actions::duty::{ClearDuty, Rotate, SetOnDuty};
use crate::actions::{ActionError, on_call_at, reads};
use crate::domain::access::Scope;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::server::room;
use crate::wire::body::invalid;
use crate::wire::directory::User;
use crate::wire::edit::{self, OnCallRequest, RotateRequest};
use crate::wire::etag::Precondition;
use crate::wire::on_call::{self, OnCall, OnCallLine, UserContact};
use crate::wire::page::Page;
use jiff::Timestamp;

pub const READ: Operation = operation("getOnCall", "on-call", "Read who is on call")
    .about("The people on call now, in slot order. `expand=users` adds their directory records, \
        `expand=contacts` how they are reached, for workspace admins and keys with `read:contacts`; that response has no ETag. With `at` it is who was on call then, by the record, or will be if nothing changes, by the forecast; \
        that response has no ETag either.")
    .query(&[
        instant("at", "The instant asked about, from the creation of the rotation to 366 days from now; now by default."),
        parameter("expand", Kind::SomeOf(&EXPANSIONS), "Adds the people's directory records, or how they are reached; may be sent \
            twice."),
    ])
    .gives_tagged::<OnCall>("Who is on call.")
    .or_not_modified()
    .refuses(refusals::FORECAST);

/// What `expand` names.
const EXPANSIONS: [&str; 2] = ["users", "contacts"];

/// What a response has beside who is on call.
#[derive(Clone, Copy)]
struct Expansion {
    users: bool,
    contacts: bool,
}

impl Expansion {
    fn read(call: &Call) -> Result<Expansion, Refusal> {
        let names = call.query.choices("expand", &EXPANSIONS, |name| {
            EXPANSIONS.into_iter().find(|known| *known == name)
        })?;
        let expansion = Expansion {
            users: names.contains(&"users"),
            contacts: names.contains(&"contacts"),
        };
        if expansion.contacts {
            call.caller.check_scope(Scope::ReadContacts)?;
        }
        Ok(expansion)
    }

    fn is_any(self) -> bool {
        self.users || self.contacts
    }
}

/// GET on-call, from the cache unless people are expanded or an instant is asked for.
pub fn read(call: &Call) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    let expands = Expansion::read(call)?;
    if let Some(at) = call.query.instant("at")? {
        return read_at(call, &id, at, expands);
    }
    if expands.is_any() {
        return expanded(call, &id, expands);
    }
    let cached = call
        .api
        .on_call_cache
        .cached(call.app, &id)?
        .ok_or(Refusal::NotFound("rotation"))?;
    call.caller.check_see(&cached.rotation)?;
    if cached.rotation.external.is_some() {
        // What is shown depends on the time, so there is no validator.
        let as_of = call.app.as_of(call.app.now());
        let body = on_call::render(&cached.rotation, call.app.calendar(), &as_of, None);
        return answer::json(200, &body);
    }
    let unchanged = answer::not_modified(call.if_none_match.as_deref(), &cached.tag);
    let whole = || answer::shared(&cached.body).with("ETag", cached.tag.clone());
    Ok(unchanged.unwrap_or_else(whole))
}

/// The memory for an expanded response: 400 slots with as many records.
const EXPANDED: usize = 1024 * 1024;

/// Rendered for one caller, so it takes memory like other operations.
fn expanded(call: &Call, id: &RotationId, expands: Expansion) -> Outcome {
    let share = call.room.take(EXPANDED)?;
    let rotation = reads::rotation(call.app, call.caller, id)?;
    let people = resolve::everybody_on_call(&rotation);
    let (users, contacts) = records(call, &people, expands)?;
    let as_of = call.app.as_of(call.app.now());
    let whole = on_call::render(&rotation, call.app.calendar(), &as_of, users);
    let whole = OnCall { contacts, ..whole };
    Ok(room::hold(answer::json(200, &whole)?, share))
}

/// The directory records of people, and how they are reached.
type Records = (Option<Vec<User>>, Option<Vec<UserContact>>);

fn records(call: &Call, ids: &[UserId], expands: Expansion) -> Result<Records, ActionError> {
    let found = call.app.store().read(|tx| -> Result<Vec<_>, ActionError> {
        let found: Result<Vec<_>, _> = ids.iter().map(|id| load_person(tx, id)).collect();
        Ok(found?.into_iter().flatten().collect())
    })?;
    let contact = |record: &PersonRecord| UserContact {
        user_id: record.person.id.to_string(),
        email: record.person.email.clone(),
        phone: record.phone.clone(),
    };
    let contacts = expands
        .contacts
        .then(|| found.iter().map(contact).collect());
    let users = found.into_iter().map(|record| User::from(record.person));
    Ok((expands.users.then(|| users.collect()), contacts))
}

/// The memory for who is on call at an instant: two copies of a grid of 400 slots, and its response.
const AT_AN_INSTANT: usize = 2 * 1024 * 1024;

/// Who is on call at an instant. What is planned may change without notice, so there is no validator.
fn read_at(call: &Call, id: &RotationId, at: Timestamp, expands: Expansion) -> Outcome {
    let share = call.room.take(AT_AN_INSTANT)?;
    let (rotation, duty) = on_call_at::of(call.app, call.caller, id, Some(at))?;
    let (users, contacts) = match expands.is_any() {
        true => records(call, &duty.people(), expands)?,
        false => (None, None),
    };
    let (calendar, as_of) = (call.app.calendar(), call.app.as_of(at));
    let body = on_call::render_at(&rotation, &duty, calendar, &as_of, users);
    let body = OnCall { contacts, ..body };
    let response = answer::json(200, &body)?.with("Cache-Control", "no-store");
    Ok(room::hold(response, share))
}

pub const LIST: Operation = operation("listOnCall", "on-call", "Read who is on call everywhere")
    .about("Who is on call at one instant in all rotations that the credential may see, a line each, in the order in which the \
        rotations were created. Rotations that were created after that instant are left out.")
    .query(&[
        instant("at", "The instant asked about, at most 366 days from now; now by default."),
        text("userId", "Only rotations in which this person is a member, or on call then."),
    ])
    .gives_page::<OnCallLine>("A page of rotations.");

/// The memory for a page of it, and the largest page in bytes: rendered as a whole, because every line has to be right.
const A_PAGE: usize = 8 * 1024 * 1024;
const LARGEST_PAGE: usize = 4 * 1024 * 1024;

/// GET on-call of all rotations.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let at = call.query.instant("at")?;
    let user = call.query.one("userId")?.map(UserId::from);
    let share = call.room.take(A_PAGE)?;
    let (calendar, as_of) = (
        call.app.calendar(),
        call.app.as_of(at.unwrap_or_else(|| call.app.now())),
    );
    let mut lines = Items::default();
    let (app, caller) = (call.app, call.caller);
    let total = on_call_at::everywhere(app, caller, at, user.as_ref(), page, |found, duty| {
        lines.push(&on_call::line(found, duty, calendar, &as_of))?;
        match lines.size() > LARGEST_PAGE {
            true => Ok(invalid(
                "pageSize",
                "too many people are on call for one page; send a smaller size",
            )?),
            false => Ok(()),
        }
    })?;
    let envelope = Page::new(Vec::new(), page.number, page.size, total);
    let response = collection::page(call, envelope, lines, None)?;
    let response = response.with("Cache-Control", "no-store");
    Ok(room::hold(response, share))
}

/// The resource after a write, with the new ETag.
pub(super) fn written(call: &Call, rotation: &Rotation) -> Outcome {
    let as_of = call.app.as_of(call.app.now());
    let body = on_call::render(rotation, call.app.calendar(), &as_of, None);
    answer::tagged(call, rotation, 200, &body)
}

pub const REPLACE: Operation = operation("replaceOnCall", "on-call", "Put people on duty")
    .about("Assigns the people, in order, to the slots of the open windows; if none is open, of all windows. Fewer \
        people leave the remaining slots empty. Scheduled hand-overs keep their times.")
    .takes::<OnCallRequest>()
    .gives_tagged::<OnCall>("Who is on call now.")
    .refuses(refusals::DUTY);

/// PUT on-call.
pub fn replace(call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetOnDuty {
        users: edit::on_call(&call.body)?,
    };
    written(call, &call.write(precondition, set)?.rotation)
}

pub const CLEAR: Operation = operation("clearOnCall", "on-call", "Take people off duty")
    .about("Takes everyone, or the holder of one cell, off duty. The slots stay empty until the next hand-over, or until the \
        members, rosters, coverage, absences, tier or `enabled` of this rotation change.")
    .query(&[text("cellId", "Only this cell.")])
    .gives_tagged::<OnCall>("Who is on call now.")
    .refuses(refusals::DUTY);

/// DELETE on-call.
pub fn clear(call: &Call, precondition: &Precondition) -> Outcome {
    let clear = ClearDuty {
        cell: call.query.one("cellId")?.map(CellId::from),
    };
    written(call, &call.write(precondition, clear)?.rotation)
}

pub const ROTATE: Operation = operation("rotate", "on-call", "Hand over now")
    .about("Hands over all or the named cells now, in the same way as a scheduled hand-over. Scheduled hand-overs keep \
        their times.")
    .may_take::<RotateRequest>()
    .gives_tagged::<OnCall>("Who is on call now.")
    .refuses(refusals::DUTY);

/// POST rotate.
pub fn rotate(call: &Call, precondition: &Precondition) -> Outcome {
    let rotate = Rotate {
        cells: edit::rotate(&call.body)?,
    };
    written(call, &call.write(precondition, rotate)?.rotation)
}
