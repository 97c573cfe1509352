//! The timer: sleeps until the next due instant, then does what is due, each rotation for itself (contract section 8).

use crate::actions::due::{self, Sweep};
use crate::actions::{Desk, Fault};
use crate::fault;
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::{LOOK, attend, await_end};
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The running timer.
pub struct Timer {
    stopping: Arc<AtomicBool>,
    desk: Desk,
    thread: JoinHandle<()>,
}

/// Starts the timer thread.
pub fn start(desk: Desk) -> std::io::Result<Timer> {
    let stopping = Arc::new(AtomicBool::new(false));
    // It counts as begun from here on: who looks before its first turn finds nothing late.
    desk.vitals().timer.beat();
    let (flag, shared) = (Arc::clone(&stopping), desk.clone());
    let thread = std::thread::Builder::new()
        .name("timer".into())
        .spawn(move || run(&shared, &flag))?;
    Ok(Timer {
        stopping,
        desk,
        thread,
    })
}

impl Timer {
    /// Ends the thread once the work in hand is done; one that hangs is left after `grace`.
    pub fn stop(self, grace: Duration) {
        self.stopping.store(true, Ordering::Release);
        self.desk.store().news().bell.ring();
        let deadline = monotonic() + grace;
        if await_end(&[self.thread], deadline) > 0 {
            log::warn!("timer: still at work; what is due is done after the next start");
        }
    }
}

fn run(desk: &Desk, stopping: &AtomicBool) {
    let mut sweep = Sweep::default();
    let (pulse, news) = (&desk.vitals().timer, desk.store().news());
    attend(pulse, &news.bell, stopping, || {
        // Said before the queries, too.
        news.expect(None);
        fault::point("timer.look");
        look(desk, &mut sweep, stopping)
    });
}

/// Notices what others wrote, does what is due and answers how long to wait.
fn look(desk: &Desk, sweep: &mut Sweep, stopping: &AtomicBool) -> Result<Duration, Fault> {
    desk.store().notice_others()?;
    if desk.clock().is_frozen() {
        // A frozen clock moves only when told to, and what falls due on the way is done by whoever moves it.
        desk.store().news().expect(Some(Timestamp::MIN));
        return Ok(LOOK);
    }
    let done = sweep.run_until(desk, &|| {
        // Thousands of rotations may be due: each commit is a sign of life.
        desk.vitals().timer.beat();
        stopping.load(Ordering::Acquire)
    })?;
    if done > 0 {
        log::info!("timer: {done} rotations moved on");
    }
    due::run_beside(desk)?;
    let next = due::next(desk)?;
    // What failed is due already and has its own time to be tried again.
    let next = next.filter(|at| *at > desk.now());
    desk.store().news().expect(next);
    let until = next.map_or(LOOK, |at| {
        Duration::try_from(at.duration_since(desk.now())).unwrap_or_default()
    });
    Ok(until.min(LOOK))
}
