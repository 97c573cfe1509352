//! Half-open intervals and local times of day.

use jiff::Timestamp;
use std::fmt;

/// A half-open stretch of time: `from` belongs to it, `until` does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    pub from: Timestamp,
    pub until: Timestamp,
}

impl Interval {
    /// Whether `at` lies in the interval.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }

    /// Whether no instant lies in it.
    pub fn is_empty(&self) -> bool {
        self.until <= self.from
    }

    /// The part of it from an instant on; `None` once it is over.
    pub fn since(&self, at: Timestamp) -> Option<Interval> {
        let rest = Interval {
            from: self.from.max(at),
            until: self.until,
        };
        (!rest.is_empty()).then_some(rest)
    }

    /// The part that it shares with another; `None` where they share no instant.
    pub fn meets(&self, other: Interval) -> Option<Interval> {
        let shared = Interval {
            from: self.from.max(other.from),
            until: self.until.min(other.until),
        };
        (!shared.is_empty()).then_some(shared)
    }
}

/// A local time of day to the minute, `HH:mm`, 00:00 to 23:59.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HhMm {
    minutes: u16,
}

impl HhMm {
    /// Reads exactly `HH:mm`; anything else is `None`.
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

    /// The same as jiff's civil time.
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
    use super::HhMm;

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
