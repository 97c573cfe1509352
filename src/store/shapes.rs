//! The JSON kept in columns: lists and variants that no query looks into.

use super::Fault;
use super::rows::{from_json, instant, instant_or_none, json, millis};
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::holidays::CountryCode;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::rotation::{HoursHeld, Narrowed, Skipped};
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};

fn corrupt<T>(what: impl std::fmt::Display) -> Result<T, Fault> {
    Err(Fault::Corrupt(what.to_string()))
}

pub(super) fn zone(name: &str) -> Result<ZoneName, Fault> {
    ZoneName::parse(name).or_else(|refusal| corrupt(format!("time zone {name}: {refusal}")))
}

fn time(text: &str) -> Result<HhMm, Fault> {
    HhMm::parse(text).map_or_else(|| corrupt(format!("time of day {text}")), Ok)
}

fn weekday(number: i8) -> Result<Weekday, Fault> {
    Weekday::from_monday_one_offset(number).or_else(corrupt)
}

/// `[start day, start time, end day, end time]`, days from Monday as 1.
#[derive(Serialize, Deserialize)]
struct StretchShape(i8, String, i8, String);

impl StretchShape {
    fn of(stretch: &Stretch) -> StretchShape {
        StretchShape(
            stretch.start_day.to_monday_one_offset(),
            stretch.start_time.to_string(),
            stretch.end_day.to_monday_one_offset(),
            stretch.end_time.to_string(),
        )
    }

    fn read(&self) -> Result<Stretch, Fault> {
        Ok(Stretch {
            start_day: weekday(self.0)?,
            start_time: time(&self.1)?,
            end_day: weekday(self.2)?,
            end_time: time(&self.3)?,
        })
    }
}

fn stretches(shapes: &[StretchShape]) -> Result<Vec<Stretch>, Fault> {
    shapes.iter().map(StretchShape::read).collect()
}

pub(super) fn coverage_to_json(coverage: &[Stretch]) -> Result<String, Fault> {
    json(&coverage.iter().map(StretchShape::of).collect::<Vec<_>>())
}

pub(super) fn coverage_from_json(text: &str) -> Result<Vec<Stretch>, Fault> {
    stretches(&from_json::<Vec<StretchShape>>(text)?)
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CadenceShape {
    kind: KindShape,
    zone: String,
    starts_at: i64,
    period: u32,
    skip_weekends: bool,
    skip_holidays: bool,
    countries: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindShape {
    DayOfWeek,
    DaysOfWeekList(Vec<i8>),
    DayOfMonth,
    NthWeekdayOfMonth(i8, Vec<u8>),
    Daily(Vec<String>),
    Workday,
}

pub(super) fn cadence_to_json(cadence: &Cadence) -> Result<String, Fault> {
    let kind = match &cadence.kind {
        Kind::DayOfWeek => KindShape::DayOfWeek,
        Kind::DaysOfWeekList(days) => {
            KindShape::DaysOfWeekList(days.iter().map(|day| day.to_monday_one_offset()).collect())
        }
        Kind::DayOfMonth => KindShape::DayOfMonth,
        Kind::NthWeekdayOfMonth { weekday, weeks } => {
            KindShape::NthWeekdayOfMonth(weekday.to_monday_one_offset(), weeks.clone())
        }
        Kind::Daily { times } => KindShape::Daily(times.iter().map(HhMm::to_string).collect()),
        Kind::Workday => KindShape::Workday,
    };
    json(&CadenceShape {
        kind,
        zone: cadence.zone.to_string(),
        starts_at: millis(cadence.starts_at),
        period: cadence.period,
        skip_weekends: cadence.skips.weekends,
        skip_holidays: cadence.skips.national_holidays,
        countries: cadence
            .skips
            .countries
            .iter()
            .map(|country| country.to_string())
            .collect(),
    })
}

pub(super) fn cadence_from_json(text: &str) -> Result<Cadence, Fault> {
    let shape: CadenceShape = from_json(text)?;
    let kind = match shape.kind {
        KindShape::DayOfWeek => Kind::DayOfWeek,
        KindShape::DaysOfWeekList(days) => {
            Kind::DaysOfWeekList(days.into_iter().map(weekday).collect::<Result<_, _>>()?)
        }
        KindShape::DayOfMonth => Kind::DayOfMonth,
        KindShape::NthWeekdayOfMonth(day, weeks) => Kind::NthWeekdayOfMonth {
            weekday: weekday(day)?,
            weeks,
        },
        KindShape::Daily(times) => Kind::Daily {
            times: times
                .iter()
                .map(|text| time(text))
                .collect::<Result<_, _>>()?,
        },
        KindShape::Workday => Kind::Workday,
    };
    let country = |code: &String| match CountryCode::parse(code) {
        Some(country) => Ok(country),
        None => corrupt(format!("country {code}")),
    };
    Ok(Cadence {
        kind,
        zone: zone(&shape.zone)?,
        starts_at: instant(shape.starts_at)?,
        period: shape.period,
        skips: Skips {
            weekends: shape.skip_weekends,
            national_holidays: shape.skip_holidays,
            countries: shape
                .countries
                .iter()
                .map(country)
                .collect::<Result<_, _>>()?,
        },
    })
}

#[derive(Serialize, Deserialize)]
struct HoursShape {
    zone: Option<String>,
    #[serde(rename = "alwaysOpen")]
    always_open: bool,
    coverage: Vec<StretchShape>,
}

pub(super) fn hours_to_json(hours: &HoursHeld) -> Result<String, Fault> {
    json(&HoursShape {
        zone: hours.zone.map(|zone| zone.to_string()),
        always_open: hours.always_open,
        coverage: hours.coverage.iter().map(StretchShape::of).collect(),
    })
}

pub(super) fn hours_from_json(text: &str) -> Result<HoursHeld, Fault> {
    let shape: HoursShape = from_json(text)?;
    Ok(HoursHeld {
        zone: shape.zone.as_deref().map(zone).transpose()?,
        always_open: shape.always_open,
        coverage: stretches(&shape.coverage)?,
    })
}

/// `[user, from, until]`.
#[derive(Serialize, Deserialize)]
struct SkippedShape(String, Option<i64>, Option<i64>);

/// What most rows hold; it is neither built nor parsed.
const NONE_SKIPPED: &str = "[]";

pub(super) fn skipped_to_json(skipped: &[Skipped]) -> Result<String, Fault> {
    if skipped.is_empty() {
        return Ok(NONE_SKIPPED.into());
    }
    let shape = |skipped: &Skipped| {
        SkippedShape(
            skipped.user.to_string(),
            skipped.from.map(millis),
            skipped.until.map(millis),
        )
    };
    json(&skipped.iter().map(shape).collect::<Vec<_>>())
}

pub(super) fn skipped_from_json(text: &str) -> Result<Vec<Skipped>, Fault> {
    if text == NONE_SKIPPED {
        return Ok(Vec::new());
    }
    let read = |SkippedShape(user, from, until): SkippedShape| {
        Ok(Skipped {
            user: user.into(),
            from: instant_or_none(from)?,
            until: instant_or_none(until)?,
        })
    };
    from_json::<Vec<SkippedShape>>(text)?
        .into_iter()
        .map(read)
        .collect()
}

#[derive(Serialize, Deserialize)]
struct NarrowedShape {
    users: Vec<String>,
    groups: Vec<String>,
}

pub(super) fn narrowed_to_json(narrowed: &Narrowed) -> Result<String, Fault> {
    json(&NarrowedShape {
        users: narrowed.users.iter().map(UserId::to_string).collect(),
        groups: narrowed.groups.iter().map(GroupId::to_string).collect(),
    })
}

pub(super) fn narrowed_from_json(text: &str) -> Result<Narrowed, Fault> {
    let shape: NarrowedShape = from_json(text)?;
    Ok(Narrowed {
        users: shape.users.into_iter().map(UserId::from).collect(),
        groups: shape.groups.into_iter().map(GroupId::from).collect(),
    })
}
