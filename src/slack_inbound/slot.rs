//! Where an answer meets its acknowledgement: a worker makes the answer, another thread acknowledges.

use super::arrival::Answered;
use crate::runtime::clock::monotonic;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The place of one answer. It is taken out once: either by whoever acknowledges, or, when that is too late, by the worker.
#[derive(Default)]
pub struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
enum State {
    /// No answer yet, and whoever acknowledges still waits.
    #[default]
    Open,
    Ready(Box<Answered>),
    /// Acknowledged without an answer, or with the one that was ready.
    Closed,
}

impl Slot {
    /// Puts the answer into the slot. Gives it back if nobody waits for it any more.
    pub fn offer(&self, answered: Answered) -> Option<Answered> {
        let mut state = self.state();
        match *state {
            State::Open => {
                *state = State::Ready(Box::new(answered));
                self.changed.notify_all();
                None
            }
            State::Ready(_) | State::Closed => Some(answered),
        }
    }

    /// The answer, if it is ready.
    pub fn take(&self) -> Option<Answered> {
        let mut state = self.state();
        match std::mem::replace(&mut *state, State::Closed) {
            State::Ready(answered) => Some(*answered),
            other => {
                *state = other;
                None
            }
        }
    }

    /// The answer, if it is ready. From now on nobody waits for it.
    pub fn close(&self) -> Option<Answered> {
        match std::mem::replace(&mut *self.state(), State::Closed) {
            State::Ready(answered) => Some(*answered),
            State::Open | State::Closed => None,
        }
    }

    /// As [`Slot::close`], once the answer is ready or the deadline has passed.
    pub fn close_at(&self, deadline: Instant) -> Option<Answered> {
        let mut state = self.state();
        while matches!(*state, State::Open) {
            let left = deadline.saturating_duration_since(monotonic());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.close()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
