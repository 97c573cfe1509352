//! The one connection that writes: a queue of jobs for the storage thread, one commit a drained batch, and a short way for
//! a job that is alone.

use super::{Fault, News, ReadTx};
use crate::clock::Clock;
use jiff::Timestamp;
use rand::RngExt;
use rand::distr::Alphanumeric;
use rusqlite::Connection;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A write in progress. Actions take it and never begin or end one, so they compose.
pub struct WriteTx<'a> {
    pub(in crate::store) conn: &'a Connection,
    now: Timestamp,
    /// The earliest instant, in milliseconds, that the batch stored as due.
    due: &'a Cell<i64>,
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

    /// Runs a part that is undone alone when it fails or panics.
    pub fn part<T, E: From<Fault>>(
        &mut self,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let turn = Turn {
            conn: self.conn,
            now: self.now,
            due: self.due,
            undo: Undo::Savepoint("part"),
        };
        attempt(turn, act)
    }

    /// Notes an instant that is being stored as due, for the timer.
    pub(in crate::store) fn note_due(&self, due: Option<Timestamp>) {
        self.due.set(
            self.due
                .get()
                .min(due.map_or(i64::MAX, super::rows::millis)),
        );
    }
}

fn random_letters(count: usize) -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(count)
        .map(char::from)
        .collect()
}

/// A job for the thread: it is handed the transaction of its batch, or the reason why there is none, and answers what to
/// call once the batch is on disk or is known not to be.
type Job = Box<dyn FnOnce(Result<Turn<'_>, String>) -> Reply + Send>;
type Reply = Box<dyn FnOnce(Result<(), String>)>;

/// A job's turn on the storage thread.
#[derive(Clone, Copy)]
struct Turn<'a> {
    conn: &'a Connection,
    now: Timestamp,
    due: &'a Cell<i64>,
    undo: Undo,
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
    news: Arc<News>,
}

/// The one connection that writes.
struct Bench {
    conn: Connection,
    /// The latest instant that a job was given.
    latest: Timestamp,
}

impl Writer {
    pub(super) fn start(conn: Connection, clock: Arc<Clock>, news: Arc<News>) -> Writer {
        let latest = Timestamp::MIN;
        let shared = Arc::new(Shared {
            bench: Mutex::new(Bench { conn, latest }),
            crowd: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            clock,
            news,
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
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (answer, answered) = sync_channel::<Result<T, E>>(1);
        let job: Job = Box::new(move |transaction| {
            let outcome = match transaction {
                Ok(turn) => attempt(turn, act),
                Err(why) => Err(Fault::NotCommitted(why).into()),
            };
            Box::new(move |committed| reply(&answer, outcome, committed))
        });
        let Some(jobs) = &self.jobs else {
            return Err(Fault::Stopped.into());
        };
        match self.shared.free_bench() {
            Some(mut bench) => {
                self.shared.serve(&mut bench, std::iter::once(job));
            }
            None => {
                self.shared.waiting.fetch_add(1, Ordering::SeqCst);
                if jobs.send(job).is_err() {
                    return Err(Fault::Stopped.into());
                }
            }
        }
        answered
            .recv()
            .unwrap_or_else(|_| Err(Fault::Stopped.into()))
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

/// How what an act wrote is undone when it fails.
#[derive(Clone, Copy)]
enum Undo {
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

const BEGIN: &str = "BEGIN IMMEDIATE";

/// Runs an act: an error or a panic undoes what it wrote and nothing else.
fn attempt<T, E: From<Fault>>(
    Turn {
        conn,
        now,
        due,
        undo,
    }: Turn,
    act: impl FnOnce(&mut WriteTx) -> Result<T, E>,
) -> Result<T, E> {
    // A batch that SQLite has rolled back must not go on statement by statement, each committed by itself.
    if conn.is_autocommit() {
        return Err(Fault::NotCommitted("the transaction was rolled back".into()).into());
    }
    undo.prepare(conn)?;
    let outcome = catch_unwind(AssertUnwindSafe(|| act(&mut WriteTx { conn, now, due })));
    let outcome = outcome.unwrap_or_else(|panic| Err(Fault::Panicked(panic_text(&*panic)).into()));
    match (outcome.is_err(), undo.finish(conn, outcome.is_err())) {
        (false, Err(fault)) => Err(Fault::NotCommitted(fault.to_string()).into()),
        // What went wrong first is what is told; what could not be undone alone was undone with its batch.
        _ => outcome,
    }
}

/// Runs a statement that is run again and again.
fn run(conn: &Connection, sql: &str) -> Result<(), Fault> {
    Ok(conn.prepare_cached(sql)?.execute([]).map(drop)?)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
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
    /// The bench, where nobody is at it, waits for it, or did of late. Whoever waits goes first, so nobody waits for ever.
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
        while let Ok(first) = queue.recv() {
            // Panics of jobs are caught, so what is behind a poisoned lock is whole.
            let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
            let jobs = std::iter::once(first).chain(queue.try_iter().take(BATCH - 1));
            let served = self.serve(&mut bench, jobs);
            self.waiting.fetch_sub(served, Ordering::SeqCst);
        }
    }

    /// Runs a batch in one transaction, commits it and answers its jobs; tells how many there were.
    fn serve(&self, bench: &mut Bench, jobs: impl Iterator<Item = Job>) -> usize {
        let conn = &bench.conn;
        let (changes, due) = (conn.total_changes(), Cell::new(i64::MAX));
        let mut state = run(conn, BEGIN).map_err(|error| error.to_string());
        let mut replies = Vec::new();
        for job in jobs {
            bench.latest = bench.latest.max(self.clock.now());
            let now = bench.latest;
            let turn = Turn {
                conn,
                now,
                due: &due,
                undo: if replies.is_empty() {
                    Undo::Transaction
                } else {
                    Undo::Savepoint("job")
                },
            };
            replies.push(job(state.as_ref().map(|()| turn).map_err(String::clone)));
            // A full disk or an I/O error rolls the whole batch back, not just the job that met it.
            if state.is_ok() && conn.is_autocommit() {
                state = Err("the transaction was rolled back".into());
            }
        }
        let committed = state.and_then(|()| commit(conn));
        if conn.total_changes() != changes {
            self.news.publish(due.get());
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
        served
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
