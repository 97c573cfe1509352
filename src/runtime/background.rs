//! Background loops. [`Runtime::start`] is the one place where a loop is registered: with its name, its wakeup, how it is
//! stopped and how closely it is watched. What follows from that needs no other edit: the thread and its name in the log, the
//! heartbeat, retries after errors and panics, supervision, and the answer of `/readyz`.
//!
//! A loop of its own file, which is started by a line in `cli::run::start_loops`:
//!
//! ```
//! use rota::runtime::background::{LoopSpec, POLL, Runtime, StopFlag, Watch, stop_all};
//! use rota::runtime::wakeup::Wakeup;
//! use std::time::Duration;
//!
//! let runtime = Runtime::default();
//! let refresh = Wakeup::default();
//! let spec = LoopSpec {
//!     name: "calendars",
//!     wakeup: refresh.clone(),
//!     stop: StopFlag::default(),
//!     watch: Watch::Readiness,
//! };
//! let calendars = runtime.start(spec, |_heartbeat| {
//!     // Do what is due, then answer how long to wait for the next turn.
//!     Ok::<Duration, std::io::Error>(POLL)
//! })?;
//!
//! // Whoever has work for the loop wakes it.
//! refresh.wake();
//! assert!(runtime.heartbeat("calendars").is_some());
//! stop_all(vec![calendars], Duration::from_secs(2));
//! # Ok::<(), std::io::Error>(())
//! ```

use super::clock::monotonic;
use super::heartbeat::Heartbeat;
use super::wakeup::Wakeup;
use crate::fault;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest wait before a loop looks at the clock and at the commits of other processes again: clocks step, machines sleep.
pub const POLL: Duration = Duration::from_millis(500);

/// The wait after a turn that failed, so that a file that cannot be used is not asked for without end.
const RETRY: Duration = Duration::from_secs(5);

/// How often the end of a thread is looked for.
const END_POLL: Duration = Duration::from_millis(2);

/// How closely a thread is watched. One that ends by itself always ends the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Its turns are short. While one is late, or all have failed for as long, `/readyz` answers 503; a late one is logged and
    /// keeps the service manager from being pinged.
    Readiness,
    /// The same without `/readyz`.
    Liveness,
    /// Its turns may be long, because they wait for another service.
    End,
}

/// Asks loops to end. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// The loops end after the turn in hand, once they are woken.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether they are to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What there is to know of a loop before it starts.
pub struct LoopSpec {
    /// In the log, in `/readyz`, and up to its first colon the name of the thread.
    pub name: &'static str,
    /// Begins the next turn at once.
    pub wakeup: Wakeup,
    /// Ends the loop; several may share one.
    pub stop: StopFlag,
    pub watch: Watch,
}

/// A thread that the server cannot do without.
#[derive(Clone, Debug)]
pub struct Watched {
    pub heartbeat: Heartbeat,
    pub watch: Watch,
}

/// The background threads of a server, and whether it is stopping.
#[derive(Debug, Default)]
pub struct Runtime {
    watched: Mutex<Vec<Watched>>,
    stopping: AtomicBool,
}

impl Runtime {
    /// Registers a loop and starts its thread. `turn` does what is due and answers how long to wait, at the most, before the
    /// next turn. One that fails or panics is logged and tried again 5 seconds later. The heartbeat beats before and after each
    /// turn; a long turn may beat by itself.
    ///
    /// # Errors
    /// When the system has no thread for it.
    pub fn start<E: Display>(
        &self,
        spec: LoopSpec,
        turn: impl FnMut(&Heartbeat) -> Result<Duration, E> + Send + 'static,
    ) -> io::Result<LoopThread> {
        let heartbeat = Heartbeat::new(spec.name);
        // It counts as started from here on: whoever looks before its first turn finds nothing late.
        heartbeat.beat();
        let (wakeup, stop) = (spec.wakeup.clone(), spec.stop.clone());
        let beating = heartbeat.clone();
        let thread_name = spec.name.split(':').next().unwrap_or(spec.name);
        let thread = std::thread::Builder::new()
            .name(thread_name.into())
            .spawn(move || run(&beating, &wakeup, &stop, turn))?;
        self.watch(heartbeat, spec.watch);
        Ok(LoopThread { spec, thread })
    }

    /// Registers a thread that is no loop of this kind.
    pub fn watch(&self, heartbeat: Heartbeat, watch: Watch) {
        self.list().push(Watched { heartbeat, watch });
    }

    /// All that were registered, in that order.
    pub fn watched(&self) -> Vec<Watched> {
        self.list().clone()
    }

    /// The heartbeat of the thread of that name, where one was registered.
    pub fn heartbeat(&self, name: &str) -> Option<Heartbeat> {
        let list = self.list();
        let found = list.iter().find(|one| one.heartbeat.name() == name);
        found.map(|one| one.heartbeat.clone())
    }

    /// Says that threads which end from now on do so because they were asked to.
    pub fn begin_stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Whether the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn list(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread of a loop.
pub struct LoopThread {
    spec: LoopSpec,
    thread: JoinHandle<()>,
}

impl LoopThread {
    /// Asks it to end after the turn in hand.
    pub fn stop(&self) {
        self.spec.stop.set();
        self.spec.wakeup.wake();
    }
}

/// Asks loops to end and waits for `grace` at the most. One that is still at work then is left behind and logged.
pub fn stop_all(loops: Vec<LoopThread>, grace: Duration) {
    loops.iter().for_each(LoopThread::stop);
    await_end(&loops, monotonic() + grace);
    for running in loops.iter().filter(|one| !one.thread.is_finished()) {
        let name = running.spec.name;
        log::warn!("{name}: still at work; what is due is done after the next start");
    }
}

/// Waits for loops to end that were asked to, until an instant at the most; answers how many have not.
pub fn await_end(loops: &[LoopThread], deadline: Instant) -> usize {
    loop {
        let running = loops.iter().filter(|one| !one.thread.is_finished());
        let running = running.count();
        if running == 0 || !deadline.elapsed().is_zero() {
            return running;
        }
        std::thread::sleep(END_POLL);
    }
}

fn run<E: Display>(
    heartbeat: &Heartbeat,
    wakeup: &Wakeup,
    stop: &StopFlag,
    mut turn: impl FnMut(&Heartbeat) -> Result<Duration, E>,
) {
    let (name, _guard) = (heartbeat.name(), heartbeat.start());
    while !stop.is_set() {
        heartbeat.beat();
        // Read before the turn: a wakeup between its queries and the wait is not lost.
        let seen = wakeup.generation();
        let turned = catch_unwind(AssertUnwindSafe(|| turn(heartbeat)));
        heartbeat.record_turn(matches!(turned, Ok(Ok(_))));
        // A turn that failed may have taken long, and so does the wait after it.
        heartbeat.beat();
        let wait = match turned {
            Ok(Ok(wait)) => wait,
            Ok(Err(error)) => {
                log::error!("{name}: {error}; trying again in {} s", RETRY.as_secs());
                RETRY
            }
            Err(_) => {
                log::error!(
                    "{name}: a panic was caught; trying again in {} s",
                    RETRY.as_secs()
                );
                RETRY
            }
        };
        fault::point_of(name, "thread");
        wakeup.wait(seen, wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    const LONG: Duration = Duration::from_secs(60);

    fn spec(name: &'static str) -> LoopSpec {
        LoopSpec {
            name,
            wakeup: Wakeup::default(),
            stop: StopFlag::default(),
            watch: Watch::Readiness,
        }
    }

    #[test]
    fn one_registration_is_all_that_a_loop_needs() {
        let (runtime, spec) = (Runtime::default(), spec("test: loop"));
        let wakeup = spec.wakeup.clone();
        let (turned, turns) = channel();
        let running = runtime.start(spec, move |heartbeat| {
            let thread = std::thread::current().name().map(str::to_owned);
            turned.send((thread, heartbeat.name())).unwrap();
            Ok::<_, String>(LONG)
        });
        let running = running.expect("a thread");
        // Without the wakeup there would be one turn in a minute.
        for _ in 0..3 {
            let (thread, name) = turns.recv_timeout(LONG).expect("a turn");
            assert_eq!((thread.as_deref(), name), (Some("test"), "test: loop"));
            wakeup.wake();
        }
        let [watched] = &runtime.watched()[..] else {
            panic!("one is watched");
        };
        assert_eq!(watched.watch, Watch::Readiness);
        let heartbeat = runtime.heartbeat("test: loop").expect("a heartbeat");
        assert!(heartbeat.is_fresh());
        running.stop();
        assert_eq!(await_end(&[running], monotonic() + LONG), 0);
        assert!(heartbeat.has_ended());
        assert!(runtime.heartbeat("another").is_none());
    }

    #[test]
    fn turns_that_fail_and_panic_do_not_end_the_loop() {
        let (runtime, spec) = (Runtime::default(), spec("test"));
        let wakeup = spec.wakeup.clone();
        let (turned, turns) = channel();
        let mut count = 0;
        let running = runtime.start(spec, move |_| {
            count += 1;
            turned.send(count).unwrap();
            match count {
                1 => Err("a failure"),
                2 => std::panic::panic_any(()),
                _ => Ok(LONG),
            }
        });
        let running = running.expect("a thread");
        let heartbeat = runtime.heartbeat("test").expect("a heartbeat");
        for turn in 1..=3 {
            assert_eq!(turns.recv_timeout(LONG), Ok(turn));
            wakeup.wake();
        }
        assert_eq!(turns.recv_timeout(LONG), Ok(4));
        assert_eq!(heartbeat.failing_for(), None);
        assert!(!heartbeat.has_ended());
        stop_all(vec![running], LONG);
        assert!(heartbeat.has_ended());
    }
}
