//! The people of the workspace: who they are, what they are on, until when they are away.

mod adding;

pub use adding::{add, invite, lines};

use super::{path_of, sessions, slot_text, times};
use crate::actions::people::{self as listing, ListedPerson, SignedInState};
use crate::actions::{absences, duties};
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem};
use crate::store::{Page, PersonFilter, load_person};
use crate::web::form::{Errors, Form};
use crate::web::layout::{self, encoded};
use crate::web::parts::fields;
use crate::web::parts::icon::icon;
use crate::web::parts::people::People;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::html;

/// People on one page.
const ROWS: u32 = 35;

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
    page(visit, 200, &adding::first(visit), &Errors::default())
}

/// The list, for admins with a form for one more.
fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Outcome {
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
        ..PersonFilter::default()
    };
    let page = Page { number, size: ROWS };
    let rules = &visit.web.login.rules;
    let (found, total) = listing::list(visit.app(), &visit.caller, &filter, page, rules)?;
    let ids: Vec<UserId> = found.iter().map(|one| one.person.id.clone()).collect();
    let people = People::load(visit.app(), &ids, true)?;
    let is_admin = visit.caller.check_directory().is_ok() && visit.app().remote().is_none();
    let pages = total.div_ceil(u64::from(ROWS));
    let path = |number: u32| format!("/people?q={}&page={number}", encoded(visit.query.one("q")));
    let list = html! {
        section.card aria-labelledby="all" {
            div.tools {
                h2.sr #all { "All people" }
                form.row.grow role="search" method="get" {
                    label.grow { span.sr { "Find" } input type="search" name="q" placeholder="Name" value=(visit.query.one("q")); }
                    button.btn.sq type="submit" aria-label="Find" { (icon("search")) }
                }
            }
            @if found.is_empty() {
                div.pad.pt0 {
                    @if text.is_some() { p.muted { "Nobody matches. " a href="/people" { "Show all" } } }
                    @else { p.muted { "There is nobody here yet." } }
                }
            } @else {
                div.tw {
                    table.resp.plain {
                        caption.sr { "People, what they are on call for, absences and sign-in" }
                        thead {
                            tr {
                                th scope="col" { "Name" }
                                th scope="col" { "On call" }
                                th scope="col" { "Away" }
                                th scope="col" { "Zone" }
                                @if is_admin { th scope="col" { "Signed in" } }
                            }
                        }
                        tbody { @for one in &found { (row(visit, one, &people, is_admin)) } }
                    }
                }
            }
        }
        @if pages > 1 {
            nav aria-label="Pages" {
                p.row {
                    @if number > 1 { a.btn.s href=(path(number - 1)) { "Back" } }
                    span.muted { "Page " (number) " of " (pages) }
                    @if u64::from(number) < pages { a.btn.s href=(path(number + 1)) { "More" } }
                }
            }
        }
    };
    let content = html! {
        (fields::summary(errors))
        div.head {
            div { h1 { "People" } p.sub { (total) @if total == 1 { " person" } @else { " people" } } }
            @if is_admin { div.row { a.btn href="/admin/directory" { "Import a list" } } }
        }
        @if is_admin {
            div.cols.a.start {
                div.stack { (list) }
                div.stack {
                    (adding::form(visit, values, errors))
                    section.card.pad aria-labelledby="many" {
                        details.more open[values.names("people")] {
                            summary { span #many { "Add many, a line each" } }
                            div.mt { (adding::lines(visit, values, errors, "people")) }
                        }
                    }
                }
            }
        } @else { (list) }
    };
    Ok(layout::page_with(visit, status, "People", content))
}

fn row(visit: &Visit, one: &ListedPerson, people: &People, is_admin: bool) -> maud::Markup {
    let person = &one.person;
    let times = times(visit);
    html! {
        tr data-user=(person.id) {
            th scope="row" {
                (people.show(&person.id)) (marks(person))
                @if let Some(email) = &person.email { small.muted.blk { bdi { (email) } } }
            }
            td {
                @for name in &one.on_call { span.tag.good { bdi { (name) } " now" } " " }
            }
            td data-h="away" {
                @if let Some(away) = one.away { (times.text(away.from)) " to " (times.text(away.until)) }
            }
            td.muted { (place(person, visit.now)) }
            @if is_admin {
                td data-h="signed in" {
                    @match one.signed_in {
                        SignedInState::At(at) => (last_seen(&times, visit, at)),
                        SignedInState::Invited => span.tag.warn { "invited, not seen" },
                        SignedInState::Never if person.is_active() => (adding::button(visit, person)),
                        SignedInState::Never => {},
                    }
                }
            }
        }
    }
}

/// How long ago somebody was there.
fn last_seen(times: &Times, visit: &Visit, at: Timestamp) -> String {
    match visit.now.duration_since(at) < SignedDuration::from_mins(1) {
        true => "now".to_owned(),
        false => times.away(at),
    }
}

/// The city of somebody's zone, and the time there.
fn place(person: &Person, now: Timestamp) -> String {
    let Some(zone) = person.zone() else {
        return String::new();
    };
    let city = zone.as_str().rsplit('/').next().unwrap_or_default();
    let hour = Times { zone, now }.hour(now);
    format!("{}, {hour}", city.replace('_', " "))
}

fn marks(person: &Person) -> maud::Markup {
    html! {
        @if person.is_admin { " " span.tag.me { "admin" } }
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
