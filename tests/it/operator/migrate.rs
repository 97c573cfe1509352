//! A database of an older version: copied, migrated, and served with its data.

use crate::cli::{fails_with, key, on, succeeds};
use crate::support::*;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// The schema that the program reads and writes.
pub const SCHEMA: i64 = 8;

/// A database created by version 7, with a person.
pub fn of_version_7(dir: &TempDir) -> PathBuf {
    let db = dir.join("rota.db");
    let conn = Connection::open(&db).expect("a file");
    conn.execute_batch(include_str!("../../../src/store/steps/7.sql"))
        .expect("the schema");
    conn.execute_batch(
        "PRAGMA application_id = 0x726f7461;
         PRAGMA user_version = 7;
         INSERT INTO meta VALUES ('team_id', 'T1');
         INSERT INTO person VALUES ('U1', 'T1', 'Ada', NULL, 'ada@example.com', 0, 0, 0, 0, NULL, NULL, 'ada');",
    )
    .expect("its content");
    db
}

/// The schema version of a file, and its number of people.
pub fn content(db: &Path) -> (i64, i64) {
    let conn = Connection::open(db).expect("a database");
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get(0)).expect(sql);
    (
        number("PRAGMA user_version"),
        number("SELECT count(*) FROM person"),
    )
}

/// The names beside the database that begin like a copy's.
pub fn copies(dir: &TempDir) -> String {
    let names = std::fs::read_dir(dir.path()).expect("the folder");
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".schema-"))
        .collect();
    names.sort();
    names.join(" ")
}

#[test]
fn an_old_database_is_copied_migrated_and_served() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    let mut server = serve(on(&db, "serve --listen 127.0.0.1:0"), "");
    server.key = key(&db, "--scope read:directory read:rotations");
    eventually("the key works", || server.get("/v1/users").status() == 200);
    let people = server.get("/v1/users").ok().json();
    assert_eq!(people["data"][0]["id"], "U1");
    assert_eq!(people["data"][0]["email"], "ada@example.com");
    assert_eq!(copies(&dir), "rota.db.schema-7");
    assert_eq!(content(&dir.join("rota.db.schema-7")), (7, 1));
    drop(server);
    assert_eq!(content(&db), (SCHEMA, 1));
    assert!(succeeds(&db, "directory export").contains("ada@example.com"));
    assert_eq!(
        copies(&dir),
        "rota.db.schema-7",
        "a further start copies nothing"
    );
}

#[test]
fn a_copy_that_is_there_is_kept_and_not_in_the_way() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    // Of another database, and of interrupted starts.
    dir.file("rota.db.schema-7", "an older copy");
    dir.file("rota.db.schema-7.3", "another one");
    dir.file("rota.db.schema-7.migrating", "a copy of a first try");
    dir.file("rota.db.schema-7.migrating.unfinished", "half a copy");
    succeeds(&db, "directory export");
    assert_eq!(
        copies(&dir),
        "rota.db.schema-7 rota.db.schema-7.2 rota.db.schema-7.3"
    );
    assert_eq!(content(&db), (SCHEMA, 1));
    assert_eq!(content(&dir.join("rota.db.schema-7.2")), (7, 1));
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("rota.db.schema-7"), "an older copy");
    assert_eq!(read("rota.db.schema-7.3"), "another one");
}

#[test]
fn a_migration_that_fails_leaves_everything_as_it_was() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    // Conflicts with a table of the next version.
    let conn = Connection::open(&db).expect("the database");
    conn.execute_batch("CREATE INDEX session ON person (real_name)")
        .expect("an index");
    drop(conn);
    for _ in 0..2 {
        let (code, _, errors) = run(&mut on(&db, "directory export"));
        assert_eq!(code, 1, "{errors}");
        assert!(
            errors.contains("rota.db") && errors.contains("session"),
            "{errors}"
        );
        assert_eq!(copies(&dir), "");
        assert_eq!(content(&db), (7, 1));
    }
}

/// Those of schemas that no release had.
#[test]
fn a_database_too_old_to_migrate_is_refused_with_what_to_do() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    for version in 1..7 {
        let conn = Connection::open(&db).expect("the database");
        let sql = format!("PRAGMA user_version = {version}");
        conn.execute_batch(&sql).expect("an older schema");
        drop(conn);
        let words = format!(
            "made by a development build (schema {version}, this one migrates from 7); move the file away"
        );
        for line in ["check", "directory export", "serve --listen 127.0.0.1:0"] {
            let (code, output, errors) = run(&mut on(&db, line));
            assert_eq!(code, 1, "{line}: {output}");
            assert!(
                errors.contains("rota.db") && errors.contains(&words),
                "{line}: {errors}"
            );
        }
        assert_eq!((copies(&dir).as_str(), content(&db)), ("", (version, 1)));
    }
}

/// What a newer version of the program would do: the number of the schema is all that an older server sees of it.
fn raise_schema(db: &Path) {
    let conn = Connection::open(db).expect("the database");
    let sql = format!("PRAGMA user_version = {}", SCHEMA + 1);
    conn.execute_batch(&sql).expect("a newer schema");
}

#[test]
fn a_command_does_not_migrate_under_a_server() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    // A server of the older version: it holds the lock, and has the file open.
    let mut lock = std::fs::File::create(dir.join("rota.db.lock")).expect("the lock");
    lock.lock().expect("nobody holds it");
    std::io::Write::write_all(&mut lock, b"process 7 at http://127.0.0.1:9").expect("a holder");
    for line in [
        "key list",
        "directory export",
        "token list",
        "audit",
        "login-link --user U1",
    ] {
        fails_with(
            run(&mut on(&db, line)),
            &[
                "rota.db is in use by another server: process 7 at http://127.0.0.1:9",
                "schema 7,",
            ],
        );
        assert_eq!(
            (copies(&dir).as_str(), content(&db)),
            ("", (7, 1)),
            "{line}"
        );
    }
    drop(lock);
    succeeds(&db, "key list");
    assert_eq!(content(&db), (SCHEMA, 1));
    assert_eq!(copies(&dir), "rota.db.schema-7");
    // The lock of the command is free again, and of the current version a command needs none.
    let server = serve(on(&db, "serve --listen 127.0.0.1:0"), "");
    succeeds(&db, "key list");
    drop(server);
}

#[test]
fn a_server_stops_when_a_newer_version_has_migrated_its_database() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    // The loop that looks for commits of others does not, so that the first to notice is the write.
    let start = Start::default().db(&db);
    let mut rota = start.env("ROTA_FAILPOINTS", "timer.look=hang@2").go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    raise_schema(&db);
    rotation
        .put_on_call("U1")
        .refused(503, "storage_unavailable");
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(1), "{log}");
    let line = format!(
        "rota.db: the database was migrated to schema {} while it was in use, and this rota knows {SCHEMA}; start the version",
        SCHEMA + 1
    );
    assert!(log.contains(&line), "{log}");
    let conn = Connection::open(&db).expect("the database");
    let sql = "SELECT count(*) FROM history WHERE user_id = 'U1'";
    let written: i64 = conn.query_row(sql, [], |row| row.get(0)).expect(sql);
    assert_eq!(written, 0);
    fails_with(run(&mut on(&db, "key list")), &["written by a newer rota"]);
}

/// Nobody writes: the loop that looks for commits of others sees it.
#[test]
fn an_idle_server_stops_within_a_second_as_well() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = Start::default().db(&db).go();
    raise_schema(&db);
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("was migrated to schema"), "{log}");
}
