//! When an edit is made: now, at the next hand-over, or at a time.

use super::restore::Change;
use crate::actions::ActionError;
use crate::actions::changes::{self, MakeChange};
use crate::actions::once::Receipt;
use crate::actions::reads;
use crate::domain::edit::Edits;
use crate::domain::fault::Fault;
use crate::domain::ids::RotationId;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::staged::{ChangeTime, NewChange, StagedChange};
use crate::store::Error;
use crate::web::parts::time;
use crate::web::visit::Visit;
use crate::wire::edit_body;
use jiff::Timestamp;
use maud::{Markup, html};

/// The fields; `id` tells those of several forms of a page apart.
pub fn fields(visit: &Visit, id: &str) -> Markup {
    let asked = visit.form.one("when");
    let choices = [
        ("now", "Now"),
        ("nextHandOver", "At the next hand-over"),
        ("at", "At a time"),
    ];
    html! {
        div.f {
            label for=(format!("f-when{id}")) { "When" }
            select id=(format!("f-when{id}")) name="when" {
                @for (value, label) in choices {
                    option value=(value) selected[value == asked] { (label) }
                }
            }
        }
        div.f {
            label for=(format!("f-whenAt{id}")) { "The time, if at one" }
            input type="datetime-local" id=(format!("f-whenAt{id}")) name="whenAt" value=(visit.form.one("whenAt"));
        }
    }
}

/// When a form asks for its edit to be made.
///
/// # Errors
/// Names `whenAt` where that is no time.
fn asked(visit: &Visit) -> Result<ChangeTime, Refusal> {
    match visit.form.one("when") {
        "nextHandOver" => Ok(ChangeTime::NextHandOver(None)),
        "at" => match time::parse(visit.form.one("whenAt"), visit.zone) {
            Some(typed) => Ok(ChangeTime::At(typed.at)),
            None => invalid("whenAt", Fault::Missing("send a date and a time".into())),
        },
        _ => Ok(ChangeTime::Now),
    }
}

/// Whether a form asks for later.
pub fn is_later(visit: &Visit) -> bool {
    ["nextHandOver", "at"].contains(&visit.form.one("when"))
}

/// The instant that a form asks for; `None` for now.
///
/// # Errors
/// As the write.
pub fn instant(visit: &Visit, id: &RotationId) -> Result<Option<Timestamp>, ActionError> {
    if !is_later(visit) {
        return Ok(None);
    }
    let rotation = reads::rotation(visit.app(), &visit.caller, id)?;
    let at = asked(visit)?;
    let at = changes::instant(&at, &rotation, visit.app().calendar(), visit.now);
    Ok(Some(at.map_err(named)?))
}

/// What is wrong with the time is told at its field.
fn named(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Invalid { path, fault } if path.as_str() == "at" => {
            Refusal::invalid("whenAt", fault)
        }
        other => other,
    }
}

fn said(_: &str, _: &StagedChange) -> Result<String, Error> {
    Ok(String::new())
}

/// Carries out a change, or stores it for later.
///
/// # Errors
/// As the write.
pub fn write(visit: &Visit, id: &RotationId, change: Change) -> Result<Receipt, ActionError> {
    match stage(visit, id, &change) {
        Some(staged) => staged,
        None => change.write(visit, id),
    }
}

/// Stores a change for later; `None` where it is one for now, or of something that is only changed now.
fn stage(visit: &Visit, id: &RotationId, change: &Change) -> Option<Result<Receipt, ActionError>> {
    let edits = match change {
        _ if !is_later(visit) => return None,
        Change::Patch(patch) => Edits {
            patch: Some(patch.clone()),
            ..Edits::default()
        },
        Change::Coverage(grid) => Edits {
            coverage: Some(grid.clone()),
            ..Edits::default()
        },
        Change::Roster(roster, spec) => Edits {
            rosters: vec![(roster.clone(), spec.clone())],
            ..Edits::default()
        },
        _ => return None,
    };
    let body = edit_body::of(&edits, visit.app().calendar())?;
    let write = || -> Result<Receipt, ActionError> {
        let make = MakeChange {
            change: NewChange {
                at: asked(visit)?,
                note: None,
                managed_by: None,
                replaces: Vec::new(),
                edits,
                body,
            },
            agrees: None,
            chosen: None,
        };
        visit.write(id, ("createChange", visit.here()), make, said)
    };
    Some(write().map_err(|error| match error {
        ActionError::Refused(refusal) => named(refusal).into(),
        other => other,
    }))
}
