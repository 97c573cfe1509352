//! A small workspace for the tests of this module, on a clock that the test moves while the server runs.

use crate::support::*;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

/// When the workspace is created: a Monday, six days before the start of daylight saving time in New York.
pub const MADE: &str = "2026-03-02T08:00Z";

/// Clients that write, each to its own rotation.
pub const CLIENTS: usize = 4;

/// The system clock with an offset, as seen by the server.
pub struct SteppedClock {
    file: PathBuf,
    seconds: Mutex<i64>,
    latest: Mutex<Timestamp>,
}

impl SteppedClock {
    /// A clock that shows this instant now.
    pub fn showing(dir: &Path, instant: &str) -> SteppedClock {
        let clock = SteppedClock {
            file: dir.join("clock"),
            seconds: Mutex::default(),
            latest: Mutex::new(at(instant)),
        };
        clock.to(instant);
        clock
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::now() + jiff::SignedDuration::from_secs(*self.seconds.lock().unwrap())
    }

    /// The latest instant that it has shown.
    pub fn latest(&self) -> Timestamp {
        self.now().max(*self.latest.lock().unwrap())
    }

    /// Steps to an instant, or to within a second after it.
    pub fn to(&self, instant: &str) {
        let off = at(instant).duration_since(Timestamp::now());
        self.set(off.as_secs_f64().ceil() as i64);
    }

    pub fn step(&self, seconds: i64) {
        let now = *self.seconds.lock().unwrap();
        self.set(now + seconds);
    }

    fn set(&self, seconds: i64) {
        if self.file.exists() {
            let latest = self.latest();
            *self.latest.lock().unwrap() = latest;
        }
        // Atomically: half a number would be another time.
        let new = self.file.with_extension("new");
        std::fs::write(&new, seconds.to_string()).expect("the clock's file");
        std::fs::rename(&new, &self.file).expect("the clock's file");
        *self.seconds.lock().unwrap() = seconds;
    }

    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// The content of the workspace when a test begins.
pub struct Base {
    database: Vec<u8>,
    pub key: String,
    /// The tokens of U1 and U2.
    pub tokens: [String; 2],
    /// One per client, all handed over daily at 09:00 UTC; chat shows the first one.
    pub rotations: Vec<String>,
    /// A rotation that no client writes to.
    pub idle: String,
    /// The body that moves a client's hand-over to another time.
    pub grids: Vec<Value>,
    pub cells: Vec<String>,
}

/// The workspace, created once.
pub fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(make)
}

fn make() -> Base {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let clock = SteppedClock::showing(dir.path(), MADE);
    let rota = start(&db, &clock, "").go();
    rota.import_with(4, &[("G1", "U4")], &[("C2", "Old topic")]);
    let daily = || {
        cadence(
            "daily",
            "UTC",
            "2026-03-01T09:00",
            json!({ "times": ["09:00"] }),
        )
    };
    let rotations: Vec<Rot> = (0..CLIENTS)
        .map(|_| {
            let rotation = rota.rotation("U1 U2 U3");
            rotation.cover(1, &[always(daily())]);
            rotation
        })
        .collect();
    rotations[0].posts_in("C1");
    rotations[0].tells_in("C2");
    rotations[0].bind("G1");
    let idle = rota.rotation("U1 U2 U3");
    idle.cover(2, &[always(daily())]);
    let scopes =
        "read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks";
    let (key, tokens) = (rota.key(scopes), ["U1", "U2"].map(|user| rota.token(user)));
    let grids = rotations.iter().map(|r| r.grid(1, &[always(daily())]));
    let base = Base {
        grids: grids.collect(),
        cells: rotations.iter().map(|r| r.cell_id(0)).collect(),
        rotations: rotations.iter().map(|r| r.id.clone()).collect(),
        idle: idle.id.clone(),
        key,
        tokens,
        database: Vec::new(),
    };
    // Last, so that nothing is sent yet.
    for (name, events) in [("a", ALL_EVENTS), ("b", "duty.changed")] {
        rota.hook_at(&format!("http://127.0.0.1:1/{name}"), events);
    }
    assert_eq!(rota.stop().0.code(), Some(0));
    // Checkpoints the log into the file.
    let conn = rusqlite::Connection::open(&db).expect("the database");
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    conn.query_row(checkpoint, [], |_| Ok(()))
        .expect("a checkpoint");
    drop(conn);
    let database = std::fs::read(&db).expect("the database");
    Base { database, ..base }
}

/// The start of a server on a stepped clock with these faults.
fn start(db: &Path, clock: &SteppedClock, faults: &str) -> Start {
    let start = Start::default().running_clock().db(db);
    let start = start.env("ROTA_FAULT_CLOCK", clock.file().display());
    let start = start.env("ROTA_CHAT_REMINDER_BEFORE", "0s");
    start.env("ROTA_FAILPOINTS", faults)
}

/// A copy of the workspace, ten minutes later, with receivers.
pub struct World {
    pub dir: TempDir,
    pub db: PathBuf,
    pub clock: SteppedClock,
    pub outlet: Outlet,
    pub base: &'static Base,
    /// The versions of the rotations at the start.
    pub first: BTreeMap<String, i64>,
    /// Hand-overs posted in C1 before.
    pub said: usize,
}

impl World {
    pub fn new() -> World {
        let (dir, base) = (TempDir::new(), base());
        let db = dir.file("rota.db", &base.database);
        let clock = SteppedClock::showing(dir.path(), &plus(MADE, 10 * MINUTE));
        let outlet = Outlet::new(Behavior::says(200));
        let conn = rusqlite::Connection::open(&db).expect("the database");
        let sql = "UPDATE webhook SET url = replace(url, ':1/', ?)";
        conn.execute(sql, [format!(":{}/", outlet.port)])
            .expect("a receiver");
        drop(conn);
        let mut world = World {
            dir,
            db,
            clock,
            outlet,
            base,
            first: BTreeMap::new(),
            said: 0,
        };
        world.first = world.versions();
        let sql = "SELECT count(*) FROM message WHERE recipient_id = 'C1'";
        world.said = world.number(sql) as usize;
        world
    }

    /// The version of each rotation.
    pub fn versions(&self) -> BTreeMap<String, i64> {
        let conn = self.opened();
        let mut query = conn
            .prepare("SELECT id, version FROM rotation")
            .expect("a query");
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    }

    pub fn start(&self, faults: &str) -> Start {
        start(&self.db, &self.clock, faults)
    }

    /// A running server; its key does not change.
    #[track_caller]
    pub fn go(&self, faults: &str) -> Rota {
        self.keyed(self.start(faults).go())
    }

    /// The same, or `None` if a fault ended it first.
    #[track_caller]
    pub fn attempt(&self, faults: &str) -> Option<Rota> {
        let rota = self.start(faults).attempt().map_err(|(status, log)| {
            assert_eq!(status.code(), None, "killed: {log}");
        });
        rota.ok().map(|rota| self.keyed(rota))
    }

    fn keyed(&self, mut rota: Rota) -> Rota {
        rota.key.clone_from(&self.base.key);
        rota
    }

    /// The production server on the same clock.
    pub fn command(&self, line: &str) -> Command {
        let mut command = crate::cli::on(&self.db, line);
        command.env("ROTA_FAULT_CLOCK", self.clock.file());
        command.env("ROTA_CHAT_REMINDER_BEFORE", "0s");
        command
    }

    /// A number from the database.
    #[track_caller]
    pub fn number(&self, sql: &str) -> i64 {
        let conn = self.opened();
        conn.query_row(sql, [], |row| row.get(0)).expect(sql)
    }

    /// The database as another process opens it.
    #[track_caller]
    pub fn opened(&self) -> rusqlite::Connection {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
        let conn = rusqlite::Connection::open_with_flags(&self.db, flags).expect("the database");
        conn.busy_timeout(std::time::Duration::from_secs(30))
            .expect("a time-out");
        conn
    }

    /// The ids of all deliveries; all must be delivered.
    pub fn delivered(&self) -> Vec<String> {
        let conn = self.opened();
        let mut query = conn
            .prepare("SELECT id, state FROM delivery")
            .expect("a query");
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)));
        let row = |row: rusqlite::Result<(String, String)>| {
            let (id, state) = row.expect("a row");
            assert_eq!(state, "delivered", "{id}");
            id
        };
        rows.expect("rows").map(row).collect()
    }

    /// Whether everything due by now is processed.
    pub fn is_settled(&self) -> bool {
        let now = self.clock.now().as_millisecond();
        self.number(&format!(
            "SELECT count(*) FROM rotation WHERE next_due_at <= {now}"
        )) == 0
    }

    /// Waits until the timer has checked the clock: it corrects instants that are stored as due and are not.
    #[track_caller]
    pub fn is_looked_at(&self) {
        let idle = &self.base.idle;
        let sql = format!("UPDATE rotation SET next_due_at = 0 WHERE id = '{idle}'");
        self.opened().execute_batch(&sql).expect("a wrong instant");
        let sql = format!("SELECT next_due_at FROM rotation WHERE id = '{idle}'");
        eventually("a look", || self.number(&sql) > 0);
    }

    /// Waits until everything due is processed, sent and posted.
    #[track_caller]
    pub fn settles(&self) {
        eventually("what is due is done", || self.is_settled());
        for table in ["delivery", "message"] {
            let sql = format!("SELECT count(*) FROM {table} WHERE state = 'pending'");
            eventually(table, || self.number(&sql) == 0);
        }
    }
}
