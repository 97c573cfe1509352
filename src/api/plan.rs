//! /v1/plan: what edits of many rotations would come to.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation};
use super::preview::{self, refusal};
use super::rotations::agrees;
use crate::actions::plan::{self, Item, MOST, Planned, Target, When};
use crate::actions::preview::MOST_DAYS;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::time::Interval;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::WarningKind;
use crate::wire::plan::{self as wire, Plan, PlanAction, PlanChange, PlanRequest, PlannedRotation};
use crate::wire::warning;
use serde_json::Value;
use std::collections::BTreeSet;

pub const READ: Operation = operation("planRotations", "changes", "Plan edits of many rotations")
    .about("What edits would come to, each rotation alone against what it will be at `at`: members from what to what, who would be \
        on call instead of whom, warnings that appear and go, and what would be refused. A code that no rotation has stands for a \
        new one. Scopes for the writes are not judged. Changes nothing.")
    .takes::<PlanRequest>()
    .gives::<Plan>(200, "The plan, in the order of the request.");

/// POST a plan.
pub fn read(call: &Call) -> Outcome {
    let most_days = MOST_DAYS.unsigned_abs() as u32;
    let asked = wire::parse(&call.body, (MOST, most_days))?;
    let when = When {
        at: asked.at,
        days: asked.days.into(),
    };
    let item = |item: wire::Item| {
        let target = match (item.code, item.rotation_id) {
            (Some(code), _) => Target::Code(code),
            (None, id) => Target::Id(RotationId::from(id.unwrap_or_default())),
        };
        Item {
            target,
            replaces: item.replaces,
            edits: item.edits,
            agrees: item.repeated.map(|repeated| agrees(call, repeated)),
        }
    };
    let items: Vec<Item> = asked.items.into_iter().map(item).collect();
    let mut rotations = Vec::with_capacity(items.len());
    plan::each(call.app, call.caller, items, &when, |planned| {
        rotations.push(render(call, &planned));
    })?;
    answer::json(200, &Plan { rotations })
}

fn render(call: &Call, planned: &Planned) -> PlannedRotation {
    let preview = planned.preview.as_ref();
    let mut changes = preview.map_or_else(Vec::new, |found| {
        wire::changes(&found.base, &found.then, call.app.calendar())
    });
    if changes.is_empty() && !planned.replaced.is_empty() {
        let ids: Vec<Value> = planned
            .replaced
            .iter()
            .map(|id| id.as_str().into())
            .collect();
        changes.push(PlanChange {
            path: "waiting".to_owned(),
            before: ids.into(),
            after: Value::Array(Vec::new()),
        });
    }
    let action = match (&planned.rotation, preview) {
        (None, Some(_)) => PlanAction::Create,
        _ if changes.is_empty() => PlanAction::None,
        _ => PlanAction::Change,
    };
    let own = planned.refusals.iter();
    let edits = preview.into_iter().flat_map(|found| &found.refusals);
    let after = preview.map_or(&[] as &[Warning], |found| &found.warnings);
    let missing = |one: &[Warning], other: &[Warning]| {
        let id = preview.map(|found| &found.then.id);
        let known: BTreeSet<_> = other.iter().map(identity).collect();
        let new = one
            .iter()
            .filter(|warned| !known.contains(&identity(warned)));
        let shown = new.filter_map(|warned| Some(warning::render(id?, warned)));
        shown.collect()
    };
    PlannedRotation {
        rotation_id: planned.rotation.as_ref().map(ToString::to_string),
        code: planned.code.clone(),
        at: planned.at.into(),
        action,
        refusals: own.chain(edits).map(refusal).collect(),
        changes,
        preview: preview.map(preview::planned),
        warnings_new: missing(after, &planned.warnings_before),
        warnings_gone: missing(&planned.warnings_before, after),
    }
}

/// What tells a warning from others.
fn identity(warned: &Warning) -> (WarningKind, Interval, &Option<CellId>, &[UserId]) {
    (warned.kind, warned.period, &warned.cell, &warned.users)
}
