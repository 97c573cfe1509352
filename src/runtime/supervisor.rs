//! Supervises the threads that the server requires, and its database file. If a thread ends, the server shuts down with exit
//! code 1, so that the service manager restarts it: a server without its timer looks healthy but makes no hand-overs. The
//! same applies if the database file is deleted or replaced, because later writes would be lost. A thread that hangs is logged
//! and shown by `/readyz`, and the service manager notices because the pings stop.

use super::background::{Runtime, Watch, Watched};
use super::clock::monotonic;
use super::heartbeat::{Heartbeat, late_after};
use super::wakeup::Wakeup;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The check interval, unless the service manager wants more frequent pings.
const INTERVAL: Duration = Duration::from_millis(500);

/// Longer than any commit, including a checkpoint of gigabytes on a slow disk. Writers wait for it, and a restart would only
/// begin it again.
const LONGEST_COMMIT: Duration = Duration::from_secs(300);

/// How often [`Supervision::tidy`] is called. It trims the heap, which takes milliseconds.
const TIDY_INTERVAL: Duration = Duration::from_secs(5);

/// Called on the supervisor's thread.
pub type Hook = Box<dyn Fn() + Send + Sync>;

/// Starts the shutdown of the server. Idempotent.
pub type StopServer = Arc<dyn Fn() + Send + Sync>;

/// The dependencies of a supervisor.
pub struct Supervision {
    /// The threads to watch, including later registrations.
    pub runtime: Arc<Runtime>,
    /// The heartbeat of the storage thread, which the other threads wait for.
    pub storage: Heartbeat,
    /// Returns a sentence about what is wrong with the database file. Called at each check. An error ends the server.
    pub check_database: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// Saves what can be saved. Called once, after the check has failed and the shutdown has started.
    pub rescue_database: Hook,
    /// Called every 5 seconds: releases unused resources.
    pub tidy: Hook,
    /// How often the service manager wants to be pinged, if there is one.
    pub ping_every: Option<Duration>,
    /// Pings it.
    pub ping: Hook,
    /// Called if the server must end.
    pub stop_server: StopServer,
}

/// The running supervision.
pub struct Supervisor {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// Why the server must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The thread of this name has ended by itself.
    Thread(&'static str),
    /// The database file is gone, or is another version's, with a sentence.
    Database(String),
}

struct Shared {
    supervision: Supervision,
    /// The first cause.
    cause: OnceLock<Cause>,
    over: AtomicBool,
    wakeup: Wakeup,
}

/// The state of the storage thread for those that wait for it.
enum Storage {
    Fresh,
    /// It has been at one commit for a long time.
    Busy,
    /// It has been for too long.
    Hangs,
}

impl Storage {
    fn of(heartbeat: &Heartbeat) -> Storage {
        match heartbeat.age() {
            Some(age) if age > LONGEST_COMMIT => Storage::Hangs,
            // The threads that wait for it were late before it was.
            Some(age) if age > late_after() / 2 => Storage::Busy,
            _ => Storage::Fresh,
        }
    }
}

/// Starts the supervision.
pub fn start(supervision: Supervision) -> std::io::Result<Supervisor> {
    let shared = Arc::new(Shared {
        supervision,
        cause: OnceLock::new(),
        over: AtomicBool::new(false),
        wakeup: Wakeup::default(),
    });
    let watching = Arc::clone(&shared);
    let thread = std::thread::Builder::new()
        .name("supervisor".into())
        .spawn(move || watching.run())?;
    Ok(Supervisor { shared, thread })
}

impl Supervisor {
    /// Ends the supervision. Returns why the server had to end, if it had to.
    pub fn stop(self) -> Option<Cause> {
        self.shared.over.store(true, Ordering::Release);
        self.shared.wakeup.wake();
        drop(self.thread.join());
        self.shared.cause.get().cloned()
    }
}

impl Shared {
    fn run(&self) {
        let Supervision {
            runtime,
            ping_every,
            ping,
            tidy,
            ..
        } = &self.supervision;
        let wait = ping_every.map_or(INTERVAL, |every| INTERVAL.min(every / 2));
        let mut hanging = Vec::new();
        let mut pinged: Option<Instant> = None;
        let mut tidied = monotonic();
        while !self.over.load(Ordering::Acquire) {
            let seen = self.wakeup.generation();
            let healthy = self.check(&mut hanging) && !runtime.is_stopping();
            let due = ping_every.filter(|every| pinged.is_none_or(|at| at.elapsed() >= *every));
            if healthy && due.is_some() {
                ping();
                pinged = Some(monotonic());
            }
            if tidied.elapsed() >= TIDY_INTERVAL {
                tidied = monotonic();
                tidy();
            }
            self.wakeup.wait(seen, wait);
        }
    }

    /// Whether all threads are healthy, or only wait for a long commit. Problems are logged once.
    fn check(&self, hanging: &mut Vec<bool>) -> bool {
        let Supervision {
            runtime,
            storage,
            check_database,
            rescue_database,
            stop_server,
            ..
        } = &self.supervision;
        if let Err(why) = check_database()
            && self.cause.get().is_none()
        {
            log::error!("{why}; stopping the server");
            self.cause.get_or_init(|| Cause::Database(why));
            stop_server();
            rescue_database();
        }
        let watched = runtime.watched();
        hanging.resize(watched.len(), false);
        for (Watched { heartbeat, watch }, hangs) in watched.iter().zip(&mut *hanging) {
            let name = heartbeat.name();
            // In this order: the stop is recorded before the threads are asked to end.
            if heartbeat.has_ended() && !runtime.is_stopping() {
                log::error!("{name}: its thread has ended; stopping the server");
                self.cause.get_or_init(|| Cause::Thread(name));
                stop_server();
            }
            // Before the first request the accepting thread has not started.
            let age = heartbeat.age().filter(|_| *watch != Watch::End);
            let late = age.is_some() && !heartbeat.is_fresh();
            if late && !*hangs {
                let seconds = age.unwrap_or_default().as_secs();
                log::error!("{name}: no progress for {seconds} s");
            }
            if *hangs && !late && !heartbeat.has_ended() {
                log::info!("{name}: goes on");
            }
            *hangs = late;
        }
        let goes_on = match Storage::of(storage) {
            Storage::Fresh => !hanging.contains(&true),
            Storage::Busy => true,
            Storage::Hangs => false,
        };
        goes_on && self.cause.get().is_none()
    }
}
