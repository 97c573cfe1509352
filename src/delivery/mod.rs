//! Sends queued deliveries: two queues for each endpoint, with one request in flight on each (rules.md 16.5).
//!
//! One thread dispatches: it wakes when a commit queued something, looks which lanes have anything due, and starts a
//! thread for each of them that is not at work. That thread takes, sends and records until nothing more is due on its
//! lane. So an endpoint that hangs holds up nobody but itself, and its retries not even its first attempts.
//!
//! What is queued for chat has threads of its own, in `chat`.

mod chat;
mod lane;
mod send;

use crate::actions::{App, DELIVERY, Fault, retention, sending};
use crate::domain::ids::WebhookId;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch, await_end};
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use crate::store::Lane;
use chat::ChatWorkers;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any attempt takes, and the tries to record it.
const STUCK: Duration = Duration::from_secs(30);

/// A lane of one endpoint.
type Track = (WebhookId, Lane);

/// A lane at work.
#[derive(Debug)]
struct AtWork {
    /// When it last began a step.
    since: Instant,
    /// Whether the log says that it is stuck.
    told: bool,
}

impl AtWork {
    fn now() -> AtWork {
        AtWork {
            since: monotonic(),
            told: false,
        }
    }
}

/// What the threads share.
struct Shared {
    app: App,
    stop: StopFlag,
    /// Lanes at work.
    busy: Mutex<HashMap<Track, AtWork>>,
    /// When it was told to stop.
    stopped_at: Mutex<Option<Instant>>,
    /// Called when a lane has nothing more to do.
    lane_done: Wakeup,
    chat: Arc<ChatWorkers>,
}

impl Shared {
    fn busy(&self) -> MutexGuard<'_, HashMap<Track, AtWork>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stop.is_set()
    }

    /// A lane has nothing more to do. The dispatcher looks at it once more: something may have fallen due since.
    fn rest(&self, track: &Track) {
        self.free(track);
        self.lane_done.wake();
        self.app.store().signals().deliveries.wake();
    }

    /// A lane failed. It is looked at again with the others, not at once: what failed may go on failing.
    fn free(&self, track: &Track) {
        self.busy().remove(track);
    }

    /// Marks a lane as at work; `false` where it is already.
    fn claim(&self, track: &Track) -> bool {
        let mut busy = self.busy();
        let free = !busy.contains_key(track);
        if free {
            busy.insert(track.clone(), AtWork::now());
        }
        free
    }

    /// A lane begins a step.
    fn moves(&self, track: &Track) {
        if let Some(work) = self.busy().get_mut(track) {
            *work = AtWork::now();
        }
    }

    /// Tells of lanes that no time-out has ended, each once: their endpoints are sent nothing more.
    fn tell_stuck(&self) {
        for ((webhook, _), work) in self.busy().iter_mut() {
            if !work.told && work.since.elapsed() > STUCK {
                work.told = true;
                let seconds = STUCK.as_secs();
                log::error!(
                    "delivery: a lane of webhook {webhook} has been at one attempt for {seconds} s"
                );
            }
        }
    }

    /// Waits for so long, or until the program stops.
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

/// The running delivery side.
pub struct Delivery {
    shared: Arc<Shared>,
    dispatcher: LoopThread,
    chat: Vec<LoopThread>,
}

/// A handle that stops it, and waits for it to come to rest.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

/// Starts the dispatching thread, after what was on the wire when the last process ended has been seen to.
pub fn start(app: App) -> Result<Delivery, String> {
    let interrupted = sending::start_over(&app).map_err(|fault| fault.to_string())?;
    if interrupted > 0 {
        log::info!("delivery: {interrupted} attempts were interrupted, they are made again");
    }
    let shared = Arc::new(Shared {
        chat: Arc::new(ChatWorkers::new(app.clone())),
        app,
        stop: StopFlag::default(),
        busy: Mutex::default(),
        stopped_at: Mutex::default(),
        lane_done: Wakeup::default(),
    });
    let dispatcher = dispatch(&shared).map_err(|error| error.to_string())?;
    let chat = shared.chat.start().map_err(|error| error.to_string())?;
    Ok(Delivery {
        shared,
        dispatcher,
        chat,
    })
}

impl Delivery {
    /// What others may do to it.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Takes up nothing more and waits for what is on the wire, until `grace` after it was first told to stop. What has
    /// not ended by then is interrupted, and made again after the next start.
    pub fn stop(self, grace: Duration) {
        let deadline = self.handle().stop() + grace;
        ChatWorkers::wait(&self.chat, deadline);
        // Without the dispatcher no lane begins.
        let hangs = await_end(&[self.dispatcher], deadline) > 0;
        loop {
            let seen = self.shared.lane_done.generation();
            let left = deadline.saturating_duration_since(monotonic());
            let busy = self.shared.busy().len();
            if busy == 0 && !hangs {
                return;
            }
            if left.is_zero() {
                log::warn!("delivery: {busy} attempts left on the wire; they are made again");
                return;
            }
            // A lane that failed wakes nobody.
            self.shared.lane_done.wait(seen, left.min(POLL));
        }
    }
}

impl Handle {
    /// Takes up nothing more; answers when it was first told so.
    pub fn stop(&self) -> Instant {
        self.0.stop.set();
        self.0.app.store().signals().deliveries.wake();
        self.0.chat.stop();
        let mut told = (self.0.stopped_at)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *told.get_or_insert_with(monotonic)
    }

    /// Carries out what is queued for chat and due, and what follows from it.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn settle_chat(&self) -> Result<(), Fault> {
        self.0.chat.settle()
    }

    /// Waits until what is queued for chat is carried out, and of what is queued then nothing is on the wire and nothing due is
    /// left undone, and clears away what is kept no longer.
    ///
    /// # Errors
    /// When the storage fails, and when nothing of it moves for half a minute.
    pub fn settle(&self) -> Result<(), Fault> {
        self.settle_chat()?;
        let app = &self.0.app;
        let newest = sending::newest(app)?;
        let (mut left, mut since) = (u64::MAX, monotonic());
        loop {
            let seen = self.0.lane_done.generation();
            let unsettled = sending::unsettled(app, newest)?;
            if unsettled == 0 {
                break;
            }
            if unsettled != left {
                (left, since) = (unsettled, monotonic());
            }
            if self.0.is_stopping() {
                return Err(Fault::Stopped);
            }
            if since.elapsed() > STUCK {
                let why = format!("{unsettled} deliveries are due and are not taken up");
                return Err(Fault::NotCommitted(why));
            }
            if self.0.busy().is_empty() {
                app.store().signals().deliveries.wake();
            }
            self.0.lane_done.wait(seen, POLL);
        }
        while retention::purge(app)? {}
        Ok(())
    }
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
    let mut clearing = monotonic();
    shared.app.runtime().start(spec, move |_| {
        let wait = look(&dispatching)?;
        // Not at every event: to find nothing to clear costs as much as to find what is due.
        if monotonic() >= clearing {
            clearing = monotonic() + clear(&dispatching.app);
        }
        Ok::<_, Fault>(wait.min(clearing.saturating_duration_since(monotonic())))
    })
}

/// Clears away a little, and answers how long that will do.
fn clear(app: &App) -> Duration {
    match retention::purge(app) {
        Ok(true) => Duration::ZERO,
        Ok(false) => POLL,
        Err(fault) => {
            log::error!("delivery: clearing away: {fault}");
            POLL
        }
    }
}

/// Starts the lanes that have anything due, and answers how long to wait.
fn look(shared: &Arc<Shared>) -> Result<Duration, Fault> {
    let app = &shared.app;
    shared.tell_stuck();
    let (lanes, now) = (sending::lanes(app)?, app.now());
    let mut wait = POLL;
    for (webhook, lane, due) in lanes {
        if due > now {
            // A frozen clock is moved by whoever then asks for this to settle.
            if !app.clock().is_frozen() {
                let until = Duration::try_from(due.duration_since(now)).unwrap_or(POLL);
                wait = wait.min(until);
            }
            continue;
        }
        let track = (webhook, lane);
        if shared.claim(&track) {
            lane::start(Arc::clone(shared), track);
        }
    }
    Ok(wait)
}
