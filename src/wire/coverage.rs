//! Covered hours: weekly stretches (rules.md 4.1).

use super::moment::TimeOfDay;
use super::strict::strict;
use crate::domain::coverage;
use crate::domain::words::words;
use jiff::civil;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(Stretch);

words! {
    /// A day of the week.
    pub enum Weekday {
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
        Sunday = "sunday",
    }
}

const DAYS: [(Weekday, civil::Weekday); 7] = [
    (Weekday::Monday, civil::Weekday::Monday),
    (Weekday::Tuesday, civil::Weekday::Tuesday),
    (Weekday::Wednesday, civil::Weekday::Wednesday),
    (Weekday::Thursday, civil::Weekday::Thursday),
    (Weekday::Friday, civil::Weekday::Friday),
    (Weekday::Saturday, civil::Weekday::Saturday),
    (Weekday::Sunday, civil::Weekday::Sunday),
];

impl From<civil::Weekday> for Weekday {
    fn from(day: civil::Weekday) -> Weekday {
        DAYS[day.to_monday_zero_offset() as usize].0
    }
}

impl From<Weekday> for civil::Weekday {
    fn from(day: Weekday) -> civil::Weekday {
        DAYS[day as usize].1
    }
}

/// A weekly stretch of covered hours. A stretch that ends earlier than it starts runs into the next day or week. Equal
/// start and end mean the whole week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stretch {
    pub start_day: Weekday,
    /// Local time in the window's zone.
    pub start_time: TimeOfDay,
    pub end_day: Weekday,
    /// Local time in the window's zone. Exclusive.
    pub end_time: TimeOfDay,
}

impl From<&coverage::Stretch> for Stretch {
    fn from(stretch: &coverage::Stretch) -> Stretch {
        Stretch {
            start_day: stretch.start_day.into(),
            start_time: TimeOfDay(stretch.start_time),
            end_day: stretch.end_day.into(),
            end_time: TimeOfDay(stretch.end_time),
        }
    }
}

impl From<Stretch> for coverage::Stretch {
    fn from(stretch: Stretch) -> coverage::Stretch {
        coverage::Stretch {
            start_day: stretch.start_day.into(),
            start_time: stretch.start_time.0,
            end_day: stretch.end_day.into(),
            end_time: stretch.end_time.0,
        }
    }
}

/// Renders the stretches of a window, in the order in which they were sent.
pub fn stretches(coverage: &[coverage::Stretch]) -> Vec<Stretch> {
    coverage.iter().map(Stretch::from).collect()
}
