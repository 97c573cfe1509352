//! Random hours and instants: the predicted next state is the state found at that instant.

use super::*;
use crate::domain::zones;
use crate::tests::try_out;
use jiff::SignedDuration;
use proptest::prelude::*;

fn some_stretch() -> impl Strategy<Value = Stretch> {
    let time = || {
        prop_oneof![3 => 0..24_u8, 1 => 0..4_u8]
            .prop_flat_map(|hour| (Just(hour), prop_oneof![Just(0_u8), 0..60_u8]))
            .prop_map(|(hour, minute)| HhMm::parse(&format!("{hour:02}:{minute:02}")).unwrap())
    };
    let day = || (0..7_i8).prop_map(|at| Weekday::from_monday_zero_offset(at).unwrap());
    (day(), time(), day(), time(), any::<bool>()).prop_map(
        |(start_day, start_time, end_day, end_time, same)| Stretch {
            start_day,
            start_time,
            end_day: if same { start_day } else { end_day },
            end_time,
        },
    )
}

fn some_zone() -> impl Strategy<Value = ZoneName> {
    prop::sample::select(zones::names().collect::<Vec<_>>())
        .prop_map(|name| ZoneName::parse(name).unwrap())
}

fn some_off() -> impl Strategy<Value = OffDays> {
    let countries = Calendar::embedded().countries().collect::<Vec<_>>();
    let countries = prop::collection::vec(prop::sample::select(countries), 1..4);
    (some_zone(), any::<bool>(), any::<bool>(), countries).prop_map(
        |(zone, weekends, national_holidays, countries)| OffDays {
            zone,
            skips: Skips {
                weekends,
                national_holidays,
                countries,
            },
        },
    )
}

fn some_instant() -> impl Strategy<Value = Timestamp> {
    let (first, last) = (
        Timestamp::MIN.as_millisecond(),
        Timestamp::MAX.as_millisecond(),
    );
    let month = 31 * 24 * 3_600_000;
    prop_oneof![
        7 => 0..2_600_000_000_000_i64,
        1 => first..=last,
        1 => first..first + month,
        1 => last - month..=last,
    ]
    .prop_map(|ms| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX))
}

#[test]
fn what_is_to_come_is_what_comes() {
    let calendar = Calendar::embedded();
    let hours = (
        some_zone(),
        prop::collection::vec(some_stretch(), 0..5),
        prop::option::of(some_off()),
    )
        .prop_map(|(zone, coverage, off)| Hours {
            zone: Some(zone),
            coverage,
            off,
        });
    try_out(700, 40..=100, (hours, some_instant()), |(hours, begin)| {
        let mut other = hours.clone();
        other.coverage.reverse();
        other.coverage.extend(hours.coverage.first().copied());
        let (mut at, mut changes) = (begin, 0);
        for _ in 0..4 {
            let view = hours.at(&calendar, at);
            prop_assert_eq!(other.at(&calendar, at), view, "in another order at {}", at);
            prop_assert!(!hours.always_open() || view.open && view.changes_at.is_none());
            if let Some(current) = view.current {
                prop_assert!(view.open && current.contains(at));
                prop_assert_eq!(view.changes_at, Some(current.until));
                // The search is limited to ten years.
                if current.until.duration_since(current.from).as_hours() < 9 * 365 * 24 {
                    let first = hours.at(&calendar, current.from).current;
                    prop_assert_eq!(first.map(|c| c.until), Some(current.until));
                }
            }
            if let Some(next) = view.next {
                let from = view.changes_at.expect("what comes next begins");
                prop_assert!(next.from >= from && !next.is_empty());
                prop_assert!(view.open || next.from == from);
            }
            let Some(changes_at) = view.changes_at else {
                break;
            };
            prop_assert!(changes_at > at, "{} at {}", changes_at, at);
            let moment = SignedDuration::from_nanos(1);
            prop_assert_eq!(
                hours.at(&calendar, changes_at - moment).open,
                view.open,
                "just before {}, from {}: {:?}",
                changes_at,
                at,
                view
            );
            let then = hours.at(&calendar, changes_at);
            prop_assert_eq!(then.open, !view.open, "at {}", changes_at);
            if let (false, Some(next)) = (view.open, view.next) {
                prop_assert_eq!(
                    then.current.map(|c| c.from),
                    Some(next.from).filter(|_| then.current.is_some())
                );
            }
            (at, changes) = (changes_at, changes + 1);
        }
        Ok(changes > 0)
    });
}
