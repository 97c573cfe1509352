//! A write in progress: what an action may do in it, how it is undone, and what it tells others once it is committed.

use super::{Fault, Published, ReadTx, SyncTarget};
use crate::domain::ids::RotationId;
use crate::runtime::transaction::TransactionGuard;
use jiff::Timestamp;
use rand::RngExt;
use rand::distr::Alphanumeric;
use rusqlite::Connection;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A write in progress. Actions take it and never begin or end one, so they compose.
pub struct WriteTx<'a> {
    pub(in crate::store) conn: &'a Connection,
    now: Timestamp,
    told: &'a Told,
}

/// What a batch stored that others wait for.
pub(super) struct Told {
    /// The earliest instant, in milliseconds, at which a rotation falls due.
    due: Cell<i64>,
    /// Whether a webhook delivery may be due.
    deliveries: Cell<bool>,
    /// Whether a chat message may be due.
    chat_messages: Cell<bool>,
    /// What may have to be updated in chat.
    chat_sync: RefCell<Vec<SyncTarget>>,
    /// Whether what was taken to be sent may not be sent any more as it is.
    recalled: Cell<bool>,
    /// The rotation that changed last.
    changed: RefCell<Option<RotationId>>,
    /// Whether keys, tokens or people changed.
    credentials: Cell<bool>,
}

impl Told {
    pub(super) fn nothing() -> Told {
        Told {
            due: Cell::new(i64::MAX),
            deliveries: Cell::new(false),
            chat_messages: Cell::new(false),
            chat_sync: RefCell::default(),
            recalled: Cell::new(false),
            changed: RefCell::default(),
            credentials: Cell::new(false),
        }
    }

    /// What the commit tells; `remembered` says whether it changed something but the log of what was sent.
    pub(super) fn published(self, remembered: bool) -> Published {
        Published {
            remembered,
            due: self.due.get(),
            deliveries: self.deliveries.get(),
            chat_messages: self.chat_messages.get(),
            chat_sync: self.chat_sync.into_inner(),
            recalled: self.recalled.get(),
            changed: self.changed.into_inner(),
            credentials: self.credentials.get(),
        }
    }
}

impl WriteTx<'_> {
    /// The instant of this write. Read after the write got its turn, it never runs backwards within a process.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The same rows for reading, this write's own changes included.
    pub fn as_read(&self) -> ReadTx<'_> {
        ReadTx { conn: self.conn }
    }

    /// A new id: the prefix and 120 random bits.
    pub fn mint(&mut self, prefix: &str) -> String {
        format!("{prefix}{}", random_letters(20))
    }

    /// A new secret of more than 250 random bits.
    pub fn mint_secret(&mut self) -> String {
        random_letters(43)
    }

    /// Notes that a rotation has a new version.
    pub(in crate::store) fn note_changed(&self, rotation: &RotationId) {
        self.told.changed.replace(Some(rotation.clone()));
    }

    /// Notes that keys, tokens or people changed.
    pub(in crate::store) fn note_credentials(&self) {
        self.told.credentials.set(true);
    }

    /// Notes that what was taken to be sent may not be sent any more as it is: an endpoint changed, a delivery was
    /// cancelled.
    pub(in crate::store) fn note_recalled(&self) {
        self.told.recalled.set(true);
    }

    /// A new id of 32 hexadecimal digits: 128 random bits.
    pub fn mint_hexadecimal(&mut self) -> String {
        format!("{:032x}", rand::random::<u128>())
    }

    /// A random share, from 0 to 1.
    pub fn mint_share(&mut self) -> f64 {
        rand::random()
    }

    /// Runs a part that is undone alone when it fails or panics.
    pub fn part<T, E: From<Fault>>(
        &mut self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let turn = Turn {
            conn: self.conn,
            now: self.now,
            told: self.told,
            undo: Undo::Savepoint("part"),
        };
        attempt(turn, act)
    }

    /// Notes an instant that is being stored as due, for the timer.
    pub(in crate::store) fn note_due(&self, due: Option<Timestamp>) {
        let due = due.map_or(i64::MAX, super::rows::millis);
        self.told.due.set(self.told.due.get().min(due));
    }

    /// Notes that a webhook delivery may be due.
    pub(in crate::store) fn note_deliveries(&self) {
        self.told.deliveries.set(true);
    }

    /// Notes that a chat message may be due.
    pub(in crate::store) fn note_chat_messages(&self) {
        self.told.chat_messages.set(true);
    }

    /// Notes that something of this kind may have to be updated in chat.
    pub(in crate::store) fn note_chat_sync(&self, target: SyncTarget) {
        self.told.chat_sync.borrow_mut().push(target);
    }
}

fn random_letters(count: usize) -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(count)
        .map(char::from)
        .collect()
}

/// A job's turn on the storage thread.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) conn: &'a Connection,
    pub(super) now: Timestamp,
    pub(super) told: &'a Told,
    pub(super) undo: Undo,
}

/// How what an act wrote is undone when it fails.
#[derive(Clone, Copy)]
pub(super) enum Undo {
    /// It is the first of its batch: the transaction begins anew. Nothing has to be kept for it.
    Transaction,
    /// Others have written before it: a savepoint of this name keeps what it takes to undo the act alone.
    Savepoint(&'static str),
}

impl Undo {
    fn prepare(self, conn: &Connection) -> Result<(), Fault> {
        match self {
            Undo::Transaction => Ok(()),
            Undo::Savepoint(name) => run(conn, &format!("SAVEPOINT {name}")),
        }
    }

    fn finish(self, conn: &Connection, failed: bool) -> Result<(), Fault> {
        match self {
            Undo::Transaction if failed => {
                run(conn, "ROLLBACK")?;
                run(conn, BEGIN)
            }
            Undo::Transaction => Ok(()),
            Undo::Savepoint(name) => {
                if failed {
                    run(conn, &format!("ROLLBACK TO {name}"))?;
                }
                run(conn, &format!("RELEASE {name}"))
            }
        }
    }
}

pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// Runs an act: an error or a panic undoes what it wrote and nothing else.
pub(super) fn attempt<T, E: From<Fault>>(
    Turn {
        conn,
        now,
        told,
        undo,
    }: Turn,
    act: impl FnOnce(&mut WriteTx) -> Result<T, E>,
) -> Result<T, E> {
    // A batch that SQLite has rolled back must not go on statement by statement, each committed by itself.
    if conn.is_autocommit() {
        return Err(Fault::NotCommitted("the transaction was rolled back".into()).into());
    }
    undo.prepare(conn)?;
    let _guard = TransactionGuard::enter();
    let outcome = catch_unwind(AssertUnwindSafe(|| act(&mut WriteTx { conn, now, told })));
    let outcome = outcome.unwrap_or_else(|panic| Err(Fault::Panicked(panic_text(&*panic)).into()));
    match (outcome.is_err(), undo.finish(conn, outcome.is_err())) {
        (false, Err(fault)) => Err(Fault::NotCommitted(fault.to_string()).into()),
        // What went wrong first is what is told; what could not be undone alone was undone with its batch.
        _ => outcome,
    }
}

/// Runs a statement that is run again and again.
pub(super) fn run(conn: &Connection, sql: &str) -> Result<(), Fault> {
    Ok(conn.prepare_cached(sql)?.execute([]).map(drop)?)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}
