//! The loops that process the chat queues, beside the webhooks: one thread per queue, so that a slow post does not delay
//! topics or groups.

use super::until_next;
use crate::actions::chat_sync::{self, InFlight, Queue};
use crate::actions::{App, Error};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch, await_end};
use crate::runtime::clock::monotonic;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The workers of the queues.
pub(super) struct ChatWorkers {
    app: App,
    stop: StopFlag,
    /// The holder of a queue's lock processes what is due on it.
    in_flight: [Mutex<InFlight>; Queue::ALL.len()],
}

impl ChatWorkers {
    pub(super) fn new(app: App) -> ChatWorkers {
        ChatWorkers {
            app,
            stop: StopFlag::default(),
            in_flight: Default::default(),
        }
    }

    /// Starts a thread per queue.
    pub(super) fn start(self: &Arc<ChatWorkers>) -> std::io::Result<Vec<LoopThread>> {
        let thread = |index: usize| {
            let queue = Queue::ALL[index];
            let spec = LoopSpec {
                name: queue.name(),
                wakeup: queue.wakeup(self.app.store().signals()).clone(),
                stop: self.stop.clone(),
                watch: Watch::End,
            };
            let workers = Arc::clone(self);
            self.app.runtime().start(spec, move |_| workers.turn(index))
        };
        (0..Queue::ALL.len()).map(thread).collect()
    }

    /// Stops taking work.
    pub(super) fn stop(&self) {
        self.stop.set();
        for queue in Queue::ALL {
            queue.wakeup(self.app.store().signals()).wake();
        }
    }

    /// Waits until `deadline` for the threads to end. Calls that are still in flight then are repeated after the next start.
    pub(super) fn wait(&self, threads: &[LoopThread], deadline: Instant) {
        let mut busy = await_end(threads, deadline);
        for in_flight in &self.in_flight {
            // A queue whose thread is busy is counted.
            let Ok(mut in_flight) = in_flight.try_lock() else {
                continue;
            };
            match chat_sync::finish(&self.app, &mut in_flight, deadline) {
                Ok(left) => busy += left,
                Err(error) => log::error!("chat: {error}"),
            }
        }
        if busy > 0 {
            log::warn!(
                "chat: {busy} calls are still in flight; they are repeated after the next start"
            );
        }
    }

    /// Processes some of what is due on a queue. Returns how long to wait.
    fn turn(&self, index: usize) -> Result<Duration, Error> {
        let any = self.run_due(index)?;
        let next = chat_sync::next_on(&self.app, Queue::ALL[index])?;
        let wait = until_next(&self.app, next, any);
        let in_flight = self.in_flight[index].lock();
        let in_flight = in_flight.unwrap_or_else(PoisonError::into_inner);
        let opens = chat_sync::waits_for(&self.app, Queue::ALL[index], &in_flight);
        Ok(opens.map_or(wait, |opens| wait.min(opens)))
    }

    /// Processes some of what is due on a queue. Returns whether there was anything.
    fn run_due(&self, index: usize) -> Result<bool, Error> {
        if self.stop.is_set() {
            return Ok(false);
        }
        let mut in_flight = self.in_flight[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        chat_sync::run_due(&self.app, Queue::ALL[index], &mut in_flight)
    }

    /// Processes everything that is due, and what follows from it. On a platform that may be slow, waits for that until `until`
    /// at most; what is under way then goes on. What waits for the platform counts as processed.
    pub(super) fn drain(self: &Arc<ChatWorkers>, until: Instant) -> Result<(), Error> {
        if self.app.remote().is_none() {
            return self.process_all(None);
        }
        let (done, result) = channel();
        let workers = Arc::clone(self);
        let process = move || {
            // Whoever waited may have left.
            drop(done.send(workers.process_all(Some(until))));
        };
        let thread = Builder::new().name("chat: drain".into());
        thread
            .spawn(process)
            .map_err(|error| Error::NotCommitted(format!("no thread can be started: {error}")))?;
        let left = until.saturating_duration_since(monotonic());
        match result.recv_timeout(left) {
            Ok(processed) => processed,
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Panicked("the chat queues".into())),
        }
    }

    fn process_all(&self, until: Option<Instant>) -> Result<(), Error> {
        loop {
            let mut any = false;
            for index in 0..Queue::ALL.len() {
                if until.is_some_and(|until| monotonic() >= until) {
                    return Ok(());
                }
                any |= self.run_due(index)?;
            }
            match self.stop.is_set() {
                true => return Err(Error::Stopped),
                false if !any => return Ok(()),
                false => {}
            }
        }
    }
}
