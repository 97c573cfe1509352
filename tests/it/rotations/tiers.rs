//! Free and Pro: what requires Pro, and the effects of switching.

use crate::support::*;
use serde_json::{Value, json};

fn free(start: Start) -> Rota {
    let rota = start.env("ROTA_PLAN_NAME", "free").go();
    rota.people(20);
    rota
}

/// rules.md 13.1.
#[test]
fn free_has_one_lane_and_no_groups() {
    let rota = free(Start::default());
    rota.people_and_groups(20, &[("G1", "U1 U2")]);
    let by = rota.caller();
    let mut two = new_rotation("U1 U2");
    two["lanes"] = json!(2);
    by.try_create("k", two).refused(402, "payment_required");
    let mut grouped = new_rotation("U1");
    grouped["userGroupIds"] = json!(["G1"]);
    by.try_create("k", grouped).refused(402, "payment_required");
    // A refusal by the tier leaves the key unused.
    by.try_create("k", new_rotation("U1 U2")).is(201);
    let rotation = rota.rotation("U1 U2");
    let etag = rotation.etag();
    rotation
        .patch(json!({ "userGroupIds": ["G1"] }))
        .refused(402, "payment_required");
    rotation
        .put("/coverage", rotation.grid(2, &[always(daily())]))
        .refused(402, "payment_required");
    assert_eq!(rotation.etag(), etag);
    rotation.cover(1, &[always(daily()), always(daily())]);
}

#[test]
fn free_counts_rotations_and_people_once() {
    let rota = free(Start::default());
    let all: Vec<String> = (1..=16).map(|n| format!("U{n}")).collect();
    rota.try_create(new_rotation(&all.join(" ")))
        .refused(402, "payment_required");
    let first = rota.rotation(&all[..15].join(" "));
    rota.rotation("U1 U2");
    first
        .patch(json!({ "userIds": all }))
        .refused(402, "payment_required");
    rota.try_create(new_rotation("U16 U1"))
        .refused(402, "payment_required");
    let third = rota.rotation("U15");
    rota.try_create(new_rotation("U1"))
        .refused(402, "payment_required");
    rota.caller().delete_if(&third.path(""), "*").is(204);
    rota.rotation("U1");
    first.patch(json!({ "userIds": all[..14] })).is(200);
    rota.plan("pro");
    first.patch(json!({ "userIds": all })).is(200);
    for _ in 0..3 {
        rota.rotation("U17 U18 U19 U20");
    }
}

#[test]
fn quotas_are_settable() {
    let start = Start::default()
        .env("ROTA_PLAN_MAX_ROTATIONS", 1)
        .env("ROTA_PLAN_MAX_PEOPLE", 2);
    let rota = start.go();
    rota.people(3);
    rota.try_create(new_rotation("U1 U2 U3"))
        .refused(402, "payment_required");
    rota.rotation("U1 U2");
    rota.try_create(new_rotation("U1"))
        .refused(402, "payment_required");
}

/// rules.md 13.1 and 13.2.
#[test]
fn lanes_stop_on_free_and_run_again_on_pro() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    assert_eq!(rotation.holders(), "U1 U2");
    rota.plan("free");
    let now = rotation.read();
    let stopped: Vec<&Value> = places(&now).iter().map(|cell| &cell["stopped"]).collect();
    assert_eq!(stopped, [&json!(false), &json!(true)]);
    let numbers = ["runningLanes", "heldSeats", "openSeats"].map(|name| int(&now[name]));
    assert_eq!((numbers, &now["isGrid"]), ([1, 1, 0], &json!(false)));
    assert_eq!(
        (rotation.holders().as_str(), rotation.on_call().as_str()),
        ("U1 -", "U1")
    );
    rota.to("2026-01-06T09:00Z");
    assert_eq!(
        (rotation.holders().as_str(), rotation.next_turn()),
        ("U3 -", 3)
    );
    // Adding lanes is refused, keeping them is not.
    rotation
        .put("/coverage", rotation.grid(3, &[always(daily())]))
        .refused(402, "payment_required");
    rotation
        .put(
            "/coverage",
            rotation.grid(2, &[always(weekly("UTC", "2026-01-07T09:00"))]),
        )
        .is(200);
    rota.plan("pro");
    let now = rotation.read();
    assert_eq!([int(&now["runningLanes"]), int(&now["heldSeats"])], [2, 2]);
    assert_eq!(rotation.holders(), "U3 U4");
}
