//! Duty by hand: hand over now, put people on duty.

use super::{crumbs, editable, failing, path_to, slot_label, tag};
use crate::actions::duty::{self, ClearDuty, Rotate, SetOnDuty};
use crate::domain::ids::{CellId, UserId};
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

/// The note after a write of duty.
fn nothing(_: &str, _: &()) -> Result<String, crate::actions::Error> {
    Ok(String::new())
}

/// GET /rotations/{rotation}/rotate: who goes off, who comes on.
pub fn show_rotate(visit: &Visit) -> Outcome {
    rotate_page(visit, 200, &Errors::default())
}

fn rotate_page(visit: &Visit, status: u16, errors: &Errors) -> Outcome {
    let rotation = editable(visit)?;
    let (stored, then) = match duty::preview_rotate(visit.app(), &visit.caller, &rotation.id) {
        Ok(found) => found,
        Err(stop) => return Err(Problem::from(stop)),
    };
    let slots: Vec<usize> = (0..stored.cells.len())
        .filter(|&index| !stored.cells[index].stopped)
        .collect();
    let dealt = |rotation: &Rotation, index: usize| {
        let holder = rotation.cells[index].holder.as_ref();
        holder.map(|holder| holder.user.clone())
    };
    let both: Vec<(usize, Option<UserId>, Option<UserId>)> = slots
        .iter()
        .map(|&index| (index, dealt(&stored, index), dealt(&then, index)))
        .collect();
    let named = both.iter().flat_map(|(_, off, on)| off.iter().chain(on));
    let people = People::load(visit.app(), named, true)?;
    let who = |user: &Option<UserId>| match user {
        // Several are choices, where a click on a name must not lead away.
        Some(user) if both.len() > 1 => people.label(user),
        Some(user) => people.show(user),
        None => html! { span.muted { "nobody" } },
    };
    let values = Form::with(
        both.iter()
            .map(|(index, _, _)| ("cellIds", stored.cells[*index].id.to_string())),
    );
    let filled = Filled {
        values: &values,
        errors,
    };
    let choices: Vec<Choice> = both
        .iter()
        .map(|(index, off, on)| Choice {
            value: stored.cells[*index].id.to_string(),
            label: html! { bdi { (slot_label(&stored, &stored.cells[*index])) } ": " (who(off)) " goes off, " (who(on)) " comes on" },
        })
        .collect();
    let title = format!("Hand over now in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Hand over now in " bdi { (rotation.profile.name) } }
        form.card.pad method="post" action=(format!("{}/rotate", path_to(&rotation))) {
            p { "Hands over now, as a planned hand-over does. Planned hand-overs keep their times. Whoever covers, swapped or was put on call for some hours keeps them." }
            @if choices.len() > 1 {
                (filled.boxes("cellIds", "Hand over", "", &choices))
            } @else {
                @for choice in &choices { p { (choice.label) } }
            }
            (confirm::carried(&tag(visit, &stored), &stored))
            p.actions {
                button.btn.go type="submit" data-action="rotate" { "Hand over now" }
                a.btn href=(path_to(&rotation)) { "Back" }
            }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /rotations/{rotation}/rotate.
pub fn rotate(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let chosen = visit.form.list("cellIds");
    let running = rotation.running().count();
    let cells: Vec<CellId> = chosen.into_iter().map(CellId::from).collect();
    let all = cells.is_empty() && running <= 1 || cells.len() >= running;
    if cells.is_empty() && !all {
        let mut errors = Errors::default();
        errors.add("cellIds", "Choose what to hand over.");
        return rotate_page(visit, 400, &errors);
    }
    let operation = Rotate {
        cells: (!all).then_some(cells),
    };
    let outcome = visit.write(&rotation.id, ("rotate", ""), operation, nothing);
    let again = |status, errors: Errors| rotate_page(visit, status, &errors);
    if let Err(page) = failing(visit, &rotation.id, outcome, &["cellIds"], again)? {
        return Ok(page);
    }
    visit.note(Note::new(format!(
        "{} was handed over.",
        rotation.profile.name
    )));
    Ok(answer::see(path_to(&rotation)))
}

/// Who is dealt each slot that setting on duty fills.
fn on_duty(rotation: &Rotation) -> Vec<(usize, Option<UserId>)> {
    let slots = duty::slots_to_set(rotation).into_iter();
    let dealt = |index: usize| {
        let holder = rotation.cells[index].holder.as_ref();
        (index, holder.map(|holder| holder.user.clone()))
    };
    slots.map(dealt).collect()
}

/// GET /rotations/{rotation}/on-call.
pub fn show_set(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let held = on_duty(&rotation);
    let name = |user: Option<UserId>| user.map_or(String::new(), |user| user.to_string());
    let values = Form::with(held.into_iter().map(|(_, user)| ("userIds", name(user))));
    set_page(visit, 200, &values, &Errors::default())
}

fn set_page(
    visit: &Visit,
    status: u16,
    values: &Form,
    errors: &Errors,
) -> Result<Response, Problem> {
    let rotation = editable(visit)?;
    let held = on_duty(&rotation);
    let members = crate::domain::roster::order(&rotation.members, None);
    let members: Vec<UserId> = members.into_iter().map(|one| one.user).collect();
    let over: Vec<UserId> = rotation
        .running()
        .filter_map(|cell| resolve::arranged(&rotation, cell))
        .map(|arranged| arranged.user.clone())
        .collect();
    let people = People::load(visit.app(), members.iter().chain(&over), true)?;
    let chosen: Vec<&str> = values.all("userIds").collect();
    let title = format!("Put somebody on call in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Put somebody on call in " bdi { (rotation.profile.name) } }
        form.card.pad method="post" action=(format!("{}/on-call", path_to(&rotation))) {
            @if members.is_empty() {
                p.muted { "Nobody is in this rotation. Add people to it first." }
            }
            @for wrong in errors.of("userIds") { p.wrong { (wrong) } }
            @for (place, (index, _)) in held.iter().enumerate() {
                @let id = if place == 0 { "f-userIds".to_owned() } else { format!("f-userIds-{place}") };
                @let cell = &rotation.cells[*index];
                div.f {
                    label for=(id) { bdi { (slot_label(&rotation, cell)) } }
                    @if let Some(arranged) = resolve::arranged(&rotation, cell) {
                        p.hint { (people.name(&arranged.user)) " has these hours by a cover, a swap or by hand, and keeps them until they end." }
                    }
                    select id=(id) name="userIds" {
                        option value="" { "Nobody" }
                        @for user in &members {
                            option value=(user) selected[chosen.get(place) == Some(&user.as_str())] { (people.name(user)) }
                        }
                    }
                }
            }
            (without_anybody(visit, &rotation, values, errors))
            p.muted { "Planned hand-overs keep their times, and go on from the last person chosen here." }
            (confirm::carried(&tag(visit, &rotation), &rotation))
            p.actions {
                button.btn.go type="submit" data-action="setOnCall" { "Put on call" }
                a.btn href=(path_to(&rotation)) { "Back" }
            }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// The box without which nobody is put off call: it says how many hours that leaves without anybody.
fn without_anybody(visit: &Visit, rotation: &Rotation, values: &Form, errors: &Errors) -> Markup {
    let calendar = visit.app().calendar();
    let cadences = rotation
        .windows
        .iter()
        .filter_map(|window| window.cadence.as_ref());
    let next = cadences
        .filter_map(|cadence| cadence.next(calendar, visit.now))
        .min();
    let words = match next.map(|next| next.duration_since(visit.now).as_hours()) {
        Some(0 | 1) => "Leave this hour without anybody".to_owned(),
        Some(hours) => format!("Leave these {hours} hours without anybody"),
        None => "Leave the hours until somebody hands over without anybody".to_owned(),
    };
    html! {
        @for wrong in errors.of("confirmed") { p.wrong { (wrong) } }
        div.note.bad {
            div.choice {
                input type="checkbox" id="f-confirmed" name="confirmed" value="true" checked[values.has("confirmed", "true")] data-action="clear";
                label for="f-confirmed" { (words) }
            }
        }
    }
}

/// POST /rotations/{rotation}/on-call.
pub fn set(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let sent: Vec<&str> = visit.form.all("userIds").collect();
    let filled = sent.iter().take_while(|user| !user.is_empty()).count();
    if sent[filled..].iter().any(|user| !user.is_empty()) {
        let mut errors = Errors::default();
        errors.add(
            "userIds",
            "Fill the lines in order: nobody can be left out before somebody.",
        );
        return set_page(visit, 400, &visit.form, &errors);
    }
    let before: Vec<Option<UserId>> = on_duty(&rotation)
        .into_iter()
        .map(|(_, user)| user)
        .collect();
    let users: Vec<UserId> = sent[..filled]
        .iter()
        .map(|user| UserId::from(*user))
        .collect();
    let leaves = users.is_empty() || before.iter().flatten().count() > users.len();
    if leaves && !visit.form.has("confirmed", "true") {
        let mut errors = Errors::default();
        errors.add(
            "confirmed",
            "Tick the box to leave these hours without anybody.",
        );
        return set_page(visit, 400, &visit.form, &errors);
    }
    let outcome = match users.is_empty() {
        true => visit.write(
            &rotation.id,
            ("clearOnCall", ""),
            ClearDuty { cell: None },
            nothing,
        ),
        false => visit.write(
            &rotation.id,
            ("replaceOnCall", ""),
            SetOnDuty {
                users: users.clone(),
            },
            nothing,
        ),
    };
    let again = |status, errors: Errors| set_page(visit, status, &visit.form, &errors);
    let receipt = match failing(visit, &rotation.id, outcome, &["userIds"], again)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    let people = People::load(visit.app(), &users, true)?;
    let names: Vec<&str> = users.iter().map(|user| people.name(user)).collect();
    let told = match names.is_empty() {
        true => format!("Nobody is on call in {}.", rotation.profile.name),
        false => format!(
            "On call in {}: {}.",
            rotation.profile.name,
            names.join(", ")
        ),
    };
    let note = Note::new(told);
    visit.note(match undo(&rotation, &before, receipt.etag) {
        Some(undo) => note.with_undo(undo),
        None => note,
    });
    Ok(answer::see(path_to(&rotation)))
}

/// Sets those on duty who were before; `None` where a place was empty before one that was not.
fn undo(rotation: &Rotation, before: &[Option<UserId>], etag: String) -> Option<Undo> {
    let filled = before.iter().take_while(|user| user.is_some()).count();
    if before[filled..].iter().any(Option::is_some) {
        return None;
    }
    let mut fields = vec![
        ("ifMatch", etag),
        ("operationId", confirm::operation_id()),
        ("confirmed", "true".to_owned()),
    ];
    let users = before.iter().flatten();
    fields.extend(users.map(|user| ("userIds", user.to_string())));
    Some(Undo {
        action: format!("{}/on-call", path_to(rotation)),
        fields,
    })
}
