//! The timer: sleeps until the next due instant, then processes each due rotation separately.

use crate::actions::due::{self, DueWorker};
use crate::actions::{App, Error, TIMER};
use crate::failpoint;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::clock::{Clock, monotonic};
use crate::runtime::heartbeat::Heartbeat;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    let mut steps = ClockSteps::default();
    runtime.start(spec, move |heartbeat| {
        // Registered before the first query, too.
        app.store().signals().expect(None);
        failpoint::point("timer.look");
        steps.look(app.clock());
        turn(&app, &mut due_worker, heartbeat, &stop)
    })
}

/// Logs that the system clock was set back, that it has caught up, and that it went forward.
#[derive(Default)]
struct ClockSteps {
    /// How far the clock was behind at the last look.
    behind: Duration,
    /// When that was, by the time that never steps and by the clock.
    looked: Option<(Instant, Timestamp)>,
}

impl ClockSteps {
    /// Smaller steps are those by which a time service corrects a clock.
    const LEAST: Duration = Duration::from_secs(60);

    fn look(&mut self, clock: &Clock) {
        let behind = clock.behind();
        let before = std::mem::replace(&mut self.behind, behind);
        if behind >= before + Self::LEAST
            && let Some(latest) = clock.was_set_back_from()
        {
            log::warn!(
                "the system clock was set back: it shows {}, {} s before {latest}, which the server has seen. What changed since then \
                 stands still until {latest}: no hand-overs, no retries. Set the clock right; if {latest} was wrong, set it right and \
                 restart the service",
                clock.now(),
                behind.as_secs()
            );
        }
        if before >= Self::LEAST && behind < Self::LEAST {
            self.behind = Duration::ZERO;
            log::info!("the system clock has caught up with what the server has seen");
        }
        let forward = self.forward(clock);
        if forward >= Self::LEAST && behind.is_zero() && before.is_zero() {
            log::warn!(
                "the system clock went forward by {} s, to {}: it was set, or the machine slept. What became due in between is done now",
                forward.as_secs(),
                clock.now()
            );
        }
    }

    /// By how much more the clock went on since the last look than time did.
    fn forward(&mut self, clock: &Clock) -> Duration {
        let (instant, now) = (monotonic(), clock.now());
        let Some((looked, was)) = self.looked.replace((instant, now)) else {
            return Duration::ZERO;
        };
        let went = Duration::try_from(now.duration_since(was)).unwrap_or_default();
        match clock.is_frozen() {
            true => Duration::ZERO,
            false => went.saturating_sub(instant.duration_since(looked)),
        }
    }
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
