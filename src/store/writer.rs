//! The one connection that writes: a queue of jobs for the storage thread, one commit a drained batch, and a short way for
//! a job that is alone.

use super::{Fault, Kept, News, Published, ReadTx};
use crate::clock::Clock;
use crate::domain::ids::RotationId;
use crate::fault;
use crate::vitals::Pulse;
use jiff::Timestamp;
use rand::RngExt;
use rand::distr::Alphanumeric;
use rusqlite::Connection;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

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
    /// Whether there may be something to send.
    to_send: Cell<bool>,
    /// Whether there may be something to post in chat.
    to_post: Cell<bool>,
    /// What may have to be brought in line there.
    to_keep: RefCell<Vec<Kept>>,
    /// Whether what was taken to be sent may not be sent any more as it is.
    recalled: Cell<bool>,
    /// The rotation that changed last.
    changed: RefCell<Option<RotationId>>,
    /// Whether keys, tokens or people changed.
    credentials: Cell<bool>,
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

    /// Notes that there may be something to send, for the delivery side.
    pub(in crate::store) fn note_to_send(&self) {
        self.told.to_send.set(true);
    }

    /// Notes that there may be something to post in chat.
    pub(in crate::store) fn note_to_post(&self) {
        self.told.to_post.set(true);
    }

    /// Notes that there may be something of this kind to bring in line.
    pub(in crate::store) fn note_to_keep(&self, kept: Kept) {
        self.told.to_keep.borrow_mut().push(kept);
    }
}

fn random_letters(count: usize) -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(count)
        .map(char::from)
        .collect()
}

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

/// A job's turn on the storage thread.
#[derive(Clone, Copy)]
struct Turn<'a> {
    conn: &'a Connection,
    now: Timestamp,
    told: &'a Told,
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
    /// The latest instant that a job was given, in milliseconds.
    latest: AtomicI64,
    news: Arc<News>,
    /// Beats with every batch, whoever serves it.
    pulse: Pulse,
}

/// The one connection that writes.
struct Bench {
    conn: Connection,
    /// What its next commit survives.
    safety: Safety,
}

impl Writer {
    pub(super) fn start(conn: Connection, clock: Arc<Clock>, news: Arc<News>) -> Writer {
        let shared = Arc::new(Shared {
            bench: Mutex::new(Bench {
                conn,
                safety: Safety::Power,
            }),
            crowd: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            clock,
            latest: AtomicI64::new(i64::MIN),
            news,
            pulse: Pulse::new("storage"),
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

    /// Hands a job to the storage thread and does not wait for it.
    pub(super) fn hand_over<T, E>(
        &self,
        safety: Safety,
        act: impl FnOnce(&mut WriteTx) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (job, pending) = job(safety, act);
        self.queue(job);
        pending
    }

    /// Where there is no thread any more the job is dropped, and whoever waits for it is told so.
    fn queue(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            self.shared.waiting.fetch_add(1, Ordering::SeqCst);
            drop(jobs.send(job));
        }
    }

    /// What the storage thread does.
    pub(super) fn pulse(&self) -> &Pulse {
        &self.shared.pulse
    }

    /// The present instant, never before one that a job was given.
    pub(super) fn now(&self) -> Timestamp {
        self.shared.now()
    }
}

/// The outcome of a write that is still to come.
pub struct Pending<T, E>(Receiver<Result<T, E>>);

impl<T, E: From<Fault>> Pending<T, E> {
    /// Waits until the write is on disk or is known not to be.
    pub fn wait(self) -> Result<T, E> {
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
    let outcome = catch_unwind(AssertUnwindSafe(|| act(&mut WriteTx { conn, now, told })));
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
    /// The present instant, never before one that a job was given.
    fn now(&self) -> Timestamp {
        let latest = Timestamp::from_millisecond(self.latest.load(Ordering::Acquire));
        let clock = self.clock.now();
        latest.map_or(clock, |latest| latest.max(clock))
    }

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
        let _life = self.pulse.life();
        self.pulse.rest();
        while let Ok(first) = queue.recv() {
            self.pulse.beat();
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
        self.pulse.beat();
        let safety = jobs.iter().map(|job| job.safety).max();
        let safety = safety.unwrap_or(Safety::Power);
        let mut state = bench.make_safe(safety).map_err(|error| error.to_string());
        let conn = &bench.conn;
        let changes = conn.total_changes();
        let told = Told {
            due: Cell::new(i64::MAX),
            to_send: Cell::new(false),
            to_post: Cell::new(false),
            to_keep: RefCell::default(),
            recalled: Cell::new(false),
            changed: RefCell::default(),
            credentials: Cell::new(false),
        };
        if state.is_ok() {
            state = run(conn, BEGIN).map_err(|error| error.to_string());
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
                state = Err("the transaction was rolled back".into());
            }
        }
        fault::point("commit.ready");
        let committed = state.and_then(|()| commit(conn));
        fault::point("commit.done");
        // What was rolled back is counted as well, and is no news: whoever it woke would only fail again.
        if committed.is_ok() && conn.total_changes() != changes {
            self.news.publish(Published {
                // The log of what was sent is read from the file, never remembered.
                remembered: safety == Safety::Power,
                due: told.due.get(),
                to_send: told.to_send.get(),
                to_post: told.to_post.get(),
                to_keep: told.to_keep.take(),
                recalled: told.recalled.get(),
                changed: told.changed.take(),
                credentials: told.credentials.get(),
            });
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
        self.pulse.rest();
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
