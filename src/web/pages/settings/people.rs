//! People and their order: who is in a rotation, one by one or by user groups, and who is next.

use super::groups;
use super::weigh::{self, ConfirmedForm};
use super::{
    Change, Saved, action, carried, carry_out, coverage, dealing, page, people_named, person_line,
    when,
};
use crate::domain::edit::RotationPatch;
use crate::domain::grid::{RosterSpec, TurnsSpec};
use crate::domain::ids::{GroupId, UserId};
use crate::domain::roster::{self, Position};
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::editable;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::{Markup, html};

const PART: &str = "people";

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    form(visit, &editable(visit)?, 200, &Errors::default())
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    status: u16,
    errors: &Errors,
) -> Result<Response, Problem> {
    let order = roster::order(&rotation.members, None);
    let users: Vec<&UserId> = order.iter().map(|one| &one.user).collect();
    let people = People::load(visit.app(), users, true)?;
    let typed = visit.form.one("userIds");
    let content = html! {
        section.card.pad aria-labelledby="order" {
            h2 #order { "Order" }
            @if order.is_empty() {
                p.muted { "Nobody is in this rotation. Add the first person below; they come on first." }
            } @else {
                p.muted {
                    "Duty passes through this order. Moving somebody changes nobody’s turn that has begun. "
                    a href=(action(rotation, "absences")) { "Shares and stand-ins" } " are set with missed turns."
                }
                form method="post" action=(action(rotation, PART)) {
                    (carried(visit, rotation))
                    (when::fields(visit, ""))
                    ol.order {
                        @for (index, position) in order.iter().enumerate() { (row(rotation, &order, index, position, &people)) }
                    }
                }
            }
            form method="post" action=(action(rotation, PART)) {
                (carried(visit, rotation))
                @for wrong in errors.of("userIds") { p.wrong { (wrong) } }
                (person_line(visit, "f-userIds", "userIds", "Add somebody", typed)?)
                (when::fields(visit, "-add"))
                p.actions { button.btn type="submit" name="step" value="add" { "Add" } }
            }
        }
        (followed(visit, rotation, errors)?)
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The windows whose next turn of the common roster is a position.
fn is_next(rotation: &Rotation, index: usize) -> bool {
    let mut turns = rotation.roster(None).next_turns.iter();
    turns.any(|next| next.turn == index)
}

fn row(
    rotation: &Rotation,
    order: &[Position],
    index: usize,
    position: &Position,
    people: &People,
) -> Markup {
    let (user, name) = (&position.user, people.name(&position.user));
    let single = rotation.members.users.len();
    let is_single = rotation.members.users.contains(user);
    let step = |verb: &str, label: &str| {
        html! {
            button.btn.s type="submit" name="step" value=(format!("{verb} {user}")) { (label) span.sr { ": " (name) } }
        }
    };
    html! {
        li data-user=(user) {
            div.split {
                span {
                    (people.show(user))
                    @if let Some(share) = dealing::share(rotation, user) { " " span.tag { (share) } }
                    @if is_next(rotation, index) { " " span.tag.good { "next" } }
                    @if !is_single { " " span.muted { "by way of a user group" } }
                }
                span.actions {
                    @if is_single && index > 0 && order.len() > 1 { (step("up", "Up")) }
                    @if is_single && index + 1 < single { (step("down", "Down")) }
                    @if is_single && index > 0 { (step("first", "First")) }
                    @if !is_next(rotation, index) && !rotation.roster(None).next_turns.is_empty() { (step("next", "Next")) }
                    @if is_single { (step("remove", "Remove")) }
                }
            }
        }
    }
}

fn followed(visit: &Visit, rotation: &Rotation, errors: &Errors) -> Result<Markup, Problem> {
    let followed: Vec<&GroupId> = rotation
        .members
        .groups
        .iter()
        .map(|group| &group.group)
        .collect();
    let offered = groups::offered(visit)?;
    let offered = offered
        .iter()
        .filter(|group| !followed.contains(&&group.id));
    let choices: Vec<Choice> = offered
        .map(|group| Choice::new(group.id.as_str(), &groups::name(group)))
        .collect();
    let values = Form::with([("userGroupIds", visit.form.one("userGroupIds"))]);
    let filled = Filled {
        values: &values,
        errors,
    };
    Ok(html! {
        section.card.pad aria-labelledby="groups" {
            h2 #groups { "User groups" }
            p.muted { "The people of a user group follow those above, and come and go with the group in chat." }
            @if !followed.is_empty() {
                form method="post" action=(action(rotation, PART)) {
                    (carried(visit, rotation))
                    ul.items {
                        @for group in &followed {
                            @let name = groups::called(visit, group)?;
                            li {
                                div.split {
                                    bdi { (name) }
                                    button.btn.s type="submit" name="step" value=(format!("leave {group}")) { "Remove" span.sr { ": " (name) } }
                                }
                            }
                        }
                    }
                }
            }
            @if choices.is_empty() { p.muted { "There is no other user group in the workspace." } } @else {
                form method="post" action=(action(rotation, PART)) {
                    (carried(visit, rotation))
                    (filled.select("userGroupIds", "User group", "", &choices))
                    p.actions { button.btn type="submit" name="step" value="follow" { "Follow this group" } }
                }
            }
        }
    })
}

/// POST: one step. The list is made of the rotation as it stands, so a step that is sent again for a changed rotation fits it.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, status, &errors);
    if visit.form.names("edit") {
        return again(200, Errors::default());
    }
    let (verb, named) = visit.form.step();
    let user = UserId::from(named);
    if verb == "next" {
        return next(visit, &rotation, &user);
    }
    let mut errors = Errors::default();
    let mut users = rotation.members.users.clone();
    let mut groups: Vec<GroupId> = rotation
        .members
        .groups
        .iter()
        .map(|group| group.group.clone())
        .collect();
    let at = users.iter().position(|one| *one == user);
    let mut told = "The order was saved.";
    match (verb, at) {
        ("up", Some(at)) if at > 0 => users.swap(at, at - 1),
        ("down", Some(at)) if at + 1 < users.len() => users.swap(at, at + 1),
        ("first", Some(at)) => users[..=at].rotate_right(1),
        ("remove", Some(at)) => {
            users.remove(at);
            told = "They were removed from the rotation.";
        }
        ("add", _) => {
            let new = people_named(visit, "userIds", &users, &mut errors)?;
            if new.is_empty() && errors.is_empty() {
                errors.add("userIds", "Name somebody of the workspace.");
            }
            let new: Vec<UserId> = new.into_iter().filter(|one| !users.contains(one)).collect();
            users.extend(new);
            told = "They were added to the rotation.";
        }
        ("follow", _) => {
            let new = visit
                .form
                .list("userGroupIds")
                .into_iter()
                .map(GroupId::from);
            let new: Vec<GroupId> = new.filter(|one| !groups.contains(one)).collect();
            groups.extend(new);
            told = "The rotation follows the group.";
        }
        ("leave", _) => {
            groups.retain(|group| group.as_str() != named);
            told = "The rotation no longer follows the group.";
        }
        _ => {}
    }
    if !errors.is_empty() {
        return again(400, errors);
    }
    let loses = matches!(verb, "remove" | "leave");
    let members = |users, groups| RotationPatch {
        users: Some(users),
        groups: Some(groups),
        ..RotationPatch::default()
    };
    let asked = members(users, groups).checked();
    let more = match verb == "remove" && holds(&rotation, &user) {
        true => {
            let people = People::load(visit.app(), [&user], true)?;
            html! { p { (people.show(&user)) " is on call or has a cover or swap here, and loses it at once." } }
        }
        false => html! {},
    };
    let weighed = ConfirmedForm {
        part: PART,
        names: &["userIds", "userGroupIds", "whenAt"],
        more,
    };
    if let Some(page) = weigh::before(
        visit,
        &rotation,
        weighed,
        asked.clone().map(weigh::patch),
        again,
    )? {
        return Ok(page);
    }
    let restores = verb != "leave" && (!loses || keeps(&rotation, &user));
    let before = restores.then(|| {
        let groups = rotation.members.groups.iter();
        let groups = groups.map(|group| group.group.clone()).collect();
        Change::Patch(members(rotation.members.users.clone(), groups))
    });
    let saved = Saved {
        part: PART,
        names: &["userIds", "userGroupIds", "whenAt"],
        told,
        before,
    };
    carry_out(visit, &rotation, asked.map(Change::Patch), saved, again)
}

/// Whether somebody holds a turn or an arrangement, which they lose by leaving.
fn holds(rotation: &Rotation, user: &UserId) -> bool {
    let dealt = rotation
        .cells
        .iter()
        .filter_map(|cell| cell.holder.as_ref());
    dealt.into_iter().any(|holder| holder.user == *user)
        || rotation
            .arranged
            .iter()
            .any(|arranged| arranged.user == *user)
}

/// Whether adding somebody again restores the state: they hold nothing, no list points at them, and nobody asks them for anything.
fn keeps(rotation: &Rotation, user: &UserId) -> bool {
    let is_pointed_at = |roster: &crate::domain::rotation::Roster| {
        let order = rotation.order(roster);
        let at = order.iter().position(|one| one.user == *user);
        roster.next_turns.iter().any(|next| Some(next.turn) == at)
    };
    !holds(rotation, user)
        && rotation.pending.is_empty()
        && !rotation.rosters.iter().any(is_pointed_at)
}

/// Makes somebody the next of every window that deals from the list of the members.
fn next(visit: &Visit, rotation: &Rotation, user: &UserId) -> Outcome {
    let again = |status, errors: Errors| form(visit, rotation, status, &errors);
    let order = roster::order(&rotation.members, None);
    let turn = order
        .iter()
        .position(|one| one.user == *user)
        .unwrap_or(order.len());
    let spec = RosterSpec {
        turns: TurnsSpec {
            all: i32::try_from(turn).ok(),
            each: Vec::new(),
        },
        ..RosterSpec::default()
    };
    let weighed = ConfirmedForm {
        part: PART,
        names: &[],
        more: html! {},
    };
    let edits = Ok(weigh::roster(None, spec.clone()));
    if let Some(page) = weigh::before(visit, rotation, weighed, edits, again)? {
        return Ok(page);
    }
    let saved = Saved {
        part: PART,
        names: &[],
        told: "Their turn is next.",
        before: Some(Change::Roster(None, coverage::turns(rotation, None))),
    };
    carry_out(
        visit,
        rotation,
        Ok(Change::Roster(None, spec)),
        saved,
        again,
    )
}
