//! Kills while the file is copied, replaced or migrated: there is always a complete database at its path, and the next try
//! succeeds. Also full disks.

use super::world::World;
use crate::cli::{fails_with, imported, on, succeeds};
use crate::operator::migrate::{SCHEMA, content, copies, of_version_7};
use crate::support::*;
use std::path::Path;
use std::process::Command;

/// Runs a command that is killed at a failpoint.
#[track_caller]
fn killed(db: &Path, line: &str, faults: &str) {
    let mut command = on(db, line);
    let (code, _, errors) = run(command.env("ROTA_FAILPOINTS", faults));
    assert_eq!(code, -1, "{line} with {faults}: {errors}");
}

/// The number of people in the database, which must be servable and intact.
#[track_caller]
fn people(db: &Path) -> usize {
    succeeds(db, "check");
    let exported = succeeds(db, "directory export");
    let exported: serde_json::Value = serde_json::from_str(&exported).expect("JSON");
    let deleted = |user: &&serde_json::Value| user["isDeleted"] == false;
    exported["users"]
        .as_array()
        .expect("users")
        .iter()
        .filter(deleted)
        .count()
}

/// The names in a folder except those of the database and its logs.
fn beside(dir: &TempDir) -> Vec<String> {
    let names = std::fs::read_dir(dir.path()).expect("the folder");
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let own = [
        "rota.db",
        "rota.db-wal",
        "rota.db-shm",
        "rota.db.lock",
        "people.json",
        "fewer.json",
    ];
    let mut names: Vec<String> = names.filter(|name| !own.contains(&name.as_str())).collect();
    names.sort();
    names
}

#[test]
fn a_backup_that_is_killed_leaves_no_half_copy() {
    let (dir, db) = imported();
    for _ in 0..2 {
        killed(&db, "backup copy.db", "copy.made=kill");
        assert_eq!(beside(&dir), ["copy.db.unfinished"]);
        assert_eq!(people(&db), 3);
    }
    succeeds(&db, "backup copy.db");
    assert_eq!(beside(&dir), ["copy.db"]);
    assert_eq!(people(&dir.join("copy.db")), 3);
}

/// A job that takes longer than its interval.
#[test]
fn two_backups_to_one_name_do_not_spoil_one_another() {
    let (dir, db) = imported();
    let mut command = on(&db, "backup copy.db");
    let (mut first, _) = Process::spawn(command.env("ROTA_FAILPOINTS", "copy.made=hang"));
    // While SQLite writes the copy, its journal is beside it.
    let whole = || {
        let data = std::fs::metadata(dir.join("copy.db.unfinished"));
        data.is_ok_and(|data| data.len() > 0) && beside(&dir) == ["copy.db.unfinished"]
    };
    eventually("the first copy", whole);
    fails_with(
        run(&mut on(&db, "backup copy.db")),
        &["copy.db", "another copy to this name"],
    );
    assert_eq!(beside(&dir), ["copy.db.unfinished"]);
    first.signal("KILL");
    first.ended();
    succeeds(&db, "backup copy.db");
    assert_eq!(people(&dir.join("copy.db")), 3);
}

#[test]
fn a_restore_that_is_killed_leaves_one_or_the_other() {
    let (dir, db) = imported();
    succeeds(&db, "backup copy.db");
    dir.file("fewer.json", directory(1).to_string());
    succeeds(&db, "directory import fewer.json");
    for faults in [
        "copy.made=kill",
        "restore.linked=kill",
        "restore.aside=kill",
        "restore.aside=kill",
    ] {
        killed(&db, "restore copy.db", faults);
        assert_eq!(people(&db), 1, "{faults}");
        // It can be served in this state.
        let server = serve(on(&db, "serve --listen 127.0.0.1:0"), "");
        server.anyone().get("/healthz").is(200);
        assert_eq!(server.stop().0.code(), Some(0), "{faults}");
    }
    killed(&db, "restore copy.db", "restore.aside=kill");
    succeeds(&db, "restore copy.db");
    assert_eq!(people(&db), 3);
    // The replaced database is kept once; no other file is left.
    let left = beside(&dir);
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(
        left[0] == "copy.db" && left[1].starts_with("rota.db.replaced-"),
        "{left:?}"
    );
    assert_eq!(people(&dir.join(&left[1])), 1);
}

#[test]
fn a_migration_that_is_killed_is_made_again() {
    for (faults, version, left) in [
        ("copy.made=kill", 7, "rota.db.schema-7.migrating.unfinished"),
        ("migrate.copied=kill", 7, "rota.db.schema-7.migrating"),
        ("migrate.climbed=kill", 7, "rota.db.schema-7.migrating"),
        ("migrate.done=kill", SCHEMA, "rota.db.schema-7.migrating"),
    ] {
        let dir = TempDir::new();
        let db = of_version_7(&dir);
        // However often: the leftovers do not accumulate until the disk is full.
        let tries = if version == 7 { 3 } else { 1 };
        for _ in 0..tries {
            killed(&db, "directory export", faults);
            assert_eq!(content(&db), (version, 1), "{faults}");
            assert_eq!(copies(&dir), left, "{faults}");
        }
        assert!(succeeds(&db, "directory export").contains("ada@example.com"));
        assert_eq!(content(&db), (SCHEMA, 1), "{faults}");
        succeeds(&db, "check");
        assert_eq!(copies(&dir), "rota.db.schema-7", "{faults}");
        let copy = dir.join("rota.db.schema-7");
        assert_eq!(content(&copy), (7, 1), "{faults}");
    }
}

/// A command whose files cannot grow beyond this many blocks of 512 bytes, which simulates a full disk. `None` if the shell
/// cannot limit them.
fn narrow(db: &Path, line: &str, blocks: usize) -> Option<(i32, String, String)> {
    let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    let limited = |rest: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", &script, BINARY]).args(rest);
        command.current_dir(db.parent().expect("a folder"));
        command
    };
    let able = limited(&["--version"]).output();
    if !able.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let path = db.to_str().expect("a path");
    words.extend(["--db", path]);
    Some(run(&mut limited(&words)))
}

#[test]
fn a_backup_on_a_full_disk_says_so_and_leaves_nothing() {
    let world = World::new();
    for blocks in [100, 300, 500] {
        let Some(tried) = narrow(&world.db, "backup copy.db", blocks) else {
            return;
        };
        fails_with(tried, &["copy.db"]);
        assert!(!world.dir.join("copy.db").exists());
        assert!(!world.dir.join("copy.db.unfinished").exists(), "{blocks}");
    }
    succeeds(&world.db, "backup copy.db");
    succeeds(&world.dir.join("copy.db"), "check");
}

#[test]
fn a_migration_on_a_full_disk_changes_nothing() {
    let (mut failed, mut done) = (0, 0);
    for blocks in [0, 8, 64, 128, 256, 512, 2000] {
        let dir = TempDir::new();
        let db = of_version_7(&dir);
        let Some((code, output, errors)) = narrow(&db, "directory export", blocks) else {
            return;
        };
        if code == 0 {
            done += 1;
            assert_eq!(content(&db), (SCHEMA, 1), "{blocks}: {output}");
            continue;
        }
        failed += 1;
        fails_with((code, output, errors), &["rota.db"]);
        assert_eq!(content(&db), (7, 1), "{blocks}");
        assert_eq!(copies(&dir), "", "{blocks}");
        assert!(succeeds(&db, "directory export").contains("ada@example.com"));
        assert_eq!(content(&db), (SCHEMA, 1), "{blocks}");
    }
    assert!(failed > 1 && done > 0, "{failed} failed, {done} went well");
}

#[test]
fn a_fresh_start_on_a_full_disk_names_the_file() {
    for line in [
        "serve --listen 127.0.0.1:0",
        "dev --listen 127.0.0.1:0",
        "directory import people.json",
    ] {
        for blocks in [0, 1, 8, 16, 64, 128] {
            let dir = TempDir::new();
            dir.file("people.json", directory(3).to_string());
            let db = dir.join("rota.db");
            let Some(tried) = narrow(&db, line, blocks) else {
                return;
            };
            assert_eq!(tried.0, 1, "{line}, {blocks}: {}", tried.2);
            let errors = tried.2.clone();
            let last = errors.lines().last().unwrap_or_default();
            assert!(last.contains("rota.db"), "{line}, {blocks}: {errors}");
            fails_with(tried, &["rota.db"]);
        }
    }
}

/// The file exists and is full.
#[test]
fn a_command_on_a_full_disk_names_the_file() {
    let (dir, db) = imported();
    dir.file("many.json", directory(3000).to_string());
    for (line, blocks) in [
        ("directory import many.json", 64),
        ("directory import many.json", 200),
        ("key create --name k --scope read:oncall", 0),
        ("token create --user U1", 0),
    ] {
        let Some(tried) = narrow(&db, line, blocks) else {
            return;
        };
        assert_eq!((tried.0, tried.1.as_str()), (1, ""), "{line}: {}", tried.2);
        fails_with(tried, &["rota.db"]);
    }
    succeeds(&db, "check");
}
