//! /v1/rotations/{rotationId}/on-call and /rotate.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Body, Kind, NOT_MODIFIED, Operation, gives_tagged, parameter, shape};
use crate::actions::duty::{ClearDuty, Rotate, SetOnDuty};
use crate::actions::{ActionError, reads};
use crate::domain::ids::{CellId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::server::room;
use crate::store::load_person;
use crate::wire::body::invalid;
use crate::wire::directory::User;
use crate::wire::edit::{self, OnCallRequest, RotateRequest};
use crate::wire::etag::{self, Precondition};
use crate::wire::on_call::{self, OnCall};

pub const READ: Operation = Operation {
    id: "getOnCall",
    tag: "on-call",
    summary: "Read who is on call",
    about: "The people on call now, in slot order. `expand=users` adds their directory records; that response \
            has no ETag.",
    query: &[parameter(
        "expand",
        Kind::OneOf(&["users"]),
        "Adds the people's directory records.",
    )],
    body: Body::None,
    gives: &[
        gives_tagged(200, "Who is on call.", shape::<OnCall>),
        NOT_MODIFIED,
    ],
    refuses: &[],
};

/// GET on-call, from the cache unless people are expanded.
pub fn read(api: &Api, call: &Call) -> Outcome {
    let id: RotationId = call.path.id("rotationId");
    match call.query.one("expand")? {
        None => {}
        Some("users") => return expanded(call, &id),
        Some(_) => return Ok(invalid("expand: send `users`, or omit it")?),
    }
    let cached = api
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
    let whole = || answer::with(answer::shared(&cached.body), "ETag", cached.tag.as_str());
    Ok(unchanged.unwrap_or_else(whole))
}

/// The memory for an expanded response: 400 slots with as many records.
const EXPANDED: usize = 1024 * 1024;

/// Rendered for one caller, so it takes memory like other operations.
fn expanded(call: &Call, id: &RotationId) -> Outcome {
    let share = call.room.take(EXPANDED)?;
    let rotation = reads::rotation(call.app, call.caller, id)?;
    let ids = resolve::everybody_on_call(&rotation);
    let people = call.app.store().read(|tx| -> Result<Vec<_>, ActionError> {
        let found: Result<Vec<_>, _> = ids.iter().map(|id| load_person(tx, id)).collect();
        Ok(found?.into_iter().flatten().collect())
    })?;
    let users = people.into_iter().map(User::from).collect();
    let whole = on_call::render(
        &rotation,
        call.app.calendar(),
        &call.app.as_of(call.app.now()),
        Some(users),
    );
    Ok(room::hold(answer::json(200, &whole)?, share))
}

/// The resource after a write, with the new ETag.
pub(super) fn written(call: &Call, rotation: &Rotation) -> Outcome {
    let as_of = call.app.as_of(call.app.now());
    let body = on_call::render(rotation, call.app.calendar(), &as_of, None);
    Ok(answer::with(
        answer::json(200, &body)?,
        "ETag",
        etag::tag(rotation, call.app.calendar()),
    ))
}

pub const REPLACE: Operation = Operation {
    id: "replaceOnCall",
    tag: "on-call",
    summary: "Put people on duty",
    about: "Assigns the people, in order, to the slots of the open windows; if none is open, of all windows. Fewer \
            people leave the remaining slots empty. Scheduled hand-overs keep their times.",
    query: &[],
    body: Body::Required(shape::<OnCallRequest>),
    gives: &[gives_tagged(200, "Who is on call now.", shape::<OnCall>)],
    refuses: &[
        (409, "rotation_disabled"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// PUT on-call.
pub fn replace(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetOnDuty {
        users: edit::on_call(&call.body)?,
    };
    written(call, &call.write(precondition, set)?.rotation)
}

pub const CLEAR: Operation = Operation {
    id: "clearOnCall",
    tag: "on-call",
    summary: "Take people off duty",
    about: "Takes everyone, or the holder of one cell, off duty. The slots stay empty until the next hand-over, or until the \
            members, rosters, coverage, absences, tier or `enabled` of this rotation change.",
    query: &[parameter("cellId", Kind::Text, "Only this cell.")],
    body: Body::None,
    gives: &[gives_tagged(200, "Who is on call now.", shape::<OnCall>)],
    refuses: &[
        (409, "rotation_disabled"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// DELETE on-call.
pub fn clear(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let clear = ClearDuty {
        cell: call.query.one("cellId")?.map(CellId::from),
    };
    written(call, &call.write(precondition, clear)?.rotation)
}

pub const ROTATE: Operation = Operation {
    id: "rotate",
    tag: "on-call",
    summary: "Hand over now",
    about: "Hands over all or the named cells now, in the same way as a scheduled hand-over. Scheduled hand-overs keep \
            their times.",
    query: &[],
    body: Body::Optional(shape::<RotateRequest>),
    gives: &[gives_tagged(200, "Who is on call now.", shape::<OnCall>)],
    refuses: &[
        (409, "rotation_disabled"),
        (409, "external_rotation_is_read_only"),
    ],
};

/// POST rotate.
pub fn rotate(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let rotate = Rotate {
        cells: edit::rotate(&call.body)?,
    };
    written(call, &call.write(precondition, rotate)?.rotation)
}
