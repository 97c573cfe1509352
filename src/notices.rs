//! The loop that tells people of what moved in their own plan, and carries told plans on at midnight.

use crate::actions::told_plan::NoticeWorker;
use crate::actions::{App, Error};
use crate::memory;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::heartbeat::Heartbeat;
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App) -> io::Result<LoopThread> {
    let stop = StopFlag::default();
    let spec = LoopSpec {
        name: "notices",
        // It looks twice a second: a write must not pay for waking it.
        wakeup: Wakeup::default(),
        stop: stop.clone(),
        watch: Watch::Liveness,
    };
    let runtime = Arc::clone(app.runtime());
    let mut worker = NoticeWorker::default();
    let mut is_first = true;
    runtime.start(spec, move |heartbeat| {
        if is_first {
            let made = worker.begin(&app)?;
            is_first = false;
            note_freed(made);
        }
        turn(&app, &mut worker, heartbeat, &stop)
    })
}

fn turn(
    app: &App,
    worker: &mut NoticeWorker,
    heartbeat: &Heartbeat,
    stop: &StopFlag,
) -> Result<Duration, Error> {
    let told = worker.send_due(app)?;
    if told > 0 {
        log::info!("notices: {told} people told that their shifts moved");
    }
    if !app.clock().is_frozen() {
        // A move of a frozen clock carries on by itself.
        let made = worker.carry_on(app, &|| {
            heartbeat.beat();
            stop.is_set()
        })?;
        note_freed(made);
    }
    Ok(POLL)
}

/// The plans of hundreds of rotations leave megabytes in the heap of this thread, which makes none for the rest of the day.
fn note_freed(plans: usize) {
    const MANY: usize = 100;
    if plans >= MANY {
        memory::note_much_freed();
    }
}
