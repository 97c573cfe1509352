//! The form and the validity of a body.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

/// The body with a member set, or removed if the value is `null`.
fn with(body: &Value, member: &str, value: Value) -> Value {
    let mut body = body.clone();
    match value {
        Value::Null => drop(body.as_object_mut().unwrap().remove(member)),
        value => body[member] = value,
    }
    body
}

/// A rotation, an arrangement on it, and the paths that accept a body like an assignment's.
fn assigned(rotation: &Rot) -> (Value, [String; 3]) {
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let change = format!("/{}/changes", text(&old["id"]));
    (old, ["/preview".to_owned(), String::new(), change])
}

#[test]
fn what_is_wrong_with_a_body_is_named_by_its_path() {
    let rota = Rota::with_people(5);
    let rotation = four(&rota);
    rota.to("2026-01-05T10:00Z");
    let (_, paths) = assigned(&rotation);
    let mut good = rotation.assignment(0, "U2", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    good["expectedRevision"] = json!(1);
    let etag = rotation.etag();
    let selection = |member: &str, value: Value| {
        let mut selection = json!({
            "kind": "remainingTurn", "from": rfc(MONDAY), "to": rfc("2026-01-06T09:00Z"),
        });
        selection[member] = value;
        selection
    };
    let rows = [
        ("cellId", Value::Null, "cellId"),
        ("cellId", json!(7), "cellId"),
        ("cellId", json!("cel_unknown"), "cellId"),
        ("userId", Value::Null, "userId"),
        ("userId", json!(["U2"]), "userId"),
        ("userId", json!("U5"), "userId"),
        ("userId", json!("U99"), "userId"),
        ("from", Value::Null, "from"),
        ("from", json!(0), "from"),
        ("from", json!("soon"), "from"),
        ("from", json!("2026-01-05"), "from"),
        ("to", Value::Null, "to"),
        ("to", json!(true), "to"),
        // Not later than the start.
        ("to", json!("2026-01-05T16:00:00Z"), "to"),
        ("to", json!("2026-01-05T15:00:00Z"), "to"),
        ("turnSelection", json!("fullTurn"), "turnSelection"),
        ("turnSelection", json!({}), "turnSelection"),
        (
            "turnSelection",
            selection("kind", json!("halfTurn")),
            "turnSelection.kind",
        ),
        (
            "turnSelection",
            selection("from", json!("2026-01-05T09:00:00+01:00")),
            "turnSelection.from",
        ),
        (
            "turnSelection",
            selection("to", json!(1)),
            "turnSelection.to",
        ),
        (
            "acknowledgedConflictIds",
            json!("x"),
            "acknowledgedConflictIds",
        ),
        (
            "acknowledgedConflictIds",
            json!(["x", 1]),
            "acknowledgedConflictIds[1]",
        ),
        ("expectedRevision", json!("first"), "expectedRevision"),
        ("expectedRevision", json!(1.5), "expectedRevision"),
        ("operationId", json!(7), "operationId"),
        ("operationId", json!(""), "operationId"),
        ("operationId", json!("x".repeat(129)), "operationId"),
    ];
    for path in &paths {
        for (member, value, named) in &rows {
            rotation
                .post_arrangement(path, &with(&good, member, value.clone()))
                .names(named);
        }
        rotation.post_arrangement(path, &json!([])).is(400);
    }
    for path in &paths[1..] {
        let body = with(&good, "operationId", Value::Null);
        rotation.post_arrangement(path, &body).names("operationId");
    }
    rotation
        .post_arrangement(&paths[2], &with(&good, "expectedRevision", Value::Null))
        .names("expectedRevision");
    assert_eq!(rotation.etag(), etag);
    for path in &paths {
        let body = with(&good, "operationId", json!(unique("operation")));
        rotation
            .post_arrangement(path, &with(&body, "usrId", json!("U3")))
            .names("usrId: unknown; did you mean userId?");
        // What an arrangement shows may be repeated.
        rotation
            .post_arrangement(path, &with(&body, "state", json!("cancelled")))
            .is(200);
        if path.is_empty() {
            // Outside the interval of the change.
            let made = rotation.by.all(
                &rotation
                    .path("/duty-arrangements?from=2026-01-05T16:00:00Z&to=2026-01-05T17:00:00Z"),
            );
            rotation.end(&made[0]);
        }
    }
}

#[test]
fn instants_carry_offset_zero() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let (_, paths) = assigned(&rotation);
    let mut good = rotation.assignment(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    good["expectedRevision"] = json!(1);
    let etag = rotation.etag();
    for path in &paths {
        for member in ["from", "to"] {
            let hour = if member == "from" { 12 } else { 14 };
            for offset in ["", "+01:00", "-00:30", "+14:00"] {
                let text = format!("2026-01-05T{hour}:00:00{offset}");
                let body = with(&good, member, json!(text));
                rotation.post_arrangement(path, &body).names(member);
            }
        }
    }
    assert_eq!(rotation.etag(), etag);
    let mut zero = good.clone();
    zero["from"] = json!("2026-01-05T12:00:00+00:00");
    zero["to"] = json!("2026-01-05T14:00:00.000Z");
    rotation.post_arrangement(&paths[2], &zero).is(200);
}

#[test]
fn what_has_passed_cannot_be_assigned() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rota.to("2026-01-05T10:00Z");
    let (_, paths) = assigned(&rotation);
    for (to, status) in [
        ("2026-01-05T09:00Z", 400),
        ("2026-01-05T10:00Z", 400),
        ("2026-01-05T10:00:01Z", 200),
    ] {
        for path in &paths {
            let mut body = rotation.assignment(0, "U3", "2026-01-05T08:30Z", to);
            body["expectedRevision"] = json!(1);
            let answer = rotation.post_arrangement(path, &body);
            match status {
                400 => answer.names("to"),
                _ if path.is_empty() => {
                    drop(rotation.end(&only_arrangement(&answer.is(200).json())))
                }
                _ => drop(answer.is(200)),
            }
        }
    }
}

#[test]
fn an_end_is_a_revision_and_an_operation() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let (old, _) = assigned(&rotation);
    let path = format!("/{}/end", text(&old["id"]));
    let good = json!({ "operationId": "end", "expectedRevision": 1 });
    for (member, value) in [
        ("operationId", Value::Null),
        ("operationId", json!("")),
        ("operationId", json!("x".repeat(129))),
        ("expectedRevision", Value::Null),
        ("expectedRevision", json!("one")),
        ("expectedRevision", json!(0.5)),
    ] {
        rotation
            .post_arrangement(&path, &with(&good, member, value))
            .names(member);
    }
    rotation.post_arrangement(&path, &good).is(200);
}
