//! Cadences: when hand-overs happen (rules.md 3).

#[cfg(test)]
mod tests;

use super::body::{self, invalid, present};
use super::coverage::Weekday;
use super::external::NONE;
use super::int32::Int32;
use super::moment::{Anchor, Local, Moment, TimeOfDay, Zone};
use super::schema::inline_schema;
use super::strict::strict;
use crate::domain::cadence::{self, Kind, Skips};
use crate::domain::fault::Fault;
use crate::domain::holidays::{Calendar, CountryCode};
use crate::domain::linked::{EVENTS, External};
use crate::domain::refusal::Refusal;
use crate::domain::words::words;
use crate::domain::zones::{ZoneName, shown};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

strict!(CadenceRequest => Cadence);

/// The most times of day in a daily cadence.
const TIMES: usize = 48;

words! {
    /// The unit that a cadence counts.
    pub enum CadenceType {
        /// Every `period` weeks on the weekday of `startsAt`, at its time.
        DayOfWeek = "dayOfWeek",
        /// Each listed weekday, at the time of `startsAt`, in every `period`-th week.
        DaysOfWeekList = "daysOfWeekList",
        /// The day of the month of `startsAt`, every `period` months.
        DayOfMonth = "dayOfMonth",
        /// The listed occurrences of a weekday, every `period` months.
        NthWeekdayOfMonth = "nthWeekdayOfMonth",
        /// Each listed time, every `period` days.
        Daily = "daily",
        /// Every `period`-th working day, at the time of `startsAt`.
        Workday = "workday",
        /// Hand-overs only on request.
        Manual = "manual",
        /// A partner's schedule says who is on call. Only shown: `PUT /v1/rotations/{rotationId}/external` links a schedule.
        External = "external",
    }
}

/// When hand-overs happen. Members that do not apply to the type are absent; a manual cadence has no other member.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cadence {
    #[serde(rename = "type")]
    pub kind: CadenceType,
    /// The zone of the local times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The anchor that hand-overs are counted from, in the cadence's zone with its offset, truncated to whole minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Local>,
    /// Number of units between hand-overs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_weekends: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_national_holidays: Option<bool>,
    /// Countries (ISO 3166-1 alpha-2) and subdivisions (ISO 3166-2) whose weekends and holidays are skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country_codes: Option<Vec<String>>,
    /// The next five hand-overs; empty while the rotation is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_events: Option<Vec<Moment>>,
    /// Set for `dayOfWeek` and `nthWeekdayOfMonth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_of_week: Option<Weekday>,
    /// Set for `daysOfWeekList`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_of_week: Option<Vec<Weekday>>,
    /// Set for `dayOfMonth`: 1 to 31. In a shorter month, its last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_of_month: Option<i32>,
    /// Set for `nthWeekdayOfMonth`: 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weeks_in_month: Option<Vec<i32>>,
    /// Set for `daily`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<TimeOfDay>>,
    /// Set for `external`: `pagerPartner`, `opsPartner`, `deskPartner`, or `none` while no schedule is linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<String>,
}

const MANUAL: Cadence = Cadence {
    kind: CadenceType::Manual,
    time_zone: None,
    starts_at: None,
    period: None,
    skip_weekends: None,
    skip_national_holidays: None,
    country_codes: None,
    next_events: None,
    day_of_week: None,
    days_of_week: None,
    day_of_month: None,
    weeks_in_month: None,
    times: None,
    partner: None,
};

/// Renders what takes the place of a cadence where a partner's schedule is followed, with the changes after `after`; `None` lists
/// none.
pub fn external(external: &External, zone: Option<ZoneName>, after: Option<Timestamp>) -> Cadence {
    let link = external.link.as_ref();
    let changes = after.into_iter().flat_map(|after| external.changes(after));
    Cadence {
        kind: CadenceType::External,
        partner: Some(link.map_or(NONE, |link| link.partner.name()).to_owned()),
        time_zone: zone.map(|zone| zone.to_string()),
        next_events: Some(changes.take(EVENTS).map(Moment).collect()),
        ..MANUAL
    }
}

/// Renders a window's cadence with the hand-overs after `after`. `None` lists no hand-overs.
pub fn render(
    cadence: Option<&cadence::Cadence>,
    calendar: &Calendar,
    after: Option<Timestamp>,
) -> Cadence {
    let Some(cadence) = cadence else {
        return MANUAL;
    };
    let skips = cadence.effective_skips();
    let codes = skips.countries.iter().map(CountryCode::to_string).collect();
    let events = after
        .map(|after| cadence.upcoming(calendar, after, EVENTS))
        .unwrap_or_default();
    let timed = Cadence {
        time_zone: Some(cadence.zone.to_string()),
        starts_at: Some(Local(cadence.starts_at, cadence.zone)),
        period: Some(i32::try_from(cadence.period).unwrap_or(i32::MAX)),
        skip_weekends: Some(skips.weekends),
        skip_national_holidays: Some(skips.national_holidays),
        country_codes: Some(codes),
        next_events: Some(events.into_iter().map(Moment).collect()),
        ..MANUAL
    };
    let day_of_week = Some(cadence.day_of_week().into());
    match &cadence.kind {
        Kind::DayOfWeek => Cadence {
            kind: CadenceType::DayOfWeek,
            day_of_week,
            ..timed
        },
        Kind::DaysOfWeekList(days) => {
            let days = days.iter().map(|day| Weekday::from(*day)).collect();
            Cadence {
                kind: CadenceType::DaysOfWeekList,
                days_of_week: Some(days),
                ..timed
            }
        }
        Kind::DayOfMonth => {
            let day = Some(i32::from(cadence.day_of_month()));
            Cadence {
                kind: CadenceType::DayOfMonth,
                day_of_month: day,
                ..timed
            }
        }
        Kind::NthWeekdayOfMonth { weeks, .. } => {
            let weeks = Some(weeks.iter().map(|week| i32::from(*week)).collect());
            Cadence {
                kind: CadenceType::NthWeekdayOfMonth,
                day_of_week,
                weeks_in_month: weeks,
                ..timed
            }
        }
        Kind::Daily { times } => {
            let times = times.iter().map(|time| TimeOfDay(*time)).collect();
            Cadence {
                kind: CadenceType::Daily,
                times: Some(times),
                ..timed
            }
        }
        Kind::Workday => Cadence {
            kind: CadenceType::Workday,
            ..timed
        },
    }
}

/// When hand-overs are to happen. A manual cadence on every window makes the rotation manual.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CadenceRequest {
    #[serde(rename = "type")]
    kind: CadenceType,
    /// A city of the tz database, or `UTC`. Fixed offsets and legacy names are refused. Required except for `manual`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Zone")]
    time_zone: Option<Zone>,
    /// RFC 3339; a value without an offset is read as UTC. Hand-overs are counted from its local date and time. Required
    /// except for `manual`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Anchor")]
    starts_at: Option<Anchor>,
    /// At least 1; defaults to 1. For example, 2 with `dayOfWeek` is every other week.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    period: Option<Int32>,
    /// Defaults to false; always true for `workday`. Requires `countryCodes`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    skip_weekends: Option<bool>,
    /// Defaults to false; always true for `workday`. Requires `countryCodes`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    skip_national_holidays: Option<bool>,
    /// ISO 3166-1 alpha-2 countries or ISO 3166-2 subdivisions, upper case. At least one if any skip is on.
    #[serde(default)]
    country_codes: Vec<Country>,
    /// For `daysOfWeekList`: at least one day.
    #[serde(default)]
    days_of_week: Vec<Weekday>,
    /// For `nthWeekdayOfMonth`. `dayOfWeek` takes its day from `startsAt`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Weekday")]
    day_of_week: Option<Weekday>,
    /// For `nthWeekdayOfMonth`: at least one of 1 to 5.
    #[serde(default)]
    weeks_in_month: Vec<Int32>,
    /// For `daily`: 1 to 48 times.
    #[serde(default)]
    times: Vec<TimeOfDay>,
}

fn needed<T>(value: Option<T>, path: &str, member: &str) -> Result<T, Refusal> {
    value.map_or_else(
        || {
            invalid(
                format!("{path}.{member}"),
                Fault::Missing("it is required".into()),
            )
        },
        Ok,
    )
}

impl CadenceRequest {
    /// Reads a cadence; `None` is manual. `path` is the path of the request in its body.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member that is missing for the type or out of range.
    pub fn read(self, path: &str) -> Result<Option<cadence::Cadence>, Refusal> {
        if self.kind == CadenceType::Manual {
            return Ok(None);
        }
        if self.kind == CadenceType::External {
            return invalid(
                format!("{path}.type"),
                "PUT /v1/rotations/{rotationId}/external has a rotation follow a partner's schedule",
            );
        }
        let zone = needed(self.time_zone, path, "timeZone")?.0;
        let starts_at = needed(self.starts_at, path, "startsAt")?.0;
        let period = match self.period.map_or(1, |period| period.0) {
            period @ 1.. => period.unsigned_abs(),
            period => {
                return invalid(
                    format!("{path}.period"),
                    format!("send 1 or more, not {period}"),
                );
            }
        };
        let skips = self.skips(path)?;
        let kind = self.counted(path)?;
        Ok(Some(cadence::Cadence {
            kind,
            zone,
            starts_at,
            period,
            skips,
        }))
    }

    fn skips(&self, path: &str) -> Result<Skips, Refusal> {
        let workday = self.kind == CadenceType::Workday;
        let skips = Skips {
            weekends: workday || self.skip_weekends == Some(true),
            national_holidays: workday || self.skip_national_holidays == Some(true),
            countries: distinct(self.country_codes.iter().map(|country| country.0)),
        };
        if (skips.weekends || skips.national_holidays) && skips.countries.is_empty() {
            let why = if workday {
                "a workday cadence skips days"
            } else {
                "days are skipped"
            };
            return invalid(
                format!("{path}.countryCodes"),
                format!("{why}; send at least one country"),
            );
        }
        Ok(skips)
    }

    fn counted(self, path: &str) -> Result<Kind, Refusal> {
        let some = |member: &str, empty: bool| match empty {
            true => invalid(format!("{path}.{member}"), "send at least one"),
            false => Ok(()),
        };
        Ok(match self.kind {
            CadenceType::DayOfWeek => Kind::DayOfWeek,
            CadenceType::DayOfMonth => Kind::DayOfMonth,
            CadenceType::Workday | CadenceType::Manual | CadenceType::External => Kind::Workday,
            CadenceType::DaysOfWeekList => {
                some("daysOfWeek", self.days_of_week.is_empty())?;
                Kind::DaysOfWeekList(distinct(self.days_of_week.into_iter().map(Into::into)))
            }
            CadenceType::NthWeekdayOfMonth => {
                let Some(weekday) = self.day_of_week else {
                    return invalid(
                        format!("{path}.dayOfWeek"),
                        Fault::Missing("it is required".into()),
                    );
                };
                some("weeksInMonth", self.weeks_in_month.is_empty())?;
                let weeks = weeks(&self.weeks_in_month, path)?;
                Kind::NthWeekdayOfMonth {
                    weekday: weekday.into(),
                    weeks,
                }
            }
            CadenceType::Daily => {
                some("times", self.times.is_empty())?;
                if self.times.len() > TIMES {
                    return invalid(
                        format!("{path}.times"),
                        Fault::TooMany {
                            most: TIMES,
                            sent: self.times.len(),
                        },
                    );
                }
                Kind::Daily {
                    times: distinct(self.times.into_iter().map(|time| time.0)),
                }
            }
        })
    }
}

fn weeks(given: &[Int32], path: &str) -> Result<Vec<u8>, Refusal> {
    let mut weeks = Vec::new();
    for (index, week) in given.iter().enumerate() {
        match u8::try_from(week.0) {
            Ok(week @ 1..=5) => weeks.push(week),
            _ => {
                return invalid(
                    format!("{path}.weeksInMonth[{index}]"),
                    Fault::OutOfRange {
                        least: 1,
                        most: 5,
                        sent: week.0.into(),
                    },
                );
            }
        }
    }
    Ok(distinct(weeks.into_iter()))
}

/// Removes duplicates and keeps the order.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// A country or subdivision in the holiday data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Country(CountryCode);

impl<'de> Deserialize<'de> for Country {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Country, D::Error> {
        body::read_text(from, "a country code such as NO", |text| {
            CountryCode::parse(text).map(Country).ok_or_else(|| {
                let given: String = text.chars().take(20).map(shown).collect();
                D::Error::custom(format_args!(
                    "`{given}` is not known; send an ISO 3166-1 alpha-2 country such as NO, or an ISO 3166-2 \
                     subdivision such as GB-SCT, upper case"
                ))
            })
        })
    }
}

inline_schema!(Country, { "type": "string", "pattern": "^[A-Z]{2}(-[A-Z0-9]{1,3})?$" });
