//! /v1/mentions and /v1/rotations/{rotationId}/mention-settings.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    Body, Kind, NOT_MODIFIED, Operation, PAGE, PAGE_SIZE, gives, gives_tagged, parameter, shape,
};
use crate::actions::mentions::{self, Answer, SetMentionSettings};
use crate::actions::reads;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::mention::MentionState;
use crate::domain::rotation::Rotation;
use crate::store::MentionFilter;
use crate::wire::etag::Precondition;
use crate::wire::mention::{self as wire, Mention, MentionSettings, MentionSettingsRequest};
use crate::wire::page::Page;

pub const READ: Operation = Operation {
    id: "getMention",
    tag: "mentions",
    summary: "Read a mention",
    about: "Who opened the mention, who was notified, and its state.",
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

const STATES: &[&str] = &["open", "acknowledged", "passed", "expired", "nobody"];

pub const LIST: Operation = Operation {
    id: "listMentions",
    tag: "mentions",
    summary: "List mentions of all rotations",
    about: "The mentions of all rotations that the credential may see, newest first. Closed ones are kept for 90 days.",
    query: &[
        parameter("state", Kind::OneOf(STATES), "Only those in this state."),
        parameter(
            "userId",
            Kind::Text,
            "Only those that have notified this person.",
        ),
        parameter("rotationId", Kind::Text, "Only those of this rotation."),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(200, "A page of mentions.", shape::<Page<Mention>>)],
    refuses: &[],
};

/// GET the mentions of all rotations.
pub fn list(_: &Api, call: &Call) -> Outcome {
    let (query, page) = (&call.query, call.query.page()?);
    let filter = MentionFilter {
        state: query.choice("state", STATES, MentionState::parse)?,
        notified: query.one("userId")?.map(UserId::from),
        rotation: query.one("rotationId")?.map(RotationId::from),
        ..MentionFilter::default()
    };
    let (found, total) = mentions::list(call.app, call.caller, filter, page)?;
    let data = found.iter().map(wire::render).collect();
    answer::json(200, &Page::new(data, page.number, page.size, total))
}

pub const ACKNOWLEDGE: Operation = Operation {
    id: "acknowledgeMention",
    tag: "mentions",
    summary: "Acknowledge a mention",
    about: "A notified person acknowledges the mention. With `rotateAfterAcknowledgement` they then hand over to the next person.",
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
    summary: "Pass a mention on",
    about: "Once all notified people have passed, the mention is `passed`. Passing twice changes nothing.",
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
    let mention = mentions::answer(call.app, &call.author(), &id, answer)?;
    answer::json(200, &wire::render(&mention))
}

pub const SETTINGS: Operation = Operation {
    id: "getMentionSettings",
    tag: "mentions",
    summary: "Read the mention settings",
    about: "The ETag is the rotation's.",
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
    summary: "Change the mention settings",
    about: "Open mentions keep the settings they were opened with.",
    query: &[],
    body: Body::Required(shape::<MentionSettingsRequest>),
    gives: &[gives_tagged(200, "The settings.", shape::<MentionSettings>)],
    refuses: &[],
};

/// PUT the settings.
pub fn set(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetMentionSettings(wire::settings_change(&call.body)?);
    shown(call, &call.write(precondition, set)?.rotation)
}

fn shown(call: &Call, rotation: &Rotation) -> Outcome {
    answer::cached(call, rotation, || {
        wire::settings(&rotation.profile.mentions)
    })
}
