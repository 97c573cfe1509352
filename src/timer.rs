//! The timer: sleeps until the next due instant, then does what is due, each rotation for itself.

use crate::actions::due::{self, Sweep};
use crate::actions::{App, Fault, TIMER};
use crate::fault;
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
    let mut sweep = Sweep::default();
    runtime.start(spec, move |heartbeat| {
        // Said before the queries, too.
        app.store().signals().expect(None);
        fault::point("timer.look");
        look(&app, &mut sweep, heartbeat, &stop)
    })
}

/// Notices what others wrote, does what is due and answers how long to wait.
fn look(
    app: &App,
    sweep: &mut Sweep,
    heartbeat: &Heartbeat,
    stop: &StopFlag,
) -> Result<Duration, Fault> {
    app.store().notice_others()?;
    if app.clock().is_frozen() {
        // A frozen clock moves only when told to, and what falls due on the way is done by whoever moves it.
        app.store().signals().expect(Some(Timestamp::MIN));
        return Ok(POLL);
    }
    let done = sweep.run_until(app, &|| {
        // Thousands of rotations may be due: each commit is a sign of life.
        heartbeat.beat();
        stop.is_set()
    })?;
    if done > 0 {
        log::info!("timer: {done} rotations moved on");
    }
    due::run_beside(app)?;
    let next = due::next(app)?;
    // What failed is due already and has its own time to be tried again.
    let next = next.filter(|at| *at > app.now());
    app.store().signals().expect(next);
    let until = next.map_or(POLL, |at| {
        Duration::try_from(at.duration_since(app.now())).unwrap_or_default()
    });
    Ok(until.min(POLL))
}
