//! /v1/warnings, /v1/rotations/{rotationId}/warnings and /warning-settings.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Kind, Operation, Parameter, operation, parameter};
use crate::actions::reads;
use crate::actions::warnings::{self, Asked, DAYS, MOST_DAYS, SetWarningSettings};
use crate::domain::naming::Naming;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::warning_kinds::Severity;
use crate::store::Page as Numbered;
use crate::wire::etag::Precondition;
use crate::wire::warning::{self as wire, Warning, WarningSettings, WarningSettingsRequest};

/// The values of `severity`.
const SEVERITIES: &[&str] = &["high", "medium", "low"];

const QUERY: &[Parameter] = &[
    parameter(
        "days",
        Kind::Whole(MOST_DAYS, DAYS),
        "How many days are looked at, from now on.",
    ),
    parameter(
        "severity",
        Kind::OneOf(SEVERITIES),
        "Only warnings that matter so much.",
    ),
];

pub const READ: Operation = operation("getWarnings", "warnings", "What is wrong with the plan")
    .about("What is wrong with the plan of a rotation in the next days, by where it begins: at most 1,000 warnings of a kind. Kinds \
        that the rotation has switched off are left out, and a disabled rotation has none but of changes that will fail. A text names another rotation only \
        where the credential may see it.")
    .query(QUERY)
    .gives_page::<Warning>("A page of warnings.");

/// GET the warnings of a rotation.
pub fn read(call: &Call) -> Outcome {
    let (asked, page) = asked(call)?;
    let id = call.path.id("rotationId");
    let (rotation, found) = warnings::of_rotation(call.app, call.caller, &id, asked)?;
    let found = answer::page_of(found, page);
    answer::json(
        200,
        &found.map(|warning| wire::render(&rotation.id, &warning)),
    )
}

pub const ACROSS: Operation = operation("listWarnings", "warnings", "What is wrong with all plans")
    .about("The warnings of all rotations that the credential may see, by where they begin. What concerns two rotations is told once \
        in each. Only the first 10,000 warnings are listed and counted; send `severity` or fewer `days` for fewer.")
    .query(QUERY)
    .gives_page::<Warning>("A page of warnings.");

/// GET the warnings of all rotations.
pub fn across(call: &Call) -> Outcome {
    let (asked, page) = asked(call)?;
    let found = warnings::of_all(call.app, call.caller, asked)?;
    let found = answer::page_of(found, page);
    answer::json(
        200,
        &found.map(|found| wire::render(&found.rotation.id, &found.warning)),
    )
}

/// Which warnings are asked for, and which page of them.
fn asked(call: &Call) -> Result<(Asked, Numbered), Refusal> {
    let query = &call.query;
    let asked = Asked {
        days: query.whole("days", DAYS, MOST_DAYS)?,
        severity: query.choice("severity", SEVERITIES, Severity::parse)?,
        naming: Naming::Names,
    };
    Ok((asked, query.page()?))
}

pub const SETTINGS: Operation = operation(
    "getWarningSettings",
    "warnings",
    "Read the warning settings",
)
.about("The ETag is the rotation's.")
.gives_tagged::<WarningSettings>("The settings.")
.or_not_modified();

/// GET the settings.
pub fn settings(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    shown(call, &reads::rotation(call.app, call.caller, &id)?)
}

pub const SET: Operation = operation(
    "setWarningSettings",
    "warnings",
    "Change the warning settings",
)
.about("Which kinds of warnings the rotation wants, and how much rest between two turns.")
.takes::<WarningSettingsRequest>()
.gives_tagged::<WarningSettings>("The settings.");

/// PUT the settings.
pub fn set(call: &Call, precondition: &Precondition) -> Outcome {
    let set = SetWarningSettings(wire::settings_change(&call.body)?);
    shown(call, &call.write(precondition, set)?.rotation)
}

fn shown(call: &Call, rotation: &Rotation) -> Outcome {
    answer::cached(call, rotation, || {
        wire::settings(&rotation.profile.warnings)
    })
}

#[cfg(test)]
mod tests {
    use super::{SEVERITIES, Severity};

    #[test]
    fn severities_are_those_of_warnings() {
        assert_eq!(Severity::ALL.map(Severity::name), *SEVERITIES);
    }
}
