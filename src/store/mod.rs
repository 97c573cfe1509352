//! One SQLite file: opening it, reading it, writing it. Every line of SQL of the program is in this folder.
//!
//! Reads come from a small pool of read-only connections, each in a transaction of its own. Writes are jobs for one
//! thread with one connection: a savepoint a job, one commit a drained batch, answers after the commit. So writers
//! share the cost of reaching the disk, and nobody is told of a write that could still be lost.

mod absence;
mod arrangement;
mod census;
mod chat_sync;
mod copy;
mod delivery;
mod directory;
mod files;
mod finding;
mod held;
mod history;
mod inbound;
mod keys;
mod lock;
mod mention;
mod message;
mod meta;
mod migrate;
mod operation;
mod paths;
mod progress;
mod request;
mod rotation;
mod rows;
mod schema;
mod sending;
mod shapes;
mod signals;
mod sync_target;
mod tx;
mod version;
mod webhook;
mod writer;

pub use absence::{
    insert_absence, list_absences, list_rotations_of, load_absence, load_absences, remove_absence,
    same_absence,
};
pub use arrangement::{
    cancel_arrangement, insert_arrangement, list_arrangements, list_overlaps, load_arrangement,
};
pub use census::{
    database_bytes, list_open_places, list_rotation_names, load_queue, nobody_since,
    schema_version, sqlite_version,
};
pub use chat_sync::*;
pub use copy::{Inspection, check_database, copy_database, replace_database};
pub use delivery::{
    DeliveryFilter, DeliveryRecord, insert_event, list_attempts, list_deliveries, load_delivery,
};
pub use directory::*;
pub use files::{REPLACED, are_same_file, refuse_planted_links};
pub use finding::{
    CreationKey, RotationFilter, RotationOrder, code_holder, count_rotations, insert_creation_key,
    last_changed_rotation, list_cadences, list_due, list_due_reminders, list_many_laned,
    list_people_in_rotations, list_people_of_group, list_rotation_ids, list_rotations,
    list_rotations_following, load_creation_key, next_due, next_reminder,
};
pub use history::{
    HistoryEntry, begin_entries, end_entry, list_broken_chains, list_history, list_pieces,
};
pub use inbound::{InboundWebhook, load_inbound, load_inbound_by_path, save_inbound};
pub use keys::*;
pub use lock::Lock;
pub use mention::*;
pub use message::*;
pub use meta::{count_imports, load_fact, load_team, save_fact, save_team};
pub use migrate::create_file;
pub use operation::{
    OperationRecord, any_old_operation, clear_operations, insert_operation, load_operation,
};
pub use paths::folder_of;
pub use request::{RequestPosition, insert_request, list_requests, load_request, save_request};
pub use rotation::{
    MemberLists, insert_rotation, load_members, load_rotation, load_stamps, remove_rotation,
    save_due, save_members, save_reminder, save_rotation,
};
pub use schema::Differences;
pub use sending::*;
pub use signals::CommitSignals;
use signals::Published;
pub use sync_target::SyncTarget;
pub use tx::WriteTx;
pub use webhook::*;
use writer::Safety;

use crate::domain::refusal::Refusal;
use crate::runtime::clock::Clock;
use crate::runtime::heartbeat::Heartbeat;
use crate::runtime::transaction::TransactionGuard;
use held::Held;
use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A fault of ours or of the machine's: logged, and answered without a word of the inside.
#[derive(Debug)]
pub enum Fault {
    /// SQLite could not do it.
    Storage(rusqlite::Error),
    /// The file says what it must not say.
    Corrupt(String),
    /// The commit that this write was part of did not reach the disk: nothing of it is stored.
    NotCommitted(String),
    /// The file that is open is no longer the one at its path.
    Lost(String),
    /// The storage thread is gone or the program is stopping.
    Stopped,
    /// The job panicked; its savepoint was rolled back.
    Panicked(String),
}

impl Fault {
    /// Whether a page of the file is damaged. SQLite then commits nothing more of the transaction that met it.
    pub fn is_damage(&self) -> bool {
        matches!(self, Fault::Storage(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt))
    }

    /// Whether the storage, not the program, is to blame: a full disk, a read-only, locked or damaged file.
    pub fn is_unavailable(&self) -> bool {
        use rusqlite::ErrorCode as Code;
        match self {
            Fault::NotCommitted(_) | Fault::Lost(_) | Fault::Stopped => true,
            Fault::Storage(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    Code::DiskFull
                        | Code::ReadOnly
                        | Code::SystemIoFailure
                        | Code::DatabaseBusy
                        | Code::DatabaseLocked
                        | Code::DatabaseCorrupt
                        | Code::NotADatabase
                        | Code::CannotOpen
                        | Code::PermissionDenied
                )
            ),
            Fault::Corrupt(_) | Fault::Panicked(_) => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Storage(error) => {
                write!(f, "storage: {error}")?;
                match self.is_damage() {
                    true => f.write_str(
                        "; `rota check` names what is damaged, `rota restore` puts a copy in its place",
                    ),
                    false => Ok(()),
                }
            }
            Fault::Corrupt(what) => write!(f, "unreadable record: {what}"),
            Fault::NotCommitted(why) => write!(f, "storage: not committed: {why}"),
            Fault::Lost(why) => write!(f, "storage: {why}"),
            Fault::Stopped => f.write_str("storage: stopped"),
            Fault::Panicked(what) => write!(f, "a write panicked: {what}"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Storage(error)
    }
}

/// Why an action did not happen: theirs or ours.
#[derive(Debug)]
pub enum Stop {
    Refused(Refusal),
    Failed(Fault),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Stop::Refused(refusal)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Failed(fault)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Stop::Failed(Fault::Storage(error))
    }
}

/// The open database. Cheap to share behind an [`Arc`].
pub struct Store {
    path: PathBuf,
    readers: Mutex<Vec<Connection>>,
    /// Looks for commits of other processes: its data version changes with every commit but its own.
    watch: Mutex<Option<Connection>>,
    seen: AtomicI64,
    held: Arc<Held>,
    writer: writer::Writer,
    signals: Arc<CommitSignals>,
}

/// Connections kept open for readers; more are opened in a burst and closed after it.
const IDLE_READERS: usize = 16;

/// A snapshot to read from: everything read through one is of one instant.
pub struct ReadTx<'a> {
    pub(in crate::store) conn: &'a Connection,
}

impl Store {
    /// Opens a database that exists, or makes it where `create` says so. An older one is copied beside itself and
    /// migrated; a newer one is refused and left untouched. The path must be the real one, without links. The error names
    /// it and says what to do.
    pub fn open(path: &Path, clock: Arc<Clock>, create: bool) -> Result<Store, String> {
        migrate::prepare(path, create)?;
        let named = |error: Fault| format!("{}: {error}", path.display());
        let signals = Arc::new(CommitSignals::default());
        let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(named)?;
        // Room for what one instant changes in thousands of rotations; readers do with SQLite's 2 MB.
        let room = conn.execute_batch("PRAGMA cache_size = -8192");
        room.map_err(|error| named(error.into()))?;
        // The first read makes the log, which is there from then on.
        load_fact(&ReadTx { conn: &conn }, "team_id").map_err(named)?;
        let held = Held::of(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let held = Arc::new(held);
        let writer = writer::Writer::start(conn, clock, Arc::clone(&signals), Arc::clone(&held));
        let store = Store {
            path: path.to_owned(),
            readers: Mutex::default(),
            watch: Mutex::default(),
            seen: AtomicI64::default(),
            held,
            writer,
            signals,
        };
        store.read(|tx| load_fact(tx, "team_id")).map_err(named)?;
        Ok(store)
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What commits publish.
    pub fn signals(&self) -> &Arc<CommitSignals> {
        &self.signals
    }

    /// Reads from one snapshot.
    pub fn read<T, E: From<Fault>>(
        &self,
        act: impl FnOnce(&ReadTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let pooled = self
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let conn = match pooled {
            Some(conn) => conn,
            None => self.reader()?,
        };
        begin_read(&conn)?;
        let answer = {
            let _guard = TransactionGuard::enter();
            act(&ReadTx { conn: &conn })
        };
        if end_read(&conn).is_ok() {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            if readers.len() < IDLE_READERS {
                readers.push(conn);
            }
        }
        answer
    }

    /// Closes the connections that are kept for readers, with their caches of up to 2 MB each; the next readers open new ones.
    pub fn close_idle_readers(&self) {
        let idle =
            std::mem::take(&mut *self.readers.lock().unwrap_or_else(PoisonError::into_inner));
        drop(idle);
    }

    /// A new connection to the file that is open: to another one in its place nothing is left, and nothing is read from it.
    fn reader(&self) -> Result<Connection, Fault> {
        self.check_files()?;
        let conn = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        self.check_files()?;
        Ok(conn)
    }

    /// Whether the files that are open are still those at their paths. Once they are not, nothing is written any more.
    pub fn check_files(&self) -> Result<(), Fault> {
        self.held.check().map_err(Fault::Lost)
    }

    /// Brings a log that was deleted, and is still open here, into the file: otherwise what was acknowledged would be lost
    /// with the process. Whether there was anything to do, and all of it was done.
    pub fn rescue_log(&self) -> Result<bool, Fault> {
        match self.held.misses_log_alone() {
            true => self.writer.checkpoint(),
            false => Ok(false),
        }
    }

    /// What the storage thread does: it is idle while there is nothing to write.
    pub fn heartbeat(&self) -> &Heartbeat {
        self.writer.heartbeat()
    }

    /// Runs a write and answers once it is on disk. An error undoes all of it.
    pub fn write<T, E>(
        &self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        self.writer.run(Safety::Power, act)
    }

    /// The same for what may be lost with the power, though not with the process: the log of what was sent. Whatever of
    /// it is lost is sent again, as at-least-once allows.
    pub fn write_log<T, E>(
        &self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        self.writer.run(Safety::Process, act)
    }

    /// The present instant, never before that of a write: what was stored as due at once is due, also where the clock was
    /// stepped back since.
    pub fn now(&self) -> Timestamp {
        self.writer.now()
    }

    /// Notices commits of other processes; to be called a few times a second. (Those of this one show as well, and cost
    /// only that what is remembered is read again.)
    pub fn notice_others(&self) -> Result<(), Fault> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let conn = match watch.take() {
            Some(conn) => conn,
            None => self.reader()?,
        };
        let version = rows::data_version(&conn)?;
        if self.seen.swap(version, Ordering::Relaxed) != version {
            self.signals.publish(Published {
                remembered: true,
                due: i64::MIN,
                deliveries: true,
                chat_messages: true,
                chat_sync: vec![SyncTarget::Topic, SyncTarget::Group],
                recalled: true,
                changed: None,
                credentials: true,
            });
        }
        *watch = Some(conn);
        Ok(())
    }
}

fn begin_read(conn: &Connection) -> Result<(), Fault> {
    Ok(conn
        .prepare_cached("BEGIN DEFERRED")?
        .execute([])
        .map(drop)?)
}

fn end_read(conn: &Connection) -> Result<(), Fault> {
    Ok(conn.prepare_cached("COMMIT")?.execute([]).map(drop)?)
}

/// A connection with the settings that the whole program relies on.
fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, Fault> {
    #[cfg_attr(not(test), expect(unused_mut))]
    let mut conn = Connection::open_with_flags(
        path,
        mode | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    conn.busy_timeout(Duration::from_secs(5))?;
    copy::run_no_foreign_code(&conn)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // A plan does not depend on the values bound. Otherwise a table with a partial index has its statements prepared
    // anew for every execution.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 1000;
         PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;",
    )?;
    conn.set_prepared_statement_cache_capacity(128);
    #[cfg(test)]
    query_plans::listen(&mut conn)?;
    Ok(conn)
}

#[cfg(test)]
mod query_plans;
#[cfg(test)]
pub use query_plans::statements_that_scan;
