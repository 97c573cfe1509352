//! Dealing: order, absences, double cover, removal, disabling.

use crate::support::*;
use serde_json::{Value, json};

/// Moves from hand-over to hand-over (daily at 09:00 UTC) and compares holders and the next turn, row by row.
#[track_caller]
fn walk(rotation: &Rot, rows: &[(&str, i64)]) {
    for (day, (holders, next)) in rows.iter().enumerate() {
        if day > 0 {
            rotation
                .by
                .rota
                .to(&plus("2026-01-05T09:00Z", day as i64 * DAY));
        }
        assert_eq!(
            (rotation.holders().as_str(), rotation.next_turn()),
            (*holders, *next),
            "day {day}"
        );
    }
}

#[test]
fn duty_passes_through_the_order() {
    let rota = Rota::with_people(7);
    let one = rota.daily("U1 U2 U3", 1);
    assert_eq!(text(&one.read()["mode"]), "auto");
    walk(&one, &[("U1", 1), ("U2", 2), ("U3", 0), ("U1", 1)]);
}

/// rules.md 2.3.
#[test]
fn lanes_are_dealt_in_order_from_one_list() {
    let rota = Rota::with_people(7);
    let five = rota.daily("U1 U2 U3 U4 U5", 2);
    let three = rota.daily("U1 U2 U3", 2);
    let two = rota.daily("U1 U2", 2);
    let lone = rota.daily("U1", 2);
    let nobody = rota.create(json!({ "name": "R", "owners": ["U1"] }));
    nobody.cover(2, &[always(daily())]);
    for (rotation, places) in [(&five, [2, 0]), (&lone, [1, 1]), (&nobody, [0, 2])] {
        let now = rotation.read();
        assert_eq!([int(&now["heldSeats"]), int(&now["openSeats"])], places);
    }
    for (day, rows) in [
        [
            ("U1 U2", 2),
            ("U1 U2", 2),
            ("U1 U2", 0),
            ("U1 -", 0),
            ("- -", 0),
        ],
        [
            ("U3 U4", 4),
            ("U3 U1", 1),
            ("U1 U2", 0),
            ("U1 -", 0),
            ("- -", 0),
        ],
        [
            ("U5 U1", 1),
            ("U2 U3", 0),
            ("U1 U2", 0),
            ("U1 -", 0),
            ("- -", 0),
        ],
        [
            ("U2 U3", 3),
            ("U1 U2", 2),
            ("U1 U2", 0),
            ("U1 -", 0),
            ("- -", 0),
        ],
    ]
    .iter()
    .enumerate()
    {
        if day > 0 {
            rota.to(&plus("2026-01-05T09:00Z", day as i64 * DAY));
        }
        for (rotation, (holders, next)) in [&five, &three, &two, &lone, &nobody].iter().zip(rows) {
            assert_eq!(
                (rotation.holders().as_str(), rotation.next_turn()),
                (*holders, *next),
                "day {day}"
            );
        }
    }
}

#[test]
fn a_hand_over_belongs_to_its_instant() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rota.to("2026-01-06T08:59:59Z");
    assert_eq!(rotation.on_call(), "U1");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U2");
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    let bounds = ["since", "until", "coveredUntil", "turnEnds"].map(|name| instant(&entry[name]));
    let (since, until) = ("2026-01-06T09:00Z", "2026-01-07T09:00Z");
    assert_eq!(bounds, [since, until, until, until]);
    let now = rotation.read();
    for (member, expected) in [
        ("cellId", &now["cells"]),
        ("laneId", &now["lanes"]),
        ("windowId", &now["windows"]),
    ] {
        assert_eq!(entry[member], expected[0]["id"], "{member}");
    }
    assert_eq!(
        (int(&entry["turn"]), &entry["skippedForAbsence"]),
        (1, &json!([]))
    );
    let holder = &now["cells"][0]["holder"];
    assert_eq!(
        (
            text(&holder["userId"]),
            int(&holder["turn"]),
            &holder["waiting"]
        ),
        ("U2", 1, &json!(false))
    );
    assert_eq!(
        (instant(&holder["since"]), instant(&holder["until"])),
        (since.into(), until.into())
    );
    assert_eq!(now["onCall"], rotation.get("/on-call").json());
}

#[test]
fn a_person_holding_another_place_is_passed_without_losing_a_turn_to_absence() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(
        1,
        &[always(daily()), always(weekly("UTC", "2026-01-12T09:00"))],
    );
    // The first window passes daily, the second stays with U2 for the week; on the Monday both are dealt anew, each from its
    // own next turn. Shown is that of the first, whose hand-over comes next.
    walk(
        &rotation,
        &[
            ("U1 U2", 1),
            ("U3 U2", 0),
            ("U1 U2", 1),
            ("U3 U2", 0),
            ("U1 U2", 1),
            ("U3 U2", 0),
            ("U1 U2", 1),
            ("U2 U3", 2),
        ],
    );
    let skipped = rotation.turns("history", "2026-01-05T00:00Z", "2026-01-20T00:00Z");
    assert!(!skipped.is_empty());
    assert_eq!(
        rotation.get("/on-call").json()["onCall"][0]["skippedForAbsence"],
        json!([])
    );
}

/// rules.md 2.4.
#[test]
fn the_absent_are_passed_over_and_named() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    // A second absence over the first: still listed once.
    rotation.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    walk(&rotation, &[("U1", 1), ("U3", 0)]);
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    let skipped = entry["skippedForAbsence"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert_eq!(
        (text(&skipped[0]["userId"]), text(&skipped[0]["source"])),
        ("U2", "internalAvailability")
    );
    assert_eq!(
        rotation.read()["cells"][0]["holder"]["skippedForAbsence"],
        entry["skippedForAbsence"]
    );
    walk(&rotation, &[("U3", 0)]);
    rota.to("2026-01-07T09:00Z");
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U1", 1)
    );
    rota.to("2026-01-08T09:00Z");
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U2", 2)
    );
}

/// rules.md 10.2.
#[test]
fn an_absence_counts_at_the_instant_of_the_hand_over_alone() {
    let rota = Rota::with_people(3);
    // The hand-over to U2 is at 09:00 on the 6th; an absence is half-open.
    let rows = [
        ("2026-01-06T08:00Z", "2026-01-06T09:00Z", "U2"),
        ("2026-01-06T08:00Z", "2026-01-06T09:00:01Z", "U3"),
        ("2026-01-06T09:00Z", "2026-01-06T10:00Z", "U3"),
        ("2026-01-06T09:00:01Z", "2026-01-06T10:00Z", "U2"),
        ("2026-01-06T11:00+02:00", "2026-01-06T11:30+02:00", "U3"),
    ]
    .map(|(from, until, expected)| {
        let rotation = rota.daily("U1 U2 U3", 1);
        rotation.away("U2", from, until);
        (rotation, expected)
    });
    // A person on duty stays on duty when the absence begins.
    let on_duty = rota.daily("U1 U2", 1);
    on_duty.away("U1", "2026-01-05T12:00Z", "2026-01-06T12:00Z");
    rota.to("2026-01-06T08:00Z");
    assert_eq!(on_duty.on_call(), "U1");
    rota.to("2026-01-06T09:00Z");
    for (row, (rotation, expected)) in rows.iter().enumerate() {
        assert_eq!(rotation.on_call(), *expected, "row {row}");
    }
}

/// rules.md 2.5.
#[test]
fn a_place_nobody_can_take_is_dealt_when_the_first_one_can() {
    let rota = Rota::with_people(3);
    let clock = rota.daily("U1 U2", 1);
    let write = rota.daily("U1 U2", 1);
    let member = rota.daily("U1 U2", 1);
    let mut ids = Vec::new();
    for rotation in [&clock, &write, &member] {
        ids.push(rotation.away("U1", "2026-01-06T08:00Z", "2026-01-06T12:00Z"));
        rotation.away("U2", "2026-01-06T08:30Z", "2026-01-06T13:00Z");
    }
    rota.to("2026-01-06T09:00Z");
    for rotation in [&clock, &write, &member] {
        assert_eq!(
            (rotation.holders().as_str(), rotation.next_turn()),
            ("-", 1)
        );
        assert_eq!(
            text(&rotation.get("/on-call").json()["nobodyOnCallReason"]),
            "nobody-on-call-unplanned"
        );
    }
    rota.to("2026-01-06T10:00Z");
    write.back(&ids[1]);
    assert_eq!((write.on_call().as_str(), write.next_turn()), ("U1", 1));
    member
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    assert_eq!((member.on_call().as_str(), member.next_turn()), ("U3", 0));
    rota.to("2026-01-06T11:59:59Z");
    assert_eq!(clock.on_call(), "");
    rota.to("2026-01-06T12:00Z");
    assert_eq!((clock.on_call().as_str(), clock.next_turn()), ("U1", 1));
    let tail = |rotation: &Rot| {
        rotation
            .history("2026-01-06T09:00Z", "2026-01-07T00:00Z")
            .pop()
            .unwrap()
    };
    assert_eq!(
        tail(&clock),
        "2026-01-06T12:00Z - U1 next-on-scheduled-duty"
    );
    assert_eq!(tail(&write), "2026-01-06T10:00Z - U1 coverage-changed");
}

#[test]
fn double_cover_fills_what_the_list_cannot() {
    let rota = Rota::with_people(3);
    let doubled = |people: &str, lanes: usize| {
        let rotation = rota.rotation(people);
        let now = rotation.cover_doubly(lanes, &[always(daily())]);
        assert_eq!(
            (&now["doubleCover"], int(&now["openSeats"])),
            (&json!(true), 0)
        );
        rotation
    };
    let (lone, pair) = (doubled("U1", 2), doubled("U1 U2", 3));
    // U3 is away throughout: an absent person is never dealt, not even with double cover.
    let away = rota.rotation("U3 U1");
    away.away("U3", "2026-01-05T00:00Z", "2026-02-01T00:00Z");
    away.cover_doubly(2, &[always(daily())]);
    for (day, rows) in [
        [("U1 U1", 0), ("U1 U2 U1", 1), ("U1 U1", 0)],
        [("U1 U1", 0), ("U2 U1 U2", 0), ("U1 U1", 0)],
        [("U1 U1", 0), ("U1 U2 U1", 1), ("U1 U1", 0)],
    ]
    .iter()
    .enumerate()
    {
        if day > 0 {
            rota.to(&plus("2026-01-05T09:00Z", day as i64 * DAY));
        }
        for (rotation, (holders, next)) in [&lone, &pair, &away].iter().zip(rows) {
            assert_eq!(
                (rotation.holders().as_str(), rotation.next_turn()),
                (*holders, *next),
                "day {day}"
            );
        }
    }
    // Omitting doubleCover turns it off.
    let plain = lone.cover(2, &[always(daily())]);
    assert_eq!(plain["doubleCover"], json!(false));
}

/// rules.md 2.8.
#[test]
fn a_manual_rotation_deals_only_when_told() {
    let rota = Rota::with_people(3);
    let rotation = rota.create(
        json!({ "name": "R", "owners": ["U1"], "userIds": ["U1", "U2", "U3"], "lanes": 2 }),
    );
    rota.advance(WEEK);
    assert_eq!(
        (rotation.holders().as_str(), rotation.next_turn()),
        ("- -", 0)
    );
    rotation.rotate();
    assert_eq!(
        (rotation.holders().as_str(), rotation.next_turn()),
        ("U1 U2", 2)
    );
    rotation.rotate();
    assert_eq!(
        (rotation.holders().as_str(), rotation.next_turn()),
        ("U3 U1", 1)
    );
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    assert_eq!(
        (&entry["until"], &entry["turnEnds"]),
        (&Value::Null, &Value::Null)
    );
    rotation.patch(json!({ "userIds": ["U1", "U2"] })).is(200);
    assert_eq!(rotation.holders(), "- U1");
    rota.advance(WEEK);
    assert_eq!(rotation.holders(), "- U1");
    // A cadence makes the rotation `auto`: empty slots are dealt at once, held ones kept.
    assert_eq!(text(&rotation.cover(2, &[always(daily())])["mode"]), "auto");
    assert_eq!(rotation.holders(), "U2 U1");
    // A manual cadence makes it manual again; holders stay.
    let now = rotation.cover(2, &[json!({ "cadence": { "type": "manual" } })]);
    assert_eq!(
        (text(&now["mode"]), text(&now["windows"][0]["timeZone"])),
        ("manual", "")
    );
    rota.advance(WEEK);
    assert_eq!(rotation.holders(), "U2 U1");
}

/// rules.md 2.11.
#[test]
fn the_removed_come_off_duty_at_once() {
    let rota = Rota::with_people(5);
    // Before: U2 is on duty, next is U3 (turn 2).
    let rows = [
        ("U1 U3 U4", "U3", 2, "the holder"),
        ("U2 U3 U4", "U2", 1, "one before the next"),
        ("U1 U2 U4", "U2", 2, "the next itself"),
        ("U1 U2", "U2", 0, "the next and all behind it"),
        ("U1 U2 U3", "U2", 2, "one behind the next"),
        ("U4 U3 U2 U1", "U2", 1, "none: reordered"),
        ("U1 U2 U3 U4 U5", "U2", 2, "none: one more"),
    ]
    .map(|(after, on_call, next, what)| (rota.daily("U1 U2 U3 U4", 1), after, on_call, next, what));
    rota.to("2026-01-06T10:00Z");
    for (rotation, after, on_call, next, what) in rows {
        let since = instant(&rotation.get("/on-call").json()["onCall"][0]["since"]);
        rotation.patch(json!({ "userIds": words(after) })).is(200);
        let now = (rotation.on_call(), rotation.next_turn());
        assert_eq!((now.0.as_str(), now.1), (on_call, next), "removing {what}");
        if on_call == "U2" {
            assert_eq!(
                instant(&rotation.get("/on-call").json()["onCall"][0]["since"]),
                since,
                "{what}"
            );
        }
    }
}

#[test]
fn the_deactivated_and_those_who_leave_a_group_count_as_removed() {
    let rota = Rota::with_people(4);
    rota.people_and_groups(4, &[("G1", "U2 U3")]);
    let people = rota.daily("U1 U2 U3", 1);
    let grouped = rota.create(json!({
        "name": "R", "owners": ["U4"], "userIds": ["U1"], "userGroupIds": ["G1"],
    }));
    grouped.cover(1, &[always(daily())]);
    rota.to("2026-01-06T10:00Z");
    assert_eq!([people.on_call(), grouped.on_call()], ["U2", "U2"]);
    rota.people_and_groups(4, &[("G1", "U3")]);
    assert_eq!([people.on_call(), grouped.on_call()], ["U2", "U3"]);
    assert_eq!(grouped.order(), "U1 U3");
    let mut left_out = directory(4);
    left_out["users"]
        .as_array_mut()
        .unwrap()
        .retain(|user| user["id"] != "U2");
    left_out["groups"] = json!([group("G1", "U3")]);
    rota.import(&left_out);
    assert_eq!(
        (people.on_call(), people.order()),
        ("U3".into(), "U1 U3".into())
    );
    assert_eq!(people.next_turn(), 0);
    left_out["users"][1]["isDeleted"] = json!(true);
    rota.import(&left_out);
    assert_eq!(
        (people.on_call(), grouped.on_call()),
        ("U1".into(), "U1".into())
    );
}

#[test]
fn a_disabled_rotation_is_frozen() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-08T10:00Z");
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U1", 1)
    );
    for (method, rest, body) in [
        ("POST", "/rotate", Value::Null),
        ("PUT", "/on-call", json!({ "userIds": ["U2"] })),
        ("DELETE", "/on-call", Value::Null),
    ] {
        let request = rota
            .request(method, &rotation.path(rest))
            .header("If-Match", "*");
        let request = if body.is_null() {
            request
        } else {
            request.json(&body)
        };
        request.send().refused(409, "rotation_disabled");
    }
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U1", 1)
    );
    assert_eq!(rotation.next_events()[0], "2026-01-09T09:00Z");
    rota.to("2026-01-09T09:00Z");
    assert_eq!(rotation.on_call(), "U2");
    // Someone joins while it is disabled and the slot is empty: dealt once it is enabled.
    let empty = rota.create(json!({ "name": "R", "owners": ["U1"] }));
    empty.cover(1, &[always(daily())]);
    empty.patch(json!({ "enabled": false })).is(200);
    empty.patch(json!({ "userIds": ["U3"] })).is(200);
    assert_eq!(empty.on_call(), "");
    empty.patch(json!({ "enabled": true })).is(200);
    assert_eq!(empty.on_call(), "U3");
}

#[test]
fn an_added_lane_has_somebody_when_the_response_returns() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-06T10:00Z");
    let two = rotation.cover(2, &[always(daily())]);
    assert_eq!(int(&two["heldSeats"]), 2);
    assert_eq!(
        (rotation.holders().as_str(), rotation.next_turn()),
        ("U2 U3", 0)
    );
    // An omitted lane is deleted, and its holder comes off duty.
    let kept = two["lanes"][1]["id"].clone();
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["lanes"] = json!([{ "id": kept }]);
    grid["cells"] = json!([grid["cells"][1]]);
    rotation.put("/coverage", grid).is(200);
    assert_eq!(
        (rotation.holders().as_str(), rotation.on_call().as_str()),
        ("U3", "U3")
    );
}

/// A week's window and one that is open from Friday noon, handed over together.
fn overlapping<'a>(rota: &'a Rota, people: &str) -> (Rot<'a>, Value) {
    let rotation = rota.rotation(people);
    let week = weekly("UTC", "2026-01-05T09:00");
    let windows = [
        always(week.clone()),
        hours("UTC", "friday 12:00 - monday 09:00", week),
    ];
    let laid = rotation.cover(1, &windows);
    (rotation, laid)
}

/// rules.md 2.4.
#[test]
fn whoever_is_on_call_elsewhere_is_passed_over_and_named() {
    let rota = Rota::with_people(3);
    let (two, _) = overlapping(&rota, "U1 U2");
    let (lone, laid) = overlapping(&rota, "U1");
    rota.to("2026-01-09T12:00Z");
    // From their own starts, neither meets the other.
    assert_eq!(two.holders(), "U2 U1");
    assert_eq!(lone.holders(), "U1 -");
    let in_the_way = json!([{ "userId": "U1", "cellId": laid["cells"][0]["id"] }]);
    let now = lone.read();
    assert_eq!(now["cells"][1]["passedOver"], in_the_way);
    assert_eq!(now["cells"][0]["passedOver"], json!([]));
    let planned = lone.turns("schedule", "2026-01-09T12:00Z", "2026-01-10T00:00Z");
    let nobody = planned.iter().find(|turn| turn["kind"] == "nobody");
    assert_eq!(nobody.expect("a turn")["passedOver"], in_the_way);
    // The second lane's next turn points at who holds the first.
    two.put("/rosters", json!({ "nextTurn": 0 })).is(200);
    rota.to("2026-01-12T09:00Z");
    rota.to("2026-01-16T12:00Z");
    assert_eq!(two.holders(), "U1 U2");
    let in_the_way = json!([{ "userId": "U1", "cellId": two.cell_id(0) }]);
    let now = two.read();
    assert_eq!(now["cells"][1]["holder"]["passedOver"], in_the_way);
    assert_eq!(now["onCall"]["onCall"][1]["passedOver"], in_the_way);
    assert_eq!(now["cells"][1]["holder"]["skippedForAbsence"], json!([]));
    let planned = two.turns("schedule", "2026-01-16T12:00Z", "2026-01-17T00:00Z");
    let second = planned.iter().find(|turn| turn["userId"] == "U2");
    assert_eq!(second.expect("a turn")["passedOver"], in_the_way);
    // With doubleCover nobody is left out: the second search passes over nobody.
    lone.patch(json!({ "doubleCover": true })).is(200);
    assert_eq!(lone.holders(), "U1 U1");
    assert_eq!(lone.read()["cells"][1]["holder"]["passedOver"], json!([]));
}

#[test]
fn a_slot_is_filled_when_an_edge_frees_somebody() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let week = weekly("UTC", "2026-01-05T09:00");
    let windows = [
        hours("UTC", "monday 09:00 - friday 17:00", week.clone()),
        hours("UTC", "friday 12:00 - monday 09:00", week),
    ];
    rotation.cover(1, &windows);
    let planned = rotation.schedule("2026-01-05T09:00Z", "2026-01-12T09:00Z");
    for (now, holders) in [
        ("2026-01-05T09:00Z", "U1 -"),
        ("2026-01-09T12:00Z", "U1 -"),
        ("2026-01-09T17:00Z", "(U1) U1"),
        ("2026-01-12T09:00Z", "U1 -"),
    ] {
        rota.to(now);
        assert_eq!(rotation.holders(), holders, "{now}");
    }
    let recorded = rotation.turns("history", "2026-01-05T09:00Z", "2026-01-12T09:00Z");
    let recorded: Vec<String> = recorded.iter().map(turn_line).collect();
    assert_eq!(planned, recorded);
}

#[test]
fn one_person_may_hold_slots_that_are_never_open_together() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    // Nobody is on call before nine, so that people are put on duty in both windows.
    let windows = [
        hours("UTC", &weekdays("09:00", "17:00"), daily()),
        hours("UTC", &weekdays("17:00", "20:00"), daily()),
    ];
    rotation.cover(2, &windows);
    rotation.put_on_call("U1 U2 U1 U3").is(200);
    assert_eq!(rotation.holders(), "(U1) (U2) (U1) (U3)");
    rotation.put_on_call("U1 U1").names("userIds[1]");
    // An assignment of somebody who is on call at other hours, and one of somebody who is on call then.
    rotation.assign(3, "U2", "2026-01-05T09:00Z", "2026-01-06T09:00Z");
    rotation
        .try_assign(3, "U1", "2026-01-06T09:00Z", "2026-01-06T18:00Z")
        .names("userId");
    rotation
        .try_assign(1, "U1", "2026-01-05T09:00Z", "2026-01-05T12:00Z")
        .names("userId");
    rota.to("2026-01-05T18:00Z");
    assert_eq!(rotation.on_call(), "U1 U2");
}
