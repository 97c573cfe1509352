//! The only reader of the system clock. All other code receives an instant.

use crate::failpoint;
use jiff::{SignedDuration, Timestamp};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// The system clock, or a frozen development clock. Instants are whole milliseconds.
#[derive(Debug)]
pub struct Clock {
    /// Milliseconds since 1970 if the clock is frozen; otherwise [`RUNNING`].
    frozen_at: AtomicI64,
}

const RUNNING: i64 = i64::MIN;

impl Clock {
    /// The system clock.
    pub fn system() -> Clock {
        Clock {
            frozen_at: AtomicI64::new(RUNNING),
        }
    }

    /// A clock frozen at an instant.
    pub fn frozen(at: Timestamp) -> Clock {
        Clock {
            frozen_at: AtomicI64::new(at.as_millisecond()),
        }
    }

    /// The current instant.
    pub fn now(&self) -> Timestamp {
        match self.frozen_at.load(Ordering::Acquire) {
            RUNNING => whole_millisecond(system_now()),
            frozen => Timestamp::from_millisecond(frozen).unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }

    /// Whether the clock is frozen.
    pub fn is_frozen(&self) -> bool {
        self.frozen_at.load(Ordering::Acquire) != RUNNING
    }

    /// Moves a frozen clock. Has no effect on the system clock.
    pub fn set(&self, to: Timestamp) {
        if self.is_frozen() {
            self.frozen_at.store(to.as_millisecond(), Ordering::Release);
        }
    }
}

/// Time for deadlines and rate limits. It never steps, and does not advance while the machine sleeps.
pub fn monotonic() -> Instant {
    Instant::now()
}

/// The processor time that this thread has taken. What other threads do meanwhile does not count.
pub fn processor_time() -> Duration {
    let taken = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(taken).unwrap_or_default()
}

fn system_now() -> Timestamp {
    let now = Timestamp::now();
    now.saturating_add(SignedDuration::from_secs(failpoint::clock_shift()))
        .unwrap_or(now)
}

fn whole_millisecond(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}
