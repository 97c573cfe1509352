//! Values of properties: dates, times, durations, offsets from UTC and text.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// A date, or a local time and whether it is in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Day(Date),
    Local(DateTime),
    Utc(DateTime),
}

impl Moment {
    /// The local time; midnight of a date.
    pub fn civil(self) -> DateTime {
        match self {
            Moment::Day(date) => date.at(0, 0, 0, 0),
            Moment::Local(civil) | Moment::Utc(civil) => civil,
        }
    }
}

/// Parses `YYYYMMDD`, `YYYYMMDDTHHMMSS` or the latter with `Z`.
pub fn moment(text: &str) -> Option<Moment> {
    let bytes = text.as_bytes();
    let number = |from: usize, length: usize| -> Option<i16> {
        let digits = bytes.get(from..from + length)?;
        digits.iter().try_fold(0, |number: i16, digit| {
            let digit = digit.is_ascii_digit().then(|| i16::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
    };
    let small = |from: usize| i8::try_from(number(from, 2)?).ok();
    let date = Date::new(number(0, 4)?, small(4)?, small(6)?).ok()?;
    if bytes.len() == 8 {
        return Some(Moment::Day(date));
    }
    if !matches!(bytes[8], b'T' | b't') {
        return None;
    }
    // A leap second is the last second of its minute: no clock here has it.
    let second = small(13)?;
    let second = if second == 60 { 59 } else { second };
    let time = jiff::civil::Time::new(small(9)?, small(11)?, second, 0).ok()?;
    let civil = date.to_datetime(time);
    match &bytes[15..] {
        [] => Some(Moment::Local(civil)),
        [b'Z' | b'z'] => Some(Moment::Utc(civil)),
        _ => None,
    }
}

/// Parses a duration, such as `P1DT2H`, `-PT15M` or `P2W`.
pub fn duration(text: &str) -> Option<SignedDuration> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let mut rest = rest.strip_prefix(['P', 'p'])?;
    let mut seconds: i64 = 0;
    let mut is_time = false;
    let mut has_part = false;
    while !rest.is_empty() {
        if let Some(time) = rest.strip_prefix(['T', 't']) {
            if is_time {
                return None;
            }
            (rest, is_time) = (time, true);
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i64 = rest[..end].parse().ok()?;
        let unit = rest[end..].chars().next()?;
        let unit_seconds = match (unit.to_ascii_uppercase(), is_time) {
            ('W', false) => 604_800,
            ('D', false) => 86_400,
            ('H', true) => 3600,
            ('M', true) => 60,
            ('S', true) => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(unit_seconds)?)?;
        rest = &rest[end + 1..];
        has_part = true;
    }
    has_part.then(|| SignedDuration::from_secs(sign * seconds))
}

/// Parses an offset from UTC: `+HHMM` or `+HHMMSS`.
pub fn offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => return None,
    };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize| {
        digits
            .get(from..from + 2)
            .map_or(Some(0), |part| part.parse::<i32>().ok())
    };
    let (hours, minutes, seconds) = (part(0)?, part(2)?, part(4)?);
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60 + seconds)).ok()
}

/// A text as it was meant: without the escapes.
pub fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(c) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// The texts of a list, which commas part.
pub fn texts(value: &str) -> impl Iterator<Item = String> {
    let mut escaped = false;
    let split = value.split(move |c: char| {
        let parts = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        parts
    });
    split.map(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn moments_are_read() {
        let local = date(2026, 3, 29).at(2, 30, 0, 0);
        for (text, expected) in [
            ("20260329", Some(Moment::Day(date(2026, 3, 29)))),
            ("20260329T023000", Some(Moment::Local(local))),
            ("20260329T023000Z", Some(Moment::Utc(local))),
            (
                "20260329T023060",
                Some(Moment::Local(date(2026, 3, 29).at(2, 30, 59, 0))),
            ),
            ("20260230", None),
            ("2026032", None),
            ("20260329T0230", None),
            ("20260329 023000", None),
            ("20260329T240000", None),
            ("20260329T023000+", None),
            ("2026-03-29", None),
            ("", None),
            ("2026032ä", None),
        ] {
            assert_eq!(moment(text), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        for (text, seconds) in [
            ("P1D", Some(86_400)),
            ("P2W", Some(1_209_600)),
            ("PT1H30M", Some(5400)),
            ("P1DT1S", Some(86_401)),
            ("-PT15M", Some(-900)),
            ("+P1D", Some(86_400)),
            ("PT0S", Some(0)),
            ("P", None),
            ("PT", None),
            ("P1H", None),
            ("PT1D", None),
            ("P1", None),
            ("1D", None),
            ("PTT1H", None),
            ("P99999999999999999999D", None),
            ("P9223372036854775807W", None),
            ("", None),
        ] {
            assert_eq!(
                duration(text).map(|length| length.as_secs()),
                seconds,
                "{text}"
            );
        }
    }

    #[test]
    fn offsets_and_texts_are_read() {
        for (text, seconds) in [
            ("+0100", Some(3600)),
            ("-0330", Some(-12_600)),
            ("+005328", Some(3208)),
            ("0100", None),
            ("+01:00", None),
            ("+9900", None),
            ("+010", None),
            ("-", None),
        ] {
            assert_eq!(offset(text).map(Offset::seconds), seconds, "{text}");
        }
        assert_eq!(text("a\\, b\\; c\\\\ d\\n e\\"), "a, b; c\\ d\n e");
        assert_eq!(
            texts("a\\,b,c,,\\\\,d").collect::<Vec<_>>(),
            ["a,b", "c", "", "\\", "d"]
        );
    }
}
