//! Health and readiness.

use super::at_last;
use crate::support::*;
use rusqlite::Connection as Sqlite;
use serde_json::{Value, json};

#[test]
fn a_server_that_is_well_says_so() {
    let rota = Rota::with_people(3);
    let health = rota.anyone().get("/healthz").is(200).json();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(health, json!({ "status": "ok", "version": version }));
    let ready = || rota.anyone().get("/readyz").is(200).json();
    let now = ready();
    assert_eq!(now["status"], json!("ready"));
    // The clock is frozen, the threads run.
    assert_eq!(instant(&now["timer"]["lastTickAt"]), MONDAY);
    assert_eq!(instant(&now["delivery"]["lastLookAt"]), MONDAY);
    for part in ["timer", "delivery"] {
        let age = now[part]["ageSeconds"].as_f64().expect("an age");
        assert!((0.0..10.0).contains(&age), "{part}: {age}");
    }
    assert_eq!(now["delivery"]["pending"], json!(0));
    assert_eq!(now["delivery"]["oldestUndelivered"], Value::Null);
    let (hook, receiver) = rota.hook("duty.changed");
    receiver.answers(json!({ "status": 503 }));
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    rota.advance(HOUR);
    rotation.put_on_call("U2").is(200);
    rota.advance(DAY);
    let delivery = &ready()["delivery"];
    assert_eq!(delivery["pending"], json!(2));
    let first = hook.deliveries().pop().expect("a delivery");
    let expected = json!({
        "deliveryId": first["deliveryId"], "eventType": "duty.changed",
        "createdAt": first["createdAt"], "ageSeconds": (HOUR + DAY) as f64,
    });
    assert_eq!(delivery["oldestUndelivered"], expected);
}

#[test]
fn a_loop_that_hangs_makes_it_unready() {
    let rota = Start::default()
        .env(
            "ROTA_FAILPOINTS",
            "timer.look=hang@2 delivery.thread=hang@2",
        )
        .env("ROTA_FAULT_LATE", 4)
        .go();
    rota.anyone().get("/readyz").is(200);
    at_last("unready", || {
        let answer = rota.anyone().get("/readyz");
        if answer.status() == 200 {
            return false;
        }
        let problem = answer.refused(503, "not_ready");
        let detail = text(&problem["detail"]);
        detail.contains("timer: no progress for") && detail.contains("delivery: no progress for")
    });
    // It is alive, and responds.
    rota.anyone().get("/healthz").is(200);
    rota.metrics();
}

/// A timer that runs and always fails is as bad as one that hangs.
pub fn what_is_due_and_cannot_be_done_makes_it_unready() {
    let dir = TempDir::new();
    let (db, clock) = (dir.join("rota.db"), dir.file("clock", "0"));
    let rota = Start::default()
        .running_clock()
        .db(&db)
        .env("ROTA_FAULT_CLOCK", clock.display())
        .env("ROTA_FAULT_LATE", 2)
        .go();
    rota.people(2);
    let rotation = rota.daily("U1 U2", 1);
    let overdue = || rota.metrics().value("rota_timer_overdue_seconds");
    assert_eq!(overdue(), Some(0.0));
    let conn = Sqlite::open(&db).expect("the database");
    conn.execute_batch("BEGIN IMMEDIATE")
        .expect("the only writer");
    let before = rotation.on_call();
    std::fs::write(&clock, DAY.to_string()).expect("the clock");
    at_last("unready", || {
        let answer = rota.anyone().get("/readyz");
        answer.status() == 503 && text(&answer.json()["detail"]).contains("timer: failing for")
    });
    assert!(overdue().is_some_and(|seconds| seconds > 2.0));
    conn.execute_batch("ROLLBACK").expect("an end");
    at_last("the hand-over", || rotation.on_call() != before);
    at_last("ready", || rota.anyone().get("/readyz").status() == 200);
    assert_eq!(overdue(), Some(0.0));
}
