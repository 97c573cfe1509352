//! Plans as lists of `cell user from-until`, in hours from an instant.

use super::*;
use crate::domain::actor::{Actor, ActorKind};

fn at(hour: i64) -> Timestamp {
    let begin: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
    begin + SignedDuration::from_hours(hour)
}

fn hour(at: Timestamp) -> i64 {
    at.duration_since(self::at(0)).as_hours()
}

fn span(text: &str) -> Interval {
    let (from, until) = text.split_once('-').unwrap();
    Interval::new(at(from.parse().unwrap()), at(until.parse().unwrap()))
}

fn plan(covers: &str, stretches: &str) -> ToldPlan {
    let stretch = |text: &str| {
        let parts: Vec<&str> = text.split_whitespace().collect();
        Stretch {
            cell: parts[0].into(),
            user: parts[1].into(),
            period: span(parts[2]),
        }
    };
    let stretches = stretches.split(',').filter(|text| !text.trim().is_empty());
    ToldPlan {
        span: span(covers),
        stretches: joined(stretches.map(stretch).collect()),
    }
}

fn shown(moves: &Moves) -> String {
    let one = |sign: &'static str| {
        move |moved: &Moved| {
            let other = moved.other.as_ref().map_or("-", UserId::as_str);
            let (from, until) = (hour(moved.period.from), hour(moved.period.until));
            format!("{sign}{} {from}-{until} {other}", moved.cell)
        }
    };
    let gained = moves.gained.iter().map(one("+"));
    let all: Vec<String> = gained.chain(moves.lost.iter().map(one("-"))).collect();
    all.join(", ")
}

/// rules.md 28.4: what both cover is compared.
#[test]
fn what_moved_is_the_difference_over_what_both_cover() {
    for (before, after, expected) in [
        // Hand-overs as planned, and new days, are no change.
        (
            "a ann 0-10, a bob 10-20",
            "a ann 5-10, a bob 10-20, a cyd 20-30",
            "",
        ),
        (
            "a ann 0-10, a bob 10-20",
            "a ann 0-20",
            "ann: +a 10-20 bob; bob: -a 10-20 ann",
        ),
        ("a ann 0-20", "", "ann: -a 5-20 -"),
        ("", "a ann 0-20", "ann: +a 5-20 -"),
        // Stretches that touch are one where the other person is one.
        (
            "a bob 6-8, a bob 8-10, a cyd 10-12",
            "a ann 6-12",
            "ann: +a 6-10 bob, +a 10-12 cyd; bob: -a 6-10 ann; cyd: -a 10-12 ann",
        ),
        // A change of the cell is a loss and a gain.
        ("a ann 6-10", "b ann 6-10", "ann: +b 6-10 -, -a 6-10 -"),
        // Several people at once have a cell of a partner's schedule.
        (
            "a ann 6-10, a bob 6-10",
            "a ann 6-10, a cyd 6-10",
            "bob: -a 6-10 cyd; cyd: +a 6-10 bob",
        ),
        // By from, then cell.
        (
            "",
            "b ann 6-10, a ann 8-9, a ann 6-7",
            "ann: +a 6-7 -, +b 6-10 -, +a 8-9 -",
        ),
    ] {
        let (until, moves) = differences(&plan("0-20", before), &plan("5-30", after));
        assert_eq!(hour(until), 20);
        let told: Vec<String> = moves
            .iter()
            .filter(|(_, moves)| !moves.is_empty())
            .map(|(user, moves)| format!("{user}: {}", shown(moves)))
            .collect();
        assert_eq!(told.join("; "), expected, "{before} | {after}");
    }
}

/// rules.md 28.6.
#[test]
fn what_is_known_otherwise_is_left_out() {
    let moves = || {
        let both = (
            plan("0-50", "a ann 10-20, b ann 10-20"),
            plan("0-50", "a ann 30-40"),
        );
        differences(&both.0, &both.1)
            .1
            .remove(&UserId::from("ann"))
            .unwrap()
    };
    let mut left = moves();
    left.leave_out(&"a".into(), span("12-35"));
    assert_eq!(shown(&left), "+a 35-40 -, -a 10-12 -, -b 10-20 -");
    left.leave_out_gained(&"a".into(), Interval::new(Timestamp::MIN, at(38)));
    left.leave_out_gained(&"b".into(), span("0-50"));
    assert_eq!(shown(&left), "+a 38-40 -, -a 10-12 -, -b 10-20 -");
    left.leave_out(&"a".into(), span("0-50"));
    left.leave_out(&"b".into(), span("0-50"));
    assert!(left.is_empty());
}

/// rules.md 28.3.
#[test]
fn people_are_told_after_the_delay() {
    let pending = |first: i64, last: i64| PendingNotices {
        first_at: at(0) + SignedDuration::from_secs(first),
        last_at: at(0) + SignedDuration::from_secs(last),
        count: 2,
        actors: Vec::new(),
        reasons: Vec::new(),
        told_otherwise: Vec::new(),
    };
    for (first, last, delay, sends) in [
        (0, 0, 60, 60),
        (0, 100, 60, 160),
        (0, 290, 60, 300),
        (0, 290, 600, 600),
        (0, 100, 0, 100),
    ] {
        let (pending, delay) = (pending(first, last), SignedDuration::from_secs(delay));
        let at = |second| at(0) + SignedDuration::from_secs(second);
        assert_eq!(pending.sends_at(delay), at(sends), "{first} {last} {delay}");
        assert!(pending.is_due(at(sends), delay) && !pending.is_due(at(sends - 1), delay));
        // Of a clock that was set back.
        assert!(pending.is_due(at(-1), delay));
    }
}

/// rules.md 28.6.
#[test]
fn the_clock_is_nobody() {
    let actor = |kind, id: Option<&str>| Actor {
        kind,
        id: id.map(str::to_owned),
        name: None,
    };
    let ann = || actor(ActorKind::Person, Some("ann"));
    for (actors, are_all) in [
        (vec![ann()], true),
        (vec![ann(), actor(ActorKind::Clock, None)], false),
        (vec![ann(), actor(ActorKind::Person, Some("bob"))], false),
        (vec![actor(ActorKind::Key, Some("ann"))], false),
    ] {
        let pending = PendingNotices {
            first_at: at(0),
            last_at: at(0),
            count: 1,
            actors,
            reasons: Vec::new(),
            told_otherwise: Vec::new(),
        };
        assert_eq!(pending.are_all_by(&"ann".into()), are_all, "{pending:?}");
    }
}
