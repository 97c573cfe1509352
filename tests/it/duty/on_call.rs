//! Changing duty by hand: rotate, PUT and DELETE on-call.

use crate::support::*;
use serde_json::{Value, json};

fn cell_ids(rotation: &Rot) -> Vec<String> {
    places(&rotation.read())
        .iter()
        .map(|cell| text(&cell["id"]).to_owned())
        .collect()
}

/// rules.md 2.10.
#[test]
fn rotate_hands_over_now_and_keeps_the_schedule() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.advance(HOUR);
    let planned = rotation.next_events();
    let path = rotation.path("/rotate");
    rota.request("POST", &path)
        .send()
        .refused(428, "precondition_required");
    rota.request("POST", &path)
        .header("If-Match", "\"no\"")
        .send()
        .refused(412, "precondition_failed");
    let etag = rotation.etag();
    let answer = rota
        .request("POST", &path)
        .header("If-Match", &etag)
        .send()
        .is(200);
    assert_ne!(answer.etag(), etag);
    assert_eq!(answer.etag(), rotation.etag());
    assert_eq!(people_on_call(&answer.json()), "U2");
    assert_eq!(
        instant(&answer.json()["onCall"][0]["since"]),
        "2026-01-05T09:00Z"
    );
    assert_eq!((rotation.next_events(), rotation.next_turn()), (planned, 2));
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(
        rotation.history("2026-01-05T00:00Z", "2026-01-07T00:00Z"),
        [
            "2026-01-05T08:00Z 2026-01-05T09:00Z U1 coverage-changed",
            "2026-01-05T09:00Z 2026-01-06T09:00Z U2 rotate-to-next-on-duty",
            "2026-01-06T09:00Z - U3 next-on-scheduled-duty",
        ]
    );
}

#[test]
fn rotate_takes_named_cells() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let cells = cell_ids(&rotation);
    let rotate = |body: Value| rota.caller().post_if(&rotation.path("/rotate"), "*", body);
    for (named, holders, next) in [
        (json!({ "cellIds": [cells[1]] }), "U1 U3", 3),
        (json!({ "cellIds": [cells[0]] }), "U4 U3", 0),
        (json!({ "cellIds": [cells[1], cells[0]] }), "U1 U2", 2),
        (json!({}), "U3 U4", 0),
    ] {
        rotate(named.clone()).is(200);
        assert_eq!(
            (rotation.holders().as_str(), rotation.next_turn()),
            (holders, next),
            "{named}"
        );
    }
    rotate(json!({ "cellIds": ["cel_unknown"] })).names("cellIds");
    rotate(json!({ "cellIds": "x" })).names("cellIds");
    let pair = rota.daily("U1 U2", 2);
    let body = json!({ "cellIds": [cell_ids(&pair)[0]] });
    rota.caller()
        .post_if(&pair.path("/rotate"), "*", body)
        .is(200);
    assert_eq!(
        (pair.holders().as_str(), pair.next_turn()),
        ("U1 U2", 1),
        "only U1 was free"
    );
}

#[test]
fn rotate_passes_over_the_absent() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U2", "2026-01-05T00:00Z", "2026-01-06T00:00Z");
    rotation.rotate();
    assert_eq!(rotation.on_call(), "U3");
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    assert_eq!(text(&entry["skippedForAbsence"][0]["userId"]), "U2");
    assert_eq!(
        instant(&entry["skippedForAbsence"][0]["until"]),
        "2026-01-06T00:00Z"
    );
}

/// rules.md 2.9.
#[test]
fn put_on_call_fills_places_in_order() {
    let rota = Rota::with_people(5);
    for (people, holders, next) in [
        ("U3 U4", "U3 U4", 0),
        ("U4 U3", "U4 U3", 3),
        ("U3", "U3 -", 3),
        ("U1 U2", "U1 U2", 2),
        ("U2 U1", "U2 U1", 1),
    ] {
        let rotation = rota.daily("U1 U2 U3 U4", 2);
        let answer = rotation.put_on_call(people).is(200);
        assert_eq!(
            (rotation.holders().as_str(), rotation.next_turn()),
            (holders, next),
            "{people}"
        );
        assert_eq!(people_on_call(&answer.json()), people);
        assert_eq!(answer.etag(), rotation.etag());
    }
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let before = rotation.etag();
    for people in ["", "U1 U2 U3", "U1 U1", "U5", "U1 U9"] {
        rotation.put_on_call(people).names("userIds");
    }
    rotation.put("/on-call", json!({})).names("userIds");
    rotation
        .put("/on-call", json!({ "userIds": "U1" }))
        .names("userIds");
    rotation
        .by
        .request("PUT", &rotation.path("/on-call"))
        .json(&json!({ "userIds": ["U1"] }))
        .send()
        .is(428);
    assert_eq!(rotation.etag(), before);
    let doubled = rota.rotation("U1 U2");
    doubled.cover_doubly(2, &[always(daily())]);
    doubled.put_on_call("U2 U2").is(200);
    assert_eq!(
        (doubled.holders().as_str(), doubled.next_turn()),
        ("U2 U2", 0)
    );
    // An absent person may be named.
    rotation.away("U4", "2026-01-01T00:00Z", "2026-02-01T00:00Z");
    rotation.put_on_call("U4").is(200);
    assert_eq!(rotation.on_call(), "U4");
}

/// rules.md 2.7.
#[test]
fn places_left_empty_stay_so_until_the_next_hand_over() {
    let rota = Rota::with_people(4);
    let fewer = rota.daily("U1 U2 U3 U4", 2);
    let cleared = rota.daily("U1 U2 U3 U4", 2);
    let one_cell = rota.daily("U1 U2 U3 U4", 2);
    let changed = rota.daily("U1 U2 U3 U4", 1);
    rota.advance(HOUR);
    fewer.put_on_call("U2").is(200);
    assert_eq!(cleared.clear().is(200).json()["onCall"], json!([]));
    let path = format!("/on-call?cellId={}", cell_ids(&one_cell)[0]);
    let answer = rota.caller().delete_if(&one_cell.path(&path), "*").is(200);
    assert_eq!(people_on_call(&answer.json()), "U2");
    assert_eq!(answer.etag(), one_cell.etag());
    changed.clear().is(200);
    for (rotation, holders, next) in [
        (&fewer, "U2 -", 2),
        (&cleared, "- -", 2),
        (&one_cell, "- U2", 2),
    ] {
        for _ in 0..2 {
            assert_eq!(
                (rotation.holders().as_str(), rotation.next_turn()),
                (holders, next)
            );
            rota.advance(HOUR);
        }
    }
    // A change of members deals at once.
    assert_eq!(changed.on_call(), "");
    changed
        .patch(json!({ "userIds": ["U2", "U1", "U3"] }))
        .is(200);
    assert_ne!(changed.on_call(), "");
    assert_eq!(
        cleared
            .history("2026-01-05T08:30Z", "2026-01-06T00:00Z")
            .pop()
            .unwrap(),
        "2026-01-05T09:00Z - - duty-cleared"
    );
    rota.to("2026-01-06T09:00Z");
    for rotation in [&fewer, &cleared, &one_cell] {
        assert_eq!(rotation.holders(), "U3 U4");
    }
    rota.caller()
        .delete(&cleared.path("/on-call"))
        .refused(428, "precondition_required");
    rota.caller()
        .delete_if(&cleared.path("/on-call"), "\"old\"")
        .refused(412, "precondition_failed");
}

/// rules.md 2.9.
#[test]
fn only_open_windows_take_people_unless_none_is_open() {
    let rota = Rota::with_people(4);
    // Monday 08:00: the first window is shut until 09:00, the second open.
    let windows = [
        hours("UTC", &weekdays("09:00", "17:00"), daily()),
        hours("UTC", &weekdays("07:00", "08:30"), daily()),
    ];
    let rotation = rota.rotation("U1 U2 U3 U4");
    rotation.cover(1, &windows);
    assert_eq!(rotation.holders(), "(U1) U3");
    assert_eq!(rotation.on_call(), "U3");
    let now = rotation.read();
    assert_eq!([int(&now["heldSeats"]), int(&now["openSeats"])], [1, 0]);
    rotation.put_on_call("U4").is(200);
    assert_eq!(
        (rotation.holders().as_str(), rotation.on_call().as_str()),
        ("(U1) U4", "U4")
    );
    rotation.put_on_call("U3 U4").names("userIds");
    rota.to("2026-01-05T08:30Z");
    assert_eq!(
        (rotation.holders().as_str(), rotation.on_call().as_str()),
        ("(U1) (U4)", "")
    );
    assert_eq!(
        text(&rotation.get("/on-call").json()["nobodyOnCallReason"]),
        "nobody-on-call-as-arranged"
    );
    rotation.put_on_call("U3 U2").is(200);
    assert_eq!(
        (rotation.holders().as_str(), rotation.on_call().as_str()),
        ("(U3) (U2)", "")
    );
    rota.to("2026-01-05T09:00Z");
    assert_eq!(
        (rotation.holders().as_str(), rotation.on_call().as_str()),
        ("U3 (U2)", "U3")
    );
}

#[test]
fn expanding_users_answers_them() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let plain = rotation.get("/on-call").is(200).json();
    assert_eq!(
        (text(&plain["rotationId"]), &plain["users"]),
        (rotation.id.as_str(), &Value::Null)
    );
    assert_eq!(plain["unmappedExternalDuty"], Value::Null);
    let expanded = rotation.get("/on-call?expand=users").is(200).json();
    let mut alone = rota.get("/v1/users/U1").is(200).json();
    // How to reach somebody is told of one person at a time.
    let members = alone.as_object_mut().expect("a person");
    members.remove("contact").expect("for this key");
    assert_eq!(expanded["users"][0], alone);
    rotation
        .get("/on-call?expand=everything")
        .refused(400, "invalid_request");
}

#[test]
fn of_writes_at_once_with_one_validator_one_is_done() {
    let rota = Rota::with_people(9);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6 U7 U8 U9");
    for _ in 0..6 {
        rota.advance(1);
        let etag = rotation.put_on_call("U9").is(200).etag();
        rota.advance(1);
        let put = |n: usize| {
            let body = json!({ "userIds": [format!("U{n}")] });
            let answer = rota.put_if(&rotation.path("/on-call"), &etag, body);
            match answer.status() {
                200 => Some((n, answer.etag())),
                _ => {
                    answer.refused(412, "precondition_failed");
                    None
                }
            }
        };
        let done: Vec<(usize, String)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..=8).map(|n| scope.spawn(move || put(n))).collect();
            let answers = threads.into_iter().map(|t| t.join().unwrap());
            answers.flatten().collect()
        });
        let [(winner, fresh)] = &done[..] else {
            panic!("one of them: {done:?}");
        };
        assert_eq!(rotation.on_call(), format!("U{winner}"));
        assert_eq!((rotation.etag(), fresh == &etag), (fresh.clone(), false));
    }
    // Nobody at first, then two turns per round.
    let record = rotation.history(MONDAY, "2026-01-06T00:00Z");
    assert_eq!(record.len(), 13, "{record:#?}");
}
