//! The reader's own page: their turns as a list and a calendar, when they are away, feeds, how they are told, zone and devices.

mod away;
mod month;
pub mod turns;

use super::{absences, times};
use crate::actions::sessions;
use crate::domain::time::FOREVER;
use crate::domain::zones::{self, ZoneName};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::icon::icon;
use crate::web::parts::people::{colour, initials};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};
use turns::Mine;

/// GET /me.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Errors::default())
}

fn page(visit: &Visit, status: u16, errors: &Errors) -> Result<Response, Problem> {
    let own = turns::to_come(visit)?;
    let away = absences::of_reader(visit)?;
    let range = month::range(visit);
    let drawn = turns::of_reader(visit, range)?;
    let content = html! {
        (fields::summary(errors))
        (head(visit, &own)?)
        div.cols.a {
            div.stack { (turns::card(visit, &own, &away)?) (month::card(visit, &drawn, &away)) }
            div.stack { (away::card(visit, &own, errors)?) (super::feeds::section(visit, errors)?) }
        }
        div.cols.h {
            div.stack { (super::mail::card(visit)?) (super::inbox::summary(visit)?) }
            div.stack { (super::trades::of_reader(visit)?) (super::calendars::section(visit)?) (zone(visit, errors)?) (super::sessions::own(visit)?) }
        }
    };
    Ok(layout::page_with(visit, status, "Me", content))
}

fn head(visit: &Visit, own: &[Mine]) -> Result<Markup, Problem> {
    let (person, times) = (&visit.me()?.person, times(visit));
    let now: Vec<&Mine> = own.iter().filter(|turn| turn.is_now(visit.now)).collect();
    let until = now.iter().map(|turn| turn.end()).min();
    Ok(html! {
        div.head {
            div.ml.mid {
                span class=(format_args!("av xl me {}", colour(&person.id))) aria-hidden="true" { (initials(person.name())) }
                div {
                    h1 { bdi { (person.name()) } }
                    p.sub {
                        @match (now.as_slice(), until) {
                            ([], _) => "Not on call now",
                            (all, until) => {
                                "On call now for "
                                @for (index, turn) in all.iter().enumerate() { @if index > 0 { ", " } bdi { (turn.rotation().1) } }
                                @if let Some(until) = until.filter(|until| *until < FOREVER) { ", until " (times.near(until)) }
                            }
                        }
                        " · " (visit.zone.as_str())
                        @if let Some(email) = &person.email { " · " bdi { (email) } }
                    }
                }
            }
            p.row.actions {
                a.btn href="#away" data-action="absence" { (icon("away")) "I am away" }
                a.btn href="#feeds" data-action="feed" { (icon("cal")) "Into my calendar" }
                a.btn href="/reports/duty" { (icon("chart")) "My load" }
            }
        }
    })
}

fn zone(visit: &Visit, errors: &Errors) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let chosen = sessions::chosen_zone(visit.app(), &me.person.id)?;
    let directory = sessions::zone_of(me.person.time_zone.as_deref());
    let values = Form::with([("timeZone", chosen.unwrap_or_default())]);
    let filled = Filled {
        values: &values,
        errors,
    };
    let own = format!("As in the directory ({})", directory.as_str());
    let mut choices = vec![Choice::new("", &own)];
    choices.extend(zones::names().map(|name| Choice::new(name, name)));
    Ok(html! {
        section.card.pad aria-labelledby="zone" {
            h2 #zone { "Time zone" }
            form method="post" action="/me/zone" {
                (filled.select("timeZone", "Show times in", "Where a rotation has another zone, its time stands beside.", &choices))
                p.actions { button.btn type="submit" { "Save" } }
            }
        }
    })
}

/// POST /me/feeds: an address with the reader's turns, or those of a rotation.
pub fn make_feed(visit: &Visit) -> Outcome {
    visit.once(|| match super::feeds::make(visit)? {
        Ok(response) => Ok(response),
        Err(errors) => page(visit, 400, &errors),
    })
}

/// POST /me/zone.
pub fn choose_zone(visit: &Visit) -> Outcome {
    let me = visit.me()?;
    let zone = match visit
        .form
        .filled("timeZone")
        .map(ZoneName::parse)
        .transpose()
    {
        Ok(zone) => zone,
        Err(refusal) => {
            let mut errors = Errors::default();
            errors.add("timeZone", crate::web::form::sentence(&refusal.to_string()));
            return page(visit, 400, &errors);
        }
    };
    let before = sessions::chosen_zone(visit.app(), &me.person.id)?;
    sessions::choose_zone(visit.app(), &me.person.id, zone)?;
    let told = zone.map_or("the directory’s zone".to_owned(), |zone| zone.to_string());
    visit.note(
        Note::new(format!("Times are shown in {told}.")).with_undo(Undo {
            action: "/me/zone".into(),
            fields: vec![("timeZone", before.unwrap_or_default())],
        }),
    );
    Ok(answer::see("/me"))
}
