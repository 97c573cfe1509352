//! The loop that asks the chat platform again while it has not named the workspace, or does not take the token.

use crate::actions::{App, platform};
use crate::chat::Remote;
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App, remote: Arc<dyn Remote>) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "chat: watch",
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        watch: Watch::End,
    };
    let mut tries = 0;
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| {
        platform::keep_asking(&app, &*remote, &mut tries)
    })
}
