//! A bell: loops wait on it, commits ring it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Counts its rings, so that one that comes between a query and the wait after it is not lost.
#[derive(Debug, Default)]
pub struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Bell {
    /// How often it has rung. Read this before the query that decides whether to wait.
    pub fn rings(&self) -> u64 {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes everybody who waits.
    pub fn ring(&self) {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.rung.notify_all();
    }

    /// Waits until it has rung more often than `heard`, or for `at_most`.
    pub fn wait(&self, heard: u64, at_most: Duration) {
        let rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = |rings: &mut u64| *rings == heard;
        drop(self.rung.wait_timeout_while(rings, at_most, silent));
    }
}
