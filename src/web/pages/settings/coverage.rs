//! The grid of a rotation as the body of the API that writes it, and saving such a body once its reader has seen what it changes.

use super::{Before, done, nothing, weigh};
use crate::actions::grid::ReplaceCoverage;
use crate::actions::{ActionError, Error};
use crate::domain::edit::Edits;
use crate::domain::ids::RosterId;
use crate::domain::rotation::{Rotation, Window};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::pages::failing;
use crate::web::visit::Visit;
use crate::wire::coverage::Stretch;
use crate::wire::{cadence, grid};
use maud::Markup;
use serde_json::{Value, json};

/// The body of PUT coverage that the rotation has.
///
/// # Errors
/// None that is known; rendering is fallible.
pub fn body(visit: &Visit, rotation: &Rotation) -> Result<Value, Problem> {
    let lanes = rotation.lanes.iter().map(|lane| {
        let key = lane.key.as_ref().map(ToString::to_string);
        json!({ "id": lane.id.as_str(), "key": key, "name": lane.name })
    });
    let windows = rotation.windows.iter().map(|one| window(visit, one));
    let cells = rotation.cells.iter().map(|cell| {
        json!({
            "id": cell.id.as_str(),
            "laneId": rotation.lanes[cell.lane].id.as_str(),
            "windowId": rotation.windows[cell.window].id.as_str(),
            "rosterId": cell.roster.as_ref().map(ToString::to_string),
        })
    });
    Ok(json!({
        "lanes": lanes.collect::<Vec<_>>(),
        "windows": windows.collect::<Result<Vec<_>, Problem>>()?,
        "cells": cells.collect::<Vec<_>>(),
        "doubleCover": rotation.double_cover,
    }))
}

/// A window of that body.
pub fn window(visit: &Visit, window: &Window) -> Result<Value, Problem> {
    let stretches: Vec<Stretch> = window.coverage.iter().map(Stretch::from).collect();
    let cadence = cadence::render(window.cadence.as_ref(), visit.app().calendar(), None);
    Ok(json!({
        "id": window.id.as_str(),
        "key": window.key.as_ref().map(ToString::to_string),
        "name": window.name,
        "timeZone": window.zone.map_or("", |zone| zone.as_str()),
        "coverage": rendered(&stretches)?,
        "cadence": rendered(&cadence)?,
    }))
}

fn rendered(value: &impl serde::Serialize) -> Result<Value, Problem> {
    let broken = |error: serde_json::Error| Error::Corrupt(error.to_string());
    Ok(serde_json::to_value(value).map_err(broken)?)
}

/// A grid that a form asks for.
pub struct GridForm<'a> {
    /// The part of the settings that the form is on.
    pub part: &'a str,
    pub body: &'a Value,
    /// The member of the body that the form is about, which refusals are relative to: `windows[0]`.
    pub path: &'a str,
    /// The fields of the form.
    pub names: &'a [&'a str],
    pub remarked: &'a [String],
    /// What else there is to know before saving.
    pub more: Markup,
    /// What is said once it is saved.
    pub told: String,
    /// Whether writing the grid that was there before restores the state.
    pub restores: bool,
}

/// Shows what the grid would change, and saves it once that is confirmed.
pub fn save(
    visit: &Visit,
    rotation: &Rotation,
    wished: GridForm,
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Outcome {
    let read = grid::parse(wished.body.to_string().as_bytes()).map_err(ActionError::from);
    if visit.form.one("confirmed") != "true" {
        let looked = read.and_then(|spec| {
            let edits = Edits {
                coverage: Some(spec),
                ..Edits::default()
            };
            weigh::look(visit, &rotation.id, edits)
        });
        let looked = weigh::within(looked, wished.path);
        return match failing(visit, &rotation.id, looked, wished.names, again)? {
            Ok(looked) => {
                let told = (wished.remarked, wished.more);
                weigh::shown(visit, rotation, wished.part, looked, told)
            }
            Err(page) => Ok(page),
        };
    }
    let before = body(visit, rotation)?;
    let outcome = read.and_then(|spec| {
        let named = ("replaceCoverage", visit.here());
        visit.write(&rotation.id, named, ReplaceCoverage(spec), nothing)
    });
    let outcome = weigh::within(outcome, wished.path);
    let receipt = match failing(visit, &rotation.id, outcome, wished.names, again)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    let before = wished.restores.then_some(Before {
        operation: "replaceCoverage",
        named: String::new(),
        body: before,
    });
    done(visit, rotation, "grid", (wished.told, before), &receipt)
}

/// The next turns of a roster, as the body that restores them.
pub fn turns(rotation: &Rotation, id: Option<&RosterId>) -> Value {
    let turns = rotation.roster(id).next_turns.iter();
    let turns =
        turns.map(|next| json!({ "windowId": next.window.as_str(), "nextTurn": next.turn }));
    json!({ "nextTurns": turns.collect::<Vec<_>>() })
}
