//! /v1/rotations/{rotationId}/preview: what edits would come to.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Kind, Operation, operation, parameter};
use super::rotations::agrees;
use crate::actions::preview::{self, MOST_DAYS, Preview, PreviewQuery, Refused, When};
use crate::server::Problem;
use crate::wire::plan::PlanPreview;
use crate::wire::preview as wire;
use crate::wire::preview::{PreviewRefusal, PreviewRequest, RotationPreview, Turns};
use crate::wire::to_i32;
use crate::wire::warning;

/// The days that are compared by default, and at the most.
const DAYS: u32 = 90;
const MOST: u32 = MOST_DAYS.unsigned_abs() as u32;

pub const READ: Operation = operation("previewRotation", "rotations", "Preview edits")
    .about("What edits would come to, before they are made: who would be on call, where that differs from the plan, how much \
        each person carries, and what would be refused. The edits are applied together to the rotation as it will be at \
        `at`, by the code of the routes that they belong to. Changes nothing. Send the ETag as `If-Match` with the \
        edit itself to make exactly what was shown.")
    .query(&[
        parameter("days", Kind::Whole(MOST, DAYS), "How many days from `at` on are compared."),
    ])
    .takes::<PreviewRequest>()
    .gives_tagged::<RotationPreview>("The preview, with the ETag of the rotation.");

/// POST a preview of edits.
pub fn read(call: &Call) -> Outcome {
    let days = call.query.whole("days", DAYS, MOST)?;
    let asked = wire::parse(&call.body)?;
    let wanted = PreviewQuery {
        edits: asked.edits,
        agrees: asked.repeated.map(|repeated| agrees(call, repeated)),
        warns: true,
        ..PreviewQuery::default()
    };
    let when = When {
        at: asked.at,
        days: days.into(),
    };
    let id = call.path.id("rotationId");
    let found = preview::of(call.app, call.caller, &id, wanted, when)?;
    answer::tagged(call, &found.stored, 200, &render(&found))
}

fn render(found: &Preview) -> RotationPreview<'_> {
    let (before, after) = (found.before(), found.after());
    let people = found.people.iter();
    let people = people.map(|(user, change)| wire::person(user, &change.before, &change.after));
    RotationPreview {
        refusals: found.refusals.iter().map(refusal).collect(),
        now: Turns(before),
        then: Turns(after),
        differences: found.by_cell().iter().map(Into::into).collect(),
        hand_overs_before: to_i32(before.hand_overs()),
        hand_overs_after: to_i32(after.hand_overs()),
        per_person: people.collect(),
        warnings: found
            .warnings
            .iter()
            .map(|warned| warning::render(&found.stored.id, warned))
            .collect(),
    }
}

/// The effect on who is on call, without the turns.
pub(super) fn planned(found: &Preview) -> PlanPreview {
    let shown = render(found);
    PlanPreview {
        refusals: shown.refusals,
        differences: shown.differences,
        hand_overs_before: shown.hand_overs_before,
        hand_overs_after: shown.hand_overs_after,
        per_person: shown.per_person,
        warnings: shown.warnings,
    }
}

/// The problem that the edit's own route would answer.
pub(super) fn refusal(refused: &Refused) -> PreviewRefusal {
    PreviewRefusal {
        member: refused.part.clone(),
        problem: Problem::from(refused.refusal.clone()).body(None),
    }
}
