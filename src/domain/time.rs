//! Half-open intervals and local times of day.

use jiff::civil::{self, DateTime};
use jiff::{SignedDuration, Timestamp};
use std::fmt;

/// The last instant that is supported, 9999-12-30T22:00:00Z: jiff parses no later millisecond, because its local time could be
/// after the year 9999. It represents all later instants ("for ever") and is shown as [`END_OF_TIME`] in UTC.
pub const FOREVER: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// How [`FOREVER`] is shown, in every zone.
pub const END_OF_TIME: DateTime = civil::date(9999, 12, 31).at(23, 59, 59, 0);

/// A half-open interval: `from` is included, `until` is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    pub from: Timestamp,
    pub until: Timestamp,
}

impl Interval {
    /// Whether the interval contains an instant.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }

    /// Whether the interval contains no instant.
    pub fn is_empty(&self) -> bool {
        self.until <= self.from
    }

    /// How long it lasts.
    pub fn length(&self) -> SignedDuration {
        self.until.duration_since(self.from)
    }

    /// The part from an instant on; `None` once it has ended.
    pub fn since(&self, at: Timestamp) -> Option<Interval> {
        let rest = Interval {
            from: self.from.max(at),
            until: self.until,
        };
        (!rest.is_empty()).then_some(rest)
    }

    /// The intersection with another interval; `None` if it is empty.
    pub fn meets(&self, other: Interval) -> Option<Interval> {
        let shared = Interval {
            from: self.from.max(other.from),
            until: self.until.min(other.until),
        };
        (!shared.is_empty()).then_some(shared)
    }
}

/// The same instants as intervals that neither overlap nor touch, in order.
pub fn joined(mut spans: Vec<Interval>) -> Vec<Interval> {
    spans.retain(|span| !span.is_empty());
    spans.sort_unstable();
    spans.dedup_by(|next, kept| {
        let joins = next.from <= kept.until;
        if joins {
            kept.until = kept.until.max(next.until);
        }
        joins
    });
    spans
}

/// What of some intervals lies outside others; both in order and apart.
pub fn without(spans: &[Interval], others: &[Interval]) -> Vec<Interval> {
    let mut left = Vec::with_capacity(spans.len());
    let mut first = 0;
    for &Interval { mut from, until } in spans {
        while first < others.len() && others[first].until <= from {
            first += 1;
        }
        for cut in others[first..].iter().take_while(|cut| cut.from < until) {
            if from < cut.from {
                left.push(Interval {
                    from,
                    until: cut.from,
                });
            }
            from = from.max(cut.until);
        }
        if from < until {
            left.push(Interval { from, until });
        }
    }
    left
}

/// A local time of day in minutes, `HH:mm`, 00:00 to 23:59.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HhMm {
    minutes: u16,
}

impl HhMm {
    /// Parses exactly `HH:mm`; `None` for anything else.
    pub fn parse(text: &str) -> Option<HhMm> {
        let bytes = text.as_bytes();
        let digit = |at: usize| {
            bytes[at]
                .is_ascii_digit()
                .then(|| u16::from(bytes[at] - b'0'))
        };
        if bytes.len() != 5 || bytes[2] != b':' {
            return None;
        }
        let hour = digit(0)? * 10 + digit(1)?;
        let minute = digit(3)? * 10 + digit(4)?;
        (hour < 24 && minute < 60).then_some(HhMm {
            minutes: hour * 60 + minute,
        })
    }

    /// The time so many minutes after midnight; whole days are left out.
    pub fn of(minutes: i64) -> HhMm {
        let minutes = minutes.rem_euclid(24 * 60);
        HhMm {
            minutes: u16::try_from(minutes).unwrap_or(0),
        }
    }

    /// Converts to jiff's civil time.
    pub fn civil(self) -> jiff::civil::Time {
        jiff::civil::time((self.minutes / 60) as i8, (self.minutes % 60) as i8, 0, 0)
    }
}

impl fmt::Display for HhMm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.minutes / 60, self.minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::{FOREVER, HhMm};
    use jiff::Timestamp;

    #[test]
    fn for_ever_is_the_last_whole_millisecond() {
        let last = FOREVER.as_millisecond();
        assert_eq!(Timestamp::from_millisecond(last).ok(), Some(FOREVER));
        assert!(Timestamp::from_millisecond(last + 1).is_err());
    }

    #[test]
    fn times_of_day_are_read_exactly() {
        for good in ["00:00", "09:05", "23:59"] {
            assert_eq!(
                HhMm::parse(good).map(|t| t.to_string()).as_deref(),
                Some(good)
            );
        }
        for bad in [
            "24:00", "9:00", "09:60", "09-00", "", "0900", "09:0a", "ää:00",
        ] {
            assert_eq!(HhMm::parse(bad), None, "{bad}");
        }
    }
}
