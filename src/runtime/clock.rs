//! The only reader of the system clock. Everything else is handed an instant.

use crate::fault;
use jiff::{SignedDuration, Timestamp};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// The real clock, or the development clock that stands still until it is moved. Instants are whole milliseconds.
#[derive(Debug)]
pub struct Clock {
    /// Milliseconds since 1970 where the clock is frozen; [`RUNNING`] otherwise.
    frozen_at: AtomicI64,
}

const RUNNING: i64 = i64::MIN;

impl Clock {
    /// The system's clock.
    pub fn system() -> Clock {
        Clock {
            frozen_at: AtomicI64::new(RUNNING),
        }
    }

    /// A clock that stands still at an instant.
    pub fn frozen(at: Timestamp) -> Clock {
        Clock {
            frozen_at: AtomicI64::new(at.as_millisecond()),
        }
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        match self.frozen_at.load(Ordering::Acquire) {
            RUNNING => whole_millisecond(system_now()),
            frozen => Timestamp::from_millisecond(frozen).unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }

    /// Whether the clock stands still.
    pub fn is_frozen(&self) -> bool {
        self.frozen_at.load(Ordering::Acquire) != RUNNING
    }

    /// Moves a frozen clock; the real one cannot be moved.
    pub fn set(&self, to: Timestamp) {
        if self.is_frozen() {
            self.frozen_at.store(to.as_millisecond(), Ordering::Release);
        }
    }
}

/// Time for deadlines and rate limits: it never steps, and stands still while the machine sleeps.
pub fn monotonic() -> Instant {
    Instant::now()
}

fn system_now() -> Timestamp {
    let now = Timestamp::now();
    now.saturating_add(SignedDuration::from_secs(fault::clock_shift()))
        .unwrap_or(now)
}

fn whole_millisecond(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}
