//! Tables: turns and what becomes of them.

use super::*;
use crate::domain::books::{Dealt, DealtTurn};
use crate::domain::coverage::Stretch;
use crate::domain::duty::merged;
use crate::domain::duty::tests::duty;
use crate::domain::rotation::Entry;
use crate::domain::rotation::HoursHeld;
use crate::domain::rotation::tests::rotation;
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use jiff::SignedDuration;
use jiff::civil::Weekday;
use std::sync::Arc;

fn at(text: &str) -> Timestamp {
    format!("2026-{text}:00Z").parse().unwrap()
}

fn entry(user: &str, start: &str, reason: Reason) -> Entry {
    Entry {
        user: (user != "-").then(|| user.into()),
        reason,
        ..Entry::never_held(at(start))
    }
}

fn held(user: &str, start: &str, end: &str, reason: Reason) -> Duty {
    duty(entry(user, start, reason), Some(at(end)))
}

/// A turn of half a second.
fn momentary(user: &str, start: &str) -> Duty {
    let end = at(start) + SignedDuration::from_millis(500);
    duty(entry(user, start, Reason::ExplicitChange), Some(end))
}

fn planned(user: &str, start: &str, end: Option<&str>) -> Duty {
    let entry = entry(user, start, Reason::NextOnScheduledDuty);
    duty(entry, end.map(at))
}

fn shown(events: &[DutyEvent]) -> Vec<String> {
    let time = |at: Timestamp| at.strftime("%m-%dT%H:%M").to_string();
    events
        .iter()
        .map(|event| {
            let period = event.period;
            format!(
                "{} {} {}",
                time(period.from),
                time(period.until),
                event.summary
            )
        })
        .collect()
}

/// rules.md 20.2.
#[test]
fn the_span_is_the_same_all_day() {
    let morning = span(at("11-23T00:00"));
    assert_eq!(morning, span(at("11-23T23:59")));
    assert_eq!(morning.from, at("10-24T00:00"));
    let next = "2027-05-22T00:00:00Z".parse().unwrap();
    assert_eq!(morning.until, next);
}

#[test]
fn turns_become_events_of_their_person_or_of_everybody() {
    let mut rotation = rotation();
    rotation.profile.name = "Ops".into();
    rotation.enabled = true;
    let calendar = Calendar::embedded();
    let span = span(at("11-23T08:00"));
    let ann = UserId::from("a");
    let names = HashMap::from([("a".into(), "Ann".to_owned())]);
    let run = |whose| {
        let held = vec![
            // Too old, whole although it begins before the span, shut hours.
            held(
                "a",
                "10-01T09:00",
                "10-02T09:00",
                Reason::NextOnScheduledDuty,
            ),
            held(
                "a",
                "10-20T09:00",
                "10-25T09:00",
                Reason::NextOnScheduledDuty,
            ),
            held(
                "-",
                "10-25T09:00",
                "10-25T12:00",
                Reason::BusinessHoursOffline,
            ),
            held("-", "10-25T12:00", "10-26T09:00", Reason::DutyCleared),
            momentary("a", "10-26T09:00"),
            momentary("-", "10-26T09:00"),
            held(
                "b",
                "10-26T09:00",
                "11-23T07:00",
                Reason::NextOnScheduledDuty,
            ),
        ];
        let planned = vec![
            // Known from the record.
            planned("b", "10-26T09:00", Some("11-23T07:00")),
            planned("a", "11-23T07:00", Some("11-24T07:00")),
            planned("b", "11-24T07:00", None),
        ];
        let duties = merged(held, planned);
        shown(&events(
            &rotation,
            &calendar,
            &duties,
            span,
            (whose, &names),
        ))
    };
    assert_eq!(
        run(Whose::Person(&ann)),
        [
            "10-20T09:00 10-25T09:00 Duty: Ops",
            "11-23T07:00 11-24T07:00 Duty: Ops"
        ]
    );
    assert_eq!(
        run(Whose::Everybody),
        [
            "10-20T09:00 10-25T09:00 Ann: Ops",
            "10-25T12:00 10-26T09:00 Nobody on call: Ops",
            "10-26T09:00 11-23T07:00 b: Ops",
            "11-23T07:00 11-24T07:00 Ann: Ops",
            "11-24T07:00 05-22T00:00 b: Ops"
        ]
    );
}

/// rules.md 20.2.
#[test]
fn a_vacancy_is_cut_by_hours_and_lanes_are_named() {
    let rotation = rotation();
    let calendar = Calendar::embedded();
    let span = span(at("11-23T08:00"));
    let mut vacancy = held("-", "11-16T00:00", "11-19T10:00", Reason::DutyCleared);
    let time = |text| HhMm::parse(text).unwrap();
    let stretch = |day| Stretch {
        start_day: day,
        start_time: time("09:00"),
        end_day: day,
        end_time: time("17:00"),
    };
    vacancy.entry.lane_name = Some("primary".into());
    vacancy.entry.hours = Arc::new(HoursHeld {
        zone: Some(ZoneName::utc()),
        always_open: false,
        coverage: vec![stretch(Weekday::Tuesday), stretch(Weekday::Thursday)],
    });
    let names = HashMap::new();
    let whose = Whose::Everybody;
    let found = events(&rotation, &calendar, &[vacancy], span, (whose, &names));
    let named = format!("Nobody on call: {} (primary)", rotation.profile.name);
    assert_eq!(
        shown(&found),
        [
            format!("11-17T09:00 11-17T17:00 {named}"),
            format!("11-19T09:00 11-19T10:00 {named}")
        ]
    );
}

/// rules.md 20.2.
#[test]
fn empty_slots_of_a_disabled_rotation_are_no_events() {
    let calendar = Calendar::embedded();
    let span = span(at("11-23T08:00"));
    for (enabled, count) in [(true, 1), (false, 0)] {
        let mut rotation = rotation();
        rotation.enabled = enabled;
        let planned = vec![planned("-", "11-20T08:00", None)];
        let names = HashMap::new();
        let whose = Whose::Everybody;
        let found = events(&rotation, &calendar, &planned, span, (whose, &names));
        assert_eq!(found.len(), count, "{enabled}");
    }
}

#[test]
fn descriptions_say_for_whom_a_turn_is_taken() {
    let rotation = rotation();
    let calendar = Calendar::embedded();
    let span = span(at("11-23T08:00"));
    let names = HashMap::from([("l".into(), "Linus".to_owned())]);
    let lin = UserId::from("l");
    for (dealt, since, expected) in [
        (Dealt::Own, None, None),
        (
            Dealt::Trade,
            None,
            Some("Instead of Linus, who takes a turn in return."),
        ),
        (
            Dealt::Repayment,
            Some(at("11-16T08:00")),
            Some("For Linus, in return for the turn of 2026-11-16."),
        ),
        (Dealt::Help, None, Some("Instead of Linus, to help out.")),
        (
            Dealt::ShortRest,
            None,
            Some("Instead of Linus; nobody was rested."),
        ),
    ] {
        let mut turn = planned("a", "11-24T08:00", Some("11-25T08:00"));
        turn.entry.dealt = Some(DealtTurn {
            owner: match dealt {
                Dealt::Own => "a".into(),
                _ => lin.clone(),
            },
            dealt,
            since,
        });
        let ann = UserId::from("a");
        for whose in [Whose::Person(&ann), Whose::Everybody] {
            let turn = std::slice::from_ref(&turn);
            let found = events(&rotation, &calendar, turn, span, (whose, &names));
            assert_eq!(found[0].description.as_deref(), expected, "{dealt:?}");
        }
    }
}
