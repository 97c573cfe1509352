//! Assigning a slot to somebody for an interval, and ending that.

use super::{
    conflicts, crumbs, editable, failing, instant, localised, path_to, remarks, slot_label, tag,
    times, zone_of,
};
use crate::actions::assignments::{self, Assign, EndArrangement};
use crate::actions::{Error, arrangements};
use crate::domain::agreement::AgreementPreview;
use crate::domain::arrangement::ArrangementWritten;
use crate::domain::conflict;
use crate::domain::edit::{Answering, NewAssignment};
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden, zone_field};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::arrangement;
use maud::{Markup, html};
use serde_json::json;

const FIELDS: [&str; 4] = ["cellId", "userId", "from", "to"];

/// The arrangement that was made, as it is kept for the second answer: its id.
fn made(_: &str, written: &ArrangementWritten) -> Result<String, Error> {
    let last = written.arrangements.last();
    Ok(last.map_or(String::new(), |made| made.id.to_string()))
}

/// GET /rotations/{rotation}/assign: the form, filled in from the address.
pub fn show(visit: &Visit) -> Outcome {
    let values = localised(visit, &visit.query, &["from", "to"]);
    page(visit, 200, &values, &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let rotation = editable(visit)?;
    let members = crate::domain::roster::order(&rotation.members, None);
    let members: Vec<UserId> = members.into_iter().map(|one| one.user).collect();
    let people = People::load(visit.app(), &members, true)?;
    let cells: Vec<Choice> = rotation
        .running()
        .map(|cell| Choice::new(cell.id.as_str(), &slot_label(&rotation, cell)))
        .collect();
    let choices: Vec<Choice> = members
        .iter()
        .map(|user| Choice::new(user.as_str(), people.name(user)))
        .collect();
    let filled = Filled { values, errors };
    let title = format!("Assign in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Assign in " bdi { (rotation.profile.name) } }
        form.card method="post" action=(format!("{}/assign", path_to(&rotation))) {
            p { "Somebody holds the slot for a while, whoever’s turn it is. Afterwards whoever is dealt the turn by then is back." }
            @if cells.len() > 1 { (filled.select("cellId", "Slot", "", &cells)) }
            @else { @for cell in &cells { (hidden("cellId", &cell.value)) } }
            (filled.select("userId", "Who", "", &choices))
            div.pair {
                (filled.instant("from", "From", visit.zone, ""))
                (filled.instant("to", "To", visit.zone, ""))
            }
            (zone_field(visit.zone))
            (confirm::carried(&tag(visit, &rotation), &rotation))
            p.actions {
                button.main type="submit" { "Assign" }
                a.button href=(path_to(&rotation)) { "Back" }
            }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /rotations/{rotation}/assign. Where somebody else is on call then, or something is in the way, a page says so first.
pub fn assign(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let (mut errors, mut remarked) = (Errors::default(), Vec::new());
    let from = instant(visit, "from", &mut errors, &mut remarked);
    let to = instant(visit, "to", &mut errors, &mut remarked);
    let (Some(from), Some(to)) = (from, to) else {
        return page(visit, 400, &visit.form, &errors);
    };
    let body = json!({
        "cellId": visit.form.one("cellId"),
        "userId": visit.form.one("userId"),
        "from": from.to_string(),
        "to": to.to_string(),
        "acknowledgedConflictIds": visit.form.list("acknowledgedConflictIds"),
    });
    let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
    let read = arrangement::parse_preview(body.to_string().as_bytes());
    let read = failing(
        visit,
        &rotation.id,
        read.map_err(Into::into),
        &FIELDS,
        again,
    )?;
    let new = match read {
        Ok(new) => new,
        Err(page) => return Ok(page),
    };
    let preview = assignments::preview(visit.app(), &visit.caller, &rotation.id, &new);
    let (stored, preview) = match failing(visit, &rotation.id, preview, &FIELDS, again)? {
        Ok(found) => found,
        Err(page) => return Ok(page),
    };
    let acknowledged = conflict::acknowledged(&preview.conflicts, &new.acknowledged);
    let is_confirmed = visit.form.one("confirmed") == "true" && acknowledged;
    let replaced = replaced(visit, &stored, &new, preview.period)?;
    let weighs = !replaced.is_empty() || !preview.conflicts.is_empty() || !remarked.is_empty();
    if weighs && !is_confirmed {
        return weigh(visit, &stored, &new, &preview, &replaced, &remarked);
    }
    let (user, period) = (new.user.clone(), preview.period);
    let with_selection = NewAssignment {
        turn_selection: preview.selection,
        ..new
    };
    let operation = Assign(with_selection);
    let outcome = visit.write(&rotation.id, ("createArrangement", ""), operation, made);
    let receipt = match failing(visit, &rotation.id, outcome, &FIELDS, again)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    let people = People::load(visit.app(), [&user], true)?;
    let (name, times) = (people.name(&user), times(visit));
    let told = format!(
        "{name} is assigned from {} to {}.",
        times.text(period.from),
        times.text(period.until)
    );
    visit.note(Note::new(told).with_undo(Undo {
        action: format!("{}/arrangements/{}/end", path_to(&rotation), receipt.answer),
        fields: vec![
            ("ifMatch", receipt.etag),
            ("operationId", confirm::operation_id()),
            ("expectedRevision", "1".into()),
        ],
    }));
    Ok(answer::see(path_to(&rotation)))
}

/// Whoever else would have been on call in the slot then.
fn replaced(
    visit: &Visit,
    rotation: &Rotation,
    new: &NewAssignment,
    period: Interval,
) -> Result<Vec<UserId>, Problem> {
    let plan = crate::actions::duties::list(visit.app(), &visit.caller, &rotation.id, period)?;
    let mut users: Vec<UserId> = Vec::new();
    for item in plan.1.iter().filter(|item| item.cell == new.cell) {
        if let Some(user) = &item.entry.user
            && *user != new.user
            && !users.contains(user)
        {
            users.push(user.clone());
        }
    }
    Ok(users)
}

/// The effects of an assignment, with the conflicts to acknowledge.
fn weigh(
    visit: &Visit,
    rotation: &Rotation,
    new: &NewAssignment,
    preview: &AgreementPreview,
    replaced: &[UserId],
    remarked: &[String],
) -> Outcome {
    let in_the_way = preview.conflicts.iter().map(|conflict| &conflict.user);
    let named = replaced.iter().chain([&new.user]).chain(in_the_way);
    let people = People::load(visit.app(), named, true)?;
    let times = times(visit);
    let cell = rotation
        .slot_of(&new.cell)
        .map(|index| &rotation.cells[index]);
    let is_blocked = conflict::blocks(&preview.conflicts);
    let title = "Assign: what will happen";
    let content = html! {
        (crumbs(rotation))
        h1 { (title) }
        form.card method="post" action=(format!("{}/assign", path_to(rotation))) {
            (remarks(remarked))
            p {
                (people.show(&new.user)) " holds "
                @if let Some(cell) = cell { bdi { (slot_label(rotation, cell)) } " " }
                (times.period_with(preview.period.from, Some(preview.period.until), cell.and_then(|cell| rotation.windows[cell.window].zone)))
                "."
            }
            (times.covered(&preview.covered, preview.period))
            @if !replaced.is_empty() { p { "Off call then: " (people.show_all(replaced)) "." } }
            (conflicts(visit, &preview.conflicts, &people, &visit.form))
            (kept(visit))
            p.actions {
                @if !is_blocked { button.main type="submit" { "Assign" } }
                a.button href=(path_to(rotation)) { "Back" }
            }
        }
    };
    let status = if is_blocked { 409 } else { 200 };
    Ok(layout::page_with(visit, status, title, content))
}

/// The form as it was sent, to be sent again once it is confirmed.
fn kept(visit: &Visit) -> Markup {
    let left = ["acknowledgedConflictIds", "confirmed", "zone"];
    html! {
        @for (name, value) in visit.form.fields().filter(|(name, _)| !left.contains(name)) { (hidden(name, value)) }
        (hidden("zone", zone_of(visit).as_str()))
        (hidden("confirmed", "true"))
    }
}

/// POST /rotations/{rotation}/arrangements/{arrangement}/end.
pub fn end(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let id = ArrangementId::from(visit.part(1));
    let (_, record) = arrangements::read(visit.app(), &visit.caller, &rotation.id, &id)?;
    let answering = Answering {
        expected_revision: visit.form.one("expectedRevision").parse().unwrap_or(0),
        ..Answering::default()
    };
    let operation = EndArrangement {
        arrangement: id,
        expected_revision: answering.expected_revision,
    };
    let outcome = visit.write(
        &rotation.id,
        ("endArrangement", visit.part(1)),
        operation,
        made,
    );
    let back = |status, errors: Errors| {
        let content = html! {
            (crumbs(&rotation))
            (fields::summary(&errors))
            h1 { "The assignment stays as it is" }
            p { a.button href=(path_to(&rotation)) { "Look at the rotation" } }
        };
        Ok(layout::page_with(
            visit,
            status,
            "The assignment stays as it is",
            content,
        ))
    };
    let receipt = match failing(visit, &rotation.id, outcome, &[], back)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    let people = People::load(visit.app(), [&record.user], true)?;
    let name = people.name(&record.user);
    let note = Note::new(format!("The assignment of {name} was ended."));
    let rest = record.period.since(visit.now);
    visit.note(match rest {
        Some(rest) => note.with_undo(Undo {
            action: format!("{}/assign", path_to(&rotation)),
            fields: vec![
                ("ifMatch", receipt.etag),
                ("operationId", confirm::operation_id()),
                ("cellId", record.cell.to_string()),
                ("userId", record.user.to_string()),
                ("from", rest.from.to_string()),
                ("to", rest.until.to_string()),
                ("confirmed", "true".into()),
            ],
        }),
        None => note,
    });
    Ok(answer::see(path_to(&rotation)))
}
