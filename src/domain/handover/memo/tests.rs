//! A memo changes nothing but the cost.

use super::*;
use crate::domain::absence::Absences;
use crate::domain::cadence::{Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::forecast;
use crate::domain::handover::{Change, WindowChange, next_due};
use crate::domain::ids::{CellId, LaneId, WindowId};
use crate::domain::rotation::tests::rotation;
use crate::domain::rotation::{Lane, Reason, Window};
use crate::domain::time::{HhMm, Interval};
use crate::domain::zones::ZoneName;
use jiff::SignedDuration;
use jiff::civil::Weekday;

fn minute(of_day: usize) -> HhMm {
    HhMm::parse(&format!("{:02}:{:02}", of_day / 60, of_day % 60)).unwrap()
}

/// A window of so many hand-overs a day and so many stretches a week, `late` minutes behind the first one.
fn window(index: usize, times: usize, stretches: usize, late: usize) -> Window {
    let zone = ZoneName::parse("Europe/Oslo").unwrap();
    let stretch = |n: usize| {
        let day = Weekday::from_monday_zero_offset((n % 7) as i8).unwrap();
        let start = n / 7 * 180 + late;
        Stretch {
            start_day: day,
            start_time: minute(start),
            end_day: day,
            end_time: minute(start + 100),
        }
    };
    Window {
        id: WindowId::from(format!("win_{index}")),
        key: None,
        name: None,
        zone: Some(zone),
        coverage: (0..stretches).map(stretch).collect(),
        cadence: Some(Cadence {
            kind: Kind::Daily {
                times: (0..times)
                    .map(|n| minute(n * 1440 / times + late))
                    .collect(),
            },
            zone,
            starts_at: "2026-03-02T00:00:00Z".parse().unwrap(),
            period: 1,
            skips: Skips::default(),
        }),
        open: false,
    }
}

/// A rotation of so many people, lanes and windows, dealt; the hand-overs of no two windows fall on the same minute.
fn grid(people: usize, lanes: usize, windows: usize, times: usize, stretches: usize) -> Rotation {
    let mut grid = rotation();
    let person = |n| UserId::from(format!("U{n}"));
    grid.members.users = (0..people).map(person).collect();
    let lane = |n| Lane {
        id: LaneId::from(format!("lan_{n}")),
        key: None,
        name: None,
    };
    grid.lanes = (0..lanes).map(lane).collect();
    grid.windows = (0..windows)
        .map(|n| window(n, times, stretches, n))
        .collect();
    let cell = grid.cells[0].clone();
    grid.cells = (0..lanes * windows)
        .map(|n| {
            let mut cell = cell.clone();
            cell.id = CellId::from(format!("cel_{n}"));
            (cell.lane, cell.window) = (n % lanes, n / lanes);
            cell
        })
        .collect();
    grid.follow(&grid.clone());
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &Calendar::embedded(),
        absences: &absences,
    };
    let at = grid.stamps.judged_at;
    let mut change = Change::begin(&mut grid, dealing, at, WindowChange::ByEdit);
    change.fill(Reason::CoverageChanged);
    change.finish();
    grid
}

#[test]
fn a_walk_with_a_memo_is_a_walk_without() {
    let begun: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
    let away = |n: i64| {
        let from = begun + SignedDuration::from_hours(5 * n);
        let until = from + SignedDuration::from_hours(9 * n);
        (UserId::from(format!("U{n}")), Interval { from, until })
    };
    let absences = Absences::new((0..4).map(away).collect());
    let dealing = DealingContext {
        calendar: &Calendar::embedded(),
        absences: &absences,
    };
    for (people, lanes, windows, times, stretches) in [
        (5, 2, 2, 3, 10),
        (2, 1, 3, 1, 0),
        (3, 3, 1, 48, 50),
        (0, 1, 1, 2, 3),
    ] {
        let mut plain = grid(people, lanes, windows, times, stretches);
        let mut kept = plain.clone();
        let mut memo = Memo::default();
        for _ in 0..400 {
            let due = next_due(&plain, dealing);
            assert_eq!(memo.next_due(&kept, dealing), due);
            let due = due.expect("something to come");
            let anew = Memo::default().step(&mut plain, dealing, due);
            let outcome = memo.step(&mut kept, dealing, due);
            assert_eq!((&outcome.begun, outcome.shows), (&anew.begun, anew.shows));
            assert!(outcome.work <= anew.work, "{outcome:?} {anew:?}");
            assert_eq!(kept, plain);
        }
    }
}

/// The largest grid that there may be.
fn largest() -> Rotation {
    grid(1_000, 20, 20, 48, 50)
}

#[test]
fn hours_and_hand_overs_are_worked_out_now_and_then() {
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &Calendar::embedded(),
        absences: &absences,
    };
    let mut future = largest();
    let mut memo = Memo::default();
    for _ in 0..1_000 {
        let due = memo.next_due(&future, dealing).expect("something to come");
        memo.step(&mut future, dealing, due);
    }
    let hours = future
        .stamps
        .judged_at
        .duration_since(largest().stamps.judged_at)
        .as_hours();
    assert!(hours > 12, "{hours} h");
    // Twice at each of a thousand instants it would be forty thousand.
    let worked_out: usize = memo.windows.iter().flatten().map(|c| c.worked_out).sum();
    assert!((20..400).contains(&worked_out), "{worked_out}");
}

/// What is too far ahead is refused after a bounded number of instants, whatever the size of the grid.
#[test]
fn what_is_too_far_ahead_is_refused_soon() {
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &Calendar::embedded(),
        absences: &absences,
    };
    let largest = largest();
    let begun = largest.stamps.judged_at;
    let far = begun + SignedDuration::from_hours(24 * 366);
    assert!(forecast::cells(&largest, dealing, far).is_err());
    let (_, known) = forecast::known_cells(&largest, dealing, far);
    let hours = known.expect("an end").duration_since(begun).as_hours();
    assert!((3..100).contains(&hours), "{hours} h");
    let range = Interval {
        from: begun,
        until: far,
    };
    assert!(forecast::schedule(&largest, dealing, range).is_err());
}
