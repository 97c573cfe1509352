//! A write transaction: what an action may do in it, how it is undone, and what it signals once it is committed.

use super::{Error, Published, ReadTx, Result, SyncTarget};
use crate::domain::audit::AuditEntry;
use crate::domain::ids::RotationId;
use crate::runtime::transaction::TransactionGuard;
use jiff::Timestamp;
use rand::RngExt;
use rand::distr::Alphanumeric;
use rusqlite::Connection;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A write transaction. Actions take it and never begin or end one, so they compose.
pub struct WriteTx<'a> {
    pub(in crate::store) conn: &'a Connection,
    now: Timestamp,
    signals: &'a PendingSignals,
}

/// The signals that a batch has collected.
pub(super) struct PendingSignals {
    /// The earliest due instant of a rotation, in milliseconds.
    due: Cell<i64>,
    /// Whether a webhook delivery may be due.
    deliveries: Cell<bool>,
    /// Whether a chat message may be due.
    chat_messages: Cell<bool>,
    /// Whether a message may have to be sent on by mail or to an incoming webhook.
    relays: Cell<bool>,
    /// Whether a calendar of a person is to be read.
    calendars: Cell<bool>,
    /// Topics or groups that may have to be synced.
    chat_sync: RefCell<Vec<SyncTarget>>,
    /// Whether deliveries that were taken may no longer be sent unchanged.
    recalled: Cell<bool>,
    /// The rotation that changed last.
    changed: RefCell<Option<RotationId>>,
    /// Whether keys, tokens or people changed.
    credentials: Cell<bool>,
    /// What the log says of the job in hand, once it is committed.
    lines: RefCell<Vec<LogLine>>,
    /// Whether a job that did not fail changed anything.
    stored: Cell<bool>,
}

/// What the log says of a write once it is committed.
#[derive(Clone, Debug)]
pub enum LogLine {
    /// What changed.
    Audit(Box<AuditEntry>),
    /// Who is on call now; at level `warn` where nobody is who should be.
    Duty { warns: bool, text: String },
}

impl LogLine {
    /// Whether the log has lines about duty.
    pub fn tells_duty() -> bool {
        log::log_enabled!(target: "rota::duty", log::Level::Warn)
    }

    pub(super) fn write(&self) {
        match self {
            LogLine::Audit(entry) => log::info!(target: "rota::audit", "{entry}"),
            LogLine::Duty { warns: true, text } => log::warn!(target: "rota::duty", "{text}"),
            LogLine::Duty { text, .. } => log::info!(target: "rota::duty", "{text}"),
        }
    }
}

impl PendingSignals {
    pub(super) fn none() -> PendingSignals {
        PendingSignals {
            due: Cell::new(i64::MAX),
            deliveries: Cell::new(false),
            chat_messages: Cell::new(false),
            relays: Cell::new(false),
            calendars: Cell::new(false),
            chat_sync: RefCell::default(),
            recalled: Cell::new(false),
            changed: RefCell::default(),
            credentials: Cell::new(false),
            lines: RefCell::default(),
            stored: Cell::new(false),
        }
    }

    /// Notes that a job has changed something and did not fail.
    pub(super) fn note_stored(&self) {
        self.stored.set(true);
    }

    /// Whether the commit stores anything.
    pub(super) fn has_stored(&self) -> bool {
        self.stored.get()
    }

    /// Takes the lines noted since they were taken last.
    pub(super) fn take_lines(&self) -> Vec<LogLine> {
        self.lines.take()
    }

    /// The signals of the commit. `remembered` is whether it changed anything except the log of what was sent.
    pub(super) fn published(self, remembered: bool) -> Published {
        Published {
            remembered,
            due: self.due.get(),
            deliveries: self.deliveries.get(),
            chat_messages: self.chat_messages.get(),
            relays: self.relays.get(),
            calendars: self.calendars.get(),
            chat_sync: self.chat_sync.into_inner(),
            recalled: self.recalled.get(),
            changed: self.changed.into_inner(),
            credentials: self.credentials.get(),
        }
    }
}

impl WriteTx<'_> {
    /// The instant of this write. It is read once the write has its turn, and never runs backwards within a process.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A read view that includes this write's changes.
    pub fn as_read(&self) -> ReadTx<'_> {
        ReadTx { conn: self.conn }
    }

    /// Generates an id: the prefix and 120 random bits.
    pub fn mint(&mut self, prefix: &str) -> String {
        format!("{prefix}{}", random_letters(20))
    }

    /// Generates a secret of more than 250 random bits.
    pub fn mint_secret(&mut self) -> String {
        random_letters(43)
    }

    /// Generates a secret of 131 random bits, short enough to be typed.
    pub fn mint_short_secret(&mut self) -> String {
        random_letters(22)
    }

    /// Signals that a rotation has a new version.
    pub(in crate::store) fn note_changed(&self, rotation: &RotationId) {
        self.signals.changed.replace(Some(rotation.clone()));
    }

    /// Says this in the log, once the write is committed.
    pub fn log_once_stored(&self, line: LogLine) {
        self.signals.lines.borrow_mut().push(line);
    }

    /// Signals that keys, tokens or people changed.
    pub(in crate::store) fn note_credentials(&self) {
        self.signals.credentials.set(true);
    }

    /// Signals that deliveries that were taken may no longer be sent unchanged: an endpoint changed or a delivery was
    /// cancelled.
    pub(in crate::store) fn note_recalled(&self) {
        self.signals.recalled.set(true);
    }

    /// Generates an id of 32 hexadecimal digits: 128 random bits.
    pub fn mint_hexadecimal(&mut self) -> String {
        format!("{:032x}", rand::random::<u128>())
    }

    /// A random fraction, from 0 to 1.
    pub fn mint_share(&mut self) -> f64 {
        rand::random()
    }

    /// Runs a part whose changes alone are undone if it fails or panics.
    pub fn part<T, E: From<Error>>(
        &mut self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let turn = Turn {
            conn: self.conn,
            now: self.now,
            signals: self.signals,
            undo: Undo::Savepoint("part"),
        };
        let mut outcome = None;
        attempt(turn, Box::new(|tx| outcome.insert(act(tx)).is_ok()))?;
        outcome.unwrap_or_else(|| Err(Error::Stopped.into()))
    }

    /// Signals an instant that is stored as due to the timer.
    pub(in crate::store) fn note_due(&self, due: Option<Timestamp>) {
        let due = due.map_or(i64::MAX, Timestamp::as_millisecond);
        self.signals.due.set(self.signals.due.get().min(due));
    }

    /// Signals that a webhook delivery may be due.
    pub(in crate::store) fn note_deliveries(&self) {
        self.signals.deliveries.set(true);
    }

    /// Signals that a chat message may be due.
    pub(in crate::store) fn note_chat_messages(&self) {
        self.signals.chat_messages.set(true);
    }

    /// Signals that a message may have to be sent on.
    pub(in crate::store) fn note_relays(&self) {
        self.signals.relays.set(true);
    }

    /// Signals that a calendar of a person is to be read.
    pub(in crate::store) fn note_calendars(&self) {
        self.signals.calendars.set(true);
    }

    /// Signals that a topic or group may have to be synced.
    pub(in crate::store) fn note_chat_sync(&self, target: SyncTarget) {
        self.signals.chat_sync.borrow_mut().push(target);
    }
}

fn random_letters(count: usize) -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(count)
        .map(char::from)
        .collect()
}

/// The turn of a job on the storage thread.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) conn: &'a Connection,
    pub(super) now: Timestamp,
    pub(super) signals: &'a PendingSignals,
    pub(super) undo: Undo,
}

/// How the changes of a failed job are undone.
#[derive(Clone, Copy)]
pub(super) enum Undo {
    /// The job is the first of its batch: the transaction restarts, which costs nothing in advance.
    Transaction,
    /// Earlier jobs have written: a savepoint of this name undoes this job only.
    Savepoint(&'static str),
}

impl Undo {
    fn prepare(self, conn: &Connection) -> Result<()> {
        match self {
            Undo::Transaction => Ok(()),
            Undo::Savepoint(name) => run(conn, &format!("SAVEPOINT {name}")),
        }
    }

    fn finish(self, conn: &Connection, failed: bool) -> Result<()> {
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

impl Turn<'_> {
    /// Prepares for undoing. Returns the number of lines for the log so far.
    fn begin(&self) -> Result<usize> {
        // After a rollback by SQLite each further statement would be committed separately.
        if self.conn.is_autocommit() {
            return Err(Error::NotCommitted(
                "the transaction was rolled back".into(),
            ));
        }
        self.undo.prepare(self.conn)?;
        Ok(self.signals.lines.borrow().len())
    }

    /// Undoes what failed, and forgets its lines after the first `noted`.
    fn end(&self, failed: bool, noted: usize) -> Result<()> {
        if failed {
            self.signals.lines.borrow_mut().truncate(noted);
        }
        let finished = self.undo.finish(self.conn, failed);
        finished.map_err(|error| Error::NotCommitted(error.to_string()))
    }
}

/// The work of a job in its transaction. It keeps its outcome itself and returns whether it succeeded, so that what runs jobs is
/// compiled once rather than for each of over a hundred actions.
pub(super) type Act<'a> = Box<dyn FnOnce(&mut WriteTx) -> bool + 'a>;

/// Runs a job and returns whether it succeeded. A failure or a panic undoes its changes and no others.
///
/// # Errors
/// The job panicked, or its transaction has ended.
pub(super) fn attempt(turn: Turn, act: Act) -> Result<bool> {
    let noted = turn.begin()?;
    let _guard = TransactionGuard::enter();
    let Turn {
        conn, now, signals, ..
    } = turn;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        act(&mut WriteTx { conn, now, signals })
    }));
    let ended = turn.end(!matches!(outcome, Ok(true)), noted);
    // The first error is reported. If its changes could not be undone alone, the whole batch was.
    let succeeded = outcome.map_err(|panic| Error::Panicked(panic_text(&*panic)))?;
    if succeeded {
        ended?;
    }
    Ok(succeeded)
}

/// Runs a statement from the statement cache.
pub(super) fn run(conn: &Connection, sql: &str) -> Result<()> {
    Ok(conn.prepare_cached(sql)?.execute([]).map(drop)?)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}
