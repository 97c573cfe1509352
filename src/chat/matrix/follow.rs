//! Waits for changes of the rooms of the account, so that the directory is read when something has changed.

use super::api::Matrix;
use crate::chat::{CallError, Remote};
use crate::runtime::clock::monotonic;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long the homeserver may keep a wait open.
const WAIT: Duration = Duration::from_secs(30);

/// The waits after failures, one after another; the last one repeats.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
];

/// Where a wait goes on.
#[derive(Debug, Default)]
pub struct Following {
    since: Option<String>,
    failures: usize,
}

impl Matrix {
    /// Waits for changes once. Returns how long to wait before the next time.
    pub fn follow(&self, following: &mut Following) -> Duration {
        if self.is_paused() {
            return PAUSES[0];
        }
        match self.await_changes(following.since.as_deref(), WAIT) {
            Ok((since, has_changes)) => {
                let mut at = self
                    .followed_at
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                *at = Some(monotonic());
                drop(at);
                following.since = Some(since);
                following.failures = 0;
                if has_changes {
                    self.has_news.store(true, Ordering::Release);
                    self.news.wake();
                }
                Duration::ZERO
            }
            Err(error) => {
                if let CallError::Refused(_) = error {
                    // The homeserver does not know any more from when on.
                    following.since = None;
                }
                let pause = PAUSES[following.failures.min(PAUSES.len() - 1)];
                following.failures += 1;
                pause
            }
        }
    }
}
