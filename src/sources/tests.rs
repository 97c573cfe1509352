//! Answers as the partners document them, and odd ones.

use super::{definition_of, timeline_of};
use crate::domain::partner::{
    Definition, MemberKind, Partner, ReadFailure, Restriction, Timeline, Turn,
};
use crate::domain::time::Interval;
use jiff::SignedDuration;
use jiff::civil::{Weekday, time};
use serde_json::{Value, json};

fn span(from: &str, until: &str) -> Interval {
    Interval {
        from: from.parse().expect("an instant"),
        until: until.parse().expect("an instant"),
    }
}

/// A shift a line: who, source, ids, piece, whole.
fn shown(timeline: &Timeline) -> Vec<String> {
    let short = |at: jiff::Timestamp| at.strftime("%d.%H").to_string();
    let rows = timeline.shifts.iter().map(|shift| {
        let ids = [
            &shift.source.rotation_id,
            &shift.source.shift_id,
            &shift.source.override_id,
        ];
        let ids: Vec<&str> = ids.iter().map(|id| id.as_deref().unwrap_or("-")).collect();
        format!(
            "{} {} {} {}..{} of {}..{}",
            shift.member.id.as_deref().unwrap_or("nobody"),
            shift.source.kind.name(),
            ids.join("/"),
            short(shift.span.from),
            short(shift.span.until),
            short(shift.original.from),
            short(shift.original.until),
        )
    });
    rows.collect()
}

fn check(partner: Partner, answer: Value, known: Interval, rows: &[&str]) {
    let timeline = timeline_of(partner, answer, known).expect("a timeline");
    assert_eq!(shown(&timeline), rows);
}

fn entry(user: &str, start: &str, end: &str) -> Value {
    json!({
        "start": format!("2026-11-{start}:00:00Z"),
        "end": format!("2026-11-{end}:00:00Z"),
        "user": { "id": user, "type": "user_reference", "summary": format!("Name of {user}") }
    })
}

fn v2(layers: &[(&str, Vec<Value>)], overrides: Vec<Value>, last: Vec<Value>) -> Value {
    let layers = layers.iter().map(|(id, entries)| {
        json!({
            "id": id, "name": id, "start": "2026-11-01T00:00:00Z", "end": null,
            "rotation_virtual_start": "2026-11-01T00:00:00Z",
            "rotation_turn_length_seconds": 86400, "users": [], "restrictions": [],
            "rendered_schedule_entries": entries
        })
    });
    json!({ "schedule": {
        "id": "P1", "type": "schedule", "name": "One", "time_zone": "Eastern Time (US & Canada)",
        "schedule_layers": layers.collect::<Vec<_>>(),
        "overrides_subschedule": { "name": "Overrides", "rendered_schedule_entries": overrides },
        "final_schedule": { "name": "Final Schedule", "rendered_schedule_entries": last }
    } })
}

#[test]
fn pieces_of_pagerduty_come_from_overrides_and_layers() {
    let week = span("2026-11-23T10:00:00Z", "2026-11-30T00:00:00Z");
    let answer = v2(
        &[
            (
                "L1",
                vec![entry("A", "23T08", "23T18"), entry("A", "24T08", "24T18")],
            ),
            ("L2", vec![entry("B", "22T00", "25T00")]),
        ],
        vec![entry("C", "23T12", "23T14"), entry("B", "23T14", "23T15")],
        vec![
            entry("B", "22T00", "23T08"),
            entry("A", "23T08", "23T12"),
            entry("C", "23T12", "23T14"),
            entry("B", "23T14", "23T15"),
            entry("A", "23T15", "23T18"),
            entry("B", "23T18", "24T08"),
            entry("A", "24T08", "24T18"),
            entry("B", "24T18", "25T00"),
        ],
    );
    check(
        Partner::Pager,
        answer,
        week,
        &[
            "A rotation L1/-/- 23.08..23.12 of 23.08..23.18",
            "C rotationOverride -/-/- 23.12..23.14 of 23.12..23.14",
            "B rotationOverride -/-/- 23.14..23.15 of 23.14..23.15",
            "A rotation L1/-/- 23.15..23.18 of 23.08..23.18",
            "B rotation L2/-/- 23.18..24.08 of 22.00..25.00",
            "A rotation L1/-/- 24.08..24.18 of 24.08..24.18",
            "B rotation L2/-/- 24.18..25.00 of 22.00..25.00",
        ],
    );
}

#[test]
fn entries_that_the_answer_cuts_stay_whole() {
    // The final schedule overflows and the layer does not.
    let answer = v2(
        &[(
            "L1",
            vec![entry("A", "23T10", "24T00"), entry("A", "24T00", "24T10")],
        )],
        vec![],
        vec![entry("A", "23T00", "24T00"), entry("A", "24T00", "25T00")],
    );
    check(
        Partner::Pager,
        answer,
        span("2026-11-23T10:00:00Z", "2026-11-24T10:00:00Z"),
        &[
            "A rotation L1/-/- 23.00..24.00 of 23.00..24.00",
            "A rotation L1/-/- 24.00..25.00 of 24.00..25.00",
        ],
    );
    // An entry of which no layer knows, as after a layer was deleted, and one that does not end.
    let mut endless = entry("A", "24T00", "24T10");
    endless["end"] = Value::Null;
    let answer = v2(&[], vec![], vec![entry("B", "23T00", "24T00"), endless]);
    let timeline = timeline_of(
        Partner::Pager,
        answer,
        span("2026-11-23T10:00:00Z", "2026-11-24T10:00:00Z"),
    )
    .expect("a timeline");
    assert_eq!(timeline.shifts.len(), 2);
    assert_eq!(timeline.shifts[1].span.until, crate::domain::time::FOREVER);
    assert_eq!(timeline.shifts[0].member.name.as_deref(), Some("Name of B"));
}

fn assignment(user: Option<&str>, source: Value, start: &str, end: &str) -> Value {
    let member = match user {
        Some(id) => json!({ "type": "user_member", "user_id": id }),
        None => json!({ "type": "empty_member" }),
    };
    json!({
        "type": "computed_shift_assignment", "member": member, "source": source,
        "start_time": format!("2026-11-{start}:00:00Z"),
        "end_time": format!("2026-11-{end}:00:00Z")
    })
}

#[test]
fn shift_based_schedules_say_where_pieces_come_from() {
    let rotation = json!({ "type": "schedule_rotation", "rotation_id": "R" });
    let replaced = json!({
        "type": "schedule_rotation_override", "rotation_id": "R", "override_id": "O"
    });
    let custom = json!({ "type": "custom_shift", "shift_id": "S" });
    let answer = json!({ "schedule": {
        "id": "P3", "type": "schedule_v3", "name": "Three", "time_zone": "Europe/Oslo",
        "final_schedule": { "type": "final_schedule", "computed_shift_assignments": [
            assignment(Some("A"), rotation.clone(), "23T08", "23T12"),
            assignment(None, replaced, "23T12", "23T14"),
            assignment(Some("A"), rotation.clone(), "23T14", "23T18"),
            assignment(Some("B"), custom, "23T13", "23T15"),
            assignment(Some("A"), rotation.clone(), "23T18", "23T20"),
            assignment(Some("B"), rotation, "23T20", "24T20"),
        ] }
    } });
    check(
        Partner::Pager,
        answer,
        span("2026-11-23T00:00:00Z", "2026-11-25T00:00:00Z"),
        &[
            "A rotation R/-/- 23.08..23.12 of 23.08..23.18",
            "nobody rotationOverride R/-/O 23.12..23.14 of 23.12..23.14",
            "B customShift -/S/- 23.13..23.15 of 23.13..23.15",
            "A rotation R/-/- 23.14..23.18 of 23.08..23.18",
            "A rotation R/-/- 23.18..23.20 of 23.18..23.20",
            "B rotation R/-/- 23.20..24.20 of 23.20..24.20",
        ],
    );
}

fn period(kind: &str, who: &Value, start: &str, end: &str) -> Value {
    json!({
        "type": kind, "recipient": who,
        "startDate": format!("2026-11-{start}:00:00Z"),
        "endDate": format!("2026-11-{end}:00:00Z")
    })
}

#[test]
fn rows_of_opsgenie_tell_how_long_shifts_are() {
    let ana = json!({ "id": "A", "type": "user", "name": "ana@example.org" });
    let ben = json!({ "id": "B", "type": "user", "name": "ben@example.org" });
    let team = json!({ "id": "T", "type": "team", "name": "Platform" });
    let none = json!({ "type": "none" });
    let row = |periods: Vec<Value>| json!({ "rotations": [{ "id": "R", "periods": periods }] });
    let answer = json!({ "data": {
        "startDate": "2026-11-23T00:00:00Z", "endDate": "2026-12-07T00:00:00Z",
        "finalTimeline": row(vec![
            period("historical", &ana, "23T00", "24T10"),
            period("base", &ana, "24T10", "24T12"),
            period("override", &ben, "24T12", "24T14"),
            period("base", &ana, "24T14", "25T00"),
            period("forwarding", &team, "25T00", "25T10"),
            period("base", &none, "25T10", "26T00"),
        ]),
        "baseTimeline": row(vec![
            period("historical", &ana, "23T00", "24T10"),
            period("base", &ana, "24T10", "25T00"),
            period("base", &ben, "25T00", "25T10"),
        ]),
        "overrideTimeline": row(vec![period("override", &ben, "24T12", "24T14")]),
        "forwardingTimeline": row(vec![period("forwarding", &team, "25T00", "26T00")])
    } });
    let wanted = span("2026-11-24T09:00:00Z", "2026-12-20T00:00:00Z");
    let timeline = timeline_of(Partner::Ops, answer, wanted).expect("a timeline");
    assert_eq!(
        shown(&timeline),
        [
            "A rotation R/-/- 23.00..24.12 of 23.00..25.00",
            "B rotationOverride R/-/- 24.12..24.14 of 24.12..24.14",
            "A rotation R/-/- 24.14..25.00 of 23.00..25.00",
            "T forwarding R/-/- 25.00..25.10 of 25.00..26.00",
            "nobody rotation R/-/- 25.10..26.00 of 25.10..26.00",
        ]
    );
    assert_eq!(
        timeline.known,
        span("2026-11-24T09:00:00Z", "2026-12-07T00:00:00Z")
    );
    let members: Vec<_> = timeline.shifts.iter().map(|shift| &shift.member).collect();
    assert_eq!(members[0].email.as_deref(), Some("ana@example.org"));
    assert_eq!(members[3].kind, MemberKind::Team);
    assert_eq!(members[3].name.as_deref(), Some("Platform"));
    assert_eq!(members[4].kind, MemberKind::Empty);
}

/// Read at the very instant at which somebody follows themselves.
#[test]
fn turns_of_one_person_stay_apart_at_the_present_instant() {
    let ana = json!({ "id": "A", "type": "user", "name": "ana@example.org" });
    let row = |periods: Vec<Value>| json!({ "rotations": [{ "id": "R", "periods": periods }] });
    let answer = |now: &str| {
        let mut periods = vec![period("historical", &ana, "23T12", now)];
        if now < "24T12" {
            periods.push(period("base", &ana, now, "24T12"));
        }
        periods.push(period("base", &ana, "24T12", "25T12"));
        json!({ "data": {
            "startDate": "2026-11-23T00:00:00Z", "endDate": "2026-12-07T00:00:00Z",
            "finalTimeline": row(periods),
            "baseTimeline": row(vec![
                period("base", &ana, "23T12", "24T12"),
                period("base", &ana, "24T12", "25T12"),
            ]),
        } })
    };
    let wanted = span("2026-11-24T09:00:00Z", "2026-12-07T00:00:00Z");
    for now in ["24T10", "24T12"] {
        let timeline = timeline_of(Partner::Ops, answer(now), wanted).expect("a timeline");
        assert_eq!(
            shown(&timeline),
            [
                "A rotation R/-/- 23.12..24.12 of 23.12..24.12",
                "A rotation R/-/- 24.12..25.12 of 24.12..25.12",
            ],
            "{now}"
        );
    }
}

#[test]
fn the_timeline_of_jira_is_read_as_documented() {
    let answer = json!({
        "startDate": "2024-01-29T00:00:00Z", "endDate": "2024-02-12T00:00:00Z",
        "finalTimeline": { "rotations": [
            { "id": "P", "name": "Primary", "order": 1, "deleted": false, "periods": [
                { "startDate": "2024-02-01T08:11:21.263Z", "endDate": "2024-02-01T08:12:19.866Z",
                  "type": "historical", "responder": { "id": "U", "type": "user" },
                  "flattenedResponders": [{ "id": "U", "type": "user" }] },
                { "startDate": "2024-02-01T08:12:19.866Z", "endDate": "2024-02-02T00:00:00Z",
                  "type": "override", "responder": { "id": "U", "type": "user" } },
                { "startDate": "2024-02-05T21:00:00Z", "endDate": "2024-02-06T21:00:00Z",
                  "type": "forwarding", "from": { "id": "F", "type": "user", "deleted": false },
                  "responder": { "id": "V", "type": "user" } }
            ] },
            { "id": "B", "order": null, "deleted": true, "periods": [
                { "startDate": "2024-01-29T00:00:00Z", "endDate": "2024-01-29T12:00:00Z",
                  "type": "historical", "responder": { "type": "noone" } }
            ] }
        ] }
    });
    check(
        Partner::Desk,
        answer,
        span("2024-01-29T00:00:00Z", "2024-02-12T00:00:00Z"),
        &[
            "nobody rotation B/-/- 29.00..29.12 of 29.00..29.12",
            "U rotationOverride P/-/- 01.08..02.00 of 01.08..02.00",
            "V forwarding P/-/- 05.21..06.21 of 05.21..06.21",
        ],
    );
}

#[test]
fn answers_that_say_nothing_are_refused() {
    let wanted = span("2026-11-24T00:00:00Z", "2026-12-08T00:00:00Z");
    for (partner, answer) in [
        (Partner::Pager, json!({})),
        (Partner::Pager, json!({ "schedule": { "id": "P" } })),
        (
            Partner::Pager,
            json!({ "schedule": { "id": "P", "type": "schedule_v3" } }),
        ),
        (Partner::Ops, json!({ "data": [] })),
        (
            Partner::Ops,
            json!({ "data": { "startDate": "2026-11-24T00:00:00Z", "endDate": "2026-12-24T00:00:00Z" } }),
        ),
        (
            Partner::Desk,
            json!({ "startDate": "2020-11-24T00:00:00Z", "endDate": "2020-12-24T00:00:00Z",
                "finalTimeline": { "rotations": [] } }),
        ),
        (
            Partner::Desk,
            json!({ "startDate": "yesterday", "endDate": "2020-12-24T00:00:00Z",
                "finalTimeline": { "rotations": [] } }),
        ),
    ] {
        let failure = timeline_of(partner, answer.clone(), wanted).expect_err("a refusal");
        assert_eq!(failure.kind, ReadFailure::InvalidResponse, "{answer}");
    }
}

fn rotations(partner: Partner, answer: Value) -> Definition {
    let year = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    definition_of(partner, answer, year).expect("a definition")
}

#[test]
fn layers_of_pagerduty_are_rotations() {
    let user = |id: &str| json!({ "user": { "id": id, "type": "user_reference", "summary": id } });
    let layer = |seconds: i64, restrictions: Value| {
        json!({
            "id": format!("L{seconds}"), "name": "Layer", "start": "2026-11-01T05:00:00Z", "end": null,
            "rotation_virtual_start": "2026-10-31T05:00:00Z", "rotation_turn_length_seconds": seconds,
            "users": [user("B"), user("A"), user("B")], "restrictions": restrictions
        })
    };
    let read = rotations(
        Partner::Pager,
        json!({ "schedule": {
            "id": "P1", "type": "schedule", "summary": "One", "time_zone": "Eastern Time (US & Canada)",
            "html_url": "https://acme.pagerduty.com/schedules/P1",
            "users": [{ "id": "C", "type": "user_reference", "summary": "Cy" }],
            "schedule_layers": [
                layer(604_800, json!([{ "type": "daily_restriction", "start_time_of_day": "08:00:00",
                    "duration_seconds": 32_400 }])),
                layer(172_800, json!([{ "type": "weekly_restriction", "start_day_of_week": 5,
                    "start_time_of_day": "17:30:00", "duration_seconds": 200_000 }])),
                layer(43_200, json!([])), layer(1_800, json!(null)),
            ]
        } }),
    );
    assert!(read.layered);
    assert_eq!(read.summary.name, "One");
    assert_eq!(read.zone.or_utc().as_str(), "America/New_York");
    assert_eq!(read.participant_ids(), ["B", "A"]);
    let people: Vec<&str> = (read.people.iter())
        .map(|person| person.participant_id.as_str())
        .collect();
    assert_eq!(people, ["B", "A", "C"]);
    let turns: Vec<&Turn> = read.rotations.iter().map(|one| &one.turn).collect();
    assert_eq!(
        turns,
        [
            &Turn::Weeks(1),
            &Turn::Days(2),
            &Turn::Hours(12),
            &Turn::Seconds(1_800)
        ]
    );
    let hours = |day, from, seconds| Restriction {
        day,
        from,
        length: SignedDuration::from_secs(seconds),
    };
    assert_eq!(
        read.rotations[0].restrictions,
        [hours(None, time(8, 0, 0, 0), 32_400)]
    );
    assert_eq!(
        read.rotations[1].restrictions,
        [hours(Some(Weekday::Friday), time(17, 30, 0, 0), 200_000)]
    );
    assert_eq!(read.rotations[0].participants.len(), 3);
}

#[test]
fn restrictions_of_opsgenie_are_lengths() {
    let hours =
        |from: i64, until: i64| json!({ "startHour": from, "startMin": 30, "endHour": until });
    let days = |from: &str, until: &str| json!({ "startDay": from, "endDay": until, "startHour": 9, "startMin": 0, "endHour": 17, "endMin": 30 });
    for (restriction, day, hours) in [
        (
            json!({ "type": "time-of-day", "restriction": hours(8, 18) }),
            None,
            9.5,
        ),
        (
            json!({ "type": "time-of-day", "restriction": hours(18, 8) }),
            None,
            13.5,
        ),
        (
            json!({ "type": "time-of-day", "restriction": hours(18, 24) }),
            None,
            5.5,
        ),
        (
            json!({ "type": "time-of-day", "restriction": { "startHour": 9, "endHour": 9 } }),
            None,
            24.0,
        ),
        (
            json!({ "type": "weekday-and-time-of-day", "restrictions": [days("monday", "friday")] }),
            Some(Weekday::Monday),
            104.5,
        ),
        (
            json!({ "type": "weekday-and-time-of-day", "restrictions": [days("saturday", "monday")] }),
            Some(Weekday::Saturday),
            56.5,
        ),
    ] {
        let read = rotations(
            Partner::Ops,
            json!({ "data": { "id": "S", "name": "S", "timezone": "Europe/Oslo", "rotations": [{
                "id": "R", "name": "R", "startDate": "2026-11-01T08:00:00Z", "type": "weekly", "length": 2,
                "participants": [
                    { "type": "user", "id": "A", "username": "ana@example.org" },
                    { "type": "escalation", "id": "E" }, { "type": "none" }
                ],
                "timeRestriction": restriction
            }] } }),
        );
        let found = read.rotations[0].restrictions[0];
        assert_eq!(
            (found.day, found.length.as_secs_f64() / 3600.0),
            (day, hours),
            "{restriction}"
        );
        assert_eq!(read.rotations[0].turn, Turn::Weeks(2));
        assert_eq!(read.participant_ids(), ["A"]);
        let kinds: Vec<_> = read.rotations[0]
            .participants
            .iter()
            .map(|one| one.kind)
            .collect();
        assert_eq!(
            kinds,
            [MemberKind::User, MemberKind::Escalation, MemberKind::Empty]
        );
    }
}
