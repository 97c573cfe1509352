//! Wakes waiting threads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Wakes the threads that wait on it. Clones share it.
///
/// Calls are counted, so that a call between a query and the following wait is not lost:
///
/// ```
/// # use rota::runtime::wakeup::Wakeup;
/// # use std::time::Duration;
/// # let wakeup = Wakeup::default();
/// let seen = wakeup.generation();
/// // Query for work here. A call of `wake` from now on ends the wait at once.
/// # wakeup.wake();
/// wakeup.wait(seen, Duration::from_millis(500));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Wakeup(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    generation: Mutex<u64>,
    changed: Condvar,
}

impl Wakeup {
    /// The number of calls so far. Read it before the query that decides whether to wait.
    pub fn generation(&self) -> u64 {
        *(self.0.generation)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes every waiting thread.
    pub fn wake(&self) {
        *(self.0.generation)
            .lock()
            .unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_all();
    }

    /// Waits until the generation differs from `seen`, at most for `at_most`.
    pub fn wait(&self, seen: u64, at_most: Duration) {
        let generation = (self.0.generation)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let unchanged = |generation: &mut u64| *generation == seen;
        drop(
            self.0
                .changed
                .wait_timeout_while(generation, at_most, unchanged),
        );
    }
}
