//! operationId: a write runs once, and a retry returns the original response.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

/// The part of a response that a retry must repeat.
#[track_caller]
fn receipt(answer: Answer) -> (Value, String) {
    let answer = answer.is(200);
    (answer.json(), answer.etag())
}

#[test]
fn a_retry_gets_the_first_answer_however_the_state_moved_on() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let path = rotation.path("/duty-arrangements");
    let etag = rotation.etag();
    let body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let post = |etag: &str| rota.caller().post_if(&path, etag, body.clone());
    let first = receipt(post(&etag));
    let record = only_arrangement(&first.0);
    // The old ETag, the new one, an invalid one, any.
    for etag in [etag.as_str(), &first.1, "\"other\"", "*"] {
        assert_eq!(receipt(post(etag)), first);
    }
    assert_eq!(rotation.etag(), first.1, "done once");
    rota.to("2026-01-05T13:00Z");
    assert_eq!(receipt(post(&etag)), first);
    let change = rotation.assignment(0, "U2", "2026-01-05T15:00Z", "2026-01-05T16:00Z");
    let changed = receipt(rotation.try_change(&record, change.clone()));
    assert_eq!(receipt(post(&etag)), first);
    assert_eq!(
        receipt(rotation.try_change(&record, change.clone())),
        changed
    );
    let end = json!({ "operationId": "end", "expectedRevision": 1 });
    let new = changed.0["arrangements"][1]["id"].clone();
    let rest = format!("/{}/end", text(&new));
    let ended = receipt(rotation.post_arrangement(&rest, &end));
    rota.to("2026-01-08T13:00Z");
    rotation.rotate();
    let now = rotation.etag();
    assert_eq!(receipt(post(&etag)), first);
    assert_eq!(receipt(rotation.try_change(&record, change)), changed);
    assert_eq!(receipt(rotation.post_arrangement(&rest, &end)), ended);
    // Even if it would be refused now.
    rotation.patch(json!({ "enabled": false })).is(200);
    assert_eq!(receipt(post(&etag)), first);
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_ne!(rotation.etag(), now);
    rota.plan("free");
    assert_eq!(receipt(post(&etag)), first);
    assert_eq!(rotation.arrangements(MONDAY, "2026-02-01T00:00Z").len(), 2);
}

#[test]
fn a_retry_is_the_same_however_it_is_written() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let path = rotation.path("/duty-arrangements");
    let cell = rotation.cell_id(0);
    let send = |kind: &str, body: String| {
        let request = rota.request("POST", &path).header("If-Match", "*");
        receipt(request.header("Content-Type", kind).body(body).send())
    };
    let first = send(
        PATCH_JSON,
        format!(
            r#"{{"operationId":"o","cellId":"{cell}","userId":"U3","from":"2026-01-05T12:00:00Z","to":"2026-01-05T14:00:00Z"}}"#
        ),
    );
    let second = send(
        PLAIN_JSON,
        format!(
            r#"{{ "to": "2026-01-05T14:00:00Z", "userId": "U3",
                  "from": "2026-01-05T12:00:00Z", "cellId": "{cell}", "operationId": "o" }}"#
        ),
    );
    assert_eq!(first, second);
}

#[test]
fn a_retry_still_needs_what_comes_before_it() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let path = rotation.path("/duty-arrangements");
    let key = rota.key("write:duty read:oncall read:rotations");
    let theirs = rotation.with(&key);
    let body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    theirs.post_arrangement("", &body).is(200);
    theirs
        .by
        .post(&path, body.clone())
        .refused(428, "precondition_required");
    let mut broken = body.clone();
    broken["userId"] = json!(7);
    theirs.post_arrangement("", &broken).names("userId");
    rota.anyone()
        .post_if(&path, "*", body.clone())
        .refused(401, "missing_credential");
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    theirs.post_arrangement("", &body).refused(404, "");
}

/// rules.md 9.4.
#[test]
fn an_id_stands_for_one_write() {
    let rota = Rota::with_people(4);
    let (rotation, other) = (four(&rota), four(&rota));
    let old = rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-05T11:00Z");
    let mut body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    body["expectedRevision"] = json!(1);
    rotation.post_arrangement("", &body).is(200);
    let etag = rotation.etag();
    let with = |member: &str, value: Value| {
        let mut body = body.clone();
        body[member] = value;
        body
    };
    let reused = |answer: Answer| drop(answer.refused(409, "operationIdReused"));
    for body in [
        with("userId", json!("U2")),
        with("cellId", json!("cel_unknown")),
        with("from", json!(rfc("2026-01-05T12:00:01Z"))),
        with("to", json!(rfc("2026-01-05T15:00Z"))),
        with("acknowledgedConflictIds", json!(["cfl_1"])),
    ] {
        reused(rotation.post_arrangement("", &body));
    }
    // Another operation, another arrangement, another rotation, whether or not it would be refused.
    let id = text(&old["id"]);
    reused(rotation.post_arrangement(&format!("/{id}/changes"), &body));
    reused(rotation.post_arrangement(&format!("/{id}/end"), &body));
    reused(other.post_arrangement("", &body));
    // Before the ETag is checked.
    let path = rotation.path("/duty-arrangements");
    reused(
        rota.caller()
            .post_if(&path, "\"stale\"", with("userId", json!("U2"))),
    );
    assert_eq!(rotation.etag(), etag);
    // The use of the id on the other path has no effect.
    rotation.post_arrangement("", &body).is(200);
}

#[test]
fn an_id_belongs_to_the_key_or_person_who_acts() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.patch(json!({ "owners": ["U1", "U2"] })).is(200);
    let keys = [rota.key("write:duty"), rota.key("write:duty")];
    let tokens = ["U1", "U2", "U1"].map(|user| rota.token(user));
    let body = |hour: i64| {
        let mut body = rotation.assignment(
            0,
            "U4",
            &format!("2026-01-05T{hour}:00Z"),
            &format!("2026-01-05T{hour}:30Z"),
        );
        body["operationId"] = json!("the same");
        body
    };
    let credentials = [&keys[0], &keys[1], &tokens[0], &tokens[1]];
    for (hour, credential) in (10..).zip(credentials) {
        rotation
            .with(credential)
            .post_arrangement("", &body(hour))
            .is(200);
    }
    for credential in credentials {
        rotation
            .with(credential)
            .post_arrangement("", &body(20))
            .refused(409, "operationIdReused");
    }
    // Another token of the same person.
    let version = rotation.etag();
    rotation
        .with(&tokens[2])
        .post_arrangement("", &body(12))
        .is(200);
    assert_eq!(rotation.etag(), version);
}

#[test]
fn refused_writes_and_previews_do_not_spend_an_id() {
    let rota = Rota::with_people(5);
    let rotation = four(&rota);
    rotation.away("U4", "2026-01-05T12:00Z", "2026-01-05T13:00Z");
    let old = rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-05T11:00Z");
    let path = rotation.path("/duty-arrangements");
    let body = |user: &str, from: &str, to: &str| {
        let mut body = rotation.assignment(0, user, from, to);
        body["operationId"] = json!("one");
        body
    };
    let (noon, three) = ("2026-01-05T12:00Z", "2026-01-05T15:00Z");
    rotation.try_preview(&body("U2", noon, three)).is(200);
    rotation
        .post_arrangement("", &body("U5", noon, three))
        .names("userId");
    rotation
        .post_arrangement("", &body("U2", "2026-01-05T07:00Z", MONDAY))
        .names("to");
    rota.caller()
        .post_if(&path, "\"stale\"", body("U3", noon, three))
        .is(412);
    rotation
        .post_arrangement("", &body("U4", noon, three))
        .refused(409, "conflictsNotAcknowledged");
    rotation
        .post_arrangement("", &body("U2", "2026-01-05T10:00Z", three))
        .refused(409, "conflictBlocks");
    let mut stale = old.clone();
    stale["revision"] = json!(9);
    rotation
        .try_change(&stale, body("U2", noon, three))
        .refused(409, "arrangementChanged");
    rotation.patch(json!({ "enabled": false })).is(200);
    rotation
        .post_arrangement("", &body("U2", noon, three))
        .refused(409, "rotation_disabled");
    rotation.patch(json!({ "enabled": true })).is(200);
    let first = receipt(rotation.post_arrangement("", &body("U3", noon, three)));
    assert_eq!(
        receipt(rotation.post_arrangement("", &body("U3", noon, three))),
        first
    );
}

#[test]
fn an_id_has_one_to_128_characters() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let mut hours = 10..;
    let mut post = |id: &str| {
        let hour = hours.next().unwrap();
        let mut body = rotation.assignment(
            0,
            "U2",
            &format!("2026-01-05T{hour}:00Z"),
            &format!("2026-01-05T{hour}:30Z"),
        );
        body["operationId"] = json!(id);
        rotation.post_arrangement("", &body)
    };
    for id in [
        "x",
        " ",
        "å ✓ \u{1F600}",
        &"x".repeat(128),
        &"å".repeat(128),
    ] {
        let answer = post(id).is(200);
        assert_eq!(answer.json()["operationId"], id);
    }
    for id in ["", &"x".repeat(129), &"å".repeat(129)] {
        post(id).names("operationId");
    }
}

#[test]
fn ids_are_kept_over_a_restart() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(4);
    let rotation = four(&rota);
    let (id, key) = (rotation.id.clone(), rota.key("write:duty read:rotations"));
    let body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let first = receipt(rotation.with(&key).post_arrangement("", &body));
    drop(rotation);
    rota.stop();
    let rota = Start::default().db(&db).clock("2026-01-05T13:00Z").go();
    let rotation = Rot {
        by: rota.with(&key),
        id,
    };
    assert_eq!(receipt(rotation.post_arrangement("", &body)), first);
    let mut other = body;
    other["userId"] = json!("U2");
    rotation
        .post_arrangement("", &other)
        .refused(409, "operationIdReused");
}

/// rules.md 9.4.
#[test]
fn ids_are_forgotten_after_thirty_days() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    rotation.put_on_call("U1").is(200);
    let mut body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let first = receipt(rotation.post_arrangement("", &body));
    rota.advance(30 * DAY - 1);
    assert_eq!(receipt(rotation.post_arrangement("", &body)), first);
    rota.advance(2);
    // Now it is an ordinary write: refused, and then another one succeeds.
    rotation.post_arrangement("", &body).names("to");
    body["from"] = json!(rfc("2026-02-05T12:00Z"));
    body["to"] = json!(rfc("2026-02-05T14:00Z"));
    let second = receipt(rotation.post_arrangement("", &body));
    assert_ne!(second, first);
    rota.advance(29 * DAY);
    assert_eq!(receipt(rotation.post_arrangement("", &body)), second);
}

#[test]
fn of_tries_at_once_one_is_carried_out() {
    let rota = Rota::with_people(9);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6 U7 U8 U9");
    let body = |user: usize| {
        let mut body = rotation.assignment(0, &format!("U{user}"), MONDAY, "2026-01-05T14:00Z");
        body["operationId"] = json!("at once");
        body
    };
    let path = rotation.path("/duty-arrangements");
    let etag = rotation.etag();
    let all_at_once = |bodies: Vec<Value>| -> Vec<Answer> {
        std::thread::scope(|scope| {
            let post = |body: Value| rota.caller().post_if(&path, &etag, body);
            let threads: Vec<_> = bodies
                .into_iter()
                .map(|body| scope.spawn(move || post(body)))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        })
    };
    let mut done = vec![];
    for answer in all_at_once((2..=9).map(body).collect()) {
        match answer.status() {
            200 => done.push(receipt(answer)),
            _ => drop(answer.refused(409, "operationIdReused")),
        }
    }
    let [first] = &done[..] else {
        panic!("one of them: {done:?}");
    };
    let winner = text(&only_arrangement(&first.0)["userId"]).to_owned();
    assert_eq!(
        (rotation.on_call(), rotation.etag()),
        (winner.clone(), first.1.clone())
    );
    let again = vec![body(winner[1..].parse().unwrap()); 6];
    for answer in all_at_once(again) {
        assert_eq!(receipt(answer), *first);
    }
    assert_eq!(rotation.etag(), first.1);
}

#[test]
fn a_retry_needs_to_see_the_rotation_and_no_more() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.patch(json!({ "owners": ["U1", "U4"] })).is(200);
    let theirs = rotation.with(&rota.token("U4"));
    let body = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let first = receipt(theirs.post_arrangement("", &body));
    rotation.patch(json!({ "owners": ["U1"] })).is(200);
    assert_eq!(receipt(theirs.post_arrangement("", &body)), first);
    let mut other = body.clone();
    other["operationId"] = json!("another");
    theirs
        .post_arrangement("", &other)
        .refused(403, "resource_denied");
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    theirs.post_arrangement("", &body).refused(404, "");
}
