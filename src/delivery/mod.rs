//! Sends queued deliveries: two queues for each endpoint, with one request in flight on each (rules.md 16.5).
//!
//! One thread dispatches. When a commit queues something, it wakes, finds the queues with anything due, and starts a thread
//! for each of them that is not busy. That thread takes, sends and records until nothing more is due on its queue. An
//! endpoint that dispatcher_hangs therefore delays only itself, and its retries do not delay its first attempts.
//!
//! The chat queues have their own threads, in `chat`; mail and incoming webhooks have theirs in `relays`.

mod chat;
mod queue;
mod relays;
mod send;

use crate::actions::{App, DELIVERY, Error, relays as sending_on, retention, sending};
use crate::domain::ids::WebhookId;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch, await_end};
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use crate::store::Queue;
use chat::ChatWorkers;
use jiff::Timestamp;
use relays::RelayWorkers;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any attempt and the tries to record it.
const STUCK: Duration = Duration::from_secs(30);

/// A queue of one endpoint.
type QueueKey = (WebhookId, Queue);

/// A busy queue.
#[derive(Debug)]
struct Busy {
    /// When it began its last step.
    since: Instant,
    /// Whether it was logged as stuck.
    logged: bool,
}

impl Busy {
    fn now() -> Busy {
        Busy {
            since: monotonic(),
            logged: false,
        }
    }
}

/// The state that the threads share.
struct Shared {
    app: App,
    stop: StopFlag,
    /// The busy queues.
    busy: Mutex<HashMap<QueueKey, Busy>>,
    /// When it was first asked to stop.
    stopped_at: Mutex<Option<Instant>>,
    /// Called when a queue has nothing more due.
    queue_done: Wakeup,
    chat: Arc<ChatWorkers>,
    relays: Arc<RelayWorkers>,
}

impl Shared {
    fn busy(&self) -> MutexGuard<'_, HashMap<QueueKey, Busy>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stop.is_set()
    }

    /// Marks a queue as idle and wakes the dispatcher, because something may have become due since the queue checked.
    fn finish(&self, key: &QueueKey) {
        self.release(key);
        self.queue_done.wake();
        self.app.store().signals().deliveries.wake();
    }

    /// Marks a queue as idle after a failure. It is not retried at once, because the cause may persist.
    fn release(&self, key: &QueueKey) {
        self.busy().remove(key);
    }

    /// Marks a queue as busy. `false` if it already is.
    fn claim(&self, key: &QueueKey) -> bool {
        let mut busy = self.busy();
        let free = !busy.contains_key(key);
        if free {
            busy.insert(key.clone(), Busy::now());
        }
        free
    }

    /// Records that a queue begins a step.
    fn record_step(&self, key: &QueueKey) {
        if let Some(work) = self.busy().get_mut(key) {
            *work = Busy::now();
        }
    }

    /// Logs each queue whose attempt has outlived all time-outs, once. Its endpoint gets no further deliveries.
    fn log_stuck(&self) {
        for ((webhook, _), work) in self.busy().iter_mut() {
            if !work.logged && work.since.elapsed() > STUCK {
                work.logged = true;
                let seconds = STUCK.as_secs();
                log::error!(
                    "delivery: a queue of webhook {webhook} has been on one attempt for {seconds} s"
                );
            }
        }
    }

    /// Waits for `wait`, or until the program stops.
    fn pause(&self, wait: Duration) {
        let (wakeup, until) = (&self.app.store().signals().deliveries, monotonic() + wait);
        loop {
            let seen = wakeup.generation();
            let left = until.saturating_duration_since(monotonic());
            if self.is_stopping() || left.is_zero() {
                return;
            }
            wakeup.wait(seen, left);
        }
    }
}

/// The running delivery threads.
pub struct Delivery {
    shared: Arc<Shared>,
    dispatcher: LoopThread,
    chat: Vec<LoopThread>,
    relays: Vec<LoopThread>,
}

/// Stops the delivery, and waits until it is idle. Clones do the same.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

/// Starts the dispatching thread, after recording the attempts that the last process left in flight.
pub fn start(app: App) -> Result<Delivery, String> {
    let interrupted = sending::start_over(&app).map_err(|error| error.to_string())?;
    if interrupted > 0 {
        log::info!("delivery: {interrupted} attempts were interrupted and are repeated");
    }
    sending_on::start(&app).map_err(|error| error.to_string())?;
    let shared = Arc::new(Shared {
        chat: Arc::new(ChatWorkers::new(app.clone())),
        relays: Arc::new(RelayWorkers::new(app.clone())),
        app,
        stop: StopFlag::default(),
        busy: Mutex::default(),
        stopped_at: Mutex::default(),
        queue_done: Wakeup::default(),
    });
    let dispatcher = dispatch(&shared).map_err(|error| error.to_string())?;
    let chat = shared.chat.start().map_err(|error| error.to_string())?;
    let relays = shared.relays.start().map_err(|error| error.to_string())?;
    Ok(Delivery {
        shared,
        dispatcher,
        chat,
        relays,
    })
}

impl Delivery {
    /// A handle for other threads.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Stops taking work and waits for attempts in flight, until `grace` after the first request to stop. An attempt that has
    /// not ended by then is recorded as interrupted and repeated after the next start.
    pub fn stop(self, grace: Duration) {
        let deadline = self.handle().stop() + grace;
        self.shared.chat.wait(&self.chat, deadline);
        RelayWorkers::wait(&self.relays, deadline);
        // Without the dispatcher no queue starts.
        let dispatcher_hangs = await_end(&[self.dispatcher], deadline) > 0;
        loop {
            let seen = self.shared.queue_done.generation();
            let left = deadline.saturating_duration_since(monotonic());
            let busy = self.shared.busy().len();
            if busy == 0 && !dispatcher_hangs {
                return;
            }
            if left.is_zero() {
                log::warn!(
                    "delivery: {busy} attempts are still in flight; they are repeated after the next start"
                );
                return;
            }
            // A queue that failed does not call `queue_done`.
            self.shared.queue_done.wait(seen, left.min(POLL));
        }
    }
}

impl Handle {
    /// Stops taking work. Returns when this was first requested.
    pub fn stop(&self) -> Instant {
        self.0.stop.set();
        self.0.app.store().signals().deliveries.wake();
        self.0.chat.stop();
        self.0.relays.stop();
        let mut stopped_at = (self.0.stopped_at)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *stopped_at.get_or_insert_with(monotonic)
    }

    /// Processes everything that is due for chat, and what follows from it, until `until` where the platform is slow.
    pub fn drain_chat(&self, until: Instant) -> Result<(), Error> {
        self.0.chat.drain(until)
    }

    /// Waits until the chat queues are processed, at most until `until` where the platform is slow, and every delivery that was
    /// queued by then is finished or due later, then purges expired records.
    ///
    /// # Errors
    /// If the storage fails, or if nothing progresses for half a minute.
    pub fn drain(&self, until: Instant) -> Result<(), Error> {
        self.drain_chat(until)?;
        self.0.relays.drain()?;
        let app = &self.0.app;
        let newest = sending::newest(app)?;
        let (mut left, mut since) = (u64::MAX, monotonic());
        loop {
            let seen = self.0.queue_done.generation();
            let unfinished = sending::unfinished(app, newest)?;
            if unfinished == 0 {
                break;
            }
            if unfinished != left {
                (left, since) = (unfinished, monotonic());
            }
            if self.0.is_stopping() {
                return Err(Error::Stopped);
            }
            if since.elapsed() > STUCK {
                let why = format!("{unfinished} deliveries are due and are not taken up");
                return Err(Error::NotCommitted(why));
            }
            if self.0.busy().is_empty() {
                app.store().signals().deliveries.wake();
            }
            self.0.queue_done.wait(seen, POLL);
        }
        while retention::purge(app)? {}
        Ok(())
    }
}

/// How long the loop of a queue waits after a step, given when its next item is due. `any` is whether the step found anything:
/// what is due and was not taken is tried again after a while.
fn until_next(app: &App, next: Option<Timestamp>, any: bool) -> Duration {
    let now = app.now();
    let wait = match next {
        Some(at) if at <= now && any => Duration::ZERO,
        // Whoever moves a frozen clock then drains the queue.
        Some(at) if at > now && !app.clock().is_frozen() => {
            Duration::try_from(at.duration_since(now)).unwrap_or(POLL)
        }
        _ => POLL,
    };
    wait.min(POLL)
}

/// Starts the dispatching thread.
fn dispatch(shared: &Arc<Shared>) -> std::io::Result<LoopThread> {
    let spec = LoopSpec {
        name: DELIVERY,
        wakeup: shared.app.store().signals().deliveries.clone(),
        stop: shared.stop.clone(),
        watch: Watch::Readiness,
    };
    let dispatching = Arc::clone(shared);
    let mut next_purge = monotonic();
    shared.app.runtime().start(spec, move |_| {
        let wait = start_due(&dispatching)?;
        // Not at every event, because a purge costs as much as a dispatch even if it finds nothing.
        if monotonic() >= next_purge {
            next_purge = monotonic() + purge(&dispatching.app);
        }
        Ok::<_, Error>(wait.min(next_purge.saturating_duration_since(monotonic())))
    })
}

/// Purges some expired records. Returns how long to wait before the next purge.
fn purge(app: &App) -> Duration {
    match retention::purge(app) {
        Ok(true) => Duration::ZERO,
        Ok(false) => POLL,
        Err(error) => {
            log::error!("delivery: purging expired records: {error}");
            POLL
        }
    }
}

/// Starts the queues that have anything due. Returns how long to wait.
fn start_due(shared: &Arc<Shared>) -> Result<Duration, Error> {
    let app = &shared.app;
    shared.log_stuck();
    let (queues, now) = (sending::queues(app)?, app.now());
    let mut wait = POLL;
    for (webhook, queue, due) in queues {
        if due > now {
            // Whoever moves a frozen clock then drains the deliveries.
            if !app.clock().is_frozen() {
                let until = Duration::try_from(due.duration_since(now)).unwrap_or(POLL);
                wait = wait.min(until);
            }
            continue;
        }
        let key = (webhook, queue);
        if shared.claim(&key) {
            queue::start(Arc::clone(shared), key);
        }
    }
    Ok(wait)
}
