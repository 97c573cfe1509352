//! The loop that counts warnings, for metrics and for pages that show many rotations.

use crate::actions::{App, warnings};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "warnings",
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        // Counting many rotations takes long, and nothing waits for it.
        watch: Watch::End,
    };
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| warnings::refresh(&app))
}
