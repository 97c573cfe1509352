//! The writing connection: a queue of jobs for the storage thread, one commit per batch, and a fast path for a job that is
//! alone.

use super::copied::CopiedAt;
use super::open_files::OpenFiles;
use super::tx::{Act, BEGIN, PendingSignals, Turn, Undo, attempt, run};
use super::{
    Access, CommitSignals, Error, LogLine, Result, StorageHealth, StoreError, WriteTx, rows,
    version,
};
use crate::failpoint;
use crate::runtime::clock::Clock;
use crate::runtime::heartbeat::Heartbeat;
use jiff::Timestamp;
use rusqlite::Connection;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// An [`Act`] that another thread may run.
type SentAct = Box<dyn FnOnce(&mut WriteTx) -> bool + Send>;

/// A job for the storage thread.
struct Job {
    safety: Safety,
    act: SentAct,
    /// Where the end of its batch is sent.
    ended: SyncSender<Ended>,
}

/// How a job ended.
struct Ran {
    /// Whether the act succeeded, or why it did not run to its end.
    succeeded: Result<bool>,
    /// What the log says of it.
    lines: Vec<LogLine>,
}

/// How a job and its batch ended.
struct Ended {
    ran: Ran,
    /// Or why the batch is not on disk.
    committed: Result<(), String>,
}

/// The failures that a commit survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Safety {
    /// The end of the process. A power failure may undo the last of these commits, in order and each as a whole.
    Process,
    /// A power failure as well.
    Power,
}

/// The largest number of jobs that share a commit.
const BATCH: usize = 256;

pub(super) struct Writer {
    shared: Arc<Shared>,
    /// `None` once stopping.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// After this many batches of one job the next one is probably alone as well. Concurrent writers gain by waiting for each
/// other, because they share a commit.
const CONTENTION_BATCHES: usize = 16;

struct Shared {
    connection: Mutex<WriterConnection>,
    /// Batches of one job still to come before contention counts as over.
    contention: AtomicUsize,
    /// Jobs submitted to the thread that have no outcome yet.
    waiting: AtomicUsize,
    clock: Arc<Clock>,
    /// The latest instant that a job was given, in milliseconds.
    latest: AtomicI64,
    signals: Arc<CommitSignals>,
    open_files: Arc<OpenFiles>,
    health: Arc<StorageHealth>,
    copied_at: Arc<CopiedAt>,
    /// Beats with every batch, on whichever thread it runs.
    heartbeat: Heartbeat,
}

/// The writing connection.
struct WriterConnection {
    conn: Connection,
    /// The failures that its next commit survives.
    safety: Safety,
}

impl Writer {
    pub(super) fn start(
        conn: Connection,
        clock: Arc<Clock>,
        signals: Arc<CommitSignals>,
        open_files: Arc<OpenFiles>,
        health: Arc<StorageHealth>,
        copied_at: Arc<CopiedAt>,
    ) -> Writer {
        let shared = Arc::new(Shared {
            connection: Mutex::new(WriterConnection {
                conn,
                safety: Safety::Power,
            }),
            contention: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            clock,
            latest: AtomicI64::new(i64::MIN),
            signals,
            open_files,
            health,
            copied_at,
            heartbeat: Heartbeat::new("storage"),
        });
        let (jobs, queue) = channel();
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("storage".into())
            .spawn(move || served.serve_queue(&queue))
            .expect("a thread can be started at start-up");
        Writer {
            shared,
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    /// Runs a job and returns once its batch is on disk: on the caller's thread if no other job is waiting, which saves two
    /// thread switches, otherwise on the storage thread together with others.
    pub(super) fn run<T, E>(
        &self,
        safety: Safety,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: StoreError + Send + 'static,
    {
        let outcome = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&outcome);
        let submitted = self.submit(
            safety,
            Box::new(move |tx| {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.insert(act(tx)).is_ok()
            }),
        );
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = submitted.map_err(E::from).and_then(|()| {
            let outcome = outcome.take();
            outcome.unwrap_or_else(|| Err(Error::Stopped.into()))
        });
        if let Some(error) = outcome.as_ref().err().and_then(StoreError::of_storage) {
            self.shared.health.failed(Access::Write, error);
        }
        outcome
    }

    /// Runs a job and returns once its batch is on disk, or the job has failed by itself.
    fn submit(&self, safety: Safety, act: SentAct) -> Result<()> {
        let (ended, end) = sync_channel(1);
        let job = Job { safety, act, ended };
        match self.shared.idle_connection() {
            Some(mut connection) if self.jobs.is_some() => {
                self.shared.serve(&mut connection, vec![job], |_, _| None);
            }
            _ => self.queue(job),
        }
        let Ended { ran, committed } = end.recv().map_err(|_| Error::Stopped)?;
        // A refusal is returned whether or not the other jobs of its batch could be stored.
        if ran.succeeded? {
            committed.map_err(Error::NotCommitted)?;
            // On the thread of the caller: other writers do not wait for the log.
            ran.lines.iter().for_each(LogLine::write);
        }
        Ok(())
    }

    /// Without a storage thread the job is dropped, and its caller gets an error.
    fn queue(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            self.shared.waiting.fetch_add(1, Ordering::SeqCst);
            drop(jobs.send(job));
        }
    }

    /// Checkpoints the write-ahead log between two batches. Returns whether it is complete.
    pub(super) fn checkpoint(&self) -> Result<bool> {
        let connection = &self.shared.connection;
        let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        rows::checkpoint(&connection.conn)
    }

    /// The heartbeat of the storage thread.
    pub(super) fn heartbeat(&self) -> &Heartbeat {
        &self.shared.heartbeat
    }

    /// The current instant, never before that of a job.
    pub(super) fn now(&self) -> Timestamp {
        self.shared.now()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Shared {
    /// The current instant, never before that of a job.
    fn now(&self) -> Timestamp {
        let latest = Timestamp::from_millisecond(self.latest.load(Ordering::Acquire));
        let clock = self.clock.now();
        latest.map_or(clock, |latest| latest.max(clock))
    }

    /// The connection, if it is free, has no waiting job and had no recent contention. Waiting jobs go first, so none starves.
    ///
    /// It saves two thread switches. Without it, writes of one writer took 7 percent more processor time, and deliveries, whose
    /// steps are mostly alone, 10 percent.
    fn idle_connection(&self) -> Option<MutexGuard<'_, WriterConnection>> {
        let calm = self.contention.load(Ordering::Relaxed) == 0
            && self.waiting.load(Ordering::SeqCst) == 0;
        if calm {
            self.connection.try_lock().ok()
        } else {
            None
        }
    }

    fn serve_queue(&self, queue: &Receiver<Job>) {
        let _guard = self.heartbeat.start();
        self.heartbeat.idle();
        // A job that needs a safer commit than the batch that it came in.
        let mut held = None;
        while let Some(first) = held.take().or_else(|| queue.recv().ok()) {
            self.heartbeat.beat();
            // Panics of jobs are caught, so the data behind a poisoned lock is consistent.
            failpoint::point("storage.thread");
            let mut connection = self
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let jobs = std::iter::once(first).chain(queue.try_iter().take(BATCH - 1));
            let served = self.serve(&mut connection, jobs.collect(), |safety, served| {
                if held.is_some() || served >= BATCH {
                    return None;
                }
                let job = queue.try_recv().ok()?;
                if job.safety > safety {
                    held = Some(job);
                    return None;
                }
                Some(job)
            });
            self.waiting.fetch_sub(served, Ordering::SeqCst);
        }
    }

    /// Runs a batch in one transaction, commits it and sends the outcomes. Jobs that arrive meanwhile share the commit: `more`
    /// takes the next one, for a commit of this safety that has so many. Returns the number of jobs.
    fn serve(
        &self,
        connection: &mut WriterConnection,
        jobs: Vec<Job>,
        mut more: impl FnMut(Safety, usize) -> Option<Job>,
    ) -> usize {
        self.heartbeat.beat();
        let safety = jobs.iter().map(|job| job.safety).max();
        let safety = safety.unwrap_or(Safety::Power);
        let named = |error: String| self.open_files.named(&error);
        let failed = |error: Error| {
            self.health.failed(Access::Write, &error);
            named(error.to_string())
        };
        let mut state = self.check_files();
        if state.is_ok() {
            state = connection.make_safe(safety).map_err(failed);
        }
        let conn = &connection.conn;
        let changes = conn.total_changes();
        let signals = PendingSignals::none();
        if state.is_ok() {
            state = run(conn, BEGIN).map_err(failed);
        }
        if state.is_ok() {
            state = self.check_version(conn);
        }
        failpoint::point("commit.begun");
        let mut ran = Vec::with_capacity(jobs.len());
        let mut jobs = jobs.into_iter();
        // A batch that has failed takes no more jobs with it.
        while let Some(job) = jobs.next().or_else(|| match state {
            Ok(()) => more(safety, ran.len()),
            Err(_) => None,
        }) {
            let now = self.now();
            self.latest
                .fetch_max(now.as_millisecond(), Ordering::AcqRel);
            let turn = Turn {
                conn,
                now,
                signals: &signals,
                copied_at: self.copied_at.get(),
                undo: if ran.is_empty() {
                    Undo::Transaction
                } else {
                    Undo::Savepoint("job")
                },
            };
            let outcome = match &state {
                Ok(()) => turn.run(job.act),
                Err(why) => Ran {
                    succeeded: Err(Error::NotCommitted(why.clone())),
                    lines: Vec::new(),
                },
            };
            ran.push((job.ended, outcome));
            // A full disk or an I/O error rolls back the whole batch, not just the job that met it.
            if state.is_ok() && conn.is_autocommit() {
                state = Err(named("the transaction was rolled back".into()));
            }
        }
        failpoint::point("commit.ready");
        // A commit to a file that has since been deleted is lost with it, so it must not be acknowledged.
        let committed = state
            .and_then(|()| commit(conn).map_err(failed))
            .and_then(|()| self.check_files());
        failpoint::point("commit.done");
        // A transaction without changes is committed on a full disk, too.
        if committed.is_ok() && signals.has_stored() {
            self.health.succeeded(Access::Write);
        }
        // Rolled-back changes are counted too, but not published: the woken loops would only fail again.
        if committed.is_ok() && conn.total_changes() != changes {
            // The log of what was sent is never cached.
            self.signals
                .publish(signals.published(safety == Safety::Power));
        }
        let served = ran.len();
        let contention = self.contention.load(Ordering::Relaxed);
        let contention = if served > 1 {
            CONTENTION_BATCHES
        } else {
            contention.saturating_sub(1)
        };
        self.contention.store(contention, Ordering::Relaxed);
        for (ended, ran) in ran {
            let committed = committed.clone();
            // Fails if the caller's thread has died; the write is stored anyway.
            drop(ended.send(Ended { ran, committed }));
        }
        self.heartbeat.idle();
        served
    }

    /// Checks within a transaction that no other process has migrated the database. The timer notices that too, but half a second
    /// later, and what is written in between may be lost.
    fn check_version(&self, conn: &Connection) -> Result<(), String> {
        match version::superseded(conn) {
            Ok(None) => Ok(()),
            found => {
                if let Err(error) = run(conn, "ROLLBACK") {
                    log::error!("storage: rollback failed: {error}");
                }
                let found = found.map_err(|error| self.open_files.named(&error.to_string()))?;
                self.open_files.give_up(found.unwrap_or_default());
                self.check_files()
            }
        }
    }

    /// Checks that the open files are still those at their paths.
    fn check_files(&self) -> Result<(), String> {
        self.open_files.check().inspect_err(|why| {
            self.health.failed(Access::Write, &Error::Lost(why.clone()));
        })
    }
}

impl Turn<'_> {
    fn run(self, act: Act) -> Ran {
        let changes = self.conn.total_changes();
        let succeeded = attempt(self, act);
        if matches!(succeeded, Ok(true)) && self.conn.total_changes() != changes {
            self.signals.note_stored();
        }
        Ran {
            succeeded,
            lines: self.signals.take_lines(),
        }
    }
}

impl WriterConnection {
    /// Sets the minimum that the next commit survives. This cannot be changed within a transaction.
    fn make_safe(&mut self, safety: Safety) -> Result<()> {
        if self.safety != safety {
            let level = match safety {
                Safety::Process => "PRAGMA synchronous = NORMAL",
                Safety::Power => "PRAGMA synchronous = FULL",
            };
            self.conn.execute_batch(level)?;
            self.safety = safety;
        }
        Ok(())
    }
}

fn commit(conn: &Connection) -> Result<()> {
    run(conn, "COMMIT").inspect_err(|_| {
        // After a failed COMMIT the transaction may still be open. It must not continue into the next batch.
        if !conn.is_autocommit()
            && let Err(again) = run(conn, "ROLLBACK")
        {
            log::error!("storage: rollback failed: {again}");
        }
    })
}

#[cfg(test)]
mod tests;
