//! Fetches a calendar from its server and reads it. Nothing is written here.

use super::App;
use super::digesting::{self, Absences};
use super::in_progress::{Busy, LARGEST, Place};
use crate::client::{DialError, HttpResponse, Limits, Request};
use crate::domain::audit::host;
use crate::domain::personal_calendar::PersonalCalendar;
use crate::domain::recurrence::TooMuch;
use crate::runtime::clock::{monotonic, processor_time};
use crate::store::{self, Error};
use jiff::Timestamp;
use std::time::Duration;

/// How long fetching may take, with redirects.
const TIME: Duration = Duration::from_secs(10);

/// The processor time that reading a body may take.
const PROCESSOR_TIME: Duration = Duration::from_secs(2);

/// Redirects that are followed.
const REDIRECTS: usize = 3;

/// What a reading found, or why it failed, for people.
pub type Reading = Result<CalendarResponse, String>;

/// What a server answered.
#[derive(Clone, Debug)]
pub enum CalendarResponse {
    NotModified,
    Calendar(Body),
}

/// What a calendar has.
#[derive(Clone, Debug)]
pub struct Body {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub absences: Absences,
}

/// Why there is no reading.
#[derive(Debug)]
pub enum NotRead {
    /// The storage has failed.
    Failed(Error),
    Busy(Busy),
    /// The calendar is gone, or the server stops.
    Unwanted,
}

impl From<Error> for NotRead {
    fn from(error: Error) -> NotRead {
        NotRead::Failed(error)
    }
}

/// Fetches and reads a calendar. Its place is free again when this returns.
///
/// # Errors
/// [`NotRead`]. What is wrong with the calendar or its server is in the reading.
pub fn fetch(app: &App, calendar: &PersonalCalendar, mut place: Place) -> Result<Reading, NotRead> {
    let person = app
        .store()
        .read(|tx| store::load_person(tx, &calendar.user))?;
    let now = app.now();
    let answer = answer(app, calendar, now);
    let is_stopping = || app.runtime().is_stopping();
    if place.is_unwanted() || is_stopping() {
        return Err(NotRead::Unwanted);
    }
    let reading = match answer {
        Err(why) => Err(why),
        Ok(answer) if answer.status == 304 => Ok(CalendarResponse::NotModified),
        Ok(answer) => {
            let room = place.reserve(answer.body.len(), is_stopping);
            let room = room.map_err(NotRead::Busy)?;
            let is_unwanted = || place.is_unwanted() || is_stopping();
            let began = processor_time();
            let may_go_on = || match processor_time().saturating_sub(began) {
                _ if is_unwanted() => Err(TooMuch::Unwanted),
                taken if taken > PROCESSOR_TIME => Err(TooMuch::Reading),
                _ => Ok(()),
            };
            let mut work = digesting::work(room, &may_go_on);
            let read = digesting::read(&answer.body, calendar, person.as_ref(), now, &mut work);
            if is_unwanted() {
                return Err(NotRead::Unwanted);
            }
            read.map(|absences| {
                CalendarResponse::Calendar(Body {
                    etag: validator(&answer, "etag"),
                    last_modified: validator(&answer, "last-modified"),
                    absences,
                })
            })
        }
    };
    if let Err(why) = &reading {
        let host = host(&calendar.address.0);
        log::info!("calendar {} at {host}: {why}", calendar.id);
    }
    Ok(reading)
}

/// Asks the server, following redirects. The addresses of each are judged as those of webhooks are.
fn answer(app: &App, calendar: &PersonalCalendar, now: Timestamp) -> Result<HttpResponse, String> {
    let client = app.calendar_client();
    let until = monotonic() + TIME;
    let mut url = calendar.address.0.clone();
    for _ in 0..=REDIRECTS {
        let total = until.saturating_duration_since(monotonic());
        let limits = Limits {
            total,
            body: Duration::ZERO,
            body_bytes: LARGEST,
        };
        let mut request = Request::get(&url)
            .header("Accept", "text/calendar, */*;q=0.1")
            .within(limits);
        if calendar.asks_for_changes(now) {
            let reading = &calendar.reading;
            if let Some(etag) = &reading.etag {
                request = request.header("If-None-Match", etag);
            }
            if let Some(modified) = &reading.last_modified {
                request = request.header("If-Modified-Since", modified);
            }
        }
        let asked = request.headers.len() > 1;
        let answer = client.send(&request).map_err(|error| why(&error))?;
        match answer.status {
            200 => return whole(answer),
            304 if asked => return Ok(answer),
            301 | 302 | 303 | 307 | 308 => {
                let location = answer.header("location").unwrap_or_default();
                let next = resolved(&url, location);
                let next = next.and_then(|next| Some(client.url(&next).ok()?.as_str().to_owned()));
                url = next.ok_or("the server redirects to an address that is not https")?;
            }
            status => return Err(format!("the server answered {status}")),
        }
    }
    Err(format!("the server redirects more than {REDIRECTS} times"))
}

/// Why a request has no answer, without the address.
fn why(error: &DialError) -> String {
    match error {
        DialError::InvalidUrl(_) => "the address is not https",
        DialError::NameResolution | DialError::ResolutionTimeout => "the host has no address",
        DialError::PrivateAddress(..) => "the host has an address that is not public",
        DialError::Timeout => "the server did not answer within 10 seconds",
        DialError::Connection(_) | DialError::Proxy(_) => "no connection to the server",
        DialError::SecureConnection(_) => "no secure connection: the certificate is not trusted",
        DialError::InvalidResponse(_) => "the answer of the server is not HTTP",
        DialError::NotSent(_) | DialError::Panicked => "the request could not be sent",
    }
    .to_owned()
}

/// An answer, if all of its body has come and is not compressed.
fn whole(answer: HttpResponse) -> Result<HttpResponse, String> {
    if answer.truncated {
        return Err(match answer.body.len() >= LARGEST {
            true => "the calendar is larger than 10 MB".to_owned(),
            false => "the calendar did not arrive completely within 10 seconds".to_owned(),
        });
    }
    let encoding = answer.header("content-encoding").unwrap_or("identity");
    // None was asked for, and a small one may unfold to any size.
    match encoding.trim().eq_ignore_ascii_case("identity") || encoding.trim().is_empty() {
        true => Ok(answer),
        false => Err("the server compresses the calendar without being asked to".to_owned()),
    }
}

/// Where a redirect leads.
fn resolved(from: &str, location: &str) -> Option<String> {
    let location = location.trim();
    let (scheme, rest) = from.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    if location.is_empty() {
        return None;
    }
    if let Some(rest) = location.strip_prefix("//") {
        return Some(format!("{scheme}://{rest}"));
    }
    if location.starts_with('/') {
        return Some(format!("{scheme}://{authority}{location}"));
    }
    if let Some((named, rest)) = location
        .split_once("://")
        .filter(|(named, _)| !named.contains(['/', '?']))
    {
        return Some(match named.eq_ignore_ascii_case("webcal") {
            true => format!("https://{rest}"),
            false => location.to_owned(),
        });
    }
    let path = rest[authority.len()..]
        .split('?')
        .next()
        .unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    Some(format!("{scheme}://{authority}{folder}/{location}"))
}

/// A validator that can be sent back.
fn validator(answer: &HttpResponse, name: &str) -> Option<String> {
    let value = answer.header(name)?.trim();
    let is_plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    (is_plain && !value.is_empty() && value.len() <= 500).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn redirects_are_resolved() {
        let from = "https://a.example/x/y.ics?z=/1";
        for (location, expected) in [
            ("https://b.example/c.ics", Some("https://b.example/c.ics")),
            ("webcal://b.example/c.ics", Some("https://b.example/c.ics")),
            ("http://b.example/", Some("http://b.example/")),
            ("//b.example/c", Some("https://b.example/c")),
            ("/c.ics", Some("https://a.example/c.ics")),
            (
                "c.ics?d=https://e/",
                Some("https://a.example/x/c.ics?d=https://e/"),
            ),
            ("", None),
        ] {
            assert_eq!(resolved(from, location).as_deref(), expected, "{location}");
        }
        assert_eq!(
            resolved("https://a.example", "c").as_deref(),
            Some("https://a.example/c")
        );
    }
}
