//! The loops that carry out what is queued for chat, beside the webhooks: a thread per queue, so that a slow post delays no
//! topic and no group.

use crate::actions::chat_sync::{self, InFlight, Queue};
use crate::actions::{App, Fault};
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch, await_end};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The workers of the queues.
pub(super) struct ChatWorkers {
    app: App,
    stop: StopFlag,
    /// Whoever holds the lock of a queue carries out what is due on it.
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
        let thread = |place: usize| {
            let queue = Queue::ALL[place];
            let spec = LoopSpec {
                name: queue.name(),
                wakeup: queue.wakeup(self.app.store().signals()).clone(),
                stop: self.stop.clone(),
                watch: Watch::End,
            };
            let workers = Arc::clone(self);
            self.app.runtime().start(spec, move |_| workers.turn(place))
        };
        (0..Queue::ALL.len()).map(thread).collect()
    }

    /// Takes up nothing more.
    pub(super) fn stop(&self) {
        self.stop.set();
        for queue in Queue::ALL {
            queue.wakeup(self.app.store().signals()).wake();
        }
    }

    /// Waits for the threads to end, until an instant at the most. Calls still under way then are made again after the next start.
    pub(super) fn wait(threads: &[LoopThread], deadline: Instant) {
        let busy = await_end(threads, deadline);
        if busy > 0 {
            log::warn!("chat: {busy} calls are under way; they are made again");
        }
    }

    /// Carries out some of what is due on a queue; returns how long to wait.
    fn turn(&self, place: usize) -> Result<Duration, Fault> {
        let any = self.run_due(place)?;
        let next = chat_sync::next_on(&self.app, Queue::ALL[place])?;
        let now = self.app.now();
        let wait = match next {
            Some(at) if at <= now && any => Duration::ZERO,
            // A frozen clock is moved by whoever then asks for this to settle.
            Some(at) if at > now && !self.app.clock().is_frozen() => {
                Duration::try_from(at.duration_since(now)).unwrap_or(POLL)
            }
            _ => POLL,
        };
        Ok(wait.min(POLL))
    }

    /// Carries out some of what is due on a queue; returns whether there was anything.
    fn run_due(&self, place: usize) -> Result<bool, Fault> {
        if self.stop.is_set() {
            return Ok(false);
        }
        let mut in_flight = self.in_flight[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        chat_sync::run_due(&self.app, Queue::ALL[place], &mut in_flight)
    }

    /// Carries out everything that is due, and what comes of it.
    pub(super) fn settle(&self) -> Result<(), Fault> {
        loop {
            let mut any = false;
            for place in 0..Queue::ALL.len() {
                any |= self.run_due(place)?;
            }
            match self.stop.is_set() {
                true => return Err(Fault::Stopped),
                false if !any => return Ok(()),
                false => {}
            }
        }
    }
}
