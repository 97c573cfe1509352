//! The inbound webhook at /webhook/{webhookPath}, and /v1/rotations/{rotationId}/inbound-webhook, which returns its URL and
//! key (rules.md 15).

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Kind, Operation, operation, parameter, refusals, text};
use crate::actions::duty::{Rotate, SetOnDuty};
use crate::actions::mentions::OpenMention;
use crate::actions::mutation::{Mutation, Operation as Write, Written};
use crate::actions::{ActionError, inbound, reads};
use crate::domain::access::Principal;
use crate::domain::fault::Fault;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::store::InboundWebhook as Stored;
use crate::wire::body::invalid;
use crate::wire::etag::Precondition;
use crate::wire::mention::{self as wire, InboundWebhook, MentionOpened};
use crate::wire::on_call::OnCall;

pub const READ: Operation = operation("getInboundWebhook", "inbound", "Read the inbound webhook")
    .about("URL and key of the rotation's inbound webhook. Created on first use.")
    .gives::<InboundWebhook>(200, "URL and key.")
    .refuses(&["standby"]);

/// GET the inbound webhook.
pub fn read(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, inbound::read(call.app, &call.author(), &id)?)
}

pub const ROTATE_KEY: Operation = operation(
    "rotateInboundWebhookKey",
    "inbound",
    "Rotate the inbound webhook's key",
)
.about("The old key no longer works; the URL does not change.")
.gives::<InboundWebhook>(200, "URL and key.");

/// POST a new key.
pub fn rotate_key(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, inbound::rotate_key(call.app, &call.author(), &id)?)
}

fn shown(call: &Call, found: Stored) -> Outcome {
    let url = format!("{}/webhook/{}", call.base_url, found.path);
    let shown = InboundWebhook {
        url,
        key: found.key,
        created_at: found.created_at.into(),
    };
    answer::json(200, &shown)
}

pub const ROTATE: Operation = operation("inboundRotate", "inbound", "Hand over now")
    .about("Deprecated in favour of `POST /v1/rotations/{rotationId}/rotate`.")
    .gives_tagged::<OnCall>("Who is on call now.")
    .refuses(refusals::DUTY);

/// POST rotate.
pub fn rotate(call: &Call) -> Outcome {
    hand_over(call, Rotate { cells: None })
}

pub const SET_ON_DUTY: Operation = operation("inboundSetOnDuty", "inbound", "Put a member on duty")
    .about("Deprecated in favour of `PUT /v1/rotations/{rotationId}/on-call`.")
    .query(&[parameter(
        "email",
        Kind::NeededText,
        "The email address of a member of the rotation, case-insensitive.",
    )])
    .gives_tagged::<OnCall>("Who is on call now.")
    .refuses(refusals::DUTY);

/// POST setonduty.
pub fn set_on_duty(call: &Call) -> Outcome {
    let id = rotation(call)?;
    let Some(email) = call.query.one("email")?.filter(|email| !email.is_empty()) else {
        return Ok(invalid(
            "email",
            Fault::Missing("send the email address of a member".into()),
        )?);
    };
    let found = reads::rotation(call.app, call.caller, &id)?;
    found.check_own()?;
    let user = inbound::member_by_email(call.app, &found, email)?;
    hand_over(call, SetOnDuty { users: vec![user] })
}

pub const MENTION: Operation = operation("inboundMention", "inbound", "Mention the people on call")
    .about("Opens a mention: everyone on call is notified in the channel. If nobody is on call, it closes at once.")
    .query(&[
        parameter("userId", Kind::NeededText, "Who asks."),
        parameter("channelId", Kind::NeededText, "The channel of the mention; the app must be a member."),
        text("message", "At most 2,000 characters."),
    ])
    .gives::<MentionOpened>(200, "The opened mention.")
    .refuses(&["rotation_disabled", "tooManyMentions"]);

/// POST mention.
pub fn mention(call: &Call) -> Outcome {
    let query = &call.query;
    let new = wire::new_mention(
        query.one("userId")?,
        query.one("channelId")?,
        query.one("message")?,
    )?;
    let opened = write(call, OpenMention(new))?.output;
    answer::json(200, &wire::opened(&opened))
}

/// Runs an operation of duty, and answers who is on call then.
fn hand_over<O: Write>(call: &Call, operation: O) -> Outcome {
    super::on_call::written(call, &write(call, operation)?.rotation)
}

/// Runs an operation on the current rotation of the call's key.
fn write<O: Write>(call: &Call, operation: O) -> Result<Written<O::Output>, ActionError> {
    let mutation = Mutation {
        author: &call.author(),
        rotation: &rotation(call)?,
        precondition: &Precondition::Any,
        operation,
    };
    mutation.run(call.app)
}

/// The rotation of the call's key.
fn rotation(call: &Call) -> Result<RotationId, Refusal> {
    match call.caller {
        Principal::InboundWebhook { rotation, .. } => Ok(rotation.clone()),
        _ => Err(Refusal::NotFound("rotation")),
    }
}
