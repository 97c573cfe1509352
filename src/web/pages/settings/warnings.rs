//! Which warnings about its plan a rotation wants.

use super::{Change, Saved, action, carried, carry_out, page};
use crate::domain::edit::WarningChange;
use crate::domain::limits::whole_number;
use crate::domain::rotation::Rotation;
use crate::domain::warning_kinds::WarningKind;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::editable;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::warned;
use crate::web::visit::Visit;
use maud::{Markup, html};

const PART: &str = "warnings";
const FIELDS: [&str; 2] = ["on", "shortRestHours"];

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let values = now(&rotation);
    whole(visit, &rotation, (200, &values, &Errors::default()))
}

/// The settings as they are, as the form has them.
pub fn now(rotation: &Rotation) -> Form {
    let settings = &rotation.profile.warnings;
    let on = WarningKind::ALL
        .into_iter()
        .filter(|kind| !settings.off.contains(kind));
    let on = on.map(|kind| ("on", kind.name().to_owned()));
    Form::with(on.chain([("shortRestHours", settings.short_rest_hours.to_string())]))
}

fn whole(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let content = form(visit, rotation, values, errors);
    page(visit, rotation, PART, (status, errors), content)
}

/// The form, which posts to the page of this part.
pub fn form(visit: &Visit, rotation: &Rotation, values: &Form, errors: &Errors) -> Markup {
    let filled = Filled { values, errors };
    let kinds = WarningKind::ALL.map(|kind| {
        let label = format!("{} ({})", warned::name(kind), kind.severity().name());
        Choice::new(kind.name(), &label)
    });
    html! {
        form.card.pad method="post" action=(action(rotation, PART)) {
            (filled.boxes("on", "Warn about", "Kinds that are not ticked are switched off for this rotation.", &kinds))
            (filled.input("number", "shortRestHours", "Rest between two turns, in hours", "Less than this is a warning. 168 hours, a week, at most.", true))
            (carried(visit, rotation))
            p.actions { button.btn.go type="submit" { "Save" } }
        }
    }
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| whole(visit, &rotation, (status, &visit.form, &errors));
    let off = WarningKind::ALL
        .into_iter()
        .filter(|kind| !visit.form.has("on", kind.name()));
    let hours = whole_number("shortRestHours", visit.form.one("shortRestHours").trim());
    let read = hours.and_then(|hours| WarningChange::new(Some(off.collect()), Some(hours)));
    let was = &rotation.profile.warnings;
    let before = WarningChange {
        off: Some(was.off.clone()),
        short_rest_hours: Some(was.short_rest_hours),
    };
    let saved = Saved {
        part: PART,
        names: &FIELDS,
        told: "The settings were saved.",
        before: Some(Change::Warnings(before)),
    };
    carry_out(visit, &rotation, read.map(Change::Warnings), saved, again)
}
