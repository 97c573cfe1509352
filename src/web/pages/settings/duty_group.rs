//! The on-duty group: a chat user group that holds whoever is on call.

use super::groups;
use super::{Change, Saved, action, carried, carry_out, page};
use crate::actions::duty_group::capabilities;
use crate::domain::edit::DutyGroupChoice;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form, sentence};
use crate::web::pages::editable;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::visit::Visit;
use maud::html;

const PART: &str = "on-duty-group";

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    form(
        visit,
        &editable(visit)?,
        (200, &Form::default(), &Errors::default()),
    )
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let may = capabilities(visit.app());
    let bound = rotation.profile.duty_group.as_ref();
    let offered = groups::offered(visit)?;
    let offered = offered.iter().filter(|group| Some(&group.id) != bound);
    let choices: Vec<Choice> = offered
        .map(|group| Choice::new(group.id.as_str(), &groups::name(group)))
        .collect();
    let filled = Filled { values, errors };
    let content = html! {
        section.card.pad aria-labelledby="bound" {
            h2 #bound { "The group" }
            @match bound {
                Some(group) => {
                    p { "Whoever is on call is in " strong { bdi { (groups::called(visit, group)?) } } ". People come into it with their turn and leave it afterwards." }
                    form method="post" action=(action(rotation, PART)) {
                        (carried(visit, rotation))
                        p.actions { button.btn type="submit" name="step" value="remove" { "Stop filling this group" } }
                    }
                }
                None => p.muted { "No user group is kept in step with whoever is on call. Choose one, and it can be mentioned in chat." }
            }
            @if let Some(reason) = &may.reason { p.muted { (sentence(reason)) } }
        }
        @if may.can_bind {
            @if !choices.is_empty() {
                form.card.pad method="post" action=(action(rotation, PART)) {
                    h2 { "Use a group that is there" }
                    (filled.select("userGroupId", "User group", "It keeps its name. People in it who belong to no rotation stay.", &choices))
                    (carried(visit, rotation))
                    p.actions { button.btn type="submit" name="step" value="adopt" { "Use this group" } }
                }
            }
            form.card.pad method="post" action=(action(rotation, PART)) {
                h2 { "By its handle" }
                (filled.input("text", "handle", "Handle", "Such as oncall. A group that is not there yet is created, where the chat platform lets the app do that.", false))
                (carried(visit, rotation))
                p.actions { button.btn type="submit" name="step" value="handle" { "Use this handle" } }
            }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    let was = rotation.profile.duty_group.clone();
    let (change, told) = match visit.form.one("step") {
        "remove" => (Ok(None), "The group is no longer filled."),
        step => {
            let choice = match step {
                "handle" => DutyGroupChoice::handle(visit.form.one("handle").trim()),
                _ => DutyGroupChoice::group(visit.form.one("userGroupId")),
            };
            (choice.map(Some), "Whoever is on call is in the group.")
        }
    };
    let saved = Saved {
        part: PART,
        names: &["userGroupId", "handle"],
        told,
        before: Some(Change::DutyGroup(was.map(DutyGroupChoice::Group))),
    };
    carry_out(
        visit,
        &rotation,
        change.map(Change::DutyGroup),
        saved,
        again,
    )
}
