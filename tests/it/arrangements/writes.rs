//! The responses of previews, writes and reads.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

fn version(written: &Value) -> i64 {
    written["rotationVersion"].as_i64().expect("a version")
}

#[test]
fn a_preview_says_what_the_write_would_meet_and_changes_nothing() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rota.to("2026-01-05T10:00Z");
    let etag = rotation.etag();
    for (from, effective) in [
        ("2026-01-05T08:30Z", "2026-01-05T10:00Z"),
        ("2026-01-05T10:00Z", "2026-01-05T10:00Z"),
        ("2026-01-05T11:00Z", "2026-01-05T11:00Z"),
    ] {
        let body = rotation.assignment(0, "U3", from, "2026-01-05T12:00Z");
        let answer = rotation.try_preview(&body).is(200);
        assert_eq!(answer.etag(), etag);
        let expected = json!({
            "effectiveFrom": rfc(effective), "to": rfc("2026-01-05T12:00Z"), "conflicts": [],
            "canCommit": true, "turnSelection": null,
            "covered": [{ "from": rfc(effective), "to": rfc("2026-01-05T12:00Z") }],
        });
        assert_eq!(answer.json(), expected);
    }
    assert_eq!(rotation.etag(), etag);
    let all = ("2026-01-01T00:00Z", "2026-02-01T00:00Z");
    assert!(rotation.arrangements(all.0, all.1).is_empty());
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn a_preview_needs_no_operation_id() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let mut body = rotation.assignment(0, "U3", "2026-01-05T11:00Z", "2026-01-05T12:00Z");
    body.as_object_mut().unwrap().remove("operationId");
    rotation.try_preview(&body).is(200);
    body["expectedRevision"] = Value::Null;
    body["turnSelection"] = Value::Null;
    rotation.try_preview(&body).is(200);
}

#[test]
fn an_assignment_is_answered_with_its_record() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let before = rotation.etag();
    let body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let answer = rotation.post_arrangement("", &body).is(200);
    let written = answer.json();
    assert_ne!(answer.etag(), before);
    assert_eq!(answer.etag(), rotation.etag());
    let record = only_arrangement(&written);
    assert!(text(&record["id"]).starts_with("arr_"), "{record}");
    let expected = json!({
        "operationId": body["operationId"], "rotationVersion": 3,
        "effectiveFrom": rfc("2026-01-05T12:00Z"),
        "arrangements": [{
            "id": record["id"], "rotationId": rotation.id, "cellId": body["cellId"], "userId": "U3",
            "from": rfc("2026-01-05T12:00Z"), "to": rfc("2026-01-05T14:00Z"), "revision": 1,
            "state": "active", "kind": "directAssignment",
            "origin": { "userIds": ["U1"], "complete": true },
            "originalSnapshot": {
                "asOfUtc": rfc(MONDAY), "from": rfc("2026-01-05T12:00Z"),
                "to": rfc("2026-01-05T14:00Z"), "complete": true,
                "segments": [{
                    "from": rfc("2026-01-05T12:00Z"), "to": rfc("2026-01-05T14:00Z"),
                    "userIds": ["U1"], "resolved": true,
                }],
            },
            "turnSelection": null,
        }],
        "deliveryState": "published",
    });
    assert_eq!(written, expected);
    let path = format!("/duty-arrangements/{}", text(&record["id"]));
    let read = rotation.get(&path).is(200);
    assert_eq!(read.etag(), rotation.etag());
    assert_eq!(read.json(), record);
    let again = rota
        .request("GET", &rotation.path(&path))
        .header("If-None-Match", &rotation.etag())
        .send();
    assert_eq!((again.status(), again.text()), (304, String::new()));
    rotation
        .get("/duty-arrangements/arr_unknown")
        .refused(404, "");
}

#[test]
fn an_assignment_that_began_earlier_begins_now() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rota.to("2026-01-05T10:00Z");
    let body = rotation.assignment(0, "U3", "2026-01-05T08:30Z", "2026-01-05T12:00Z");
    let written = rotation.post_arrangement("", &body).is(200).json();
    assert_eq!(instant(&written["effectiveFrom"]), "2026-01-05T10:00Z");
    let record = only_arrangement(&written);
    assert_eq!(
        assignment_line(&record),
        "U3 2026-01-05T10:00Z 2026-01-05T12:00Z active 1"
    );
    assert_eq!(
        instant(&record["originalSnapshot"]["from"]),
        "2026-01-05T10:00Z"
    );
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T10:00Z U1 coverage-changed",
            "2026-01-05T10:00Z - U3 explicit-change",
        ]
    );
}

/// rules.md 11.2.
#[test]
fn every_write_raises_the_version_by_one() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let first = rotation.post_arrangement("", &body).is(200).json();
    let second = rotation.change(
        &only_arrangement(&first),
        0,
        "U2",
        "2026-01-05T12:00Z",
        "2026-01-05T13:00Z",
    );
    let third = rotation.end(&second["arrangements"][1]);
    assert_eq!([&first, &second, &third].map(version), [3, 4, 5]);
}

#[test]
fn a_change_cancels_the_one_and_puts_another_in_its_place() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let body = rotation.assignment(0, "U2", "2026-01-05T11:00Z", "2026-01-05T13:00Z");
    let answer = rotation.try_change(&old, body.clone()).is(200);
    assert_eq!(answer.etag(), rotation.etag());
    let written = answer.json();
    assert_eq!(written["operationId"], body["operationId"]);
    assert_eq!(instant(&written["effectiveFrom"]), "2026-01-05T11:00Z");
    let lines: Vec<String> = (written["arrangements"].as_array().unwrap().iter())
        .map(assignment_line)
        .collect();
    assert_eq!(
        lines,
        [
            "U3 2026-01-05T12:00Z 2026-01-05T14:00Z cancelled 2",
            "U2 2026-01-05T11:00Z 2026-01-05T13:00Z active 1",
        ]
    );
    let (gone, new) = (&written["arrangements"][0], &written["arrangements"][1]);
    assert_eq!(gone["id"], old["id"]);
    assert_ne!(new["id"], old["id"]);
    for record in [gone, new] {
        assert_eq!(rotation.arrangement(&record["id"]), *record);
    }
    assert_eq!(new["origin"]["userIds"], json!(["U1"]));
    rota.to("2026-01-05T15:00Z");
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T11:00Z 2026-01-05T13:00Z U2 explicit-change",
            "2026-01-05T13:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn a_change_of_a_running_one_leaves_what_was_served() {
    for (user, from, then) in [
        (
            "U2",
            "2026-01-05T09:00Z",
            "2026-01-05T11:00Z - U2 explicit-change",
        ),
        (
            "U3",
            "2026-01-05T09:00Z",
            "2026-01-05T11:00Z - U3 explicit-change",
        ),
        (
            "U2",
            "2026-01-05T13:00Z",
            "2026-01-05T11:00Z 2026-01-05T13:00Z U1 explicit-change|2026-01-05T13:00Z - U2 explicit-change",
        ),
    ] {
        let rota = Rota::with_people(4);
        let rotation = four(&rota);
        let old = rotation.assign(0, "U3", "2026-01-05T09:00Z", "2026-01-05T14:00Z");
        rota.to("2026-01-05T11:00Z");
        let written = rotation.change(&old, 0, user, from, "2026-01-05T16:00Z");
        let gone = rotation.arrangement(&old["id"]);
        assert_eq!(written["arrangements"][0], gone);
        assert_eq!(text(&gone["state"]), "cancelled");
        assert_eq!(instant(&gone["from"]), "2026-01-05T09:00Z");
        rota.to("2026-01-05T13:30Z");
        assert_eq!(rotation.on_call(), user);
        let mut expected = vec![
            "2026-01-05T08:00Z 2026-01-05T09:00Z U1 coverage-changed",
            "2026-01-05T09:00Z 2026-01-05T11:00Z U3 explicit-change",
        ];
        expected.extend(then.split('|'));
        assert_eq!(rotation.record(), expected, "{user} {from}");
    }
}

#[test]
fn a_change_may_move_to_another_place() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let old = rotation.assign(0, "U4", "2026-01-05T08:00Z", "2026-01-05T12:00Z");
    assert_eq!(rotation.on_call(), "U4 U2");
    let written = rotation.change(&old, 1, "U4", "2026-01-05T08:00Z", "2026-01-05T12:00Z");
    assert_eq!(rotation.on_call(), "U1 U4");
    let new = &written["arrangements"][1];
    assert_eq!(new["cellId"], json!(rotation.cell_id(1)));
    assert_eq!(new["origin"]["userIds"], json!(["U2"]));
}

/// rules.md 8.4.
#[test]
fn ending_one_that_has_not_begun_cancels_it() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T11:00Z");
    let answer = rotation.try_end(&old).is(200);
    assert_eq!(answer.etag(), rotation.etag());
    let gone = only_arrangement(&answer.json());
    assert_eq!(
        assignment_line(&gone),
        "U3 2026-01-05T12:00Z 2026-01-05T14:00Z cancelled 2"
    );
    assert_eq!(rotation.arrangement(&old["id"]), gone);
    rota.to("2026-01-05T13:00Z");
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(rotation.record().len(), 1);
}

/// rules.md 8.4.
#[test]
fn ending_a_running_one_brings_the_dealt_person_back() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", "2026-01-05T09:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T11:00Z");
    let written = rotation.end(&old);
    assert_eq!(instant(&written["effectiveFrom"]), "2026-01-05T11:00Z");
    assert_eq!(
        assignment_line(&only_arrangement(&written)),
        "U3 2026-01-05T09:00Z 2026-01-05T11:00Z active 2"
    );
    assert_eq!(
        rotation.duty(),
        ["U1/0 2026-01-05T11:00Z 2026-01-06T09:00Z 2026-01-06T09:00Z 2026-01-06T09:00Z"]
    );
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T09:00Z 2026-01-05T11:00Z U3 explicit-change",
            "2026-01-05T11:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn what_is_over_cancelled_or_changed_meanwhile_cannot_be_changed_or_ended() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let over = rotation.assign(0, "U3", "2026-01-05T09:00Z", "2026-01-05T10:00Z");
    let cancelled = rotation.assign(0, "U3", "2026-01-05T13:00Z", "2026-01-05T14:00Z");
    let cancelled = only_arrangement(&rotation.end(&cancelled));
    let mut stale = rotation.assign(0, "U3", "2026-01-05T15:00Z", "2026-01-05T16:00Z");
    stale["revision"] = json!(2);
    rota.to("2026-01-05T11:00Z");
    let etag = rotation.etag();
    for old in [over, cancelled, stale] {
        let record = rotation.arrangement(&old["id"]);
        let body = rotation.assignment(0, "U2", "2026-01-05T17:00Z", "2026-01-05T18:00Z");
        rotation
            .try_change(&old, body)
            .refused(409, "arrangementChanged");
        rotation.try_end(&old).refused(409, "arrangementChanged");
        assert_eq!(rotation.arrangement(&old["id"]), record);
    }
    assert_eq!(rotation.etag(), etag);
}
