//! Changes of a rotation that wait for their time: who made them, when they are applied, what they change, and Cancel.

use super::{crumbs, failing, named, path_of, path_to, tag, times};
use crate::actions::changes::{self, CancelChange};
use crate::domain::ids::ChangeId;
use crate::domain::rotation::Rotation;
use crate::domain::staged::{ChangeState, StagedChange};
use crate::server::{Outcome, Problem};
use crate::store::{ChangeFilter, Error};
use crate::web::answer;
use crate::web::form::Errors;
use crate::web::layout;
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields;
use crate::web::visit::Visit;
use crate::wire::change::stored_edits;
use maud::{Markup, html};

/// What waits in a rotation; nothing where nothing does, and for whoever is not signed in.
pub fn section(visit: &Visit, rotation: &Rotation) -> Result<Markup, Problem> {
    if visit.reader.is_none() || rotation.waiting.is_empty() {
        return Ok(html! {});
    }
    let filter = ChangeFilter {
        state: Some(ChangeState::Waiting),
        ..ChangeFilter::default()
    };
    let waiting = changes::list(visit.app(), &visit.caller, &rotation.id, filter)?;
    let may = visit.caller.check_edit(rotation).is_ok();
    let times = times(visit);
    Ok(html! {
        section.card.pad aria-labelledby="waiting" {
            h2 #waiting { "Planned changes" }
            ul.items {
                @for change in &waiting {
                    li data-change=(change.id) {
                        div.split {
                            span {
                                (times.text(change.at)) ": " bdi { (what(change)) }
                                @if let Some(note) = &change.note { " (" bdi { (note) } ")" }
                                span.muted { ", by " bdi { (who(change)) } }
                            }
                            @if may { (cancel_form(visit, rotation, change)) }
                        }
                    }
                }
            }
        }
    })
}

fn who(change: &StagedChange) -> &str {
    let by = &change.created_by;
    let named = by.name.as_deref().or(by.id.as_deref());
    named.unwrap_or(by.kind.name())
}

/// The parts of the rotation that it changes.
fn what(change: &StagedChange) -> String {
    let Ok(edits) = stored_edits(change.body.as_bytes()) else {
        return String::new();
    };
    let patch = edits.patch.as_ref();
    let lists = patch.is_some_and(|patch| patch.users.is_some() || patch.groups.is_some());
    let parts = [
        (lists || !edits.leavers.is_empty(), "people"),
        (patch.is_some_and(|_| !lists), "settings"),
        (edits.coverage.is_some(), "windows and lanes"),
        (!edits.rosters.is_empty(), "rosters"),
        (edits.channels.is_some(), "channels"),
        (edits.duty_group.is_some(), "on-duty group"),
        (edits.mentions.is_some(), "mentions"),
        (edits.warnings.is_some(), "warnings"),
    ];
    let parts = parts.into_iter().filter(|(changes, _)| *changes);
    parts.map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

fn cancel_form(visit: &Visit, rotation: &Rotation, change: &StagedChange) -> Markup {
    let base = path_of(&rotation.id, None);
    let action = format!("{base}/changes/{}/cancel", change.id);
    html! {
        form.bare method="post" action=(action) {
            (confirm::carried(&tag(visit, rotation), rotation))
            button.btn.s type="submit" data-action="cancel" {
                "Cancel" span.sr { ": the change of " (times(visit).text(change.at)) }
            }
        }
    }
}

fn nothing(_: &str, _: &StagedChange) -> Result<String, Error> {
    Ok(String::new())
}

/// POST /rotations/{rotation}/changes/{change}/cancel.
pub fn cancel(visit: &Visit) -> Outcome {
    let rotation = named(visit)?;
    let id = ChangeId::from(visit.part(1));
    let here = ("cancelChange", visit.part(1));
    let outcome = visit.write(&rotation.id, here, CancelChange(id), nothing);
    let back = |status, errors: Errors| {
        let title = "The change stays as it is";
        let content = html! {
            (crumbs(&rotation))
            (fields::summary(&errors))
            h1 { (title) }
            p { a.btn href=(path_to(&rotation)) { "Look at the rotation" } }
        };
        Ok(layout::page_with(visit, status, title, content))
    };
    if let Err(page) = failing(visit, &rotation.id, outcome, &[], back)? {
        return Ok(page);
    }
    visit.note(Note::new("The planned change was cancelled."));
    Ok(answer::see(path_to(&rotation)))
}
