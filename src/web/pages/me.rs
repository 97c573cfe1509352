//! The reader's own page: turns, absences, sessions, zone.

use super::{path_of, slot_text, times, why};
use crate::actions::absences;
use crate::actions::duties;
use crate::actions::sessions;
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::time::Interval;
use crate::domain::zones::{self, ZoneName};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::{Note, Undo};
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use jiff::SignedDuration;
use maud::{Markup, html};

/// How far ahead turns are listed.
const AHEAD: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Turns that are listed at the most.
const TURNS: usize = 200;

/// GET /me.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Errors::default())
}

fn page(visit: &Visit, status: u16, errors: &Errors) -> Result<Response, Problem> {
    let me = visit.me()?;
    let person = &me.person;
    let content = html! {
        (fields::summary(errors))
        div.head {
            div {
                h1 { bdi { (person.name()) } }
                p.sub { @if let Some(email) = &person.email { bdi { (email) } } }
            }
            p.actions { a.btn href="/reports/duty" { "My load" } a.btn href="/me/absences/new" { "I am away" } }
        }
        (turns(visit)?)
        (super::inbox::summary(visit)?)
        (super::feeds::section(visit, errors)?)
        (super::calendars::section(visit)?)
        div.cols.h { (away(visit)?) (zone(visit, errors)?) }
        (super::sessions::own(visit)?)
    };
    Ok(layout::page_with(visit, status, "Me", content))
}

fn turns(visit: &Visit) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let range = Interval::ahead(visit.now, AHEAD);
    let own = duties::to_come(visit.app(), &visit.caller, &me.person.id, range)?;
    let times = times(visit);
    Ok(html! {
        section.card.flush aria-labelledby="turns" {
            h2 #turns { "My turns in the next 90 days" }
            @if own.is_empty() {
                div.pad { p.muted { "None is planned. " a href="/rotations?mine=true" { "Rotations that you are in" } } }
            } @else {
                table.rows {
                    caption.sr { "Turns, in order of their beginning" }
                    thead { tr { th scope="col" { "When" } th scope="col" { "Rotation" } th scope="col" { span.sr { "Actions" } } } }
                    tbody {
                        @for one in own.iter().take(TURNS) {
                            @let (start, base) = (one.duty.entry.start, path_of(&one.rotation.id, one.rotation.code.as_deref()));
                            @let is_now = start <= visit.now;
                            tr.now[is_now] data-cell=(one.duty.cell) data-start=(start) data-end=[one.duty.end] data-user=(me.person.id) {
                                td {
                                    a href=(format!("{base}/shifts/{}/{start}", one.duty.cell)) { (times.period(start, one.duty.end)) }
                                    (times.period_beside(start, one.duty.end, one.zone))
                                    @if is_now { " " span.tag.good { "now" } }
                                }
                                td data-label="Rotation" {
                                    a href=(base) { bdi { (one.rotation.name) } }
                                    @if !one.slot.is_empty() { " " span.muted { bdi { (slot_text(&one.slot)) } } }
                                }
                                td {
                                    div.actions {
                                    a href=(why::path(&base, &one.duty.cell, (start, one.duty.end), visit.now)) { "Why?" }
                                    @if let Some(end) = one.duty.end {
                                        a.btn.s href=(format!("{base}/cover?cellId={}&from={}&to={end}", one.duty.cell, start.max(visit.now))) { "Ask for cover" }
                                    }
                                    }
                                }
                            }
                        }
                    }
                }
                @if own.len() > TURNS { div.pad { p.muted { "And " (own.len() - TURNS) " more." } } }
            }
        }
    })
}

fn away(visit: &Visit) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let own = absences::of_person(visit.app(), &visit.caller, &me.person.id, visit.now)?;
    let times = times(visit);
    Ok(html! {
        section.card.pad aria-labelledby="absences" {
            h2 #absences { "Absences" }
            @if own.is_empty() { p.muted { "None. While you are away, hand-overs pass you over." } } @else {
                ul.items {
                    @for (absence, rotation) in &own {
                        li {
                            div.split {
                                span {
                                    (times.period(absence.period.from, Some(absence.period.until)))
                                    br;
                                    span.muted { (applies(absence, rotation.as_ref().map(|(_, name)| name.as_str()))) }
                                    @if let Some(reason) = &absence.reason { " " bdi.muted { (reason) } }
                                }
                                form.bare method="post" action=(format!("/me/absences/{}/end", absence.id)) {
                                    button.btn.s type="submit" { "End" }
                                }
                            }
                        }
                    }
                }
            }
            p.actions { a.btn.s href="/me/absences/new" { "I am away" } }
        }
    })
}

fn applies(absence: &Absence, name: Option<&str>) -> String {
    match (&absence.applies_to, name) {
        (AppliesTo::AllRotations, _) => "All rotations".to_owned(),
        (AppliesTo::Rotation(_), Some(name)) => format!("In {name} alone"),
        (AppliesTo::Rotation(id), None) => format!("In {id} alone"),
    }
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
