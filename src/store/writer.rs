//! The one connection that writes: a queue of jobs for the storage thread, one commit a drained batch, and a short way for
//! a job that is alone.

use super::held::Held;
use super::tx::{BEGIN, Told, Turn, Undo, attempt, run};
use super::{CommitSignals, Fault, WriteTx, rows};
use crate::fault;
use crate::runtime::clock::Clock;
use crate::runtime::heartbeat::Heartbeat;
use jiff::Timestamp;
use rusqlite::Connection;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A job for the thread.
struct Job {
    safety: Safety,
    run: Run,
}

/// It is handed the transaction of its batch, or the reason why there is none, and answers what to call once the batch is
/// committed or is known not to be.
type Run = Box<dyn FnOnce(Result<Turn<'_>, String>) -> Reply + Send>;
type Reply = Box<dyn FnOnce(Result<(), String>)>;

/// What a commit survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Safety {
    /// The end of the process. A loss of power may take the last of these commits back, in order and whole.
    Process,
    /// A loss of power as well.
    Power,
}

/// Jobs that may share one commit.
const BATCH: usize = 256;

pub(super) struct Writer {
    shared: Arc<Shared>,
    /// `None` once stopping.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// So many batches of one job in a row make it likely that the next one is alone as well. Writers in a crowd gain by
/// waiting for one another: they share a commit.
const CALM: usize = 16;

struct Shared {
    bench: Mutex<Bench>,
    /// Batches of one job still to come before a crowd counts as gone.
    crowd: AtomicUsize,
    /// Jobs handed to the thread and not answered yet.
    waiting: AtomicUsize,
    clock: Arc<Clock>,
    /// The latest instant that a job was given, in milliseconds.
    latest: AtomicI64,
    signals: Arc<CommitSignals>,
    held: Arc<Held>,
    /// Beats with every batch, whoever serves it.
    heartbeat: Heartbeat,
}

/// The one connection that writes.
struct Bench {
    conn: Connection,
    /// What its next commit survives.
    safety: Safety,
}

impl Writer {
    pub(super) fn start(
        conn: Connection,
        clock: Arc<Clock>,
        signals: Arc<CommitSignals>,
        held: Arc<Held>,
    ) -> Writer {
        let shared = Arc::new(Shared {
            bench: Mutex::new(Bench {
                conn,
                safety: Safety::Power,
            }),
            crowd: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            clock,
            latest: AtomicI64::new(i64::MIN),
            signals,
            held,
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

    /// Runs a job and answers once its batch is on disk: on the caller's own thread where nobody else is writing, which
    /// spares it two changes of threads, and on the storage thread, together with others, where somebody is.
    pub(super) fn run<T, E>(
        &self,
        safety: Safety,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (job, pending) = job(safety, act);
        match self.shared.free_bench() {
            Some(mut bench) if self.jobs.is_some() => {
                self.shared.serve(&mut bench, vec![job]);
            }
            _ => self.queue(job),
        }
        pending.wait()
    }

    /// Where there is no thread any more the job is dropped, and whoever waits for it is told so.
    fn queue(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            self.shared.waiting.fetch_add(1, Ordering::SeqCst);
            drop(jobs.send(job));
        }
    }

    /// Brings the write-ahead log into the file, between two batches; whether all of it came.
    pub(super) fn checkpoint(&self) -> Result<bool, Fault> {
        let bench = &self.shared.bench;
        let bench = bench.lock().unwrap_or_else(PoisonError::into_inner);
        rows::checkpoint(&bench.conn)
    }

    /// What the storage thread does.
    pub(super) fn heartbeat(&self) -> &Heartbeat {
        &self.shared.heartbeat
    }

    /// The present instant, never before one that a job was given.
    pub(super) fn now(&self) -> Timestamp {
        self.shared.now()
    }
}

/// The outcome of a write that is still to come.
struct Pending<T, E>(Receiver<Result<T, E>>);

impl<T, E: From<Fault>> Pending<T, E> {
    /// Waits until the write is on disk or is known not to be.
    fn wait(self) -> Result<T, E> {
        let outcome = self.0.recv();
        outcome.unwrap_or_else(|_| Err(Fault::Stopped.into()))
    }
}

fn job<T, E>(
    safety: Safety,
    act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
) -> (Job, Pending<T, E>)
where
    T: Send + 'static,
    E: From<Fault> + Send + 'static,
{
    let (answer, answered) = sync_channel::<Result<T, E>>(1);
    let run: Run = Box::new(move |transaction| {
        let outcome = match transaction {
            Ok(turn) => attempt(turn, act),
            Err(why) => Err(Fault::NotCommitted(why).into()),
        };
        Box::new(move |committed| reply(&answer, outcome, committed))
    });
    (Job { safety, run }, Pending(answered))
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn reply<T, E: From<Fault>>(
    answer: &SyncSender<Result<T, E>>,
    outcome: Result<T, E>,
    committed: Result<(), String>,
) {
    // A refusal stands whether or not the others of its batch could be stored.
    let told = match (outcome, committed) {
        (Ok(_), Err(why)) => Err(Fault::NotCommitted(why).into()),
        (outcome, _) => outcome,
    };
    // Nobody listens any more when the caller's thread has died; what is stored is stored.
    drop(answer.send(told));
}

impl Shared {
    /// The present instant, never before one that a job was given.
    fn now(&self) -> Timestamp {
        let latest = Timestamp::from_millisecond(self.latest.load(Ordering::Acquire));
        let clock = self.clock.now();
        latest.map_or(clock, |latest| latest.max(clock))
    }

    /// The bench, where nobody is at it, waits for it, or did of late. Whoever waits goes first, so nobody waits for ever.
    ///
    /// It spares two changes of threads: without it, writes of one writer took 7 percent more processor time, and deliveries, whose
    /// steps are mostly alone, 10 percent.
    fn free_bench(&self) -> Option<MutexGuard<'_, Bench>> {
        let calm =
            self.crowd.load(Ordering::Relaxed) == 0 && self.waiting.load(Ordering::SeqCst) == 0;
        if calm {
            self.bench.try_lock().ok()
        } else {
            None
        }
    }

    fn serve_queue(&self, queue: &Receiver<Job>) {
        let _guard = self.heartbeat.start();
        self.heartbeat.idle();
        while let Ok(first) = queue.recv() {
            self.heartbeat.beat();
            // Panics of jobs are caught, so what is behind a poisoned lock is whole.
            fault::point("storage.thread");
            let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
            let jobs = std::iter::once(first).chain(queue.try_iter().take(BATCH - 1));
            let served = self.serve(&mut bench, jobs.collect());
            self.waiting.fetch_sub(served, Ordering::SeqCst);
        }
    }

    /// Runs a batch in one transaction, commits it and answers its jobs; tells how many there were.
    fn serve(&self, bench: &mut Bench, jobs: Vec<Job>) -> usize {
        self.heartbeat.beat();
        let safety = jobs.iter().map(|job| job.safety).max();
        let safety = safety.unwrap_or(Safety::Power);
        let named = |error: String| self.held.named(&error);
        let mut state = self.held.check();
        if state.is_ok() {
            let made_safe = bench.make_safe(safety);
            state = made_safe.map_err(|error| named(error.to_string()));
        }
        let conn = &bench.conn;
        let changes = conn.total_changes();
        let told = Told::nothing();
        if state.is_ok() {
            state = run(conn, BEGIN).map_err(|error| named(error.to_string()));
        }
        fault::point("commit.begun");
        let mut replies = Vec::with_capacity(jobs.len());
        for job in jobs {
            let now = self.now();
            self.latest
                .fetch_max(now.as_millisecond(), Ordering::AcqRel);
            let turn = Turn {
                conn,
                now,
                told: &told,
                undo: if replies.is_empty() {
                    Undo::Transaction
                } else {
                    Undo::Savepoint("job")
                },
            };
            replies.push((job.run)(
                state.as_ref().map(|()| turn).map_err(String::clone),
            ));
            // A full disk or an I/O error rolls the whole batch back, not just the job that met it.
            if state.is_ok() && conn.is_autocommit() {
                state = Err(named("the transaction was rolled back".into()));
            }
        }
        fault::point("commit.ready");
        // A commit to a file that has gone meanwhile is lost with it: nobody may be told that it is stored.
        let committed = state
            .and_then(|()| commit(conn).map_err(named))
            .and_then(|()| self.held.check());
        fault::point("commit.done");
        // What was rolled back is counted as well, and is not published: whoever it woke would only fail again.
        if committed.is_ok() && conn.total_changes() != changes {
            // The log of what was sent is read from the file, never remembered.
            self.signals
                .publish(told.published(safety == Safety::Power));
        }
        let served = replies.len();
        let crowd = self.crowd.load(Ordering::Relaxed);
        let crowd = if served > 1 {
            CALM
        } else {
            crowd.saturating_sub(1)
        };
        self.crowd.store(crowd, Ordering::Relaxed);
        for reply in replies {
            reply(committed.clone());
        }
        self.heartbeat.idle();
        served
    }
}

impl Bench {
    /// Has the next commit survive at least this. It cannot be changed within a transaction.
    fn make_safe(&mut self, safety: Safety) -> Result<(), Fault> {
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

fn commit(conn: &Connection) -> Result<(), String> {
    run(conn, "COMMIT").map_err(|error| {
        // Where COMMIT could not do its work the transaction may still be open: it must not reach the next batch.
        if !conn.is_autocommit()
            && let Err(again) = run(conn, "ROLLBACK")
        {
            log::error!("storage: rollback failed: {again}");
        }
        error.to_string()
    })
}
