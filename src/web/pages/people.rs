//! The people of the workspace: who they are, what they are on, until when they are away.

use super::{path_of, sessions, slot_text, times};
use crate::actions::{absences, duties};
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem};
use crate::store::{Page, PersonFilter, list_people, load_person};
use crate::web::form::Errors;
use crate::web::layout::{self, encoded};
use crate::web::parts::fields::Filled;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use jiff::SignedDuration;
use maud::html;

/// People on one page.
const ROWS: u32 = 100;

/// How far ahead turns are listed.
const AHEAD: SignedDuration = SignedDuration::from_hours(28 * 24);

/// Refuses those for whom nothing exists here.
fn check(visit: &Visit) -> Result<(), Problem> {
    match visit.caller.sees_directory() {
        true => Ok(()),
        false => Err(Refusal::ResourceDenied(
            "people from outside the workspace do not see who is in it".into(),
        )
        .into()),
    }
}

/// GET /people.
pub fn show_all(visit: &Visit) -> Outcome {
    check(visit)?;
    let number = visit
        .query
        .one("page")
        .parse()
        .unwrap_or(1)
        .clamp(1, 10_000);
    let text = visit.query.filled("q").map(str::to_owned);
    let filter = PersonFilter {
        text: text.clone(),
        email: None,
    };
    let page = Page { number, size: ROWS };
    let (found, total) = visit
        .app()
        .store()
        .read(|tx| list_people(tx, &filter, false, page))?;
    let ids: Vec<UserId> = found.iter().map(|person| person.id.clone()).collect();
    let people = People::load(visit.app(), &ids, true)?;
    let errors = Errors::default();
    let search = Filled {
        values: &visit.query,
        errors: &errors,
    };
    let pages = total.div_ceil(u64::from(ROWS));
    let path = |number: u32| format!("/people?q={}&page={number}", encoded(visit.query.one("q")));
    let content = html! {
        div.head { div { h1 { "People" } p.sub { (total) @if total == 1 { " person" } @else { " people" } } } }
        form.card.pad role="search" method="get" action="/people" {
            div.inline { (search.input("search", "q", "Search", "", false)) button.btn type="submit" { "Search" } }
        }
        section.card.flush aria-label="People" {
            @if found.is_empty() {
                div.pad {
                    @if text.is_some() { p.muted { "Nobody matches. " a href="/people" { "Show all" } } }
                    @else { p.muted { "There is nobody here yet. Import the directory: " code { "rota directory import people.json" } } }
                }
            } @else {
                table.rows {
                    caption.sr { "People of the workspace" }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "Full name" } th scope="col" { "Address" } th scope="col" { "Time zone" } } }
                    tbody {
                        @for person in &found {
                            tr data-user=(person.id) {
                                th scope="row" { (people.show(&person.id)) (marks(person)) }
                                td data-label="Full name" { bdi { (person.real_name.as_deref().unwrap_or_default()) } }
                                td data-label="Address" { bdi { (person.email.as_deref().unwrap_or_default()) } }
                                td data-label="Time zone" { (person.time_zone.as_deref().unwrap_or_default()) }
                            }
                        }
                    }
                }
            }
        }
        @if pages > 1 {
            nav aria-label="Pages" {
                p.actions {
                    @if number > 1 { a.btn.s href=(path(number - 1)) { "Back" } }
                    span.muted { "Page " (number) " of " (pages) }
                    @if u64::from(number) < pages { a.btn.s href=(path(number + 1)) { "More" } }
                }
            }
        }
    };
    Ok(layout::page(visit, "People", content))
}

fn marks(person: &Person) -> maud::Markup {
    html! {
        @if person.is_admin { " " span.tag { "Administrator" } }
        @if person.is_external { " " span.tag.warn { "From outside" } }
        @if person.is_guest { " " span.tag { "Guest" } }
        @if person.is_deleted { " " span.tag.warn { "Deactivated" } }
    }
}

/// GET /people/{user}.
pub fn show(visit: &Visit) -> Outcome {
    check(visit)?;
    let user = UserId::from(visit.part(0));
    let person = visit.app().store().read(|tx| load_person(tx, &user))?;
    let person = person.ok_or(Refusal::NotFound("person"))?;
    let range = Interval::ahead(visit.now, AHEAD);
    let turns = duties::to_come(visit.app(), &visit.caller, &user, range)?;
    let away = absences::of_person(visit.app(), &visit.caller, &user, visit.now)?;
    let times = times(visit);
    let now: Vec<_> = turns
        .iter()
        .filter(|own| own.duty.entry.start <= visit.now)
        .collect();
    let is_away = away
        .iter()
        .find(|(absence, _)| absence.period.contains(visit.now));
    let content = html! {
        p.crumb { a href="/people" { "People" } }
        div.head {
            div {
                h1 { bdi { (person.name()) } }
                p.sub { (marks(&person)) }
            }
            @if visit.user() == Some(&user) { p.actions { a.btn href="/me" { "My page" } } }
        }
        section.card.pad aria-label="Who" {
            dl.kv {
                @if let Some(name) = &person.real_name { dt { "Full name" } dd { bdi { (name) } } }
                @if let Some(email) = &person.email { dt { "Address" } dd { bdi { (email) } } }
                dt { "Id" } dd { code { (person.id) } }
                dt { "Time zone" } dd { (person.time_zone.as_deref().unwrap_or("Unknown")) }
                dt { "On call" }
                dd {
                    @if now.is_empty() { span.muted { "Not now" } }
                    @for own in &now {
                        a href=(path_of(&own.rotation.id, own.rotation.code.as_deref())) { bdi { (own.rotation.name) } }
                        @if !own.slot.is_empty() { " " span.muted { bdi { (slot_text(&own.slot)) } } }
                        @if let Some(end) = own.duty.end { " until " (times.show(end)) }
                        br;
                    }
                }
                dt { "Away" }
                dd {
                    @match is_away { Some((absence, _)) => { "until " (times.show(absence.period.until)) }, None => span.muted { "Not now" } }
                }
            }
        }
        section.card.flush aria-labelledby="turns" {
            h2 #turns { "Turns in the next 28 days" }
            @if turns.is_empty() { div.pad { p.muted { "None is planned." } } } @else {
                table.rows {
                    caption.sr { "Turns, in order of their beginning" }
                    thead { tr { th scope="col" { "When" } th scope="col" { "Rotation" } } }
                    tbody {
                        @for own in &turns {
                            tr data-cell=(own.duty.cell) data-start=(own.duty.entry.start) data-end=[own.duty.end] data-user=(user) {
                                td { (times.period_with(own.duty.entry.start, own.duty.end, own.zone)) }
                                td data-label="Rotation" {
                                    a href=(path_of(&own.rotation.id, own.rotation.code.as_deref())) { bdi { (own.rotation.name) } }
                                    @if !own.slot.is_empty() { " " span.muted { bdi { (slot_text(&own.slot)) } } }
                                }
                            }
                        }
                    }
                }
            }
        }
        section.card.pad aria-labelledby="away" {
            h2 #away { "Away" }
            @if away.is_empty() { p.muted { "No absence is known." } } @else {
                ul.items { @for (absence, _) in &away { li { (times.period(absence.period.from, Some(absence.period.until))) } } }
            }
        }
        (sessions::of_person(visit, &person)?)
    };
    Ok(layout::page(visit, person.name(), content))
}
