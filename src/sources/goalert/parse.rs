//! Answers of GoAlert (pure).

use super::super::Failure;
use super::super::json::{Instant, said, span};
use crate::domain::partner::{
    CurrentTurn, Member, PartnerPerson, PartnerZone, ReadFailure, Restriction, ScheduleSummary,
    Shift, ShiftSource, SourceKind, Turn,
};
use crate::domain::zones::ZoneName;
use jiff::civil::{Time, Weekday};
use jiff::{SignedDuration, Span, Timestamp};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// An answer. GoAlert answers errors with the status 200.
#[derive(Deserialize)]
pub(super) struct Answer {
    data: Option<Data>,
    #[serde(default)]
    errors: Option<Vec<GraphError>>,
}

#[derive(Deserialize)]
struct GraphError {
    message: String,
    #[serde(default)]
    path: Vec<serde_json::Value>,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    extensions: Extensions,
}

#[derive(Deserialize)]
struct Location {
    line: u64,
}

#[derive(Default, Deserialize)]
struct Extensions {
    code: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Data {
    pub(super) schedules: Option<Connection<Listed>>,
    pub(super) schedule: Option<Schedule>,
    pub(super) rotations: Option<Connection<Rotation>>,
    #[serde(rename = "userOverrides")]
    pub(super) overrides: Option<Connection<Override>>,
    pub(super) users: Option<Connection<User>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Connection<T> {
    pub(super) nodes: Vec<T>,
    pub(super) page_info: PageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageInfo {
    end_cursor: Option<String>,
    has_next_page: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) time_zone: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Schedule {
    #[serde(flatten)]
    pub(super) listed: Listed,
    pub(super) targets: Vec<ScheduleTarget>,
    pub(super) temporary_schedules: Vec<Temporary>,
    pub(super) shifts: Option<Vec<OnCallShift>>,
}

#[derive(Deserialize)]
pub(super) struct ScheduleTarget {
    pub(super) target: Target,
    pub(super) rules: Vec<Rule>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) id: String,
    pub(super) r#type: String,
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    start: Clock,
    end: Clock,
    /// From Sunday on.
    weekday_filter: [bool; 7],
}

/// A time of day, such as `09:00`.
#[derive(Clone, Copy)]
struct Clock(Time);

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Clock, D::Error> {
        let text = String::deserialize(from)?;
        let read = text.parse().map(Clock);
        read.map_err(|_| D::Error::custom(format!("{text:?} is not a time of day")))
    }
}

#[derive(Deserialize)]
pub(super) struct Temporary {
    pub(super) start: Instant,
    pub(super) end: Instant,
}

#[derive(Deserialize)]
pub(super) struct OnCallShift {
    #[serde(rename = "userID")]
    pub(super) user_id: String,
    pub(super) start: Instant,
    pub(super) end: Instant,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rotation {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) time_zone: String,
    pub(super) start: Instant,
    pub(super) r#type: String,
    pub(super) shift_length: u32,
    /// -1 where nobody takes turns yet.
    pub(super) active_user_index: i64,
    pub(super) next_handoff_times: Option<Vec<Instant>>,
    #[serde(rename = "userIDs")]
    pub(super) user_ids: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Override {
    pub(super) start: Instant,
    pub(super) end: Instant,
    #[serde(rename = "addUserID")]
    pub(super) add_user_id: String,
    #[serde(rename = "removeUserID")]
    pub(super) remove_user_id: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct User {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
}

impl Answer {
    pub(super) fn data(self) -> Result<Data, Failure> {
        match self.errors.unwrap_or_default().first() {
            Some(error) => Err(error.failure()),
            None => self
                .data
                .ok_or_else(|| Failure::invalid("the answer has neither data nor errors")),
        }
    }
}

impl GraphError {
    fn failure(&self) -> Failure {
        let code = self.extensions.code.as_deref().unwrap_or_default();
        let message: String = self.message.chars().take(200).collect();
        if code == "invalid_query" || message.contains("wrong query") {
            return Failure::new(
                ReadFailure::Forbidden,
                "the key belongs to another query; make one in GoAlert for the query that `rota import goAlert --query` prints",
            );
        }
        let path = self.path.iter().map(|step| match step.as_str() {
            Some(name) => name.to_owned(),
            None => step.to_string(),
        });
        let path = path.collect::<Vec<_>>().join(".");
        let at = match path.is_empty() {
            true => String::new(),
            false => format!(" at {path}"),
        };
        let line = self.locations.first();
        let line = line.map_or_else(String::new, |at| format!(", line {} of the query", at.line));
        let is_refused = ["unauthorized", "forbidden", "access denied", "permission"];
        let lower = message.to_lowercase();
        let is_refused = is_refused
            .iter()
            .any(|word| code.eq_ignore_ascii_case(word) || lower.contains(word));
        let kind = match is_refused {
            true => ReadFailure::Forbidden,
            false => ReadFailure::InvalidResponse,
        };
        Failure::new(kind, format!("GoAlert answers {message:?}{at}{line}"))
    }
}

/// Whether the key may not read what was asked for.
pub(super) fn is_refusal(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        ReadFailure::Forbidden | ReadFailure::Unauthorized
    )
}

impl PageInfo {
    pub(super) fn next(self) -> Option<String> {
        self.end_cursor.filter(|_| self.has_next_page)
    }
}

impl Listed {
    pub(super) fn summary(&self) -> ScheduleSummary {
        ScheduleSummary {
            id: self.id.clone(),
            name: said(&self.name).unwrap_or_else(|| self.id.clone()),
            zone: Some(PartnerZone::of(&self.time_zone)),
            web_url: None,
        }
    }
}

impl User {
    pub(super) fn person(&self) -> PartnerPerson {
        PartnerPerson {
            participant_id: self.id.clone(),
            name: said(&self.name),
            email: said(&self.email),
        }
    }
}

impl Rule {
    /// The hours of a week.
    pub(super) fn restrictions(&self) -> impl Iterator<Item = Restriction> {
        let begins = self.start.0.duration_since(Time::midnight());
        let ends = self.end.0.duration_since(Time::midnight());
        let day = SignedDuration::from_hours(24);
        // An end that is not after the start is on the next day.
        let length = match ends > begins {
            true => ends - begins,
            false => ends - begins + day,
        };
        let days = self.weekday_filter.iter().enumerate();
        let days = days.filter(|(_, is_on)| **is_on);
        let from = self.start.0;
        days.map(move |(number, _)| Restriction {
            day: Some(Weekday::Sunday.wrapping_add(i64::try_from(number).unwrap_or(0))),
            from,
            length,
        })
    }
}

impl Rotation {
    pub(super) fn turn(&self) -> Result<Turn, Failure> {
        let length = self.shift_length.max(1);
        Ok(match self.r#type.as_str() {
            "hourly" => Turn::ClockHours(length),
            "daily" => Turn::Days(length),
            "weekly" => Turn::Weeks(length),
            "monthly" => Turn::Months(length),
            other => {
                return Err(Failure::invalid(format!(
                    "the rotation {:?} has the unknown type {other:?}",
                    self.id
                )));
            }
        })
    }

    /// Whose turn it is, and until when.
    pub(super) fn current(&self) -> Option<CurrentTurn> {
        let participant = usize::try_from(self.active_user_index).ok()?;
        let next = self.next_handoff_times.as_ref()?.first()?;
        (participant < self.user_ids.len()).then_some(CurrentTurn {
            participant,
            until: next.0,
        })
    }

    /// An instant at which a turn begins, not after another one. Turns go on before the start as after it.
    pub(super) fn anchor(&self, zone: ZoneName, before: Timestamp) -> Timestamp {
        let length = i64::from(self.shift_length.max(1));
        let back = match self.r#type.as_str() {
            "weekly" => Span::new().try_weeks(length),
            "monthly" => Span::new().try_months(length),
            // So many days are a whole number of turns.
            _ => Span::new().try_days(length),
        };
        let mut anchor = self.start.0;
        let Ok(back) = back else { return anchor };
        while anchor > before {
            let local = zone.tz().to_datetime(anchor).checked_sub(back);
            let earlier = local
                .ok()
                .and_then(|local| zone.tz().to_timestamp(local).ok());
            match earlier {
                Some(earlier) if earlier < anchor => anchor = earlier,
                _ => break,
            }
        }
        anchor
    }
}

impl OnCallShift {
    pub(super) fn shift(&self) -> Option<Shift> {
        let span = span(self.start, self.end)?;
        Some(Shift {
            span,
            original: span,
            member: Member::user(self.user_id.clone()),
            source: ShiftSource {
                kind: SourceKind::Rotation,
                rotation_id: None,
                shift_id: None,
                override_id: None,
            },
        })
    }
}
