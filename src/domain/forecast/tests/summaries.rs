//! What topics tell: who is on duty until when, and who is next.

use super::notices::{dealt, fill, mondays, tuesdays, weekly, with};
use super::*;
use crate::domain::absence::Absences;

fn names(people: &[UserId]) -> String {
    let names: Vec<&str> = people.iter().map(UserId::as_str).collect();
    match names.is_empty() {
        true => "-".into(),
        false => names.join("+"),
    }
}

/// `a until 11-30T09:00 next b until 12-07T09:00`; what is not known is left out.
fn seen(rotation: &Rotation, absences: &Absences) -> String {
    let calendar = Calendar::embedded();
    let dealing = DealingContext {
        calendar: &calendar,
        absences,
    };
    let OnCallSummary {
        on_call,
        until,
        next,
        next_until,
        ..
    } = OnCallSummary::of(rotation, dealing);
    let end = |at: Option<Timestamp>| {
        at.map_or(String::new(), |at| {
            format!(" until {}", at.strftime("%m-%dT%H:%M"))
        })
    };
    let (now, then) = (names(&on_call), names(&next));
    format!("{now}{} next {then}{}", end(until), end(next_until))
}

const TUESDAY: &str = "2026-11-24T00:00:00Z";

#[test]
fn who_is_on_duty_and_who_is_next() {
    let one = |people: &str| dealt(people, 1, &[mondays("UTC")], TUESDAY);
    let two = |people: &str| dealt(people, 2, &[mondays("UTC")], TUESDAY);
    let thursday = "2026-11-26T10:00:00Z";
    let (begun, noon) = ("2026-11-23T00:00:00Z", "2026-11-26T12:00:00Z");
    let shut = |mut rotation: Rotation| {
        rotation.windows[0].coverage = vec![tuesdays()];
        fill(rotation)
    };
    let disabled = |mut rotation: Rotation| {
        rotation.enabled = false;
        rotation
    };
    let by_hand = |text: &str, people: &str| {
        let mut rotation = rotation(text);
        rotation.members.users = people.split_whitespace().map(UserId::from).collect();
        rotation.follow(&rotation.clone());
        rotation
    };
    let doubly = |lanes: usize| {
        let mut rotation = dealt("", lanes, &[mondays("UTC")], TUESDAY);
        rotation.double_cover = true;
        rotation.members.users = vec!["a".into()];
        fill(rotation)
    };
    let after = |mut rotation: Rotation| {
        // By hand the next turn is the one after the holder's.
        rotation.rosters[0].next_turns[0].turn = 1;
        rotation
    };
    let stopped = |mut rotation: Rotation| {
        rotation.cells[1].stopped = true;
        rotation.cells[1].holder = None;
        rotation
    };
    let wednesdays = weekly("2026-11-18T09:00:00", "UTC");
    for (name, rotation, expected) in [
        (
            "one slot",
            one("a b c"),
            "a until 11-30T09:00 next b until 12-07T09:00",
        ),
        (
            "one member",
            one("a"),
            "a until 11-30T09:00 next a until 12-07T09:00",
        ),
        ("no members", one(""), "- next -"),
        (
            "two lanes",
            two("a b c"),
            "a+b until 11-30T09:00 next c+a until 12-07T09:00",
        ),
        (
            "two windows with hand-overs of their own",
            dealt("a b c", 1, &[mondays("UTC"), wednesdays], TUESDAY),
            "a+b until 11-25T09:00 next c until 12-02T09:00",
        ),
        (
            "two lanes, one of them arranged",
            with(two("a b c"), "c", begun, thursday),
            "c+b until 11-26T10:00 next a until 11-30T09:00",
        ),
        (
            "an arrangement runs",
            with(one("a b"), "c", begun, thursday),
            "c until 11-26T10:00 next a until 11-30T09:00",
        ),
        (
            "an arrangement is to come",
            with(one("a b"), "c", thursday, noon),
            "a until 11-26T10:00 next c until 11-26T12:00",
        ),
        (
            "the window is shut",
            shut(one("a b")),
            "- next a until 11-30T09:00",
        ),
        ("by hand", after(by_hand("a", "a b")), "a next b"),
        ("by hand, nobody", by_hand("-", "a b"), "- next a"),
        ("by hand, no members", by_hand("-", ""), "- next -"),
        (
            "by hand, arranged",
            with(by_hand("a", "a b"), "c", "2026-11-20T08:00:00Z", thursday),
            "c until 11-26T10:00 next a",
        ),
        ("disabled", disabled(one("a b")), "a next -"),
        (
            "disabled by hand",
            disabled(by_hand("a", "a b")),
            "a next -",
        ),
        ("disabled, nobody", disabled(one("")), "- next -"),
        (
            "one person in two slots",
            doubly(2),
            "a until 11-30T09:00 next a until 12-07T09:00",
        ),
        (
            "a stopped lane",
            stopped(two("a b c")),
            "a until 11-30T09:00 next c until 12-07T09:00",
        ),
    ] {
        assert_eq!(seen(&rotation, &Absences::default()), expected, "{name}");
    }
}

#[test]
fn absences_count_for_who_is_next() {
    let period = |until: &str| Interval {
        from: at("2026-11-01T00:00:00Z"),
        until: at(until),
    };
    let away = |list: &[(&str, &str)]| {
        let one = |(user, until): &(&str, &str)| (UserId::from(*user), period(until));
        Absences::new(list.iter().map(one).collect())
    };
    let noon = "2026-11-26T12:00:00Z";
    // Dealt to nobody while everybody is away, or before they went.
    let nobody = |people: &str| {
        let mut rotation = dealt("", 1, &[mondays("UTC")], TUESDAY);
        rotation.members.users = people.split_whitespace().map(UserId::from).collect();
        rotation.follow(&rotation.clone());
        rotation
    };
    let one = || dealt("a b c", 1, &[mondays("UTC")], TUESDAY);
    for (rotation, absences, expected) in [
        (
            nobody("a"),
            away(&[("a", noon)]),
            "- next a until 11-30T09:00",
        ),
        (
            one(),
            away(&[("b", "2026-12-01T00:00:00Z")]),
            "a until 11-30T09:00 next c until 12-07T09:00",
        ),
        // Everybody is away at the hand-over: nobody is next then.
        (
            one(),
            away(&["a", "b", "c"].map(|user| (user, "2026-12-01T00:00:00Z"))),
            "a until 11-30T09:00 next -",
        ),
    ] {
        assert_eq!(seen(&rotation, &absences), expected);
    }
}

#[test]
fn times_are_told_in_the_zone_of_the_first_place_that_runs() {
    let zones = |cadences: &[Cadence]| {
        let rotation = dealt("a b", 1, cadences, TUESDAY);
        let (calendar, absences) = (Calendar::embedded(), Absences::default());
        let dealing = DealingContext {
            calendar: &calendar,
            absences: &absences,
        };
        OnCallSummary::of(&rotation, dealing)
            .zone
            .map(|zone| zone.as_str())
    };
    let oslo = mondays("Europe/Oslo");
    assert_eq!(zones(std::slice::from_ref(&oslo)), Some("Europe/Oslo"));
    let both = [mondays("Asia/Tokyo"), oslo];
    assert_eq!(zones(&both), Some("Asia/Tokyo"));
    let by_hand = rotation("a");
    assert_eq!(zone(&by_hand, &by_hand.cells[0]), None);
}
