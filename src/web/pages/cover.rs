//! Asking others to cover a turn.

use super::{
    conflicts, crumbs, failing, ids, instant, localised, named, path_to, propose, remarks,
    slot_label, tag, times, weigh,
};
use crate::actions::Error;
use crate::actions::once::Render;
use crate::domain::edit::NewCover;
use crate::domain::ids::UserId;
use crate::domain::request::RequestWritten;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden, zone_field};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::html;

const FIELDS: [&str; 5] = ["cellId", "from", "to", "recipientUserIds", "reason"];

/// The id of the request, as it is kept for the second answer.
pub fn made(_: &str, written: &RequestWritten) -> Result<String, Error> {
    Ok(written.request.request.id.to_string())
}

/// The people who may be asked: of the slot's roster, or of all where none is chosen yet, the reader left out.
pub fn eligible(visit: &Visit, rotation: &Rotation, cell: &str) -> Vec<UserId> {
    let chosen = rotation
        .running()
        .find(|one| one.id.as_str() == cell)
        .or_else(|| {
            rotation
                .running()
                .next()
                .filter(|_| rotation.cells.len() == 1)
        });
    let order = match chosen {
        Some(cell) => rotation.order(rotation.roster(cell.roster.as_ref())),
        None => crate::domain::roster::order(&rotation.members, None),
    };
    let users = order.into_iter().map(|position| position.user);
    users.filter(|user| Some(user) != visit.user()).collect()
}

/// GET /rotations/{rotation}/cover: the form, filled in from the address.
pub fn show(visit: &Visit) -> Outcome {
    let values = localised(visit, &visit.query, &["from", "to"]);
    page(visit, 200, &values, &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let rotation = named(visit)?;
    visit.me()?;
    let eligible = eligible(visit, &rotation, values.one("cellId"));
    let people = People::load(visit.app(), &eligible, true)?;
    let cells: Vec<Choice> = rotation
        .running()
        .map(|cell| Choice::new(cell.id.as_str(), &slot_label(&rotation, cell)))
        .collect();
    let choices: Vec<Choice> = eligible
        .iter()
        .map(|user| Choice {
            value: user.to_string(),
            label: people.label(user),
        })
        .collect();
    let filled = Filled { values, errors };
    let title = format!("Ask for cover in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Ask for cover in " bdi { (rotation.profile.name) } }
        form.card.pad method="post" action=(format!("{}/cover", path_to(&rotation))) {
            p { "You stay on call until somebody accepts. The first who accepts takes over." }
            @if cells.len() > 1 { (filled.select("cellId", "Where", "", &cells)) }
            @else { @for cell in &cells { (hidden("cellId", &cell.value)) } }
            div.pair {
                (filled.instant("from", "From", visit.zone, "All of your turn, or a part of it."))
                (filled.instant("to", "Until", visit.zone, ""))
            }
            @if choices.is_empty() {
                p.muted { "There is nobody else in the list whom you could ask." }
            } @else {
                (filled.boxes("recipientUserIds", "Whom to ask", "", &choices))
            }
            (filled.area("reason", "Reason, optional", "Those whom you ask read it."))
            (zone_field(visit.zone))
            (confirm::carried(&tag(visit, &rotation), &rotation))
            p.actions {
                button.btn.go type="submit" data-action="cover" { "Ask for cover" }
                a.btn href=(path_to(&rotation)) { "Back" }
            }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /rotations/{rotation}/cover.
pub fn ask(visit: &Visit) -> Outcome {
    let rotation = named(visit)?;
    let (mut errors, mut remarked) = (Errors::default(), Vec::new());
    let from = instant(visit, "from", &mut errors, &mut remarked);
    let to = instant(visit, "to", &mut errors, &mut remarked);
    if visit.form.list("recipientUserIds").is_empty() {
        errors.add("recipientUserIds", "Choose whom to ask.");
    }
    let (Some(from), Some(to), true) = (from, to, errors.is_empty()) else {
        return page(visit, 400, &visit.form, &errors);
    };
    let new = NewCover {
        cell: visit.form.one("cellId").into(),
        asked: Interval { from, until: to },
        recipients: ids(visit.form.list("recipientUserIds")),
        reason: visit.form.one("reason").trim().to_owned(),
        turn_selection: None,
        acknowledged: visit.form.list("acknowledgedConflictIds"),
    };
    let recipients = new.recipients.clone();
    let action = ("createCoverRequest", made as Render<_>);
    let proposed = propose(visit, &rotation.id, action, new.checked(), |_, preview| {
        let weighs = !preview.conflicts().is_empty() || !remarked.is_empty();
        Ok(weighs && visit.form.one("confirmed") != "true")
    });
    let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
    let proposed = match failing(visit, &rotation.id, proposed, &FIELDS, again)? {
        Ok(proposed) => proposed,
        Err(page) => return Ok(page),
    };
    let Some(receipt) = proposed.written else {
        let leg = proposed.preview.first();
        let shown = leg.conflicts.iter().map(|conflict| &conflict.user);
        let people = People::load(visit.app(), recipients.iter().chain(shown), true)?;
        let content = html! {
            (remarks(&remarked))
            p { "You ask " (people.show_all(&recipients)) " to cover " (times(visit).period(leg.period.from, Some(leg.period.until))) "." }
            (times(visit).covered(&leg.covered, leg.period))
            (conflicts(visit, &leg.conflicts, &people, &visit.form))
            @if !leg.conflicts.is_empty() { p.muted { "Whoever accepts is asked about it too." } }
        };
        let names = ("cover", "Ask for cover: what will happen", "Ask for cover");
        return weigh(
            visit,
            (&proposed.rotation, &proposed.preview),
            names,
            content,
        );
    };
    visit.note(Note::new(
        "Your request was sent. You stay on call until somebody accepts.",
    ));
    Ok(answer::see(format!("/requests/{}", receipt.answer)))
}
