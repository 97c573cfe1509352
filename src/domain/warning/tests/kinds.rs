//! A table of cases for each kind.

use super::*;
use crate::domain::books::{MissedTurn, Share};
use crate::domain::holidays::CountryCode;
use crate::domain::warning_kinds::WarningKind as K;

/// Without hours: open all the time.
fn weeks(people: usize, absences: &Absences) -> Rotation {
    rotation(people, 1, vec![(weekly(), vec![])], BEGUN, absences)
}

/// The same with missed turns traded.
fn traded(mut rotation: Rotation) -> Rotation {
    rotation.dealing.missed_turn = MissedTurn::Traded;
    rotation
}

fn of(rotation: &Rotation, absences: &Absences, kind: WarningKind, length: i64) -> Vec<String> {
    let found = find(rotation, absences, &around(rotation), days(BEGUN, length));
    told(&found, kind)
}

/// rules.md 27.3.
#[test]
fn nobody_is_on_call_while_the_only_one_is_away() {
    let absences = away(&[("a", "2026-01-10T00:00:00Z", "2026-01-20T00:00:00Z")]);
    let alone = weeks(1, &absences);
    for (kind, expected) in [
        (
            K::Nobody,
            vec!["2026-01-12T00:00:00Z/2026-01-20T00:00:00Z cel_0_0"],
        ),
        (
            K::NoFallback,
            vec![
                "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z cel_0_0 a",
                "2026-01-20T00:00:00Z/2026-02-02T00:00:00Z cel_0_0 a",
            ],
        ),
        (
            K::AbsentOnDuty,
            vec!["2026-01-10T00:00:00Z/2026-01-12T00:00:00Z cel_0_0 a"],
        ),
        (
            K::BackToBack,
            vec!["2026-01-20T00:00:00Z/2026-02-02T00:00:00Z cel_0_0 a"],
        ),
        (K::EmptyRoster, vec![]),
        (K::Unfair, vec![]),
        (K::ShortRest, vec![]),
    ] {
        assert_eq!(of(&alone, &absences, kind, 28), expected, "{kind:?}");
    }
    let none = Absences::default();
    let empty = weeks(0, &none);
    let whole = ["2026-01-05T00:00:00Z/2026-01-19T00:00:00Z cel_0_0"];
    assert_eq!(of(&empty, &none, K::Nobody, 14), whole);
    assert_eq!(of(&empty, &none, K::EmptyRoster, 14), whole);
    // Two cells deal from the empty list: it is told once.
    let empty = rotation(0, 2, vec![(weekly(), vec![])], BEGUN, &none);
    let whole = ["2026-01-05T00:00:00Z/2026-01-19T00:00:00Z -"];
    assert_eq!(of(&empty, &none, K::EmptyRoster, 14), whole);
    assert_eq!(of(&empty, &none, K::Nobody, 14).len(), 2);
}

#[test]
fn vacant_hours_are_told_one_by_one_and_alone_over_shut_hours() {
    let none = Absences::default();
    let hours = || vec![(weekly(), every_day("09:00", "17:00"))];
    let empty = rotation(0, 1, hours(), BEGUN, &none);
    assert_eq!(
        of(&empty, &none, K::Nobody, 2),
        [
            "2026-01-05T09:00:00Z/2026-01-05T17:00:00Z cel_0_0",
            "2026-01-06T09:00:00Z/2026-01-06T17:00:00Z cel_0_0",
        ]
    );
    let absences = away(&[("b", "2026-01-06T12:00:00Z", "2026-01-08T12:00:00Z")]);
    let two = rotation(2, 1, hours(), BEGUN, &absences);
    assert_eq!(
        of(&two, &absences, K::NoFallback, 7),
        ["2026-01-06T12:00:00Z/2026-01-08T12:00:00Z cel_0_0 a"]
    );
    // The whole week is the same turn, so nothing is on end, and no rest is between turns.
    assert_eq!(of(&two, &absences, K::BackToBack, 7), [""; 0]);
    assert_eq!(of(&two, &absences, K::ShortRest, 7), [""; 0]);
}

/// rules.md 27.4.
#[test]
fn two_lanes_and_two_people_have_no_fallback() {
    let none = Absences::default();
    let mut two = rotation(2, 2, vec![(weekly(), vec![])], BEGUN, &none);
    assert_eq!(
        of(&two, &none, K::NoFallback, 7),
        [
            "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z cel_0_0 a",
            "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z cel_0_1 b",
        ]
    );
    two.double_cover = true;
    assert_eq!(of(&two, &none, K::NoFallback, 7), [""; 0]);
    let three = rotation(3, 2, vec![(weekly(), vec![])], BEGUN, &none);
    assert_eq!(of(&three, &none, K::NoFallback, 7), [""; 0]);
    // From one lane straight to the other.
    assert_eq!(
        of(&three, &none, K::BackToBack, 14),
        ["2026-01-05T00:00:00Z/2026-01-19T00:00:00Z - a"]
    );
}

/// rules.md 27.6.
#[test]
fn rest_counts_in_the_whole_workspace() {
    let none = Absences::default();
    let hours = vec![(weekly(), every_day("09:00", "17:00"))];
    let mut here = rotation(2, 1, hours, BEGUN, &none);
    let around = around(&here);
    let rests = |here: &Rotation, there: &[(&str, &str)]| {
        let there = (0..).zip(there);
        let there = there.map(|(turn, (from, until))| elsewhere("a", turn, from, until));
        let there: Vec<Elsewhere> = there.collect();
        let found = find_beside(here, &none, (&around, &there), days(BEGUN, 7));
        (told(&found, K::ShortRest), found)
    };
    let evening = ("2026-01-06T20:00:00Z", "2026-01-06T23:00:00Z");
    let both = [
        "2026-01-06T17:00:00Z/2026-01-07T04:00:00Z cel_0_0 a",
        "2026-01-06T23:00:00Z/2026-01-07T10:00:00Z cel_0_0 a",
    ];
    assert_eq!(rests(&here, &[evening]).0, both);
    let at_once = ("2026-01-06T17:00:00Z", "2026-01-06T18:00:00Z");
    assert_eq!(
        rests(&here, &[at_once]).0,
        ["2026-01-06T17:00:00Z/2026-01-07T04:00:00Z cel_0_0 a"]
    );
    // Eleven hours are enough.
    let early = ("2026-01-06T00:00:00Z", "2026-01-06T22:00:00Z");
    assert_eq!(
        rests(&here, &[early]).0,
        ["2026-01-05T17:00:00Z/2026-01-06T04:00:00Z cel_0_0 a"]
    );
    // What two other rotations do to each other is told there.
    let others = [
        ("2026-01-12T20:00:00Z", "2026-01-12T22:00:00Z"),
        ("2026-01-12T23:00:00Z", "2026-01-12T23:30:00Z"),
    ];
    assert_eq!(rests(&here, &others).0, [""; 0]);
    let (_, found) = rests(&here, &[evening]);
    assert!(
        found
            .iter()
            .any(|one| one.text.contains("only 3 h of rest") && one.text.contains("Payments"))
    );
    here.profile.warnings.short_rest_hours = 3;
    assert_eq!(rests(&here, &[evening]).0, [""; 0]);
    here.profile.warnings.short_rest_hours = 4;
    assert_eq!(
        rests(&here, &[evening]).0,
        ["2026-01-06T17:00:00Z/2026-01-06T21:00:00Z cel_0_0 a"]
    );
}

/// rules.md 27.5.
#[test]
fn turns_of_one_day_each_leave_little_rest() {
    let none = Absences::default();
    let windows = vec![(daily(&["00:00"], "UTC"), every_day("05:00", "22:00"))];
    let alone = rotation(1, 1, windows, BEGUN, &none);
    assert_eq!(
        of(&alone, &none, K::ShortRest, 2),
        ["2026-01-05T22:00:00Z/2026-01-06T09:00:00Z cel_0_0 a"]
    );
    assert_eq!(
        of(&alone, &none, K::BackToBack, 2),
        ["2026-01-05T05:00:00Z/2026-01-06T22:00:00Z cel_0_0 a"]
    );
}

/// rules.md 27.6.
#[test]
fn one_person_in_two_rotations_at_once() {
    let none = Absences::default();
    let here = weeks(2, &none);
    let around = around(&here);
    let mut there = [
        elsewhere("a", 0, "2026-01-06T00:00:00Z", "2026-01-10T00:00:00Z"),
        elsewhere("a", 1, "2026-01-10T00:00:00Z", "2026-01-14T00:00:00Z"),
        elsewhere("z", 2, "2026-01-05T00:00:00Z", "2026-01-14T00:00:00Z"),
    ];
    let range = days(BEGUN, 14);
    let lines = ["2026-01-06T00:00:00Z/2026-01-12T00:00:00Z cel_0_0 a"];
    let found = find_beside(&here, &none, (&around, &there), range);
    assert_eq!(told(&found, K::DoubleDuty), lines);
    assert!(found.iter().any(|one| one.text.contains("Payments")));
    // Nothing of a rotation is told that the reader may not see.
    for there in &mut there {
        there.named = None;
    }
    let found = find_beside(&here, &none, (&around, &there), range);
    assert_eq!(told(&found, K::DoubleDuty), lines);
    assert!(found.iter().all(|one| !one.text.contains("Payments")));
    assert!(
        found
            .iter()
            .any(|one| one.text.contains("another rotation"))
    );
}

/// rules.md 27.7.
#[test]
fn whoever_is_deactivated_is_told_now_and_next() {
    let none = Absences::default();
    let here = weeks(3, &none);
    let mut around = around(&here);
    for known in around.people.values_mut() {
        known.is_deactivated = true;
    }
    let lines =
        |around: &Around| told(&find(&here, &none, around, days(BEGUN, 28)), K::Unreachable);
    let (now, next) = (
        "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z cel_0_0 a",
        "2026-01-12T00:00:00Z/2026-01-19T00:00:00Z cel_0_0 b",
    );
    assert_eq!(lines(&around), [now, next]);
    around.people.remove(&user(0));
    assert_eq!(lines(&around), [now, next]);
    for known in around.people.values_mut() {
        known.is_deactivated = false;
    }
    assert_eq!(lines(&around), [now]);
}

/// rules.md 27.3.
#[test]
fn nearly_the_whole_week() {
    let none = Absences::default();
    let monday = Weekday::Monday;
    let until = |end| stretch(monday, "00:00", Weekday::Sunday, end);
    let lines = |windows: Vec<Vec<Stretch>>| {
        let windows = windows.into_iter().map(|hours| (weekly(), hours));
        let here = rotation(3, 1, windows.collect(), BEGUN, &none);
        of(&here, &none, K::Uncovered, 14)
    };
    assert_eq!(
        lines(vec![vec![until("22:00")]]),
        ["2026-01-11T22:00:00Z/2026-01-19T00:00:00Z -"]
    );
    // 160 hours, and a minute less.
    assert_eq!(lines(vec![vec![until("16:00")]]).len(), 1);
    assert_eq!(lines(vec![vec![until("15:59")]]), [""; 0]);
    let rest = stretch(Weekday::Sunday, "16:00", monday, "00:00");
    assert_eq!(lines(vec![vec![until("16:00")], vec![rest]]), [""; 0]);
    assert_eq!(lines(vec![vec![until("16:00")], vec![]]), [""; 0]);
}

/// rules.md 27.8.
#[test]
fn nights_that_are_day_for_another_member() {
    let none = Absences::default();
    let here = weeks(2, &none);
    let lines = |zones: [&str; 2]| {
        let mut around = around(&here);
        for (known, zone) in around.people.values_mut().zip(zones) {
            known.zone = ZoneName::parse(zone).ok();
        }
        told(&find(&here, &none, &around, days(BEGUN, 14)), K::NightWork)
    };
    assert_eq!(
        lines(["Europe/Oslo", "Australia/Sydney"]),
        [
            "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z cel_0_0 a",
            "2026-01-12T11:00:00Z/2026-01-18T19:00:00Z cel_0_0 b",
        ]
    );
    // The day in New York ends before the night in Oslo does; only a part of the last one lies in it.
    assert_eq!(
        lines(["Europe/Oslo", "America/New_York"])[0],
        "2026-01-11T21:00:00Z/2026-01-12T00:00:00Z cel_0_0 a"
    );
    assert_eq!(lines(["Europe/Oslo", "Europe/Berlin"]), [""; 0]);
    assert_eq!(lines(["Europe/Oslo", "nowhere"]), [""; 0]);
}

/// rules.md 27.8.
#[test]
fn a_share_over_one_and_a_half_times_the_mean() {
    let none = Absences::default();
    let three = weeks(3, &none);
    assert_eq!(of(&three, &none, K::Unfair, 28), [""; 0]);
    assert_eq!(
        of(&three, &none, K::Unfair, 7),
        ["2026-01-05T00:00:00Z/2026-01-12T00:00:00Z - a"]
    );
    let absences = away(&[("b", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z")]);
    let two = weeks(2, &absences);
    assert_eq!(
        of(&two, &absences, K::Unfair, 28),
        ["2026-01-05T00:00:00Z/2026-02-02T00:00:00Z - a"]
    );
}

/// rules.md 27.8.
#[test]
fn whoever_has_a_share_is_expected_to_carry_that() {
    let none = Absences::default();
    let share = |user: &str, percent| Share {
        user: user.into(),
        percent,
    };
    let lines = |shares: &[Share], weeks_long: i64| {
        let mut three = traded(weeks(3, &none));
        three.dealing.shares = shares.to_vec();
        of(&three, &none, K::Unfair, 7 * weeks_long)
    };
    let told = |users: &[&str], until: &str| -> Vec<String> {
        let line = |user: &&str| format!("2026-01-05T00:00:00Z/{until} - {user}");
        users.iter().map(line).collect()
    };
    // One week of a: three times the mean, and with nine tenths of a share all the same.
    let one_week = "2026-01-12T00:00:00Z";
    assert_eq!(lines(&[], 1), told(&["a"], one_week));
    assert_eq!(lines(&[share("a", 90)], 1), told(&["a"], one_week));
    // Two stand-ins expect nothing: a carries all of it, as is expected.
    let stand_ins = [share("b", 0), share("c", 0)];
    assert_eq!(lines(&stand_ins, 1), [""; 0]);
    assert_eq!(lines(&stand_ins, 6), [""; 0]);
    // By shares of 100, 20 and 20 percent, five sevenths.
    assert_eq!(lines(&[share("b", 20), share("c", 20)], 1), [""; 0]);
    // Where a stand-in has more than the others, by hand.
    let mut three = traded(weeks(3, &none));
    three.dealing.shares = vec![share("c", 0)];
    three.cells[0].holder.as_mut().expect("a holder").user = "c".into();
    assert_eq!(of(&three, &none, K::Unfair, 7), told(&["c"], one_week));
    assert_eq!(of(&three, &none, K::Unfair, 28), [""; 0]);
}

/// rules.md 27.6.
#[test]
fn the_rest_that_is_dealt_by_is_due() {
    let none = Absences::default();
    let windows = vec![(daily(&["00:00"], "UTC"), every_day("08:00", "20:00"))];
    let mut alone = traded(rotation(1, 1, windows, BEGUN, &none));
    for (rest_hours, warned_at, expected) in [(0, 11, 0), (12, 11, 0), (13, 11, 1), (0, 13, 1)] {
        alone.dealing.rest_hours = rest_hours;
        alone.profile.warnings.short_rest_hours = warned_at;
        let found = of(&alone, &none, K::ShortRest, 2);
        assert_eq!(found.len(), expected, "{rest_hours} {warned_at}");
    }
    let found = find(&alone, &none, &around(&alone), days(BEGUN, 2));
    assert!(found.iter().any(|one| one.text.contains("13 h are wanted")));
}

/// rules.md 27.5.
#[test]
fn turns_on_end_are_told_where_somebody_else_could_have_been_free() {
    let none = Absences::default();
    let lines = |rotation: Rotation, absences: &Absences, length: i64| {
        of(&traded(rotation), absences, K::BackToBack, length)
    };
    // Nobody else is there, or here.
    assert_eq!(lines(weeks(1, &none), &none, 28), [""; 0]);
    let absences = away(&[("b", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z")]);
    assert_eq!(lines(weeks(2, &absences), &absences, 28), [""; 0]);
    // Everybody else has a turn before or after, or at the same time.
    let lanes = rotation(3, 2, vec![(weekly(), vec![])], BEGUN, &none);
    assert_eq!(lines(lanes.clone(), &none, 14), [""; 0]);
    let told = ["2026-01-05T00:00:00Z/2026-01-19T00:00:00Z - a"];
    // Where missed turns are lost, it is told of anybody.
    assert_eq!(of(&lanes, &none, K::BackToBack, 14), told);
    // One more is free, unless they are away.
    let mut by_hand = weeks(2, &none);
    by_hand.rosters[0].next_turns[0].turn = 0;
    let told = ["2026-01-05T00:00:00Z/2026-01-19T00:00:00Z cel_0_0 a"];
    assert_eq!(lines(by_hand.clone(), &none, 14), told);
    let absences = away(&[("b", "2026-01-05T00:00:00Z", "2026-01-13T00:00:00Z")]);
    assert_eq!(lines(by_hand, &absences, 14), [""; 0]);
}

/// rules.md 27.9.
#[test]
fn hand_overs_at_a_change_of_the_clocks() {
    let none = Absences::default();
    for (times, begun, expected) in [
        (
            &["02:30"][..],
            "2026-03-25T00:00:00Z",
            vec!["2026-03-29T01:30:00Z/2026-03-29T02:30:00Z cel_0_0"],
        ),
        (
            &["02:30", "03:30"],
            "2026-03-25T00:00:00Z",
            vec!["2026-03-29T01:30:00Z/2026-03-29T02:30:00Z cel_0_0"],
        ),
        (&["03:30", "03:00"], "2026-03-25T00:00:00Z", vec![]),
        (
            &["02:00"],
            "2026-03-25T00:00:00Z",
            vec!["2026-03-29T01:00:00Z/2026-03-29T02:00:00Z cel_0_0"],
        ),
        (
            &["02:30"],
            "2026-10-20T00:00:00Z",
            vec!["2026-10-25T00:30:00Z/2026-10-25T01:30:00Z cel_0_0"],
        ),
        (&["03:00", "01:59"], "2026-10-20T00:00:00Z", vec![]),
    ] {
        let windows = vec![(daily(times, "Europe/Oslo"), vec![])];
        let here = rotation(2, 1, windows, begun, &none);
        let found = find(&here, &none, &around(&here), days(begun, 10));
        assert_eq!(told(&found, K::ClockChange), expected, "{times:?} {begun}");
    }
    // One of two lanes is not named.
    let windows = vec![(daily(&["02:30"], "Europe/Oslo"), vec![])];
    let here = rotation(2, 2, windows, "2026-03-25T00:00:00Z", &none);
    let found = find(
        &here,
        &none,
        &around(&here),
        days("2026-03-25T00:00:00Z", 10),
    );
    assert_eq!(
        told(&found, K::ClockChange),
        ["2026-03-29T01:30:00Z/2026-03-29T02:30:00Z -"]
    );
}

/// rules.md 27.9.
#[test]
fn duty_on_holidays_and_the_end_of_what_is_known() {
    let none = Absences::default();
    let norway = CountryCode::parse("NO").expect("a country");
    let here = |begun: &str| {
        let mut cadence = weekly();
        cadence.skips.countries = vec![norway];
        rotation(2, 1, vec![(cadence, vec![])], begun, &none)
    };
    let begun = "2026-05-11T00:00:00Z";
    let mut may = here(begun);
    let lines = |may: &Rotation, kind| told(&find(may, &none, &around(may), days(begun, 15)), kind);
    let on_call = lines(&may, K::HolidayDuty);
    let days_told: Vec<&str> = on_call.iter().map(|line| &line[..10]).collect();
    let expected = ["2026-05-14", "2026-05-17", "2026-05-24", "2026-05-25"];
    assert_eq!(days_told, expected);
    assert!(on_call[0].starts_with("2026-05-14T00:00:00Z/2026-05-15T00:00:00Z cel_0_0"));
    assert_eq!(lines(&may, K::EndsSoon), [""; 0]);
    // Whoever is off on holidays is not on call on them.
    may.skips_are_off_time = true;
    if let Some(cadence) = &mut may.windows[0].cadence {
        cadence.skips.national_holidays = true;
    }
    assert_eq!(lines(&may, K::HolidayDuty), [""; 0]);
    let begun = "2050-12-06T00:00:00Z";
    let late = here(begun);
    let found = find(&late, &none, &around(&late), days(begun, 30));
    assert_eq!(
        told(&found, K::EndsSoon),
        ["2051-01-01T00:00:00Z/2051-01-05T00:00:00Z -"]
    );
}

/// rules.md 27.7.
#[test]
fn what_cannot_be_read() {
    let none = Absences::default();
    let here = weeks(2, &none);
    let mut around = around(&here);
    let read_at: jiff::Timestamp = "2026-01-04T00:00:00Z".parse().expect("an instant");
    around.unread_calendars = [(user(1), read_at), ("gone".into(), read_at)].into();
    around.is_partner_unread = true;
    let found = find(&here, &none, &around, days(BEGUN, 7));
    assert_eq!(
        told(&found, K::StaleSource),
        [
            "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z - b",
            "2026-01-05T00:00:00Z/2026-01-12T00:00:00Z cel_0_0",
        ]
    );
    let stale: Vec<_> = found
        .iter()
        .filter(|one| one.kind == K::StaleSource)
        .collect();
    assert_eq!([stale[0].since, stale[1].since], [Some(read_at), None]);
}

/// rules.md 27.11.
#[test]
fn disabled_rotations_and_kinds_that_are_off_tell_nothing() {
    let none = Absences::default();
    let mut empty = weeks(0, &none);
    let kinds = |rotation: &Rotation| -> Vec<&str> {
        let found = find(rotation, &none, &around(rotation), days(BEGUN, 7));
        found.iter().map(|warning| warning.kind.name()).collect()
    };
    assert_eq!(kinds(&empty), ["nobody", "emptyRoster"]);
    empty.profile.warnings.off.insert(K::Nobody);
    assert_eq!(kinds(&empty), ["emptyRoster"]);
    empty.enabled = false;
    assert_eq!(kinds(&empty), [""; 0]);
}

#[test]
fn each_kind_has_one_finder() {
    let mut kinds = FINDERS.map(|(kind, _)| kind);
    kinds.sort();
    let mut all = K::ALL;
    all.sort();
    assert_eq!(kinds, all);
}
