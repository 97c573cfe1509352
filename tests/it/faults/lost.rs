//! The database's files are deleted, renamed or replaced while the server has them open: no further write is acknowledged,
//! and the server ends with an error.

use crate::cli::{fails_with, imported, key, on, succeeds};
use crate::faults::durability::rotation;
use crate::support::*;
use serde_json::json;
use std::fs::{remove_file, rename};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SCOPES: &str = "--scope read:rotations write:rotations read:oncall";

/// A database in a folder that can be renamed, and a key for it.
fn prepared() -> (TempDir, PathBuf, String) {
    let dir = TempDir::new();
    std::fs::create_dir(dir.join("data")).expect("a folder");
    let (made, db) = imported();
    let moved = dir.join("data").join("rota.db");
    std::fs::copy(&db, &moved).expect("a copy");
    drop(made);
    let key = key(&moved, SCOPES);
    (dir, moved, key)
}

fn renaming(id: &str, key: &str, name: &str) -> String {
    let body = json!({ "name": name }).to_string();
    format!(
        "PATCH /v1/rotations/{id} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\nIf-Match: *\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    )
}

struct Loss {
    /// The change of the folder `data`, and its reversal.
    act: fn(&Path),
    undo: fn(&Path),
    file: &'static str,
    word: &'static str,
}

const LOSSES: [Loss; 6] = [
    Loss {
        act: |data| remove_file(data.join("rota.db")).expect("the database"),
        undo: |_| {},
        file: "rota.db: the database file",
        word: "deleted or renamed",
    },
    Loss {
        act: |data| rename(data.join("rota.db"), data.join("away.db")).expect("a rename"),
        undo: |data| rename(data.join("away.db"), data.join("rota.db")).expect("a rename"),
        file: "rota.db: the database file",
        word: "deleted or renamed",
    },
    Loss {
        act: |data| {
            std::fs::write(data.join("new.db"), "another file").expect("a file");
            rename(data.join("new.db"), data.join("rota.db")).expect("a rename");
        },
        undo: |_| {},
        file: "rota.db: the database file",
        word: "replaced by another file",
    },
    Loss {
        act: |data| rename(data, data.with_extension("away")).expect("a rename"),
        undo: |data| rename(data.with_extension("away"), data).expect("a rename"),
        file: "rota.db: the database file",
        word: "deleted or renamed",
    },
    Loss {
        act: |data| remove_file(data.join("rota.db-wal")).expect("the log"),
        undo: |_| {},
        file: "rota.db-wal: the write-ahead log",
        word: "deleted or renamed",
    },
    Loss {
        act: |data| remove_file(data.join("rota.db-shm")).expect("the index"),
        undo: |_| {},
        file: "rota.db-shm: the index",
        word: "deleted or renamed",
    },
];

/// The process ends by itself soon, with one log line that says what happened.
#[track_caller]
fn ends(mut server: Rota, loss: &Loss, begun: Instant) {
    let (status, log) = server.process.ended();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{log}");
    let received = |line: &&str| line.contains("stopping the server");
    let lines: Vec<&str> = log.lines().filter(received).collect();
    assert_eq!(lines.len(), 1, "{log}");
    // A connection that opens meanwhile makes a new log and a new index.
    let is_made_anew = !loss.file.starts_with("rota.db:") && lines[0].contains("replaced");
    assert!(
        lines[0].contains(loss.file) && (lines[0].contains(loss.word) || is_made_anew),
        "{log}"
    );
    let last = log.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("rota: ") && last.contains(loss.file),
        "{log}"
    );
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn no_write_to_a_lost_file_is_acknowledged() {
    for loss in LOSSES {
        let (dir, db, key) = prepared();
        let mut command = on(&db, "serve --listen 127.0.0.1:0");
        command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
        let server = serve(command, &key);
        let id = server.rotation("U1 U2 U3").id;
        let mut connection = Connection::open(server.address());
        let mut patch = |name: &str| {
            let sent = connection.try_send(renaming(&id, &key, name));
            sent.ok().and_then(|()| connection.answer("PATCH"))
        };
        assert_eq!(patch("acknowledged").expect("an answer").status, 200);
        let begun = Instant::now();
        (loss.act)(&dir.join("data"));
        // The next write fails, and each one until the server has ended.
        while let Some(reply) = patch("lost") {
            let body = String::from_utf8_lossy(&reply.body);
            assert_eq!(reply.status, 503, "{}: {body}", loss.file);
            assert!(body.contains("storage_unavailable"), "{body}");
        }
        ends(server, &loss, begun);
        (loss.undo)(&dir.join("data"));
        if loss.word.starts_with("replaced") {
            let there = std::fs::read(&db).expect("the new file");
            assert_eq!(there, b"another file");
            continue;
        }
        if !db.exists() {
            continue;
        }
        // Every write that was acknowledged before is in the file once it is restored.
        succeeds(&db, "check");
        let again = serve(on(&db, "serve --listen 127.0.0.1:0"), &key);
        let shown = rotation(&again, &id).read();
        assert_eq!(shown["name"], "acknowledged", "{}", loss.file);
    }
}

/// Without writes, and with a frozen clock.
#[test]
fn a_lost_file_is_noticed_without_a_write() {
    for loss in LOSSES {
        let (dir, db, _) = prepared();
        let server = Start::default().db(&db).go();
        server.anyone().get("/healthz").is(200);
        let begun = Instant::now();
        (loss.act)(&dir.join("data"));
        ends(server, &loss, begun);
    }
}

/// Another database that replaces one in use, with its own log, is not changed.
#[test]
fn what_takes_the_place_of_a_served_file_stays_whole() {
    let (dir, db, _) = prepared();
    let data = dir.join("data");
    let server = Start::default().db(&db).go();
    server.anyone().get("/healthz").is(200);
    let (other, fresh) = imported();
    let theirs = rusqlite::Connection::open(&fresh).expect("the other database");
    theirs
        .execute_batch("PRAGMA journal_mode = WAL; UPDATE person SET display_name = 'in the log'")
        .expect("a write");
    let begun = Instant::now();
    rename(&data, dir.join("away")).expect("a rename");
    std::fs::create_dir(&data).expect("a folder");
    for suffix in ["", "-wal"] {
        let name = format!("rota.db{suffix}");
        std::fs::copy(other.join(&name), data.join(&name)).expect("a copy");
    }
    drop(theirs);
    let loss = Loss {
        word: "replaced by another file",
        ..LOSSES[0]
    };
    ends(server, &loss, begun);
    assert!(succeeds(&db, "directory export").contains("in the log"));
    succeeds(&dir.join("away").join("rota.db"), "check");
}

/// The files that a command reports must exist.
#[test]
fn a_command_that_loses_its_file_says_so() {
    let (dir, db, _) = prepared();
    let mut command = on(&db, "key create --name k --scope read:oncall");
    let (mut process, lines) = Process::spawn(command.env("ROTA_FAILPOINTS", "commit.begun=stop"));
    eventually("the command has stopped", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id()));
        stat.is_ok_and(|stat| stat.contains(") T "))
    });
    remove_file(dir.join("data").join("rota.db")).expect("the database");
    process.signal("CONT");
    let (status, errors) = process.ended();
    let output: String = lines.iter().collect();
    fails_with(
        (status.code().unwrap_or(-1), output.clone(), errors),
        &["rota.db", "deleted or renamed"],
    );
    assert_eq!(output, "");
}

/// The last writes of the server are still in the log of the missing file. A new database would truncate it, and a restored one
/// would use it as its own.
#[test]
fn the_log_of_a_lost_file_is_kept_apart() {
    let (dir, db, key) = prepared();
    let data = dir.join("data");
    succeeds(&db, "backup copy.db");
    let server = serve(on(&db, "serve --listen 127.0.0.1:0"), &key);
    let id = server.rotation("U1 U2 U3").id;
    rename(&db, data.join("away.db")).expect("a rename");
    let mut server = server;
    assert_eq!(server.process.ended().0.code(), Some(1));
    let log = std::fs::read(data.join("rota.db-wal")).expect("the log");
    assert!(!log.is_empty());
    for line in [
        "serve --listen 127.0.0.1:0",
        "key create --name k --scope read:oncall",
    ] {
        fails_with(run(&mut on(&db, line)), &["rota.db", "rota.db-wal"]);
        assert!(!db.exists(), "{line}");
        assert_eq!(std::fs::read(data.join("rota.db-wal")).expect("it"), log);
    }
    succeeds(&db, "restore copy.db");
    succeeds(&db, "check");
    let restored = serve(on(&db, "serve --listen 127.0.0.1:0"), &key);
    assert_eq!(rotation(&restored, &id).get("").status(), 404);
    assert_eq!(restored.stop().0.code(), Some(0));
    // Reassembled, the lost database is complete.
    let names = std::fs::read_dir(&data).expect("the folder");
    let names = names.map(|entry| entry.unwrap().path());
    let kept: Vec<PathBuf> = names
        .filter(|path| path.to_string_lossy().ends_with("-wal"))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    rename(&kept[0], data.join("away.db-wal")).expect("the log");
    let whole = serve(
        on(&data.join("away.db"), "serve --listen 127.0.0.1:0"),
        &key,
    );
    rotation(&whole, &id).get("").is(200);
}
