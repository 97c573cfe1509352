//! What readers make of what the stand-ins compute.

use super::{fortnight, reader, shown, span};
use crate::support::partners::{Forward, Hours, Kind, Layer, Plan, StandIn, Trouble, Turns};
use jiff::civil::Weekday;
use rota::domain::partner::{MemberKind, ReadFailure, Turn};

/// Weeks from Monday at nine in Oslo, with somebody else on the first Thursday.
fn plan() -> Plan {
    Plan::weekly(
        "S1",
        "Europe/Oslo",
        "2026-11-02T08:00:00Z",
        &["a1", "a2", "a3"],
    )
    .override_by("O1", "a4", "2026-11-26T10:00:00Z", "2026-11-26T12:00:00Z")
}

#[test]
fn every_partner_is_read() {
    for kind in Kind::ALL {
        let partner = StandIn::new(kind);
        partner.people(&["a1", "a2", "a3", "a4"]);
        partner.plan("S1", plan());
        let reader = reader(&partner);
        assert_eq!(reader.partner().name(), kind.name());

        let listed = reader.schedules().expect("the listing");
        assert_eq!(listed.len(), 1);
        assert_eq!(
            (listed[0].id.as_str(), listed[0].name.as_str()),
            ("S1", "Schedule S1")
        );
        let zone = listed[0].zone.as_ref().expect("a zone");
        assert_eq!(zone.or_utc().as_str(), "Europe/Oslo");
        assert_eq!(listed[0].web_url.is_some(), kind == Kind::Pager);

        let read = reader
            .definition("S1", fortnight())
            .expect("the definition");
        assert_eq!(read.participant_ids(), ["a1", "a2", "a3"]);
        assert_eq!(read.rotations[0].turn, Turn::Weeks(1));
        assert_eq!(read.layered, kind == Kind::Pager);
        assert_eq!(read.overrides.len(), 1);
        assert_eq!(read.overrides[0].id.as_deref(), Some("O1"));
        assert_eq!(read.overrides[0].member.id.as_deref(), Some("a4"));

        let timeline = reader.timeline("S1", fortnight()).expect("the timeline");
        assert_eq!(timeline.known, fortnight(), "{kind:?}");
        // PagerDuty does not say which layer an override replaces.
        let rotation = if kind == Kind::Pager { "-" } else { "S1-1" };
        assert_eq!(
            shown(&timeline),
            [
                "a1 rotation S1-1 - 11-23T08..11-26T10 of 11-23T08..11-30T08".to_owned(),
                format!(
                    "a4 rotationOverride {rotation} - 11-26T10..11-26T12 of 11-26T10..11-26T12"
                ),
                "a1 rotation S1-1 - 11-26T12..11-30T08 of 11-23T08..11-30T08".to_owned(),
                "a2 rotation S1-1 - 11-30T08..12-07T08 of 11-30T08..12-07T08".to_owned(),
                "a3 rotation S1-1 - 12-07T08..12-14T08 of 12-07T08..12-14T08".to_owned(),
            ],
            "{kind:?}"
        );
        let ids = ["a2".to_owned(), "gone".to_owned(), "a1".to_owned()];
        let people = reader.people(&ids).expect("people");
        assert_eq!(people[0].email.as_deref(), Some("u2@example.com"));
        assert_eq!(people[0].name.as_deref(), Some("Outside 2"));
        assert_eq!((&people[1].email, &people[1].name), (&None, &None));
        assert_eq!(people[2].participant_id, "a1");
    }
}

#[test]
fn shift_based_schedules_are_read_by_the_newer_paths() {
    let partner = StandIn::new(Kind::Pager);
    partner.people(&["a1", "a2", "a3", "a4"]);
    let mut plan = plan();
    plan.shift_based = true;
    plan.overrides[0].person = "NONE".to_owned();
    partner.plan("S1", plan);
    let reader = reader(&partner);
    let listed = reader.schedules().expect("the listing");
    assert_eq!(
        (listed[0].name.as_str(), &listed[0].zone),
        ("Schedule S1", &None)
    );
    let timeline = reader.timeline("S1", fortnight()).expect("the timeline");
    assert_eq!(
        shown(&timeline)[..3],
        [
            "a1 rotation S1-1 - 11-23T08..11-26T10 of 11-23T08..11-30T08",
            "empty rotationOverride S1-1 O1 11-26T10..11-26T12 of 11-26T10..11-26T12",
            "a1 rotation S1-1 - 11-26T12..11-30T08 of 11-23T08..11-30T08",
        ]
    );
    let read = reader
        .definition("S1", fortnight())
        .expect("the definition");
    assert_eq!(read.participant_ids(), ["a1", "a2", "a3"]);
    assert_eq!(read.overrides[0].member.kind, MemberKind::Empty);
    assert!(matches!(
        &read.rotations[0].turn,
        Turn::Shifts {
            in_a_row: Some(1),
            ..
        }
    ));
    // Once it is known, the older path is not asked for it.
    let before = partner.asked("GET /schedules/S1");
    reader.timeline("S1", fortnight()).expect("the timeline");
    assert_eq!(partner.asked("GET /schedules/S1"), before);
}

#[test]
fn a_schedule_that_the_older_path_refuses_may_be_shift_based() {
    let partner = StandIn::new(Kind::Pager);
    partner.people(&["a1", "a2", "a3", "a4"]);
    let newer = Plan {
        shift_based: true,
        ..plan()
    };
    partner.plan("S1", newer);
    partner.plan("S2", plan());
    let refused = |id: &str| (format!("GET /schedules/{id}"), Trouble::Status(400));
    partner.with(|estate| estate.troubles = vec![refused("S1"), refused("S2")]);
    let reader = reader(&partner);
    let (_, timeline) = reader.reading("S1", fortnight()).expect("a reading");
    assert!(!timeline.shifts.is_empty());
    reader.definition("S1", fortnight()).expect("a definition");
    // One that neither path answers failed for the reason of the first.
    let failure = reader.timeline("S2", fortnight()).expect_err("400");
    assert_eq!(failure.kind, ReadFailure::InvalidResponse);
    assert_eq!(failure.status, Some(400));
}

#[test]
fn what_is_past_and_what_is_forwarded_is_told() {
    for kind in [Kind::Ops, Kind::Desk] {
        let partner = StandIn::new(kind);
        partner.people(&["a1", "a2", "a3", "a4"]);
        let mut plan = plan();
        plan.forwards.push(Forward {
            whose: "a2".to_owned(),
            to: "TEAM-1".to_owned(),
            from: "2026-12-01T08:00:00Z".parse().expect("an instant"),
            until: "2026-12-01T10:00:00Z".parse().expect("an instant"),
        });
        plan.layers.push(Layer {
            id: "S1-2".to_owned(),
            people: vec!["ESC-1".to_owned(), "NONE".to_owned()],
            turns: Turns::Days(7),
            hours: vec![Hours {
                day: Some(Weekday::Saturday),
                from: 9 * 60,
                minutes: 30 * 60,
            }],
            ..plan.layers[0].clone()
        });
        partner.plan("S1", plan);
        partner.with(|it| it.now = Some("2026-11-26T11:00:00Z".parse().expect("an instant")));
        let timeline = reader(&partner)
            .timeline("S1", fortnight())
            .expect("the timeline");
        let rows = shown(&timeline);
        for row in [
            "a1 rotation S1-1 - 11-23T08..11-26T10 of 11-23T08..11-30T08",
            "a4 rotationOverride S1-1 - 11-26T10..11-26T12 of 11-26T10..11-26T12",
            "a2 rotation S1-1 - 11-30T08..12-01T08 of 11-30T08..12-07T08",
            "TEAM-1 forwarding S1-1 - 12-01T08..12-01T10 of 12-01T08..12-01T10",
            "empty rotation S1-2 - 11-28T08..11-29T14 of 11-28T08..11-29T14",
            "ESC-1 rotation S1-2 - 12-05T08..12-06T14 of 12-05T08..12-06T14",
        ] {
            assert!(
                rows.iter().any(|known| known == row),
                "{kind:?} {row}: {rows:#?}"
            );
        }
    }
}

#[test]
fn layers_show_through_where_those_above_are_not_on_call() {
    let partner = StandIn::new(Kind::Pager);
    partner.people(&["a1", "a2"]);
    let mut plan = Plan::weekly(
        "S1",
        "Eastern Time (US & Canada)",
        "2026-11-02T14:00:00Z",
        &["a1"],
    );
    plan.city = "America/New_York".to_owned();
    plan.layers[0].hours = vec![Hours {
        day: None,
        from: 8 * 60,
        minutes: 10 * 60,
    }];
    plan.layers.push(Layer {
        id: "S1-2".to_owned(),
        people: vec!["a2".to_owned()],
        hours: Vec::new(),
        ..plan.layers[0].clone()
    });
    partner.plan("S1", plan);
    let reader = reader(&partner);
    let wanted = span("2026-11-25T09:00:00Z", "2026-11-26T09:00:00Z");
    let timeline = reader.timeline("S1", wanted).expect("the timeline");
    assert_eq!(
        shown(&timeline),
        [
            "a2 rotation S1-2 - 11-24T23..11-25T13 of 11-23T14..11-30T14",
            "a1 rotation S1-1 - 11-25T13..11-25T23 of 11-25T13..11-25T23",
            "a2 rotation S1-2 - 11-25T23..11-26T13 of 11-23T14..11-30T14",
        ]
    );
    let read = reader.definition("S1", wanted).expect("the definition");
    assert_eq!(read.zone.or_utc().as_str(), "America/New_York");
    assert_eq!(timeline.rotations, ["S1-1", "S1-2"]);
}

#[test]
fn long_spans_and_long_listings_are_read_whole() {
    for kind in Kind::ALL {
        let partner = StandIn::new(kind);
        partner.people(&["a1", "a2", "a3"]);
        let weekly = || {
            Plan::weekly(
                "S1",
                "Europe/Oslo",
                "2026-11-02T08:00:00Z",
                &["a1", "a2", "a3"],
            )
        };
        for number in 1..=7 {
            partner.plan(&format!("S{number}"), weekly());
        }
        partner.with(|it| it.page = 3);
        let reader = reader(&partner);
        assert_eq!(
            reader.schedules().expect("the listing").len(),
            7,
            "{kind:?}"
        );
        let quarter = span("2026-11-25T09:00:00Z", "2027-02-23T09:00:00Z");
        let timeline = reader.timeline("S2", quarter).expect("the timeline");
        assert_eq!(timeline.known, quarter);
        let days = |from: jiff::Timestamp, until| from.duration_until(until).as_hours();
        // No shift is divided where one answer ends and the next begins.
        let whole = timeline.shifts[1..timeline.shifts.len() - 1].iter();
        for shift in whole {
            assert_eq!(days(shift.span.from, shift.span.until), 7 * 24, "{kind:?}");
            assert_eq!(shift.span, shift.original);
        }
    }
}

#[test]
fn people_are_kept_for_a_while() {
    for kind in Kind::ALL {
        let partner = StandIn::new(kind);
        partner.people(&["a1"]);
        let reader = reader(&partner);
        let ids = ["a1".to_owned(), "a1".to_owned()];
        for _ in 0..2 {
            let people = reader.people(&ids).expect("people");
            assert_eq!(people[1].email.as_deref(), Some("u1@example.com"));
        }
        assert_eq!(partner.asked("user"), 1, "{kind:?}");
        // A hidden address is no address.
        partner.with(|it| it.people.get_mut("a1").expect("somebody").email = None);
        reader.forget_people();
        assert_eq!(
            reader.people(&ids).expect("people")[0].email,
            None,
            "{kind:?}"
        );
        assert_eq!(partner.asked("user"), 2, "{kind:?}");
    }
    // More than a few at PagerDuty are one listing.
    let partner = StandIn::new(Kind::Pager);
    let ids: Vec<String> = (1..=40).map(|number| format!("a{number}")).collect();
    partner.people(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let people = reader(&partner).people(&ids).expect("people");
    assert_eq!(people[39].email.as_deref(), Some("u40@example.com"));
    assert_eq!(partner.asked("GET /users"), 1);
}
