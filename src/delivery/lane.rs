//! A lane at work: take, send, record, and so on until nothing is due on it.
//!
//! One request is in flight at a time. While a quick receiver has it, the storage thread records the one before and
//! takes the one after, so that the lane never waits for both in turn. What was taken ahead and may not be sent as it is
//! any more (the endpoint changed, the delivery was cancelled, the one before took long) is put back.

use super::send::send;
use super::{Shared, Track};
use crate::actions::sending::{Done, Job, Step};
use crate::runtime::clock::monotonic;
use crate::store::Pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The waits between tries to record what was done, while the storage fails; the last one repeats.
const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// A receiver that answers within this is quick: the next delivery is taken ahead.
const QUICK: Duration = Duration::from_millis(50);

/// Times that a job is taken anew because something was recalled meanwhile, before it is sent all the same: recalls
/// concern any endpoint, and must not keep a lane from sending.
const RECALLS: usize = 3;

/// What was taken this long ago is taken anew: its timestamp ages.
const STALE: Duration = Duration::from_secs(1);

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
    let mut took = Duration::MAX;
    loop {
        let ahead = hand
            .ahead
            .take_if(|job| took <= STALE && !shared.is_stopping() && job.is_current(&shared.app));
        let next = match ahead {
            Some(job) => Some(job),
            None => hand.next(shared, track),
        };
        let Some(job) = next else { return };
        let take = took <= QUICK && !shared.is_stopping();
        let meanwhile =
            (take || !hand.done.is_empty()).then(|| hand.step(track, take).begin(&shared.app));
        let begun = monotonic();
        shared.moves(track);
        let done = send(&shared.app, job);
        took = begun.elapsed();
        match meanwhile.map(Pending::wait) {
            Some(Ok(stepped)) => {
                hand = Hand {
                    done: Vec::new(),
                    ahead: stepped.counted(&shared.app),
                }
            }
            // What was done stays in hand, and is recorded with the rest.
            Some(Err(fault)) => log::error!("webhook {}: {fault}", track.0),
            None => {}
        }
        hand.done.push(done);
    }
}

/// What a lane has not settled with the storage yet.
#[derive(Default)]
struct Hand {
    /// Made and not recorded.
    done: Vec<Done>,
    /// Taken and not made.
    ahead: Option<Job>,
}

impl Hand {
    fn step(&self, (webhook, lane): &Track, take: bool) -> Step {
        Step {
            webhook: webhook.clone(),
            lane: *lane,
            done: self.done.clone(),
            put_back: self.ahead.clone(),
            take,
        }
    }

    /// The next job, which nothing has recalled since it was taken: an endpoint may have been disabled in the very commit.
    fn next(&mut self, shared: &Shared, track: &Track) -> Option<Job> {
        for _ in 0..RECALLS {
            let job = self.settle(shared, track)?;
            if job.is_current(&shared.app) {
                return Some(job);
            }
            self.ahead = Some(job);
        }
        self.settle(shared, track)
    }

    /// Records what was done, puts back what was not, and takes the next delivery. While the storage fails the lane sends
    /// nothing more; when the program stops meanwhile, it tries a last time.
    fn settle(&mut self, shared: &Shared, track: &Track) -> Option<Job> {
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
            let name = match self.done.last() {
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
        self.done.is_empty() && self.ahead.is_none()
    }
}
