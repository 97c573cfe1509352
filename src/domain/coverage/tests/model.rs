//! Coverage checked minute by minute against a second, slow implementation of the same rules, over weeks with clock changes.

use super::{CountryCode, Hours, OffDays, Skips, Stretch, Weekday, ZoneName};
use crate::domain::holidays::Calendar;
use crate::domain::time::HhMm;
use jiff::civil::{DateTime, Time};
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;

const WEEK: usize = 7 * 24 * 60;
const WEEKS: usize = 8;

/// Whether the window is open, for every minute of `WEEKS` weeks from a local Monday.
fn minutes(hours: &Hours, calendar: &Calendar, monday: DateTime) -> (Timestamp, Vec<bool>) {
    let zone = hours.zone.unwrap();
    let local = |minutes: usize| {
        let at = monday + (minutes as i64).minutes();
        at.to_zoned(zone.tz().clone()).unwrap().timestamp()
    };
    let begin = local(0);
    let index = |at: Timestamp| (at.duration_since(begin).as_secs() / 60).max(0) as usize;

    // Marks the local week, then converts each end to instants.
    let mut week = vec![hours.coverage.is_empty(); WEEK];
    for stretch in &hours.coverage {
        let minute = |day: Weekday, time: Time| {
            day.to_monday_zero_offset() as usize * 1440
                + time.hour() as usize * 60
                + time.minute() as usize
        };
        let start = minute(stretch.start_day, stretch.start_time.civil());
        let end = minute(stretch.end_day, stretch.end_time.civil());
        let mut at = start;
        loop {
            week[at] = true;
            at = (at + 1) % WEEK;
            let next_day = stretch.start_day == stretch.end_day && end < start;
            let stop = if next_day { (end + 1440) % WEEK } else { end };
            if at == stop {
                break;
            }
        }
    }
    let open_at = |minute: usize| week[minute % WEEK];
    let end = index(local(WEEKS * WEEK));
    let mut open = vec![week.iter().all(|open| *open); end];
    for minute in 1..WEEKS * WEEK {
        let starts = open_at(minute) && !open_at(minute - 1);
        if starts {
            let length = (0..WEEK).take_while(|more| open_at(minute + more)).count();
            let (from, until) = (index(local(minute)), index(local(minute + length)));
            (from..until.min(end)).for_each(|at| open[at] = true);
        }
    }
    if let Some(off) = &hours.off {
        // Midnights of these zones are on whole tens of minutes.
        for (at, open) in open.chunks_mut(10).enumerate() {
            let instant = begin + SignedDuration::from_mins(10 * at as i64);
            let date = off.zone.tz().to_datetime(instant).date();
            if off.skips.skips(calendar, date) {
                open.fill(false);
            }
        }
    }
    (begin, open)
}

fn compare(hours: &Hours, calendar: &Calendar, monday: DateTime) -> Result<(), TestCaseError> {
    let (begin, open) = minutes(hours, calendar, monday);
    let instant = |minute: usize| begin + SignedDuration::from_mins(minute as i64);
    let change = |from: usize| (from..open.len()).find(|&at| open[at] != open[from]);
    // Not the first two weeks, whose stretches begin earlier, and not the last two, whose ends are unknown. Every 61st
    // minute reaches every minute of the hour.
    for minute in (2 * WEEK..6 * WEEK).step_by(61) {
        let at = instant(minute) + SignedDuration::from_secs((minute % 60) as i64);
        let view = hours.at(calendar, at);
        prop_assert_eq!(view.open, open[minute], "{} {:?}", at, hours);
        let changes = change(minute);
        let Some(changes) = changes else { continue };
        prop_assert_eq!(
            view.changes_at,
            Some(instant(changes)),
            "{} {:?}",
            at,
            hours
        );
        if let Some(current) = view.current {
            prop_assert_eq!(current.until, instant(changes));
            let before = (0..minute).rev().find(|&at| !open[at]);
            if let Some(before) = before {
                prop_assert_eq!(current.from, instant(before + 1), "{} {:?}", at, hours);
            }
        }
        let next_from = if open[minute] {
            change(changes)
        } else {
            Some(changes)
        };
        if let (Some(from), Some(next)) = (next_from, view.next) {
            prop_assert_eq!(next.from, instant(from), "{} {:?}", at, hours);
            if let Some(until) = change(from) {
                prop_assert_eq!(next.until, instant(until), "{} {:?}", at, hours);
            }
        }
        prop_assert!(view.next.is_some() || next_from.is_none());
    }
    Ok(())
}

fn some_stretch() -> impl Strategy<Value = Stretch> {
    let time = || {
        // Often in the hours in which clocks change.
        let hour = prop_oneof![0..24u8, 0..4u8];
        (hour, prop::sample::select(vec![0u8, 10, 30, 45]))
            .prop_map(|(hour, minute)| HhMm::parse(&format!("{hour:02}:{minute:02}")).unwrap())
    };
    let day = || (0..7i8).prop_map(|at| Weekday::from_monday_zero_offset(at).unwrap());
    let same_day = prop_oneof![2 => Just(true), 1 => Just(false)];
    (day(), day(), same_day, time(), time()).prop_map(
        |(start_day, end_day, same, start_time, end_time)| Stretch {
            start_day,
            start_time,
            end_day: if same { start_day } else { end_day },
            end_time,
        },
    )
}

/// Mondays some weeks before a clock change or a skipped day.
const ODD: [(&str, &str); 9] = [
    ("Europe/Oslo", "2026-03-02"),
    ("Europe/Oslo", "2026-09-28"),
    ("America/New_York", "2026-02-09"),
    ("America/New_York", "2026-10-05"),
    ("Australia/Lord_Howe", "2026-09-07"),
    ("Pacific/Apia", "2011-12-05"),
    ("Africa/Cairo", "2026-03-30"),
    ("America/Sao_Paulo", "2018-10-08"),
    ("Asia/Kolkata", "2026-11-23"),
];

proptest! {
    #![proptest_config(crate::tests::cases(24))]

    #[test]
    fn views_agree_with_the_rules_read_minute_by_minute(
        (zone, monday) in prop::sample::select(&ODD[..]),
        coverage in prop::collection::vec(some_stretch(), 0..5),
        off in prop::option::of((prop::sample::select(vec!["NO", "EG", "GB-SCT"]), any::<bool>(), prop::sample::select(vec!["UTC", "Pacific/Apia", "America/New_York"]))),
    ) {
        let hours = Hours {
            zone: Some(ZoneName::parse(zone).unwrap()),
            coverage,
            off: off.map(|(country, weekends, zone)| OffDays {
                zone: ZoneName::parse(zone).unwrap(),
                skips: Skips {
                    weekends,
                    national_holidays: true,
                    countries: vec![CountryCode::parse(country).unwrap()],
                },
            }),
        };
        let monday: jiff::civil::Date = monday.parse().unwrap();
        compare(&hours, &Calendar::embedded(), monday.to_datetime(Time::midnight()))?;
    }
}
