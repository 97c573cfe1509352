//! The absence policy of a rotation: which of people's calendars count, who is passed over, and whether somebody who goes away
//! hands over.

use super::{Change, Saved, action, carried, carry_out, page, weigh};
use crate::actions::ActionError;
use crate::domain::absence_policy::{
    CalendarsCount, CountChange, PassOver, PolicyChange, WhileOnDuty,
};
use crate::domain::edit::RotationPatch;
use crate::domain::limits::whole_number;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, failing};
use crate::web::parts::fields::{Choice, Filled};
use crate::web::visit::Visit;
use maud::html;

const PART: &str = "absences";
const FIELDS: [&str; 4] = ["calendars", "minimumHours", "passOver", "whileOnDuty"];

/// The hours that the form suggests where no others are set: longer than a working day.
const SUGGESTED_HOURS: u16 = 24;

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let policy = rotation.absence_policy;
    let hours = policy.calendars.minimum_hours().unwrap_or(SUGGESTED_HOURS);
    let values = Form::with([
        ("calendars", policy.calendars.name().to_owned()),
        ("minimumHours", hours.to_string()),
        ("passOver", policy.pass_over.name().to_owned()),
        ("whileOnDuty", policy.while_on_duty.name().to_owned()),
    ]);
    form(visit, &rotation, (200, &values, &Errors::default()))
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let filled = Filled { values, errors };
    let calendars = [
        Choice::new("always", "All of them"),
        Choice::new("long", "Only long ones"),
        Choice::new("never", "None of them"),
    ];
    let pass_over = [
        Choice::new("atHandOver", "Whoever is absent at the hand-over"),
        Choice::new(
            "duringTurn",
            "Whoever is absent at any covered time of the turn",
        ),
    ];
    let while_on_duty = [
        Choice::new("keep", "They stay on duty until the next hand-over"),
        Choice::new("handOver", "The next person takes over at once"),
    ];
    let content = html! {
        form.card.pad method="post" action=(action(rotation, PART)) {
            p.muted { "Absences that people enter here always count. Those that are read from their calendars count as you choose." }
            (filled.radios("calendars", "Absences from calendars that count", "", &calendars))
            (filled.input("number", "minimumHours", "A long one lasts at least, in hours", "1 to 720, for “Only long ones”. Absences without a gap between them count as one.", false))
            (filled.radios("passOver", "Who is passed over when a turn begins", "If everybody is absent at some time of the turn, it goes to the person who misses the least of it.", &pass_over))
            (filled.radios("whileOnDuty", "When somebody on duty goes away", "They do not come back on duty when their absence ends.", &while_on_duty))
            (carried(visit, rotation))
            p.actions { button.btn type="submit" { "See what would change" } }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// The policy of a rotation, as a change to it.
fn was(rotation: &Rotation) -> PolicyChange {
    let policy = rotation.absence_policy;
    PolicyChange {
        calendars: Some(match policy.calendars {
            CalendarsCount::Never => CountChange::Never,
            CalendarsCount::Always => CountChange::Always,
            CalendarsCount::Long(_) => CountChange::Long,
        }),
        minimum_hours: policy.calendars.minimum_hours(),
        pass_over: Some(policy.pass_over),
        while_on_duty: Some(policy.while_on_duty),
    }
}

/// The policy that a form asks for.
fn asked(form: &Form) -> Result<PolicyChange, Refusal> {
    let path = |name: &str| format!("absencePolicy.{name}");
    let (calendars, minimum_hours) = match form.one("calendars") {
        "never" => (CountChange::Never, None),
        "always" => (CountChange::Always, None),
        "long" => {
            let typed = form.one("minimumHours").trim();
            let hours = whole_number(&path("minimumHours"), typed)?;
            (CountChange::Long, Some(PolicyChange::hours(hours)?))
        }
        _ => return invalid(path("calendars"), "choose one"),
    };
    let Some(pass_over) = PassOver::parse(form.one("passOver")) else {
        return invalid(path("passOver"), "choose one");
    };
    let Some(while_on_duty) = WhileOnDuty::parse(form.one("whileOnDuty")) else {
        return invalid(path("whileOnDuty"), "choose one");
    };
    Ok(PolicyChange {
        calendars: Some(calendars),
        minimum_hours,
        pass_over: Some(pass_over),
        while_on_duty: Some(while_on_duty),
    })
}

/// The edit of a policy.
fn edit(policy: PolicyChange) -> RotationPatch {
    RotationPatch {
        absence_policy: Some(policy),
        ..RotationPatch::default()
    }
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    if visit.form.names("edit") {
        return again(200, Errors::default());
    }
    let asked = asked(&visit.form).map(edit);
    if visit.form.one("confirmed") != "true" {
        let edits = asked.map(weigh::patch).map_err(ActionError::from);
        let looked = edits.and_then(|edits| weigh::look(visit, &rotation.id, edits));
        let looked = weigh::within(looked, "absencePolicy");
        return match failing(visit, &rotation.id, looked, &FIELDS, again)? {
            Ok(looked) => weigh::shown(visit, &rotation, PART, looked, (&[], html! {})),
            Err(page) => Ok(page),
        };
    }
    let saved = Saved {
        part: PART,
        names: &FIELDS,
        told: "What absences mean was saved.",
        before: Some(Change::Patch(edit(was(&rotation)))),
    };
    carry_out(visit, &rotation, asked.map(Change::Patch), saved, again)
}
