//! /v1/mentions and /v1/rotations/{rotationId}/mention-settings.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Kind, OF_ROTATION, Operation, operation, parameter, refusals, text};
use crate::actions::mentions::{self, Answer, SetMentionSettings};
use crate::actions::reads;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::mention::MentionState;
use crate::domain::rotation::Rotation;
use crate::store::MentionFilter;
use crate::wire::etag::Precondition;
use crate::wire::mention::{self as wire, Mention, MentionSettings, MentionSettingsRequest};

pub const READ: Operation = operation("getMention", "mentions", "Read a mention")
    .about("Who opened the mention, who was notified, and its state.")
    .gives::<Mention>(200, "The mention.");

/// GET a mention.
pub fn read(call: &Call) -> Outcome {
    let id = call.path.id("mentionId");
    let mention = mentions::read(call.app, call.caller, &id)?;
    answer::json(200, &wire::render(&mention))
}

const STATES: &[&str] = &["open", "acknowledged", "passed", "expired", "nobody"];

pub const LIST: Operation = operation("listMentions", "mentions", "List mentions of all rotations")
    .about("The mentions of all rotations that the credential may see, newest first. Closed ones are kept for 90 days.")
    .query(&[
        parameter("state", Kind::OneOf(STATES), "Only those in this state."),
        text("userId", "Only those that have notified this person."),
        OF_ROTATION,
    ])
    .gives_page::<Mention>("A page of mentions.");

/// GET the mentions of all rotations.
pub fn list(call: &Call) -> Outcome {
    let (query, page) = (&call.query, call.query.page()?);
    let filter = MentionFilter {
        state: query.choice("state", STATES, MentionState::parse)?,
        notified: query.one("userId")?.map(UserId::from),
        rotation: query.one("rotationId")?.map(RotationId::from),
        ..MentionFilter::default()
    };
    let (found, total) = mentions::list(call.app, call.caller, filter, page)?;
    let data = found.iter().map(wire::render).collect();
    answer::listed(data, page, total)
}

pub const ACKNOWLEDGE: Operation = operation("acknowledgeMention", "mentions", "Acknowledge a mention")
    .about("A notified person acknowledges the mention. With `rotateAfterAcknowledgement` they then hand over to the next person.")
    .gives::<Mention>(200, "The mention.")
    .refuses(refusals::MENTION);

/// POST acknowledge.
pub fn acknowledge(call: &Call) -> Outcome {
    answered(call, Answer::Acknowledge)
}

pub const PASS: Operation = operation("passMention", "mentions", "Pass a mention on")
    .about("Once all notified people have passed, the mention is `passed`. Passing twice changes nothing.")
    .gives::<Mention>(200, "The mention.")
    .refuses(refusals::MENTION);

/// POST pass.
pub fn pass(call: &Call) -> Outcome {
    answered(call, Answer::Pass)
}

fn answered(call: &Call, answer: Answer) -> Outcome {
    let id = call.path.id("mentionId");
    let mention = mentions::answer(call.app, &call.author(), &id, answer)?;
    answer::json(200, &wire::render(&mention))
}

pub const SETTINGS: Operation = operation(
    "getMentionSettings",
    "mentions",
    "Read the mention settings",
)
.about("The ETag is the rotation's.")
.gives_tagged::<MentionSettings>("The settings.")
.or_not_modified();

/// GET the settings.
pub fn settings(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, &reads::rotation(call.app, call.caller, &id)?)
}

pub const SET: Operation = operation(
    "setMentionSettings",
    "mentions",
    "Change the mention settings",
)
.about("Open mentions keep the settings they were opened with.")
.takes::<MentionSettingsRequest>()
.gives_tagged::<MentionSettings>("The settings.");

/// PUT the settings.
pub fn set(call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetMentionSettings(wire::settings_change(&call.body)?);
    shown(call, &call.write(precondition, set)?.rotation)
}

fn shown(call: &Call, rotation: &Rotation) -> Outcome {
    answer::cached(call, rotation, || {
        wire::settings(&rotation.profile.mentions)
    })
}
