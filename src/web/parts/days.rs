//! Days beside each other, equally wide, as the timeline and the agenda have them.

use super::time::Times;
use crate::domain::time::Interval;
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan};

/// Steps across a timeline: 7 times 48, 14 times 24, 28 times 12.
pub const STEPS: i64 = 336;

/// Days beside each other in the reader's zone.
#[derive(Clone, Copy)]
pub struct Days {
    pub first: Date,
    /// 1, 7, 14 or 28.
    pub count: i64,
    pub times: Times,
}

impl Days {
    /// The days from a date on.
    pub fn new(first: Date, count: i64, times: Times) -> Days {
        Days {
            first,
            count,
            times,
        }
    }

    /// A day, from 0.
    pub fn day(&self, index: i64) -> Date {
        self.first.saturating_add(index.days())
    }

    /// From the first instant of the first day to that of the day after the last one.
    pub fn range(&self) -> Interval {
        let at = |index| self.times.midnight(self.day(index));
        Interval {
            from: at(0).unwrap_or(Timestamp::MIN),
            until: at(self.count).unwrap_or(Timestamp::MAX),
        }
    }

    /// The place of an instant in steps: days are equally wide, and within a day the local clock counts.
    pub fn step(&self, at: Timestamp) -> f64 {
        let local = self.times.local(at);
        let days = self.first.until(local.date());
        let days = days.map_or(0, |span| i64::from(span.get_days()));
        let seconds = i64::from(local.hour()) * 3600
            + i64::from(local.minute()) * 60
            + i64::from(local.second());
        let day = (days as f64) + seconds as f64 / 86_400.0;
        (day * (STEPS / self.count) as f64).clamp(0.0, STEPS as f64)
    }

    /// Steps of a day.
    pub fn width(&self) -> i64 {
        STEPS / self.count
    }

    /// Whether a day is today.
    pub fn is_today(&self, index: i64) -> bool {
        self.day(index) == self.times.date(self.times.now)
    }

    /// Whether a day is a Saturday or a Sunday.
    pub fn is_weekend(&self, index: i64) -> bool {
        matches!(
            self.day(index).weekday(),
            Weekday::Saturday | Weekday::Sunday
        )
    }

    /// "Mon 23 Nov to Sun 6 Dec".
    pub fn text(&self) -> String {
        let (first, last) = (self.first, self.day(self.count - 1));
        match first == last {
            true => self.times.day_text(first),
            false => format!(
                "{} to {}",
                self.times.day_text(first),
                self.times.day_text(last)
            ),
        }
    }
}

/// The Monday on or before a date.
pub fn monday(date: Date) -> Date {
    let days = i64::from(date.weekday().to_monday_zero_offset());
    date.saturating_sub(days.days())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::zones::ZoneName;

    #[test]
    fn days_are_equally_wide_by_the_local_clock() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let times = Times {
            zone: ZoneName::parse("Europe/Oslo").expect("a zone"),
            now: at("2026-10-23T09:00:00Z"),
        };
        // The clocks go back on Sunday 25 October.
        let days = Days::new(monday("2026-10-23".parse().expect("a date")), 7, times);
        assert_eq!(days.first.to_string(), "2026-10-19");
        assert_eq!(days.range().length().as_hours(), 169);
        for (instant, step) in [
            ("2026-10-18T22:00:00Z", 0.0),
            ("2026-10-19T10:00:00Z", 24.0),
            ("2026-10-25T11:00:00Z", 6.0 * 48.0 + 24.0),
            ("2026-10-25T23:00:00Z", 336.0),
            ("2026-12-01T00:00:00Z", 336.0),
            ("2026-01-01T00:00:00Z", 0.0),
        ] {
            assert_eq!(days.step(at(instant)), step, "{instant}");
        }
    }
}
