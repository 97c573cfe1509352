//! Databases of an older version, before each window had a next turn of its own, with a rotation in the middle of a turn.

use crate::support::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn strings(conn: &Connection, sql: &str) -> Vec<String> {
    let mut query = conn.prepare(sql).expect(sql);
    let rows = query.query_map([], |row| row.get(0)).expect(sql);
    rows.map(|row| row.expect("a name")).collect()
}

/// The file of today's version as version 7 would have written it.
fn as_version_7(dir: &TempDir, today: &Path) -> PathBuf {
    let db = dir.join("old.db");
    let conn = Connection::open(&db).expect("a file");
    conn.execute_batch(include_str!("../../../src/store/steps/7.sql"))
        .expect("the schema");
    conn.execute("ATTACH ?1 AS today", [today.to_str().unwrap()])
        .expect("today's file");
    conn.execute_batch("BEGIN; PRAGMA defer_foreign_keys = ON;")
        .unwrap();
    for table in strings(
        &conn,
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    ) {
        // The common columns; columns that a later version moved are omitted.
        let columns = strings(
            &conn,
            &format!(
                "SELECT name FROM pragma_table_info('{table}', 'main')
                 INTERSECT SELECT name FROM pragma_table_info('{table}', 'today')"
            ),
        )
        .join(", ");
        // One next turn a roster, which today are one for each window.
        let (columns, values) = match table.as_str() {
            "roster" => (
                format!("{columns}, next_turn"),
                format!(
                    "{columns}, coalesce((SELECT value FROM json_each(next_turns) LIMIT 1), 0)"
                ),
            ),
            _ => (columns.clone(), columns),
        };
        let copy = format!(
            "DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {values} FROM today.{table};"
        );
        conn.execute_batch(&copy).expect(&copy);
    }
    conn.execute_batch(
        "COMMIT; PRAGMA application_id = 0x726f7461; PRAGMA user_version = 7; DETACH today;",
    )
    .expect("its version");
    db
}

/// Version 7 kept no keys.
fn without_keys(mut rotation: Value) -> Value {
    for list in ["lanes", "windows"] {
        let items = rotation[list].as_array_mut().expect("a list").iter_mut();
        items.for_each(|item| item["key"] = Value::Null);
    }
    rotation
}

#[test]
fn a_running_rotation_is_migrated_and_arranged() {
    let dir = TempDir::new();
    let today = dir.join("today.db");
    let rota = Start::default().db(&today).go();
    rota.people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    rota.to("2026-01-05T10:00Z");
    let (id, before, record) = (rotation.id.clone(), rotation.read(), rotation.record());
    rota.stop();
    let db = as_version_7(&dir, &today);
    let rota = Start::default().db(&db).clock("2026-01-05T10:00Z").go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    assert!(dir.join("old.db.schema-7").exists(), "copied beside itself");
    assert_eq!(rotation.read(), without_keys(before));
    assert_eq!(rotation.record(), record);
    assert!(
        rotation
            .arrangements("2026-01-01T00:00Z", "2026-02-01T00:00Z")
            .is_empty()
    );
    rotation.assign(0, "U4", "2026-01-05T12:00Z", "2026-01-06T08:00Z");
    rotation.assign(1, "U1", "2026-01-06T10:00Z", "2026-01-07T08:00Z");
    for (now, on_call) in [
        ("2026-01-05T11:59Z", "U1 U2"),
        ("2026-01-05T12:00Z", "U4 U2"),
        ("2026-01-06T08:00Z", "U1 U2"),
        ("2026-01-06T09:00Z", "U3 U4"),
        ("2026-01-06T10:00Z", "U3 U1"),
        ("2026-01-07T08:00Z", "U3 U4"),
    ] {
        rota.to(now);
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
}

#[test]
fn each_window_goes_on_from_the_next_turn_that_a_roster_had() {
    let dir = TempDir::new();
    let today = dir.join("today.db");
    let rota = Start::default().db(&today).go();
    rota.people(6);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    let mut grid = rotation.grid(2, &[always(daily()), always(daily())]);
    grid["cells"][1]["rosterId"] = json!("second");
    grid["cells"][3]["rosterId"] = json!("second");
    rotation.put("/coverage", grid).is(200);
    let (id, before) = (rotation.id.clone(), rotation.read());
    rota.stop();
    let db = as_version_7(&dir, &today);
    let conn = Connection::open(&db).expect("the file");
    conn.execute_batch("UPDATE roster SET next_turn = 3 + position")
        .expect("next turns");
    drop(conn);
    let rota = Start::default().db(&db).clock("2026-01-05T08:00Z").go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    let now = rotation.read();
    assert_eq!(rotation.holders(), "U1 U2 U4 U5");
    assert_eq!(now["windows"], without_keys(before)["windows"]);
    let windows = [0, 1].map(|window| now["windows"][window]["id"].clone());
    for (name, turn) in [(Value::Null, 3), (json!("second"), 4)] {
        let turns = windows
            .iter()
            .map(|window| json!({ "windowId": window, "nextTurn": turn }));
        let roster = roster(&now, &name);
        assert_eq!(roster["nextTurns"], turns.collect::<Value>());
        assert_eq!(roster["nextTurn"], turn);
    }
    rota.to("2026-01-06T09:00Z");
    // Lane by lane from the fourth and the fifth place; whoever holds one of the first window is passed over in the second.
    assert_eq!(rotation.holders(), "U4 U5 U6 U1");
}
