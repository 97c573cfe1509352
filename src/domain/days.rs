//! Calendar days as numbers, so that counting from an anchor is arithmetic.

use jiff::SignedDuration;
use jiff::civil::{Date, Weekday};

/// The origin of jiff's day counts, which are limited to the distance from here to the ends of its calendar.
const UNIX: Date = Date::constant(1970, 1, 1);

/// The days from there to day 0, 2000-01-01, where the holiday table begins.
const TO_ZERO: i64 = 10_957;

/// How many days are searched for an open one, about ten years. A window that is shut for longer counts as shut permanently.
/// Without a limit, a holiday file that shuts every day would be searched to the end of the calendar.
pub const SHUT_LIMIT: i64 = 3660;

/// The days from 2000-01-01 to `date`.
pub fn number(date: Date) -> i64 {
    date.duration_since(UNIX).as_hours() / 24 - TO_ZERO
}

/// The day with that number; `None` outside jiff's years.
pub fn date(number: i64) -> Option<Date> {
    let hours = number.checked_add(TO_ZERO)?.checked_mul(24)?;
    // jiff panics if the hours do not fit into its seconds.
    hours.checked_mul(3600)?;
    UNIX.checked_add(SignedDuration::from_hours(hours)).ok()
}

/// The weekday of a day number, 0 for Monday.
pub fn weekday(number: i64) -> usize {
    // Day 0 was a Saturday.
    (number + i64::from(Weekday::Saturday.to_monday_zero_offset())).rem_euclid(7) as usize
}

#[cfg(test)]
mod tests {
    use super::{date, number, weekday};
    use jiff::civil::Date;

    #[test]
    fn numbers_and_dates_are_inverse() {
        for (text, n) in [
            ("2000-01-01", 0),
            ("1999-12-31", -1),
            ("2000-12-31", 365),
            ("2050-12-31", 18_627),
            ("-009999-01-01", -4_382_544),
            ("9999-12-31", 2_921_939),
        ] {
            let day: Date = text.parse().unwrap();
            assert_eq!(number(day), n, "{text}");
            assert_eq!(date(n), Some(day), "{text}");
            let offset = day.weekday().to_monday_zero_offset();
            assert_eq!(weekday(n), offset as usize, "{text}");
        }
        for outside in [i64::MIN, i64::MAX, 2_921_940, i64::MAX / 24] {
            assert_eq!(date(outside), None, "{outside}");
        }
    }
}
