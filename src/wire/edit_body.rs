//! Edits as their body: what the pages make of a form, to be kept until its time comes.

use super::{cadence, coverage};
use crate::domain::edit::Edits;
use crate::domain::grid::{
    CadenceSpec, GridSpec, HandleSpec, KeySpec, RosterSpec, TurnSpec, ZoneSpec,
};
use crate::domain::holidays::Calendar;
use crate::domain::ids::RosterId;
use serde_json::{Map, Value, json};

/// The body of edits of people, rosters and the grid; `None` for others.
pub fn of(edits: &Edits, calendar: &Calendar) -> Option<String> {
    let Edits {
        patch,
        coverage,
        rosters,
        leavers,
        ..
    } = edits;
    let mut body = Map::new();
    if let Some(patch) = patch {
        let lists = crate::domain::edit::RotationPatch {
            users: patch.users.clone(),
            groups: patch.groups.clone(),
            ..Default::default()
        };
        if lists != *patch {
            return None;
        }
        let mut members = Map::new();
        members.extend(
            patch
                .users
                .as_ref()
                .map(|users| ("userIds".to_owned(), json!(users))),
        );
        let groups = patch.groups.as_ref();
        members.extend(groups.map(|groups| ("userGroupIds".to_owned(), json!(groups))));
        body.insert("rotation".to_owned(), members.into());
    }
    if let Some(spec) = coverage {
        body.insert("coverage".to_owned(), grid(spec, calendar));
    }
    if !rosters.is_empty() {
        let named = rosters.iter().map(|(id, spec)| {
            let name = id.as_ref().map_or("", RosterId::as_str);
            (name.to_owned(), roster(spec).into())
        });
        body.insert("rosters".to_owned(), Value::Object(named.collect()));
    }
    if !leavers.is_empty() {
        body.insert("remove".to_owned(), json!(leavers));
    }
    Some(Value::Object(body).to_string())
}

fn grid(spec: &GridSpec, calendar: &Calendar) -> Value {
    let lanes = spec.lanes.iter().map(|lane| {
        let mut members = handle(&lane.handle);
        members.extend(
            lane.name
                .as_ref()
                .map(|name| ("name".to_owned(), json!(name))),
        );
        Value::Object(members)
    });
    let cells = spec.cells.iter().map(|cell| {
        json!({
            "id": cell.id, "laneId": cell.lane, "windowId": cell.window, "rosterId": cell.roster,
        })
    });
    let rosters = spec.rosters.iter().map(|(id, spec)| {
        let mut members = roster(spec);
        members.insert("rosterId".to_owned(), json!(id));
        Value::Object(members)
    });
    let mut body = json!({
        "lanes": lanes.collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
        "doubleCover": spec.double_cover,
        "rosters": rosters.collect::<Vec<_>>(),
    });
    if let Some(windows) = &spec.windows {
        let windows = windows.iter().map(|window| {
            let mut members = handle(&window.handle);
            members.insert("name".to_owned(), json!(window.name));
            let zone = match window.zone {
                ZoneSpec::Kept => None,
                ZoneSpec::Empty => Some(json!("")),
                ZoneSpec::Named(zone) => Some(json!(zone.to_string())),
            };
            members.extend(zone.map(|zone| ("timeZone".to_owned(), zone)));
            let stretches = coverage::stretches(&window.coverage);
            members.insert("coverage".to_owned(), json!(stretches));
            let cadence = match &window.cadence {
                CadenceSpec::Kept => None,
                CadenceSpec::Manual => Some(cadence::render(None, calendar, None)),
                CadenceSpec::Timed(cadence) => Some(cadence::render(Some(cadence), calendar, None)),
            };
            members.extend(cadence.map(|cadence| ("cadence".to_owned(), json!(cadence))));
            Value::Object(members)
        });
        body["windows"] = Value::Array(windows.collect());
    }
    body
}

fn handle(handle: &HandleSpec) -> Map<String, Value> {
    let mut members = Map::new();
    members.extend(handle.id.as_ref().map(|id| ("id".to_owned(), json!(id))));
    let key = match &handle.key {
        KeySpec::Kept => None,
        KeySpec::Cleared => Some(Value::Null),
        KeySpec::Set(key) => Some(json!(key.as_str())),
    };
    members.extend(key.map(|key| ("key".to_owned(), key)));
    members
}

fn roster(spec: &RosterSpec) -> Map<String, Value> {
    let mut members = Map::new();
    if let Some(narrowed) = &spec.narrowed {
        members.insert("userIds".to_owned(), json!(narrowed.users));
        members.insert("userGroupIds".to_owned(), json!(narrowed.groups));
    }
    if spec.follows_all {
        members.extend(["userIds", "userGroupIds"].map(|name| (name.to_owned(), Value::Null)));
    }
    let all = spec
        .turns
        .all
        .map(|turn| ("nextTurn".to_owned(), json!(turn)));
    members.extend(all);
    let each = spec.turns.each.iter();
    let each: Vec<Value> = each
        .map(|TurnSpec { window, turn }| json!({ "windowId": window, "nextTurn": turn }))
        .collect();
    if !each.is_empty() {
        members.insert("nextTurns".to_owned(), each.into());
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rotation::tests::rotation;
    use crate::wire::change::stored_edits;

    #[test]
    fn a_body_is_read_as_the_edits_that_it_is_of() {
        let calendar = Calendar::embedded();
        let patch = crate::domain::edit::RotationPatch {
            users: Some(vec!["U1".into()]),
            groups: Some(Vec::new()),
            ..Default::default()
        };
        let edits = Edits {
            patch: Some(patch.clone()),
            coverage: Some(GridSpec::of(&rotation())),
            leavers: vec!["U2".into()],
            ..Edits::default()
        };
        let body = of(&edits, &calendar).expect("a body");
        assert_eq!(stored_edits(body.as_bytes()), Ok(edits), "{body}");
        let named = crate::domain::edit::RotationPatch {
            name: Some("Other".into()),
            ..patch
        };
        let named = Edits {
            patch: Some(named),
            ..Edits::default()
        };
        assert_eq!(of(&named, &calendar), None);
    }
}
