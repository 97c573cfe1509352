//! Events of a platform about single people, user groups and channels while the directory is read in full.

use crate::domain::directory_reading::Said;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct State {
    /// Readings that are under way.
    readings: usize,
    said: Said,
    /// How often something was said.
    times: u64,
}

/// The events since the oldest reading that is under way began.
#[derive(Default)]
pub struct ReadingEvents(Mutex<State>);

impl ReadingEvents {
    /// Begins a reading: what is said from now on, until the result is dropped, is newer than what it reads.
    pub fn begin(&self) -> UnderWay<'_> {
        self.state().readings += 1;
        UnderWay(self)
    }

    /// Notes of whom or what something is said. It has to be noted before it is stored.
    pub fn note(&self, said: Said) {
        let mut state = self.state();
        if state.readings > 0 {
            state.said.add(said);
            state.times += 1;
        }
    }

    /// How often something was said during readings.
    pub fn times(&self) -> u64 {
        self.state().times
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reading that is under way.
pub struct UnderWay<'a>(&'a ReadingEvents);

impl UnderWay<'_> {
    /// The events since it began, and [`ReadingEvents::times`] then.
    pub fn said(&self) -> (Said, u64) {
        let state = self.0.state();
        (state.said.clone(), state.times)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.readings -= 1;
        if state.readings == 0 {
            state.said = Said::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_counts_while_a_reading_is_under_way() {
        let meanwhile = ReadingEvents::default();
        let say = |id: &str| meanwhile.note(Said::person(&id.into()));
        say("U1");
        let first = meanwhile.begin();
        assert_eq!(first.said(), (Said::default(), 0));
        say("U2");
        let second = meanwhile.begin();
        drop(first);
        assert_eq!(second.said(), (Said::person(&"U2".into()), 1));
        say("U2");
        assert_eq!(second.said(), (Said::person(&"U2".into()), 2));
        drop(second);
        assert_eq!(meanwhile.begin().said(), (Said::default(), 2));
    }
}
