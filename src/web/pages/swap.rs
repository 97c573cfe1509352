//! Offering somebody a swap of two turns.

use super::{conflicts, crumbs, failing, named, path_to, slot_text, tag, times};
use crate::actions::ActionError;
use crate::actions::swaps::{self, OfferSwap};
use crate::actions::whole_turns::{self, Swappable, WholeTurn};
use crate::domain::conflict::{self, Conflict};
use crate::domain::ids::{CellId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::cover::made;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::request;
use jiff::Timestamp;
use maud::html;
use serde_json::{Value, json};

const FIELDS: [&str; 3] = ["own", "theirs", "reason"];

/// Turns in one list at the most.
const MOST: usize = 100;

/// As a form names it: the cell, the person, and its bounds.
fn value(turn: &WholeTurn) -> String {
    let Interval { from, until } = turn.period;
    format!("{} {from} {until} {}", turn.cell, turn.user)
}

/// A leg of the API from the choice in a form.
fn leg(key: &str, value: &str) -> Option<(Value, UserId)> {
    let mut parts = value.splitn(4, ' ');
    let (cell, from, to, user) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let leg = json!({ "key": key, "cellId": cell, "holderUserId": user, "from": from, "to": to });
    Some((leg, UserId::from(user)))
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
fn turns(visit: &Visit, rotation: &Rotation) -> Result<Swappable, Problem> {
    let cell = CellId::from(visit.query.one("cellId"));
    let from = visit.query.one("from").parse::<Timestamp>();
    let chosen = from.ok().map(|from| (&cell, from));
    let (_, turns) = whole_turns::swappable(visit.app(), &visit.caller, &rotation.id, chosen)?;
    Ok(turns)
}

/// GET /rotations/{rotation}/swap: the form, with the turn of the address chosen.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Form::default(), &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let rotation = named(visit)?;
    visit.me()?;
    let turns = turns(visit, &rotation)?;
    let people = People::load(
        visit.app(),
        turns.others.iter().map(|turn| &turn.user),
        true,
    )?;
    let times = times(visit);
    let choice = |turn: &WholeTurn, with_name: bool| Choice {
        value: value(turn),
        label: html! {
            @if with_name { (people.name(&turn.user)) ": " }
            (times.text(turn.period.from)) " to " (times.text(turn.period.until))
            @let slot = slot_text(&turn.slot);
            @if !slot.is_empty() { ", " (slot) }
        },
    };
    let mine = turns.own.iter().take(MOST);
    let mine: Vec<Choice> = mine.map(|turn| choice(turn, false)).collect();
    let others = turns.others.iter().take(MOST);
    let others: Vec<Choice> = others.map(|turn| choice(turn, true)).collect();
    let filled = Filled { values, errors };
    let title = format!("Swap in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(errors))
        h1 { "Swap in " bdi { (rotation.profile.name) } }
        @if mine.is_empty() {
            div.card {
                p.empty {
                    "No whole turn of yours in the next eight weeks can be swapped for one of somebody else. Ask for cover instead."
                }
                p.actions { a.button href=(path_to(&rotation)) { "Back" } }
            }
        } @else {
            form.card method="post" action=(format!("{}/swap", path_to(&rotation))) {
                p { "Two whole turns to come change hands once the other one accepts. Times in " (visit.zone.as_str()) "." }
                (filled.select("own", "Your turn", "", &mine))
                (filled.select("theirs", "For the turn of", "", &others))
                (filled.area("reason", "Reason", "The other one reads it. You may leave it empty."))
                (confirm::carried(&tag(visit, &rotation), &rotation))
                p.actions {
                    button.main type="submit" { "Offer the swap" }
                    a.button href=(path_to(&rotation)) { "Back" }
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
    let own = leg("own", visit.form.one("own"));
    let theirs = leg("theirs", visit.form.one("theirs"));
    for (name, found) in [("own", &own), ("theirs", &theirs)] {
        if found.is_none() {
            errors.add(name, "Choose a turn.");
        }
    }
    let (Some((own, _)), Some((theirs, recipient))) = (own, theirs) else {
        return page(visit, 400, &visit.form, &errors);
    };
    let body = json!({
        "recipientUserId": recipient.as_str(),
        "legs": [own, theirs],
        "reason": visit.form.one("reason").trim(),
        "acknowledgedConflictIds": visit.form.list("acknowledgedConflictIds"),
    });
    let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
    let read = request::parse_swap_preview(body.to_string().as_bytes());
    let new = match failing(
        visit,
        &rotation.id,
        by_field(read.map_err(Into::into)),
        &FIELDS,
        again,
    )? {
        Ok(new) => new,
        Err(page) => return Ok(page),
    };
    let preview = swaps::preview(visit.app(), &visit.caller, &rotation.id, &new);
    let (stored, legs) = match failing(visit, &rotation.id, by_field(preview), &FIELDS, again)? {
        Ok(found) => found,
        Err(page) => return Ok(page),
    };
    let found: Vec<Conflict> = legs.into_iter().flat_map(|leg| leg.conflicts).collect();
    if !found.is_empty() && visit.form.one("confirmed") != "true" {
        let named = found.iter().map(|conflict| &conflict.user);
        let people = People::load(visit.app(), named.chain([&new.recipient]), true)?;
        let is_blocked = conflict::blocks(&found);
        let title = "Swap: what will happen";
        let content = html! {
            (crumbs(&stored))
            h1 { (title) }
            form.card method="post" action=(format!("{}/swap", path_to(&stored))) {
                p { "You offer " (people.show(&new.recipient)) " a swap." }
                (conflicts(visit, &found, &people, &visit.form))
                @for (name, value) in visit.form.fields().filter(|(name, _)| !matches!(*name, "confirmed" | "acknowledgedConflictIds")) { (hidden(name, value)) }
                (hidden("confirmed", "true"))
                p.actions {
                    @if !is_blocked { button.main type="submit" { "Offer the swap" } }
                    a.button href=(path_to(&stored)) { "Back" }
                }
            }
        };
        let status = if is_blocked { 409 } else { 200 };
        return Ok(layout::page_with(visit, status, title, content));
    }
    let outcome = visit.write(
        &rotation.id,
        ("createSwapRequest", ""),
        OfferSwap(new),
        made,
    );
    let receipt = match failing(visit, &rotation.id, by_field(outcome), &FIELDS, again)? {
        Ok(receipt) => receipt,
        Err(page) => return Ok(page),
    };
    visit.note(Note::new(
        "Your offer was sent. Both keep their turns until it is accepted.",
    ));
    Ok(answer::see(format!("/requests/{}", receipt.answer)))
}
