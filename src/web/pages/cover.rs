//! Asking others to cover a turn.

use super::{
    conflicts, crumbs, failing, instant, localised, named, path_to, remarks, slot_label, tag, times,
};
use crate::actions::Error;
use crate::actions::covers::{self, AskForCover};
use crate::domain::conflict;
use crate::domain::ids::UserId;
use crate::domain::request::RequestWritten;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden, zone_field};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::request;
use maud::html;
use serde_json::json;

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
        form.card method="post" action=(format!("{}/cover", path_to(&rotation))) {
            p { "You stay on call until somebody accepts. The first who accepts takes over." }
            @if cells.len() > 1 { (filled.select("cellId", "Slot", "", &cells)) }
            @else { @for cell in &cells { (hidden("cellId", &cell.value)) } }
            div.pair {
                (filled.instant("from", "From", visit.zone, "All of your turn, or a part of it."))
                (filled.instant("to", "To", visit.zone, ""))
            }
            @if choices.is_empty() {
                p.empty { "There is nobody else in this roster whom you could ask." }
            } @else {
                (filled.boxes("recipientUserIds", "Whom to ask", "", &choices))
            }
            (filled.area("reason", "Reason", "Those whom you ask read it. You may leave it empty."))
            (zone_field(visit.zone))
            (confirm::carried(&tag(visit, &rotation), &rotation))
            p.actions {
                button.main type="submit" { "Ask for cover" }
                a.button href=(path_to(&rotation)) { "Back" }
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
    let body = json!({
        "cellId": visit.form.one("cellId"),
        "from": from.to_string(),
        "to": to.to_string(),
        "recipientUserIds": visit.form.list("recipientUserIds"),
        "reason": visit.form.one("reason").trim(),
        "acknowledgedConflictIds": visit.form.list("acknowledgedConflictIds"),
    });
    let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
    let read = request::parse_cover_preview(body.to_string().as_bytes());
    let new = match failing(
        visit,
        &rotation.id,
        read.map_err(Into::into),
        &FIELDS,
        again,
    )? {
        Ok(new) => new,
        Err(page) => return Ok(page),
    };
    let preview = covers::preview(visit.app(), &visit.caller, &rotation.id, &new);
    let (stored, preview) = match failing(visit, &rotation.id, preview, &FIELDS, again)? {
        Ok(found) => found,
        Err(page) => return Ok(page),
    };
    let weighs = !preview.conflicts.is_empty() || !remarked.is_empty();
    if weighs && visit.form.one("confirmed") != "true" {
        let shown = preview.conflicts.iter().map(|conflict| &conflict.user);
        let people = People::load(visit.app(), new.recipients.iter().chain(shown), true)?;
        let is_blocked = conflict::blocks(&preview.conflicts);
        let title = "Ask for cover: what will happen";
        let content = html! {
            (crumbs(&stored))
            h1 { (title) }
            form.card method="post" action=(format!("{}/cover", path_to(&stored))) {
                (remarks(&remarked))
                p { "You ask " (people.show_all(&new.recipients)) " to cover " (times(visit).period(preview.period.from, Some(preview.period.until))) "." }
                (times(visit).covered(&preview.covered, preview.period))
                (conflicts(visit, &preview.conflicts, &people, &visit.form))
                @if !preview.conflicts.is_empty() { p.muted { "Whoever accepts is asked about it too." } }
                @for (name, value) in visit.form.fields().filter(|(name, _)| !matches!(*name, "confirmed" | "acknowledgedConflictIds")) { (hidden(name, value)) }
                (hidden("confirmed", "true"))
                p.actions {
                    @if !is_blocked { button.main type="submit" { "Ask for cover" } }
                    a.button href=(path_to(&stored)) { "Back" }
                }
            }
        };
        let status = if is_blocked { 409 } else { 200 };
        return Ok(layout::page_with(visit, status, title, content));
    }
    let new = crate::domain::edit::NewCover {
        turn_selection: preview.selection,
        ..new
    };
    let outcome = visit.write(
        &rotation.id,
        ("createCoverRequest", ""),
        AskForCover(new),
        made,
    );
    let receipt = match failing(visit, &rotation.id, outcome, &FIELDS, again)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    visit.note(Note::new(
        "Your request was sent. You stay on call until somebody accepts.",
    ));
    Ok(answer::see(format!("/requests/{}", receipt.answer)))
}
