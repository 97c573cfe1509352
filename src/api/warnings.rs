//! /v1/warnings, /v1/rotations/{rotationId}/warnings and /warning-settings.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    Body, Kind, NOT_MODIFIED, Operation, Parameter, gives, gives_tagged, parameter, shape,
};
use crate::actions::reads;
use crate::actions::warnings::{self, DAYS, MOST_DAYS, SetWarningSettings};
use crate::domain::naming::Naming;
use crate::domain::rotation::Rotation;
use crate::wire::etag::Precondition;
use crate::wire::page::Page;
use crate::wire::warning::{self as wire, Warning, WarningSettings, WarningSettingsRequest};

/// How far ahead warnings are looked for.
const AHEAD: Parameter = parameter(
    "days",
    Kind::Whole(MOST_DAYS, DAYS),
    "How many days are looked at, from now on.",
);

pub const READ: Operation = Operation {
    id: "getWarnings",
    tag: "warnings",
    summary: "What is wrong with the plan",
    about: "What is wrong with the plan of a rotation in the next days, by where it begins. It is always on one page, with at most \
            1,000 warnings of a kind. Kinds that the rotation has switched off are left out, and a disabled rotation has none. A \
            text names another rotation only where the credential may see it.",
    query: &[AHEAD],
    body: Body::None,
    gives: &[gives(
        200,
        "The warnings, all on one page.",
        shape::<Page<Warning>>,
    )],
    refuses: &[],
};

/// GET the warnings of a rotation.
pub fn read(_: &Api, call: &Call) -> Outcome {
    let days = call.query.whole("days", DAYS, MOST_DAYS)?;
    let id = call.path.id("rotationId");
    let (rotation, found) = warnings::of_rotation(call.app, call.caller, &id, days, Naming::Names)?;
    let found = found
        .iter()
        .map(|warning| wire::render(&rotation.id, warning));
    answer::json(200, &Page::whole(found.collect()))
}

pub const ACROSS: Operation = Operation {
    id: "listWarnings",
    tag: "warnings",
    summary: "What is wrong with all plans",
    about: "The warnings of all rotations that the credential may see, by where they begin. What concerns two rotations is told once \
            in each. It is always on one page, with at most 10,000 warnings.",
    query: &[AHEAD],
    body: Body::None,
    gives: &[gives(
        200,
        "The warnings, all on one page.",
        shape::<Page<Warning>>,
    )],
    refuses: &[],
};

/// GET the warnings of all rotations.
pub fn across(_: &Api, call: &Call) -> Outcome {
    let days = call.query.whole("days", DAYS, MOST_DAYS)?;
    let found = warnings::of_all(call.app, call.caller, days, Naming::Names)?;
    let found = found
        .iter()
        .map(|found| wire::render(&found.rotation.id, &found.warning));
    answer::json(200, &Page::whole(found.collect()))
}

pub const SETTINGS: Operation = Operation {
    id: "getWarningSettings",
    tag: "warnings",
    summary: "Read the warning settings",
    about: "The ETag is the rotation's.",
    query: &[],
    body: Body::None,
    gives: &[
        gives_tagged(200, "The settings.", shape::<WarningSettings>),
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
    id: "setWarningSettings",
    tag: "warnings",
    summary: "Change the warning settings",
    about: "Which kinds of warnings the rotation wants, and how much rest between two turns.",
    query: &[],
    body: Body::Required(shape::<WarningSettingsRequest>),
    gives: &[gives_tagged(200, "The settings.", shape::<WarningSettings>)],
    refuses: &[],
};

/// PUT the settings.
pub fn set(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetWarningSettings(wire::settings_change(&call.body)?);
    shown(call, &call.write(precondition, set)?.rotation)
}

fn shown(call: &Call, rotation: &Rotation) -> Outcome {
    answer::cached(call, rotation, || {
        wire::settings(&rotation.profile.warnings)
    })
}
