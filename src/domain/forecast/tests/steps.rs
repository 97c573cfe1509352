//! What one step after another yields, and where the limits end it.

use super::notices::{dealt, mondays, with};
use super::*;
use crate::domain::absence::Absences;
use crate::domain::request::Pending;

const TUESDAY: &str = "2026-11-24T00:00:00Z";

/// Steps as far as `next` allows: `11-30T09:00 b` with the holder of the first slot, `!` before those that began no entry.
fn stepped(
    rotation: &Rotation,
    limits: Limits,
    mut next: impl FnMut(&mut Forecast, &mut Vec<String>) -> bool,
) -> (Vec<String>, Option<String>) {
    let (calendar, absences) = (Calendar::embedded(), Absences::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let mut future = rotation.clone();
    let mut forecast = Forecast::new(&mut future, dealing, limits);
    let mut lines = Vec::new();
    while next(&mut forecast, &mut lines) {}
    let cut_off_at = forecast.cut_off_at();
    (lines, cut_off_at.map(minute))
}

fn minute(at: Timestamp) -> String {
    at.strftime("%m-%dT%H:%M").to_string()
}

fn note(step: Option<Step>, lines: &mut Vec<String>) -> bool {
    let Some(step) = step else {
        return false;
    };
    assert_eq!(step.rotation.stamps.judged_at, step.at);
    assert!(step.outcome.work > 0);
    let user = resolve::holder(step.rotation, &step.rotation.cells[0]);
    let user = user.map_or("-", |hold| hold.user().as_str());
    let begun = if step.outcome.begun.is_empty() {
        "!"
    } else {
        ""
    };
    lines.push(format!("{begun}{} {user}", minute(step.at)));
    true
}

fn until(to: &str) -> impl FnMut(&mut Forecast, &mut Vec<String>) -> bool {
    let to = at(to);
    move |forecast, lines| note(forecast.step_until(to), lines)
}

fn before(end: &str) -> impl FnMut(&mut Forecast, &mut Vec<String>) -> bool {
    let end = at(end);
    move |forecast, lines| note(forecast.step_before(end), lines)
}

#[test]
fn a_forecast_steps_through_due_instants_in_order() {
    let one = || dealt("a b", 1, &[mondays("UTC")], TUESDAY);
    let covered = || with(one(), "b", "2026-11-25T10:00:00Z", "2026-11-26T10:00:00Z");
    let steps = |rotation: &Rotation, to| stepped(rotation, Limits::NONE, until(to)).0;
    assert_eq!(
        steps(&covered(), "2026-12-07T09:00:00Z"),
        [
            "11-25T10:00 b",
            "11-26T10:00 a",
            "11-30T09:00 b",
            "12-07T09:00 a"
        ]
    );
    assert_eq!(
        stepped(&one(), Limits::NONE, before("2026-12-07T09:00:00Z")).0,
        ["11-30T09:00 b"]
    );
    // A request that expires is a step, which the timer has to store; it begins no entry.
    let mut asked = one();
    asked.pending.push(Pending {
        id: "cov_1".into(),
        requester: "a".into(),
        legs: vec![crate::domain::request::Leg {
            key: None,
            assignee: None,
            arrangement: None,
            cell: asked.cells[0].id.clone(),
            holder: "a".into(),
            period: Interval {
                from: at(TUESDAY),
                until: at("2026-11-27T00:00:00Z"),
            },
        }],
    });
    assert_eq!(
        steps(&asked, "2026-11-30T09:00:00Z"),
        ["!11-27T00:00 a", "11-30T09:00 b"]
    );
    assert!(without_requests(&asked).pending.is_empty());
    let mut disabled = covered();
    disabled.enabled = false;
    assert_eq!(steps(&disabled, "2026-12-07T09:00:00Z"), [""; 0]);
}

#[test]
fn the_limits_end_a_forecast() {
    let rotation = dealt("a b", 1, &[mondays("UTC")], TUESDAY);
    let year = "2027-11-24T00:00:00Z";
    let (all, cut_off) = stepped(&rotation, Limits::NONE, until(year));
    assert_eq!((all.len(), cut_off), (52, None));
    let works = |work| Limits {
        steps: usize::MAX,
        work,
    };
    let step = {
        let mut work = 0;
        let mut one_step = |forecast: &mut Forecast, _: &mut Vec<String>| {
            work = forecast.step().expect("a step").outcome.work;
            false
        };
        stepped(&rotation, Limits::NONE, &mut one_step);
        work
    };
    for (limits, steps) in [
        (
            Limits {
                steps: 3,
                work: usize::MAX,
            },
            3,
        ),
        (
            Limits {
                steps: 0,
                work: usize::MAX,
            },
            0,
        ),
        (works(3 * step), 3),
        // A step that does not fit is not yielded.
        (works(3 * step - 1), 2),
        (works(0), 0),
    ] {
        let (found, cut_off) = stepped(&rotation, limits, until(year));
        assert_eq!(found, all[..steps], "{limits:?}");
        let (next, _) = all[steps].split_once(' ').expect("an instant");
        assert_eq!(cut_off.as_deref(), Some(next), "{limits:?}");
    }
    // Reached exactly is not exceeded.
    let enough = Limits {
        steps: 52,
        work: 52 * step,
    };
    assert_eq!(stepped(&rotation, enough, until(year)), (all, None));
}
