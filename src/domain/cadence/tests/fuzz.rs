//! Random valid cadences and instants: walks are ordered, agree wherever they begin, and terminate.

use super::*;
use crate::domain::zones;
use crate::tests::try_out;
use jiff::SignedDuration;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn some_instant() -> impl Strategy<Value = Timestamp> {
    let (first, last) = (
        Timestamp::MIN.as_millisecond(),
        Timestamp::MAX.as_millisecond(),
    );
    let month = 31 * 24 * 3_600_000;
    prop_oneof![
        6 => 0..2_600_000_000_000_i64,
        2 => first..=last,
        1 => first..first + month,
        1 => last - month..=last,
    ]
    .prop_map(|ms| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX))
}

fn some_kind() -> impl Strategy<Value = Kind> {
    let day = || (0..7_i8).prop_map(|at| Weekday::from_monday_zero_offset(at).unwrap());
    let time = || {
        (0..24_u8, 0..60_u8)
            .prop_map(|(hour, minute)| HhMm::parse(&format!("{hour:02}:{minute:02}")).unwrap())
    };
    prop_oneof![
        Just(Kind::DayOfWeek),
        prop::collection::vec(day(), 1..8).prop_map(Kind::DaysOfWeekList),
        Just(Kind::DayOfMonth),
        (day(), prop::collection::vec(1..=5_u8, 1..6))
            .prop_map(|(weekday, weeks)| Kind::NthWeekdayOfMonth { weekday, weeks }),
        prop::collection::vec(time(), 1..48).prop_map(|times| Kind::Daily { times }),
        Just(Kind::Workday),
    ]
}

prop_compose! {
    fn some_cadence()(
        kind in some_kind(),
        zone in prop::sample::select(zones::names().collect::<Vec<_>>()),
        starts_at in some_instant(),
        period in prop_oneof![5 => 1..5_u32, 2 => 5..500_u32, 1 => prop::sample::select(vec![i32::MAX as u32, 1_000_000])],
        (weekends, national_holidays) in any::<(bool, bool)>(),
        countries in prop::collection::vec(prop::sample::select(Calendar::embedded().countries().collect::<Vec<_>>()), 0..4),
    ) -> Cadence {
        let zone = ZoneName::parse(zone).unwrap();
        Cadence { kind, zone, starts_at, period, skips: Skips { weekends, national_holidays, countries } }
    }
}

/// Hand-overs checked per walk.
const STEPS: usize = 40;

#[test]
fn walks_rise_and_agree_from_wherever_they_begin() {
    let calendar =
        Calendar::with_file("NO 2026-11-24\n-NO 2026-12-25\nUS 9999-12-30\nEG 2051-01-01").unwrap();
    let case = (some_cadence(), some_instant(), 0..STEPS);
    try_out(3_000, 60..=100, case, |(cadence, after, begin)| {
        let found = cadence.upcoming(&calendar, after, STEPS);
        prop_assert!(found.is_sorted_by(|one, next| one < next), "{:?}", found);
        prop_assert!(
            found
                .iter()
                .all(|at| *at > after && *at >= cadence.starts_at),
            "{:?}",
            found
        );
        // A moved hand-over is on an open day, and every time of day is a requested one.
        let moves = cadence.skips.skip_any() && cadence.kind != Kind::Workday;
        for at in &found {
            let local = cadence.zone.tz().to_datetime(*at);
            let skips = cadence.effective_skips();
            // A time in a gap is later, and after a whole skipped day it may be any other.
            let mut nominal = vec![cadence.anchor().time()];
            if let Kind::Daily { times } = &cadence.kind {
                nominal = times.iter().map(|time| time.civil()).collect();
            }
            let usual = nominal.contains(&local.time());
            prop_assert!(
                !usual
                    || !moves && cadence.kind != Kind::Workday
                    || !skips.skips(&calendar, local.date())
                    || left_out(&cadence, local)
            );
            prop_assert!(
                usual
                    || nominal.iter().any(|time| {
                        let nominal = local.date().to_datetime(*time);
                        let before = nominal
                            .checked_sub(SignedDuration::from_hours(24))
                            .unwrap_or(nominal);
                        [nominal, before].iter().any(|nominal| {
                            let real = cadence.zone.tz().to_timestamp(*nominal);
                            real.is_ok_and(|real| real == *at)
                        })
                    }),
                "{at} of {cadence:?}"
            );
        }
        // A new walk after any of them gives the same rest.
        if let Some(middle) = found.get(begin) {
            let rest = cadence.upcoming(&calendar, *middle, STEPS - begin - 1);
            prop_assert_eq!(&rest[..], &found[begin + 1..], "after {}", middle);
            let just_before = *middle - SignedDuration::from_nanos(1);
            prop_assert_eq!(cadence.next(&calendar, just_before), Some(*middle));
        }
        // Fewer only at the end of the calendar, or if a fifth occurrence never exists.
        if found.len() < STEPS {
            let last = found.last().copied().unwrap_or(after);
            prop_assert_eq!(cadence.next(&calendar, last), None);
            prop_assert_eq!(cadence.next(&calendar, Timestamp::MAX), None);
        }
        Ok(!found.is_empty())
    });
}

/// Whether the zone skips the whole previous day, as Samoa did.
fn left_out(cadence: &Cadence, local: DateTime) -> bool {
    let before = local
        .date()
        .yesterday()
        .map(|day| day.to_datetime(local.time()));
    before.is_ok_and(|before| {
        cadence
            .zone
            .tz()
            .to_timestamp(before)
            .is_ok_and(|at| cadence.zone.tz().to_datetime(at).date() == local.date())
    })
}

/// Duplicates and the order of weekdays, occurrences and times do not matter.
#[test]
fn lists_are_sets() {
    let calendar = Calendar::embedded();
    try_out(
        800,
        30..=100,
        (some_cadence(), some_instant()),
        |(cadence, after)| {
            let mut other = cadence.clone();
            match &mut other.kind {
                Kind::DaysOfWeekList(days) => {
                    days.reverse();
                    days.push(days[0]);
                }
                Kind::NthWeekdayOfMonth { weeks, .. } => {
                    weeks.reverse();
                    weeks.push(weeks[0]);
                }
                Kind::Daily { times } => {
                    times.reverse();
                    times.push(times[0]);
                }
                _ => {}
            }
            other.skips.countries.reverse();
            let found = cadence.upcoming(&calendar, after, 8);
            prop_assert_eq!(&other.upcoming(&calendar, after, 8), &found);
            Ok(other != cadence)
        },
    );
}

/// A country that is shut for longer than the search limit has no more hand-overs, from any instant.
#[test]
fn a_shut_country_is_given_up() {
    let mut file = String::new();
    let (first, mut day) = (at("2026-01-01T00:00Z"), at("2026-01-01T00:00Z"));
    let mut open = BTreeSet::new();
    for number in 0..30 * 366 {
        if number < 600 && number % 3 == 0 {
            open.insert(day);
        } else {
            file.push_str(&format!("NO {}\n", day.strftime("%Y-%m-%d")));
        }
        day += SignedDuration::from_hours(24);
    }
    let calendar = Calendar::with_file(&file).unwrap();
    try_out(
        150,
        30..=100,
        (some_kind(), 1..4_u32, 0..550_i64),
        |(kind, period, after)| {
            if kind == Kind::Workday {
                // Working days are counted to the end of the calendar.
                return Ok(false);
            }
            let skips = Skips {
                weekends: false,
                national_holidays: true,
                countries: vec![CountryCode::parse("NO").unwrap()],
            };
            let cadence = Cadence {
                kind,
                period,
                zone: ZoneName::utc(),
                starts_at: first,
                skips,
            };
            let after = first + SignedDuration::from_hours(24 * after);
            let found = cadence.upcoming(&calendar, after, 30_000);
            let midnight = |at: &Timestamp| jiff::tz::Offset::UTC.to_datetime(*at).date();
            let days: BTreeSet<_> = open.iter().map(midnight).collect();
            prop_assert!(
                found.iter().all(|at| days.contains(&midnight(at))),
                "{:?}",
                found
            );
            Ok(!found.is_empty())
        },
    );
}
