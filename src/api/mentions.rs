//! /v1/mentions and /v1/rotations/{rotationId}/mention-settings.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Body, NOT_MODIFIED, Operation, gives, gives_tagged, shape};
use crate::actions::mentions::{self, Answer};
use crate::actions::reads;
use crate::domain::rotation::Rotation;
use crate::wire::etag::{self, Precondition};
use crate::wire::mention::{self as wire, Mention, MentionSettings, MentionSettingsRequest};

pub const READ: Operation = Operation {
    id: "getMention",
    tag: "mentions",
    summary: "Read a mention",
    about: "Who asked for whoever is on call, who was notified, and how it stands.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The mention.", shape::<Mention>)],
    refuses: &[],
};

/// GET a mention.
pub fn read(_: &Api, call: &Call) -> Outcome {
    let id = call.path.id("mentionId");
    let mention = mentions::read(call.app, call.caller, &id)?;
    answer::json(200, &wire::render(&mention))
}

pub const ACKNOWLEDGE: Operation = Operation {
    id: "acknowledgeMention",
    tag: "mentions",
    summary: "Take a mention on",
    about: "Somebody whom the mention has notified takes it on. Where the rotation is set to, they then hand over to the next.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The mention.", shape::<Mention>)],
    refuses: &[(409, "mentionNotOpen")],
};

/// POST acknowledge.
pub fn acknowledge(_: &Api, call: &Call) -> Outcome {
    answered(call, Answer::Acknowledge)
}

pub const PASS: Operation = Operation {
    id: "passMention",
    tag: "mentions",
    summary: "Leave a mention to the others",
    about: "Once everybody notified has passed, the mention is `passed`. Passing twice changes nothing.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The mention.", shape::<Mention>)],
    refuses: &[(409, "mentionNotOpen")],
};

/// POST pass.
pub fn pass(_: &Api, call: &Call) -> Outcome {
    answered(call, Answer::Pass)
}

fn answered(call: &Call, answer: Answer) -> Outcome {
    let id = call.path.id("mentionId");
    let mention = mentions::answer(call.app, call.caller, &id, answer)?;
    answer::json(200, &wire::render(&mention))
}

pub const SETTINGS: Operation = Operation {
    id: "getMentionSettings",
    tag: "mentions",
    summary: "How a rotation deals with mentions",
    about: "The validator is the rotation's.",
    query: &[],
    body: Body::None,
    gives: &[
        gives_tagged(200, "The settings.", shape::<MentionSettings>),
        NOT_MODIFIED,
    ],
    refuses: &[],
};

/// GET the settings.
pub fn settings(_: &Api, call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, &reads::rotation(call.app, call.caller, &id)?)
}

pub const SET: Operation = Operation {
    id: "setMentionSettings",
    tag: "mentions",
    summary: "Say how a rotation deals with mentions",
    about: "Mentions that are open go on as they began.",
    query: &[],
    body: Body::Required(shape::<MentionSettingsRequest>),
    gives: &[gives_tagged(200, "The settings.", shape::<MentionSettings>)],
    refuses: &[],
};

/// PUT the settings.
pub fn set(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let change = wire::settings_change(&call.body)?;
    let id = call.path.id("rotationId");
    let rotation = mentions::set_settings(call.app, call.caller, &id, precondition, change)?;
    shown(call, &rotation)
}

fn shown(call: &Call, rotation: &Rotation) -> Outcome {
    let settings = wire::settings(&rotation.profile.mentions);
    answer::tagged(call, &etag::tag(rotation, call.app.calendar()), &settings)
}
