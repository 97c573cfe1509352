//! The timer: sleeps until the next due instant, then does what is due, each rotation for itself (contract section 8).

use crate::actions::due::{self, Sweep};
use crate::actions::{Desk, Fault};
use crate::fault;
use crate::wake::{LOOK, attend};
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
    /// Ends the thread once the work in hand is done.
    pub fn stop(self) {
        self.stopping.store(true, Ordering::Release);
        self.desk.store().news().bell.ring();
        drop(self.thread.join());
    }
}

fn run(desk: &Desk, stopping: &AtomicBool) {
    let mut sweep = Sweep::default();
    let news = desk.store().news();
    attend("timer", &news.bell, stopping, || {
        // Said before the queries, too.
        news.expect(None);
        fault::point("timer.look");
        look(desk, &mut sweep)
    });
}

/// Notices what others wrote, does what is due and answers how long to wait.
fn look(desk: &Desk, sweep: &mut Sweep) -> Result<Duration, Fault> {
    desk.store().notice_others()?;
    if desk.clock().is_frozen() {
        // A frozen clock moves only when told to, and what falls due on the way is done by whoever moves it.
        desk.store().news().expect(Some(Timestamp::MIN));
        return Ok(LOOK);
    }
    let done = sweep.run(desk)?;
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
