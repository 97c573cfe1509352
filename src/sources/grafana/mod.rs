//! Grafana OnCall's public API, version 1.

mod answers;
mod final_shifts;
mod hours;
mod parse;
mod rhythm;
mod rotations;
#[cfg(test)]
mod tests;

use super::importable::{Importable, ReadSchedule, all_pages};
use super::partner_client::{PartnerClient, segment};
use super::{Failure, GrafanaSettings, is_id, pieces};
use crate::client::{Proxy, Tls};
use crate::domain::partner::{Origin, ReadFailure, ScheduleSummary};
use crate::domain::time::Interval;
use answers::Answers;
use final_shifts::FinalShift;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use parse::{GivenShift, Page, Schedule, User};
use serde::de::DeserializeOwned;
use std::sync::OnceLock;

/// The path of the API, below the address of the settings.
const ROOT: &str = "/api/v1/";

/// Grafana OnCall answers at most 365 days of final shifts.
const DAYS_OF_SHIFTS: i64 = 364;

/// Grafana OnCall.
pub struct GrafanaOnCall {
    line: PartnerClient,
    /// Read once: they are those of all schedules.
    users: OnceLock<Vec<User>>,
}

impl GrafanaOnCall {
    /// A reader with these settings.
    pub fn new(settings: &GrafanaSettings, tls: &Tls, proxy: Option<Proxy>) -> GrafanaOnCall {
        let mut headers = vec![
            (
                "Authorization".to_owned(),
                settings.api_key.reveal().to_owned(),
            ),
            ("Accept".to_owned(), "application/json".to_owned()),
        ];
        let grafana = settings.grafana_url.clone();
        headers.extend(grafana.map(|url| ("X-Grafana-URL".to_owned(), url)));
        GrafanaOnCall {
            line: PartnerClient::new(tls, proxy, &settings.url, headers),
            users: OnceLock::new(),
        }
    }

    /// All results of a listing.
    fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, Failure> {
        all_pages(format!("{ROOT}{path}"), |at| {
            let page: Page<T> = self.line.get(at)?;
            let next = page.next.as_deref().map(path_of).transpose()?;
            Ok((page.results, next))
        })
    }

    fn users(&self) -> Result<&[User], Failure> {
        if let Some(known) = self.users.get() {
            return Ok(known);
        }
        let read = self.list("users/")?;
        Ok(self.users.get_or_init(|| read))
    }
}

/// The path of a link to another page. Its host is not followed: behind a proxy it may be another one, and the key goes to none but
/// that of the settings.
fn path_of(link: &str) -> Result<String, Failure> {
    match link.find(ROOT) {
        Some(at) => Ok(link[at..].to_owned()),
        None => Err(Failure::invalid(format!(
            "the next page is at {link:?}, which is no address of the API"
        ))),
    }
}

impl Importable for GrafanaOnCall {
    fn origin(&self) -> Origin {
        Origin::GrafanaOnCall
    }

    fn list(&self) -> Result<Vec<ScheduleSummary>, Failure> {
        let listed: Vec<Schedule> = self.list("schedules/")?;
        Ok(listed.iter().map(Schedule::summary).collect())
    }

    fn read(&self, schedule: &str, span: Interval) -> Result<ReadSchedule, Failure> {
        if !is_id(schedule) || schedule.is_empty() {
            let why = format!("{schedule:?} is not the id of a schedule");
            return Err(Failure::new(ReadFailure::NotFound, why));
        }
        let id = segment(schedule);
        let read: Schedule = self.line.get(&format!("{ROOT}schedules/{id}/"))?;
        if read.is_ical() {
            return Ok(read.unread(span.from));
        }
        let shifts: Vec<GivenShift> = self.list(&format!("on_call_shifts/?schedule_id={id}"))?;
        let mut answers = Answers {
            schedule: read,
            shifts,
            users: self.users()?.to_vec(),
            timeline: Vec::new(),
        };
        let asked = whole_days(answers.reach(span));
        for piece in pieces(asked, DAYS_OF_SHIFTS) {
            let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
            let path = format!(
                "schedules/{id}/final_shifts?start_date={}&end_date={}",
                day(piece.from),
                day(piece.until)
            );
            let read: Vec<FinalShift> = self.list(&path)?;
            answers.timeline.extend(read);
        }
        answers.read(Some(asked), span.from)
    }
}

/// The days of UTC around a span.
fn whole_days(span: Interval) -> Interval {
    let day = 24 * 60 * 60;
    let from = span.from.as_second().div_euclid(day) * day;
    let until = (span.until.as_second() + day - 1).div_euclid(day) * day;
    let at = |second| Timestamp::from_second(second).unwrap_or(span.until);
    let until = at(until).max(at(from + day));
    Interval::new(at(from), until)
}

/// What a file has: the results of the API's answers as `schedules`, `shifts`, `users` and `timeline`.
///
/// # Errors
/// Where the text is not as documented, or no schedule of it is the one that is named.
pub(super) fn read_text(
    text: &[u8],
    named: Option<&str>,
    span: Interval,
) -> Result<ReadSchedule, Failure> {
    Answers::of_text(text, named)?.read(None, span.from)
}
