//! The queue of arrivals, in memory: the database has the same, and is read at the start.

use super::arrival::{Answered, Arrival};
use super::incoming::{Event, Kind};
use super::slot::Slot;
use crate::runtime::clock::monotonic;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One step of work.
pub enum Job {
    /// Answer an arrival. Whoever acknowledges it waits at the slot; nobody does after a restart.
    Answer(Arc<Arrival>, Option<Arc<Slot>>),
    /// Apply an event of the directory.
    Follow(Arc<Arrival>),
    /// Make the calls that follow an acknowledgement.
    Call(Calls),
}

/// Calls that follow an acknowledgement.
pub struct Calls {
    pub answered: Answered,
    /// How often the first of them has failed.
    pub tries: usize,
    /// When it may be made.
    pub due: Instant,
}

/// How many workers make calls at once. The others are free for answers, which somebody waits for.
const MOST_CALLING: usize = 3;

/// How long until a call that failed is made again, by the number of tries.
const TRY_AGAIN: [Duration; 4] = [
    Duration::from_secs(2),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(300),
];

/// All work that is not begun.
#[derive(Default)]
pub struct Queue(Mutex<Work>);

#[derive(Default)]
struct Work {
    answers: VecDeque<(Arc<Arrival>, Option<Arc<Slot>>)>,
    /// Events of the directory: one after the other, because the newest has to win.
    events: VecDeque<Arc<Arrival>>,
    is_following: bool,
    calls: Vec<Calls>,
    calling: usize,
}

impl Calls {
    /// Calls that may be made at once.
    pub fn now(answered: Answered) -> Calls {
        Calls {
            answered,
            tries: 0,
            due: monotonic(),
        }
    }

    /// The calls after a failure, to be made again after a while.
    pub fn again(self) -> Calls {
        let wait = TRY_AGAIN[self.tries.min(TRY_AGAIN.len() - 1)];
        Calls {
            tries: self.tries + 1,
            due: monotonic() + wait,
            ..self
        }
    }
}

impl Queue {
    /// Adds something that arrived, with the slot of its answer where somebody waits for it.
    pub fn answer(&self, arrival: Arc<Arrival>, slot: Option<Arc<Slot>>) {
        let mut work = self.work();
        match arrival.incoming.kind {
            Kind::Event(Event::Directory(_)) => work.events.push_back(arrival),
            _ => work.answers.push_back((arrival, slot)),
        }
    }

    /// Adds calls.
    pub fn call(&self, calls: Calls) {
        self.work().calls.push(calls);
    }

    /// The next step: answers first.
    pub fn next(&self) -> Option<Job> {
        let mut work = self.work();
        if let Some((arrival, slot)) = work.answers.pop_front() {
            return Some(Job::Answer(arrival, slot));
        }
        if !work.is_following
            && let Some(event) = work.events.pop_front()
        {
            work.is_following = true;
            return Some(Job::Follow(event));
        }
        if work.calling >= MOST_CALLING {
            return None;
        }
        let now = monotonic();
        let due = work.calls.iter().position(|calls| calls.due <= now)?;
        work.calling += 1;
        Some(Job::Call(work.calls.remove(due)))
    }

    /// Ends a [`Job::Follow`].
    pub fn followed(&self) {
        self.work().is_following = false;
    }

    /// Ends a [`Job::Call`].
    pub fn called(&self) {
        self.work().calling -= 1;
    }

    /// How long until the next call is due, at most `most`.
    pub fn wait(&self, most: Duration) -> Duration {
        let work = self.work();
        let now = monotonic();
        let waits = work
            .calls
            .iter()
            .map(|calls| calls.due.saturating_duration_since(now));
        // While enough workers are calling, one of them takes the next step.
        match work.calling >= MOST_CALLING {
            true => most,
            false => waits.min().unwrap_or(most).min(most),
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
