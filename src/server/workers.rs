//! Threads that serve connections: one per connection, kept for a while and reused.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Handlers recurse little (JSON is limited to 128 levels), and a thousand threads must stay cheap.
const STACK: usize = 512 * 1024;

/// How long an idle thread is kept. Starting one costs more than serving a short connection.
const LINGER: Duration = Duration::from_secs(5);

pub(super) type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub(super) struct Workers {
    shared: Arc<Pool>,
}

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Threads without a job, including ones that are being woken. Never fewer than `jobs`: a job is only queued for a free
    /// thread, so none waits behind a connection that may last for hours.
    free: usize,
    closed: bool,
}

impl Workers {
    /// Runs `job` on a free thread, or on a new one.
    ///
    /// # Errors
    /// If no thread can be started. The job is dropped.
    pub(super) fn run(&self, job: Job) -> io::Result<()> {
        let mut queue = self.shared.lock();
        if queue.jobs.len() < queue.free {
            queue.jobs.push_back(job);
            drop(queue);
            self.shared.wake.notify_one();
            return Ok(());
        }
        drop(queue);
        let pool = Arc::clone(&self.shared);
        thread::Builder::new()
            .name("http".into())
            .stack_size(STACK)
            .spawn(move || {
                job();
                while let Some(job) = pool.next() {
                    job();
                }
            })
            .map(drop)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
    }
}

impl Pool {
    /// The next job for this thread. `None` if it should end.
    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        queue.free += 1;
        let (mut queue, _) = self
            .wake
            .wait_timeout_while(queue, LINGER, |queue| {
                queue.jobs.is_empty() && !queue.closed
            })
            .unwrap_or_else(PoisonError::into_inner);
        queue.free -= 1;
        queue.jobs.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
