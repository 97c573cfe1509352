//! Changes beneath an arrangement: hand-overs, rotate, set on duty and clear affect only the dealt turn.

use super::four;
use crate::support::*;
use serde_json::Value;

/// rules.md 8.1.
#[test]
fn dealing_goes_on_beneath_and_the_person_dealt_by_then_is_back() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U1", "2026-01-05T12:00Z", "2026-01-08T12:00Z");
    for (now, holder, next, ends) in [
        ("2026-01-05T12:00Z", "U1", 1, "2026-01-06T09:00Z"),
        ("2026-01-06T09:00Z", "U2", 2, "2026-01-07T09:00Z"),
        ("2026-01-07T09:00Z", "U3", 3, "2026-01-08T09:00Z"),
        ("2026-01-08T09:00Z", "U4", 0, "2026-01-09T09:00Z"),
    ] {
        rota.to(now);
        assert_eq!(
            (rotation.holders(), rotation.next_turn()),
            (holder.into(), next),
            "{now}"
        );
        assert_eq!(
            rotation.duty(),
            [format!(
                "U1/0 2026-01-05T12:00Z 2026-01-08T12:00Z 2026-01-08T12:00Z {ends}"
            )]
        );
    }
    rota.to("2026-01-08T12:00Z");
    assert_eq!(
        rotation.duty(),
        ["U4/3 2026-01-08T12:00Z 2026-01-09T09:00Z 2026-01-09T09:00Z 2026-01-09T09:00Z"]
    );
    rota.to("2026-01-09T09:00Z");
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U1 coverage-changed",
            "2026-01-05T12:00Z 2026-01-08T12:00Z U1 explicit-change",
            "2026-01-08T12:00Z 2026-01-09T09:00Z U4 explicit-change",
            "2026-01-09T09:00Z - U1 next-on-scheduled-duty",
        ]
    );
}

#[test]
fn duty_told_beneath_counts_when_the_arrangement_ends() {
    type Tell = fn(&Rot);
    let told = "explicit-change";
    // A slot that was emptied by hand is filled when the arrangement ends.
    let filled = "next-on-scheduled-duty";
    let rows: [(&str, Tell, &str, &str); 4] = [
        ("rotate", |rotation| rotation.rotate(), "U2", told),
        (
            "put on duty",
            |rotation| drop(rotation.put_on_call("U4").is(200)),
            "U4",
            told,
        ),
        (
            "clear",
            |rotation| drop(rotation.clear().is(200)),
            "-",
            filled,
        ),
        (
            "clear the cell",
            |rotation| {
                let path = format!("/on-call?cellId={}", rotation.cell_id(0));
                rotation.by.delete_if(&rotation.path(&path), "*").is(200);
            },
            "-",
            filled,
        ),
    ];
    let rota = Rota::with_people(4);
    let rotations = rows.map(|_| four(&rota));
    for rotation in &rotations {
        rotation.assign(0, "U3", "2026-01-05T09:00Z", "2026-01-05T14:00Z");
    }
    rota.to("2026-01-05T11:00Z");
    for (rotation, (name, tell, holder, _)) in rotations.iter().zip(&rows) {
        let etag = rotation.etag();
        tell(rotation);
        assert_ne!(rotation.etag(), etag, "{name}");
        assert_eq!(
            (rotation.on_call(), rotation.holders()),
            ("U3".into(), (*holder).into()),
            "{name}"
        );
    }
    rota.to("2026-01-05T15:00Z");
    for (rotation, (name, _, holder, reason)) in rotations.iter().zip(&rows) {
        let back = if *holder == "-" { "U2" } else { holder };
        assert_eq!(
            rotation.record(),
            [
                "2026-01-05T08:00Z 2026-01-05T09:00Z U1 coverage-changed".to_owned(),
                "2026-01-05T09:00Z 2026-01-05T14:00Z U3 explicit-change".to_owned(),
                format!("2026-01-05T14:00Z - {back} {reason}"),
            ],
            "{name}"
        );
    }
}

#[test]
fn a_place_cleared_before_is_filled_beneath() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T09:00Z", "2026-01-05T14:00Z");
    rotation.clear().is(200);
    for (now, on_call) in [
        (MONDAY, ""),
        ("2026-01-05T09:00Z", "U3"),
        ("2026-01-05T14:00Z", "U2"),
        ("2026-01-06T09:00Z", "U3"),
    ] {
        rota.to(now);
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
}

#[test]
fn a_hand_over_beneath_passes_over_the_absent() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    rotation.assign(0, "U4", "2026-01-05T12:00Z", "2026-01-06T12:00Z");
    rota.to("2026-01-06T09:00Z");
    // An arranged person is not counted as skipped.
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    assert_eq!(
        (
            text(&entry["userId"]),
            entry["skippedForAbsence"].as_array().map(Vec::len)
        ),
        ("U4", Some(0))
    );
    let skipped = places(&rotation.read())[0]["holder"]["skippedForAbsence"].clone();
    assert_eq!(text(&skipped[0]["userId"]), "U2");
    rota.to("2026-01-06T12:00Z");
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    assert_eq!(
        (text(&entry["userId"]), &entry["skippedForAbsence"]),
        ("U3", &skipped)
    );
}

#[test]
fn a_place_is_filled_beneath_when_an_absence_ends() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2");
    rotation.away("U1", MONDAY, "2026-01-05T12:00Z");
    rotation.away("U2", MONDAY, "2026-02-01T00:00Z");
    rotation.cover(1, &[always(daily())]);
    rota.to("2026-01-05T10:00Z");
    let preview = rotation.preview(0, "U2", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    let mut body = rotation.assignment(0, "U2", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    body["acknowledgedConflictIds"] = Value::Array(conflict_ids(&preview));
    rotation.post_arrangement("", &body).is(200);
    for (now, on_call, holder) in [
        ("2026-01-05T10:00Z", "U2", "-"),
        ("2026-01-05T12:00Z", "U2", "U1"),
        ("2026-01-05T14:00Z", "U1", "U1"),
    ] {
        rota.to(now);
        assert_eq!(
            (rotation.on_call(), rotation.holders()),
            (on_call.into(), holder.into()),
            "{now}"
        );
    }
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T10:00Z 2026-01-05T14:00Z U2 explicit-change",
            "2026-01-05T14:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn an_absence_marked_meanwhile_takes_nobody_off() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T09:00Z", "2026-01-05T14:00Z");
    rotation.away("U3", "2026-01-05T10:00Z", "2026-01-05T20:00Z");
    rota.to("2026-01-05T11:00Z");
    assert_eq!(rotation.on_call(), "U3");
}
