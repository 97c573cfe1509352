//! Removing what an arrangement depends on: its cell, its person, its lane, its rotation.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

const ALL: (&str, &str) = ("2026-01-01T00:00Z", "2026-02-01T00:00Z");

#[track_caller]
fn list(rotation: &Rot) -> Vec<String> {
    rotation.arrangements(ALL.0, ALL.1)
}

/// Four people with U4 arranged from 10:00 to 14:00 and again at 20:00, at 12:00.
fn arranged(rota: &Rota) -> (Rot<'_>, [Value; 2]) {
    let rotation = four(rota);
    let running = rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    let coming = rotation.assign(0, "U4", "2026-01-05T20:00Z", "2026-01-05T22:00Z");
    rota.to("2026-01-05T12:00Z");
    (rotation, [running, coming])
}

const ENDED_AND_CANCELLED: [&str; 2] = [
    "U4 2026-01-05T10:00Z 2026-01-05T12:00Z active 2",
    "U4 2026-01-05T20:00Z 2026-01-05T22:00Z cancelled 2",
];

/// rules.md 8.4.
#[test]
fn a_member_who_is_removed_loses_what_was_arranged() {
    let rota = Rota::with_people(4);
    let (rotation, records) = arranged(&rota);
    let others = rotation.assign(0, "U3", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(
        list(&rotation),
        [
            ENDED_AND_CANCELLED[0],
            &assignment_line(&others),
            ENDED_AND_CANCELLED[1]
        ]
    );
    for record in &records {
        rotation
            .try_end(&rotation.arrangement(&record["id"]))
            .refused(409, "arrangementChanged");
    }
    // Rejoining does not restore it.
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3", "U4"] }))
        .is(200);
    rota.to("2026-01-05T21:00Z");
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T10:00Z U1 coverage-changed",
            "2026-01-05T10:00Z 2026-01-05T12:00Z U4 explicit-change",
            "2026-01-05T12:00Z 2026-01-05T16:00Z U1 removal-of-active-duty",
            "2026-01-05T16:00Z 2026-01-05T17:00Z U3 explicit-change",
            "2026-01-05T17:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn a_person_who_is_deactivated_loses_it_too() {
    let rota = Rota::with_people(4);
    let (rotation, _) = arranged(&rota);
    let (_, receiver) = rota.hook(ALL_EVENTS);
    rota.people(3);
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(list(&rotation), ENDED_AND_CANCELLED);
    assert_eq!(
        rotation.record().last().unwrap(),
        "2026-01-05T12:00Z - U1 removal-of-active-duty"
    );
    assert_eq!(receiver.events(2), "rotation.updated duty.changed");
    assert_eq!(text(&receiver.bodies()[1]["cause"]), "manual");
    rota.people(4);
    rota.to("2026-01-05T21:00Z");
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn a_person_who_leaves_their_group_loses_it_too() {
    let rota = Rota::at(MONDAY);
    rota.people_and_groups(4, &[("G1", "U3 U4")]);
    let body = json!({
        "name": "G", "owners": ["U1"], "userIds": ["U1"], "userGroupIds": ["G1"],
    });
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    rotation.assign(0, "U4", MONDAY, "2026-01-05T14:00Z");
    rotation.assign(0, "U3", "2026-01-05T20:00Z", "2026-01-05T22:00Z");
    rota.to("2026-01-05T12:00Z");
    rota.people_and_groups(4, &[("G1", "U3")]);
    assert_eq!(rotation.on_call(), "U1");
    rota.to("2026-01-05T21:00Z");
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U4 explicit-change",
            "2026-01-05T12:00Z 2026-01-05T20:00Z U1 removal-of-active-duty",
            "2026-01-05T20:00Z - U3 explicit-change",
        ]
    );
}

#[test]
fn the_dealt_person_may_leave_beneath_an_arrangement() {
    let rota = Rota::with_people(4);
    let (rotation, records) = arranged(&rota);
    rotation
        .patch(json!({ "userIds": ["U2", "U3", "U4"] }))
        .is(200);
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        ("U4".into(), "U2".into())
    );
    assert_eq!(
        rotation.arrangement(&records[0]["id"])["revision"],
        json!(1)
    );
    rota.to("2026-01-05T15:00Z");
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T10:00Z 2026-01-05T14:00Z U4 explicit-change",
            "2026-01-05T14:00Z - U2 explicit-change",
        ]
    );
}

#[test]
fn a_roster_that_no_longer_names_the_person_leaves_it_standing() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("day");
    rotation.put("/coverage", grid).is(200);
    rotation.assign(0, "U4", MONDAY, "2026-01-05T14:00Z");
    rotation
        .put("/rosters/day", json!({ "userIds": ["U1", "U2"] }))
        .is(200);
    assert_eq!(rotation.on_call(), "U4");
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    assert_eq!(entry.get("turn"), None, "no place in the order");
}

#[test]
fn a_lane_that_is_dropped_takes_its_arrangements_along() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let running = rotation.assign(1, "U4", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    let coming = rotation.assign(1, "U3", "2026-01-05T20:00Z", "2026-01-05T22:00Z");
    let kept = rotation.assign(0, "U3", "2026-01-05T15:00Z", "2026-01-05T16:00Z");
    rota.to("2026-01-05T12:00Z");
    rotation.cover(1, &[always(daily())]);
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(
        list(&rotation),
        [
            "U4 2026-01-05T10:00Z 2026-01-05T12:00Z active 2",
            &assignment_line(&kept),
            "U3 2026-01-05T20:00Z 2026-01-05T22:00Z cancelled 2",
        ]
    );
    for old in [running, coming] {
        rotation
            .try_end(&rotation.arrangement(&old["id"]))
            .refused(409, "arrangementChanged");
    }
    // A new lane in its position is another cell.
    rotation.cover(2, &[always(daily())]);
    rota.to("2026-01-05T21:00Z");
    assert_eq!(rotation.on_call(), rotation.holders());
}

#[test]
fn a_cell_that_is_kept_keeps_its_arrangements() {
    let rota = Rota::with_people(4);
    let (rotation, _) = arranged(&rota);
    rotation.cover(2, &[hours("UTC", &weekdays("08:00", "23:00"), daily())]);
    assert_eq!(rotation.on_call(), "U4 U2");
    rota.to("2026-01-05T21:00Z");
    assert_eq!(rotation.on_call(), "U4 U2");
    let lines = list(&rotation);
    assert!(
        lines.iter().all(|line| line.ends_with("active 1")),
        "{lines:?}"
    );
}

#[test]
fn a_stopped_lane_keeps_what_is_arranged_for_when_it_runs_again() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    rotation.assign(1, "U4", "2026-01-05T10:00Z", "2026-01-05T20:00Z");
    rota.to("2026-01-05T12:00Z");
    assert_eq!(rotation.on_call(), "U1 U4");
    rota.plan("free");
    assert_eq!(rotation.on_call(), "U1");
    let now = rotation.read();
    assert_eq!([int(&now["heldSeats"]), int(&now["openSeats"])], [1, 0]);
    rota.to("2026-01-05T14:00Z");
    rota.plan("pro");
    assert_eq!(rotation.on_call(), "U1 U4");
    rota.to("2026-01-05T20:00Z");
    assert_eq!(rotation.on_call(), rotation.holders());
    rota.plan("free");
    rotation
        .try_assign(1, "U3", "2026-01-05T21:00Z", "2026-01-05T22:00Z")
        .refused(402, "payment_required");
    rotation.assign(0, "U3", "2026-01-05T21:00Z", "2026-01-05T22:00Z");
}

#[test]
fn an_arrangement_ends_on_a_stopped_lane_as_anywhere() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    rotation.assign(1, "U4", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T12:00Z");
    rota.plan("free");
    rota.to("2026-01-05T15:00Z");
    rota.plan("pro");
    assert_eq!(rotation.on_call(), rotation.holders());
    assert_eq!(
        list(&rotation),
        ["U4 2026-01-05T10:00Z 2026-01-05T14:00Z active 1"]
    );
}

#[test]
fn a_rotation_that_is_deleted_takes_everything_along() {
    let rota = Rota::with_people(4);
    let (rotation, records) = arranged(&rota);
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    for record in &records {
        rotation
            .get(&format!("/duty-arrangements/{}", text(&record["id"])))
            .refused(404, "");
        rotation.try_end(record).refused(404, "");
    }
    rotation
        .get("/duty-arrangements?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z")
        .refused(404, "");
    // The clock processes nothing of it any more.
    rota.to("2026-01-06T12:00Z");
    assert_eq!(four(&rota).on_call(), "U1");
}

#[test]
fn one_who_is_dealt_and_arranged_leaves_both() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let manual = rota.rotation("U1 U2");
    manual.put_on_call("U1").is(200);
    for rotation in [&rotation, &manual] {
        rotation.assign(0, "U1", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    }
    rota.to("2026-01-05T12:00Z");
    for (rotation, left) in [(&rotation, "U2"), (&manual, "-")] {
        let owners = json!({ "userIds": ["U2", "U3"] });
        rotation.patch(owners).is(200);
        assert_eq!(
            rotation.record()[1..],
            [
                "2026-01-05T10:00Z 2026-01-05T12:00Z U1 explicit-change".to_owned(),
                format!("2026-01-05T12:00Z - {left} removal-of-active-duty"),
            ]
        );
    }
}

#[test]
fn a_rotation_that_turns_manual_keeps_its_arrangements() {
    let rota = Rota::with_people(4);
    let (rotation, _) = arranged(&rota);
    let window = json!({ "cadence": { "type": "manual" } });
    rotation.cover(1, &[window]);
    assert_eq!(rotation.on_call(), "U4");
    for (now, on_call) in [
        ("2026-01-05T14:00Z", "U1"),
        ("2026-01-05T20:00Z", "U4"),
        ("2026-01-05T22:00Z", "U1"),
        ("2026-01-06T12:00Z", "U1"),
    ] {
        rota.to(now);
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
}

#[test]
fn a_window_that_is_dropped_takes_its_arrangements_along() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    rotation.cover(1, &[always(daily()), always(daily())]);
    rotation.assign(1, "U4", "2026-01-05T10:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T12:00Z");
    assert_eq!(rotation.on_call(), "U1 U4");
    let (_, receiver) = rota.hook(ALL_EVENTS);
    rotation.cover(1, &[always(daily())]);
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(list(&rotation), [ENDED_AND_CANCELLED[0]]);
    assert_eq!(receiver.events(2), "rotation.updated duty.changed");
    assert_eq!(text(&receiver.bodies()[1]["cause"]), "manual");
}
