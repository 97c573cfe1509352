//! Background loops. [`Runtime::start`] is the one place where a loop is registered: with its name, its wakeup, how it is
//! stopped and how closely it is watched. The thread and its name in the log, the heartbeat, retries after errors and panics,
//! supervision and the answer of `/readyz` follow from the registration.
//!
//! A loop in its own file, started by a line in `cli::run::start_loops`:
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
//!     // Do what is due, then return how long to wait for the next turn.
//!     Ok::<Duration, std::io::Error>(POLL)
//! })?;
//!
//! // A commit that creates work for the loop wakes it.
//! refresh.wake();
//! assert!(runtime.heartbeat("calendars").is_some());
//! stop_all(vec![calendars], Duration::from_secs(2));
//! # Ok::<(), std::io::Error>(())
//! ```

use super::clock::monotonic;
use super::heartbeat::Heartbeat;
use super::wakeup::Wakeup;
use crate::failpoint;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest wait before a loop checks the clock and other processes' commits again: clocks step, machines sleep.
pub const POLL: Duration = Duration::from_millis(500);

/// The wait after a failed turn, so that an unusable file is not retried continuously.
const RETRY: Duration = Duration::from_secs(5);

/// The wait of a loop between two looks whether it is paused still.
const PAUSED: Duration = Duration::from_millis(50);

/// How often the end of a thread is polled.
const END_POLL: Duration = Duration::from_millis(2);

/// How closely a thread is watched. A thread that ends by itself always ends the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Turns are short. While one is late, or all have failed for as long, `/readyz` returns 503. A late thread is logged and
    /// stops the pings to the service manager.
    Readiness,
    /// As `Readiness`, but without `/readyz`.
    Liveness,
    /// Turns may be long, because they wait for another service.
    End,
}

/// Asks loops to end. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the loops to end after their current turn, once they are woken.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the loops are asked to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The registration of a loop.
pub struct LoopSpec {
    /// Used in the log and in `/readyz`. The part before the first colon names the thread.
    pub name: &'static str,
    /// Starts the next turn at once.
    pub wakeup: Wakeup,
    /// Ends the loop. Several loops may share one flag.
    pub stop: StopFlag,
    pub watch: Watch,
}

/// A thread that the server requires.
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
    turns: Arc<Turns>,
}

/// The turns of loops that are paused together.
#[derive(Debug, Default)]
struct Turns {
    paused: AtomicBool,
    running: AtomicUsize,
}

impl Turns {
    /// Begins a turn, unless they are paused.
    fn begin(&self) -> bool {
        self.running.fetch_add(1, Ordering::SeqCst);
        let begun = !self.paused.load(Ordering::SeqCst);
        if !begun {
            self.end();
        }
        begun
    }

    fn end(&self) {
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Runtime {
    /// Registers a loop and starts its thread. `turn` does what is due and returns how long to wait, at most, before the next
    /// turn. A turn that fails or panics is logged and retried 5 seconds later. The heartbeat beats before and after each turn; a
    /// long turn may also beat it.
    pub fn start<E: Display>(
        &self,
        spec: LoopSpec,
        turn: impl FnMut(&Heartbeat) -> Result<Duration, E> + Send + 'static,
    ) -> io::Result<LoopThread> {
        self.start_with(spec, Arc::clone(&self.turns), turn)
    }

    /// As [`Runtime::start`], for a loop that goes on while the others are paused.
    pub fn start_unpaused<E: Display>(
        &self,
        spec: LoopSpec,
        turn: impl FnMut(&Heartbeat) -> Result<Duration, E> + Send + 'static,
    ) -> io::Result<LoopThread> {
        self.start_with(spec, Arc::default(), turn)
    }

    fn start_with<E: Display>(
        &self,
        spec: LoopSpec,
        turns: Arc<Turns>,
        turn: impl FnMut(&Heartbeat) -> Result<Duration, E> + Send + 'static,
    ) -> io::Result<LoopThread> {
        let heartbeat = Heartbeat::new(spec.name);
        // Counts as started from here on, so that nothing is late before its first turn.
        heartbeat.beat();
        let (wakeup, stop) = (spec.wakeup.clone(), spec.stop.clone());
        let beating = heartbeat.clone();
        let thread_name = spec.name.split(':').next().unwrap_or(spec.name);
        let thread = std::thread::Builder::new()
            .name(thread_name.into())
            .spawn(move || run(&beating, &wakeup, &stop, &turns, turn))?;
        self.watch(heartbeat, spec.watch);
        Ok(LoopThread { spec, thread })
    }

    /// Registers a thread that is not a loop of this kind.
    pub fn watch(&self, heartbeat: Heartbeat, watch: Watch) {
        self.list().push(Watched { heartbeat, watch });
    }

    /// All registered threads, in order of registration.
    pub fn watched(&self) -> Vec<Watched> {
        self.list().clone()
    }

    /// The heartbeat of a thread by name.
    pub fn heartbeat(&self, name: &str) -> Option<Heartbeat> {
        let list = self.list();
        let found = list.iter().find(|one| one.heartbeat.name() == name);
        found.map(|one| one.heartbeat.clone())
    }

    /// Marks the server as stopping: threads that end from now on were asked to.
    pub fn begin_stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Whether the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Begins no turn of a loop from now on, until [`Runtime::resume`]. Waits at most so long for turns that have begun.
    pub fn pause(&self, patience: Duration) {
        self.turns.paused.store(true, Ordering::SeqCst);
        let deadline = monotonic() + patience;
        while self.turns.running.load(Ordering::SeqCst) > 0 && deadline.elapsed().is_zero() {
            std::thread::sleep(END_POLL);
        }
    }

    /// Loops take their turns again.
    pub fn resume(&self) {
        self.turns.paused.store(false, Ordering::SeqCst);
    }

    /// Whether no turn of a loop begins.
    pub fn is_paused(&self) -> bool {
        self.turns.paused.load(Ordering::SeqCst)
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
    /// Asks it to end after its current turn.
    pub fn stop(&self) {
        self.spec.stop.set();
        self.spec.wakeup.wake();
    }
}

/// Asks loops to end and waits at most `grace`. A loop that is still busy then is abandoned and logged.
pub fn stop_all(loops: Vec<LoopThread>, grace: Duration) {
    loops.iter().for_each(LoopThread::stop);
    await_end(&loops, monotonic() + grace);
    for running in loops.iter().filter(|one| !one.thread.is_finished()) {
        let name = running.spec.name;
        log::warn!("{name}: still busy; its work continues after the next start");
    }
}

/// Waits until `deadline` for loops to end that were asked to. Returns how many have not.
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
    turns: &Turns,
    mut turn: impl FnMut(&Heartbeat) -> Result<Duration, E>,
) {
    let (name, _guard) = (heartbeat.name(), heartbeat.start());
    while !stop.is_set() {
        heartbeat.beat();
        // Read before the turn, so that a wakeup between its queries and the wait is not lost.
        let seen = wakeup.generation();
        if !turns.begin() {
            // What it was woken for is found by the next turn.
            wakeup.wait(wakeup.generation(), PAUSED);
            continue;
        }
        let turned = catch_unwind(AssertUnwindSafe(|| turn(heartbeat)));
        turns.end();
        heartbeat.record_turn(matches!(turned, Ok(Ok(_))));
        // A failed turn may have taken long, and the wait after it is long.
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
        failpoint::point_of(name, "thread");
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
        // Without the wakeup there would be one turn per minute.
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
    fn paused_loops_begin_no_turn() {
        let runtime = Runtime::default();
        let (turned, turns) = channel();
        let [paused, other] = ["paused", "other"].map(spec);
        let (wakeup, wakes_other) = (paused.wakeup.clone(), other.wakeup.clone());
        let turn = |name: &'static str| {
            let turned = turned.clone();
            move |_: &Heartbeat| {
                turned.send(name).unwrap();
                Ok::<_, String>(LONG)
            }
        };
        let running = runtime.start(paused, turn("paused")).expect("a thread");
        assert_eq!(turns.recv_timeout(LONG), Ok("paused"));
        runtime.pause(LONG);
        assert!(runtime.is_paused());
        wakeup.wake();
        let unpaused = runtime.start_unpaused(other, turn("other"));
        let unpaused = unpaused.expect("a thread");
        for _ in 0..3 {
            assert_eq!(turns.recv_timeout(LONG), Ok("other"));
            wakes_other.wake();
        }
        runtime.resume();
        while turns.recv_timeout(LONG) != Ok("paused") {}
        stop_all(vec![running, unpaused], LONG);
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
