//! Half-open intervals and local times of day.

use super::stored::{self, Stored};
use super::text::text;
use jiff::civil::{self, DateTime};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The last instant that is supported, 9999-12-30T22:00:00Z: jiff parses no later millisecond, because its local time could be
/// after the year 9999. It represents all later instants ("for ever") and is shown as [`END_OF_TIME`] in UTC.
pub const FOREVER: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// How [`FOREVER`] is shown, in every zone.
pub const END_OF_TIME: DateTime = civil::date(9999, 12, 31).at(23, 59, 59, 0);

/// A half-open interval: `from` is included, `until` is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Interval {
    #[serde(with = "stored")]
    pub from: Timestamp,
    #[serde(with = "stored")]
    pub until: Timestamp,
}

/// Milliseconds since 1970, at most [`FOREVER`], the latest that can be read back.
impl Stored for Timestamp {
    type As = i64;

    fn stored(&self) -> i64 {
        FOREVER.min(*self).as_millisecond()
    }

    fn read(millis: i64) -> Result<Timestamp, jiff::Error> {
        Timestamp::from_millisecond(millis)
    }
}

/// `[from, until]`.
impl Stored for Interval {
    type As = [i64; 2];

    fn stored(&self) -> [i64; 2] {
        [self.from.stored(), self.until.stored()]
    }

    fn read([from, until]: [i64; 2]) -> Result<Interval, jiff::Error> {
        Ok(Interval::new(Stored::read(from)?, Stored::read(until)?))
    }
}

impl Interval {
    /// From an instant to another one, which it does not include.
    pub const fn new(from: Timestamp, until: Timestamp) -> Interval {
        Interval { from, until }
    }

    /// From an instant on, for so long, or to the end of time.
    pub fn ahead(from: Timestamp, length: SignedDuration) -> Interval {
        let until = from.saturating_add(length).unwrap_or(Timestamp::MAX);
        Interval { from, until }
    }

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

    /// Whether it is shorter than a second, the shortest time that pages and calendars can show.
    pub fn is_momentary(&self) -> bool {
        self.length() < SignedDuration::from_secs(1)
    }

    /// The part from an instant on; `None` once it has ended.
    pub fn since(&self, at: Timestamp) -> Option<Interval> {
        let rest = Interval::new(self.from.max(at), self.until);
        (!rest.is_empty()).then_some(rest)
    }

    /// The intersection with another interval; `None` if it is empty.
    pub fn meets(&self, other: Interval) -> Option<Interval> {
        let shared = Interval::new(self.from.max(other.from), self.until.min(other.until));
        (!shared.is_empty()).then_some(shared)
    }
}

/// Joins intervals that overlap or touch. The result is in order.
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

/// The parts of some intervals that lie outside others; both in order and apart.
pub fn without(spans: &[Interval], others: &[Interval]) -> Vec<Interval> {
    let mut left = Vec::with_capacity(spans.len());
    let mut first = 0;
    for &Interval { mut from, until } in spans {
        while first < others.len() && others[first].until <= from {
            first += 1;
        }
        for cut in others[first..].iter().take_while(|cut| cut.from < until) {
            if from < cut.from {
                left.push(Interval::new(from, cut.from));
            }
            from = from.max(cut.until);
        }
        if from < until {
            left.push(Interval { from, until });
        }
    }
    left
}

/// The parts of an interval that lie in others, which are in order and apart.
pub fn within(union: &[Interval], span: Interval) -> impl Iterator<Item = Interval> {
    let first = union.partition_point(|one| one.until <= span.from);
    let meeting = union[first..].iter();
    let meeting = meeting.take_while(move |one| one.from < span.until);
    meeting.filter_map(move |one| one.meets(span))
}

/// The parts that some intervals share with others; both in order and apart.
pub fn shared(one: &[Interval], other: &[Interval]) -> Vec<Interval> {
    one.iter().flat_map(|span| within(other, *span)).collect()
}

/// Reads a length such as `90s`, `15m`, `24h` or `7d`; a day is 24 hours.
pub fn length(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count = digits.parse::<u64>().ok().filter(|_| plain)?;
    count.checked_mul(unit).map(Duration::from_secs)
}

/// A local time of day in minutes, `HH:mm`, 00:00 to 23:59.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HhMm {
    minutes: u16,
}

text! { HhMm = "a time of day as HH:mm, such as 09:00"; }

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

/// The instant before one, as far as anything falls due.
pub fn just_before(at: Timestamp) -> Timestamp {
    at.saturating_sub(SignedDuration::from_nanos(1))
        .unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn spans(list: &[(i64, i64)]) -> Vec<Interval> {
        let at = |second| Timestamp::from_second(second).expect("an instant");
        let span = |(from, until): &(i64, i64)| Interval {
            from: at(*from),
            until: at(*until),
        };
        list.iter().map(span).collect()
    }

    /// rules.md 1.2.
    #[test]
    fn intervals_as_sets() {
        let union = joined(spans(&[(5, 7), (0, 2), (2, 3), (6, 9), (4, 4)]));
        assert_eq!(union, spans(&[(0, 3), (5, 9)]));
        let whole = spans(&[(1, 6)])[0];
        assert_eq!(
            within(&union, whole).collect::<Vec<_>>(),
            spans(&[(1, 3), (5, 6)])
        );
        assert_eq!(without(&[whole], &union), spans(&[(3, 5)]));
        assert_eq!(without(&spans(&[(20, 22)]), &union), spans(&[(20, 22)]));
        assert_eq!(without(&spans(&[(0, 3)]), &union), []);
        assert_eq!(
            shared(&union, &spans(&[(2, 6), (8, 20)])),
            spans(&[(2, 3), (5, 6), (8, 9)])
        );
    }
}
