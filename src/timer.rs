//! The timer: sleeps until the next due instant, then processes each due rotation separately.

use crate::actions::due::{self, DueWorker};
use crate::actions::{App, Error, TIMER};
use crate::failpoint;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::heartbeat::Heartbeat;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Starts the timer.
pub fn start(app: App) -> std::io::Result<LoopThread> {
    let stop = StopFlag::default();
    let spec = LoopSpec {
        name: TIMER,
        wakeup: app.store().signals().timer.clone(),
        stop: stop.clone(),
        watch: Watch::Readiness,
    };
    let runtime = Arc::clone(app.runtime());
    let mut due_worker = DueWorker::default();
    runtime.start(spec, move |heartbeat| {
        // Registered before the first query, too.
        app.store().signals().expect(None);
        failpoint::point("timer.look");
        turn(&app, &mut due_worker, heartbeat, &stop)
    })
}

/// Checks for commits of other processes, processes what is due and returns how long to wait.
fn turn(
    app: &App,
    due_worker: &mut DueWorker,
    heartbeat: &Heartbeat,
    stop: &StopFlag,
) -> Result<Duration, Error> {
    app.store().notice_others()?;
    if app.clock().is_frozen() {
        // A frozen clock moves only on request, and the request processes what becomes due.
        app.store().signals().expect(Some(Timestamp::MIN));
        return Ok(POLL);
    }
    let done = due_worker.run_until(app, &|| {
        // Thousands of rotations may be due, so each commit beats the heartbeat.
        heartbeat.beat();
        stop.is_set()
    })?;
    if done > 0 {
        log::info!("timer: {done} rotations processed");
    }
    due::run_beside(app)?;
    let next = due::next(app)?;
    // Failed work is already due and has its own retry time.
    let next = next.filter(|at| *at > app.now());
    app.store().signals().expect(next);
    let until = next.map_or(POLL, |at| {
        Duration::try_from(at.duration_since(app.now())).unwrap_or_default()
    });
    Ok(until.min(POLL))
}
