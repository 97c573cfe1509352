//! Health and readiness.

use super::at_last;
use crate::cli::{imported, key, on};
use crate::faults::durability::cramped;
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
    assert_eq!(
        now["storage"],
        json!({ "lastReadAt": now["timer"]["lastTickAt"], "lastWriteAt": now["timer"]["lastTickAt"], "lastFailure": null })
    );
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

const STORAGE_WRITES: &str = "rota_storage_up{operation=\"write\"}";

/// The detail of an answer that the server is not ready; `None` if it is.
fn unready(rota: &Rota) -> Option<String> {
    let answer = rota.anyone().get("/readyz");
    if answer.status() == 200 {
        return None;
    }
    let problem = answer.refused(503, "not_ready");
    Some(text(&problem["detail"]).to_owned())
}

/// Nobody writes and nothing is due, so the server has to find out by itself.
pub fn a_locked_file_makes_it_unready_although_nobody_writes() {
    let (_dir, db) = imported();
    let mut command = on(&db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_FAULT_PROBE", "1");
    let rota = serve(command, &key(&db, "--scope read:oncall"));
    let conn = Sqlite::open(&db).expect("the database");
    let number = |sql: &str| -> i64 { conn.query_row(sql, [], |row| row.get(0)).expect(sql) };
    let versions = "SELECT (SELECT count(*) FROM audit) * 1000 + (SELECT coalesce(sum(version), 0) FROM rotation)";
    let before = number(versions);
    let probe = "SELECT count(DISTINCT value) FROM meta WHERE name = 'write_probe'";
    at_last("a write of its own", || number(probe) == 1);
    assert_eq!(unready(&rota), None);
    conn.execute_batch("BEGIN IMMEDIATE")
        .expect("the only writer");
    at_last("unready", || unready(&rota).is_some());
    let detail = unready(&rota).expect("still locked");
    assert!(
        detail.starts_with("storage: writes fail: another program has locked the database"),
        "{detail}"
    );
    assert_eq!(rota.metrics().value(STORAGE_WRITES), Some(0.0));
    let reads = "rota_storage_up{operation=\"read\"}";
    assert_eq!(rota.metrics().value(reads), Some(1.0));
    let (code, output, _) = run(&mut on(&db, "status"));
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("has locked the database"), "{output}");
    conn.execute_batch("ROLLBACK").expect("an end");
    at_last("ready", || unready(&rota).is_none());
    let ready = rota.anyone().get("/readyz").is(200).json();
    let last = &ready["storage"]["lastFailure"];
    assert_eq!(
        [text(&last["operation"]), text(&last["cause"])],
        ["write", "another program has locked the database"]
    );
    let page = rota.metrics();
    assert_eq!(page.value(STORAGE_WRITES), Some(1.0));
    assert!(page.value("rota_storage_failures_total{operation=\"write\"}") >= Some(1.0));
    let (code, output, errors) = run(&mut on(&db, "status"));
    assert_eq!(code, 0, "{output}{errors}");
    assert!(output.contains("\nlast fault  a write at 2"), "{output}");
    assert_eq!(number(versions), before, "no version, no audit entry");
    let log = rota.stop().1;
    assert_eq!(log.matches("storage: writes fail").count(), 1, "{log}");
    assert_eq!(
        log.matches("storage: writes work again").count(),
        1,
        "{log}"
    );
}

#[test]
fn a_full_disk_makes_it_unready_until_there_is_room() {
    let (_dir, db) = imported();
    let scopes = "--scope read:rotations write:rotations read:oncall";
    let Some(rota) = cramped(&db, &key(&db, scopes), &[]) else {
        return;
    };
    let rotation = rota.rotation("U1 U2");
    let write = || {
        let name = json!({ "name": unique("name") });
        rotation.patch(name).status()
    };
    while write() == 200 {}
    let detail = unready(&rota).expect("not ready");
    assert!(
        detail.contains("storage: writes fail: ") && detail.contains("limit on the size of files"),
        "{detail}"
    );
    assert_eq!(rota.metrics().value(STORAGE_WRITES), Some(0.0));
    let (code, output, _) = run(&mut on(&db, "status --json"));
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("limit on the size"), "{output}");
    // A request that changes nothing is no write.
    rotation.patch(json!({ "name": "" })).is(400);
    rotation.get("").is(200);
    assert!(unready(&rota).is_some());
    let conn = Sqlite::open(&db).expect("the database");
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    conn.query_row(checkpoint, [], |_| Ok(()))
        .expect("a checkpoint");
    at_last("ready", || unready(&rota).is_none());
    assert_eq!(write(), 200);
}
