//! GET schedule: the forecast matches what happens.

use crate::support::*;
use serde_json::{Value, json};

/// rules.md 6.1.
#[test]
fn the_plan_is_what_then_happens() {
    let rota = Rota::with_people(5);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let zone = "Europe/Oslo";
    let mut grid = rotation.grid(
        2,
        &[
            hours(zone, &weekdays("08:00", "20:00"), daily()),
            hours(
                zone,
                &weekdays("20:00", "08:00"),
                weekly(zone, "2026-01-07T12:00"),
            ),
        ],
    );
    for cell in [2, 3] {
        grid["cells"][cell]["rosterId"] = json!("night");
    }
    rotation.put("/coverage", grid).is(200);
    rotation
        .put("/rosters/night", json!({ "userIds": ["U4", "U3", "U1"] }))
        .is(200);
    rotation.away("U2", "2026-01-08T00:00Z", "2026-01-12T10:00Z");
    rotation.away("U3", "2026-01-10T00:00Z", "2026-01-20T12:34Z");
    rotation.away("U4", "2026-01-14T00:00Z", "2026-01-16T00:00Z");
    let (from, to) = ("2026-01-05T08:00Z", "2026-02-20T00:00Z");
    let plan = rotation.turns("schedule", from, to);
    assert!(plan.len() > 100, "{}", plan.len());
    rota.to("2026-02-22T00:00Z");
    let record = rotation.turns("history", from, to);
    let facts = |all: &[Value]| -> Vec<Value> {
        let members = [
            "start",
            "end",
            "userId",
            "turn",
            "laneId",
            "laneName",
            "windowId",
            "windowName",
        ];
        let fact = |item: &Value| {
            members
                .iter()
                .map(|m| item.get(*m).cloned().unwrap_or_default())
                .collect()
        };
        all.iter()
            .filter(|item| at(text(&item["start"])) > at(from))
            .map(fact)
            .collect()
    };
    let (planned, happened) = (facts(&plan), facts(&record));
    for (planned, happened) in planned.iter().zip(&happened) {
        assert_eq!(planned, happened);
    }
    assert_eq!(planned.len(), happened.len());
}

#[test]
fn items_say_who_where_and_why() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(
        1,
        &[hours(
            "UTC",
            &weekdays("08:00", "16:00"),
            weekly("UTC", "2026-01-06T12:00"),
        )],
    );
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    let (from, to) = ("2026-01-05T09:00Z", "2026-01-07T12:00Z");
    assert_eq!(
        rotation.schedule(from, to),
        [
            "2026-01-05T08:00Z 2026-01-05T16:00Z U1",
            "2026-01-05T16:00Z 2026-01-06T08:00Z -",
            "2026-01-06T08:00Z 2026-01-06T12:00Z U1",
            "2026-01-06T12:00Z 2026-01-06T16:00Z U3",
            "2026-01-06T16:00Z 2026-01-07T08:00Z -",
            "2026-01-07T08:00Z 2026-01-07T16:00Z U3",
        ]
    );
    let items = rotation.turns("schedule", from, to);
    let kinds: Vec<&str> = items.iter().map(|item| text(&item["kind"])).collect();
    assert_eq!(kinds, ["turn", "nobody", "turn", "turn", "nobody", "turn"]);
    let now = rotation.read();
    for item in &items {
        assert_eq!(item["cellId"], now["cells"][0]["id"]);
        assert_eq!(item.get("arrangementId"), None);
        assert!(item["skippedForAbsence"].is_array());
    }
    assert_eq!(text(&items[3]["skippedForAbsence"][0]["userId"]), "U2");
    assert_eq!((int(&items[0]["turn"]), int(&items[3]["turn"])), (0, 2));
    // The request changed nothing.
    assert_eq!(rotation.read(), now);
}

#[test]
fn a_running_vacancy_names_who_was_passed_over_last() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1", 2);
    let passed_over = || {
        let planned = rotation.turns("schedule", "2026-01-05T09:00Z", "2026-01-05T10:00Z");
        let nobody = planned.iter().find(|turn| turn["kind"] == "nobody");
        nobody.expect("a vacancy")["passedOver"].clone()
    };
    // Nobody has held the second slot yet: its entry began before anybody was looked for.
    let in_the_way = |cell| json!([{ "userId": "U1", "cellId": rotation.cell_id(cell) }]);
    assert_eq!(rotation.holders(), "U1 -");
    assert_eq!(rotation.read()["cells"][1]["passedOver"], in_the_way(0));
    assert_eq!(passed_over(), in_the_way(0));
    // A vacancy that goes on has been looked at again since it began.
    rotation.put_on_call("U1").is(200);
    rotation.patch(json!({ "userIds": ["U1", "U2"] })).is(200);
    rotation.away("U2", "2026-01-05T08:00Z", "2026-01-20T00:00Z");
    rotation.patch(json!({ "userIds": ["U1"] })).is(200);
    assert_eq!(rotation.holders(), "U1 -");
    assert_eq!(rotation.read()["cells"][1]["passedOver"], in_the_way(0));
    assert_eq!(passed_over(), in_the_way(0));
}

#[test]
fn a_manual_rotation_plans_what_it_has() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.rotate();
    let items = rotation.turns("schedule", "2026-01-05T09:00Z", "2026-02-05T09:00Z");
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(
        (text(&items[0]["userId"]), items[0].get("end")),
        ("U1", None)
    );
}

#[test]
fn a_disabled_rotation_shows_its_frozen_state() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "enabled": false })).is(200);
    let items = rotation.turns("schedule", "2026-01-05T09:00Z", "2026-02-05T09:00Z");
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(
        (text(&items[0]["userId"]), items[0].get("end")),
        ("U1", None)
    );
}

/// rules.md 6.2.
#[test]
fn items_are_in_order_of_start_lane_and_window() {
    let rota = Rota::with_people(8);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6 U7 U8");
    rotation.cover(2, &[always(daily()), always(daily())]);
    let path = rotation.path("/schedule?from=2026-01-06T09:00:00Z&to=2026-01-08T09:00:00Z");
    let items = rota.caller().all(&path);
    let order: Vec<String> = items
        .iter()
        .map(|item| {
            format!(
                "{} {} {}",
                instant(&item["start"]),
                text(&item["laneName"]),
                text(&item["windowName"])
            )
        })
        .collect();
    let mut sorted = order.clone();
    sorted.sort();
    assert_eq!(order, sorted);
    assert_eq!(order.len(), 8);
}

#[test]
fn the_range_is_bounded() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 1);
    let range = |seconds: i64| {
        let to = plus("2026-01-05T00:00Z", seconds);
        rotation.get(&format!(
            "/schedule?from=2026-01-05T00:00:00Z&to={}",
            rfc(&to)
        ))
    };
    range(366 * DAY).is(200);
    range(366 * DAY + 1).refused(400, "invalid_request");
}

#[test]
fn an_empty_place_that_an_absence_keeps_for_decades_hides_no_plan() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 4);
    rotation.away("U3", "2026-01-06T00:00:00Z", "2099-01-01T00:00:00Z");
    rota.to("2026-01-06T12:00:00Z");
    let range = "from=2026-01-06T12:00:00Z&to=2026-01-08T12:00:00Z";
    let turns = rotation
        .by
        .all(&rotation.path(&format!("/schedule?{range}")));
    let empty = turns.iter().filter(|turn| turn.get("userId").is_none());
    assert_eq!(empty.count(), 2);
    let ends = turns.iter().filter(|turn| turn.get("end").is_some());
    assert_eq!(
        ends.count(),
        turns.len() - 2,
        "where the places are empty nothing ends soon"
    );
    rotation.preview(3, "U3", "2026-01-07T12:00Z", "2026-01-07T13:00Z");
}

/// A weekly slot over U1 and U2 and a daily one over only U1, who holds the weekly one first: the daily slot stays empty
/// until the weekly one is handed over to another person.
fn shared<'a>(rota: &'a Rota) -> Rot<'a> {
    let rotation = rota.rotation("U1 U2 U3");
    let windows = [always(weekly("UTC", "2026-01-12T09:00")), always(daily())];
    let mut grid = rotation.grid(1, &windows);
    for (cell, roster) in [(0, "pair"), (1, "one")] {
        grid["cells"][cell]["rosterId"] = json!(roster);
    }
    rotation.put("/coverage", grid).is(200);
    for (roster, users) in [("pair", json!(["U1", "U2"])), ("one", json!(["U1"]))] {
        rotation
            .put(&format!("/rosters/{roster}"), json!({ "userIds": users }))
            .is(200);
    }
    // What the common roster dealt before it was narrowed.
    rotation.put_on_call("U1").is(200);
    assert_eq!(rotation.holders(), "U1 -");
    rotation
}

/// The end of the vacancy in the second window, `-` if the schedule has none.
fn vacancy_ends(rotation: &Rot, to: &str) -> String {
    let turns = rotation.turns("schedule", &rotation.by.rota.now(), to);
    let first = turns.iter().find(|turn| text(&turn["kind"]) == "nobody");
    instant(&first.expect("a vacancy")["end"])
}

#[test]
fn a_vacancy_says_its_end_wherever_the_range_ends() {
    let rota = Rota::with_people(3);
    let rotation = shared(&rota);
    for to in [
        "2026-01-05T12:00Z",
        "2026-01-07T09:00Z",
        "2026-02-12T00:00Z",
    ] {
        assert_eq!(vacancy_ends(&rotation, to), "2026-01-12T09:00Z", "{to}");
    }
    // The other person is away for months: U1 keeps the weekly slot until then.
    rotation.away("U2", "2026-01-06T00:00Z", "2026-06-01T00:00Z");
    rotation.put_on_call("U1").is(200);
    for to in [
        "2026-01-05T12:00Z",
        "2026-03-01T00:00Z",
        "2026-09-12T00:00Z",
    ] {
        assert_eq!(vacancy_ends(&rotation, to), "2026-06-01T09:00Z", "{to}");
    }
}

/// rules.md 6.2.
#[test]
fn a_vacancy_for_ever_has_no_end_and_is_planned_all_the_same() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    for user in ["U1", "U2"] {
        rotation.away(user, &rota.now(), "9999-12-01T00:00Z");
    }
    rotation.clear().is(200);
    assert_eq!(vacancy_ends(&rotation, "2026-02-01T00:00Z"), "-");
    let nobody = rota.rotation("U1");
    nobody.cover(2, &[always(daily())]);
    assert_eq!(vacancy_ends(&nobody, "2026-02-01T00:00Z"), "-");
}
