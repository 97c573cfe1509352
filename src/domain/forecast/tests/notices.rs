//! When people are reminded, and of what.

use super::*;
use crate::domain::absence::Absences;
use crate::domain::books::{Dealt, MissedTurn};
use crate::domain::coverage::Stretch;
use crate::domain::handover::{Change, WindowChange};
use crate::domain::rotation::Reason;
use crate::domain::time::HhMm;
use jiff::civil::Weekday;

/// Weekly on Mondays at nine in a zone.
pub fn mondays(zone: &str) -> Cadence {
    weekly("2026-11-16T09:00:00", zone)
}

pub fn weekly(starts: &str, zone: &str) -> Cadence {
    let zone = ZoneName::parse(zone).unwrap();
    let starts: jiff::civil::DateTime = starts.parse().unwrap();
    Cadence {
        kind: Kind::DayOfWeek,
        zone,
        starts_at: starts.to_zoned(zone.tz().clone()).unwrap().timestamp(),
        period: 1,
        skips: Skips::default(),
    }
}

/// Tuesdays from ten to five.
pub fn tuesdays() -> Stretch {
    let time = |text| HhMm::parse(text).unwrap();
    Stretch {
        start_day: Weekday::Tuesday,
        start_time: time("10:00"),
        end_day: Weekday::Tuesday,
        end_time: time("17:00"),
    }
}

/// A rotation of these people (`a b c`) with so many lanes and a window a cadence, dealt at an instant.
pub fn dealt(people: &str, lanes: usize, cadences: &[Cadence], begun: &str) -> Rotation {
    let column = vec!["-"; lanes].join(" ");
    let columns = vec![column; cadences.len()].join("|");
    let mut rotation = rotation(&columns);
    let people = people.split_whitespace().map(UserId::from);
    rotation.members.users = people.collect();
    for (window, cadence) in rotation.windows.iter_mut().zip(cadences) {
        window.cadence = Some(cadence.clone());
        window.zone = Some(cadence.zone);
    }
    rotation.stamps.judged_at = at(begun);
    rotation.follow(&rotation.clone());
    fill(rotation)
}

/// The same with its empty slots dealt and its windows judged.
pub fn fill(mut rotation: Rotation) -> Rotation {
    let (calendar, absences) = (Calendar::embedded(), Absences::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let at = rotation.stamps.judged_at;
    let mut change = Change::begin(&mut rotation, dealing, at, WindowChange::ByEdit);
    change.fill(Reason::CoverageChanged);
    change.finish();
    rotation
}

const TUESDAY: &str = "2026-11-24T00:00:00Z";

/// With an arrangement over its first slot.
pub fn with(mut rotation: Rotation, user: &str, from: &str, until: &str) -> Rotation {
    let mut over = arranged(&rotation.cells[0], user, at(from), at(until));
    over.running = at(from) <= rotation.stamps.judged_at;
    rotation.arranged.push(over);
    rotation
}

fn reminded(rotation: &Rotation, minutes: i64, now: &str) -> String {
    let before = SignedDuration::from_mins(minutes);
    let next = next_reminder(rotation, &Calendar::embedded(), before, at(now));
    next.map_or("-".into(), |at| at.to_string())
}

#[test]
fn people_are_reminded_so_long_before() {
    let one = || dealt("a b", 1, &[mondays("UTC")], TUESDAY);
    for (minutes, now, expected) in [
        (60, TUESDAY, "2026-11-30T08:00:00Z"),
        (60, "2026-11-30T07:59:59Z", "2026-11-30T08:00:00Z"),
        // What is due is told, and what follows lies after it.
        (60, "2026-11-30T08:00:00Z", "2026-12-07T08:00:00Z"),
        (60, "2026-11-30T08:30:00Z", "2026-12-07T08:00:00Z"),
        (1, "2026-11-30T08:30:00Z", "2026-11-30T08:59:00Z"),
        (14 * 24 * 60, TUESDAY, "2026-11-30T09:00:00Z"),
        (0, TUESDAY, "-"),
    ] {
        assert_eq!(reminded(&one(), minutes, now), expected, "{minutes} {now}");
    }
    let wednesdays = weekly("2026-11-18T09:00:00", "UTC");
    let (begins, ends) = ("2026-11-25T10:00:00Z", "2026-11-26T10:00:00Z");
    let disabled = |mut rotation: Rotation| {
        rotation.enabled = false;
        rotation
    };
    let by_hand = rotation("a");
    for (rotation, now, expected) in [
        // The first of several windows, in its own zone.
        (
            dealt("a b", 1, &[mondays("UTC"), wednesdays], TUESDAY),
            TUESDAY,
            "2026-11-25T08:00:00Z",
        ),
        (
            dealt("a b", 1, &[mondays("Europe/Oslo")], TUESDAY),
            TUESDAY,
            "2026-11-30T07:00:00Z",
        ),
        // Arrangements that begin and end.
        (
            with(one(), "b", begins, ends),
            TUESDAY,
            "2026-11-25T09:00:00Z",
        ),
        (
            with(one(), "b", begins, ends),
            "2026-11-25T09:00:00Z",
            "2026-11-26T09:00:00Z",
        ),
        (
            with(by_hand.clone(), "b", begins, ends),
            TUESDAY,
            "2026-11-25T09:00:00Z",
        ),
        (by_hand, TUESDAY, "-"),
        (disabled(one()), TUESDAY, "-"),
        (disabled(with(one(), "b", begins, ends)), TUESDAY, "-"),
    ] {
        assert_eq!(reminded(&rotation, 60, now), expected, "{now} {expected}");
    }
}

fn seen(rotation: &Rotation, absences: &Absences, then: &str) -> String {
    let calendar = Calendar::embedded();
    let dealing = DealingContext {
        calendar: &calendar,
        absences,
    };
    shown(&upcoming_notices(rotation, dealing, at(then)))
}

#[test]
fn what_is_to_change_hands() {
    let one = |people: &str| dealt(people, 1, &[mondays("UTC")], TUESDAY);
    let monday = "2026-11-30T09:00:00Z";
    let shut = |mut rotation: Rotation| {
        rotation.windows[0].coverage = vec![tuesdays()];
        fill(rotation)
    };
    let disabled = |mut rotation: Rotation| {
        rotation.enabled = false;
        rotation
    };
    let (begins, ends) = ("2026-11-25T10:00:00Z", "2026-11-26T10:00:00Z");
    let two = dealt("a b c", 2, &[mondays("UTC")], TUESDAY);
    for (rotation, then, expected) in [
        (one("a b"), monday, "a>b"),
        (one("a b"), "2026-12-07T09:00:00Z", "b>a"),
        (two, monday, "L0: a>c; L1: b>a"),
        // Nothing is due at that instant.
        (one("a b"), "2026-11-30T08:59:00Z", ""),
        (one("a b"), "2026-11-30T09:00:01Z", ""),
        // The same person goes on.
        (one("a"), monday, ""),
        (one(""), monday, ""),
        // A window shuts; duty is handed over while it is shut.
        (shut(one("a b")), "2026-11-24T10:00:00Z", ""),
        (shut(one("a b")), monday, ""),
        (shut(one("a b")), "2026-12-01T10:00:00Z", "a>b"),
        (with(one("a b"), "b", begins, ends), begins, "a>b"),
        (with(one("a b"), "b", begins, ends), ends, "b>a"),
        (with(rotation("a"), "b", begins, ends), begins, "a>b"),
        (disabled(one("a b")), monday, ""),
        (rotation("a"), monday, ""),
    ] {
        let found = seen(&rotation, &Absences::default(), then);
        assert_eq!(found, expected, "{then}");
    }
    let away = Interval {
        from: at(monday),
        until: at("2026-12-01T00:00:00Z"),
    };
    let away = Absences::new(vec![("b".into(), away)]);
    assert_eq!(seen(&one("a b c"), &away, monday), "a>c");
}

#[test]
fn what_is_told_of_those_who_come() {
    let mut shut = dealt("a b", 1, &[mondays("Europe/Oslo")], TUESDAY);
    shut.windows[0].coverage = vec![tuesdays()];
    let (calendar, absences) = (Calendar::embedded(), Absences::default());
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let shut = fill(shut);
    let coming = |then: &str| upcoming_notices(&shut, dealing, at(then));
    assert_eq!(coming("2026-11-30T08:00:00Z"), []);
    let expected = HandoverNotice {
        cell: Some(shut.cells[0].id.clone()),
        slot: Vec::new(),
        off: Some("a".into()),
        on: Some("b".into()),
        outside: None,
        // The end of the last covered hours of the turn, which is handed over on the 7th.
        until: Some(at("2026-12-01T16:00:00Z")),
        zone: Some(ZoneName::parse("Europe/Oslo").unwrap()),
        instead: None,
        begins_at: None,
    };
    assert_eq!(coming("2026-12-01T09:00:00Z"), [expected]);
}

/// Of a traded rotation: for whom each comes on, and the turn that is given back.
#[test]
fn what_is_told_of_traded_turns() {
    let (first, second) = ("2026-11-30T09:00:00Z", "2026-12-07T09:00:00Z");
    let third = "2026-12-14T09:00:00Z";
    let away = Interval {
        from: at(first),
        until: at("2026-12-01T00:00:00Z"),
    };
    let (calendar, absences) = (
        Calendar::embedded(),
        Absences::new(vec![("b".into(), away)]),
    );
    let dealing = DealingContext::new(&calendar, &absences);
    let told = |rotation: &Rotation, then: &str| {
        let found = upcoming_notices(rotation, dealing, at(then));
        let [notice] = &found[..] else {
            panic!("{found:?}");
        };
        (notice.on.clone(), notice.instead.clone())
    };
    let instead = |owner: &str, dealt, turn: &str| {
        Some(Instead {
            owner: owner.into(),
            dealt,
            turn: Some(at(turn)),
        })
    };
    let mut traded = dealt("a b c d", 1, &[mondays("UTC")], TUESDAY);
    traded.dealing.missed_turn = MissedTurn::Traded;
    // The next turn is c's own, so taking this one too would put c on call twice on end.
    let trade = instead("b", Dealt::Trade, third);
    assert_eq!(told(&traded, first), (Some("d".into()), trade.clone()));
    assert_eq!(told(&traded, second), (Some("c".into()), None));
    let repaid = instead("d", Dealt::Repayment, first);
    assert_eq!(told(&traded, third), (Some("b".into()), repaid.clone()));
    // Who is told when their hours begin hears the same.
    traded.windows[0].coverage = vec![tuesdays()];
    let traded = fill(traded);
    let opens = told(&traded, "2026-12-01T10:00:00Z");
    assert_eq!(opens, (Some("d".into()), trade));
    let opens = told(&traded, "2026-12-15T10:00:00Z");
    assert_eq!(opens, (Some("b".into()), repaid));
}

/// An hour before whoever took a slot over while its window was shut comes on call.
#[test]
fn people_are_reminded_before_hours_begin() {
    let mut shut = dealt("a b", 1, &[mondays("UTC")], TUESDAY);
    shut.windows[0].coverage = vec![tuesdays()];
    let shut = fill(shut);
    for (now, expected) in [
        (TUESDAY, "2026-11-24T09:00:00Z"),
        ("2026-11-24T09:00:00Z", "2026-11-30T08:00:00Z"),
        ("2026-11-30T08:00:00Z", "2026-12-01T09:00:00Z"),
    ] {
        assert_eq!(reminded(&shut, 60, now), expected, "{now}");
    }
}
