//! Steps the state that a standby answers from to now: what falls due happens in it when it is due.

use crate::actions::due::DueWorker;
use crate::actions::{App, Error, standby};
use crate::runtime::background::{LoopSpec, LoopThread, POLL, Runtime, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The state that is read now, through a handle that may step it; `None` before the first copy.
#[derive(Clone, Default)]
pub(super) struct Current(Arc<Mutex<Option<App>>>);

impl Current {
    pub(super) fn get(&self) -> Option<App> {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    /// Puts another state in its place, and returns the one before.
    pub(super) fn replace(&self, app: App) -> Option<App> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.replace(app)
    }
}

/// Starts to step the current state.
pub(super) fn start(runtime: &Runtime, current: Current) -> std::io::Result<LoopThread> {
    let stop = StopFlag::default();
    let spec = LoopSpec {
        name: "standby: forecast",
        wakeup: Wakeup::default(),
        stop: stop.clone(),
        watch: Watch::Liveness,
    };
    let mut worker = DueWorker::default();
    runtime.start(spec, move |heartbeat| -> Result<_, Error> {
        let Some(app) = current.get() else {
            return Ok(POLL);
        };
        let next = standby::step(&app, &mut worker, &|| {
            heartbeat.beat();
            stop.is_set()
        })?;
        let until = next.map(|at| Duration::try_from(at.duration_since(app.now())));
        let until = until.map_or(POLL, Result::unwrap_or_default);
        // What is due and cannot be done has its own time of the next try.
        Ok(match until.is_zero() {
            true => POLL,
            false => until.min(POLL),
        })
    })
}
