//! A lane at work: take, send, record and take the next in one commit, and so on until nothing is due on it. One request is in
//! flight at a time. What was taken and may not be sent as it is any more (the endpoint changed, the delivery was cancelled) is
//! put back.

use super::send::send;
use super::{Shared, Track};
use crate::actions::sending::{Done, Job, Step};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The waits between tries to record what was done, while the storage fails; the last one repeats.
const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// Times that a job is taken anew because something was recalled meanwhile, before it is sent all the same: recalls
/// concern any endpoint, and must not keep a lane from sending.
const RECALLS: usize = 3;

/// Starts a thread for a lane that is marked as busy already.
pub(super) fn start(shared: Arc<Shared>, track: Track) {
    let (at_work, taken) = (Arc::clone(&shared), track.clone());
    let begun = std::thread::Builder::new()
        .name("send".into())
        .spawn(
            move || match catch_unwind(AssertUnwindSafe(|| work(&at_work, &taken))) {
                Ok(()) => at_work.rest(&taken),
                Err(_) => {
                    log::error!(
                        "delivery: a panic was caught on a lane of webhook {}",
                        taken.0
                    );
                    at_work.free(&taken);
                }
            },
        );
    if let Err(error) = begun {
        log::error!("delivery: no thread for a lane: {error}");
        shared.free(&track);
    }
}

fn work(shared: &Shared, track: &Track) {
    let mut hand = Hand::default();
    while let Some(job) = hand.next(shared, track) {
        shared.moves(track);
        hand.done = Some(Arc::new(send(&shared.app, job)));
    }
}

/// What a lane has not settled with the storage yet.
#[derive(Default)]
struct Hand {
    /// Made and not recorded.
    done: Option<Arc<Done>>,
    /// Taken and not made, because something was recalled.
    recalled: Option<Arc<Job>>,
}

impl Hand {
    fn step(&self, (webhook, lane): &Track, take: bool) -> Step {
        Step {
            webhook: webhook.clone(),
            lane: *lane,
            done: self.done.clone(),
            put_back: self.recalled.clone(),
            take,
        }
    }

    /// The next job, which nothing has recalled since it was taken: an endpoint may have been disabled in the very commit.
    fn next(&mut self, shared: &Shared, track: &Track) -> Option<Arc<Job>> {
        for _ in 0..RECALLS {
            let job = self.settle(shared, track)?;
            if job.is_current(&shared.app) {
                return Some(job);
            }
            self.recalled = Some(job);
        }
        self.settle(shared, track)
    }

    /// Records what was done, puts back what was not, and takes the next delivery. While the storage fails the lane sends
    /// nothing more; when the program stops meanwhile, it tries a last time.
    fn settle(&mut self, shared: &Shared, track: &Track) -> Option<Arc<Job>> {
        let mut waits = WAITS.iter().chain(WAITS.last().into_iter().cycle());
        loop {
            shared.moves(track);
            let stopping = shared.is_stopping();
            let fault = match self.step(track, !stopping).run(&shared.app) {
                Ok(job) => {
                    *self = Hand::default();
                    return job;
                }
                Err(fault) => fault,
            };
            let name = match &self.done {
                Some(done) => done.job.name(),
                None => format!("webhook {}", track.0),
            };
            if stopping {
                log::error!("{name}: {fault}; it is made again after the next start");
                return None;
            }
            // One that cannot be taken must not keep those before it from being recorded.
            if !self.is_empty() && self.step(track, false).run(&shared.app).is_ok() {
                *self = Hand::default();
            }
            let wait = waits.next().copied().unwrap_or_default();
            log::error!("{name}: {fault}; trying again in {} s", wait.as_secs());
            shared.pause(wait);
        }
    }

    fn is_empty(&self) -> bool {
        self.done.is_none() && self.recalled.is_none()
    }
}
