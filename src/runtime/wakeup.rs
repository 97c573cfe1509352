//! A bell: loops wait on it, commits ring it.

use crate::fault;
use crate::runtime::heartbeat::Pulse;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest wait before the clock and other processes' commits are looked at again: clocks step, machines sleep.
pub const LOOK: Duration = Duration::from_millis(500);

/// The wait after something went wrong, so that a file that cannot be used is not asked for without end.
const RETRY: Duration = Duration::from_secs(5);

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

/// How often the end of a thread is looked for.
const END_LOOK: Duration = Duration::from_millis(2);

/// Waits for threads to end that were told to, until an instant at the most; answers how many have not.
pub fn await_end(threads: &[JoinHandle<()>], deadline: Instant) -> usize {
    loop {
        let running = threads.iter().filter(|thread| !thread.is_finished());
        let running = running.count();
        if running == 0 || !deadline.elapsed().is_zero() {
            return running;
        }
        std::thread::sleep(END_LOOK);
    }
}

/// Looks whenever the bell rings, and when the time is up that the last look asked for, until it is told to stop. A look
/// that fails or panics is told in the log under the name of the pulse, and made again a little later. The pulse beats at
/// each look, and ends with the thread.
pub fn attend<E: Display>(
    pulse: &Pulse,
    bell: &Bell,
    stopping: &AtomicBool,
    mut look: impl FnMut() -> Result<Duration, E>,
) {
    let (name, _life) = (pulse.name(), pulse.life());
    while !stopping.load(Ordering::Acquire) {
        pulse.beat();
        // Read before the look: a ring between its queries and the wait is not lost.
        let heard = bell.rings();
        let looked = catch_unwind(AssertUnwindSafe(&mut look));
        pulse.note_turn(matches!(looked, Ok(Ok(_))));
        // What went wrong may have taken long, and so does the wait after it.
        pulse.beat();
        let wait = match looked {
            Ok(Ok(wait)) => wait,
            Ok(Err(fault)) => {
                log::error!("{name}: {fault}; trying again in {} s", RETRY.as_secs());
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
        bell.wait(heard, wait);
    }
}
