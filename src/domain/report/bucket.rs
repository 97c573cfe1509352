//! Weeks and months, in UTC.

use super::GroupBy;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// The stretch of time by which a report is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buckets {
    None,
    Weeks,
    Months,
}

impl Buckets {
    pub fn of(by: GroupBy) -> Buckets {
        match by {
            GroupBy::Week => Buckets::Weeks,
            GroupBy::Month => Buckets::Months,
            GroupBy::Person | GroupBy::Rotation | GroupBy::PersonRotation => Buckets::None,
        }
    }

    /// Where the week or month of an instant begins.
    pub fn begin(self, at: Timestamp) -> Option<Timestamp> {
        Some(midnight(self.first(at)?))
    }

    /// Where it ends.
    pub fn end(self, at: Timestamp) -> Timestamp {
        let next = self.first(at).and_then(|first| match self {
            Buckets::None => None,
            Buckets::Weeks => first.checked_add(1.week()).ok(),
            Buckets::Months => first.checked_add(1.month()).ok(),
        });
        next.map_or(Timestamp::MAX, midnight)
    }

    /// The name of the one that begins at an instant: `2026-W47`, `2026-11`.
    pub fn name(self, begin: Timestamp) -> Option<String> {
        let first = date(begin);
        match self {
            Buckets::None => None,
            Buckets::Weeks => {
                let week = first.iso_week_date();
                Some(format!("{:04}-W{:02}", week.year(), week.week()))
            }
            Buckets::Months => Some(format!("{:04}-{:02}", first.year(), first.month())),
        }
    }

    /// The first day of the week or month of an instant.
    fn first(self, at: Timestamp) -> Option<Date> {
        let day = date(at);
        match self {
            Buckets::None => None,
            Buckets::Weeks => {
                let since = day.weekday().since(Weekday::Monday);
                day.checked_sub(i64::from(since).days()).ok()
            }
            Buckets::Months => Some(day.first_of_month()),
        }
    }
}

fn date(at: Timestamp) -> Date {
    TimeZone::UTC.to_datetime(at).date()
}

fn midnight(date: Date) -> Timestamp {
    let at = TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0));
    at.unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first() {
        for (buckets, at, begin, end, name) in [
            (
                Buckets::Weeks,
                "2026-11-22T23:59:59Z",
                "2026-11-16",
                "2026-11-23",
                "2026-W47",
            ),
            (
                Buckets::Weeks,
                "2026-11-23T00:00:00Z",
                "2026-11-23",
                "2026-11-30",
                "2026-W48",
            ),
            // The first days of a year may belong to the last week of the year before.
            (
                Buckets::Weeks,
                "2027-01-01T12:00:00Z",
                "2026-12-28",
                "2027-01-04",
                "2026-W53",
            ),
            (
                Buckets::Months,
                "2026-02-28T23:00:00Z",
                "2026-02-01",
                "2026-03-01",
                "2026-02",
            ),
            (
                Buckets::Months,
                "2026-12-01T00:00:00Z",
                "2026-12-01",
                "2027-01-01",
                "2026-12",
            ),
        ] {
            let at: Timestamp = at.parse().unwrap();
            let found = buckets.begin(at).unwrap();
            assert_eq!(date(found).to_string(), begin, "{at}");
            assert_eq!(date(buckets.end(at)).to_string(), end, "{at}");
            assert_eq!(buckets.name(found).as_deref(), Some(name));
        }
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(Buckets::None.begin(at), None);
        assert_eq!(Buckets::None.end(at), Timestamp::MAX);
    }
}
