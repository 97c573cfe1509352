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
    /// The latest instant that it has shown or that was noted, in milliseconds.
    latest: AtomicI64,
}

const RUNNING: i64 = i64::MIN;

impl Clock {
    /// The system clock.
    pub fn system() -> Clock {
        Clock {
            frozen_at: AtomicI64::new(RUNNING),
            latest: AtomicI64::new(i64::MIN),
        }
    }

    /// A clock frozen at an instant.
    pub fn frozen(at: Timestamp) -> Clock {
        Clock {
            frozen_at: AtomicI64::new(at.as_millisecond()),
            latest: AtomicI64::new(i64::MIN),
        }
    }

    /// The current instant.
    pub fn now(&self) -> Timestamp {
        match self.frozen_at.load(Ordering::Acquire) {
            RUNNING => {
                let now = whole_millisecond(system_now());
                self.note(now);
                now
            }
            frozen => Timestamp::from_millisecond(frozen).unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }

    /// Notes an instant that the clock must have shown before, such as that of the last stored change.
    pub fn note(&self, at: Timestamp) {
        let at = at.as_millisecond();
        // Most readings are in a millisecond that was noted.
        if at > self.latest.load(Ordering::Relaxed) {
            self.latest.fetch_max(at, Ordering::Relaxed);
        }
    }

    /// The latest instant that the clock has shown or that was noted, if it shows an earlier one now: then it was set back.
    pub fn was_set_back_from(&self) -> Option<Timestamp> {
        let now = self.now();
        let latest = Timestamp::from_millisecond(self.latest.load(Ordering::Relaxed)).ok()?;
        (!self.is_frozen() && latest > now).then_some(latest)
    }

    /// By how much the clock was set back and has not caught up; zero if it was not, and for a frozen clock.
    pub fn behind(&self) -> Duration {
        let latest = self.was_set_back_from();
        latest
            .and_then(|latest| Duration::try_from(latest.duration_since(self.now())).ok())
            .unwrap_or_default()
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

/// The instant by the system's clock, also while the development clock is frozen.
pub fn real_time() -> Timestamp {
    whole_millisecond(system_now())
}

fn system_now() -> Timestamp {
    let now = Timestamp::now();
    now.saturating_add(SignedDuration::from_secs(failpoint::clock_shift()))
        .unwrap_or(now)
}

fn whole_millisecond(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_knows_that_it_was_set_back() {
        let clock = Clock::system();
        let now = clock.now();
        assert_eq!(clock.behind(), Duration::ZERO);
        clock.note(now - SignedDuration::from_hours(1));
        assert_eq!(clock.was_set_back_from(), None);
        let later = now + SignedDuration::from_hours(72);
        clock.note(later);
        assert_eq!(clock.was_set_back_from(), Some(later));
        let behind = clock.behind();
        assert!(
            behind > Duration::from_secs(71 * 3600) && behind <= Duration::from_secs(72 * 3600)
        );
        let frozen = Clock::frozen(now);
        frozen.note(later);
        assert_eq!((frozen.behind(), frozen.now()), (Duration::ZERO, now));
    }
}
