//! Carrying out what chat is told, beside the webhooks: a thread a lane, so that a slow post keeps no topic and no group
//! waiting.

use crate::actions::effects::{self, Hands, Lane};
use crate::actions::{App, Fault};
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch, await_end};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The lanes and the hands at work on them.
pub(super) struct Telling {
    app: App,
    stop: StopFlag,
    /// Whoever holds a lane's hands carries out what is due on it.
    hands: [Mutex<Hands>; Lane::ALL.len()],
}

impl Telling {
    pub(super) fn new(app: App) -> Telling {
        Telling {
            app,
            stop: StopFlag::default(),
            hands: Default::default(),
        }
    }

    /// Starts a thread a lane.
    pub(super) fn start(self: &Arc<Telling>) -> std::io::Result<Vec<LoopThread>> {
        let thread = |place: usize| {
            let lane = Lane::ALL[place];
            let spec = LoopSpec {
                name: lane.name(),
                wakeup: lane.wakeup(self.app.store().signals()).clone(),
                stop: self.stop.clone(),
                watch: Watch::End,
            };
            let telling = Arc::clone(self);
            self.app.runtime().start(spec, move |_| telling.turn(place))
        };
        (0..Lane::ALL.len()).map(thread).collect()
    }

    /// Takes up nothing more.
    pub(super) fn stop(&self) {
        self.stop.set();
        for lane in Lane::ALL {
            lane.wakeup(self.app.store().signals()).wake();
        }
    }

    /// Waits for the threads to end, until an instant at the most; what is under way then is carried out again after the next
    /// start.
    pub(super) fn wait(threads: &[LoopThread], deadline: Instant) {
        let busy = await_end(threads, deadline);
        if busy > 0 {
            log::warn!("chat: {busy} calls are under way; they are made again");
        }
    }

    /// Carries out some of what is due on a lane and answers how long to wait.
    fn turn(&self, place: usize) -> Result<Duration, Fault> {
        let any = self.carry_out(place)?;
        let next = effects::next_on(&self.app, Lane::ALL[place])?;
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

    /// Carries out some of what is due on a lane; answers whether there was anything.
    fn carry_out(&self, place: usize) -> Result<bool, Fault> {
        if self.stop.is_set() {
            return Ok(false);
        }
        let mut hands = self.hands[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        effects::carry_out(&self.app, Lane::ALL[place], &mut hands)
    }

    /// Carries out everything that is due, and what comes of it.
    pub(super) fn settle(&self) -> Result<(), Fault> {
        loop {
            let mut any = false;
            for place in 0..Lane::ALL.len() {
                any |= self.carry_out(place)?;
            }
            match self.stop.is_set() {
                true => return Err(Fault::Stopped),
                false if !any => return Ok(()),
                false => {}
            }
        }
    }
}
