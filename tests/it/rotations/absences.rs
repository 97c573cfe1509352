//! /v1/rotations/{id}/availability: marking somebody away and back.

use crate::support::*;
use serde_json::{Value, json};

fn away(user: &str, from: &str, until: &str) -> Value {
    json!({ "userId": user, "from": from, "until": until })
}

const FROM: &str = "2026-02-01T00:00:00Z";
const UNTIL: &str = "2026-02-08T00:00:00Z";

#[test]
fn an_absence_is_answered_and_found() {
    let rota = Rota::with_people(2);
    let (rotation, other) = (rota.rotation("U1 U2"), rota.rotation("U1 U2"));
    let path = rotation.path("/availability");
    let mut body = away("U1", "2026-02-01T01:00:00+01:00", UNTIL);
    body["reason"] = json!("Holiday");
    let answer = rota.post(&path, body.clone()).is(201);
    let absence = answer.json();
    let id = text(&absence["id"]);
    assert!(id.starts_with("abs_"), "{id}");
    assert!(answer.header("location").unwrap().ends_with(id));
    for (member, expected) in [
        ("userId", json!("U1")),
        ("reason", json!("Holiday")),
        ("appliesTo", json!("rotation")),
        ("rotationIds", json!([rotation.id])),
        ("recurring", json!(false)),
        ("source", json!("internalAvailability")),
    ] {
        assert_eq!(absence[member], expected, "{member}");
    }
    assert_eq!(
        [instant(&absence["from"]), instant(&absence["until"])],
        ["2026-02-01T00:00Z", "2026-02-08T00:00Z"]
    );
    // The same again, written otherwise, is the same.
    let again = rota.post(&path, away("U1", FROM, UNTIL)).is(200).json();
    assert_eq!(again["id"], absence["id"]);
    assert_eq!(rota.caller().all(&path), *std::slice::from_ref(&absence));
    assert!(other.by.all(&other.path("/availability")).is_empty());

    let mut everywhere = away("U1", FROM, UNTIL);
    everywhere["appliesTo"] = json!("allRotations");
    let everywhere = rota.post(&path, everywhere).is(201).json();
    assert_ne!(everywhere["id"], absence["id"]);
    assert_eq!(
        (&everywhere["rotationIds"], &everywhere["reason"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(
        other.by.all(&other.path("/availability")),
        *std::slice::from_ref(&everywhere)
    );
    other.back(text(&everywhere["id"]));
    assert_eq!(rota.caller().all(&path), *std::slice::from_ref(&absence));
    rotation.back(id);
    assert!(rota.caller().all(&path).is_empty());
    rota.caller()
        .delete(&rotation.path(&format!("/availability/{id}")))
        .refused(404, "");
    rota.post(&path, body).is(201);
}

#[test]
fn an_absence_that_is_refused() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2");
    let post = |body: Value| rota.post(&rotation.path("/availability"), body);
    for (body, member) in [
        (json!({ "from": FROM, "until": UNTIL }), "userId"),
        (json!({ "userId": "U1", "until": UNTIL }), "from"),
        (json!({ "userId": "U1", "from": FROM }), "until"),
        (away("U1", UNTIL, FROM), "until"),
        (away("U1", FROM, FROM), "until"),
        (away("U1", "tomorrow", UNTIL), "from"),
        (
            json!({ "userId": 1, "from": FROM, "until": UNTIL }),
            "userId",
        ),
        (
            json!({ "userId": "U1", "from": FROM, "until": UNTIL, "appliesTo": "all" }),
            "appliesTo",
        ),
        (
            json!({ "userId": "U1", "from": FROM, "until": UNTIL, "reason": 1 }),
            "reason",
        ),
        (away("U3", FROM, UNTIL), "userId"),
    ] {
        post(body).names(member);
    }
    post(away("U9", FROM, UNTIL)).refused(404, "");
    rota.post(
        "/v1/rotations/rot_unknown/availability",
        away("U1", FROM, UNTIL),
    )
    .refused(404, "");
    rota.caller()
        .delete(&rotation.path("/availability/abs_unknown"))
        .refused(404, "");
    assert!(
        rota.caller()
            .all(&rotation.path("/availability"))
            .is_empty()
    );
}

#[test]
fn the_list_takes_a_range() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.away("U1", FROM, UNTIL);
    rotation.away("U2", "2026-02-07T00:00Z", "2026-02-09T00:00Z");
    for (query, users) in [
        ("", "U1 U2"),
        ("?from=2026-02-08T00:00:00Z", "U2"),
        ("?from=2026-02-07T23:59:59Z", "U1 U2"),
        ("?to=2026-02-07T00:00:00Z", "U1"),
        ("?to=2026-02-01T00:00:00Z", ""),
        ("?from=2026-02-02T00:00:00Z&to=2026-02-03T00:00:00Z", "U1"),
        ("?from=2026-02-09T00:00:00Z", ""),
    ] {
        let all = rota
            .caller()
            .all(&rotation.path(&format!("/availability{query}")));
        let mut found: Vec<&str> = all.iter().map(|a| text(&a["userId"])).collect();
        found.sort_unstable();
        assert_eq!(found.join(" "), users, "{query}");
    }
    rotation.get("/availability?from=x").names("from");
}

#[test]
fn an_absence_from_all_rotations_counts_in_all() {
    let rota = Rota::with_people(3);
    let (here, there) = (rota.daily("U1 U2 U3", 1), rota.daily("U1 U2 U3", 1));
    let mut body = away("U2", "2026-01-06T00:00:00Z", "2026-01-07T00:00:00Z");
    body["appliesTo"] = json!("allRotations");
    rota.post(&here.path("/availability"), body).is(201);
    let here_only = rota.daily("U1 U2 U3", 1);
    here_only.away("U3", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(
        [here.on_call(), there.on_call(), here_only.on_call()],
        ["U3", "U3", "U1"]
    );
}

#[test]
fn absences_leave_the_version_alone() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let etag = rotation.etag();
    let id = rotation.away("U2", FROM, UNTIL);
    assert_eq!(rotation.etag(), etag);
    rotation.back(&id);
    assert_eq!(rotation.etag(), etag);
}
