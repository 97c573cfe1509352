//! PUT coverage as a tool sends it that declares the whole grid: by keys of its own, the same body again and again.

use crate::support::*;
use serde_json::{Value, json};

/// A rotation as a playbook declares it: two lanes over weekdays and weekends.
fn declared() -> Value {
    let window = |key: &str, name: &str, stretches: &str| {
        let mut window = hours(
            "Europe/Oslo",
            stretches,
            weekly("Europe/Oslo", "2026-01-06T09:00"),
        );
        window["id"] = json!(key);
        window["name"] = json!(name);
        window
    };
    let cell =
        |lane: &str, window: &str| json!({ "laneId": lane, "windowId": window, "rosterId": null });
    json!({
        "lanes": [{ "id": "primary", "name": "Primary" }, { "id": "secondary", "name": "Secondary" }],
        "windows": [
            window("weekdays", "Weekdays", &weekdays("08:00", "16:00")),
            window("weekends", "Weekends", "saturday 10:00 - sunday 18:00"),
        ],
        "cells": [
            cell("primary", "weekdays"),
            cell("secondary", "weekdays"),
            cell("primary", "weekends"),
            cell("secondary", "weekends"),
        ],
    })
}

fn members(list: &Value, name: &str) -> Vec<String> {
    let list = list.as_array().expect("a list");
    list.iter()
        .map(|each| text(&each[name]).to_owned())
        .collect()
}

/// rules.md 4.6.
#[test]
fn a_playbook_runs_again_and_changes_nothing() {
    let rota = Rota::with_people(6);
    let (_hook, receiver) = rota.hook("rotation.updated duty.changed nobody.on_call");
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    let first = rotation.put("/coverage", declared()).is(200);
    let (etag, body) = (first.etag(), first.json());
    assert_eq!(members(&body["lanes"], "key"), ["primary", "secondary"]);
    assert_eq!(members(&body["windows"], "key"), ["weekdays", "weekends"]);
    assert!(
        members(&body["lanes"], "id")
            .iter()
            .all(|id| id.starts_with("lan_"))
    );
    assert_eq!(rotation.read(), body);

    // Again, with the validator of the first run and without one.
    rota.advance(0);
    receiver.forget();
    for validator in [etag.as_str(), "*"] {
        let again = rotation
            .by
            .put_if(&rotation.path("/coverage"), validator, declared());
        let again = again.is(200);
        assert_eq!((again.etag(), again.json()), (etag.clone(), body.clone()));
    }
    rota.advance(0);
    assert_eq!(receiver.requests(), [json!(null); 0]);

    // One hour is another: the same rows, columns and cells, and nobody moves.
    let mut later = declared();
    later["windows"][0]["coverage"][0]["endTime"] = json!("17:00");
    let changed = rotation
        .by
        .put_if(&rotation.path("/coverage"), &etag, later.clone());
    let changed = changed.is(200);
    assert_ne!(changed.etag(), etag);
    let now = changed.json();
    for list in ["lanes", "windows", "cells"] {
        assert_eq!(
            members(&now[list], "id"),
            members(&body[list], "id"),
            "{list}"
        );
    }
    assert_eq!(now["cells"], body["cells"]);
    assert_eq!(text(&now["windows"][0]["coverage"][0]["endTime"]), "17:00");
    rota.advance(0);
    receiver.forget();
    let again = rotation.put("/coverage", later).is(200);
    assert_eq!((again.etag(), again.json()), (changed.etag(), now.clone()));
    rota.advance(0);
    assert_eq!(receiver.requests(), [json!(null); 0]);

    // By id as well as by key, in any mixture.
    let mut mixed = declared();
    mixed["windows"][0]["coverage"][0]["endTime"] = json!("17:00");
    mixed["lanes"][0]["id"] = now["lanes"][0]["id"].clone();
    mixed["lanes"][0]["key"] = json!("primary");
    mixed["cells"][1]["windowId"] = now["windows"][0]["id"].clone();
    mixed["cells"][3]["id"] = now["cells"][3]["id"].clone();
    let again = rotation.put("/coverage", mixed).is(200);
    assert_eq!((again.etag(), again.json()), (changed.etag(), now.clone()));

    // A lane that is declared no more goes; declared again it is another one.
    let mut narrow = declared();
    narrow["lanes"].as_array_mut().unwrap().pop();
    let primary = |cell: &Value| cell["laneId"] == json!("primary");
    narrow["cells"].as_array_mut().unwrap().retain(primary);
    let fewer = rotation.put("/coverage", narrow).is(200).json();
    assert_eq!(
        members(&fewer["lanes"], "id"),
        members(&now["lanes"], "id")[..1]
    );
    let back = rotation.put("/coverage", declared()).is(200).json();
    assert_eq!(back["lanes"][0]["id"], now["lanes"][0]["id"]);
    assert_ne!(back["lanes"][1]["id"], now["lanes"][1]["id"]);
    assert_eq!(text(&back["lanes"][1]["key"]), "secondary");
}

#[test]
fn windows_left_out_of_the_body_are_named_by_their_keys() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    rotation.put("/coverage", declared()).is(200);
    let etag = rotation.etag();
    let mut body = declared();
    body.as_object_mut().unwrap().remove("windows");
    let again = rotation.put("/coverage", body).is(200);
    assert_eq!(again.etag(), etag);
}

#[test]
fn a_key_is_set_changed_and_cleared_beside_an_id() {
    let rota = Rota::with_people(3);
    let mut body = new_rotation("U1 U2 U3");
    body["lanes"] = json!(2);
    let rotation = rota.create(body);
    let before = rotation.cover(2, &[always(daily())]);
    assert_eq!(members(&before["lanes"], "key"), ["-", "-"]);
    let holders = rotation.holders();
    let key = |lane: usize, value: Value| {
        let mut grid = rotation.grid(2, &[json!({})]);
        grid["lanes"][lane]["key"] = value;
        let etag = rotation.etag();
        let now = rotation.put("/coverage", grid.clone()).is(200);
        assert_ne!(now.etag(), etag);
        let again = rotation.put("/coverage", grid).is(200);
        assert_eq!(again.etag(), now.etag());
        members(&now.json()["lanes"], "key").join(" ")
    };
    assert_eq!(key(0, json!("one")), "one -");
    assert_eq!(key(1, json!("two")), "one two");
    assert_eq!(key(0, json!("first")), "first two");
    assert_eq!(key(1, json!(null)), "first -");
    let mut renamed = rotation.grid(2, &[json!({})]);
    renamed["lanes"][0]["id"] = json!("first");
    renamed["lanes"][0]["key"] = json!("1st");
    for cell in renamed["cells"].as_array_mut().unwrap() {
        if cell["laneId"] == before["lanes"][0]["id"] {
            cell["laneId"] = json!("first");
        }
    }
    let once = rotation.put("/coverage", renamed.clone()).is(200);
    assert_eq!(members(&once.json()["lanes"], "key"), ["1st", "-"]);
    let twice = rotation.put("/coverage", renamed).is(200);
    assert_eq!((twice.etag(), twice.json()), (once.etag(), once.json()));
    assert_eq!(
        members(&once.json()["lanes"], "id"),
        members(&before["lanes"], "id")
    );
    assert_eq!(rotation.holders(), holders);
}

#[test]
fn keys_that_cannot_be_are_named() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put("/coverage", declared()).is(200);
    let now = rotation.read();
    let long = "x".repeat(65);
    for (pointer, value, member) in [
        ("/lanes/0/key", json!("lan_1"), "lanes[0].key"),
        ("/lanes/0/key", json!("win_1"), "lanes[0].key"),
        ("/windows/1/key", json!("cel_1"), "windows[1].key"),
        ("/windows/1/key", json!("ros_1"), "windows[1].key"),
        ("/lanes/0/key", json!("two words"), "lanes[0].key"),
        ("/lanes/0/key", json!(""), "lanes[0].key"),
        ("/lanes/0/key", json!(long), "lanes[0].key"),
        ("/lanes/0/key", json!(1), "lanes[0].key"),
        ("/lanes/0/key", json!(null), "lanes[0].key"),
        ("/lanes/0/key", json!("secondary"), "lanes[0].key"),
        ("/lanes/0/id", json!("lan_unknown"), "lanes[0].id"),
        ("/lanes/0/id", json!("a b"), "lanes[0].id"),
        ("/lanes/1/id", json!("primary"), "lanes[1].id"),
        ("/lanes/1/id", now["lanes"][0]["id"].clone(), "lanes[1].id"),
        ("/windows/1/id", json!("weekdays"), "windows[1].id"),
        ("/cells/0/laneId", json!("tertiary"), "cells[0].laneId"),
        ("/cells/0/windowId", json!("primary"), "cells[0].windowId"),
    ] {
        let mut body = declared();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name] = value;
        rotation.put("/coverage", body).names(member);
    }
    assert_eq!(rotation.read(), now);
    // A lane and a window may have the same key.
    let mut same = declared();
    same["windows"][0]["key"] = json!("primary");
    for cell in same["cells"].as_array_mut().unwrap() {
        if cell["windowId"] == json!("weekdays") {
            cell["windowId"] = json!("primary");
        }
    }
    let body = rotation.put("/coverage", same).is(200).json();
    assert_eq!(text(&body["windows"][0]["key"]), "primary");
}

#[test]
fn a_body_read_may_be_sent_back() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let first = rotation.put("/coverage", declared()).is(200);
    let body = rotation.read();
    let again = rotation.put("/coverage", body).is(200);
    assert_eq!((again.etag(), again.json()), (first.etag(), first.json()));
}

/// rules.md 4.7.
#[test]
fn the_name_of_the_only_lane_is_kept_and_not_shown() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let id = rotation.read()["lanes"][0]["id"].clone();
    let put = |lanes: Value| {
        let lanes = lanes.as_array().unwrap().clone();
        let mut grid = rotation.grid(lanes.len(), &[always(daily())]);
        for (lane, sent) in lanes.into_iter().enumerate() {
            let lane = grid["lanes"][lane].as_object_mut().unwrap();
            lane.remove("name");
            lane.extend(sent.as_object().unwrap().clone());
        }
        let answer = rotation.put("/coverage", grid.clone()).is(200);
        let again = rotation.put("/coverage", grid).is(200);
        assert_eq!((again.etag(), again.json()), (answer.etag(), answer.json()));
        members(&answer.json()["lanes"], "name").join(" ")
    };
    let shown = || {
        let on_call = rotation.get("/on-call").json();
        text(&on_call["onCall"][0]["laneName"]).to_owned()
    };
    assert_eq!(put(json!([{ "name": "Primary" }])), "-");
    assert!(rotation.read()["lanes"][0].get("name").is_none());
    assert_eq!(shown(), "-");
    // Omitted it stays, and is shown beside another.
    assert_eq!(put(json!([{}])), "-");
    assert_eq!(put(json!([{}, { "name": "Second" }])), "Primary Second");
    assert_eq!(shown(), "Primary");
    assert_eq!(put(json!([{}, {}])), "Primary Second");
    assert_eq!(put(json!([{}])), "-");
    assert_eq!(shown(), "-");
    // Null clears it.
    assert_eq!(put(json!([{ "name": null }])), "-");
    assert_eq!(put(json!([{}, { "name": "Second" }])), "- Second");
    assert_eq!(rotation.read()["lanes"][0]["id"], id);
    // The record keeps what was shown at the time.
    let past = rotation.turns("history", "2026-01-05T00:00Z", "2026-01-06T00:00Z");
    assert!(past.iter().any(|entry| entry["laneName"] == json!(null)));
}
