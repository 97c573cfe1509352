//! The loop by which rotations follow what SCIM has changed.

use crate::actions::provisioning::FollowWorker;
use crate::actions::{ActionError, App, Error};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "provisioning",
        // It looks several times a second: a write must not pay for waking it.
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        watch: Watch::Liveness,
    };
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| turn(&app))
}

fn turn(app: &App) -> Result<Duration, Error> {
    match FollowWorker.run(app) {
        Ok(wait) => Ok(wait),
        Err(ActionError::Failed(error)) => Err(error),
        // Nobody asked for this, so nobody can be refused.
        Err(ActionError::Refused(refusal)) => Err(Error::Corrupt(format!("refused: {refusal:?}"))),
    }
}
