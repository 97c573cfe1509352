//! A roster with its order and forms, and which place of the grid deals from which.

use super::{PART, name, users_of};
use crate::domain::ids::{RosterId, UserId};
use crate::domain::roster;
use crate::domain::rotation::{Roster, Rotation};
use crate::server::Problem;
use crate::store::Group;
use crate::web::form::{Errors, Form};
use crate::web::pages::settings::{action, carried, grid, groups};
use crate::web::pages::slot_label;
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// One roster.
pub fn card(
    visit: &Visit,
    rotation: &Rotation,
    roster: &Roster,
    people: &People,
    offered: &[Group],
) -> Result<Markup, Problem> {
    let order = rotation.order(roster);
    let own = roster.id.as_ref().map_or("", RosterId::as_str);
    let listed = |user: &UserId| order.iter().any(|one| one.user == *user);
    let narrowed = roster.narrowed.clone().unwrap_or_default();
    let singles: Vec<UserId> = users_of(rotation, roster);
    let members = roster::order(&rotation.members, None);
    let others: Vec<Choice> = members
        .iter()
        .filter(|one| !listed(&one.user))
        .map(|one| Choice::new(one.user.as_str(), people.name(&one.user)))
        .collect();
    let groups: Vec<Choice> = offered
        .iter()
        .filter(|group| !narrowed.groups.contains(&group.id))
        .filter(|group| {
            rotation
                .members
                .groups
                .iter()
                .any(|known| known.group == group.id)
        })
        .map(|group| Choice::new(group.id.as_str(), &groups::name(group)))
        .collect();
    let windows = rotation.windows_of(roster.id.as_ref());
    let begin = || {
        html! { (hidden("rosterId", own)) (carried(visit, rotation)) }
    };
    let to = action(rotation, PART);
    Ok(html! {
        section.card.pad aria-label=(name(roster)) data-roster=(own) {
            h2 { (name(roster)) }
            @if order.is_empty() { p.muted { "Nobody is in it." } }
            form method="post" action=(to) {
                (begin())
                ol.order {
                    @for (index, position) in order.iter().enumerate() {
                        @let person = people.name(&position.user);
                        @let at = singles.iter().position(|one| *one == position.user);
                        li data-user=(position.user) {
                            div.split {
                                span {
                                    (people.show(&position.user))
                                    @for next in roster.next_turns.iter().filter(|next| next.turn == index) {
                                        " " span.tag.good { "next" @if windows.len() > 1 { " in " (window_called(rotation, next.window.as_str())) } }
                                    }
                                }
                                @if roster.id.is_some() && at.is_some() {
                                    span.actions {
                                        @if at > Some(0) { button.btn.s type="submit" name="step" value=(format!("up {}", position.user)) { "Up" span.sr { ": " (person) } } }
                                        @if at.is_some_and(|at| at + 1 < singles.len()) { button.btn.s type="submit" name="step" value=(format!("down {}", position.user)) { "Down" span.sr { ": " (person) } } }
                                        @if order.len() > 1 { button.btn.s type="submit" name="step" value=(format!("remove {}", position.user)) { "Remove" span.sr { ": " (person) } } }
                                    }
                                }
                            }
                        }
                    }
                }
                @if roster.id.is_some() && !narrowed.groups.is_empty() {
                    ul.items {
                        @for group in &narrowed.groups {
                            li { div.split { bdi { (groups::called(visit, group)?) } button.btn.s type="submit" name="step" value=(format!("leave {group}")) { "Remove" } } }
                        }
                    }
                }
            }
            @if roster.id.is_none() {
                p { a href=(action(rotation, "people")) { "Change people and their order" } }
            } @else {
                @if !others.is_empty() {
                    form method="post" action=(to) {
                        (begin())
                        (choose(own, "userIds", "Somebody of the rotation", &others))
                        p.actions { button.btn.s type="submit" name="step" value="add" { "Add to this list" } }
                    }
                }
                @if !groups.is_empty() {
                    form method="post" action=(to) {
                        (begin())
                        (choose(own, "userGroupIds", "User group of the rotation", &groups))
                        p.actions { button.btn.s type="submit" name="step" value="follow" { "Add the group" } }
                    }
                }
            }
            @if !order.is_empty() && !windows.is_empty() {
                form method="post" action=(to) {
                    (begin())
                    @for index in &windows {
                        @let window = &rotation.windows[*index];
                        @let id = format!("f-{own}-{}", window.id);
                        div.f {
                            label for=(id) { "Next" @if rotation.windows.len() > 1 { " in " (grid::window_name(rotation, *index)) } }
                            select id=(id) name=(format!("nextTurns.{}", window.id)) {
                                @for (turn, position) in order.iter().enumerate() {
                                    option value=(turn) selected[roster.next_turn(&window.id) == Some(turn)] { (turn + 1) ". " (people.name(&position.user)) }
                                }
                            }
                        }
                    }
                    p.actions { button.btn.s type="submit" name="step" value="turns" { "Save who is next" } }
                }
            }
        }
    })
}

/// One of several, with an id of its own for each roster.
fn choose(roster: &str, name: &str, label: &str, choices: &[Choice]) -> Markup {
    let id = format!("f-{name}-{roster}");
    html! {
        div.f {
            label for=(id) { (label) }
            select id=(id) name=(name) {
                @for choice in choices { option value=(choice.value) { (choice.label) } }
            }
        }
    }
}

fn window_called(rotation: &Rotation, id: &str) -> String {
    let index = rotation
        .windows
        .iter()
        .position(|window| window.id.as_str() == id);
    index.map_or_else(String::new, |index| grid::window_name(rotation, index))
}

/// Which place of the grid deals from which roster.
pub fn places(visit: &Visit, rotation: &Rotation, values: &Form, errors: &Errors) -> Markup {
    let field = |index: usize| format!("cells[{index}].rosterId");
    let shown = rotation.cells.iter().enumerate().map(|(index, cell)| {
        let typed = values
            .names(&field(index))
            .then(|| values.one(&field(index)).to_owned());
        let stored = cell.roster.as_ref().map(ToString::to_string);
        (field(index), typed.or(stored).unwrap_or_default())
    });
    let shown = Form::with(shown);
    let filled = Filled {
        values: &shown,
        errors,
    };
    html! {
        section.card.pad aria-labelledby="places" {
            h2 #places { "Who takes turns in which hours" }
            p.hint { "Empty is everybody. Another name makes a list, at first with everybody in it: letters, digits, - and _." }
            form method="post" action=(action(rotation, PART)) {
                @for (index, cell) in rotation.cells.iter().enumerate() {
                    (filled.input("text", &field(index), &format!("List for {}", slot_label(rotation, cell)), "", false))
                }
                (carried(visit, rotation))
                p.actions { button.btn type="submit" name="step" value="cells" { "See what would change" } }
            }
        }
    }
}
