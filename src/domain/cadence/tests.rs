mod fuzz;
mod model;

use super::{Cadence, Kind, Skips};
use crate::domain::holidays::{Calendar, CountryCode};
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::{DateTime, Weekday};

/// Parses `kind period zone start [skip=weekends+holidays:GB,NO]`. The kind is `weekly`, `days:mon+fri`, `monthly`,
/// `nth:fri:1+3`, `daily:08:00+20:00` or `workday`; the start is a local time in the zone.
fn cadence(text: &str) -> Cadence {
    let mut words = text.split(' ');
    let mut word = || words.next().unwrap_or_else(|| panic!("{text}"));
    let kind = kind(word());
    let period = word().parse().unwrap();
    let zone = ZoneName::parse(word()).unwrap();
    let start: DateTime = word().parse().unwrap();
    let starts_at = zone.tz().to_timestamp(start).unwrap();
    let mut skips = Skips::default();
    if let Some(rule) = words.next() {
        let (what, countries) = rule.strip_prefix("skip=").unwrap().split_once(':').unwrap();
        skips = Skips {
            weekends: what.contains("weekends"),
            national_holidays: what.contains("holidays"),
            countries: countries
                .split(',')
                .map(|code| CountryCode::parse(code).unwrap())
                .collect(),
        };
    }
    Cadence {
        kind,
        zone,
        starts_at,
        period,
        skips,
    }
}

fn kind(text: &str) -> Kind {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    match name {
        "weekly" => Kind::DayOfWeek,
        "days" => Kind::DaysOfWeekList(rest.split('+').map(weekday).collect()),
        "monthly" => Kind::DayOfMonth,
        "nth" => {
            let (day, weeks) = rest.split_once(':').unwrap();
            Kind::NthWeekdayOfMonth {
                weekday: weekday(day),
                weeks: weeks.split('+').map(|week| week.parse().unwrap()).collect(),
            }
        }
        "daily" => Kind::Daily {
            times: rest
                .split('+')
                .map(|time| HhMm::parse(time).unwrap())
                .collect(),
        },
        "workday" => Kind::Workday,
        _ => panic!("{text}"),
    }
}

fn weekday(name: &str) -> Weekday {
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let at = names.iter().position(|known| *known == name).unwrap();
    Weekday::from_monday_zero_offset(at as i8).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// The hand-overs after the instant `after`.
fn check_after(text: &str, after: &str, expected: &[&str]) {
    check_with(&Calendar::embedded(), text, at(after), expected);
}

/// The first hand-overs.
fn check(text: &str, expected: &[&str]) {
    check_with(&Calendar::embedded(), text, Timestamp::MIN, expected);
}

fn check_with(calendar: &Calendar, text: &str, after: Timestamp, expected: &[&str]) {
    let cadence = cadence(text);
    let expected: Vec<Timestamp> = expected.iter().map(|text| at(text)).collect();
    let found = cadence.upcoming(calendar, after, expected.len());
    assert_eq!(found, expected, "{text}");
    // A new call after each must give the same as the iterator.
    let mut last = after;
    for &next in &expected {
        assert_eq!(
            cadence.next(calendar, last),
            Some(next),
            "{text} after {last}"
        );
        let just_before = next - jiff::SignedDuration::from_nanos(1);
        assert_eq!(cadence.next(calendar, just_before), Some(next), "{text}");
        last = next;
    }
}

/// rules.md 3.1 and 3.2.
#[test]
#[rustfmt::skip]
fn weeks() {
    check("weekly 1 UTC 2026-11-23T09:00", &["2026-11-23T09:00Z", "2026-11-30T09:00Z", "2026-12-07T09:00Z"]);
    check_after("weekly 2 UTC 2026-11-23T09:00", "2026-11-23T09:00Z", &["2026-12-07T09:00Z", "2026-12-21T09:00Z"]);
    // Local time stays the same, the instant moves with daylight saving time.
    check("weekly 1 Europe/Oslo 2026-03-23T09:00", &["2026-03-23T08:00Z", "2026-03-30T07:00Z"]);
    check("weekly 1 Europe/Oslo 2026-10-19T09:00", &["2026-10-19T07:00Z", "2026-10-26T08:00Z"]);
    check("weekly 1 America/New_York 2026-03-02T09:00", &["2026-03-02T14:00Z", "2026-03-09T13:00Z"]);
    check("weekly 1 America/New_York 2026-10-26T09:00", &["2026-10-26T13:00Z", "2026-11-02T14:00Z"]);
    check("weekly 1 Asia/Kolkata 2026-03-23T09:00", &["2026-03-23T03:30Z", "2026-03-30T03:30Z"]);
    // A time in the gap moves by the gap and returns the week after. A time that exists twice is the first.
    check("weekly 1 Europe/Oslo 2026-03-22T02:30", &["2026-03-22T02:30+01:00", "2026-03-29T03:30+02:00", "2026-04-05T02:30+02:00"]);
    check("weekly 1 Europe/Oslo 2026-10-18T02:30", &["2026-10-18T02:30+02:00", "2026-10-25T02:30+02:00", "2026-11-01T02:30+01:00"]);
    check("weekly 1 America/New_York 2026-10-25T01:30", &["2026-10-25T01:30-04:00", "2026-11-01T01:30-04:00", "2026-11-08T01:30-05:00"]);
    check("weekly 1 Australia/Lord_Howe 2026-09-27T02:15", &["2026-09-27T02:15+10:30", "2026-10-04T02:45+11:00", "2026-10-11T02:15+11:00"]);
    check("weekly 1 Australia/Lord_Howe 2026-03-29T01:45", &["2026-03-29T01:45+11:00", "2026-04-05T01:45+11:00", "2026-04-12T01:45+10:30"]);
    check("weekly 1 Africa/Cairo 2026-04-17T00:00", &["2026-04-17T00:00+02:00", "2026-04-24T01:00+03:00", "2026-05-01T00:00+03:00"]);
    check("weekly 1 America/Sao_Paulo 2018-10-28T00:00", &["2018-10-28T00:00-03:00", "2018-11-04T01:00-02:00", "2018-11-11T00:00-02:00"]);
    // Samoa skipped Friday, 30 December 2011.
    check("weekly 1 Pacific/Apia 2011-12-23T10:00", &["2011-12-23T10:00-10:00", "2011-12-31T10:00+14:00", "2012-01-06T10:00+14:00"]);
    // Seconds of the start are kept.
    check("weekly 1 UTC 2026-11-23T09:00:07.5", &["2026-11-23T09:00:07.5Z", "2026-11-30T09:00:07.5Z"]);
}

#[test]
fn a_start_in_the_repeated_hour_begins_with_the_first_later_occurrence() {
    // The second 02:30. The hand-over of that day is the first 02:30, an hour before the start.
    let mut late = cadence("weekly 1 Europe/Oslo 2026-10-25T02:30");
    late.starts_at = at("2026-10-25T02:30+01:00");
    let found = late.next(&Calendar::embedded(), Timestamp::MIN);
    assert_eq!(found, Some(at("2026-11-01T02:30+01:00")));
}

/// rules.md 3.2.
#[test]
#[rustfmt::skip]
fn lists_of_weekdays() {
    // A Wednesday: Monday of its week is past.
    check("days:fri+mon 1 UTC 2026-11-25T09:00", &["2026-11-27T09:00Z", "2026-11-30T09:00Z", "2026-12-04T09:00Z"]);
    check("days:mon+wed 2 UTC 2026-11-25T09:00", &["2026-11-25T09:00Z", "2026-12-07T09:00Z", "2026-12-09T09:00Z", "2026-12-21T09:00Z"]);
    check("days:mon 3 UTC 2026-11-25T09:00", &["2026-12-14T09:00Z", "2027-01-04T09:00Z"]);
    // Weeks begin on Monday: the Sunday still belongs to the first week.
    check("days:sun+mon 2 UTC 2026-11-29T09:00", &["2026-11-29T09:00Z", "2026-12-07T09:00Z", "2026-12-13T09:00Z"]);
    check("days:sat+sun 1 Europe/Oslo 2026-03-28T02:30", &["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-04-04T00:30Z"]);
    check("days:thu+fri+sat 1 Pacific/Apia 2011-12-29T10:00", &["2011-12-29T20:00Z", "2011-12-30T20:00Z", "2012-01-04T20:00Z"]);
}

/// rules.md 3.2.
#[test]
#[rustfmt::skip]
fn months() {
    check("monthly 1 UTC 2026-12-31T09:00", &["2026-12-31T09:00Z", "2027-01-31T09:00Z", "2027-02-28T09:00Z", "2027-03-31T09:00Z", "2027-04-30T09:00Z"]);
    check_after("monthly 1 UTC 2026-12-31T09:00", "2028-02-01T00:00Z", &["2028-02-29T09:00Z", "2028-03-31T09:00Z"]);
    check_after("monthly 1 UTC 2026-01-30T09:00", "2027-02-01T00:00Z", &["2027-02-28T09:00Z", "2027-03-30T09:00Z"]);
    check_after("monthly 1 UTC 2026-01-29T09:00", "2028-02-01T00:00Z", &["2028-02-29T09:00Z", "2028-03-29T09:00Z"]);
    check("monthly 12 UTC 2024-02-29T09:00", &["2024-02-29T09:00Z", "2025-02-28T09:00Z", "2026-02-28T09:00Z", "2027-02-28T09:00Z", "2028-02-29T09:00Z"]);
    check("monthly 5 UTC 2026-10-31T09:00", &["2026-10-31T09:00Z", "2027-03-31T09:00Z", "2027-08-31T09:00Z"]);
    check("monthly 1 America/New_York 2026-02-08T02:30", &["2026-02-08T02:30-05:00", "2026-03-08T03:30-04:00", "2026-04-08T02:30-04:00"]);
}

/// rules.md 3.2.
#[test]
#[rustfmt::skip]
fn occurrences_in_the_month() {
    check("nth:fri:1+3 1 UTC 2026-11-10T09:00", &["2026-11-20T09:00Z", "2026-12-04T09:00Z", "2026-12-18T09:00Z"]);
    // A month without a fifth occurrence has no hand-over.
    check("nth:mon:5 1 UTC 2026-11-01T09:00", &["2026-11-30T09:00Z", "2027-03-29T09:00Z", "2027-05-31T09:00Z"]);
    // Months count from the start's month, even if its occurrence is past.
    check("nth:mon:1 2 UTC 2026-11-10T09:00", &["2027-01-04T09:00Z", "2027-03-01T09:00Z"]);
    check("nth:sun:5+4 1 Europe/Oslo 2026-03-01T02:30", &["2026-03-22T01:30Z", "2026-03-29T01:30Z", "2026-04-26T00:30Z", "2026-05-24T00:30Z"]);
    // Only Februaries: a fifth Sunday occurs every 28 years, or after 40 across 2100.
    check("nth:sun:5 12 UTC 2026-02-01T09:00", &["2032-02-29T09:00Z", "2060-02-29T09:00Z", "2088-02-29T09:00Z", "2128-02-29T09:00Z"]);
}

/// rules.md 3.2.
#[test]
#[rustfmt::skip]
fn days() {
    check("daily:20:00+08:00 1 UTC 2026-11-23T12:00", &["2026-11-23T20:00Z", "2026-11-24T08:00Z", "2026-11-24T20:00Z"]);
    check("daily:08:00+20:00 3 UTC 2026-11-23T12:00", &["2026-11-23T20:00Z", "2026-11-26T08:00Z", "2026-11-26T20:00Z"]);
    // 02:30 becomes 03:30, which is later than 03:15.
    check("daily:02:30+03:15 1 Europe/Oslo 2026-03-29T00:00", &["2026-03-29T03:15+02:00", "2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00"]);
    check("daily:02:30+03:30 1 Europe/Oslo 2026-03-29T00:00", &["2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00"]);
    check("daily:01:30+02:30 1 America/New_York 2026-11-01T00:00", &["2026-11-01T01:30-04:00", "2026-11-01T02:30-05:00", "2026-11-02T01:30-05:00"]);
    check("daily:00:30 1 America/Sao_Paulo 2018-11-03T00:00", &["2018-11-03T00:30-03:00", "2018-11-04T01:30-02:00", "2018-11-05T00:30-02:00"]);
    // The day that Samoa skipped coincides with the next.
    check("daily:10:00 1 Pacific/Apia 2011-12-29T00:00", &["2011-12-29T20:00Z", "2011-12-30T20:00Z", "2011-12-31T20:00Z"]);
    check("daily:01:00+23:00 1 Pacific/Apia 2011-12-30T00:30", &["2011-12-31T01:00+14:00", "2011-12-31T23:00+14:00", "2012-01-01T01:00+14:00"]);
}

/// rules.md 3.2.
#[test]
#[rustfmt::skip]
fn working_days() {
    check("workday 1 Europe/Oslo 2026-04-01T09:00 skip=none:NO", &["2026-04-01T07:00Z", "2026-04-07T07:00Z", "2026-04-08T07:00Z"]);
    // A Saturday: Monday counts as the first working day.
    check("workday 3 UTC 2026-11-21T09:00 skip=none:US", &["2026-11-23T09:00Z", "2026-11-27T09:00Z", "2026-12-02T09:00Z"]);
    check("workday 5 UTC 2026-11-22T09:00 skip=none:EG", &["2026-11-22T09:00Z", "2026-11-29T09:00Z"]);
    check("workday 1 UTC 2026-11-26T09:00 skip=none:EG", &["2026-11-26T09:00Z", "2026-11-29T09:00Z"]);
    check("workday 1 UTC 2026-11-25T09:00 skip=none:EG,US", &["2026-11-25T09:00Z", "2026-11-30T09:00Z"]);
    check_after("workday 2 UTC 1990-01-01T09:00 skip=none:US", "2026-11-24T09:00Z", &["2026-11-25T09:00Z", "2026-11-30T09:00Z"]);
}

/// rules.md 3.3 and 3.4.
#[test]
#[rustfmt::skip]
fn skipped_days_move_hand_overs() {
    // Easter Monday is a holiday in England but not in Scotland, and so not in all of Britain.
    check("weekly 1 UTC 2026-03-30T09:00 skip=holidays:GB-ENG", &["2026-03-30T09:00Z", "2026-04-07T09:00Z", "2026-04-13T09:00Z"]);
    check("weekly 1 UTC 2026-03-30T09:00 skip=holidays:GB-SCT", &["2026-03-30T09:00Z", "2026-04-06T09:00Z", "2026-04-13T09:00Z"]);
    check("weekly 1 UTC 2026-03-30T09:00 skip=holidays:GB", &["2026-03-30T09:00Z", "2026-04-06T09:00Z"]);
    check("weekly 1 UTC 2026-03-30T09:00 skip=holidays:GB-SCT,GB-ENG", &["2026-03-30T09:00Z", "2026-04-07T09:00Z"]);
    // Christmas on a Friday, then the weekend: only both together reach Monday, or in England the day after its substitute.
    check("weekly 1 UTC 2026-12-18T09:00 skip=holidays:NO", &["2026-12-18T09:00Z", "2026-12-27T09:00Z", "2027-01-02T09:00Z"]);
    check("weekly 1 UTC 2026-12-18T09:00 skip=weekends+holidays:NO", &["2026-12-18T09:00Z", "2026-12-28T09:00Z", "2027-01-04T09:00Z"]);
    check("weekly 1 UTC 2026-12-18T09:00 skip=weekends+holidays:GB-ENG", &["2026-12-18T09:00Z", "2026-12-29T09:00Z", "2027-01-04T09:00Z"]);
    // Egypt's weekend is Friday and Saturday.
    check("daily:09:00 1 UTC 2026-11-26T00:00 skip=weekends:EG", &["2026-11-26T09:00Z", "2026-11-29T09:00Z", "2026-11-30T09:00Z"]);
    // Merged with an existing hand-over.
    check("days:sat+sun+mon 1 UTC 2026-11-28T09:00 skip=weekends:NO", &["2026-11-30T09:00Z", "2026-12-07T09:00Z"]);
    check("daily:08:00+20:00 2 UTC 2026-11-28T12:00 skip=weekends:NO", &["2026-11-30T08:00Z", "2026-11-30T20:00Z", "2026-12-02T08:00Z"]);
    // The start itself is skipped. A day before the start is no hand-over even if it would move past it.
    check("monthly 1 UTC 2026-11-28T09:00 skip=weekends:NO", &["2026-11-30T09:00Z", "2026-12-28T09:00Z"]);
    check("days:sat+wed 2 UTC 2026-11-29T09:00 skip=weekends:NO", &["2026-12-09T09:00Z", "2026-12-14T09:00Z"]);
    // A skip without a country skips nothing.
    let mut none = cadence("weekly 1 UTC 2026-11-28T09:00 skip=weekends:NO");
    none.skips.countries.clear();
    assert_eq!(none.next(&Calendar::embedded(), Timestamp::MIN), Some(at("2026-11-28T09:00Z")));
}

#[test]
fn a_moved_hand_over_is_found_from_within_the_shut_days() {
    let text = "weekly 1 UTC 2026-12-18T09:00 skip=weekends+holidays:GB-ENG";
    for after in [
        "2026-12-25T09:00Z",
        "2026-12-27T00:00Z",
        "2026-12-29T08:59Z",
    ] {
        check_after(text, after, &["2026-12-29T09:00Z", "2027-01-04T09:00Z"]);
    }
}

#[test]
fn the_shown_day_is_the_anchors() {
    let shown = |text: &str| {
        let cadence = cadence(text);
        (cadence.day_of_week(), cadence.day_of_month())
    };
    // Late on Sunday in UTC is Monday in Auckland.
    assert_eq!(
        shown("weekly 1 Pacific/Auckland 2026-11-23T09:00"),
        (Weekday::Monday, 23)
    );
    assert_eq!(
        shown("nth:fri:1 1 UTC 2026-12-31T09:00"),
        (Weekday::Friday, 31)
    );
}

#[test]
fn what_never_comes_is_none_and_takes_no_time() {
    let calendar = Calendar::embedded();
    let far = [
        "weekly",
        "days:mon",
        "monthly",
        "nth:mon:5",
        "daily:09:00",
        "workday",
    ];
    for kind in far {
        for period in [i32::MAX as u32, u32::MAX] {
            // A Monday, the fifth of its month.
            let text = format!("{kind} {period} UTC 2026-11-30T09:00 skip=none:NO");
            let found = cadence(&text).upcoming(&calendar, Timestamp::MIN, 3);
            assert_eq!(found, [at("2026-11-30T09:00Z")], "{text}");
            assert_eq!(
                cadence(&text).next(&calendar, Timestamp::MAX),
                None,
                "{text}"
            );
        }
        let text = format!("{kind} 1 Pacific/Apia 2026-11-30T09:00 skip=weekends+holidays:NO");
        assert_eq!(
            cadence(&text).next(&calendar, Timestamp::MAX),
            None,
            "{text}"
        );
        let last = cadence(&text).next(&calendar, at("9999-12-01T00:00Z"));
        assert!(last.is_none_or(|at| at < Timestamp::MAX), "{text}");
        let mut early = cadence(&text);
        early.starts_at = Timestamp::MIN;
        assert!(early.next(&calendar, Timestamp::MIN).is_some(), "{text}");
    }
    assert_eq!(
        cadence("nth:mon:5 24 UTC 2027-02-01T09:00").next(&calendar, Timestamp::MIN),
        None
    );
    for broken in [
        Kind::DaysOfWeekList(vec![]),
        Kind::NthWeekdayOfMonth {
            weekday: Weekday::Monday,
            weeks: vec![0, 6, 255],
        },
        Kind::Daily { times: vec![] },
    ] {
        let mut cadence = cadence("weekly 12 UTC 2026-11-30T09:00");
        cadence.kind = broken;
        cadence.period = 12_000;
        assert_eq!(
            cadence.next(&calendar, Timestamp::MIN),
            None,
            "{:?}",
            cadence.kind
        );
    }
    let mut zero = cadence("weekly 1 UTC 2026-11-30T09:00");
    zero.period = 0;
    assert_eq!(
        zero.next(&calendar, at("2026-12-01T00:00Z")),
        Some(at("2026-12-07T09:00Z"))
    );
}

#[test]
fn everything_shut_is_none_and_long_shut_is_found() {
    let mut file = String::new();
    let mut day = at("2026-12-01T00:00Z");
    for _ in 0..20 * 366 {
        file.push_str(&format!("NO {}\n", day.strftime("%Y-%m-%d")));
        day += jiff::SignedDuration::from_hours(24);
    }
    let years = Calendar::with_file(&file).unwrap();
    let months = Calendar::with_file(&file[..14 * 700]).unwrap();
    for kind in [
        "weekly",
        "days:mon",
        "monthly",
        "daily:09:00",
        "workday",
        "nth:mon:5",
    ] {
        let text = format!("{kind} 1 UTC 2026-11-30T09:00 skip=holidays:NO");
        let reopens = at("2028-10-31T09:00Z");
        let before = at("2026-12-24T00:00Z");
        assert_eq!(
            cadence(&text).next(&months, before),
            Some(reopens),
            "{text}"
        );
        assert_eq!(
            cadence(&text).next(&years, at("2026-12-24T00:00Z")),
            None,
            "{text}"
        );
    }
}
