//! A cadence as a caller writes it, and its limits.

use super::{Cadence, Kind, Skips};
use crate::domain::fault::Fault;
use crate::domain::holidays::CountryCode;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::time::HhMm;
use crate::domain::words::words;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::Weekday;

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

impl CadenceType {
    /// The type of a cadence; `None` is a manual one.
    pub fn of(cadence: Option<&Cadence>) -> CadenceType {
        match cadence.map(|cadence| &cadence.kind) {
            None => CadenceType::Manual,
            Some(Kind::DayOfWeek) => CadenceType::DayOfWeek,
            Some(Kind::DaysOfWeekList(_)) => CadenceType::DaysOfWeekList,
            Some(Kind::DayOfMonth) => CadenceType::DayOfMonth,
            Some(Kind::NthWeekdayOfMonth { .. }) => CadenceType::NthWeekdayOfMonth,
            Some(Kind::Daily { .. }) => CadenceType::Daily,
            Some(Kind::Workday) => CadenceType::Workday,
        }
    }
}

/// The members of a cadence as sent. Those that do not apply to the type are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub kind: CadenceType,
    pub zone: Option<ZoneName>,
    pub starts_at: Option<Timestamp>,
    /// 1 if omitted.
    pub period: Option<i32>,
    pub skip_weekends: bool,
    pub skip_national_holidays: bool,
    pub countries: Vec<CountryCode>,
    pub days_of_week: Vec<Weekday>,
    pub day_of_week: Option<Weekday>,
    pub weeks_in_month: Vec<i32>,
    pub times: Vec<HhMm>,
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

impl Draft {
    /// The cadence, if it keeps the limits; `None` is a manual one. `path` is the path of the cadence.
    pub fn checked(self, path: &str) -> Result<Option<Cadence>, Refusal> {
        if self.kind == CadenceType::Manual {
            return Ok(None);
        }
        if self.kind == CadenceType::External {
            return invalid(
                format!("{path}.type"),
                "PUT /v1/rotations/{rotationId}/external has a rotation follow a partner's schedule",
            );
        }
        let zone = needed(self.zone, path, "timeZone")?;
        let starts_at = needed(self.starts_at, path, "startsAt")?;
        let period = match self.period.unwrap_or(1) {
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
        Ok(Some(Cadence {
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
            weekends: workday || self.skip_weekends,
            national_holidays: workday || self.skip_national_holidays,
            countries: distinct(self.countries.iter().copied()),
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
                Kind::DaysOfWeekList(distinct(self.days_of_week.into_iter()))
            }
            CadenceType::NthWeekdayOfMonth => {
                let weekday = needed(self.day_of_week, path, "dayOfWeek")?;
                some("weeksInMonth", self.weeks_in_month.is_empty())?;
                let weeks = weeks(&self.weeks_in_month, path)?;
                Kind::NthWeekdayOfMonth { weekday, weeks }
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
                let times = distinct(self.times.into_iter());
                Kind::Daily { times }
            }
        })
    }
}

fn weeks(given: &[i32], path: &str) -> Result<Vec<u8>, Refusal> {
    let mut weeks = Vec::new();
    for (index, week) in given.iter().enumerate() {
        match u8::try_from(*week) {
            Ok(week @ 1..=5) => weeks.push(week),
            _ => {
                return invalid(
                    format!("{path}.weeksInMonth[{index}]"),
                    Fault::OutOfRange {
                        least: 1,
                        most: 5,
                        sent: (*week).into(),
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
