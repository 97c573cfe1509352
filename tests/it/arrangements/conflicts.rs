//! Conflicts of an assignment, and their acknowledgement.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

const NOON: &str = "2026-01-05T12:00Z";
const TWO: &str = "2026-01-05T14:00Z";

/// A conflict in one line: `absence U3 from to`.
fn line(conflict: &Value) -> String {
    let response = ["type", "userId"].map(|member| text(&conflict[member]));
    let span = ["from", "to"].map(|member| instant(&conflict[member]));
    format!("{} {}", response.join(" "), span.join(" "))
}

#[track_caller]
fn lines(answer: &Value) -> Vec<String> {
    conflicts_in(answer).iter().map(line).collect()
}

fn acknowledging(mut body: Value, ids: Vec<Value>) -> Value {
    body["acknowledgedConflictIds"] = Value::Array(ids);
    body
}

#[test]
fn an_absence_has_to_be_acknowledged() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.away("U3", "2026-01-05T13:00Z", "2026-01-05T20:00Z");
    rotation.away("U2", NOON, TWO);
    let body = rotation.assignment(0, "U3", NOON, TWO);
    let preview = rotation.try_preview(&body).is(200).json();
    let ids = conflict_ids(&preview);
    let expected = json!([{
        "id": ids[0], "type": "absence", "userId": "U3", "from": rfc("2026-01-05T13:00Z"), "to": rfc(TWO),
        "source": "manualAvailability", "canAcknowledge": true,
    }]);
    assert_eq!(
        (&preview["conflicts"], &preview["canCommit"]),
        (&expected, &json!(false))
    );
    let etag = rotation.etag();
    for ids in [vec![], vec![json!("cfl_other")], vec![json!("")]] {
        let body = acknowledging(body.clone(), ids);
        assert_eq!(
            rotation.try_preview(&body).json()["canCommit"],
            json!(false)
        );
        let problem = rotation
            .post_arrangement("", &body)
            .refused(409, "conflictsNotAcknowledged");
        assert_eq!(problem["conflicts"], expected);
    }
    assert_eq!(rotation.etag(), etag);
    let body = acknowledging(
        body,
        vec![json!("cfl_other"), ids[0].clone(), ids[0].clone()],
    );
    let preview = rotation.try_preview(&body).is(200).json();
    assert_eq!(
        (&preview["conflicts"], &preview["canCommit"]),
        (&expected, &json!(true))
    );
    rotation.post_arrangement("", &body).is(200);
    rota.to("2026-01-05T13:30Z");
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn each_absence_has_to_be_acknowledged() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.away("U3", "2026-01-05T11:00Z", "2026-01-05T12:30Z");
    rotation.away("U3", "2026-01-05T13:00Z", "2026-01-05T13:30Z");
    let body = rotation.assignment(0, "U3", NOON, TWO);
    let preview = rotation.try_preview(&body).is(200).json();
    let expected = [
        "absence U3 2026-01-05T12:00Z 2026-01-05T12:30Z",
        "absence U3 2026-01-05T13:00Z 2026-01-05T13:30Z",
    ];
    assert_eq!(lines(&preview), expected);
    let ids = conflict_ids(&preview);
    assert_ne!(ids[0], ids[1]);
    for id in &ids {
        let answer = rotation.post_arrangement("", &acknowledging(body.clone(), vec![id.clone()]));
        let problem = answer.refused(409, "conflictsNotAcknowledged");
        assert!(
            conflicts_in(&problem)
                .iter()
                .any(|conflict| conflict["id"] != *id)
        );
    }
    rotation
        .post_arrangement("", &acknowledging(body, ids))
        .is(200);
}

#[test]
fn an_absence_conflicts_where_it_meets_the_interval() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let other = four(&rota);
    for (from, until, met) in [
        ("2026-01-05T10:00Z", NOON, None),
        (TWO, "2026-01-05T20:00Z", None),
        (
            "2026-01-05T10:00Z",
            "2026-01-05T12:00:01Z",
            Some("2026-01-05T12:00Z 2026-01-05T12:00:01Z"),
        ),
        (
            "2026-01-05T13:59:59Z",
            "2026-01-05T20:00Z",
            Some("2026-01-05T13:59:59Z 2026-01-05T14:00Z"),
        ),
        (
            "2026-01-05T10:00Z",
            "2026-01-05T20:00Z",
            Some("2026-01-05T12:00Z 2026-01-05T14:00Z"),
        ),
    ] {
        let absence = rotation.away("U3", from, until);
        let found = lines(&rotation.preview(0, "U3", NOON, TWO));
        let expected = met.map(|met| format!("absence U3 {met}"));
        assert_eq!(found, Vec::from_iter(expected), "{from} {until}");
        assert!(lines(&rotation.preview(0, "U4", NOON, TWO)).is_empty());
        assert!(lines(&other.preview(0, "U3", NOON, TWO)).is_empty());
        rotation.back(&absence);
        assert!(lines(&rotation.preview(0, "U3", NOON, TWO)).is_empty());
    }
    let everywhere = json!({
        "userId": "U3", "from": rfc(NOON), "until": rfc(TWO), "appliesTo": "allRotations",
    });
    rotation
        .by
        .post(&rotation.path("/availability"), everywhere)
        .is(201);
    assert_eq!(lines(&other.preview(0, "U3", NOON, TWO)).len(), 1);
}

/// rules.md 8.2.
#[test]
fn ids_stay_the_same_for_the_same_terms_and_differ_for_others() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let absence = rotation.away("U3", "2026-01-05T10:00Z", "2026-01-06T00:00Z");
    rotation.away("U4", "2026-01-05T10:00Z", "2026-01-06T00:00Z");
    let id = |place: usize, user: &str, from: &str, to: &str| {
        let ids = conflict_ids(&rotation.preview(place, user, from, to));
        assert_eq!(ids.len(), 1, "{place} {user} {from} {to}");
        text(&ids[0]).to_owned()
    };
    let first = id(0, "U3", NOON, TWO);
    let mut seen = vec![first.clone()];
    for (place, user, from, to) in [
        (1, "U3", NOON, TWO),
        (0, "U4", NOON, TWO),
        (0, "U3", "2026-01-05T12:00:01Z", TWO),
        (0, "U3", NOON, "2026-01-05T13:59:59Z"),
    ] {
        let other = id(place, user, from, to);
        assert!(!seen.contains(&other), "{place} {user} {from} {to}");
        seen.push(other);
    }
    // Whatever else changes, and also once the interval has begun.
    rotation.rotate();
    rotation.away("U2", "2026-01-05T10:00Z", "2026-01-06T00:00Z");
    assert_eq!(id(0, "U3", NOON, TWO), first);
    rota.to("2026-01-05T13:00Z");
    assert_eq!(id(0, "U3", NOON, TWO), first);
    // A new absence of the same person over the same interval.
    rotation.back(&absence);
    rotation.away("U3", "2026-01-05T10:00Z", "2026-01-05T23:00Z");
    assert_ne!(id(0, "U3", NOON, TWO), first);
}

#[test]
fn what_was_acknowledged_for_other_terms_does_not_count() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.away("U3", "2026-01-05T10:00Z", "2026-01-06T00:00Z");
    let ids = conflict_ids(&rotation.preview(0, "U3", NOON, TWO));
    let longer = rotation.assignment(0, "U3", NOON, "2026-01-05T15:00Z");
    rotation
        .post_arrangement("", &acknowledging(longer, ids.clone()))
        .refused(409, "conflictsNotAcknowledged");
    let same = rotation.assignment(0, "U3", NOON, TWO);
    rotation
        .post_arrangement("", &acknowledging(same, ids))
        .is(200);
}

/// rules.md 8.2.
#[test]
fn an_arrangement_over_the_same_cell_blocks() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    rotation.away("U3", "2026-01-05T13:00Z", "2026-01-05T13:30Z");
    let standing = rotation.assign(0, "U4", NOON, TWO);
    let etag = rotation.etag();
    for (user, from, to, met) in [
        ("U3", "2026-01-05T10:00Z", NOON, None),
        ("U3", TWO, "2026-01-05T15:00Z", None),
        (
            "U3",
            "2026-01-05T10:00Z",
            "2026-01-05T12:00:01Z",
            Some((NOON, "2026-01-05T12:00:01Z")),
        ),
        (
            "U3",
            "2026-01-05T13:59Z",
            "2026-01-05T18:00Z",
            Some(("2026-01-05T13:59Z", TWO)),
        ),
        (
            "U4",
            "2026-01-05T10:00Z",
            "2026-01-05T18:00Z",
            Some((NOON, TWO)),
        ),
    ] {
        let body = rotation.assignment(0, user, from, to);
        let preview = rotation.try_preview(&body).is(200).json();
        let Some((met_from, met_to)) = met else {
            assert_eq!(
                (lines(&preview).len(), &preview["canCommit"]),
                (0, &json!(true))
            );
            continue;
        };
        let expected = json!([{
            "id": conflict_ids(&preview)[0], "type": "sameCellArrangement", "userId": "U4",
            "from": rfc(met_from), "to": rfc(met_to), "source": "arrangement", "canAcknowledge": false,
        }]);
        assert_eq!(preview["conflicts"], expected);
        let body = acknowledging(body, conflict_ids(&preview));
        assert_eq!(
            rotation.try_preview(&body).json()["canCommit"],
            json!(false)
        );
        let problem = rotation
            .post_arrangement("", &body)
            .refused(409, "conflictBlocks");
        assert_eq!(problem["conflicts"], expected);
    }
    // Both kinds together: acknowledging one does not permit the blocking one.
    let body = rotation.assignment(0, "U3", NOON, TWO);
    let preview = rotation.try_preview(&body).is(200).json();
    let mut kinds = lines(&preview);
    kinds.sort();
    assert_eq!(
        kinds,
        [
            "absence U3 2026-01-05T13:00Z 2026-01-05T13:30Z",
            "sameCellArrangement U4 2026-01-05T12:00Z 2026-01-05T14:00Z",
        ]
    );
    let body = acknowledging(body, conflict_ids(&preview));
    let problem = rotation
        .post_arrangement("", &body)
        .refused(409, "conflictBlocks");
    assert_eq!(problem["conflicts"], preview["conflicts"]);
    assert_eq!(rotation.etag(), etag);
    // There are no conflicts on another cell, or after a cancellation.
    assert!(lines(&rotation.preview(1, "U3", NOON, "2026-01-05T13:00Z")).is_empty());
    rotation.end(&standing);
    assert!(lines(&rotation.preview(0, "U4", NOON, TWO)).is_empty());
}

#[test]
fn an_arrangement_is_not_in_its_own_way() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", NOON, TWO);
    rotation.assign(0, "U4", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    let blocked = rotation.assignment(0, "U3", "2026-01-05T13:00Z", "2026-01-05T16:30Z");
    let problem = rotation
        .try_change(&old, blocked)
        .refused(409, "conflictBlocks");
    assert_eq!(
        lines(&problem),
        ["sameCellArrangement U4 2026-01-05T16:00Z 2026-01-05T16:30Z"]
    );
    assert_eq!(rotation.arrangement(&old["id"]), old);
    rotation.change(&old, 0, "U3", "2026-01-05T13:00Z", "2026-01-05T16:00Z");
}

#[test]
fn a_change_has_its_absences_acknowledged_anew() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U2", NOON, TWO);
    rotation.away("U3", "2026-01-05T13:00Z", "2026-01-05T13:30Z");
    let body = rotation.assignment(0, "U3", NOON, TWO);
    let problem = rotation
        .try_change(&old, body.clone())
        .refused(409, "conflictsNotAcknowledged");
    let body = acknowledging(body, conflict_ids(&problem));
    rotation.try_change(&old, body).is(200);
}

#[test]
fn what_is_over_is_in_nobodys_way() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.away("U3", "2026-01-05T08:00Z", "2026-01-05T10:00Z");
    rotation.assign(0, "U4", "2026-01-05T09:00Z", "2026-01-05T11:00Z");
    let running = rotation.assign(0, "U2", "2026-01-05T11:00Z", "2026-01-05T20:00Z");
    rota.to(NOON);
    rotation.end(&running);
    let preview = rotation.preview(0, "U3", "2026-01-05T08:30Z", TWO);
    assert_eq!(
        (lines(&preview).len(), &preview["canCommit"]),
        (0, &json!(true))
    );
}

#[test]
fn a_preview_of_a_change_leaves_out_what_it_would_replace() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", NOON, TWO);
    let mut body = rotation.assignment(0, "U4", NOON, "2026-01-06T09:00Z");
    let preview = |body: &Value| rotation.try_preview(body).is(200).json();
    assert_eq!(lines(&preview(&body)).len(), 1);
    body["arrangementId"] = old["id"].clone();
    let response = preview(&body);
    assert_eq!(
        (lines(&response).len(), &response["canCommit"]),
        (0, &json!(true))
    );
    body["turnSelection"] = response["turnSelection"].clone();
    assert_eq!(text(&body["turnSelection"]["kind"]), "remainingTurn");
    let written = rotation.try_change(&old, body).is(200).json();
    assert_eq!(
        written["arrangements"][1]["turnSelection"],
        response["turnSelection"]
    );
}
