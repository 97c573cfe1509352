//! Heartbeats of the threads that the server requires.
//!
//! A thread beats at each turn of its loop. Its [`Heartbeat`] shows whether it has ended, hangs, or waits for work. Time is
//! monotonic, so it advances while the development clock is frozen.

use super::clock::monotonic;
use crate::failpoint;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After how long without a beat a thread counts as hanging. Longer than any turn of a loop: loops turn twice a second, and
/// wait for a locked database for five seconds, once or twice.
pub fn late_after() -> Duration {
    Duration::from_secs(failpoint::late(20))
}

/// The last sign of life of a thread. Clones share it.
#[derive(Clone, Debug)]
pub struct Heartbeat(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: &'static str,
    state: Mutex<State>,
    /// Since when every turn has failed.
    failing_since: Mutex<Option<Instant>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    NotStarted,
    /// Busy, with the last beat at this instant.
    Beat(Instant),
    /// Waits for work, possibly for a long time.
    Idle,
    Ended,
}

impl Heartbeat {
    /// The heartbeat of a thread that has not started. The name appears in the log and in `/readyz`.
    pub fn new(name: &'static str) -> Heartbeat {
        Heartbeat(Arc::new(Inner {
            name,
            state: Mutex::new(State::NotStarted),
            failing_since: Mutex::default(),
        }))
    }

    /// The name of the thread.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Records that the thread is busy.
    pub fn beat(&self) {
        self.set(State::Beat(monotonic()));
    }

    /// Records that the thread waits for work, possibly for a long time.
    pub fn idle(&self) {
        self.set(State::Idle);
    }

    /// Called by the thread itself. Dropping the guard, also by a panic, records that the thread has ended.
    pub fn start(&self) -> ThreadGuard {
        self.beat();
        ThreadGuard(self.clone())
    }

    /// The time since the last beat: zero while the thread is idle, `None` before it starts and after it has ended.
    pub fn age(&self) -> Option<Duration> {
        match *self.state() {
            State::Beat(at) => Some(monotonic().saturating_duration_since(at)),
            State::Idle => Some(Duration::ZERO),
            State::NotStarted | State::Ended => None,
        }
    }

    /// Whether the thread runs and does not hang.
    pub fn is_fresh(&self) -> bool {
        self.age().is_some_and(|age| age <= late_after())
    }

    /// Records whether a turn of the loop succeeded.
    pub fn record_turn(&self, succeeded: bool) {
        let mut failing_since = self.failing_since();
        *failing_since = match succeeded {
            true => None,
            false => failing_since.or_else(|| Some(monotonic())),
        };
    }

    /// For how long every turn has failed; `None` if the last one succeeded.
    pub fn failing_for(&self) -> Option<Duration> {
        self.failing_since()
            .map(|since| monotonic().saturating_duration_since(since))
    }

    fn failing_since(&self) -> MutexGuard<'_, Option<Instant>> {
        (self.0.failing_since)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the thread has ended.
    pub fn has_ended(&self) -> bool {
        *self.state() == State::Ended
    }

    fn set(&self, new: State) {
        let mut state = self.state();
        // Other threads may take over its work, but an ended thread stays ended.
        if *state != State::Ended {
            *state = new;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held by a thread while it runs.
#[derive(Debug)]
pub struct ThreadGuard(Heartbeat);

impl Drop for ThreadGuard {
    fn drop(&mut self) {
        self.0.set(State::Ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_shows_what_its_thread_does() {
        let heartbeat = Heartbeat::new("test");
        assert_eq!((heartbeat.age(), heartbeat.is_fresh()), (None, false));
        let guard = heartbeat.start();
        assert!(heartbeat.is_fresh());
        heartbeat.idle();
        assert_eq!(heartbeat.age(), Some(Duration::ZERO));
        heartbeat.set(State::Beat(monotonic() - 2 * late_after()));
        assert!(!heartbeat.is_fresh() && !heartbeat.has_ended());
        for (succeeded, failing) in [(false, true), (false, true), (true, false)] {
            heartbeat.record_turn(succeeded);
            assert_eq!(heartbeat.failing_for().is_some(), failing);
        }
        drop(guard);
        heartbeat.beat();
        assert!(heartbeat.has_ended() && !heartbeat.is_fresh());
    }

    #[test]
    fn a_panic_ends_the_thread() {
        let heartbeat = Heartbeat::new("test");
        let shared = heartbeat.clone();
        let thread = std::thread::spawn(move || {
            let _guard = shared.start();
            std::panic::panic_any(());
        });
        thread.join().expect_err("a panic");
        assert!(heartbeat.has_ended());
    }
}
