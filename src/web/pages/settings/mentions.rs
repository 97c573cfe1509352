//! How a rotation handles mentions.

use super::{Change, Saved, action, carried, carry_out, page};
use crate::domain::edit::SettingsChange;
use crate::domain::limits::whole_number;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::editable;
use crate::web::parts::fields::Filled;
use crate::web::visit::Visit;
use maud::html;

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
    let settings = &rotation.profile.mentions;
    let reminds = settings.remind_after_minutes;
    let values = [
        settings.expires_after_minutes.to_string(),
        reminds.map_or_else(String::new, |minutes| minutes.to_string()),
        settings.one_at_a_time.to_string(),
        settings.rotate_after_acknowledgement.to_string(),
    ];
    let fields = FIELDS.into_iter().zip(values);
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
        form.card.pad method="post" action=(action(rotation, PART)) {
            p.muted { "A mention asks whoever is on call, in a channel. Mentions that are open keep the settings that they were opened with." }
            (filled.input("number", "expiresAfterMinutes", "Expires after, in minutes", "Without an answer. 10080 minutes, a week, at most.", true))
            (filled.input("number", "remindAfterMinutes", "Remind every, in minutes", "Empty asks once.", false))
            (filled.tick("oneAtATime", "Ask people on call one after the other"))
            (filled.tick("rotateAfterAcknowledgement", "Hand over to the next person once it is acknowledged"))
            (carried(visit, rotation))
            p.actions { button.btn.go type="submit" { "Save" } }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The settings that a form asks for.
fn asked(form: &Form) -> Result<SettingsChange, Refusal> {
    let number = |name| form.filled(name).map(|typed| whole_number(name, typed));
    let expires = whole_number(FIELDS[0], form.one(FIELDS[0]).trim())?;
    let change = SettingsChange {
        one_at_a_time: Some(form.has("oneAtATime", "true")),
        rotate_after_acknowledgement: Some(form.has("rotateAfterAcknowledgement", "true")),
        ..SettingsChange::default()
    };
    change.with_minutes(Some(expires), Some(number(FIELDS[1]).transpose()?))
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    let was = &rotation.profile.mentions;
    let before = SettingsChange {
        expires_after_minutes: Some(was.expires_after_minutes),
        remind_after_minutes: Some(was.remind_after_minutes),
        one_at_a_time: Some(was.one_at_a_time),
        rotate_after_acknowledgement: Some(was.rotate_after_acknowledgement),
    };
    let saved = Saved {
        part: PART,
        names: &FIELDS,
        told: "The settings were saved.",
        before: Some(Change::Mentions(before)),
    };
    let change = asked(&visit.form).map(Change::Mentions);
    carry_out(visit, &rotation, change, saved, again)
}
