//! Why somebody is on call, or nobody, at an instant: the steps that decided, a sentence each.

use super::{crumbs, named, path_to, slot_label, times};
use crate::actions::ActionError;
use crate::actions::explain::{self, Question};
use crate::domain::explain::{ExplainedCell, Step};
use crate::domain::ids::{CellId, UserId};
use crate::domain::naming::Naming;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem};
use crate::web::form::{self, Errors, Form};
use crate::web::layout;
use crate::web::parts::fields::Filled;
use crate::web::parts::people::People;
use crate::web::parts::time;
use crate::web::visit::Visit;
use jiff::Timestamp;
use maud::{Markup, html};
use std::convert::Infallible;

/// The address of the explanation of a turn: as it is now where it runs, else as it begins.
pub fn path(
    base: &str,
    cell: &CellId,
    (start, end): (Timestamp, Option<Timestamp>),
    now: Timestamp,
) -> String {
    let runs = start <= now && end.is_none_or(|end| now < end);
    let at = if runs { now } else { start };
    format!("{base}/why?at={at}&cell={cell}")
}

/// GET /rotations/{rotation}/why.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = named(visit)?;
    let asked = visit.query.filled("at");
    let typed = asked.and_then(|text| {
        let local = || time::parse(text, visit.zone).map(|typed| typed.at);
        text.parse().ok().or_else(local)
    });
    let mut errors = Errors::default();
    if asked.is_some() && typed.is_none() {
        errors.add("at", "Enter a date and a time, such as 2026-11-23 09:00.");
    }
    let cell = visit.query.filled("cell").map(CellId::from);
    let found = explain::of(
        visit.app(),
        &visit.caller,
        &rotation.id,
        Question {
            at: typed,
            cell: cell.as_ref(),
            user: None,
            naming: Naming::Names,
        },
    );
    let (at, cells) = match found {
        Ok(found) => (found.at, found.cells),
        Err(ActionError::Refused(
            refusal @ (Refusal::Invalid { .. } | Refusal::NotKnownYet(_)),
        )) => {
            let person = |user: &UserId| Ok::<_, Infallible>(format!("`{user}`"));
            let zoned = times(visit);
            let Ok(why) = form::text(&Problem::from(refusal), person, |at| zoned.text(at));
            errors.add("at", format!("Nothing can be said of that instant: {why}."));
            (typed.unwrap_or(visit.now), Vec::new())
        }
        Err(error) => return Err(error.into()),
    };
    let users = cells.iter().filter_map(|cell| cell.user.as_ref());
    let people = People::load(visit.app(), users.collect::<Vec<_>>(), true)?;
    let times = times(visit);
    let values = Form::with([("at", times.value(at))]);
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    let base = path_to(&rotation);
    let hint = format!("Time in {}.", visit.zone.as_str());
    let title = format!("Who is on call in {}, and why", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        h1 { "Who is on call in " bdi { (rotation.profile.name) } ", and why" }
        p { (times.show(at)) " " span.muted.small { "(" (visit.zone.as_str()) ")" } }
        @for cell in &cells { (section(&rotation, cell, &people)) }
        form.card.pad method="get" action=(format!("{base}/why")) {
            div.inline {
                (filled.input("datetime-local", "at", "At another time", &hint, false))
                @if let Some(cell) = &cell { input type="hidden" name="cell" value=(cell); }
                button.btn type="submit" { "Show" }
            }
        }
        p.actions {
            @if cell.is_some() { a.btn.s href=(format!("{base}/why?at={at}")) { "All slots at that time" } }
            a.btn.s href=(format!("{base}/history?at={}", times.value(at))) { "The record of that time" }
        }
    };
    Ok(layout::page(visit, &title, content))
}

fn section(rotation: &Rotation, cell: &ExplainedCell, people: &People) -> Markup {
    let slot = rotation.slot_of(&cell.cell);
    let slot = slot.map(|slot| slot_label(rotation, &rotation.cells[slot]));
    let slot = slot.unwrap_or_else(|| "Hours that are gone".to_owned());
    html! {
        section.card.pad aria-label=(slot) data-cell=(cell.cell) {
            h2 { bdi { (slot) } }
            p {
                @match (&cell.user, is_outsider(cell)) {
                    (Some(user), _) => (people.show(user)),
                    (None, true) => span.tag { "not in chat" },
                    (None, false) => span.tag { "Nobody" },
                }
            }
            ol.why { @for told in &cell.steps { li { bdi { (told.text) } } } }
        }
    }
}

/// Whether somebody is on call who is unknown here.
fn is_outsider(cell: &ExplainedCell) -> bool {
    let outside = |step: &Step| {
        matches!(
            step,
            Step::ExternalShift {
                is_anybody: true,
                ..
            }
        )
    };
    cell.user.is_none() && cell.steps.iter().any(|told| outside(&told.step))
}
