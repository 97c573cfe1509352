//! The loops that send messages on: one thread for mail, one for push and one for each channel with an incoming webhook, so that one that
//! hangs delays nothing else.

use super::until_next;
use crate::actions::relays::{self, InFlight};
use crate::actions::{App, Error};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch, await_end};
use crate::store::RelayQueue;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The workers of the queues.
pub(super) struct RelayWorkers {
    app: App,
    stop: StopFlag,
    /// The holder of a queue's lock sends what is due on it.
    queues: Vec<(RelayQueue, Mutex<InFlight>)>,
}

impl RelayWorkers {
    pub(super) fn new(app: App) -> RelayWorkers {
        let queues = relays::queues(&app).into_iter();
        RelayWorkers {
            queues: queues.map(|queue| (queue, Mutex::default())).collect(),
            stop: StopFlag::default(),
            app,
        }
    }

    /// Starts a thread for each queue.
    pub(super) fn start(self: &Arc<RelayWorkers>) -> std::io::Result<Vec<LoopThread>> {
        let thread = |index: usize| {
            let spec = LoopSpec {
                name: match self.queues[index].0 {
                    RelayQueue::Mail => "mail",
                    RelayQueue::Push => "push",
                    RelayQueue::Channel(_) => "incoming webhook",
                },
                wakeup: self.app.store().signals().relays.clone(),
                stop: self.stop.clone(),
                watch: Watch::End,
            };
            let workers = Arc::clone(self);
            self.app.runtime().start(spec, move |_| workers.turn(index))
        };
        (0..self.queues.len()).map(thread).collect()
    }

    /// Stops taking work.
    pub(super) fn stop(&self) {
        self.stop.set();
        self.app.store().signals().relays.wake();
    }

    /// Waits until `deadline` for the threads to end. What is in flight then is sent again after the next start.
    pub(super) fn wait(threads: &[LoopThread], deadline: Instant) {
        let busy = await_end(threads, deadline);
        if busy > 0 {
            log::warn!(
                "mail, push and incoming webhooks: {busy} messages are still in flight; they are sent again after the next start"
            );
        }
    }

    /// Sends some of what is due on a queue. Returns how long to wait.
    fn turn(&self, index: usize) -> Result<Duration, Error> {
        let any = self.run_due(index)?;
        let next = relays::next_on(&self.app, &self.queues[index].0)?;
        Ok(until_next(&self.app, next, any))
    }

    /// Sends some of what is due on a queue. Returns whether there was anything.
    fn run_due(&self, index: usize) -> Result<bool, Error> {
        if self.stop.is_set() {
            return Ok(false);
        }
        let (queue, in_flight) = &self.queues[index];
        let mut in_flight = in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        relays::run_due(&self.app, queue, &mut in_flight, &|| self.stop.is_set())
    }

    /// Sends everything that is due.
    pub(super) fn drain(&self) -> Result<(), Error> {
        for index in 0..self.queues.len() {
            while self.run_due(index)? {}
        }
        match self.stop.is_set() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}
