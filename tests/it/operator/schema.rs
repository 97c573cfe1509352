//! Databases whose tables differ from those of their version: each difference is reported, nothing is served, and no code in
//! the file is run.

use crate::cli::{fails_with, imported, on, succeeds};
use crate::operator::migrate::of_version_7;
use crate::support::*;
use rusqlite::Connection;
use std::path::Path;
use std::time::{Duration, Instant};

const SERVE: &str = "serve --listen 127.0.0.1:0";

/// An endless view whose rows look like those of `meta`.
const ENDLESS: &str = "AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 'fact' || x AS name, 'v' AS value FROM n";

fn change(db: &Path, sql: &str) {
    let conn = Connection::open(db).expect("the database");
    conn.execute_batch(sql).expect(sql);
}

/// Changes the text of an entry, as in a crafted file.
fn rewrite(name: &str, from: &str, to: &str) -> String {
    format!(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '{from}', '{to}') WHERE name = '{name}';"
    )
}

#[track_caller]
fn is_refused(db: &Path, sql: &str, words: &[&str]) {
    let dir = db.parent().expect("a folder");
    let (code, output, errors) = run(&mut on(db, "check"));
    assert_eq!(code, 1, "{sql}: {output}{errors}");
    for word in words {
        assert!(output.contains(word), "{sql}: {word}: {output}{errors}");
    }
    assert!(!errors.contains("nothing is wrong"), "{errors}");
    for line in [
        SERVE,
        "dev --listen 127.0.0.1:0",
        "key list",
        "directory export",
        "directory import people.json",
    ] {
        let tried = run(&mut on(db, line));
        assert_eq!(tried.0, 1, "{sql}: {line}: {}", tried.2);
        fails_with(tried, &["changed.db", words[0]]);
    }
    let mut restore = on(&dir.join("rota.db"), "restore");
    fails_with(run(restore.arg(db)), &["changed.db", words[0]]);
}

#[test]
fn other_tables_are_named_and_refused() {
    let (dir, db) = imported();
    let exported = succeeds(&db, "directory export");
    let view = |name: &str| format!("CREATE VIEW {name} {ENDLESS}");
    let rows: [(String, &[&str]); 14] = [
        ("DROP TABLE history".into(), &["table history is missing"]),
        (
            "DROP TABLE meta; DROP TABLE channel".into(),
            &["table channel is missing", "table meta is missing"],
        ),
        (
            "DROP INDEX person_by_email".into(),
            &["index person_by_email is missing"],
        ),
        (
            "ALTER TABLE person DROP COLUMN avatar_url".into(),
            &["table person has no column avatar_url"],
        ),
        (
            "ALTER TABLE person ADD COLUMN shoe_size TEXT".into(),
            &["column shoe_size of table person is not rota's"],
        ),
        (
            "ALTER TABLE channel RENAME COLUMN topic TO subject".into(),
            &["table channel has no column topic", "column subject"],
        ),
        (
            rewrite(
                "person",
                "is_guest INTEGER NOT NULL CHECK (is_guest IN (0, 1))",
                "is_guest INTEGER NOT NULL",
            ),
            &["table person is not defined as rota defines it"],
        ),
        (
            rewrite("person_by_name", "sort_name, id", "id, sort_name"),
            &["index person_by_name is not defined as rota defines it"],
        ),
        (
            "CREATE TRIGGER gone AFTER INSERT ON person BEGIN DELETE FROM meta; END".into(),
            &["trigger gone on person is not rota's"],
        ),
        (
            "CREATE TABLE mine (a)".into(),
            &["table mine is not rota's"],
        ),
        (
            "CREATE UNIQUE INDEX mine ON person (real_name)".into(),
            &["index mine on person is not rota's"],
        ),
        (
            "CREATE INDEX mine ON person (length(real_name))".into(),
            &["index mine on person is not rota's"],
        ),
        (view("endless"), &["view endless is not rota's"]),
        (
            format!("DROP TABLE meta; {}", view("meta")),
            &["table meta is missing", "view meta is not rota's"],
        ),
    ];
    for (sql, words) in rows {
        let changed = dir.join("changed.db");
        drop(std::fs::remove_file(&changed));
        succeeds(&db, "backup changed.db");
        change(&changed, &sql);
        is_refused(&changed, &sql, words);
    }
    assert_eq!(succeeds(&db, "directory export"), exported);
    let names = std::fs::read_dir(dir.path()).expect("the folder");
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.contains("replaced")));
}

/// The clock is read before anything else.
#[test]
fn nothing_is_read_from_an_endless_view() {
    let (_dir, db) = imported();
    change(&db, &format!("DROP TABLE meta; CREATE VIEW meta {ENDLESS}"));
    let line =
        "verify --secret svc_whsec_x --tolerance 5m Service-Timestamp:1 Service-Signature:v1=00";
    let begun = Instant::now();
    let (code, _, errors) = run(&mut on(&db, line));
    assert_eq!(code, 1, "{errors}");
    // A copy is still made: it may be the only one.
    let (code, _, errors) = run(&mut on(&db, "backup copy.db"));
    assert_eq!(code, 0, "{errors}");
    assert!(errors.contains("view meta is not rota's"), "{errors}");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_others_may_add_is_in_nobodys_way() {
    let (dir, db) = imported();
    change(
        &db,
        "CREATE INDEX mine ON person (real_name COLLATE NOCASE DESC, id);
         CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
         CREATE TABLE _litestream_lock (id INTEGER);
         ANALYZE;",
    );
    let (code, output, errors) = run(&mut on(&db, "check"));
    assert_eq!((code, output.as_str()), (0, ""), "{errors}");
    assert!(errors.contains("index mine on person"), "{errors}");
    assert!(errors.contains("nothing is wrong"), "{errors}");
    succeeds(&db, "backup copy.db");
    succeeds(&db, "restore copy.db");
    succeeds(&dir.join("copy.db"), "check");
    let server = serve(on(&db, SERVE), "");
    server.anyone().get("/healthz").is(200);
    assert_eq!(server.stop().0.code(), Some(0));
}

/// A file of an older version is compared with the tables of that version.
#[test]
fn an_older_database_has_the_tables_of_its_version() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    change(
        &db,
        "CREATE TRIGGER gone AFTER INSERT ON person BEGIN DELETE FROM meta; END",
    );
    for (line, code) in [("check", 1), ("key list", 1), (SERVE, 1)] {
        let tried = run(&mut on(&db, line));
        assert_eq!(tried.0, code, "{line}");
        let said = format!("{}{}", tried.1, tried.2);
        assert!(said.contains("trigger gone on person"), "{line}: {said}");
    }
    change(&db, "DROP TRIGGER gone; PRAGMA user_version = 8");
    let words = ["rota.db", "table agenda is missing"];
    fails_with(run(&mut on(&db, "key list")), &words);
    let (_, output, _) = run(&mut on(&db, "check"));
    assert!(output.contains("table audit is missing"), "{output}");
    for version in [-1, 0] {
        change(&db, &format!("PRAGMA user_version = {version}"));
        let words = format!("schema version {version} is unknown");
        fails_with(run(&mut on(&db, "key list")), &["rota.db", &words]);
    }
    change(&db, "PRAGMA user_version = 7");
    succeeds(&db, "key list");
    succeeds(&db, "check");
}

/// Names can be arbitrary and numerous.
#[test]
fn a_schema_that_is_large_is_told_in_short() {
    let (dir, db) = imported();
    let conn = Connection::open(&db).expect("the database");
    conn.execute_batch("BEGIN").expect("a transaction");
    for number in 0..3000 {
        let name = format!("v{number}\u{1b}[2J{}", "x".repeat(200));
        conn.execute_batch(&format!("CREATE VIEW \"{name}\" AS SELECT 1"))
            .expect("a view");
    }
    conn.execute_batch("COMMIT").expect("a commit");
    drop(conn);
    let begun = Instant::now();
    let (code, output, errors) = run(&mut on(&db, "check"));
    assert_eq!(code, 1, "{errors}");
    assert_eq!(output.lines().count(), 51, "{output}");
    assert!(output.contains("2950 more"), "{output}");
    assert!(
        !output.contains('\u{1b}') && output.len() < 10_000,
        "{output}"
    );
    let tried = run(&mut on(&db, SERVE));
    assert!(tried.2.len() < 1000, "{}", tried.2);
    fails_with(tried, &["rota.db", "and 50 more"]);
    assert!(begun.elapsed() < Duration::from_secs(20));
    drop(dir);
}
