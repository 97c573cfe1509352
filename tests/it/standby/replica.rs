//! `GET /v1/epoch`, `GET /v1/replica`, its scope, and event ids that are made of what the event is about.

use super::First;
use crate::cli::{fails_with, imported, key, on, succeeds};
use crate::support::*;
use rusqlite::Connection;
use serde_json::json;

#[test]
fn each_database_has_an_id_and_an_epoch() {
    let first = First::new();
    let epoch = first.rota.anyone().get("/v1/epoch").ok().json();
    assert_eq!(text(&epoch["databaseId"]).len(), 32, "{epoch}");
    assert_eq!(
        (&epoch["epoch"], text(&epoch["role"])),
        (&json!(1), "primary")
    );
    assert_eq!(text(&epoch["instance"]).len(), 32, "{epoch}");
    assert!(epoch["since"].is_string(), "{epoch}");
    let ready = first.rota.anyone().get("/readyz").ok().json();
    assert_eq!(
        (text(&ready["role"]), &ready["epoch"]),
        ("primary", &json!(1))
    );
    assert!(ready["copiedAt"].is_null());
    let again = first.rota.anyone().get("/v1/epoch").ok().json();
    assert_eq!(epoch, again);
}

#[test]
fn the_database_is_copied_whole() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let reader = first.rota.with(&first.replicate);
    let copy = reader.get("/v1/replica").ok();
    assert_eq!(copy.header("content-type"), Some("application/vnd.sqlite3"));
    assert_eq!(copy.header("rota-epoch"), Some("1"));
    let copied_at = copy
        .header("rota-copied-at")
        .expect("when it is from")
        .to_owned();
    assert!(copied_at.parse::<jiff::Timestamp>().is_ok(), "{copied_at}");
    let dir = TempDir::new();
    let db = dir.file("copy.db", &copy.reply.body);
    let conn = Connection::open(&db).expect("a database");
    let sound: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    let id: String = conn
        .query_row("SELECT id FROM rotation", [], |row| row.get(0))
        .unwrap();
    assert_eq!((sound.as_str(), &id), ("ok", &rotation.id));
    // What is current is not sent again, however often it is asked for.
    for _ in 0..5 {
        let unchanged = reader
            .request("GET", "/v1/replica")
            .header("If-None-Match", &copy.etag())
            .send()
            .is(304);
        assert!(unchanged.header("rota-copied-at").is_some() && unchanged.reply.body.is_empty());
        assert_eq!(unchanged.header("rota-epoch"), Some("1"));
    }
    // Another one is not made within two seconds.
    let limited = reader.get("/v1/replica");
    let wait = limited.header("retry-after").map(str::to_owned);
    limited.refused(429, "rate_limited");
    assert!(wait.is_some_and(|wait| ["1", "2", "3"].contains(&wait.as_str())));
    // After a commit the validator is another one.
    rotation.rotate();
    let changed = reader
        .request("GET", "/v1/replica")
        .header("If-None-Match", &copy.etag())
        .send();
    assert_ne!(changed.status(), 304);
    eventually("another copy", || reader.get("/v1/replica").status() == 200);
    // Copies of a key are in the audit log once an hour.
    let audit = first.rota.get("/v1/audit?action=getReplica").ok().json();
    assert_eq!(audit["data"].as_array().map(Vec::len), Some(1), "{audit}");
    let leftovers = std::fs::read_dir(first.db.parent().unwrap()).unwrap();
    let mut leftovers = leftovers.map(|entry| entry.unwrap().file_name());
    assert!(!leftovers.any(|name| name.to_string_lossy().contains("replica")));
}

#[test]
fn only_a_key_of_its_own_copies_the_database() {
    let (_dir, db) = imported();
    let first = super::primary(&db, &key(&db, super::SCOPES), |_| {});
    let rotation = first.daily("U1", 1).id;
    first.stop();
    let selected = format!("--scope replicate --rotation {rotation}");
    for (line, word) in [
        ("--scope replicate read:oncall", "alone"),
        (&selected, "leave them out"),
    ] {
        let failed = run(&mut on(&db, &format!("key create --name k {line}")));
        fails_with(failed, &[word]);
    }
    let replicate = key(&db, "--scope replicate");
    let rota = super::primary(&db, &replicate, |_| {});
    for path in ["/v1/rotations", "/v1/on-call", "/v1/users", "/v1/audit"] {
        let refused = rota.get(path);
        assert_eq!(refused.status(), 403, "{path}");
    }
    let dev = Rota::at(MONDAY);
    let body = json!({ "name": "k", "scopes": ["replicate"] });
    dev.post("/dev/keys", body).refused(400, "invalid_request");
    dev.get("/v1/replica").refused(403, "scope_denied");
    dev.people(1);
    dev.with(&dev.token("U1"))
        .get("/v1/replica")
        .refused(403, "scope_denied");
    dev.anyone()
        .get("/v1/replica")
        .refused(401, "missing_credential");
}

#[test]
fn the_higher_epoch_survives_a_restore() {
    let (dir, db) = imported();
    let copy = dir.join("copy.db");
    succeeds(&db, &format!("backup {}", copy.display()));
    let conn = Connection::open(&db).unwrap();
    conn.execute("UPDATE meta SET value = '5' WHERE name = 'epoch'", [])
        .unwrap();
    drop(conn);
    succeeds(&db, &format!("restore {}", copy.display()));
    let conn = Connection::open(&db).unwrap();
    let sql = "SELECT value FROM meta WHERE name = 'epoch'";
    let epoch: String = conn.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(epoch, "5");
}

/// Two servers that carry out the same hand-over of the same database announce it alike.
#[test]
fn a_hand_over_is_announced_with_the_same_id_by_whoever_makes_it() {
    let outlet = Outlet::new(Behavior::says(200));
    let base = "https://rota.example.org";
    let clock = "2026-11-23T08:00:00Z";
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default()
        .clock(clock)
        .env("ROTA_BASE_URL", base)
        .db(&db)
        .go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let hook = rota.hook_at(&format!("{}a", outlet.url()), "duty.changed");
    assert!(!hook.id.is_empty());
    let copy = dir.join("copy.db");
    succeeds(&db, &format!("backup {}", copy.display()));
    rota.to("2026-11-23T09:00Z");
    let other = Start::default()
        .clock(clock)
        .env("ROTA_BASE_URL", base)
        .db(&copy)
        .go();
    other.to("2026-11-23T09:00Z");
    eventually("both have announced it", || {
        outlet.posts_to("/a").len() == 2
    });
    let events = outlet.posts_to("/a");
    assert_eq!(events[0].body, events[1].body);
    let event = events[0].json();
    assert_eq!(text(&event["deliveryId"]).len(), 32);
    let due = "2026-11-23T09:00";
    assert!(text(&event["timestamp"]).starts_with(due), "{event}");
    assert!(text(&rotation.read()["updatedAt"]).starts_with(due));
}
