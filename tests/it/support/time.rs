//! Instants in tables are written `2026-01-05T09:00Z`; local times are given with their zone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::Value;

pub const MINUTE: i64 = 60;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;
pub const WEEK: i64 = 7 * DAY;

/// Parses an instant of a table or a response.
#[track_caller]
pub fn at(text: &str) -> Timestamp {
    text.parse()
        .unwrap_or_else(|e| panic!("instant {text:?}: {e}"))
}

/// The form used in tables: with seconds only if they are not zero.
pub fn short(instant: Timestamp) -> String {
    let long = instant.to_string();
    match long.strip_suffix(":00Z") {
        Some(minutes) => format!("{minutes}Z"),
        None => long,
    }
}

/// A date-time member in the form of tables, `-` if it is null or absent.
#[track_caller]
pub fn instant(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => short(at(text)),
        other => panic!("not a date-time: {other}"),
    }
}

/// The full RFC 3339 text of a short instant.
#[track_caller]
pub fn rfc(text: &str) -> String {
    at(text).to_string()
}

#[track_caller]
pub fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or_else(|e| panic!("zone {name}: {e}"))
}

/// A local time in a zone as RFC 3339 with that zone's offset, for `startsAt`.
#[track_caller]
pub fn local(zone_name: &str, civil: &str) -> String {
    let civil: DateTime = civil
        .parse()
        .unwrap_or_else(|e| panic!("local time {civil:?}: {e}"));
    let zoned = civil.to_zoned(zone(zone_name)).expect("a local time");
    let offset = zoned.offset();
    zoned.timestamp().display_with_offset(offset).to_string()
}

pub fn plus(text: &str, seconds: i64) -> String {
    short(at(text) + seconds.seconds())
}
