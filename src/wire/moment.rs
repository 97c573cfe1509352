//! Instants, times of day and zones as text.

use super::body;
use super::schema::inline_schema;
use crate::domain::time::{END_OF_TIME, FOREVER, HhMm, Interval};
use crate::domain::zones::ZoneName;
use jiff::tz::Offset;
use jiff::{Timestamp, civil};
use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What to send for an instant, for refusals.
pub const INSTANT: &str = "an RFC 3339 date-time with its offset, such as 2026-11-23T09:00:00Z";
const UTC_INSTANT: &str = "an RFC 3339 date-time with offset zero, such as 2026-11-23T09:00:00Z";
const LOCAL_OR_UTC: &str = "an RFC 3339 date-time, such as 2026-11-23T09:00:00+01:00";
const TIME: &str = "a time of day as HH:mm, such as 09:00";

/// An instant, written in UTC with `Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub Timestamp);

/// Reads an RFC 3339 date-time with an offset, truncated to milliseconds. Seconds are optional. Everything after
/// 9999-12-30T22:00:00Z reads as [`FOREVER`].
pub fn parse_instant(text: &str) -> Option<Timestamp> {
    let (local, offset) = parts(text.as_bytes())?;
    Some(timestamp(local, offset?))
}

/// Like [`parse_instant`], but the offset must be zero.
pub fn parse_utc(text: &str) -> Option<Timestamp> {
    let (local, offset) = parts(text.as_bytes())?;
    let offset = offset.filter(|offset| *offset == Offset::UTC)?;
    Some(timestamp(local, offset))
}

/// Like [`parse_instant`], but without an offset the time is in UTC.
pub fn parse_local_or_utc(text: &str) -> Option<Timestamp> {
    let (local, offset) = parts(text.as_bytes())?;
    Some(timestamp(local, offset.unwrap_or(Offset::UTC)))
}

fn timestamp(local: civil::DateTime, offset: Offset) -> Timestamp {
    // Years before 0 cannot be written in RFC 3339, so only the upper limit can be exceeded.
    let at = offset.to_timestamp(local);
    at.unwrap_or(FOREVER).min(FOREVER)
}

/// Parses an RFC 3339 section 5.6 date-time to the millisecond: its local time, and its offset if present. Other notations
/// are rejected, so that none is misread.
fn parts(text: &[u8]) -> Option<(civil::DateTime, Option<Offset>)> {
    let mut rest = Rest(text);
    let (year, month, day) = (
        rest.number(4)?,
        rest.after(b"-")?.number(2)?,
        rest.after(b"-")?.number(2)?,
    );
    let (hour, minute) = (rest.after(b"Tt")?.number(2)?, rest.after(b":")?.number(2)?);
    let (mut second, mut millisecond) = (0, 0);
    if rest.after(b":").is_some() {
        second = rest.number(2)?;
        if rest.after(b".").is_some() {
            millisecond = rest.thousandths()?;
        }
    }
    let offset = match rest.0 {
        [] => None,
        b"Z" | b"z" => Some(Offset::UTC),
        _ => Some(rest.offset()?),
    };
    let small = |number: i32| i8::try_from(number).ok();
    // The time scale has no leap seconds: second 60 reads as 59.
    let second = if second == 60 { 59 } else { second };
    let local = civil::DateTime::new(
        i16::try_from(year).ok()?,
        small(month)?,
        small(day)?,
        small(hour)?,
        small(minute)?,
        small(second)?,
        millisecond * 1_000_000,
    );
    Some((local.ok()?, offset))
}

/// The rest of the text.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// Reads a number of exactly that many digits.
    fn number(&mut self, digits: usize) -> Option<i32> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let mut value = 0;
        for digit in number {
            if !digit.is_ascii_digit() {
                return None;
            }
            value = value * 10 + i32::from(digit - b'0');
        }
        self.0 = rest;
        Some(value)
    }

    /// Skips one byte out of a set.
    fn after(&mut self, bytes: &[u8]) -> Option<&mut Self> {
        let (first, rest) = self.0.split_first()?;
        self.0 = bytes.contains(first).then_some(rest)?;
        Some(self)
    }

    /// Reads a fraction of at least one digit, truncated to milliseconds.
    fn thousandths(&mut self) -> Option<i32> {
        let (mut value, mut unit) = (self.number(1)? * 100, 10);
        while let Some(digit) = self.number(1) {
            value += digit * unit;
            unit /= 10;
        }
        Some(value)
    }

    /// Reads `+hh:mm` or `-hh:mm` at the end of the text.
    fn offset(mut self) -> Option<Offset> {
        let sign = match self.0.first() {
            Some(b'-') => -1,
            _ => 1,
        };
        let hours = self.after(b"+-")?.number(2)?;
        let minutes = self.after(b":")?.number(2)?;
        if hours > 23 || minutes > 59 || !self.0.is_empty() {
            return None;
        }
        Offset::from_seconds(sign * (hours * 60 + minutes) * 60).ok()
    }
}

impl From<Timestamp> for Moment {
    fn from(at: Timestamp) -> Moment {
        Moment(at)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 >= FOREVER {
            true => to.collect_str(&format_args!("{END_OF_TIME}Z")),
            false => to.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Moment, D::Error> {
        body::read_text(from, INSTANT, |text| {
            let read = parse_instant(text).map(Moment);
            read.ok_or_else(|| body::member(Unexpected::Str(text), INSTANT))
        })
    }
}

inline_schema!(Moment, { "type": "string", "format": "date-time" });

/// An instant in a request whose offset must be zero. Rendered like any other instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtcMoment(pub Timestamp);

impl Serialize for UtcMoment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Moment(self.0).serialize(to)
    }
}

impl<'de> Deserialize<'de> for UtcMoment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<UtcMoment, D::Error> {
        body::read_text(from, UTC_INSTANT, |text| {
            let read = parse_utc(text).map(UtcMoment);
            read.ok_or_else(|| body::member(Unexpected::Str(text), UTC_INSTANT))
        })
    }
}

inline_schema!(UtcMoment, { "type": "string", "format": "date-time" });

/// The anchor of a cadence in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor(pub Timestamp);

impl<'de> Deserialize<'de> for Anchor {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Anchor, D::Error> {
        body::read_text(from, LOCAL_OR_UTC, |text| {
            let read = parse_local_or_utc(text).map(Anchor);
            read.ok_or_else(|| body::member(Unexpected::Str(text), LOCAL_OR_UTC))
        })
    }
}

inline_schema!(Anchor, { "type": "string" });

/// An instant in a zone, rendered with the zone's offset at that instant. RFC 3339 offsets are whole minutes: an offset
/// with seconds, as before 1972, is truncated to minutes and the local time adjusted, so the instant stays exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local(pub Timestamp, pub ZoneName);

impl Serialize for Local {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let seconds = self.1.tz().to_offset(self.0).seconds();
        let offset = Offset::from_seconds(seconds - seconds % 60).unwrap_or(Offset::UTC);
        match offset.to_datetime(self.0).year() {
            0..=9999 if self.0 < FOREVER => to.collect_str(&self.0.display_with_offset(offset)),
            _ => Moment(self.0).serialize(to),
        }
    }
}

inline_schema!(Local, { "type": "string", "format": "date-time" });

/// A time of day, `HH:mm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOfDay(pub HhMm);

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TimeOfDay {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TimeOfDay, D::Error> {
        body::read_text(from, TIME, |text| {
            let read = HhMm::parse(text).map(TimeOfDay);
            read.ok_or_else(|| body::member(Unexpected::Str(text), TIME))
        })
    }
}

inline_schema!(TimeOfDay, { "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$" });

/// A time zone in a request: a city of the tz database, or `UTC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone(pub ZoneName);

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Zone, D::Error> {
        let expected = "a city such as Europe/Oslo, or UTC";
        body::read_text(from, expected, |text| {
            ZoneName::parse(text).map(Zone).map_err(D::Error::custom)
        })
    }
}

inline_schema!(Zone, { "type": "string", "examples": ["Europe/Oslo", "UTC"] });

/// A half-open interval of two instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// Inclusive.
    pub start_utc: Moment,
    /// Exclusive.
    pub end_utc: Moment,
}

impl From<Interval> for Span {
    fn from(interval: Interval) -> Span {
        Span {
            start_utc: interval.from.into(),
            end_utc: interval.until.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_carry_an_offset() {
        for (text, expected) in [
            ("2026-11-23T09:00:00Z", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23t09:00:00z", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23T09:00Z", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23T09:00:00+02:00", Some("2026-11-23T07:00:00Z")),
            ("2026-11-23T09:00:00-00:30", Some("2026-11-23T09:30:00Z")),
            (
                "2026-11-23T09:00:00.1239Z",
                Some("2026-11-23T09:00:00.123Z"),
            ),
            ("2026-11-23T09:00:00.1Z", Some("2026-11-23T09:00:00.1Z")),
            (
                "2026-11-23T09:00:00.123456789012Z",
                Some("2026-11-23T09:00:00.123Z"),
            ),
            ("2016-12-31T23:59:60Z", Some("2016-12-31T23:59:59Z")),
            ("2026-11-23T09:00:00-00:00", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23T09:00:00+23:59", Some("2026-11-22T09:01:00Z")),
            ("2026-11-23T09:00:00", None),
            ("2026-11-23", None),
            ("2026-11-23Z", None),
            ("2026-11-23 09:00:00Z", None),
            ("2026-11-23T09Z", None),
            ("2026-11-23T0900Z", None),
            ("20261123T090000Z", None),
            ("2026-11-23T9:00:00Z", None),
            ("2026-11-23T09:00:0Z", None),
            ("2026-11-23T09:00:00,5Z", None),
            ("2026-11-23T09:00:00.Z", None),
            ("2026-11-23T09:00.5Z", None),
            ("2026-11-23T09:00:00+0100", None),
            ("2026-11-23T09:00:00+01", None),
            ("2026-11-23T09:00:00+01:00:30", None),
            ("2026-11-23T09:00:00+24:00", None),
            ("2026-11-23T09:00:00+01:60", None),
            ("2026-11-23T09:00:00 +01:00", None),
            ("2026-11-23T09:00:00Z ", None),
            (" 2026-11-23T09:00:00Z", None),
            ("2026-11-23T24:00:00Z", None),
            ("2026-11-23T09:60:00Z", None),
            ("2026-11-23T09:00:61Z", None),
            ("2026-11-23T09:00:00Z[UTC]", None),
            ("2026-02-30T09:00:00Z", None),
            ("2026-11-23T25:00:00Z", None),
            ("2026-11-23T09:00:00+99:00", None),
            ("2026-11-23T09:00:00+01:00[Europe/Oslo]", None),
            ("+002026-11-23T09:00:00Z", None),
            ("9999-12-30T22:00:00Z", Some("9999-12-30T22:00:00Z")),
            ("9999-12-30T21:59:59.999Z", Some("9999-12-30T21:59:59.999Z")),
            ("9999-12-30T22:00:00.999Z", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T23:59:59Z", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T23:59:60.999Z", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T23:59:59+01:00", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T23:59:59-01:00", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T23:59:59-23:59", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T23:59:59+23:59", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T21:59:00+23:59", Some("9999-12-30T22:00:00Z")),
            ("10000-01-01T00:00:00Z", None),
            ("9999-12-32T00:00:00Z", None),
            ("0000-01-01T00:00:00+23:59", Some("-000001-12-31T00:01:00Z")),
            ("", None),
            ("now", None),
            ("\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", None),
        ] {
            let read = parse_instant(text).map(|at| at.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_last_instant_is_rendered_as_the_end_of_year_9999() {
        let zone = |name| ZoneName::parse(name).unwrap();
        let text = |written: Result<String, serde_json::Error>| written.unwrap();
        let end = "\"9999-12-31T23:59:59Z\"";
        for at in [FOREVER, Timestamp::MAX] {
            assert_eq!(text(serde_json::to_string(&Moment(at))), end);
            for name in ["Pacific/Kiritimati", "America/New_York", "UTC"] {
                assert_eq!(text(serde_json::to_string(&Local(at, zone(name)))), end);
            }
        }
        assert_eq!(
            serde_json::from_str::<Moment>(end).ok(),
            Some(Moment(FOREVER))
        );
    }

    #[test]
    fn a_local_time_is_exact_if_the_offset_has_seconds() {
        for (at, name, expected) in [
            (
                "1900-01-01T00:00:00Z",
                "Europe/Paris",
                "1900-01-01T00:09:00+00:09",
            ),
            (
                "1970-01-01T00:00:00Z",
                "Africa/Monrovia",
                "1969-12-31T23:16:00-00:44",
            ),
            (
                "2026-01-05T08:00:00Z",
                "Europe/Oslo",
                "2026-01-05T09:00:00+01:00",
            ),
            (
                "0000-01-01T00:00:00Z",
                "America/New_York",
                "0000-01-01T00:00:00Z",
            ),
            (
                "9999-12-30T21:00:00Z",
                "Pacific/Kiritimati",
                "9999-12-31T11:00:00+14:00",
            ),
        ] {
            let at: Timestamp = at.parse().unwrap();
            let local = Local(at, ZoneName::parse(name).unwrap());
            let written: String =
                serde_json::from_str(&serde_json::to_string(&local).unwrap()).unwrap();
            assert_eq!(written, expected, "{name}");
            assert_eq!(parse_local_or_utc(&written), Some(at), "{name}");
        }
    }

    #[test]
    fn an_anchor_without_offset_is_utc() {
        for (text, expected) in [
            ("2026-11-23T09:00:00", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23T09:00", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23T09:00:00+01:00", Some("2026-11-23T08:00:00Z")),
            ("2026-11-23T09:00:00Z", Some("2026-11-23T09:00:00Z")),
            ("2026-11-23T09:00:00+99:00", None),
            ("2026-11-23", None),
            ("2026-11-23T", None),
            ("2026-11-23T09", None),
            ("2026-11-23T0900", None),
            ("2026-11-23T09:00:00,5", None),
            ("2026-11-23T09:00[Europe/Oslo]", None),
            ("2026-11-23T09:00+01:00[Europe/Oslo]", None),
            ("2026-11-23T09:00+0100", None),
            ("2026-11-23T09:00+01", None),
            ("2026-11-23T09:00+01:00:30", None),
            ("9999-12-31T23:59:59", Some("9999-12-30T22:00:00Z")),
        ] {
            let read = parse_local_or_utc(text).map(|at| at.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
