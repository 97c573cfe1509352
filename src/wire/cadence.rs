//! Cadences: when hand-overs happen (rules.md 3).

#[cfg(test)]
mod tests;

use super::body::present;
use super::coverage::Weekday;
use super::int32::Int32;
use super::moment::{Anchor, Local, Moment};
use super::schema::inline_schema;
use super::strict::strict;
use crate::domain::cadence::{self, CadenceType, Draft, Kind};
use crate::domain::external::{EVENTS, External, NONE};
use crate::domain::holidays::{Calendar, CountryCode};
use crate::domain::refusal::Refusal;
use crate::domain::text::read_text;
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

strict!(CadenceRequest => Cadence);

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
    pub times: Option<Vec<HhMm>>,
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
        Kind::Daily { times } => Cadence {
            kind: CadenceType::Daily,
            times: Some(times.clone()),
            ..timed
        },
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
    #[schemars(with = "ZoneName")]
    time_zone: Option<ZoneName>,
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
    times: Vec<HhMm>,
}

impl CadenceRequest {
    /// Reads a cadence; `None` is manual. `path` is the path of the request in its body.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member that is missing for the type or out of range.
    pub fn read(self, path: &str) -> Result<Option<cadence::Cadence>, Refusal> {
        let draft = Draft {
            kind: self.kind,
            zone: self.time_zone,
            starts_at: self.starts_at.map(|at| at.0),
            period: self.period.map(|period| period.0),
            skip_weekends: self.skip_weekends == Some(true),
            skip_national_holidays: self.skip_national_holidays == Some(true),
            countries: self.country_codes.iter().map(|country| country.0).collect(),
            days_of_week: self.days_of_week.into_iter().map(Into::into).collect(),
            day_of_week: self.day_of_week.map(Into::into),
            weeks_in_month: self.weeks_in_month.iter().map(|week| week.0).collect(),
            times: self.times,
        };
        draft.checked(path)
    }
}

/// A country or subdivision in the holiday data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Country(CountryCode);

impl<'de> Deserialize<'de> for Country {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Country, D::Error> {
        read_text(from, "a country code such as NO", |text| {
            let known = CountryCode::known(text).map(Country);
            known.map_err(D::Error::custom)
        })
    }
}

inline_schema!(Country, { "type": "string", "pattern": "^[A-Z]{2}(-[A-Z0-9]{1,3})?$" });
