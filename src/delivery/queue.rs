//! Processes one queue: takes a delivery, sends it, then records the outcome and takes the next in one commit, until nothing
//! is due. One request is in flight at a time. A delivery whose endpoint changed or that was cancelled after it was taken is
//! put back.

use super::send::send;
use super::{QueueKey, Shared};
use crate::actions::sending::{Done, Job, Step};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The waits between tries to record an outcome while the storage fails. The last one repeats.
const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// How often a recalled job is taken again before it is sent anyway. A recall concerns any endpoint, so frequent recalls must
/// not keep a queue from sending.
const RECALLS: usize = 3;

/// Starts a thread for a queue that is already marked as busy.
pub(super) fn start(shared: Arc<Shared>, key: QueueKey) {
    let (sharing, taken) = (Arc::clone(&shared), key.clone());
    let started =
        std::thread::Builder::new()
            .name("send".into())
            .spawn(
                move || match catch_unwind(AssertUnwindSafe(|| work(&sharing, &taken))) {
                    Ok(()) => sharing.finish(&taken),
                    Err(_) => {
                        log::error!(
                            "delivery: a panic was caught on a queue of webhook {}",
                            taken.0
                        );
                        sharing.release(&taken);
                    }
                },
            );
    if let Err(error) = started {
        log::error!("delivery: no thread for a queue: {error}");
        shared.release(&key);
    }
}

fn work(shared: &Shared, key: &QueueKey) {
    let mut worker = Worker::default();
    while let Some(job) = worker.next(shared, key) {
        shared.record_step(key);
        worker.done = Some(Arc::new(send(&shared.app, job)));
    }
}

/// The work of a queue that is not yet recorded in the storage.
#[derive(Default)]
struct Worker {
    /// An attempt that was made and is not recorded.
    done: Option<Arc<Done>>,
    /// A job that was taken and recalled before it was sent.
    recalled: Option<Arc<Job>>,
}

impl Worker {
    fn step(&self, (webhook, queue): &QueueKey, take: bool) -> Step {
        Step {
            webhook: webhook.clone(),
            queue: *queue,
            done: self.done.clone(),
            put_back: self.recalled.clone(),
            take,
        }
    }

    /// The next job that has not been recalled since it was taken: its endpoint may have been disabled in the same commit.
    fn next(&mut self, shared: &Shared, key: &QueueKey) -> Option<Arc<Job>> {
        for _ in 0..RECALLS {
            let job = self.record_and_take(shared, key)?;
            if job.is_current(&shared.app) {
                return Some(job);
            }
            self.recalled = Some(job);
        }
        self.record_and_take(shared, key)
    }

    /// Records what was done, puts back what was recalled, and takes the next delivery. While the storage fails, the queue sends
    /// nothing more. If the program stops meanwhile, it tries once more.
    fn record_and_take(&mut self, shared: &Shared, key: &QueueKey) -> Option<Arc<Job>> {
        let mut waits = WAITS.iter().chain(WAITS.last().into_iter().cycle());
        loop {
            shared.record_step(key);
            let stopping = shared.is_stopping();
            let takes = !stopping && !shared.app.runtime().is_paused();
            let error = match self.step(key, takes).run(&shared.app) {
                Ok(job) => {
                    *self = Worker::default();
                    return job;
                }
                Err(error) => error,
            };
            let name = match &self.done {
                Some(done) => done.job.name(),
                None => format!("webhook {}", key.0),
            };
            if stopping {
                log::error!("{name}: {error}; it is repeated after the next start");
                return None;
            }
            // A delivery that cannot be taken must not keep the previous one from being recorded.
            if !self.is_empty() && self.step(key, false).run(&shared.app).is_ok() {
                *self = Worker::default();
            }
            let wait = waits.next().copied().unwrap_or_default();
            log::error!("{name}: {error}; trying again in {} s", wait.as_secs());
            shared.pause(wait);
        }
    }

    fn is_empty(&self) -> bool {
        self.done.is_none() && self.recalled.is_none()
    }
}
