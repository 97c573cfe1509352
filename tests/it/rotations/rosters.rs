//! Rosters: separate lists for some cells (follow-the-sun).

use crate::support::*;
use serde_json::{Value, json};

/// Two lanes, the first on roster `day`, the second on `night`.
fn split<'a>(rota: &'a Rota, people: &str) -> Rot<'a> {
    let rotation = rota.rotation(people);
    put(&rotation, &["day", "night"]);
    rotation
}

#[track_caller]
fn put(rotation: &Rot, rosters: &[&str]) -> Value {
    let mut grid = rotation.grid(rosters.len(), &[always(daily())]);
    for (i, roster) in rosters.iter().enumerate() {
        grid["cells"][i]["rosterId"] = json!(roster);
    }
    rotation.put("/coverage", grid).is(200).json()
}

#[track_caller]
fn next(rotation: &Rot, id: &str) -> i64 {
    int(&roster(&rotation.read(), &json!(id))["nextTurn"])
}

#[track_caller]
fn order(rotation: &Rot, id: &str) -> String {
    order_of(&roster(&rotation.read(), &json!(id)))
}

/// rules.md 2.2.
#[test]
fn a_new_roster_has_all_members_and_a_turn_of_its_own() {
    let rota = Rota::with_people(4);
    let rotation = split(&rota, "U1 U2 U3 U4");
    assert_eq!(
        [order(&rotation, "day"), order(&rotation, "night")],
        ["U1 U2 U3 U4", "U1 U2 U3 U4"]
    );
    // Each deals from its own start; U1 already holds a slot when the night is dealt.
    assert_eq!(rotation.holders(), "U1 U2");
    assert_eq!([next(&rotation, "day"), next(&rotation, "night")], [1, 2]);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.holders(), "U2 U3");
    assert_eq!([next(&rotation, "day"), next(&rotation, "night")], [2, 3]);
    let rotation = rota.rotation("U1 U2 U3");
    put(&rotation, &["shared", "shared"]);
    assert_eq!(
        (rotation.holders().as_str(), next(&rotation, "shared")),
        ("U1 U2", 2)
    );
}

/// rules.md 2.2.
#[test]
fn a_narrowed_roster_follows_all_members_again() {
    let rota = Rota::with_people(4);
    let rotation = split(&rota, "U1 U2 U3 U4");
    let all = json!({ "userIds": null, "userGroupIds": null });
    let narrow = || {
        rotation
            .put("/rosters/day", json!({ "userIds": ["U3"] }))
            .is(200);
        assert_eq!(order(&rotation, "day"), "U3");
    };
    narrow();
    rotation.put("/rosters/day", all.clone()).is(200);
    assert_eq!(order(&rotation, "day"), "U1 U2 U3 U4");
    assert!(
        roster(&rotation.read(), &json!("day"))
            .get("userIds")
            .is_none()
    );
    narrow();
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("day");
    grid["cells"][1]["rosterId"] = json!("night");
    grid["rosters"] = json!([{ "rosterId": "day", "userIds": null, "userGroupIds": null }]);
    rotation.put("/coverage", grid.clone()).is(200);
    assert_eq!(order(&rotation, "day"), "U1 U2 U3 U4");
    let etag = rotation.etag();
    rotation.put("/coverage", grid.clone()).is(200);
    assert_eq!(rotation.etag(), etag, "the same again changes nothing");
    grid["rosters"][0]["userIds"] = json!(["U1"]);
    rotation
        .put("/coverage", grid)
        .is(400)
        .names("rosters[0].userGroupIds");
    rotation
        .put("/rosters/day", json!({ "userIds": null }))
        .is(400)
        .names("userIds");
}

/// rules.md 2.2.
#[test]
fn a_roster_is_narrowed_and_reordered() {
    let rota = Rota::with_people(5);
    let rotation = split(&rota, "U1 U2 U3 U4");
    let narrow = |id: &str, body: Value| rotation.put(&format!("/rosters/{id}"), body);
    let etag = rotation.etag();
    let answer = narrow("day", json!({ "userIds": ["U4", "U3"] })).is(200);
    assert_ne!(answer.etag(), etag);
    assert_eq!(order_of(&roster(&answer.json(), &json!("day"))), "U4 U3");
    narrow("night", json!({ "userIds": ["U2", "U1"] })).is(200);
    assert_eq!(
        [order(&rotation, "day"), order(&rotation, "night")],
        ["U4 U3", "U2 U1"]
    );
    // The holder stays until the next hand-over.
    assert_eq!(rotation.holders(), "U1 U2");
    rota.to("2026-01-06T09:00Z");
    let first = rotation.holders();
    assert!(
        ["U4 U2", "U3 U2", "U4 U1", "U3 U1"].contains(&first.as_str()),
        "{first}"
    );
    rota.to("2026-01-08T09:00Z");
    assert_eq!(rotation.holders(), first, "two in each list");
    // When members change, a narrowed roster stays as written and the common one follows.
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3", "U4", "U5"] }))
        .is(200);
    assert_eq!(
        [order(&rotation, "day"), order(&rotation, "night")],
        ["U4 U3", "U2 U1"]
    );
    assert_eq!(rotation.order(), "U1 U2 U3 U4 U5");
}

/// rules.md 2.2.
#[test]
fn a_roster_of_groups_follows_them() {
    let rota = Rota::with_people(4);
    rota.people_and_groups(4, &[("G1", "U3 U4")]);
    let rotation = rota.create(json!({
        "name": "R", "owners": ["U1"], "userIds": ["U1", "U2"], "userGroupIds": ["G1"],
    }));
    put(&rotation, &["day", "night"]);
    rotation
        .put("/rosters/night", json!({ "userGroupIds": ["G1"] }))
        .is(200);
    assert_eq!(order(&rotation, "night"), "U3 U4");
    rota.people_and_groups(4, &[("G1", "U4")]);
    assert_eq!(order(&rotation, "night"), "U4");
}

#[test]
fn what_a_roster_may_not_be() {
    let rota = Rota::with_people(5);
    let rotation = split(&rota, "U1 U2 U3");
    for body in [
        json!({}),
        json!({ "userIds": [] }),
        json!({ "userIds": [], "userGroupIds": [] }),
        json!({ "userIds": ["U1", "U1"] }),
        json!({ "userIds": ["U5"] }),
        json!({ "userIds": ["U9"] }),
        json!({ "userIds": "U1" }),
        json!({ "userGroupIds": ["G9"] }),
    ] {
        rotation
            .put("/rosters/day", body)
            .refused(400, "invalid_request");
    }
    rotation
        .put("/rosters/other", json!({ "userIds": ["U1"] }))
        .refused(404, "");
    let path = rotation.path("/rosters/day");
    let body = json!({ "userIds": ["U1"] });
    rota.request("PUT", &path)
        .json(&body)
        .send()
        .refused(428, "precondition_required");
    rota.put_if(&path, "\"old\"", body)
        .refused(412, "precondition_failed");
}

#[test]
fn roster_ids_are_kept_as_given_and_gone_when_unused() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let long = "x".repeat(64);
    for id in ["day", "DAY", "a_B-9", &long] {
        put(&rotation, &[id]);
        let now = rotation.read();
        assert_eq!(text(&now["cells"][0]["rosterId"]), id);
        let named: Vec<_> = now["rosters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["rosterId"].clone())
            .collect();
        assert_eq!(
            named.iter().filter(|id| !id.is_null()).collect::<Vec<_>>(),
            [&json!(id)]
        );
    }
    for id in [
        json!(""),
        json!("a b"),
        json!("å"),
        json!("x".repeat(65)),
        json!(7),
    ] {
        let mut grid = rotation.grid(1, &[always(daily())]);
        grid["cells"][0]["rosterId"] = id;
        rotation.put("/coverage", grid).names("cells[0].rosterId");
    }
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0].as_object_mut().unwrap().remove("rosterId");
    rotation.put("/coverage", grid).names("cells[0].rosterId");
}

#[test]
fn setting_duty_moves_the_turn_of_the_rosters_they_are_in() {
    let rota = Rota::with_people(5);
    let rotation = split(&rota, "U1 U2 U3 U4");
    rotation
        .put("/rosters/day", json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    let before = next(&rotation, "day");
    // U4 is a member of the rotation but not of the day's roster.
    rotation.put_on_call("U4 U1").is(200);
    assert_eq!(rotation.holders(), "U4 U1");
    assert_eq!(
        [next(&rotation, "day"), next(&rotation, "night")],
        [before, 1]
    );
    rotation.put_on_call("U2 U3").is(200);
    assert_eq!([next(&rotation, "day"), next(&rotation, "night")], [2, 3]);
}

/// The next turns of a roster in the order of windows.
#[track_caller]
fn turns(rotation: &Value, id: Value) -> Vec<i64> {
    let roster = roster(rotation, &id);
    let turns = roster["nextTurns"].as_array().expect("nextTurns").iter();
    let ids: Vec<&Value> = turns.clone().map(|next| &next["windowId"]).collect();
    let windows = rotation["windows"].as_array().expect("windows").iter();
    let windows = windows.map(|window| &window["id"]);
    let dealing: Vec<&Value> = windows.filter(|id| ids.contains(id)).collect();
    assert_eq!(ids, dealing, "in the order of windows");
    turns.map(|next| int(&next["nextTurn"])).collect()
}

/// Three windows of eight hours that follow the sun, each on a roster of its own, in one body.
fn around_the_world() -> Value {
    let window = |key: &str, zone: &str| {
        let mut window = hours(
            zone,
            &weekdays("09:00", "17:00"),
            weekly(zone, "2026-01-05T09:00"),
        );
        window["id"] = json!(key);
        window
    };
    let cell = |key: &str| json!({ "laneId": "primary", "windowId": key, "rosterId": key });
    let zones = [
        ("asia", "Asia/Singapore"),
        ("europe", "Europe/Berlin"),
        ("americas", "America/Los_Angeles"),
    ];
    json!({
        "lanes": [{ "id": "primary" }],
        "windows": (zones.map(|(key, zone)| window(key, zone))),
        "cells": (zones.map(|(key, _)| cell(key))),
        "rosters": [
            { "rosterId": "asia", "userIds": ["U1", "U2"] },
            { "rosterId": "europe", "userIds": ["U3", "U4"], "nextTurn": 1 },
            { "rosterId": "americas", "userIds": ["U5", "U6"] },
        ],
    })
}

#[test]
fn the_sun_is_followed_in_one_request() {
    let rota = Rota::at("2026-01-05T02:00Z");
    rota.people(6);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    let laid = rotation.put("/coverage", around_the_world()).is(200);
    assert_eq!(people_on_call(&laid.json()["onCall"]), "U1");
    assert_eq!(rotation.holders(), "U1 (U4) (U5)");
    assert_eq!(turns(&laid.json(), json!("europe")), [0]);
    assert_eq!(turns(&laid.json(), Value::Null), [0; 0]);
    // The same body again changes nothing, nor does the answer sent back.
    let again = rotation.put("/coverage", around_the_world()).is(200);
    assert_eq!((again.etag(), again.json()), (laid.etag(), laid.json()));
    let back = rotation.put("/coverage", laid.json()).is(200);
    assert_eq!((back.etag(), back.json()), (laid.etag(), laid.json()));
    // The first hand-overs of Europe and the Americas are those of this Monday.
    for (now, on_call) in [
        ("2026-01-05T08:30Z", "U1 U3"),
        ("2026-01-05T09:30Z", "U3"),
        ("2026-01-05T17:00Z", "U6"),
    ] {
        rota.to(now);
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
    // Later the turns have moved on, and the body still changes nothing.
    let etag = rotation.etag();
    assert_eq!(rotation.put("/coverage", around_the_world()).etag(), etag);
    // Another list is dealt from the place that is sent with it.
    let mut other = around_the_world();
    other["rosters"][1] =
        json!({ "rosterId": "europe", "userIds": ["U4", "U2", "U3"], "nextTurn": 2 });
    let other = rotation.put("/coverage", other).is(200).json();
    assert_eq!(turns(&other, json!("europe")), [2]);
    assert_eq!(order_of(&roster(&other, &json!("europe"))), "U4 U2 U3");
}

/// rules.md 2.12.
#[test]
fn each_window_of_a_roster_starts_elsewhere_in_it() {
    let rota = Rota::with_people(6);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    let windows = |count: usize| {
        let all = ["00:00", "06:00", "12:00", "18:00"].map(|start| {
            let end = format!("{:02}:00", start[..2].parse::<u32>().unwrap() + 6);
            let end = if end == "24:00" { "00:00" } else { &end };
            hours("UTC", &format!("monday {start} - monday {end}"), daily())
        });
        all[..count].to_vec()
    };
    let three = rotation.cover(1, &windows(3));
    // The first has dealt from its start when it was the only window of a rotation without a cadence.
    assert_eq!(turns(&three, Value::Null), [1, 3, 5]);
    assert_eq!(rotation.holders(), "(U1) U3 (U5)");
    // One that begins is spread among those that are there by then; the others keep theirs.
    let four = rotation.cover(1, &windows(4));
    assert_eq!(turns(&four, Value::Null), [1, 3, 5, 5]);
    let two = rotation.cover(1, &windows(2));
    assert_eq!(turns(&two, Value::Null), [1, 3]);
    let again = rotation.cover(1, &windows(3));
    assert_eq!(turns(&again, Value::Null), [1, 3, 5]);
    // Removals move each to whoever remains.
    let fewer = rotation
        .patch(json!({ "userIds": ["U6", "U5", "U1", "U3"] }))
        .is(200)
        .json();
    assert_eq!(turns(&fewer, Value::Null), [3, 1, 0]);
    // A list that was empty spreads everybody who comes to it.
    rotation.patch(json!({ "userIds": [] })).is(200);
    assert_eq!(turns(&rotation.read(), Value::Null), [0, 0, 0]);
    rotation.patch(json!({ "enabled": false })).is(200);
    let back = rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3", "U4", "U5", "U6"] }))
        .is(200)
        .json();
    assert_eq!(turns(&back, Value::Null), [0, 2, 4]);
}

/// rules.md 2.13.
#[test]
fn next_turns_are_set_alone() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let week = |key: &str, starts: &str, stretch: &str| {
        let mut window = hours("UTC", stretch, weekly("UTC", starts));
        window["id"] = json!(key);
        window
    };
    let cell = |key: &str| json!({ "laneId": "primary", "windowId": key, "rosterId": null });
    let grid = json!({
        "lanes": [{ "id": "primary" }],
        "windows": [
            week("week", "2026-01-05T00:00", "monday 00:00 - saturday 00:00"),
            week("weekend", "2026-01-10T00:00", "saturday 00:00 - monday 00:00"),
        ],
        "cells": [cell("week"), cell("weekend")],
    });
    let laid = rotation.put("/coverage", grid.clone()).is(200).json();
    assert_eq!(turns(&laid, Value::Null), [1, 3]);
    // The weekend's hand-over comes next.
    assert_eq!(roster(&laid, &Value::Null)["nextTurn"], 3);
    let set = |body: Value| rotation.put("/rosters", body).is(200).json();
    let weekend = laid["windows"][1]["id"].clone();
    let first = |window: &str| json!({ "windowId": window, "nextTurn": 0 });
    for (body, expected) in [
        (json!({ "nextTurn": 2 }), [2, 2]),
        (
            json!({ "nextTurns": [{ "windowId": "week", "nextTurn": 0 }] }),
            [0, 2],
        ),
        (
            json!({ "nextTurn": 1, "nextTurns": [{ "windowId": weekend, "nextTurn": "3" }] }),
            [1, 3],
        ),
    ] {
        assert_eq!(turns(&set(body), Value::Null), expected);
    }
    let etag = rotation.etag();
    set(json!({ "nextTurn": 1, "nextTurns": [{ "windowId": "weekend", "nextTurn": 3 }] }));
    set(roster(&rotation.read(), &Value::Null));
    assert_eq!(rotation.etag(), etag, "nothing changes");
    rota.to("2026-01-10T00:00Z");
    assert_eq!(rotation.holders(), "(U1) U4");
    rota.to("2026-01-12T00:00Z");
    assert_eq!(rotation.holders(), "U2 (U4)");
    for (body, path) in [
        (json!({ "nextTurn": 4 }), "nextTurn: send a place"),
        (json!({ "nextTurn": -1 }), "nextTurn: send a place"),
        (json!({}), "nextTurn: missing"),
        (json!({ "nextTurns": [] }), "nextTurn: missing"),
        (json!({ "userIds": ["U1"] }), "userIds: unknown"),
        (
            json!({ "nextTurns": [{ "windowId": "night", "nextTurn": 0 }] }),
            "nextTurns[0].windowId: no window",
        ),
        (
            json!({ "nextTurns": [{ "windowId": "week", "nextTurn": 9 }] }),
            "nextTurns[0].nextTurn: send a place",
        ),
        (
            json!({ "nextTurns": [first("week"), first(text(&weekend)), first("weekend")] }),
            "nextTurns[2].windowId: named twice",
        ),
    ] {
        rotation.put("/rosters", body).names(path);
    }
    // A roster of its own takes them too, alone and with a list, whose order then counts.
    let mut own = grid;
    own["cells"][1]["rosterId"] = json!("weekend");
    rotation.put("/coverage", own).is(200);
    let narrow = |body: Value| rotation.put("/rosters/weekend", body).is(200).json();
    let alone = narrow(json!({ "nextTurn": 2 }));
    assert_eq!(turns(&alone, json!("weekend")), [2]);
    let listed = narrow(json!({ "userIds": ["U3", "U1"], "nextTurn": 1 }));
    assert_eq!(turns(&listed, json!("weekend")), [1]);
    rotation
        .put(
            "/rosters/weekend",
            json!({ "userIds": ["U3"], "nextTurn": 1 }),
        )
        .names("nextTurn");
    rotation
        .put(
            "/rosters/weekend",
            json!({ "nextTurns": [{ "windowId": "week", "nextTurn": 0 }] }),
        )
        .names("nextTurns[0].windowId");
}

/// rules.md 2.13.
#[test]
fn next_turns_count_for_a_window_that_gets_its_first_cadence() {
    let rota = Rota::with_people(4);
    let cadence = daily();
    for (sent, holder, next) in [
        (json!({}), "U1", 1),
        (json!({ "nextTurn": 2 }), "U3", 3),
        (json!({ "nextTurns": [{ "nextTurn": 3 }] }), "U4", 0),
        (
            json!({ "nextTurn": 1, "nextTurns": [{ "nextTurn": 2 }] }),
            "U3",
            3,
        ),
    ] {
        // The only window is kept.
        let rotation = rota.rotation("U1 U2 U3 U4");
        let mut grid = rotation.grid(1, &[always(cadence.clone())]);
        let mut roster = sent.clone();
        roster["rosterId"] = Value::Null;
        if roster.get("nextTurns").is_some() {
            roster["nextTurns"][0]["windowId"] = grid["windows"][0]["id"].clone();
        }
        grid["rosters"] = json!([roster]);
        let laid = rotation.put("/coverage", grid.clone()).is(200);
        assert_eq!(rotation.holders(), holder, "{sent}");
        assert_eq!(turns(&laid.json(), Value::Null), [next], "{sent}");
        let again = rotation.put("/coverage", grid.clone()).is(200);
        assert_eq!(again.etag(), laid.etag(), "{sent}");
        // Another cadence is not its first.
        grid["windows"][0]["cadence"]["times"] = json!(["10:00"]);
        let edited = rotation.put("/coverage", grid).is(200).json();
        assert_eq!(turns(&edited, Value::Null), [next], "{sent}");
    }
    // Unsent, it keeps the one that it had.
    let rotation = rota.rotation("U1 U2 U3 U4");
    rotation.put("/rosters", json!({ "nextTurn": 2 })).is(200);
    rotation.cover(1, &[always(cadence)]);
    assert_eq!(rotation.holders(), "U3");
}

#[test]
fn what_the_rosters_of_a_grid_may_not_be() {
    let rota = Rota::with_people(7);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    for (rosters, path) in [
        (
            json!([{ "userIds": ["U1"] }]),
            "rosters[0].rosterId: missing",
        ),
        (
            json!([{ "rosterId": "night", "userIds": ["U1"] }]),
            "rosters[0].rosterId: no cell",
        ),
        (
            json!([{ "rosterId": null, "nextTurn": 1 }]),
            "rosters[0].rosterId: no cell",
        ),
        (
            json!([{ "rosterId": "asia" }, { "rosterId": "asia", "nextTurn": 0 }]),
            "rosters[1].rosterId: named twice",
        ),
        (
            json!([{ "rosterId": "asia", "userIds": ["U1", "U7"] }]),
            "rosters[0].userIds[1]: not a member",
        ),
        (
            json!([{ "rosterId": "asia", "userIds": ["U1", "U1"] }]),
            "rosters[0].userIds[1]",
        ),
        (
            json!([{ "rosterId": "asia", "userIds": [] }]),
            "rosters[0].userIds: send",
        ),
        (
            json!([{ "rosterId": "asia", "userGroupIds": ["G1"] }]),
            "rosters[0].userGroupIds[0]",
        ),
        (
            json!([{ "rosterId": "asia", "userIds": ["U1"], "nextTurn": 1 }]),
            "rosters[0].nextTurn: send a place",
        ),
        (
            json!([{ "rosterId": "asia", "nextTurns": [{ "windowId": "europe", "nextTurn": 0 }] }]),
            "rosters[0].nextTurns[0].windowId: no window",
        ),
        (json!([{ "rosterId": "a b" }]), "rosters[0].rosterId: send"),
        (json!({}), "rosters: send a list"),
    ] {
        let mut grid = around_the_world();
        grid["rosters"] = rosters;
        rotation.put("/coverage", grid).names(path);
    }
    // The common roster lists the members, whoever deals from it.
    let mut grid = around_the_world();
    grid["cells"][0]["rosterId"] = Value::Null;
    grid["rosters"] = json!([{ "rosterId": null, "userIds": ["U1"] }]);
    rotation
        .put("/coverage", grid.clone())
        .names("rosters[0].userIds: the common roster");
    // What would not count may name a window that does not deal from the roster.
    grid["rosters"] = json!([{ "rosterId": null, "nextTurn": 4 }]);
    let laid = rotation.put("/coverage", grid.clone()).is(200);
    assert_eq!(turns(&laid.json(), Value::Null), [5]);
    grid["rosters"][0]["nextTurns"] = json!([{ "windowId": "europe", "nextTurn": 0 }]);
    assert_eq!(rotation.put("/coverage", grid).is(200).etag(), laid.etag());
}
