//! Offering somebody a swap of two turns.

use super::{conflicts, crumbs, failing, named, path_to, propose, slot_text, tag, times, weigh};
use crate::actions::ActionError;
use crate::actions::once::Render;
use crate::actions::whole_turns::{self, Swappable};
use crate::domain::edit::{NewLeg, NewSwap};
use crate::domain::forecast;
use crate::domain::ids::CellId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::cover::made;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::item::Item;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use jiff::Timestamp;
use maud::html;

const FIELDS: [&str; 3] = ["own", "theirs", "reason"];

/// Turns in one list at the most.
const MOST: usize = 100;

/// As a form names it: the cell, the bounds, and whoever has it.
fn value(turn: &NewLeg) -> String {
    let Interval { from, until } = turn.period;
    format!("{} {from} {until} {}", turn.cell, turn.holder)
}

/// The turn that a form names, whole, or by its cell and an instant in it among those that can be swapped: `CELLID/START`.
fn leg(key: &str, value: &str, turns: &[NewLeg]) -> Option<NewLeg> {
    let key = key.to_owned();
    if let Some((cell, at)) = value.split_once('/') {
        let at: Timestamp = at.parse().ok()?;
        let is_named = |turn: &&NewLeg| turn.cell.as_str() == cell && turn.period.contains(at);
        let found = turns.iter().find(is_named)?.clone();
        return Some(NewLeg { key, ..found });
    }
    let mut parts = value.splitn(4, ' ');
    let cell = parts.next()?.into();
    let (from, until) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(NewLeg {
        key,
        cell,
        holder: parts.next()?.into(),
        period: Interval { from, until },
    })
}

/// A refusal of a leg or of the other person as an error of the field in which a turn was chosen.
fn by_field<T>(outcome: Result<T, ActionError>) -> Result<T, ActionError> {
    const CHOSEN_IN: [(&str, &str); 3] = [
        ("legs[0]", "own"),
        ("legs[1]", "theirs"),
        ("recipientUserId", "theirs"),
    ];
    outcome.map_err(|stop| {
        let ActionError::Refused(Refusal::Invalid { path, fault }) = stop else {
            return stop;
        };
        let mut fields = CHOSEN_IN.iter();
        match fields.find(|(member, _)| path.within(member).is_some()) {
            Some((_, field)) => Refusal::invalid(*field, fault).into(),
            None => Refusal::invalid(path.as_str(), fault).into(),
        }
    })
}

/// The turns to come that can be swapped: of the reader the one that the address names, where that is one of them.
fn turns(visit: &Visit, rotation: &Rotation) -> Result<(Rotation, Swappable), Problem> {
    let cell = CellId::from(visit.query.one("cellId"));
    let from = visit.query.one("from").parse::<Timestamp>();
    let chosen = from.ok().map(|from| (&cell, from));
    Ok(whole_turns::swappable(
        visit.app(),
        &visit.caller,
        &rotation.id,
        chosen,
    )?)
}

/// Turns of the reader that are tried against one of somebody else, at the most.
const MOST_TRIED: usize = 8;

/// The choices of a form about one turn: it is fixed on its side, and the other side has what it can be swapped for.
pub fn choices(
    visit: &Visit,
    rotation: &Rotation,
    item: &Item,
    is_mine: bool,
) -> Result<(Vec<Choice>, Vec<Choice>), Problem> {
    let (app, caller) = (visit.app(), &visit.caller);
    let swappable = |chosen: Option<(&CellId, Timestamp)>| {
        whole_turns::swappable(app, caller, &rotation.id, chosen)
    };
    let is_it = |turn: &NewLeg| turn.cell == item.cell && turn.period.contains(item.from);
    let (own, others) = match is_mine {
        true => {
            let (_, mut found) = swappable(Some((&item.cell, item.from)))?;
            found.own.retain(is_it);
            (found.own, found.others)
        }
        false => {
            let (_, all) = swappable(None)?;
            let others: Vec<NewLeg> = all.others.into_iter().filter(is_it).collect();
            let mut own = Vec::new();
            for turn in all
                .own
                .iter()
                .take(MOST_TRIED)
                .filter(|_| !others.is_empty())
            {
                let (_, found) = swappable(Some((&turn.cell, turn.period.from)))?;
                if found.others.iter().any(is_it) {
                    own.push(turn.clone());
                }
            }
            (own, others)
        }
    };
    let people = People::load(app, others.iter().map(|turn| &turn.holder), true)?;
    let all = |turns: &[NewLeg], with_name: bool| -> Vec<Choice> {
        let turns = turns.iter().take(MOST);
        turns
            .map(|turn| choice(visit, rotation, turn, with_name.then_some(&people)))
            .collect()
    };
    Ok((all(&own, false), all(&others, true)))
}

/// A turn in a list, with whoever has it where that is not the reader.
fn choice(visit: &Visit, rotation: &Rotation, turn: &NewLeg, people: Option<&People>) -> Choice {
    let times = times(visit);
    let slot = slot_text(&forecast::slot_named(rotation, &turn.cell));
    Choice {
        value: value(turn),
        label: html! {
            @if let Some(people) = people { (people.name(&turn.holder)) ": " }
            (times.text(turn.period.from)) " to " (times.text(turn.period.until))
            @if !slot.is_empty() { ", " (slot) }
        },
    }
}

/// GET /rotations/{rotation}/swap: the form, with the turn of the address chosen.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Form::default(), &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let rotation = named(visit)?;
    visit.me()?;
    let (rotation, turns) = turns(visit, &rotation)?;
    let people = People::load(
        visit.app(),
        turns.others.iter().map(|turn| &turn.holder),
        true,
    )?;
    let listed = |turns: &[NewLeg], people: Option<&People>| -> Vec<Choice> {
        let turns = turns.iter().take(MOST);
        turns
            .map(|turn| choice(visit, &rotation, turn, people))
            .collect()
    };
    let mine = listed(&turns.own, None);
    let others = listed(&turns.others, Some(&people));
    let filled = Filled { values, errors };
    let title = format!("Swap in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Swap in " bdi { (rotation.profile.name) } }
        @if mine.is_empty() {
            div.card.pad {
                p.muted {
                    "No whole turn of yours in the next eight weeks can be swapped for one of somebody else. Ask for cover instead."
                }
                p.actions { a.btn href=(path_to(&rotation)) { "Back" } }
            }
        } @else {
            form.card.pad method="post" action=(format!("{}/swap", path_to(&rotation))) {
                p { "Two whole turns to come change hands once the other one accepts. Times in " (visit.zone.as_str()) "." }
                (filled.select("own", "Your turn", "", &mine))
                (filled.select("theirs", "For the turn of", "", &others))
                (filled.area("reason", "Reason, optional", "The other one reads it."))
                (confirm::carried(&tag(visit, &rotation), &rotation))
                p.actions {
                    button.btn.go type="submit" data-action="swap" { "Offer the swap" }
                    a.btn href=(path_to(&rotation)) { "Back" }
                }
            }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /rotations/{rotation}/swap.
pub fn offer(visit: &Visit) -> Outcome {
    let rotation = named(visit)?;
    let mut errors = Errors::default();
    let (_, known) = whole_turns::swappable(visit.app(), &visit.caller, &rotation.id, None)?;
    let own = leg("own", visit.form.one("own"), &known.own);
    let theirs = leg("theirs", visit.form.one("theirs"), &known.others);
    for (name, found) in [("own", &own), ("theirs", &theirs)] {
        if found.is_none() {
            errors.add(name, "Choose a whole turn to come that can be swapped.");
        }
    }
    let (Some(own), Some(theirs)) = (own, theirs) else {
        return page(visit, 400, &visit.form, &errors);
    };
    let recipient = theirs.holder.clone();
    let new = NewSwap {
        recipient: recipient.clone(),
        legs: vec![own, theirs],
        reason: visit.form.one("reason").trim().to_owned(),
        acknowledged: visit.form.list("acknowledgedConflictIds"),
    };
    let action = ("createSwapRequest", made as Render<_>);
    let proposed = propose(visit, &rotation.id, action, new.checked(), |_, preview| {
        Ok(!preview.conflicts().is_empty() && visit.form.one("confirmed") != "true")
    });
    let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
    let proposed = match failing(visit, &rotation.id, by_field(proposed), &FIELDS, again)? {
        Ok(proposed) => proposed,
        Err(page) => return Ok(page),
    };
    let Some(receipt) = proposed.written else {
        let found = proposed.preview.conflicts();
        let named = found.iter().map(|conflict| &conflict.user);
        let people = People::load(visit.app(), named.chain([&recipient]), true)?;
        let content = html! {
            p { "You offer " (people.show(&recipient)) " a swap." }
            (conflicts(visit, &found, &people, &visit.form))
        };
        let names = ("swap", "Swap: what will happen", "Offer the swap");
        return weigh(
            visit,
            (&proposed.rotation, &proposed.preview),
            names,
            content,
        );
    };
    visit.note(Note::new(
        "Your offer was sent. Both keep their turns until it is accepted.",
    ));
    Ok(answer::see(format!("/requests/{}", receipt.answer)))
}
