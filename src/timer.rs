//! The timer: sleeps until the next due instant, then does what is due, each rotation for itself.

use crate::actions::due::{self, Sweep};
use crate::actions::{Desk, Fault, TIMER};
use crate::fault;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::heartbeat::Heartbeat;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Starts the timer.
pub fn start(desk: Desk) -> std::io::Result<LoopThread> {
    let stop = StopFlag::default();
    let spec = LoopSpec {
        name: TIMER,
        wakeup: desk.store().signals().timer.clone(),
        stop: stop.clone(),
        watch: Watch::Readiness,
    };
    let runtime = Arc::clone(desk.runtime());
    let mut sweep = Sweep::default();
    runtime.start(spec, move |heartbeat| {
        // Said before the queries, too.
        desk.store().signals().expect(None);
        fault::point("timer.look");
        look(&desk, &mut sweep, heartbeat, &stop)
    })
}

/// Notices what others wrote, does what is due and answers how long to wait.
fn look(
    desk: &Desk,
    sweep: &mut Sweep,
    heartbeat: &Heartbeat,
    stop: &StopFlag,
) -> Result<Duration, Fault> {
    desk.store().notice_others()?;
    if desk.clock().is_frozen() {
        // A frozen clock moves only when told to, and what falls due on the way is done by whoever moves it.
        desk.store().signals().expect(Some(Timestamp::MIN));
        return Ok(POLL);
    }
    let done = sweep.run_until(desk, &|| {
        // Thousands of rotations may be due: each commit is a sign of life.
        heartbeat.beat();
        stop.is_set()
    })?;
    if done > 0 {
        log::info!("timer: {done} rotations moved on");
    }
    due::run_beside(desk)?;
    let next = due::next(desk)?;
    // What failed is due already and has its own time to be tried again.
    let next = next.filter(|at| *at > desk.now());
    desk.store().signals().expect(next);
    let until = next.map_or(POLL, |at| {
        Duration::try_from(at.duration_since(desk.now())).unwrap_or_default()
    });
    Ok(until.min(POLL))
}
