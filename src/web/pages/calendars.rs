//! The reader's calendars: what they brought, what is wrong with them, and adding and removing them.

use super::times;
use crate::actions::ActionError;
use crate::actions::calendars::{self, KnownCalendar, Which};
use crate::domain::audit::host;
use crate::domain::personal_calendar::{
    CalendarEdit, Counts, MOST_OF_A_PERSON, NewCalendar, SecretAddress, State,
};
use crate::domain::refusal::Refusal;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form, sentence};
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};
use std::time::Duration;

const TITLE: &str = "Calendars that say when I am away";

/// How long the page of somebody who adds a calendar waits for its first reading.
const PATIENCE: Duration = Duration::from_secs(10);

const FIELDS: [&str; 4] = ["url", "name", "counts", "words"];

/// The explanation of each choice.
fn counts_text(counts: Counts) -> &'static str {
    match counts {
        Counts::OutOfOffice => "Events that say that I am out of office",
        Counts::Busy => "All events in which I am busy",
        Counts::All => "All events",
    }
}

/// The part of the reader's own page.
pub fn section(visit: &Visit) -> Result<Markup, Problem> {
    let own = mine(visit)?;
    let is_wrong = |one: &&KnownCalendar| one.calendar.reading.error.is_some();
    let wrong = own.iter().filter(is_wrong).count();
    Ok(html! {
        section.card.pad aria-labelledby="calendars" {
            h2 #calendars { (TITLE) }
            @if own.is_empty() {
                p.muted { "Vacations in a calendar of yours can count as absences." }
            } @else {
                p { (own.len()) @if own.len() == 1 { " calendar" } @else { " calendars" } @if wrong > 0 { ", " (wrong) " with a problem" } "." }
            }
            p.actions { a.btn.s href="/me/calendars" { @if own.is_empty() { "Add a calendar" } @else { "Calendars" } } }
        }
    })
}

fn mine(visit: &Visit) -> Result<Vec<KnownCalendar>, Problem> {
    let me = &visit.me()?.person;
    if me.is_external {
        return Ok(Vec::new());
    }
    Ok(calendars::list(visit.app(), &visit.caller, &me.id)?)
}

/// GET /me/calendars.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &blank(), &Errors::default())
}

fn blank() -> Form {
    Form::with([("counts", Counts::default().name())])
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let own = mine(visit)?;
    let filled = Filled { values, errors };
    let choices = Counts::ALL.map(|counts| Choice::new(counts.name(), counts_text(counts)));
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        (fields::summary(errors))
        h1 { (TITLE) }
        p { "Their events become absences: hand-overs leave you out meanwhile, in rotations that count them. Others see when you are away, and not what the events are called." }
        @for one in &own { (card(visit, one)) }
        @if own.len() < MOST_OF_A_PERSON {
            form.card.pad method="post" action="/me/calendars" {
                h2 { "Add a calendar" }
                (hidden("operationId", &confirm::operation_id()))
                (filled.input("text", "url", "Address", "The secret address in iCal format, which your calendar program shows in its settings. It is not shown again.", true))
                (filled.input("text", "name", "Name", "You may leave it empty.", false))
                (filled.select("counts", "What counts", "", &choices))
                (filled.input("text", "words", "Words", "Words that say that you are out of office, with commas between them. Empty for the usual ones, such as vacation and sick.", false))
                p.actions { button.btn.go type="submit" { "Add" } }
            }
        }
    };
    Ok(layout::page_with(visit, status, TITLE, content))
}

fn card(visit: &Visit, one: &KnownCalendar) -> Markup {
    let (calendar, times) = (&one.calendar, times(visit));
    let host = host(&calendar.address.0);
    let host = host.split_once("://").map_or("", |(_, host)| host);
    html! {
        section.card.pad data-calendar=(calendar.id) {
            h2 { bdi { (calendar.name.as_deref().unwrap_or(host)) } }
            p.muted { @if calendar.name.is_some() { bdi { (host) } ". " } (counts_text(calendar.counts)) "." }
            p {
                @match calendar.state() {
                    State::New if calendar.reading.error.is_none() => "It is being read for the first time.",
                    State::New => "It has not been readable yet.",
                    State::Current => { (one.ahead) @if one.ahead == 1 { " absence" } @else { " absences" } " from now on." }
                    State::Stale => { "It cannot be read at present. " (one.ahead) @if one.ahead == 1 { " absence" } @else { " absences" } " of the last reading still count." }
                    State::Unknown => "It has not been readable for a week, so nothing of it counts.",
                }
                @if let Some(at) = calendar.reading.read_at { " " span.muted { "Read " (times.show(at)) } }
            }
            @if let Some(error) = &calendar.reading.error { div.note.warn.said { p { bdi { (sentence(error)) } } } }
            p.actions {
                (button(calendar.id.as_str(), "read", "Read now", ""))
                " "
                (button(calendar.id.as_str(), "remove", "Remove", "danger"))
            }
        }
    }
}

fn button(id: &str, step: &str, text: &str, class: &str) -> Markup {
    html! {
        form.bare method="post" action=(format!("/me/calendars/{id}/{step}")) {
            (hidden("operationId", &confirm::operation_id()))
            button.btn.s.(class) type="submit" { (text) }
        }
    }
}

/// POST /me/calendars. It is read before the next page, which shows what it brought.
pub fn create(visit: &Visit) -> Outcome {
    visit.once(|| {
        let made = new(visit).map_err(ActionError::from).and_then(|new| {
            let author = visit.author("createPersonalCalendar");
            calendars::create(visit.app(), &author, new)
        });
        match made {
            Ok(made) => {
                let which = Which {
                    user: made.calendar.user.clone(),
                    calendar: made.calendar.id.clone(),
                };
                let author = visit.author("readPersonalCalendar");
                calendars::read_first(visit.app(), &author, &which, PATIENCE)?;
                visit.note(Note::new("The calendar was added."));
                Ok(answer::see("/me/calendars"))
            }
            Err(ActionError::Refused(refusal @ Refusal::Invalid { .. })) => {
                let mut errors = Errors::default();
                let problem = Problem::from(refusal);
                refusals::add(visit, &mut errors, &problem, &FIELDS)?;
                page(visit, 400, &visit.form, &errors)
            }
            Err(error) => Err(error.into()),
        }
    })
}

fn new(visit: &Visit) -> Result<NewCalendar, Refusal> {
    let form = &visit.form;
    let words = form.filled("words").map(|words| {
        let words = words.split(',').map(str::trim);
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    });
    let settings = CalendarEdit {
        name: Some(form.filled("name").map(str::to_owned)),
        counts: Counts::parse(form.one("counts")),
        words: Some(words),
    };
    settings.check()?;
    let user = match &visit.caller {
        crate::domain::access::Principal::Person { user, .. } => user.clone(),
        _ => return Err(Refusal::NotFound("user")),
    };
    Ok(NewCalendar {
        user,
        address: SecretAddress::parse(form.one("url"))?,
        settings,
    })
}

fn which(visit: &Visit) -> Result<Which, Problem> {
    Ok(Which {
        user: visit.me()?.person.id.clone(),
        calendar: visit.part(0).into(),
    })
}

/// POST /me/calendars/{calendar}/read.
pub fn read(visit: &Visit) -> Outcome {
    visit.once(|| {
        let author = visit.author("readPersonalCalendar");
        let known = match calendars::read_now(visit.app(), &author, &which(visit)?) {
            Err(ActionError::Refused(refusal @ Refusal::TooManyReadings(..))) => {
                return busy(visit, Problem::from(refusal));
            }
            known => known?,
        };
        visit.note(Note::new(match known.calendar.reading.failures {
            0 => "The calendar was read.",
            _ => "The calendar cannot be read.",
        }));
        Ok(answer::see("/me/calendars"))
    })
}

/// The page, with why a calendar is not read now.
fn busy(visit: &Visit, why: Problem) -> Outcome {
    let mut errors = Errors::default();
    errors.add_refusal(why.member(), why.text(), &FIELDS);
    let mut shown = page(visit, 429, &blank(), &errors)?;
    shown.headers.extend(why.headers().iter().cloned());
    Ok(shown)
}

/// POST /me/calendars/{calendar}/remove.
pub fn remove(visit: &Visit) -> Outcome {
    visit.once(|| {
        let author = visit.author("deletePersonalCalendar");
        calendars::remove(visit.app(), &author, &which(visit)?)?;
        visit.note(Note::new(
            "The calendar was removed, and its absences with it.",
        ));
        Ok(answer::see("/me/calendars"))
    })
}
