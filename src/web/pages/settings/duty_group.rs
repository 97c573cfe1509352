//! The on-duty group: a chat user group that holds whoever is on call.

use super::groups;
use super::{Before, action, carried, done, page, write};
use crate::actions::duty_group::{BindDutyGroup, UnbindDutyGroup, capabilities};
use crate::domain::ids::GroupId;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form, sentence};
use crate::web::pages::editable;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::visit::Visit;
use crate::wire::chat;
use maud::html;
use serde_json::{Value, json};

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
        section.card aria-labelledby="bound" {
            h2 #bound { "The group" }
            @match bound {
                Some(group) => {
                    p { "Whoever is on call is in " strong { bdi { (groups::called(visit, group)?) } } ". People come into it with their duty and leave it afterwards." }
                    form method="post" action=(action(rotation, PART)) {
                        (carried(visit, rotation))
                        p.actions { button type="submit" name="step" value="remove" { "Stop filling this group" } }
                    }
                }
                None => p.empty { "No user group is kept in step with whoever is on call. Choose one, and it can be mentioned in chat." }
            }
            @if let Some(reason) = &may.reason { p.muted { (sentence(reason)) } }
        }
        @if may.can_bind {
            @if !choices.is_empty() {
                form.card method="post" action=(action(rotation, PART)) {
                    h2 { "Use a group that is there" }
                    (filled.select("userGroupId", "User group", "It keeps its name. People in it who belong to no rotation stay.", &choices))
                    (carried(visit, rotation))
                    p.actions { button type="submit" name="step" value="adopt" { "Use this group" } }
                }
            }
            form.card method="post" action=(action(rotation, PART)) {
                h2 { "By its handle" }
                (filled.input("text", "handle", "Handle", "Such as oncall. A group that is not there yet is created, where the chat platform lets the app do that.", false))
                (carried(visit, rotation))
                p.actions { button type="submit" name="step" value="handle" { "Use this handle" } }
            }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The request that restores a group, or none.
fn before(group: Option<&GroupId>) -> Before {
    let (operation, body) = match group {
        Some(group) => ("setOnDutyGroup", json!({ "userGroupId": group.as_str() })),
        None => ("removeOnDutyGroup", Value::Null),
    };
    Before {
        operation,
        named: String::new(),
        body,
    }
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    let names = ["userGroupId", "handle"];
    let was = before(rotation.profile.duty_group.as_ref());
    if visit.form.one("step") == "remove" {
        let unbind = Ok(UnbindDutyGroup);
        return match write(visit, &rotation, "removeOnDutyGroup", unbind, &names, again)? {
            Ok(receipt) => {
                let told = "The group is no longer filled.".to_owned();
                done(visit, &rotation, PART, (told, Some(was)), &receipt)
            }
            Err(page) => Ok(page),
        };
    }
    let body = match visit.form.one("step") {
        "handle" => json!({ "handle": visit.form.one("handle").trim() }),
        _ => json!({ "userGroupId": visit.form.one("userGroupId") }),
    };
    let read = chat::on_duty_group(body.to_string().as_bytes()).map(BindDutyGroup::new);
    match write(visit, &rotation, "setOnDutyGroup", read, &names, again)? {
        Ok(receipt) => {
            let told = "Whoever is on call is in the group.".to_owned();
            done(visit, &rotation, PART, (told, Some(was)), &receipt)
        }
        Err(page) => Ok(page),
    }
}
