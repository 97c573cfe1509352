//! Arrangements while nothing is processed: on a disabled rotation, and while the server is down.

use super::four;
use crate::support::*;
use serde_json::json;

fn enable(rotation: &Rot, enabled: bool) {
    rotation.patch(json!({ "enabled": enabled })).is(200);
}

#[test]
fn a_disabled_rotation_takes_no_assignment() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    enable(&rotation, false);
    let body = || rotation.assignment(0, "U4", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    let off = |answer: Answer| drop(answer.refused(409, "rotation_disabled"));
    off(rotation.try_preview(&body()));
    off(rotation.post_arrangement("", &body()));
    off(rotation.try_change(&old, body()));
    off(rotation.try_end(&old));
    assert_eq!(rotation.arrangement(&old["id"]), old);
    assert_eq!(rotation.arrangements(MONDAY, "2026-01-06T00:00Z").len(), 1);
    enable(&rotation, true);
    rotation.try_change(&old, body()).is(200);
}

#[test]
fn a_running_one_is_frozen_with_its_rotation() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T12:00Z");
    enable(&rotation, false);
    let etag = rotation.etag();
    rota.to("2026-01-06T12:00Z");
    assert_eq!((rotation.on_call(), rotation.etag()), ("U3".into(), etag));
    enable(&rotation, true);
    // It has ended, and the hand-over that became due meanwhile is not caught up.
    assert_eq!(
        rotation.duty(),
        ["U1/0 2026-01-06T12:00Z 2026-01-07T09:00Z 2026-01-07T09:00Z 2026-01-07T09:00Z"]
    );
    rota.to("2026-01-07T09:00Z");
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T10:00Z U1 coverage-changed",
            "2026-01-05T10:00Z 2026-01-06T12:00Z U3 explicit-change",
            "2026-01-06T12:00Z 2026-01-07T09:00Z U1 explicit-change",
            "2026-01-07T09:00Z - U2 next-on-scheduled-duty",
        ]
    );
}

#[test]
fn one_enabled_within_its_interval_runs_on_to_its_end() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T11:00Z");
    enable(&rotation, false);
    rota.to("2026-01-05T12:00Z");
    enable(&rotation, true);
    assert_eq!(
        rotation.duty(),
        ["U3/2 2026-01-05T10:00Z 2026-01-05T14:00Z 2026-01-05T14:00Z 2026-01-06T09:00Z"]
    );
    rota.to("2026-01-05T15:00Z");
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T10:00Z 2026-01-05T14:00Z U3 explicit-change",
            "2026-01-05T14:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn one_that_was_to_begin_meanwhile_begins_on_enabling() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T10:00Z", "2026-01-05T11:00Z");
    rotation.assign(0, "U4", "2026-01-05T12:00Z", "2026-01-05T16:00Z");
    enable(&rotation, false);
    rota.to("2026-01-05T13:00Z");
    assert_eq!(rotation.on_call(), "U1");
    enable(&rotation, true);
    assert_eq!(rotation.on_call(), "U4");
    rota.to("2026-01-05T17:00Z");
    // An arrangement that began and ended meanwhile has no effect.
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T13:00Z U1 coverage-changed",
            "2026-01-05T13:00Z 2026-01-05T16:00Z U4 explicit-change",
            "2026-01-05T16:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn a_disabled_rotation_plans_whom_it_is_frozen_with() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let record = rotation.assign(0, "U3", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T12:00Z");
    enable(&rotation, false);
    let items = rotation.turns("schedule", "2026-01-05T12:00Z", "2026-02-05T12:00Z");
    let summary: Vec<_> = items
        .iter()
        .map(|item| {
            (
                text(&item["userId"]),
                item.get("end"),
                &item["arrangementId"],
            )
        })
        .collect();
    assert_eq!(summary, [("U3", None, &record["id"])]);
}

#[test]
fn somebody_removed_while_it_is_disabled_comes_off_all_the_same() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rotation.assign(0, "U4", "2026-01-05T20:00Z", "2026-01-05T22:00Z");
    rota.to("2026-01-05T11:00Z");
    enable(&rotation, false);
    rota.to("2026-01-05T12:00Z");
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(
        rotation.arrangements(MONDAY, "2026-01-06T00:00Z"),
        [
            "U4 2026-01-05T10:00Z 2026-01-05T12:00Z active 2",
            "U4 2026-01-05T20:00Z 2026-01-05T22:00Z cancelled 2",
        ]
    );
    assert_eq!(
        rotation.record().last().unwrap(),
        "2026-01-05T12:00Z - U1 removal-of-active-duty"
    );
}

#[test]
fn a_disabled_rotation_stays_frozen_over_a_restart() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T11:00Z");
    enable(&rotation, false);
    let (id, before) = (rotation.id.clone(), rotation.read());
    rota.stop();
    let rota = Start::default().db(&db).clock("2026-01-08T12:00Z").go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    assert_eq!(rotation.read()["onCall"], before["onCall"]);
    assert_eq!(rotation.read()["cells"], before["cells"]);
    enable(&rotation, true);
    assert_eq!(rotation.on_call(), "U1");
}

/// Arrangements within a turn, over several, adjacent, at hand-overs and openings, on two kinds of rotations.
fn busy(rota: &Rota) -> [String; 2] {
    let always_open = rota.daily("U1 U2 U3 U4", 2);
    let office = rota.rotation("U4 U3 U2 U1");
    office.cover(1, &[hours("UTC", &weekdays("08:00", "16:00"), daily())]);
    for rotation in [&always_open, &office] {
        rotation.patch(json!({ "doubleCover": true })).is(200);
        for (user, from, to) in [
            ("U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z"),
            ("U4", "2026-01-05T14:00Z", "2026-01-06T09:00Z"),
            ("U1", "2026-01-06T12:00Z", "2026-01-09T12:00Z"),
            ("U2", "2026-01-09T15:00Z", "2026-01-12T08:00Z"),
            ("U2", "2026-01-12T10:00Z", "2026-02-12T10:00Z"),
        ] {
            rotation.assign(0, user, from, to);
        }
        rotation.away("U2", "2026-01-07T00:00Z", "2026-01-08T00:00Z");
    }
    [always_open.id, office.id]
}

/// Everything visible of them at the end, without ids.
fn summary(rota: &Rota, ids: &[String]) -> Vec<Vec<String>> {
    let summary = |id: &String| {
        let rotation = Rot {
            by: rota.caller(),
            id: id.clone(),
        };
        let list = rotation.arrangements("2026-01-01T00:00Z", "2026-03-01T00:00Z");
        let turns = vec![rotation.holders(), rotation.next_turn().to_string()];
        [rotation.record(), rotation.duty(), list, turns].concat()
    };
    ids.iter().map(summary).collect()
}

#[test]
fn a_week_of_downtime_leaves_the_record_that_the_clock_would() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(4);
    let ids = busy(&rota);
    rota.to("2026-01-05T13:00Z");
    rota.stop();
    let end = "2026-01-13T12:00Z";
    let rota = Start::default().db(&db).clock(end).go();
    let found = summary(&rota, &ids);
    let stepped = Rota::with_people(4);
    let ids = busy(&stepped);
    while stepped.now().as_str() < end {
        stepped.advance(30 * MINUTE);
    }
    assert_eq!(found, summary(&stepped, &ids));
    assert!(found[0].len() > 20, "{found:#?}");
}
