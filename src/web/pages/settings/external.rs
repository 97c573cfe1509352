//! Which partner's schedule says who is on call.

use super::{action, carried, done, page, write};
use crate::actions::partners::linking::{LinkExternal, UnlinkExternal};
use crate::domain::external::Link;
use crate::domain::partner::Partner;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, times};
use crate::web::parts::external::told;
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::visit::Visit;
use maud::{Markup, html};

const PART: &str = "partner";
const FIELDS: [&str; 2] = ["partner", "scheduleId"];

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let link = rotation.external.as_ref().and_then(|it| it.link.as_ref());
    let values = match link {
        Some(link) => Form::with([
            ("partner", link.partner.name().to_owned()),
            ("scheduleId", link.schedule.clone()),
        ]),
        None => Form::default(),
    };
    form(visit, &rotation, (200, &values, &Errors::default()))
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let partners: Vec<Partner> = visit.app().partners().connected().collect();
    let filled = Filled { values, errors };
    let choices: Vec<Choice> = partners
        .iter()
        .map(|partner| Choice::new(partner.name(), partner.title()))
        .collect();
    let content = html! {
        (told(rotation, &visit.app().as_of(visit.app().now()), &times(visit)))
        @if partners.is_empty() {
            div.card.pad { p.muted { "This server has no settings for a partner. The operator adds them below [partners]." } }
        } @else {
            form.card.pad method="post" action=(action(rotation, PART)) {
                p.muted {
                    "From then on the schedule says who is on call. Lanes, windows and people are replaced by the schedule’s, \
                     arrangements to come are cancelled and open requests expire."
                }
                (filled.select("partner", "Partner", "", &choices))
                (filled.input("text", "scheduleId", "Schedule", "The id of the schedule, as it stands in its address.", true))
                (carried(visit, rotation))
                p.actions { button.btn.go type="submit" { "Follow this schedule" } }
            }
        }
        @if rotation.external.is_some() { (unlink(visit, rotation)) }
    };
    page(visit, rotation, PART, (status, errors), content)
}

fn unlink(visit: &Visit, rotation: &Rotation) -> Markup {
    html! {
        form.card.pad method="post" action=(action(rotation, PART)) {
            p { "Without a schedule the rotation is manual. Its people stay, and whoever is on call and known here stays on duty." }
            (hidden("act", "unlink"))
            (carried(visit, rotation))
            p.actions { button.btn.bad type="submit" { "Stop following" } }
        }
    }
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    let (written, told) = match visit.form.one("act") {
        "unlink" => (
            write(
                visit,
                &rotation,
                "unlinkExternal",
                Ok(UnlinkExternal),
                &[],
                again,
            )?,
            "The rotation follows no schedule any more.",
        ),
        _ => {
            let schedule = visit.form.one("scheduleId").trim().to_owned();
            let link = Link::chosen(visit.form.one("partner"), Some(schedule));
            let link = link.map(LinkExternal::to);
            (
                write(visit, &rotation, "linkExternal", link, &FIELDS, again)?,
                "The rotation follows the schedule.",
            )
        }
    };
    match written {
        Ok(receipt) => done(visit, &rotation, PART, (told.to_owned(), None), &receipt),
        Err(page) => Ok(page),
    }
}
