//! Saving the grid that a form asks for, once its reader has seen what it changes.

use super::{Change, done, weigh, when};
use crate::actions::ActionError;
use crate::domain::edit::Edits;
use crate::domain::grid::{GridSpec, RosterSpec, TurnSpec, TurnsSpec};
use crate::domain::ids::RosterId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::pages::failing;
use crate::web::visit::Visit;
use maud::Markup;

/// A grid that a form asks for.
pub struct GridForm<'a> {
    /// The part of the settings that the form is on.
    pub part: &'a str,
    pub grid: Result<GridSpec, Refusal>,
    /// The member of the grid that the form is about, which refusals are cut by: `windows[0].`.
    pub path: &'a str,
    /// The fields of the form.
    pub names: &'a [&'a str],
    pub remarked: &'a [String],
    /// Further remarks to read before saving.
    pub more: Markup,
    /// The note once it is saved.
    pub told: String,
    /// Whether writing the grid that was there before restores the state.
    pub restores: bool,
    /// Whether its reader has seen what it changes, beside the form.
    pub is_seen: bool,
}

/// Shows what the grid would change, and saves it once that is confirmed.
pub fn save(
    visit: &Visit,
    rotation: &Rotation,
    wished: GridForm,
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Outcome {
    let read = wished.grid.and_then(GridSpec::checked);
    let read = read.map_err(ActionError::from);
    if !wished.is_seen && visit.form.one("confirmed") != "true" {
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
    let outcome = read.and_then(|grid| when::write(visit, &rotation.id, Change::Coverage(grid)));
    let outcome = weigh::within(outcome, wished.path);
    let receipt = match failing(visit, &rotation.id, outcome, wished.names, again)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    let before = wished
        .restores
        .then(|| Change::Coverage(GridSpec::of(rotation)));
    let told = match when::is_later(visit) {
        true => ("The change is planned.".to_owned(), None),
        false => (wished.told, before),
    };
    done(visit, rotation, "grid", told, &receipt)
}

/// The next turns of a roster.
pub fn turns(rotation: &Rotation, id: Option<&RosterId>) -> RosterSpec {
    let each = rotation.roster(id).next_turns.iter().map(|next| TurnSpec {
        window: next.window.to_string(),
        turn: i32::try_from(next.turn).unwrap_or(i32::MAX),
    });
    let turns = TurnsSpec {
        all: None,
        each: each.collect(),
    };
    RosterSpec {
        turns,
        ..RosterSpec::default()
    }
}
