//! What a forecast takes at the least, and what it takes to refuse one that takes too much.

use super::notices::{dealt, fill, weekly};
use super::*;
use crate::domain::absence::Absences;
use crate::domain::coverage::Stretch;
use crate::domain::time::HhMm;
use crate::domain::warning::tests::{every_day, stretch};
use jiff::civil::Weekday;

const TUESDAY: &str = "2026-11-24T00:00:00Z";

/// Every so many minutes of the day.
fn every(minutes: i64, late: i64) -> Cadence {
    let times = (0..24 * 60 / minutes).map(|turn| HhMm::of(late + turn * minutes));
    let times = times.collect();
    Cadence {
        kind: Kind::Daily { times },
        ..weekly("2026-11-01T00:00:00", "Europe/Oslo")
    }
}

fn on_working_days(cadence: Cadence) -> Cadence {
    let skips = Skips {
        weekends: true,
        national_holidays: true,
        countries: vec![crate::domain::holidays::CountryCode::parse("NO").expect("a country")],
    };
    Cadence { skips, ..cadence }
}

/// A grid of so many lanes, with the hours of each window.
fn grid(people: &str, lanes: usize, windows: Vec<(Cadence, Vec<Stretch>)>) -> Rotation {
    let (cadences, hours): (Vec<_>, Vec<_>) = windows.into_iter().unzip();
    let mut rotation = dealt(people, lanes, &cadences, TUESDAY);
    for (window, hours) in rotation.windows.iter_mut().zip(hours) {
        window.coverage = hours;
    }
    fill(rotation)
}

/// So many windows of three quarters of an hour on every day, one in each hour.
fn hourly(windows: usize) -> Vec<(Cadence, Vec<Stretch>)> {
    let hours = |hour: usize| every_day(&format!("{hour:02}:00"), &format!("{hour:02}:45"));
    let daily = |hour| (every(24 * 60, 9 * 60), hours(hour));
    (0..windows).map(daily).collect()
}

fn days(days: i64) -> Interval {
    let from = at(TUESDAY);
    Interval {
        from,
        until: from + SignedDuration::from_hours(24 * days),
    }
}

/// What a forecast of a range takes, as far as it comes.
fn taken(rotation: &Rotation, range: Interval, limits: Limits, aims: bool) -> (Least, bool) {
    let (calendar, absences) = (Calendar::embedded(), Absences::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let mut future = rotation.clone();
    let mut forecast = Forecast::new(&mut future, dealing, limits);
    if aims {
        forecast.aim(range, usize::MAX);
    }
    let mut taken = Least::default();
    while let Some(step) = forecast.step_before(range.until) {
        taken.steps += 1;
        taken.work += step.outcome.work;
        taken.begun += step.outcome.begun.len();
    }
    (taken, forecast.cut_off_at().is_none())
}

#[test]
fn the_least_is_close_to_what_a_forecast_takes_and_never_more() {
    let nights = || vec![stretch(Weekday::Friday, "22:00", Weekday::Monday, "06:00")];
    let mut stopped = grid("a b c", 3, hourly(2));
    stopped.cells[0].stopped = true;
    let mut off = grid("a b", 1, vec![(on_working_days(every(480, 0)), Vec::new())]);
    off.skips_are_off_time = true;
    let mut disabled = grid("a", 1, hourly(1));
    disabled.enabled = false;
    for (name, rotation) in [
        ("always", grid("a b", 1, vec![(every(60, 0), Vec::new())])),
        (
            "interleaved",
            grid(
                "a b",
                1,
                vec![(every(30, 0), Vec::new()), (every(30, 15), Vec::new())],
            ),
        ),
        ("nobody", grid("", 2, hourly(3))),
        ("grid", grid("a b c", 4, hourly(5))),
        (
            "weekends",
            grid(
                "a b c",
                2,
                vec![(weekly("2026-11-16T09:00:00", "UTC"), nights())],
            ),
        ),
        ("stopped", stopped),
        ("working days", off),
        ("disabled", disabled),
    ] {
        for range in [days(1), days(30), days(200)] {
            let (all, _) = taken(&rotation, range, Limits::NONE, false);
            let calendar = Calendar::embedded();
            let least = least::least(&rotation, &calendar, range, |_| false);
            let within =
                least.steps <= all.steps && least.work <= all.work && least.begun <= all.begun;
            assert!(within, "{name}: {least:?} of {all:?}");
            assert!(
                5 * least.work >= 2 * all.work,
                "{name}: {least:?} of {all:?}"
            );
        }
    }
}

#[test]
fn a_refusal_takes_few_steps() {
    let year = days(366);
    let limits = Limits::work(10_000_000);
    for (name, rotation, is_refused) in [
        ("twenty by twenty", grid("a b c", 20, hourly(20)), true),
        ("four by four", grid("a b c", 4, hourly(4)), false),
        (
            "every quarter of an hour",
            grid("a b", 1, vec![(every(15, 0), Vec::new())]),
            true,
        ),
        (
            "every half hour",
            grid("a b", 1, vec![(every(30, 0), Vec::new())]),
            false,
        ),
        (
            "half hours of two windows",
            grid(
                "a b",
                1,
                vec![(every(30, 0), Vec::new()), (every(30, 15), Vec::new())],
            ),
            true,
        ),
    ] {
        let (early, reaches) = taken(&rotation, year, limits, true);
        assert_eq!(reaches, !is_refused, "{name}");
        if is_refused {
            let most = WORK_BEFORE_LOOKING + 50_000;
            assert!(early.work < most, "{name}: {early:?}");
        }
        // What is refused early would be refused in the end. The largest grid takes long.
        if rotation.cells.len() < 100 {
            let (all, reaches) = taken(&rotation, year, limits, false);
            assert_eq!(reaches, !is_refused, "{name}");
            assert!(is_refused || early == all, "{name}: {early:?} of {all:?}");
        }
        // Every reader of a whole range refuses what it does.
        let (calendar, absences) = (Calendar::embedded(), Absences::default());
        let dealing = DealingContext {
            calendar: &calendar,
            absences: &absences,
        };
        let refused = [
            schedule(&rotation, dealing, year).is_err(),
            held(&rotation, dealing, year, &mut Budget::default()).is_err(),
            rotation_at(&rotation, dealing, year.until).is_err(),
            check_schedule(&rotation, dealing, year, 100_000).is_err(),
        ];
        assert_eq!(refused, [is_refused; 4], "{name}");
    }
}

/// rules.md 6.3.
#[test]
fn counting_ends_where_it_is_too_much() {
    let (rotation, calendar) = (grid("a b c", 20, hourly(20)), Calendar::embedded());
    let all = least::least(&rotation, &calendar, days(366), |_| false);
    let limits = Limits::work(100_000);
    let least = least::least(&rotation, &calendar, days(366), |one| {
        one.exceeds(limits, usize::MAX)
    });
    // A week at a time.
    assert!(
        least.work > limits.work && least.work < all.work / 40,
        "{least:?} of {all:?}"
    );
}

/// rules.md 6.3.
#[test]
fn what_many_rotations_take_together() {
    let calendar = Calendar::embedded();
    let rotation = grid("a b c", 4, hourly(5));
    let one = least::least(&rotation, &calendar, days(90), |_| false);
    let budget = Budget::default();
    let suffices = |count: usize, most: usize| {
        let all = (0..count).map(|_| Ok::<_, ()>(rotation.clone()));
        budget.may_suffice(all, &calendar, days(90), most)
    };
    let fit = 10_000_000 / (one.work + 1_000);
    for (count, most, expected) in [
        (0, 0, true),
        (fit, usize::MAX, true),
        (fit + 1, usize::MAX, false),
        (2, 2 * one.begun, true),
        (2, 2 * one.begun - 1, false),
    ] {
        assert_eq!(suffices(count, most), Ok(expected), "{count} {most}");
    }
    let failing = std::iter::once(Err::<Rotation, _>("gone"));
    assert_eq!(
        budget.may_suffice(failing, &calendar, days(1), 1),
        Err("gone")
    );
}
