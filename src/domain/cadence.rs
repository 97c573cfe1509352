//! Hand-over schedules (rules.md 3).
//!
//! A cadence defines *nominal* hand-overs: local dates and times counted from `starts_at`'s local date and time, never
//! from the previous hand-over. One on a skipped day moves to the same local time on the next day that is not skipped,
//! and only then is converted to an instant. Hand-overs before `starts_at` are dropped, equal ones are merged.

mod known;
mod nominal;
#[cfg(test)]
mod tests;
mod walk;

use super::holidays::{Calendar, CountryCode};
use super::stored;
use super::time::{END_OF_TIME, FOREVER, HhMm};
use super::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
pub use walk::HandOvers;

/// The unit that a cadence counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// Every `period` weeks on `starts_at`'s weekday, at its time.
    DayOfWeek,
    /// Each of these weekdays, at `starts_at`'s time, in every `period`-th week counted from `starts_at`'s; weeks
    /// begin on Monday. At least one, in any order.
    DaysOfWeekList(#[serde(with = "stored")] Vec<Weekday>),
    /// `starts_at`'s day of the month, or the last day of a shorter month, every `period` months.
    DayOfMonth,
    /// These occurrences, 1 to 5, of the weekday, every `period` months counted from `starts_at`'s. A month without a fifth
    /// occurrence has no hand-over for it. At least one, in any order.
    #[serde(with = "nth")]
    NthWeekdayOfMonth { weekday: Weekday, weeks: Vec<u8> },
    /// Each of these times, every `period` days counted from `starts_at`'s date. At least one, in any order.
    #[serde(with = "daily")]
    Daily { times: Vec<HhMm> },
    /// At `starts_at`'s time on every `period`-th working day; the first working day on or after `starts_at`'s date is
    /// the first. Weekends and national holidays are never working days, whatever [`Skips`] says.
    Workday,
}

/// Stored as `[weekday, weeks]`.
mod nth {
    use super::Weekday;
    use crate::domain::stored::As;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(day: &Weekday, weeks: &[u8], to: S) -> Result<S::Ok, S::Error> {
        (As(*day), weeks).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<(Weekday, Vec<u8>), D::Error> {
        <(As<Weekday>, _)>::deserialize(from).map(|(As(day), weeks)| (day, weeks))
    }
}

/// Stored as the list of times.
mod daily {
    use super::HhMm;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(times: &[HhMm], to: S) -> Result<S::Ok, S::Error> {
        times.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<HhMm>, D::Error> {
        Vec::deserialize(from)
    }
}

/// Which days are skipped. A day is skipped if it is one in any of the countries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skips {
    #[serde(rename = "skipWeekends")]
    pub weekends: bool,
    #[serde(rename = "skipHolidays")]
    pub national_holidays: bool,
    pub countries: Vec<CountryCode>,
}

impl Skips {
    /// Whether the day is skipped.
    pub fn skips(&self, calendar: &Calendar, date: Date) -> bool {
        self.countries.iter().any(|&country| {
            self.weekends && calendar.is_weekend(country, date)
                || self.national_holidays && calendar.is_national_holiday(country, date)
        })
    }

    /// Whether any day can be skipped.
    pub fn skip_any(&self) -> bool {
        (self.weekends || self.national_holidays) && !self.countries.is_empty()
    }
}

/// When the turns of a window change.
///
/// Invalid values (a period below 1, an empty list, a week outside 1 to 5) are refused when a request is parsed. Such a
/// cadence has few hand-overs or none, and is otherwise harmless.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cadence {
    pub kind: Kind,
    pub zone: ZoneName,
    #[serde(with = "stored")]
    pub starts_at: Timestamp,
    pub period: u32,
    #[serde(flatten)]
    pub skips: Skips,
}

impl Cadence {
    /// The first hand-over strictly after `after`; `None` if there is none before the end of the calendar.
    pub fn next(&self, calendar: &Calendar, after: Timestamp) -> Option<Timestamp> {
        known::next(self, calendar, after)
    }

    /// The next `n` hand-overs strictly after `after`, in order; fewer if they end.
    pub fn upcoming(&self, calendar: &Calendar, after: Timestamp, n: usize) -> Vec<Timestamp> {
        known::upcoming(self, calendar, after, n)
    }

    /// All hand-overs strictly after `after`, in order. Continuing the iterator is cheaper than a new call for each.
    pub fn hand_overs<'a>(&'a self, calendar: &'a Calendar, after: Timestamp) -> HandOvers<'a> {
        HandOvers::new(self, calendar, after)
    }

    /// `starts_at` as a local date and time in the cadence's zone: the anchor of all counting.
    pub fn anchor(&self) -> DateTime {
        match self.starts_at >= FOREVER {
            true => END_OF_TIME,
            false => self.zone.tz().to_datetime(self.starts_at),
        }
    }

    /// The local times of its hand-overs.
    pub fn times(&self) -> Vec<Time> {
        match &self.kind {
            Kind::Daily { times } => times.iter().map(|time| time.civil()).collect(),
            _ => vec![self.anchor().time()],
        }
    }

    /// The `dayOfWeek` of the API: `starts_at`'s weekday, or the one whose occurrences are counted.
    pub fn day_of_week(&self) -> Weekday {
        match self.kind {
            Kind::NthWeekdayOfMonth { weekday, .. } => weekday,
            _ => self.anchor().weekday(),
        }
    }

    /// The `dayOfMonth` of the API: `starts_at`'s day, even if some months are shorter.
    pub fn day_of_month(&self) -> i8 {
        self.anchor().day()
    }

    /// The effective skips: a workday cadence always skips weekends and national holidays.
    pub fn effective_skips(&self) -> Cow<'_, Skips> {
        match self.kind {
            Kind::Workday => Cow::Owned(Skips {
                weekends: true,
                national_holidays: true,
                countries: self.skips.countries.clone(),
            }),
            _ => Cow::Borrowed(&self.skips),
        }
    }
}
