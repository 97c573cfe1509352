//! How a rotation handles mentions.

use super::{Before, action, carried, done, page, write};
use crate::actions::mentions::SetMentionSettings;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::editable;
use crate::web::parts::fields::Filled;
use crate::web::visit::Visit;
use crate::wire::mention;
use maud::html;
use serde_json::{Value, json};

const PART: &str = "mentions";
const FIELDS: [&str; 4] = [
    "expiresAfterMinutes",
    "remindAfterMinutes",
    "oneAtATime",
    "rotateAfterAcknowledgement",
];

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let is = body_of(&rotation);
    let fields = FIELDS.map(|name| match &is[name] {
        Value::Null => (name, String::new()),
        value => (name, value.to_string()),
    });
    form(
        visit,
        &rotation,
        (200, &Form::with(fields), &Errors::default()),
    )
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let filled = Filled { values, errors };
    let content = html! {
        form.card method="post" action=(action(rotation, PART)) {
            p.muted { "A mention asks whoever is on call, in a channel. Mentions that are open keep the settings that they were opened with." }
            (filled.input("number", "expiresAfterMinutes", "Expires after, in minutes", "Without an answer. 10080 minutes, a week, at most.", true))
            (filled.input("number", "remindAfterMinutes", "Remind every, in minutes", "Empty asks once.", false))
            (filled.tick("oneAtATime", "Ask people on call one after the other"))
            (filled.tick("rotateAfterAcknowledgement", "Hand over to the next person once it is acknowledged"))
            (carried(visit, rotation))
            p.actions { button.main type="submit" { "Save" } }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The settings as the body of the API that sets them.
fn body_of(rotation: &Rotation) -> Value {
    let settings = &rotation.profile.mentions;
    json!({
        "expiresAfterMinutes": settings.expires_after_minutes,
        "remindAfterMinutes": settings.remind_after_minutes,
        "oneAtATime": settings.one_at_a_time,
        "rotateAfterAcknowledgement": settings.rotate_after_acknowledgement,
    })
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    let body = json!({
        "expiresAfterMinutes": visit.form.one("expiresAfterMinutes").trim(),
        "remindAfterMinutes": visit.form.filled("remindAfterMinutes"),
        "oneAtATime": visit.form.has("oneAtATime", "true"),
        "rotateAfterAcknowledgement": visit.form.has("rotateAfterAcknowledgement", "true"),
    });
    let read = mention::settings_change(body.to_string().as_bytes()).map(SetMentionSettings);
    match write(visit, &rotation, "setMentionSettings", read, &FIELDS, again)? {
        Ok(receipt) => {
            let before = Before {
                operation: "setMentionSettings",
                named: String::new(),
                body: body_of(&rotation),
            };
            let told = "The settings were saved.".to_owned();
            done(visit, &rotation, PART, (told, Some(before)), &receipt)
        }
        Err(page) => Ok(page),
    }
}
