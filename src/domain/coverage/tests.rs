mod fuzz;
mod model;

use super::{Hours, OffDays, Stretch};
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::holidays::{Calendar, CountryCode};
use crate::domain::time::{HhMm, Interval};
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::Weekday;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn weekday(name: &str) -> Weekday {
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let at = names.iter().position(|known| *known == name).unwrap();
    Weekday::from_monday_zero_offset(at as i8).unwrap()
}

/// Parses `mon 09:00 - mon 17:00, ...`.
fn stretches(text: &str) -> Vec<Stretch> {
    let read = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let [start_day, start_time, "-", end_day, end_time] = words[..] else {
            panic!("{part}");
        };
        Stretch {
            start_day: weekday(start_day),
            start_time: HhMm::parse(start_time).unwrap(),
            end_day: weekday(end_day),
            end_time: HhMm::parse(end_time).unwrap(),
        }
    };
    text.split(',')
        .filter(|part| !part.is_empty())
        .map(read)
        .collect()
}

/// Reads `zone` or `zone off=weekends+holidays:GB`, the off days in the same zone.
pub(super) fn hours(zone: &str, coverage: &str) -> Hours {
    let (zone, off) = match zone.split_once(" off=") {
        Some((zone, off)) => (zone, Some(off)),
        None => (zone, None),
    };
    let zone = ZoneName::parse(zone).unwrap();
    Hours {
        zone: Some(zone),
        coverage: stretches(coverage),
        off: off.map(|rule| {
            let (what, countries) = rule.split_once(':').unwrap();
            let countries = countries
                .split(',')
                .map(|code| CountryCode::parse(code).unwrap());
            OffDays {
                zone,
                skips: Skips {
                    weekends: what.contains("weekends"),
                    national_holidays: what.contains("holidays"),
                    countries: countries.collect(),
                },
            }
        }),
    }
}

/// The current and the next open stretch as `from/until`; `-` for none.
fn check(zone: &str, coverage: &str, instant: &str, current: &str, next: &str) {
    check_with(
        &Calendar::embedded(),
        zone,
        coverage,
        instant,
        current,
        next,
    );
}

fn check_with(
    calendar: &Calendar,
    zone: &str,
    coverage: &str,
    instant: &str,
    current: &str,
    next: &str,
) {
    let read = |text: &str| {
        let (from, until) = text.split_once('/')?;
        Some(Interval {
            from: at(from),
            until: at(until),
        })
    };
    let case = format!("{zone}: {coverage} at {instant}");
    let view = hours(zone, coverage).at(calendar, at(instant));
    assert_eq!(view.open, current != "-", "{case}");
    assert_eq!(view.current, read(current), "{case}");
    assert_eq!(view.next, read(next), "{case}");
    let changes_at = match read(current) {
        Some(now) => Some(now.until),
        None => view.next.map(|next| next.from).filter(|_| !view.open),
    };
    assert_eq!(view.changes_at, changes_at, "{case}");
}

const OFFICE: &str = "mon 09:00 - mon 17:00,tue 09:00 - tue 17:00,wed 09:00 - wed 17:00,thu 09:00 - thu 17:00,fri 09:00 - fri 17:00";

/// rules.md 4.1.
#[test]
#[rustfmt::skip]
fn stretches_of_a_week() {
    // 2026-11-23 is a Monday.
    check("UTC", OFFICE, "2026-11-23T08:59Z", "-", "2026-11-23T09:00Z/2026-11-23T17:00Z");
    check("UTC", OFFICE, "2026-11-23T09:00Z", "2026-11-23T09:00Z/2026-11-23T17:00Z", "2026-11-24T09:00Z/2026-11-24T17:00Z");
    check("UTC", OFFICE, "2026-11-23T17:00Z", "-", "2026-11-24T09:00Z/2026-11-24T17:00Z");
    check("UTC", OFFICE, "2026-11-28T12:00Z", "-", "2026-11-30T09:00Z/2026-11-30T17:00Z");
    // Past midnight, and past Sunday.
    check("UTC", "mon 22:00 - tue 06:00", "2026-11-24T05:00Z", "2026-11-23T22:00Z/2026-11-24T06:00Z", "2026-11-30T22:00Z/2026-12-01T06:00Z");
    check("UTC", "mon 22:00 - mon 06:00", "2026-11-24T05:00Z", "2026-11-23T22:00Z/2026-11-24T06:00Z", "2026-11-30T22:00Z/2026-12-01T06:00Z");
    check("UTC", "sun 22:00 - sun 06:00", "2026-11-23T05:00Z", "2026-11-22T22:00Z/2026-11-23T06:00Z", "2026-11-29T22:00Z/2026-11-30T06:00Z");
    check("UTC", "fri 18:00 - mon 08:00", "2026-11-23T07:00Z", "2026-11-20T18:00Z/2026-11-23T08:00Z", "2026-11-27T18:00Z/2026-11-30T08:00Z");
    // Overlapping and adjacent ones are merged, also around the end of the week.
    check("UTC", "mon 09:00 - mon 12:00,mon 12:00 - mon 15:00,mon 14:00 - mon 14:30", "2026-11-23T12:00Z", "2026-11-23T09:00Z/2026-11-23T15:00Z", "2026-11-30T09:00Z/2026-11-30T15:00Z");
    check("UTC", "mon 00:00 - mon 08:00,sat 00:00 - mon 00:00", "2026-11-23T07:00Z", "2026-11-21T00:00Z/2026-11-23T08:00Z", "2026-11-28T00:00Z/2026-11-30T08:00Z");
    check("UTC", "tue 00:00 - mon 08:00,mon 02:00 - mon 03:00,mon 07:00 - mon 09:00", "2026-11-23T08:30Z", "2026-11-17T00:00Z/2026-11-23T09:00Z", "2026-11-24T00:00Z/2026-11-30T09:00Z");
}

#[test]
fn the_whole_week_has_no_bounds() {
    let half_and_half = "mon 09:00 - thu 09:00,thu 09:00 - mon 09:00";
    for coverage in [
        "",
        "wed 13:00 - wed 13:00",
        half_and_half,
        "mon 09:00 - mon 08:00,mon 08:00 - mon 09:00,mon 09:00 - tue 09:00,tue 08:00 - mon 10:00",
    ] {
        for instant in ["2026-11-25T13:00Z", "2026-10-25T01:30Z"] {
            let view = hours("Europe/Oslo", coverage).at(&Calendar::embedded(), at(instant));
            assert_eq!(view, super::ENDLESS, "{coverage}");
        }
    }
}

#[test]
fn only_no_coverage_and_no_off_days_is_always_open() {
    for (zone, coverage, expected) in [
        ("UTC", "", true),
        ("UTC off=:GB", "", true),
        ("UTC", "mon 00:00 - mon 00:00", false),
        ("UTC off=weekends:GB", "", false),
        ("UTC off=holidays:GB", "", false),
    ] {
        assert_eq!(
            hours(zone, coverage).always_open(),
            expected,
            "{zone}: {coverage}"
        );
    }
    let mut off = hours("UTC off=weekends+holidays:GB", "");
    off.off
        .iter_mut()
        .for_each(|off| off.skips.countries.clear());
    assert!(off.always_open());
    let manual = Hours {
        zone: None,
        coverage: vec![],
        off: None,
    };
    assert!(manual.always_open() && manual.at(&Calendar::embedded(), Timestamp::MIN).open);
}

#[test]
#[rustfmt::skip]
fn clocks_that_change_under_a_stretch() {
    // The hours stay local: an hour shorter in spring, longer in autumn.
    check("Europe/Oslo", "sat 22:00 - sun 06:00", "2026-03-29T00:00Z", "2026-03-28T21:00Z/2026-03-29T04:00Z", "2026-04-04T20:00Z/2026-04-05T04:00Z");
    check("Europe/Oslo", "sat 22:00 - sun 06:00", "2026-10-25T00:30Z", "2026-10-24T20:00Z/2026-10-25T05:00Z", "2026-10-31T21:00Z/2026-11-01T05:00Z");
    // Bounds in the gap move by the gap; of bounds that exist twice, the first counts.
    check("Europe/Oslo", "sun 02:30 - sun 06:00", "2026-03-29T01:00Z", "-", "2026-03-29T03:30+02:00/2026-03-29T06:00+02:00");
    check("Europe/Oslo", "sun 00:00 - sun 02:30", "2026-03-29T01:29Z", "2026-03-29T00:00+01:00/2026-03-29T03:30+02:00", "2026-04-05T00:00+02:00/2026-04-05T02:30+02:00");
    check("Europe/Oslo", "sun 02:15 - sun 02:45", "2026-10-25T00:30Z", "2026-10-25T02:15+02:00/2026-10-25T02:45+02:00", "2026-11-01T02:15+01:00/2026-11-01T02:45+01:00");
    check("Australia/Lord_Howe", "sun 02:10 - sun 05:00", "2026-10-03T15:35Z", "-", "2026-10-04T02:40+11:00/2026-10-04T05:00+11:00");
    // 03:30 to 03:15: nothing remains of that Sunday's stretch.
    check("Europe/Oslo", "sun 02:30 - sun 03:15", "2026-03-28T12:00Z", "-", "2026-04-05T02:30+02:00/2026-04-05T03:15+02:00");
    // Two that overlap in local time leave no gap; two that the change moves together are merged.
    check("Europe/Oslo", "sun 00:00 - sun 03:15,sun 02:30 - sun 05:00", "2026-03-29T01:20Z", "2026-03-28T23:00Z/2026-03-29T03:00Z", "2026-04-04T22:00Z/2026-04-05T03:00Z");
    check("Europe/Oslo", "sun 00:00 - sun 02:30,sun 03:15 - sun 05:00", "2026-03-29T01:20Z", "2026-03-28T23:00Z/2026-03-29T03:00Z", "2026-04-04T22:00Z/2026-04-05T00:30Z");
    // Midnight in the gap; a skipped day.
    check("America/Sao_Paulo", "sun 00:00 - sun 08:00", "2018-11-04T03:00Z", "2018-11-04T01:00-02:00/2018-11-04T08:00-02:00", "2018-11-11T00:00-02:00/2018-11-11T08:00-02:00");
    check("Pacific/Apia", "fri 09:00 - fri 17:00,sat 12:00 - sat 18:00", "2011-12-30T12:00Z", "-", "2011-12-31T09:00+14:00/2011-12-31T18:00+14:00");
}

/// rules.md 4.2.
#[test]
#[rustfmt::skip]
fn off_days_are_shut() {
    // Whole days in the cadence's zone.
    check("Europe/Oslo off=weekends:NO", "", "2026-11-25T12:00Z", "2026-11-23T00:00+01:00/2026-11-28T00:00+01:00", "2026-11-30T00:00+01:00/2026-12-05T00:00+01:00");
    check("Europe/Oslo off=weekends:NO", "", "2026-11-28T12:00Z", "-", "2026-11-30T00:00+01:00/2026-12-05T00:00+01:00");
    // Hours only on off days never open, including those just beyond the search.
    check("UTC off=weekends:NO", "sat 10:00 - sat 12:00", "2026-11-23T09:00Z", "-", "-");
    check("Africa/Cairo off=weekends:EG", "", "2026-11-27T12:00Z", "-", "2026-11-29T00:00+02:00/2026-12-04T00:00+02:00");
    check("UTC off=holidays:NO", OFFICE, "2026-12-24T12:00Z", "2026-12-24T09:00Z/2026-12-24T17:00Z", "2026-12-28T09:00Z/2026-12-28T17:00Z");
    // A night shift is cut at midnight.
    check("UTC off=weekends:NO", "fri 22:00 - sat 06:00,sun 22:00 - mon 06:00", "2026-11-27T23:00Z", "2026-11-27T22:00Z/2026-11-28T00:00Z", "2026-11-30T00:00Z/2026-11-30T06:00Z");
    check("UTC off=holidays:NO", "wed 13:00 - wed 13:00", "2026-12-25T12:00Z", "-", "2026-12-27T00:00Z/2027-01-01T00:00Z");
    // The search continues over months without a day off.
    check("UTC off=holidays:NO", "", "2026-08-15T12:00Z", "2026-05-26T00:00Z/2026-12-25T00:00Z", "2026-12-27T00:00Z/2027-01-01T00:00Z");
    check("America/Sao_Paulo off=weekends:BR", "", "2018-11-05T02:30Z", "2018-11-05T00:00-02:00/2018-11-10T00:00-02:00", "2018-11-12T00:00-02:00/2018-11-17T00:00-02:00");
    check("Pacific/Apia off=weekends:WS", "", "2011-12-30T05:00Z", "2011-12-26T00:00-10:00/2011-12-31T00:00+14:00", "2012-01-02T00:00+14:00/2012-01-07T00:00+14:00");
    // An off day after the last instant.
    check("UTC off=weekends:SD", "", "9999-12-16T12:00Z", "9999-12-12T00:00Z/9999-12-17T00:00Z", "9999-12-19T00:00Z/9999-12-24T00:00Z");
    // Off days in a different zone.
    let mut far = hours("Asia/Kolkata off=weekends:NO", "fri 12:00 - mon 12:00");
    far.off.iter_mut().for_each(|off| off.zone = ZoneName::parse("America/New_York").unwrap());
    let view = far.at(&Calendar::embedded(), at("2026-11-27T12:00Z"));
    assert_eq!(view.current, Some(Interval { from: at("2026-11-27T06:30Z"), until: at("2026-11-28T05:00Z") }));
    assert_eq!(view.next, Some(Interval { from: at("2026-11-30T05:00Z"), until: at("2026-11-30T06:30Z") }));
}

#[test]
fn after_the_last_known_holiday_a_window_stays_open() {
    let calendar = Calendar::embedded();
    let hours = hours("UTC off=holidays:FR", "");
    let on = hours.at(&calendar, at("2050-12-25T12:00Z"));
    assert!(!on.open);
    assert_eq!(on.changes_at, Some(at("2050-12-26T00:00Z")));
    let past = hours.at(&calendar, at("2050-12-26T00:00Z"));
    assert_eq!(past, super::ENDLESS);
}

#[test]
fn long_shut_is_found_and_shut_for_good_is_known() {
    let mut file = String::new();
    let mut day = at("2026-12-01T00:00Z");
    for _ in 0..20 * 366 {
        file.push_str(&format!("NO {}\n", day.strftime("%Y-%m-%d")));
        day += jiff::SignedDuration::from_hours(24);
    }
    let months = Calendar::with_file(&file[..14 * 700]).unwrap();
    let zone = "UTC off=holidays:NO";
    check_with(
        &months,
        zone,
        OFFICE,
        "2026-12-24T00:00Z",
        "-",
        "2028-10-31T09:00Z/2028-10-31T17:00Z",
    );
    let years = Calendar::with_file(&file).unwrap();
    check_with(&years, zone, OFFICE, "2026-12-24T00:00Z", "-", "-");
    for edge in [Timestamp::MIN, Timestamp::MAX] {
        for coverage in ["", OFFICE] {
            hours("Pacific/Apia off=weekends:NO", coverage).at(&years, edge);
            hours("America/New_York", coverage).at(&years, edge);
        }
    }
}

#[test]
fn a_workday_cadence_has_its_off_days_whatever_is_switched() {
    let cadence = Cadence {
        kind: Kind::Workday,
        zone: ZoneName::utc(),
        starts_at: at("2026-11-23T09:00Z"),
        period: 1,
        skips: Skips {
            countries: vec![CountryCode::parse("NO").unwrap()],
            ..Skips::default()
        },
    };
    let off = OffDays::of(&cadence);
    assert!(off.skips.weekends && off.skips.national_holidays && off.skips.skip_any());
}
