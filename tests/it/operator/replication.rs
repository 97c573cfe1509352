//! Another program on the same file, such as Litestream: it holds a read transaction most of the time, checkpoints, has two
//! tables in the database, and copies the file and its log.

use crate::cli::{imported, key, on, succeeds};
use crate::faults::durability::rotation;
use crate::operator::migrate::{SCHEMA, content, copies, of_version_7};
use crate::support::*;
use rusqlite::{Connection, ErrorCode};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What Litestream does to a database, with its own statements.
struct Replicator {
    db: PathBuf,
    writes: Connection,
    /// In a read transaction, except while it checkpoints, so that no other process can restart the log.
    reads: Connection,
    /// Kept open: closing any descriptor on the file would release the locks of this process.
    file: File,
}

fn other_program(db: &Path) -> Connection {
    let conn = Connection::open(db).expect("the database");
    conn.busy_timeout(Duration::from_secs(1)).unwrap();
    conn.execute_batch("PRAGMA wal_autocheckpoint = 0").unwrap();
    conn
}

impl Replicator {
    fn attach(db: &Path) -> Replicator {
        let file = File::open(db).expect("the database");
        let writes = other_program(db);
        patiently(|| {
            writes.execute_batch(
                "PRAGMA journal_mode = wal;
                 CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
                 CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);",
            )
        });
        let replicator = Replicator {
            db: db.to_owned(),
            writes,
            reads: other_program(db),
            file,
        };
        replicator.hold_read_lock();
        replicator
    }

    fn hold_read_lock(&self) {
        self.reads
            .execute_batch("BEGIN; SELECT count(1) FROM _litestream_seq")
            .expect("a read");
    }

    /// Checkpoints, then writes a row so that the log has a frame.
    fn checkpoint(&self, mode: &str) {
        self.reads.execute_batch("ROLLBACK").expect("the read ends");
        eventually("a checkpoint", || {
            let sql = format!("PRAGMA wal_checkpoint({mode})");
            let busy: rusqlite::Result<bool> = self.writes.query_row(&sql, [], |row| row.get(0));
            // One that does not wait may be incomplete.
            !busy.expect("a checkpoint") || mode == "PASSIVE"
        });
        patiently(|| {
            self.writes.execute_batch(
                "INSERT INTO _litestream_seq (id, seq) VALUES (7, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1",
            )
        });
        self.hold_read_lock();
    }

    /// Blocks other writers meanwhile.
    fn while_nobody_writes<T>(&self, act: impl FnOnce() -> T) -> T {
        let lock = "BEGIN IMMEDIATE; INSERT INTO _litestream_lock (id) VALUES (1)";
        patiently(|| self.writes.execute_batch(lock));
        let outcome = act();
        self.writes.execute_batch("ROLLBACK").expect("a rollback");
        outcome
    }

    /// Copies the file and then the log; the log may repeat what the file already contains.
    fn copy(&self, target: &Path) {
        let mut copy = File::create(target).expect("a copy");
        let mut source = &self.file;
        std::io::Seek::rewind(&mut source).expect("the beginning");
        std::io::copy(&mut source, &mut copy).expect("the file");
        std::fs::copy(log_of(&self.db), log_of(target)).expect("the log");
    }
}

/// Retries while the file is locked, as Litestream does in its next cycle.
fn patiently(mut act: impl FnMut() -> rusqlite::Result<()>) {
    eventually("the file is free", || match act() {
        Ok(()) => true,
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => false,
        Err(error) => panic!("{error}"),
    });
}

fn log_of(db: &Path) -> PathBuf {
    let mut name = db.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

fn pages_in_log(db: &Path) -> u64 {
    let bytes = std::fs::metadata(log_of(db)).map_or(0, |data| data.len());
    bytes / (4096 + 24)
}

fn production(db: &Path, key: &str) -> Rota {
    let mut command = on(db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    serve(command, key)
}

/// A rotation, and the last number of an acknowledged write to it: its name.
struct Counted {
    id: String,
    acknowledged: AtomicU64,
}

impl Counted {
    fn write(&self, server: &Rota) {
        let next = self.acknowledged.load(Ordering::SeqCst) + 1;
        // Some pages per write, so that the log grows.
        let body = json!({ "name": next.to_string(), "description": "x".repeat(2000) });
        rotation(server, &self.id).patch(body).is(200);
        self.acknowledged.store(next, Ordering::SeqCst);
    }

    fn stored(&self, server: &Rota) -> u64 {
        let read = rotation(server, &self.id).read();
        text(&read["name"]).parse().expect("a number")
    }
}

fn counted(server: &Rota, how_many: usize) -> Vec<Counted> {
    let one = |_| Counted {
        id: server.rotation("U1 U2 U3").id,
        acknowledged: AtomicU64::new(0),
    };
    let all: Vec<Counted> = (0..how_many).map(one).collect();
    for one in &all {
        one.write(server);
    }
    all
}

/// Runs something while one thread per rotation writes. Every write must succeed.
fn beside_writers(server: &Rota, all: &[Counted], act: impl FnOnce()) {
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for one in all {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    one.write(server);
                }
            });
        }
        let _over = Over(&over);
        act();
    });
}

const SCOPES: &str = "--scope read:rotations write:rotations";

#[test]
fn writes_go_on_and_what_was_acknowledged_is_in_the_copy() {
    let (dir, db) = imported();
    let key = key(&db, SCOPES);
    let server = production(&db, &key);
    let all = counted(&server, 2);
    let replicator = Replicator::attach(&db);
    let copy = dir.join("copy.db");
    let written = || -> Vec<u64> {
        let numbers = all
            .iter()
            .map(|one| one.acknowledged.load(Ordering::SeqCst));
        numbers.collect()
    };
    let mut bounds = (vec![], vec![]);
    beside_writers(&server, &all, || {
        for mode in [
            "PASSIVE", "RESTART", "TRUNCATE", "PASSIVE", "TRUNCATE", "RESTART",
        ] {
            let before = written();
            eventually("some writes", || {
                written().iter().sum::<u64>() > before.iter().sum::<u64>() + 10
            });
            replicator.while_nobody_writes(|| ());
            replicator.checkpoint(mode);
        }
        // More than the server would let it grow to by itself.
        eventually("a long log", || pages_in_log(&db) > 1500);
        let before = written();
        replicator.copy(&copy);
        bounds = (before, written());
        succeeds(&db, "check");
        succeeds(&db, "backup backup.db");
        replicator.checkpoint("TRUNCATE");
        assert!(pages_in_log(&db) < 1500, "the log shrinks");
    });
    succeeds(&copy, "check");
    let second = production(&copy, &key);
    for (n, one) in all.iter().enumerate() {
        let stored = one.stored(&second);
        // One more may be stored and not yet acknowledged.
        let expected = bounds.0[n]..=bounds.1[n] + 1;
        assert!(expected.contains(&stored), "{stored} of {expected:?}");
        one.acknowledged.store(stored, Ordering::SeqCst);
        one.write(&second);
    }
    assert_eq!(second.stop().0.code(), Some(0));
    succeeds(&copy, "check");
    assert_eq!(server.stop().0.code(), Some(0));
    succeeds(&db, "check");
}

#[test]
fn a_write_waits_while_the_other_program_holds_the_lock() {
    let (_dir, db) = imported();
    let key = key(&db, SCOPES);
    let server = production(&db, &key);
    let all = counted(&server, 1);
    let replicator = Replicator::attach(&db);
    let name = json!({ "name": "waited" }).to_string();
    let mut waiting = crate::support::Connection::open(server.address());
    replicator.while_nobody_writes(|| {
        waiting.send(format!(
            "PATCH /v1/rotations/{} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\nIf-Match: *\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{name}",
            all[0].id,
            name.len(),
        ));
        // Reads never wait.
        assert_eq!(all[0].stored(&server), 1);
    });
    assert_eq!(waiting.answer("PATCH").expect("an answer").status, 200);
    assert_eq!(
        text(&rotation(&server, &all[0].id).read()["name"]),
        "waited"
    );
}

#[test]
fn what_it_keeps_in_the_database_is_in_nobody_s_way() {
    let (dir, db) = imported();
    let replicator = Replicator::attach(&db);
    replicator.checkpoint("TRUNCATE");
    succeeds(&db, "check");
    succeeds(&db, "backup copy.db");
    // It must be stopped before the file is replaced, because it would keep using the old one.
    let (code, _, errors) = run(&mut on(&db, "restore copy.db"));
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("in use by another program"), "{errors}");
    drop(replicator);
    succeeds(&db, "restore copy.db");
    succeeds(&db, "check");
    assert!(succeeds(&db, "directory export").contains("U3"));
    // The copy alone is a complete database, too.
    succeeds(&dir.join("new.db"), "restore copy.db");
    succeeds(&dir.join("new.db"), "check");
}

#[test]
fn a_database_is_migrated_beside_it() {
    let dir = TempDir::new();
    let db = of_version_7(&dir);
    let replicator = Replicator::attach(&db);
    replicator.checkpoint("PASSIVE");
    succeeds(&db, "directory export");
    replicator.checkpoint("TRUNCATE");
    succeeds(&db, "check");
    drop(replicator);
    assert_eq!(copies(&dir), "rota.db.schema-7");
    assert_eq!(content(&db), (SCHEMA, 1));
    assert_eq!(content(&dir.join("rota.db.schema-7")), (7, 1));
}

#[test]
fn it_may_be_at_a_new_file_first() {
    let dir = TempDir::new();
    let db = dir.file("rota.db", "");
    let _replicator = Replicator::attach(&db);
    let (code, _, errors) = run(&mut on(&db, "check"));
    assert!(code == 1 && errors.contains("1 found"), "{errors}");
    dir.file("people.json", directory(3).to_string());
    succeeds(&db, "directory import people.json");
    succeeds(&db, "check");
}
