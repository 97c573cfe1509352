//! Walks checked against a second, slow implementation of the same rules that examines every day from the anchor on.

use super::{Cadence, Kind, Skips, weekday};
use crate::domain::holidays::{Calendar, CountryCode};
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

const YEARS: i16 = 3;

/// All hand-overs of the first years, directly from the rules.
fn all(cadence: &Cadence, calendar: &Calendar) -> Vec<Timestamp> {
    let start: DateTime = cadence
        .starts_at
        .to_zoned(cadence.zone.tz().clone())
        .datetime();
    let monday = start.date().nth_weekday(-1, Weekday::Monday).unwrap();
    let monday = if start.weekday() == Weekday::Monday {
        start.date()
    } else {
        monday
    };
    let mut working_days = 0;
    let mut found = Vec::new();
    let mut day = monday.min(start.date().first_of_month());
    while day.year() <= start.year() + YEARS {
        for time in times_on(cadence, calendar, start, monday, day, &mut working_days) {
            if instant(cadence, day, time).is_none_or(|at| at < cadence.starts_at) {
                continue;
            }
            let mut open = day;
            while cadence.skips.skips(calendar, open) && cadence.kind != Kind::Workday {
                open = open.tomorrow().unwrap();
            }
            found.extend(instant(cadence, open, time));
        }
        day = day.tomorrow().unwrap();
    }
    found.sort();
    found.dedup();
    found
}

fn instant(cadence: &Cadence, day: Date, time: Time) -> Option<Timestamp> {
    // `Compatible` is the default of jiff's civil-to-zoned conversion.
    let local = day.to_datetime(time);
    local
        .to_zoned(cadence.zone.tz().clone())
        .ok()
        .map(|zoned| zoned.timestamp())
}

fn times_on(
    cadence: &Cadence,
    calendar: &Calendar,
    start: DateTime,
    monday: Date,
    day: Date,
    working_days: &mut u32,
) -> Vec<Time> {
    let period = i64::from(cadence.period);
    let since = |from: Date| i64::from(from.until(day).unwrap().get_days());
    let months = i64::from(day.year() - start.year()) * 12 + i64::from(day.month() - start.month());
    let in_month = months >= 0 && months % period == 0;
    let meant = match &cadence.kind {
        Kind::DayOfWeek => since(start.date()) >= 0 && since(start.date()) % (7 * period) == 0,
        Kind::DaysOfWeekList(list) => {
            since(monday) >= 0 && since(monday) / 7 % period == 0 && list.contains(&day.weekday())
        }
        Kind::DayOfMonth => {
            let last = day.last_of_month() == day && start.day() > day.day();
            in_month && (day.day() == start.day() || last)
        }
        Kind::NthWeekdayOfMonth { weekday, weeks } => {
            in_month
                && day.weekday() == *weekday
                && weeks.contains(&((day.day() as u8 - 1) / 7 + 1))
        }
        Kind::Daily { times } => {
            let on = since(start.date()) >= 0 && since(start.date()) % period == 0;
            return if on {
                times.iter().map(|time| time.civil()).collect()
            } else {
                vec![]
            };
        }
        Kind::Workday => {
            let always = Skips {
                weekends: true,
                national_holidays: true,
                ..cadence.skips.clone()
            };
            let working = day >= start.date() && !always.skips(calendar, day);
            *working_days += u32::from(working);
            working && (*working_days - 1).is_multiple_of(cadence.period)
        }
    };
    if meant { vec![start.time()] } else { vec![] }
}

fn some_kind() -> impl Strategy<Value = Kind> {
    let day = || {
        (0..7usize).prop_map(|at| weekday(["mon", "tue", "wed", "thu", "fri", "sat", "sun"][at]))
    };
    let time = (0..24u8, prop::sample::select(vec![0u8, 15, 30, 45]))
        .prop_map(|(hour, minute)| HhMm::parse(&format!("{hour:02}:{minute:02}")).unwrap());
    prop_oneof![
        Just(Kind::DayOfWeek),
        prop::collection::vec(day(), 1..4).prop_map(Kind::DaysOfWeekList),
        Just(Kind::DayOfMonth),
        (day(), prop::collection::vec(1..=5u8, 1..4))
            .prop_map(|(weekday, weeks)| Kind::NthWeekdayOfMonth { weekday, weeks }),
        prop::collection::vec(time, 1..5).prop_map(|times| Kind::Daily { times }),
        Just(Kind::Workday),
    ]
}

/// Zones with unusual changes in the years that begin at the second member.
const ODD: [(&str, i64); 9] = [
    ("UTC", 2025),
    ("America/New_York", 2026),
    ("Europe/Oslo", 2026),
    ("Australia/Lord_Howe", 2024),
    ("Pacific/Apia", 2010),
    ("Africa/Cairo", 2023),
    ("Asia/Kolkata", 2023),
    ("America/Sao_Paulo", 2017),
    ("Africa/Casablanca", 2022),
];

prop_compose! {
    fn some_cadence()(
        kind in some_kind(),
        (zone, year) in prop::sample::select(&ODD[..]),
        minutes in 0..2 * 366 * 24 * 2i64,
        period in prop_oneof![3 => 1..=4u32, 1 => 5..40u32],
        weekends: bool,
        national_holidays: bool,
        countries in prop::collection::vec(prop::sample::select(vec!["NO", "EG", "GB-SCT", "US", "IR"]), 0..3),
    ) -> Cadence {
        let begin = Timestamp::from_second((year - 1970) * 31_556_952).unwrap();
        Cadence {
            kind,
            zone: ZoneName::parse(zone).unwrap(),
            starts_at: begin + SignedDuration::from_mins(minutes * 15),
            period,
            skips: Skips {
                weekends,
                national_holidays,
                countries: countries.iter().map(|code| CountryCode::parse(code).unwrap()).collect(),
            },
        }
    }
}

proptest! {
    #![proptest_config(crate::tests::cases(96))]

    #[test]
    fn walks_agree_with_the_rules_read_day_by_day(cadence in some_cadence(), after in 0..700i64) {
        let calendar = Calendar::with_file("NO 2026-11-24\n-NO 2026-12-25\nGB 2011-12-30").unwrap();
        let expected = all(&cadence, &calendar);
        // The model ends after a year; near its end it lacks hand-overs that move in from later.
        let known = cadence.starts_at + SignedDuration::from_hours(900 * 24);
        let expected: Vec<Timestamp> = expected.into_iter().filter(|&at| at < known).collect();
        let walk = cadence.hand_overs(&calendar, Timestamp::MIN);
        let walked: Vec<Timestamp> = walk.take_while(|&at| at < known).collect();
        prop_assert_eq!(&walked, &expected);
        let after = cadence.starts_at + SignedDuration::from_hours(after * 29);
        let next = cadence.next(&calendar, after).filter(|&at| at < known);
        prop_assert_eq!(next, expected.into_iter().find(|&at| at > after), "after {}", after);
    }
}
