//! What comes in from Matrix: one loop waits for what happens in the rooms of the account.

use crate::actions::{App, Error};
use crate::chat::matrix::{Following, Matrix};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App, matrix: Arc<Matrix>) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "matrix: sync",
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        // An answer may take as long as nothing happens.
        watch: Watch::End,
    };
    let mut following = Following::default();
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| Ok::<_, Error>(matrix.follow(&mut following)))
}
