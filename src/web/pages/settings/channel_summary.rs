//! The weekly summary of a rotation's channels: the part of the page of channels, and what its form says.

use super::{action, carried};
use crate::domain::edit::RotationPatch;
use crate::domain::ids::ChannelId;
use crate::domain::limits::time_of_day;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::weekly::{ChannelSummary, Weekly};
use crate::domain::wording;
use crate::domain::zones::ZoneName;
use crate::web::form::{Errors, Form};
use crate::web::parts::fields::{Choice, Filled};
use crate::web::visit::Visit;
use maud::{Markup, html};

/// The step of the page's form that saves it.
pub const STEP: &str = "summary";

/// The fields, as a refusal names them.
pub const FIELDS: [&str; 4] = [
    "summary.day",
    "summary.time",
    "summary.timeZone",
    "summary.channelIds",
];

/// The form; `named` gives channels their names.
pub fn section(
    visit: &Visit,
    rotation: &Rotation,
    part: &str,
    errors: &Errors,
    named: &[(ChannelId, String)],
) -> Markup {
    let stored = stored(rotation);
    let values = match visit.form.one("step") {
        STEP => &visit.form,
        _ => &stored,
    };
    let filled = Filled { values, errors };
    let mut days = vec![Choice::new("", "Never")];
    days.extend(wording::DAYS.map(|day| Choice::new(day, &wording::capital(day))));
    let channels: Vec<Choice> = (named.iter())
        .map(|(id, name)| Choice::new(id.as_str(), name))
        .collect();
    html! {
        section.card.pad aria-labelledby="summary" {
            h2 #summary { "The coming week" }
            p.muted { "Once a week, some of these channels are told who is on call in the next seven days, who is away, and when nobody is on call." }
            @if named.is_empty() {
                p.muted { "Add a channel first." }
            } @else {
                form method="post" action=(action(rotation, part)) {
                    (filled.select("summary.day", "Every week on", "", &days))
                    (filled.input("time", "summary.time", "at", "", false))
                    (filled.input("text", "summary.timeZone", "Time zone", "A city such as Europe/Oslo, or UTC.", false))
                    (filled.boxes("summary.channelIds", "In", "", &channels))
                    (carried(visit, rotation))
                    p.actions { button.btn type="submit" name="step" value=(STEP) { "Save" } }
                }
            }
        }
    }
}

/// What is stored as a form shows it.
fn stored(rotation: &Rotation) -> Form {
    let Some(summary) = &rotation.profile.summary else {
        return Form::with([
            ("summary.time", "08:00".to_owned()),
            ("summary.timeZone", zone(rotation)),
        ]);
    };
    let day = wording::day_name(summary.weekly.day).to_owned();
    let mut values = vec![
        ("summary.day", day),
        ("summary.time", summary.weekly.time.to_string()),
        ("summary.timeZone", summary.zone.to_string()),
    ];
    let channels = summary.channels.iter();
    values.extend(channels.map(|id| ("summary.channelIds", id.to_string())));
    Form::with(values)
}

/// The zone of the first window that has one.
fn zone(rotation: &Rotation) -> String {
    let zone = rotation.windows.iter().find_map(|window| window.zone);
    zone.unwrap_or(ZoneName::utc()).to_string()
}

/// The change that a form asks for.
///
/// # Errors
/// [`Refusal::Invalid`] naming the field.
pub fn patch(form: &Form) -> Result<RotationPatch, Refusal> {
    let summary = match form.filled("summary.day") {
        None => None,
        Some(day) => {
            let Some(day) = wording::weekday(day) else {
                return invalid("summary.day", "send a day of the week");
            };
            let zone = ZoneName::parse(form.one("summary.timeZone").trim());
            let summary = ChannelSummary {
                weekly: Weekly {
                    day,
                    time: time_of_day("summary.time", form.one("summary.time").trim())?,
                },
                zone: zone.map_err(|why| Refusal::invalid("summary.timeZone", why.to_string()))?,
                channels: form
                    .list("summary.channelIds")
                    .into_iter()
                    .map(ChannelId::from)
                    .collect(),
            };
            Some(summary.checked()?)
        }
    };
    Ok(RotationPatch {
        summary: Some(summary),
        ..RotationPatch::default()
    })
}
