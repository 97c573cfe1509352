//! The loops that carry out what is queued for chat, beside the webhooks: a thread per queue, so that a slow post delays no
//! topic and no group.

use crate::actions::chat_sync::{self, InFlight, Queue};
use crate::actions::{App, Fault};
use crate::wake::{LOOK, attend, await_end};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time that the messages of further writes are waited for once some were posted. What posting costs beside the messages
/// themselves, a commit above all, is then shared by many.
const GATHER: Duration = Duration::from_millis(10);

/// The workers of the queues.
pub(super) struct ChatWorkers {
    app: App,
    stopping: AtomicBool,
    /// Whoever holds the lock of a queue carries out what is due on it.
    in_flight: [Mutex<InFlight>; Queue::ALL.len()],
}

impl ChatWorkers {
    pub(super) fn new(app: App) -> ChatWorkers {
        ChatWorkers {
            app,
            stopping: AtomicBool::new(false),
            in_flight: Default::default(),
        }
    }

    /// Starts a thread per queue.
    pub(super) fn start(self: &Arc<ChatWorkers>) -> std::io::Result<Vec<JoinHandle<()>>> {
        let thread = |place: usize| {
            let workers = Arc::clone(self);
            let run = move || workers.attend(place);
            std::thread::Builder::new().name("chat".into()).spawn(run)
        };
        (0..Queue::ALL.len()).map(thread).collect()
    }

    /// Takes up nothing more.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        for queue in Queue::ALL {
            queue.bell(self.app.store().news()).ring();
        }
    }

    /// Waits for the threads to end, until an instant at the most. Calls still under way then are made again after the next start.
    pub(super) fn wait(threads: &[JoinHandle<()>], deadline: Instant) {
        let busy = await_end(threads, deadline);
        if busy > 0 {
            log::warn!("chat: {busy} calls are under way; they are made again");
        }
    }

    fn attend(&self, place: usize) {
        let queue = Queue::ALL[place];
        let bell = queue.bell(self.app.store().news());
        let pulse = &self.app.vitals().chat[place];
        attend(pulse, bell, &self.stopping, || {
            let any = self.run_due(place)?;
            if any && queue == Queue::Messages {
                std::thread::sleep(GATHER);
            }
            let (next, now) = (chat_sync::next_on(&self.app, queue)?, self.app.now());
            let wait = match next {
                Some(at) if at <= now && any => Duration::ZERO,
                // A frozen clock is moved by whoever then asks for this to settle.
                Some(at) if at > now && !self.app.clock().is_frozen() => {
                    Duration::try_from(at.duration_since(now)).unwrap_or(LOOK)
                }
                _ => LOOK,
            };
            Ok::<_, Fault>(wait.min(LOOK))
        });
    }

    /// Carries out some of what is due on a queue; returns whether there was anything.
    fn run_due(&self, place: usize) -> Result<bool, Fault> {
        if self.stopping.load(Ordering::Acquire) {
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
            match self.stopping.load(Ordering::Acquire) {
                true => return Err(Fault::Stopped),
                false if !any => return Ok(()),
                false => {}
            }
        }
    }
}
