//! One SQLite file: opening, reading and writing it. All SQL of the program is in this folder.
//!
//! Reads use a small pool of read-only connections, each read in its own transaction. Writes are jobs for one thread with one
//! connection: a savepoint per job, one commit per batch, responses after the commit. Writers share the cost of a sync, and
//! no write is acknowledged that could still be lost.

mod absence;
mod across;
mod agenda;
mod answered;
mod arrangement;
mod audit;
mod board;
mod calendar_feed;
mod chat_envelope;
mod chat_sync;
mod copies;
mod copy;
mod decision;
mod delivery;
mod departed;
mod directory;
mod external;
mod facts;
mod feed_visibility;
mod files;
mod finding;
mod health;
mod held_members;
mod history;
mod identity;
mod inbound;
mod integrity;
mod invitation;
mod keys;
mod lock;
mod matrix_draft;
mod mention;
mod message;
mod meta;
mod migrate;
mod notification;
mod open_files;
mod operation;
mod paths;
mod personal_calendar;
mod progress;
mod provisioning;
mod report;
mod request;
mod rotation;
mod rows;
mod schema;
mod sending;
mod session;
mod signals;
mod slack_home;
mod snapshot;
mod staged;
mod sync_target;
mod told_plan;
mod turn_invitation;
mod tx;
mod version;
mod webhook;
mod which;
mod writer;

pub use absence::{
    find_same_absence, insert_absence, list_absences, list_absences_of, list_rotations_of,
    load_absence, load_absences, remove_absence, save_absence_end,
};
pub use across::{
    MentionFilter, Part, RequestFilter, RequestKey, list_mentions_across, list_requests_across,
};
pub use agenda::{AgendaEntry, Errand, list_agenda, look_again, next_on_agenda, save_agenda};
pub use answered::request_message_updates;
pub use arrangement::{
    cancel_arrangement, insert_arrangement, list_arrangements, list_overlaps, load_arrangement,
    load_arrangement_maker,
};
pub use audit::{
    AuditPosition, any_old_entry, clear_entries, insert_entry, list_entries, page_of_entries,
};
pub use board::*;
pub use calendar_feed::*;
pub use chat_envelope::*;
pub use chat_sync::*;
pub use copies::Copies;
pub use copy::{Inspection, check_database, copy_database, replace_database};
pub use decision::{insert_decisions, load_decision};
pub use delivery::{
    DeliveryFilter, DeliveryRecord, insert_event, list_attempts, list_deliveries, load_delivery,
};
pub use directory::*;
pub use external::{
    clear_unlinked_schedules, link_participant, list_external_rotations, list_following,
    list_linked_schedules, list_participant_links, list_readings, load_link, load_participants,
    load_schedule, save_schedule,
};
pub use facts::{list_filled, load_facts};
pub use feed_visibility::{note_feeds_of_deleted, note_hidden_feeds};
pub use files::{REPLACED, are_same_file, refuse_planted_links};
pub use finding::{
    CreationKey, RotationFilter, RotationOrder, Visible, count_due, count_rotations,
    insert_creation_key, last_changed_rotation, latest_change, list_cadences, list_due,
    list_due_reminders, list_people_in_rotations, list_people_of_group, list_rotation_ids,
    list_rotations, list_rotations_about, list_rotations_following, list_with_several_lanes,
    load_creation_key, next_due, next_reminder, rotation_by_code,
};
pub use health::{Access, AccessFailure, AccessHealth, StorageHealth, StoreError};
pub use held_members::{
    HeldSince, drop_held, held_since, hold_members, hold_order, list_held, list_holding,
    release_all,
};
pub use history::{
    begin_entries, end_entry, list_broken_chains, list_history, list_pieces, load_entry,
    load_standstill, walk_record,
};
pub use identity::{link_identity, load_identity, load_identity_of};
pub use inbound::{InboundWebhook, load_inbound, load_inbound_by_path, save_inbound};
pub use integrity::Damage;
pub use invitation::*;
pub use keys::*;
pub use lock::Lock;
pub use matrix_draft::*;
pub use mention::*;
pub use message::*;
pub use meta::{
    CHAT_PLATFORM, GETTING_STARTED, SETUP_LINK, count_imports, load_fact, load_team, save_fact,
    save_team,
};
pub use migrate::create_file;
pub use notification::*;
pub use operation::{
    OperationRecord, any_old_operation, clear_operations, insert_operation, load_operation,
};
pub use paths::{folder_of, missing_database};
pub use personal_calendar::*;
pub use provisioning::{
    find_listed_by_address, find_listed_by_name, find_removed_by_address, find_removed_by_name,
    list_provisioned_groups, list_provisioned_people, load_provisioned_group,
    load_provisioned_person, mark_removed, save_provisioned_group, save_provisioned_person,
};
pub use report::{Mentioned, TakenOver, each_entry, each_mention, list_taken_over};
pub use request::{
    RequestPosition, count_requests_waiting, insert_request, list_pending_requests, list_requests,
    load_request, rotation_of_request, save_request,
};
pub use rotation::{
    MemberLists, READ_AT_ONCE, each_rotation, insert_rotation, load_members, load_rotation,
    load_rotations, load_stamps, remove_rotation, save_due, save_members, save_reminder,
    save_rotation,
};
pub use schema::Differences;
pub use sending::*;
pub use session::*;
pub use signals::CommitSignals;
use signals::Published;
pub use slack_home::*;
pub use snapshot::{
    database_bytes, list_open_slots, list_rotation_names, load_queue, load_rotation_name,
    nobody_since, schema_version, sqlite_version,
};
pub use staged::{
    ChangeFilter, any_old_change, clear_changes, end_change, insert_change, list_changes,
    load_change, load_maker, load_waiting, maker, with_group,
};
pub use sync_target::SyncTarget;
pub use told_plan::*;
pub use turn_invitation::*;
pub use tx::{LogLine, WriteTx};
pub use webhook::*;
use writer::Safety;

use crate::domain::refusal::Refusal;
use crate::runtime::clock::Clock;
use crate::runtime::heartbeat::Heartbeat;
use crate::runtime::transaction::TransactionGuard;
use jiff::Timestamp;
use open_files::OpenFiles;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the storage answers.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An internal error: logged, and answered without details.
#[derive(Debug)]
pub enum Error {
    /// SQLite failed.
    Storage(rusqlite::Error),
    /// The file contains invalid data.
    Corrupt(String),
    /// The commit of this write did not reach the disk. Nothing of it is stored.
    NotCommitted(String),
    /// The open file is no longer the one at its path.
    Lost(String),
    /// The storage thread has ended or the program is stopping.
    Stopped,
    /// Something panicked. Nothing of what it was writing is stored.
    Panicked(String),
}

impl Error {
    /// Whether a page of the file is damaged. SQLite then cannot commit the current transaction.
    pub fn is_damage(&self) -> bool {
        matches!(self, Error::Storage(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt))
    }

    /// Whether the storage is the cause, not the program: a full disk, a read-only, locked or damaged file.
    pub fn is_unavailable(&self) -> bool {
        use rusqlite::ErrorCode as Code;
        match self {
            Error::NotCommitted(_) | Error::Lost(_) | Error::Stopped => true,
            Error::Storage(error) => matches!(
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
            Error::Corrupt(_) | Error::Panicked(_) => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Storage(error) => {
                write!(f, "storage: {error}")?;
                match self.is_damage() {
                    true => f.write_str(
                        "; `rota check` lists what is damaged, `rota restore` replaces the database with a copy",
                    ),
                    false => Ok(()),
                }
            }
            Error::Corrupt(what) => write!(f, "unreadable record: {what}"),
            Error::NotCommitted(why) => write!(f, "storage: not committed: {why}"),
            Error::Lost(why) => write!(f, "storage: {why}"),
            Error::Stopped => f.write_str("storage: stopped"),
            Error::Panicked(what) => write!(f, "a panic was caught: {what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Error::Storage(error)
    }
}

/// Why an action failed: the caller's fault or ours.
#[derive(Debug)]
pub enum ActionError {
    Refused(Refusal),
    Failed(Error),
}

impl From<Refusal> for ActionError {
    fn from(refusal: Refusal) -> Self {
        ActionError::Refused(refusal)
    }
}

impl From<Error> for ActionError {
    fn from(error: Error) -> Self {
        ActionError::Failed(error)
    }
}

impl From<rusqlite::Error> for ActionError {
    fn from(error: rusqlite::Error) -> Self {
        ActionError::Failed(Error::Storage(error))
    }
}

/// An open database. Shared behind an [`Arc`].
pub struct Store {
    path: PathBuf,
    readers: Mutex<Vec<Connection>>,
    /// Detects commits of other processes: its data version changes with every commit but its own.
    watch: Mutex<Option<Connection>>,
    seen: AtomicI64,
    open_files: Arc<OpenFiles>,
    writer: writer::Writer,
    signals: Arc<CommitSignals>,
    health: Arc<StorageHealth>,
}

/// Open connections kept for readers. More are opened in a burst and closed afterwards.
const IDLE_READERS: usize = 16;

/// A read snapshot: everything read through it is from one instant.
pub struct ReadTx<'a> {
    pub(in crate::store) conn: &'a Connection,
}

impl Store {
    /// Opens a database, or creates it if `create` is set. An older one is copied and migrated, unless a server has it open; a newer
    /// one is refused and left unchanged. The path must have no links. The error names it and says what to do.
    pub fn open(path: &Path, clock: Arc<Clock>, create: bool) -> Result<Store, String> {
        let older = migrate::older_version(path)?;
        let lock = older.map(|version| Lock::take_to_migrate(path, version));
        let _lock = lock.transpose()?;
        Store::open_locked(path, clock, create)
    }

    /// As [`Store::open`], for whoever holds the lock of the database.
    pub fn open_locked(path: &Path, clock: Arc<Clock>, create: bool) -> Result<Store, String> {
        migrate::prepare(path, create)?;
        let named = |error: Error| format!("{}: {error}", path.display());
        let signals = Arc::new(CommitSignals::default());
        let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(named)?;
        // Enough for an instant that changes thousands of rotations. Readers keep SQLite's default of 2 MB.
        let room = conn.execute_batch("PRAGMA cache_size = -8192");
        room.map_err(|error| named(error.into()))?;
        // The first read creates the log, which must exist from then on.
        load_fact(&ReadTx { conn: &conn }, "team_id").map_err(named)?;
        let open_files =
            OpenFiles::of(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let open_files = Arc::new(open_files);
        let health = Arc::new(StorageHealth::default());
        let writer = writer::Writer::start(
            conn,
            clock,
            Arc::clone(&signals),
            Arc::clone(&open_files),
            Arc::clone(&health),
        );
        let store = Store {
            path: path.to_owned(),
            readers: Mutex::default(),
            watch: Mutex::default(),
            seen: AtomicI64::default(),
            open_files,
            writer,
            signals,
            health,
        };
        store.read(|tx| load_fact(tx, "team_id")).map_err(named)?;
        Ok(store)
    }

    /// The path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The signals that commits publish.
    pub fn signals(&self) -> &Arc<CommitSignals> {
        &self.signals
    }

    /// How reads and writes have gone.
    pub fn health(&self) -> &StorageHealth {
        &self.health
    }

    /// Reads from one snapshot.
    pub fn read<T, E: StoreError>(
        &self,
        act: impl FnOnce(&ReadTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let begun = self.begin_read();
        let conn = begun.inspect_err(|error| self.health.failed(Access::Read, error))?;
        let answer = {
            let _guard = TransactionGuard::enter();
            act(&ReadTx { conn: &conn })
        };
        self.end_read(conn, answer.as_ref().err().and_then(StoreError::of_storage));
        answer
    }

    /// A reader connection with a transaction.
    fn begin_read(&self) -> Result<Connection> {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled = readers.pop();
        drop(readers);
        let conn = match pooled {
            Some(conn) => conn,
            None => self.reader()?,
        };
        tx::run(&conn, "BEGIN DEFERRED")?;
        Ok(conn)
    }

    /// Ends the transaction of a reader, keeps its connection for others, and reports how the read went.
    fn end_read(&self, conn: Connection, failed: Option<&Error>) {
        if tx::run(&conn, "COMMIT").is_ok() {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            if readers.len() < IDLE_READERS {
                readers.push(conn);
            }
        }
        match failed {
            Some(error) => self.health.failed(Access::Read, error),
            // A refusal was read, too.
            None => self.health.succeeded(Access::Read),
        }
    }

    /// Closes the idle reader connections with their caches of up to 2 MB each. Later readers open new ones.
    pub fn close_idle_readers(&self) {
        let idle =
            std::mem::take(&mut *self.readers.lock().unwrap_or_else(PoisonError::into_inner));
        drop(idle);
    }

    /// Opens another connection to the open file. Fails if another file is in its place.
    fn reader(&self) -> Result<Connection> {
        self.check_files()?;
        let conn = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        self.check_files()?;
        Ok(conn)
    }

    /// Checks that the open files are still those at their paths. If not, nothing is written any more.
    pub fn check_files(&self) -> Result<()> {
        self.open_files.check().map_err(Error::Lost)
    }

    /// Checkpoints a log that was deleted and is still open here: otherwise acknowledged writes would be lost when the process
    /// ends. Returns whether there was such a log and all of it was saved.
    pub fn rescue_log(&self) -> Result<bool> {
        match self.open_files.misses_log_alone() {
            true => self.writer.checkpoint(),
            false => Ok(false),
        }
    }

    /// The heartbeat of the storage thread, which is idle while there is nothing to write.
    pub fn heartbeat(&self) -> &Heartbeat {
        self.writer.heartbeat()
    }

    /// Runs a write and returns once it is on disk. An error undoes all of it.
    pub fn write<T, E>(
        &self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: StoreError + Send + 'static,
    {
        self.writer.run(Safety::Power, act)
    }

    /// As [`Store::write`], for changes that may be lost on a power failure, but not when the process ends: the log of what was
    /// sent. What is lost is sent again, as at-least-once delivery permits.
    pub fn write_log<T, E>(
        &self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: StoreError + Send + 'static,
    {
        self.writer.run(Safety::Process, act)
    }

    /// Writes something that nobody reads, to see whether the file can be written.
    pub fn probe(&self) -> Result<()> {
        self.write(meta::save_probe)
    }

    /// The current instant, never before that of a previous write: what was stored as due now is due, even if the clock was set
    /// back since.
    pub fn now(&self) -> Timestamp {
        self.writer.now()
    }

    /// Detects commits of other processes. Called a few times a second. After one that changed the schema version nothing is written
    /// any more, and [`Store::check_files`] fails. (Commits of this process are detected too, and only
    /// cause caches to be read again.)
    pub fn notice_others(&self) -> Result<()> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let conn = match watch.take() {
            Some(conn) => conn,
            None => self.reader()?,
        };
        let version = rows::data_version(&conn)?;
        if self.seen.swap(version, Ordering::Relaxed) != version {
            if let Some(why) = version::superseded(&conn)? {
                self.open_files.give_up(why);
            }
            self.signals.publish(Published {
                remembered: true,
                due: i64::MIN,
                deliveries: true,
                chat_messages: true,
                relays: true,
                calendars: true,
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

/// Opens a connection with the settings that the whole program relies on.
fn connect(path: &Path, mode: OpenFlags) -> Result<Connection> {
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
    // Query plans must not depend on bound values: otherwise SQLite prepares statements on tables with a partial index again
    // for every execution.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // 4,000 pages of log between checkpoints: one part of SQLite's index of the log holds about that many.
    conn.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000;
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
