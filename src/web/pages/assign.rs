//! Assigning a slot to somebody for an interval, and ending that.

use super::{
    conflicts, crumbs, editable, failing, instant, localised, named, path_to, propose, remarks,
    slot_label, tag, times, weigh,
};
use crate::actions::assignments::EndArrangement;
use crate::actions::once::{Receipt, Render};
use crate::actions::proposals::Proposed;
use crate::actions::{ActionError, Error, arrangements, duties};
use crate::domain::arrangement::ArrangementWritten;
use crate::domain::edit::{Answering, NewAssignment};
use crate::domain::ids::{ArrangementId, CellId, UserId};
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
use maud::{Markup, html};

const FIELDS: [&str; 4] = ["cellId", "userId", "from", "to"];

/// The arrangement that was made, as it is kept for the second answer: its id.
fn made(_: &str, written: &ArrangementWritten) -> Result<String, Error> {
    let last = written.arrangements.last();
    Ok(last.map_or(String::new(), |made| made.id.to_string()))
}

/// GET /rotations/{rotation}/assign: the form, filled in from the address.
pub fn show(visit: &Visit) -> Outcome {
    editable(visit)?;
    let values = localised(visit, &visit.query, &["from", "to"]);
    page(visit, 200, &values, &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let rotation = named(visit)?;
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
    let title = format!("Give to somebody in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Give to somebody in " bdi { (rotation.profile.name) } }
        form.card.pad method="post" action=(format!("{}/assign", path_to(&rotation))) {
            p { "Somebody is on call for a while, whoever’s turn it is. Afterwards the plan counts again." }
            @if cells.len() > 1 { (filled.select("cellId", "Where", "", &cells)) }
            @else { @for cell in &cells { (hidden("cellId", &cell.value)) } }
            (filled.select("userId", "Who", "", &choices))
            div.pair {
                (filled.instant("from", "From", visit.zone, ""))
                (filled.instant("to", "Until", visit.zone, ""))
            }
            (zone_field(visit.zone))
            (confirm::carried(&tag(visit, &rotation), &rotation))
            p.actions {
                button.btn.go type="submit" data-action="assign" { "Give to somebody" }
                a.btn href=(path_to(&rotation)) { "Back" }
            }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /rotations/{rotation}/assign. Where somebody else is on call then, or something is in the way, a page says so first.
pub fn assign(visit: &Visit) -> Outcome {
    // Whoever is a member may take hours that nobody has.
    let rotation = named(visit)?;
    let takes = visit
        .user()
        .is_some_and(|me| me.as_str() == visit.form.one("userId"));
    if !takes {
        visit.caller.check_edit(&rotation)?;
    }
    let (mut errors, mut remarked) = (Errors::default(), Vec::new());
    let from = instant(visit, "from", &mut errors, &mut remarked);
    let to = instant(visit, "to", &mut errors, &mut remarked);
    let (Some(from), Some(to)) = (from, to) else {
        return page(visit, 400, &visit.form, &errors);
    };
    let new = NewAssignment {
        cell: visit.form.one("cellId").into(),
        user: visit.form.one("userId").into(),
        asked: Interval { from, until: to },
        turn_selection: None,
        acknowledged: visit.form.list("acknowledgedConflictIds"),
        replaces: None,
        imported: false,
    };
    let (cell, user) = (new.cell.clone(), new.user.clone());
    let mut off_call = Vec::new();
    let action = ("createArrangement", made as Render<_>);
    let proposed = propose(
        visit,
        &rotation.id,
        action,
        new.checked(),
        |stored, preview| {
            let leg = preview.first();
            let is_confirmed = visit.form.one("confirmed") == "true" && leg.is_acknowledged;
            off_call = replaced(visit, stored, (&cell, &user), leg.period)?;
            let weighs = !off_call.is_empty() || !leg.conflicts.is_empty() || !remarked.is_empty();
            Ok(weighs && !is_confirmed)
        },
    );
    let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
    let proposed = match failing(visit, &rotation.id, proposed, &FIELDS, again)? {
        Ok(proposed) => proposed,
        Err(page) => return Ok(page),
    };
    let leg = proposed.preview.first();
    let Some(receipt) = &proposed.written else {
        let content = will_happen(visit, &proposed, (&cell, &user), &off_call, &remarked)?;
        let names = ("assign", "What will happen", "Give to somebody");
        return weigh(
            visit,
            (&proposed.rotation, &proposed.preview),
            names,
            content,
        );
    };
    let period = leg.period;
    let people = People::load(visit.app(), [&user], true)?;
    let (name, times) = (people.name(&user), times(visit));
    let told = format!(
        "{name} takes {} to {}.",
        times.text(period.from),
        times.text(period.until)
    );
    if visit.caller.check_edit(&rotation).is_err() {
        visit.note(Note::new(told));
        return Ok(answer::see(path_to(&rotation)));
    }
    visit.note(Note::new(told).with_undo(Undo {
        action: format!("{}/arrangements/{}/end", path_to(&rotation), receipt.answer),
        fields: vec![
            ("ifMatch", receipt.etag.clone()),
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
    (cell, by): (&CellId, &UserId),
    period: Interval,
) -> Result<Vec<UserId>, ActionError> {
    let plan = duties::list(visit.app(), &visit.caller, &rotation.id, period)?;
    let mut users: Vec<UserId> = Vec::new();
    for item in plan.1.iter().filter(|item| item.cell == *cell) {
        if let Some(user) = &item.entry.user
            && user != by
            && !users.contains(user)
        {
            users.push(user.clone());
        }
    }
    Ok(users)
}

/// What an assignment will do, with what has to be accepted.
fn will_happen(
    visit: &Visit,
    proposed: &Proposed<Receipt>,
    (cell, user): (&CellId, &UserId),
    off_call: &[UserId],
    remarked: &[String],
) -> Result<Markup, Problem> {
    let (rotation, leg) = (&proposed.rotation, proposed.preview.first());
    let in_the_way = leg.conflicts.iter().map(|conflict| &conflict.user);
    let named = off_call.iter().chain([user]).chain(in_the_way);
    let people = People::load(visit.app(), named, true)?;
    let times = times(visit);
    let cell = rotation.slot_of(cell).map(|index| &rotation.cells[index]);
    Ok(html! {
        (remarks(remarked))
        p {
            (people.show(user)) " takes "
            @if let Some(cell) = cell { bdi { (slot_label(rotation, cell)) } " " }
            (times.period_with(leg.period.from, Some(leg.period.until), cell.and_then(|cell| rotation.windows[cell.window].zone)))
            "."
        }
        (times.covered(&leg.covered, leg.period))
        @if !off_call.is_empty() { p { "Off call then: " (people.show_all(off_call)) "." } }
        (conflicts(visit, &leg.conflicts, &people, &visit.form))
    })
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
            h1 { "It stays as it is" }
            p { a.btn href=(path_to(&rotation)) { "Look at the rotation" } }
        };
        Ok(layout::page_with(
            visit,
            status,
            "It stays as it is",
            content,
        ))
    };
    let receipt = match failing(visit, &rotation.id, outcome, &[], back)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    let people = People::load(visit.app(), [&record.user], true)?;
    let name = people.name(&record.user);
    let note = Note::new(format!(
        "{name} is no longer put on call: the plan counts again."
    ));
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
