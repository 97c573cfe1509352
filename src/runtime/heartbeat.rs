//! Signs of life of the threads that a server cannot do without.
//!
//! A thread has a [`Pulse`], which it beats at each turn of its loop. Whoever watches can tell a thread that has ended from
//! one that hangs, and both from one that waits for something to do. Time is monotonic: it goes on where the development
//! clock stands still.

use crate::fault;
use crate::runtime::clock::monotonic;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any turn of a loop takes: one that has not beaten for this long hangs. Loops look twice a second; where another
/// program has locked the database, they wait five seconds for it, once or twice.
pub fn late() -> Duration {
    Duration::from_secs(fault::late(20))
}

/// What a thread did last. Clones are the same pulse.
#[derive(Clone, Debug)]
pub struct Pulse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: &'static str,
    last: Mutex<Last>,
    /// Since when every turn has gone wrong.
    failing: Mutex<Option<Instant>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// It has not begun.
    Nothing,
    /// It was at work at this instant.
    Beat(Instant),
    /// It waits, for as long as it takes, for somebody to ask for something.
    Rest,
    /// Its thread has ended.
    End,
}

impl Pulse {
    /// A pulse of a thread that is still to begin; the log calls it by this name.
    pub fn new(name: &'static str) -> Pulse {
        Pulse(Arc::new(Inner {
            name,
            last: Mutex::new(Last::Nothing),
            failing: Mutex::default(),
        }))
    }

    /// How the log names the thread.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// The thread is at work.
    pub fn beat(&self) {
        self.note(Last::Beat(monotonic()));
    }

    /// The thread waits for work, which may not come for a long time.
    pub fn rest(&self) {
        self.note(Last::Rest);
    }

    /// Whoever holds the answer is the thread: it has ended when that is dropped, also by a panic.
    pub fn life(&self) -> Life {
        self.beat();
        Life(self.clone())
    }

    /// How long ago it was at work; zero while it waits for some, `None` before it has begun and after it has ended.
    pub fn age(&self) -> Option<Duration> {
        match *self.last() {
            Last::Beat(at) => Some(monotonic().saturating_duration_since(at)),
            Last::Rest => Some(Duration::ZERO),
            Last::Nothing | Last::End => None,
        }
    }

    /// Whether it goes on as it should.
    pub fn is_fresh(&self) -> bool {
        self.age().is_some_and(|age| age <= late())
    }

    /// How a turn of its loop went.
    pub fn note_turn(&self, went_well: bool) {
        let mut failing = self.failing();
        *failing = match went_well {
            true => None,
            false => failing.or_else(|| Some(monotonic())),
        };
    }

    /// For how long every turn has gone wrong; `None` where the last one went well.
    pub fn failing_for(&self) -> Option<Duration> {
        self.failing()
            .map(|since| monotonic().saturating_duration_since(since))
    }

    fn failing(&self) -> MutexGuard<'_, Option<Instant>> {
        (self.0.failing)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the thread has ended.
    pub fn has_ended(&self) -> bool {
        *self.last() == Last::End
    }

    fn note(&self, now: Last) {
        let mut last = self.last();
        // Others may do a dead thread's work, and must not bring it back to life.
        if *last != Last::End {
            *last = now;
        }
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The life of a thread.
#[derive(Debug)]
pub struct Life(Pulse);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.note(Last::End);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulse_tells_what_its_thread_does() {
        let pulse = Pulse::new("test");
        assert_eq!((pulse.age(), pulse.is_fresh()), (None, false));
        let life = pulse.life();
        assert!(pulse.is_fresh());
        pulse.rest();
        assert_eq!(pulse.age(), Some(Duration::ZERO));
        pulse.note(Last::Beat(monotonic() - 2 * late()));
        assert!(!pulse.is_fresh() && !pulse.has_ended());
        for (went_well, failing) in [(false, true), (false, true), (true, false)] {
            pulse.note_turn(went_well);
            assert_eq!(pulse.failing_for().is_some(), failing);
        }
        drop(life);
        pulse.beat();
        assert!(pulse.has_ended() && !pulse.is_fresh());
    }

    #[test]
    fn a_panic_ends_a_life() {
        let pulse = Pulse::new("test");
        let shared = pulse.clone();
        let thread = std::thread::spawn(move || {
            let _life = shared.life();
            std::panic::panic_any(());
        });
        thread.join().expect_err("a panic");
        assert!(pulse.has_ended());
    }
}
