//! Supervision of the threads that a server cannot do without, and of its database file. A thread that has ended ends the
//! server, in the usual way but with exit code 1, so that whoever started it starts it again: a server without its timer
//! looks healthy and hands nothing over. So does a database file that is deleted or replaced: what is written to it would be
//! lost. A thread that hangs is logged and shown by `/readyz`, and the service manager notices because the pings end.

use super::background::{Runtime, Watch, Watched};
use super::clock::monotonic;
use super::heartbeat::{Heartbeat, late_after};
use super::wakeup::Wakeup;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it looks, unless the service manager wants to be pinged more often.
const INTERVAL: Duration = Duration::from_millis(500);

/// Longer than any commit takes, also one that brings a log of gigabytes into the file on a slow disk. Whoever writes waits
/// for it, and to end the server would only have it begin anew.
const LONGEST_COMMIT: Duration = Duration::from_secs(300);

/// How often [`Supervision::tidy`] is called: looking through the heap takes milliseconds.
const TIDY_INTERVAL: Duration = Duration::from_secs(5);

/// Called by the thread of the supervisor.
pub type Hook = Box<dyn Fn() + Send + Sync>;

/// Stops the server in the usual way; the second time changes nothing.
pub type StopServer = Arc<dyn Fn() + Send + Sync>;

/// What a supervisor needs.
pub struct Supervision {
    /// The threads to watch, also those that are registered later.
    pub runtime: Arc<Runtime>,
    /// The heartbeat of the storage, which the other threads wait for.
    pub storage: Heartbeat,
    /// Says in a sentence what is wrong with the database file, at each look. An error ends the server.
    pub check_database: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// Saves what can be saved; called once, after the check has failed and the server was told to stop.
    pub rescue_database: Hook,
    /// Called every 5 seconds: gives back what is held and no longer needed.
    pub tidy: Hook,
    /// How often the service manager wants to be pinged, where there is one.
    pub ping_every: Option<Duration>,
    /// Pings it.
    pub ping: Hook,
    /// Called when the server cannot go on.
    pub stop_server: StopServer,
}

/// The running supervision.
pub struct Supervisor {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// Why a server cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The thread of this name has ended by itself.
    Thread(&'static str),
    /// The database file is not there any more; in a sentence.
    Database(String),
}

struct Shared {
    supervision: Supervision,
    /// The first that came.
    cause: OnceLock<Cause>,
    over: AtomicBool,
    wakeup: Wakeup,
}

/// The storage, as far as others wait for it.
enum Storage {
    Fresh,
    /// It has been at one commit for long.
    Busy,
    /// It has been for too long.
    Hangs,
}

impl Storage {
    fn of(heartbeat: &Heartbeat) -> Storage {
        match heartbeat.age() {
            Some(age) if age > LONGEST_COMMIT => Storage::Hangs,
            // Those who wait for it began before it did.
            Some(age) if age > late_after() / 2 => Storage::Busy,
            _ => Storage::Fresh,
        }
    }
}

/// Starts to watch.
///
/// # Errors
/// When the system has no thread for it.
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
    /// Ends the supervision; returns why the server could not go on, if it could not.
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
            let well = self.look(&mut hanging) && !runtime.is_stopping();
            let due = ping_every.filter(|every| pinged.is_none_or(|at| at.elapsed() >= *every));
            if well && due.is_some() {
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

    /// Whether all is well, or only waits for a commit that takes long. What is not well is logged once.
    fn look(&self, hanging: &mut Vec<bool>) -> bool {
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
            // In this order: a thread that was asked to end does so only after that was said.
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
                log::error!("{name}: nothing happened for {seconds} s");
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
