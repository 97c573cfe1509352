//! Instants in words, in the reader's zone.

use crate::domain::time::FOREVER;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn day(date: Date) -> String {
    let weekday = DAYS[date.weekday().to_monday_zero_offset().unsigned_abs() as usize];
    let month = MONTHS[date.month().unsigned_abs() as usize - 1];
    format!("{weekday} {} {month} {}", date.day(), date.year())
}

fn clock(at: DateTime) -> String {
    format!("{:02}:{:02}", at.hour(), at.minute())
}

/// An instant: `Mon 23 Nov 2026, 09:00`.
pub fn text(at: Timestamp, zone: ZoneName) -> String {
    if at >= FOREVER {
        return "for ever".to_owned();
    }
    let local = zone.tz().to_datetime(at);
    format!("{}, {}", day(local.date()), clock(local))
}

/// A period: `Mon 23 Nov 2026, 09:00 to 17:00`. An end that is not known is open.
pub fn period(from: Timestamp, until: Option<Timestamp>, zone: ZoneName) -> String {
    let Some(until) = until.filter(|until| *until < FOREVER) else {
        return format!("from {}", text(from, zone));
    };
    let (begin, end) = (zone.tz().to_datetime(from), zone.tz().to_datetime(until));
    let end = match begin.date() == end.date() {
        true => clock(end),
        false => text(until, zone),
    };
    format!("{} to {end}", text(from, zone))
}

/// The first instant of a day in a zone; `None` beyond the calendar.
pub fn midnight(date: Date, zone: ZoneName) -> Option<Timestamp> {
    let at = zone.tz().to_ambiguous_timestamp(date.at(0, 0, 0, 0));
    at.compatible().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_zone_of_the_reader() {
        let zone = |name| ZoneName::parse(name).unwrap();
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (from, until) = (at("2026-11-23T08:00:00Z"), at("2026-11-23T16:00:00Z"));
        for (name, expected) in [
            ("Europe/Berlin", "Mon 23 Nov 2026, 09:00 to 17:00"),
            (
                "Pacific/Auckland",
                "Mon 23 Nov 2026, 21:00 to Tue 24 Nov 2026, 05:00",
            ),
        ] {
            assert_eq!(period(from, Some(until), zone(name)), expected);
        }
        let open = period(from, None, zone("UTC"));
        assert_eq!(open, "from Mon 23 Nov 2026, 08:00");
        assert_eq!(period(from, Some(Timestamp::MAX), zone("UTC")), open);
        let day = jiff::civil::date(2026, 12, 1);
        assert_eq!(
            midnight(day, zone("Europe/Berlin")),
            Some(at("2026-11-30T23:00:00Z"))
        );
    }
}
