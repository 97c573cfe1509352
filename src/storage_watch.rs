//! The loop that reads and writes something where nobody else does, so that a full disk or a locked file is known before the next
//! hand-over needs it.

use crate::actions::{App, Error};
use crate::failpoint;
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::store::{Access, Store, load_team};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The wait before something that failed is tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// The longest wait for the next turn, which is the loop's sign of life.
const LONGEST: Duration = Duration::from_secs(1);

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "storage watch",
        wakeup: app.store().health().began_to_fail.clone(),
        stop: StopFlag::default(),
        watch: Watch::Readiness,
    };
    let every = Duration::from_secs(failpoint::probe(60));
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| {
        let waits = Access::ALL.map(|access| turn(app.store(), access, every));
        let [reads, writes] = waits;
        Ok::<_, Error>(reads.min(writes))
    })
}

/// Tries what nobody has done within `every`, and what failed. Returns the wait until the next look. The outcome is reported as that
/// of any other read or write.
fn turn(store: &Store, access: Access, every: Duration) -> Duration {
    let wait = || {
        let health = store.health().of(access);
        // Damage does not go away by trying.
        match health.failing().filter(|failure| !failure.is_damage) {
            Some(failure) => AGAIN.saturating_sub(failure.last),
            None => every.saturating_sub(health.succeeded),
        }
    };
    if wait().is_zero() {
        let tried = match access {
            Access::Read => store.read(load_team).map(drop),
            Access::Write => store.probe(),
        };
        // What is not the storage's is not known to its health, and is seen in the log alone.
        if let Err(error) = tried {
            log::debug!("storage: a trial {} failed: {error}", access.name());
        }
    }
    wait().clamp(Duration::from_millis(100), LONGEST)
}
