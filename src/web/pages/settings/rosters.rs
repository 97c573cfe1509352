//! Rosters: the lists that lanes and windows deal from, and where each hand-over goes on.

mod shown;

use super::coverage::{self, GridForm};
use super::groups;
use super::weigh::{self, ConfirmedForm};
use super::{Change, Saved, carry_out, page};
use crate::domain::grid::{GridSpec, RosterSpec};
use crate::domain::ids::{GroupId, RosterId, UserId};
use crate::domain::limits::whole_number;
use crate::domain::refusal::Refusal;
use crate::domain::roster;
use crate::domain::rotation::{Narrowed, Roster, Rotation};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::editable;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::html;
use shown::{card, places};

const PART: &str = "rosters";

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    form(
        visit,
        &editable(visit)?,
        (200, &Form::default(), &Errors::default()),
    )
}

/// The name of a roster.
fn name(roster: &Roster) -> String {
    match &roster.id {
        Some(id) => format!("People of {id}, in order"),
        None => "Everybody".to_owned(),
    }
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let members = roster::order(&rotation.members, None);
    let people = People::load(visit.app(), members.iter().map(|one| &one.user), true)?;
    let offered = groups::offered(visit)?;
    let content = html! {
        p.muted { "Turns go through a list of people. “Everybody” is all of them in their order; another list is some of them, in an order of its own." }
        @for roster in &rotation.rosters {
            (card(visit, rotation, roster, &people, &offered)?)
        }
        (places(visit, rotation, values, errors))
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The people that a roster lists one by one; of one that is not narrowed, all that it has.
fn users_of(rotation: &Rotation, roster: &Roster) -> Vec<UserId> {
    match &roster.narrowed {
        Some(narrowed) => {
            let users = narrowed
                .users
                .iter()
                .filter(|user| rotation.has_member(user));
            users.cloned().collect()
        }
        None => rotation
            .order(roster)
            .into_iter()
            .map(|one| one.user)
            .collect(),
    }
}

/// POST: one step.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    if visit.form.names("edit") {
        return again(200, Errors::default());
    }
    let (verb, named) = visit.form.step();
    if verb == "cells" {
        return save_places(visit, &rotation);
    }
    let id = visit.form.filled("rosterId").map(RosterId::from);
    let roster = rotation.rosters.iter().find(|roster| roster.id == id);
    let Some(roster) = roster else {
        return Err(crate::web::answer::nothing_here());
    };
    let was = coverage::turns(&rotation, id.as_ref());
    let (read, told) = match verb {
        "turns" => (turns(visit, &was), "Who is next was saved."),
        _ => {
            let listed = Ok(listed(visit, &rotation, roster, (verb, named)));
            (listed, "The list was saved.")
        }
    };
    let read = read.and_then(|spec| match id {
        Some(_) => spec.checked(),
        None => spec.checked_common(),
    });
    let weighed = ConfirmedForm {
        part: PART,
        names: &[],
        more: html! {},
    };
    let edits = read.clone();
    let edits = edits.map(|spec| weigh::roster(id.clone(), spec));
    if let Some(page) = weigh::before(visit, &rotation, weighed, edits, again)? {
        return Ok(page);
    }
    let before = match (verb, &roster.narrowed) {
        ("turns", _) => was,
        (_, narrowed) => RosterSpec {
            narrowed: narrowed.clone(),
            follows_all: narrowed.is_none(),
            ..was
        },
    };
    let saved = Saved {
        part: PART,
        names: &[],
        told,
        before: Some(Change::Roster(id.clone(), before)),
    };
    let change = read.map(|spec| Change::Roster(id, spec));
    carry_out(visit, &rotation, change, saved, again)
}

/// The next turns that a form asks for; those that it leaves open stay.
fn turns(visit: &Visit, was: &RosterSpec) -> Result<RosterSpec, Refusal> {
    let mut spec = was.clone();
    for (index, next) in spec.turns.each.iter_mut().enumerate() {
        let field = format!("nextTurns.{}", next.window);
        if let Some(turn) = visit.form.filled(&field) {
            next.turn = whole_number(&format!("nextTurns[{index}].nextTurn"), turn)?;
        }
    }
    Ok(spec)
}

/// The list that a step asks for.
fn listed(
    visit: &Visit,
    rotation: &Rotation,
    roster: &Roster,
    (verb, named): (&str, &str),
) -> RosterSpec {
    let mut users = users_of(rotation, roster);
    let mut groups: Vec<GroupId> = roster.narrowed.clone().unwrap_or_default().groups;
    let at = users.iter().position(|one| one.as_str() == named);
    match (verb, at) {
        ("up", Some(at)) if at > 0 => users.swap(at, at - 1),
        ("down", Some(at)) if at + 1 < users.len() => users.swap(at, at + 1),
        ("remove", Some(at)) => {
            users.remove(at);
        }
        ("add", _) => {
            let new = visit.form.list("userIds").into_iter().map(UserId::from);
            let new: Vec<UserId> = new.filter(|one| !users.contains(one)).collect();
            users.extend(new);
        }
        ("follow", _) => {
            let new = visit
                .form
                .list("userGroupIds")
                .into_iter()
                .map(GroupId::from);
            let new: Vec<GroupId> = new.filter(|one| !groups.contains(one)).collect();
            groups.extend(new);
        }
        ("leave", _) => groups.retain(|group| group.as_str() != named),
        _ => {}
    }
    RosterSpec {
        narrowed: Some(Narrowed { users, groups }),
        ..RosterSpec::default()
    }
}

/// Gives each place of the grid the roster that the form names.
fn save_places(visit: &Visit, rotation: &Rotation) -> Outcome {
    let again = |status, errors: Errors| form(visit, rotation, (status, &visit.form, &errors));
    let mut grid = GridSpec::of(rotation);
    let names: Vec<String> = (0..rotation.cells.len())
        .map(|index| format!("cells[{index}].rosterId"))
        .collect();
    for (index, name) in names.iter().enumerate() {
        if visit.form.names(name) {
            grid.cells[index].roster = visit.form.filled(name).map(RosterId::from);
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let wished = GridForm {
        part: PART,
        grid: Ok(grid),
        path: "",
        names: &names,
        remarked: &[],
        more: html! { p { "A list that no hours use any more is gone." } },
        told: "Who takes turns in which hours was saved.".to_owned(),
        // A roster that is gone comes back with everybody in it.
        restores: false,
        is_seen: false,
    };
    coverage::save(visit, rotation, wished, again)
}
