//! A database of the version before arrangements, with a rotation in the middle of a turn.

use crate::support::*;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// What the second version made of its tables.
const SCHEMA: [&str; 2] = [
    include_str!("../../../src/store/steps/1.sql"),
    include_str!("../../../src/store/steps/1-to-2.sql"),
];

fn strings(conn: &Connection, sql: &str) -> Vec<String> {
    let mut query = conn.prepare(sql).expect(sql);
    let rows = query.query_map([], |row| row.get(0)).expect(sql);
    rows.map(|row| row.expect("a name")).collect()
}

/// The file of today's version as the second version would have written it.
fn as_version_2(dir: &TempDir, today: &Path) -> PathBuf {
    let db = dir.join("old.db");
    let conn = Connection::open(&db).expect("a file");
    SCHEMA
        .iter()
        .for_each(|sql| conn.execute_batch(sql).expect("the schema"));
    conn.execute("ATTACH ?1 AS today", [today.to_str().unwrap()])
        .expect("today's file");
    conn.execute_batch("BEGIN; PRAGMA defer_foreign_keys = ON;")
        .unwrap();
    for table in strings(
        &conn,
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    ) {
        // Columns that both have; what a later version moved elsewhere is nothing here.
        let columns = strings(
            &conn,
            &format!(
                "SELECT name FROM pragma_table_info('{table}', 'main')
                 INTERSECT SELECT name FROM pragma_table_info('{table}', 'today')"
            ),
        )
        .join(", ");
        let copy = format!(
            "DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {columns} FROM today.{table};"
        );
        conn.execute_batch(&copy).expect(&copy);
    }
    conn.execute_batch(
        "COMMIT; PRAGMA application_id = 0x726f7461; PRAGMA user_version = 2; DETACH today;",
    )
    .expect("its version");
    db
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
    let db = as_version_2(&dir, &today);
    let rota = Start::default().db(&db).clock("2026-01-05T10:00Z").go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    assert!(dir.join("old.db.schema-2").exists(), "copied beside itself");
    assert_eq!(rotation.read(), before);
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
