//! The inbound webhook at /webhook/{webhookPath}, and /v1/rotations/{rotationId}/inbound-webhook, which shows its address and
//! key (rules.md 15).

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Body, Kind, Operation, gives, gives_tagged, parameter, shape};
use crate::actions::duty::{Rotate, SetOnDuty};
use crate::actions::mutation::{Mutation, Operation as Write};
use crate::actions::{inbound, mentions, reads};
use crate::domain::access::Principal;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::store::InboundWebhook as Stored;
use crate::wire::body::invalid;
use crate::wire::etag::Precondition;
use crate::wire::mention::{self as wire, InboundWebhook, MentionOpened};
use crate::wire::on_call::OnCall;

pub const READ: Operation = Operation {
    id: "getInboundWebhook",
    tag: "inbound",
    summary: "The way into a rotation",
    about: "Address and key of the rotation's inbound webhook; made when it is asked for first.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "Address and key.", shape::<InboundWebhook>)],
    refuses: &[],
};

/// GET the way in.
pub fn read(_: &Api, call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, inbound::read(call.app, call.caller, &id)?)
}

pub const ROTATE_KEY: Operation = Operation {
    id: "rotateInboundWebhookKey",
    tag: "inbound",
    summary: "Give the way in a new key",
    about: "The old key opens nothing any more; the address stays.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "Address and key.", shape::<InboundWebhook>)],
    refuses: &[],
};

/// POST a new key.
pub fn rotate_key(_: &Api, call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, inbound::rotate_key(call.app, call.caller, &id)?)
}

fn shown(call: &Call, found: Stored) -> Outcome {
    let url = format!("{}/webhook/{}", call.app.base_url(), found.path);
    let shown = InboundWebhook {
        url,
        key: found.key,
        created_at: found.created_at.into(),
    };
    answer::json(200, &shown)
}

pub const ROTATE: Operation = Operation {
    id: "inboundRotate",
    tag: "inbound",
    summary: "Hand over now",
    about: "Deprecated in favour of `POST /v1/rotations/{rotationId}/rotate`.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(200, "Who is on call now.", shape::<OnCall>)],
    refuses: &[(409, "rotation_disabled")],
};

/// POST rotate.
pub fn rotate(_: &Api, call: &Call) -> Outcome {
    write(call, Rotate { cells: None })
}

pub const SET_ON_DUTY: Operation = Operation {
    id: "inboundSetOnDuty",
    tag: "inbound",
    summary: "Put a member on duty",
    about: "Deprecated in favour of `PUT /v1/rotations/{rotationId}/on-call`.",
    query: &[parameter(
        "email",
        Kind::NeededText,
        "The chat address of a member of the rotation, whatever its case.",
    )],
    body: Body::None,
    gives: &[gives_tagged(200, "Who is on call now.", shape::<OnCall>)],
    refuses: &[(409, "rotation_disabled")],
};

/// POST setonduty.
pub fn set_on_duty(_: &Api, call: &Call) -> Outcome {
    let id = rotation(call)?;
    let Some(email) = call.query.one("email")?.filter(|email| !email.is_empty()) else {
        return Ok(invalid(
            "email: missing; send the chat address of a member",
        )?);
    };
    let found = reads::rotation(call.app, call.caller, &id)?;
    let user = inbound::member_by_email(call.app, &found, email)?;
    write(call, SetOnDuty { users: vec![user] })
}

pub const MENTION: Operation = Operation {
    id: "inboundMention",
    tag: "inbound",
    summary: "Ask for whoever is on call",
    about: "Opens a mention: everybody on call is notified in the channel. Where nobody is on call it is answered at once.",
    query: &[
        parameter("userId", Kind::NeededText, "Who asks."),
        parameter(
            "channelId",
            Kind::NeededText,
            "The channel to ask in; the app must be in it.",
        ),
        parameter("message", Kind::Text, "At most 2,000 characters."),
    ],
    body: Body::None,
    gives: &[gives(200, "What was opened.", shape::<MentionOpened>)],
    refuses: &[(409, "rotation_disabled")],
};

/// POST mention.
pub fn mention(_: &Api, call: &Call) -> Outcome {
    let id = rotation(call)?;
    let query = &call.query;
    let new = wire::new_mention(
        query.one("userId")?,
        query.one("channelId")?,
        query.one("message")?,
    )?;
    let opened = mentions::open(call.app, call.caller, &id, new)?;
    answer::json(200, &wire::opened(&opened))
}

/// Runs an operation on the rotation that the key of the call opens, as it stands.
fn write<O: Write>(call: &Call, operation: O) -> Outcome {
    let mutation = Mutation {
        caller: call.caller,
        rotation: &rotation(call)?,
        precondition: &Precondition::Any,
        operation,
    };
    super::on_call::written(call, &mutation.run(call.app)?.rotation)
}

/// The rotation that the key of the call opens.
fn rotation(call: &Call) -> Result<RotationId, Refusal> {
    match call.caller {
        Principal::InboundWebhook { rotation, .. } => Ok(rotation.clone()),
        _ => Err(Refusal::NotFound("rotation")),
    }
}
