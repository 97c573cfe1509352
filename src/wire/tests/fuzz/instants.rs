//! Instants and times of day, compared with jiff's parsers where the grammar is the same.

use crate::domain::time::{FOREVER, HhMm};
use crate::tests::{bent_text, try_out};
use crate::wire::moment::{Moment, parse_instant, parse_local_or_utc, parse_utc};
use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use proptest::prelude::*;

fn some_instant() -> impl Strategy<Value = String> {
    let date = (
        prop_oneof![4 => 1900..2100_i32, 1 => 0..10_000_i32, 1 => prop::sample::select(vec![0, 1, 9999])],
        prop_oneof![9 => 1..=12_u8, 1 => 0..20_u8],
        prop_oneof![9 => 1..=28_u8, 2 => 28..=33_u8],
    )
        .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"));
    let time = (
        prop_oneof![9 => 0..24_u8, 1 => 23..26_u8],
        prop_oneof![9 => 0..60_u8, 1 => 59..62_u8],
        prop_oneof![9 => 0..60_u8, 1 => 59..62_u8],
        "(\\.[0-9]{1,12})?",
    )
        .prop_map(|(hour, minute, second, fraction)| {
            format!("{hour:02}:{minute:02}:{second:02}{fraction}")
        });
    let offset = prop_oneof![
        3 => Just("Z".to_owned()),
        3 => "[+-](0[0-9]|1[0-9]|2[0-3]):[0-5][0-9]",
        1 => "(z|\\+00:00|-00:00|[+-][0-9]{2}:?[0-9]{2}|)",
    ];
    (
        date,
        prop_oneof![8 => Just("T"), 1 => Just("t"), 1 => Just(" ")],
        time,
        offset,
    )
        .prop_map(|(date, t, time, offset)| format!("{date}{t}{time}{offset}"))
}

/// Parses with jiff, if the text has the shape that both accept: 2026-11-23T09:00:00.123Z.
fn by_jiff(text: &str) -> Option<Timestamp> {
    let (local, rest) = text.split_at_checked("2026-11-23T09:00:00".len())?;
    let mut shape = local.bytes().zip("dddd-dd-ddTdd:dd:dd".bytes());
    let fits = |(byte, shape): (u8, u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        b'T' => byte.eq_ignore_ascii_case(&b'T'),
        other => byte == other,
    };
    let (fraction, offset) = match rest.strip_prefix('.') {
        Some(more) => {
            let end = more.find(|c: char| !c.is_ascii_digit())?;
            let (digits, offset) = more.split_at(end);
            // Only milliseconds count.
            let thousandths = digits.get(..3).unwrap_or(digits);
            (format!(".{thousandths}"), offset)
        }
        None => (String::new(), rest),
    };
    let colon = matches!(offset.as_bytes(), [b'+' | b'-', _, _, b':', _, _]);
    let hours = offset.get(1..3).is_none_or(|hours| hours < "24");
    if fraction == "." || !shape.all(fits) || !(offset.eq_ignore_ascii_case("z") || colon && hours)
    {
        return None;
    }
    format!("{local}{fraction}{offset}").parse().ok()
}

#[test]
fn instants_agree_with_jiff() {
    try_out(6_000, 15..=80, bent_text(some_instant()), |text| {
        let read = parse_instant(&text);
        let local = parse_local_or_utc(&text);
        match by_jiff(&text) {
            Some(at) => prop_assert_eq!(read, Some(at.min(FOREVER)), "{}", text),
            // jiff does not accept missing seconds, second 60, or instants after its last one.
            None => prop_assert!(
                read.is_none()
                    || read == Some(FOREVER)
                    || text.len() < 23
                    || text[16..19] == *":60",
                "{}",
                text
            ),
        }
        let zero = ["Z", "z", "+00:00", "-00:00"]
            .iter()
            .any(|zero| text.ends_with(zero));
        prop_assert_eq!(parse_utc(&text), read.filter(|_| zero), "{}", text);
        if let Some(at) = read {
            prop_assert_eq!(local, read);
            prop_assert_eq!(at.subsec_nanosecond() % 1_000_000, 0);
            // The rendered text reads as the same instant.
            let written = serde_json::to_string(&Moment(at)).expect("a text");
            prop_assert_eq!(
                serde_json::from_str::<Moment>(&written).ok(),
                Some(Moment(at)),
                "{}",
                written
            );
        } else if let Some(at) = local {
            prop_assert_eq!(parse_instant(&format!("{text}Z")), Some(at), "{}", text);
        }
        Ok(read.is_some())
    });
}

/// Rendered instants are read back as themselves, except those before year 0, which RFC 3339 cannot express.
#[test]
fn rendered_instants_are_read_back() {
    let whole = (Timestamp::MIN.as_millisecond() + 1..Timestamp::MAX.as_millisecond())
        .prop_map(|ms| Timestamp::from_millisecond(ms).unwrap());
    try_out(2_000, 40..=60, whole, |at| {
        let text = at.to_string();
        let named = !text.starts_with('-');
        prop_assert_eq!(parse_instant(&text), Some(at).filter(|_| named), "{}", text);
        Ok(named)
    });
}

#[test]
fn times_of_day_are_hours_and_minutes() {
    let time = (0..26_u8, 0..64_u8).prop_map(|(hour, minute)| format!("{hour:02}:{minute:02}"));
    try_out(2_000, 30..=80, bent_text(time), |text| {
        let shape = text.len() == 5
            && text.bytes().enumerate().all(|(at, byte)| match at {
                2 => byte == b':',
                _ => byte.is_ascii_digit(),
            });
        let other = format!("2026-11-23T{text}")
            .parse::<DateTime>()
            .ok()
            .filter(|_| shape);
        let read = HhMm::parse(&text);
        prop_assert_eq!(read.map(HhMm::civil), other.map(DateTime::time), "{}", text);
        prop_assert_eq!(read.map(|time| time.to_string()), read.map(|_| text));
        prop_assert!(read.is_none_or(|time| time.civil() <= Time::constant(23, 59, 0, 0)));
        Ok(read.is_some())
    });
}
