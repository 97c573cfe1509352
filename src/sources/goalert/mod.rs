//! GoAlert's GraphQL API. A key of GoAlert is bound to one document, so every request sends the same one and chooses its parts by
//! variables.

mod answers;
mod parse;

use super::importable::{Importable, ReadSchedule, all_pages};
use super::partner_client::PartnerClient;
use super::{Failure, KeySettings, is_id, pieces};
use crate::client::{Proxy, Tls};
use crate::domain::partner::{Origin, ReadFailure, ScheduleSummary};
use crate::domain::time::Interval;
use answers::Answers;
use jiff::{SignedDuration, Timestamp, Unit};
use parse::{Answer, Connection, Data, Override, Rotation, User};
use serde_json::json;
use std::sync::OnceLock;

/// The document that a key has to be made for.
pub const QUERY: &str = include_str!("query.graphql");

/// Where requests go, below the address of the settings.
const PATH: &str = "/api/graphql";

/// GoAlert answers at most 50 days of shifts.
const DAYS_OF_SHIFTS: i64 = 50;

/// How far ahead overrides are asked for.
const DAYS_OF_OVERRIDES: i64 = 366;

/// GoAlert.
pub struct GoAlert {
    line: PartnerClient,
    /// Read once: they are those of all schedules.
    rotations: OnceLock<Vec<Rotation>>,
    people: OnceLock<Result<Vec<User>, Failure>>,
}

/// What a request asks for.
enum Part<'a> {
    Schedules,
    Schedule(&'a str),
    Shifts(&'a str, Interval),
    Rotations,
    Overrides(&'a str, Interval),
    Users,
}

impl GoAlert {
    /// A reader with these settings.
    pub fn new(settings: &KeySettings, tls: &Tls, proxy: Option<Proxy>) -> GoAlert {
        let key = settings.api_key.reveal();
        let headers = [
            ("Authorization", format!("Bearer {key}")),
            ("Accept", "application/json".to_owned()),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value));
        GoAlert {
            line: PartnerClient::new(tls, proxy, &settings.url, headers.to_vec()),
            rotations: OnceLock::new(),
            people: OnceLock::new(),
        }
    }

    /// Asks for one part, from a cursor on.
    fn ask(&self, part: &Part, after: &str) -> Result<Data, Failure> {
        let (schedule, span) = match part {
            Part::Schedules | Part::Rotations | Part::Users => ("", None),
            Part::Schedule(id) => (*id, None),
            Part::Shifts(id, span) | Part::Overrides(id, span) => (*id, Some(*span)),
        };
        let span = span.unwrap_or(Interval::new(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH));
        let body = json!({
            "query": QUERY,
            "variables": {
                "listSchedules": matches!(part, Part::Schedules),
                "readSchedule": matches!(part, Part::Schedule(_) | Part::Shifts(..)),
                "readShifts": matches!(part, Part::Shifts(..)),
                "listRotations": matches!(part, Part::Rotations),
                "listOverrides": matches!(part, Part::Overrides(..)),
                "listUsers": matches!(part, Part::Users),
                "schedule": schedule,
                "after": after,
                "start": span.from.to_string(),
                "end": span.until.to_string(),
            },
        });
        let answer: Answer = self.line.post(PATH, &body)?;
        answer.data()
    }

    /// All nodes of a listing.
    fn list<T>(
        &self,
        part: &Part,
        nodes: impl Fn(Data) -> Option<Connection<T>>,
    ) -> Result<Vec<T>, Failure> {
        all_pages(String::new(), |after| {
            let page = nodes(self.ask(part, after)?);
            let page = page.ok_or_else(|| Failure::invalid("the answer lacks the listing"))?;
            let next = page.page_info.next();
            Ok((page.nodes, next))
        })
    }

    fn rotations(&self) -> Result<&[Rotation], Failure> {
        if let Some(known) = self.rotations.get() {
            return Ok(known);
        }
        let read = self.list(&Part::Rotations, |data| data.rotations)?;
        Ok(self.rotations.get_or_init(|| read))
    }

    /// The people, or why the key may not read them.
    fn people(&self) -> Result<&[User], Failure> {
        let read = || self.list(&Part::Users, |data| data.users);
        match self.people.get_or_init(read) {
            Ok(people) => Ok(people),
            Err(failure) => Err(failure.clone()),
        }
    }
}

impl Importable for GoAlert {
    fn origin(&self) -> Origin {
        Origin::GoAlert
    }

    fn list(&self) -> Result<Vec<ScheduleSummary>, Failure> {
        let listed = self.list(&Part::Schedules, |data| data.schedules)?;
        Ok(listed.iter().map(parse::Listed::summary).collect())
    }

    fn read(&self, schedule: &str, span: Interval) -> Result<ReadSchedule, Failure> {
        let unknown = || Failure::new(ReadFailure::NotFound, "there is no such schedule");
        if !is_id(schedule) || schedule.is_empty() {
            return Err(unknown());
        }
        let read = self.ask(&Part::Schedule(schedule), "")?;
        let definition = read.schedule.ok_or_else(unknown)?;
        let ahead = Interval::ahead(
            span.from,
            SignedDuration::from_hours(24 * DAYS_OF_OVERRIDES),
        );
        let overrides: Vec<Override> =
            self.list(&Part::Overrides(schedule, ahead), |data| data.overrides)?;
        let rotations = self.rotations()?.to_vec();
        let (users, unread) = match self.people() {
            Ok(people) => (people.to_vec(), None),
            // A key of a role that may not see people can still read schedules.
            Err(failure) if parse::is_refusal(&failure) => (Vec::new(), Some(failure)),
            Err(failure) => return Err(failure),
        };
        let mut answers = Answers {
            schedule: definition,
            rotations,
            overrides,
            users,
            shifts: Vec::new(),
            unread,
        };
        let asked = whole_minutes(answers.reach(span, ahead))?;
        for piece in pieces(asked, DAYS_OF_SHIFTS) {
            let read = self.ask(&Part::Shifts(schedule, piece), "")?;
            let read = read.schedule.ok_or_else(unknown)?;
            answers.shifts.extend(read.shifts.into_iter().flatten());
        }
        answers.read(Some(asked))
    }
}

/// The whole minutes around a span: GoAlert cuts the rest off.
fn whole_minutes(span: Interval) -> Result<Interval, Failure> {
    let wrong = |error: jiff::Error| Failure::invalid(error.to_string());
    let down = |at: Timestamp| {
        let minute = at.as_second().div_euclid(60) * 60;
        Timestamp::from_second(minute).map_err(wrong)
    };
    let until = span.until.round(Unit::Minute).map_err(wrong)?;
    let until = match until < span.until {
        true => until.checked_add(SignedDuration::from_mins(1)),
        false => Ok(until),
    };
    Ok(Interval::new(down(span.from)?, until.map_err(wrong)?))
}

/// What a file has: an answer as GoAlert gives it, or a list of such answers.
///
/// # Errors
/// Where the text is not as documented, or is an error of GoAlert.
pub(super) fn read_text(text: &[u8]) -> Result<ReadSchedule, Failure> {
    Answers::of_text(text)?.read(None)
}
