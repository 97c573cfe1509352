//! The loop that prints the address at which the first admin is made, whenever nobody administers the workspace any more.

use crate::actions::{App, Error, first_run};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How often it looks. Another process may take the last admin away, so no wakeup tells of it.
const LOOKS_EVERY: Duration = Duration::from_millis(300);

/// Prints the address.
pub type Print = Box<dyn Fn(&str) + Send>;

/// Prints the address if one is needed.
///
/// # Errors
/// Those of the storage.
pub fn print(app: &App, print: &Print) -> Result<(), Error> {
    let Some(secret) = first_run::open(app)? else {
        return Ok(());
    };
    let base = app.base_url();
    print(&format!(
        "nobody can sign in yet. Open this once, within one hour, to become the admin:\n  {base}/setup/{secret}"
    ));
    Ok(())
}

/// Starts the loop.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: App, by: Print) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "first run",
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        watch: Watch::End,
    };
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| -> Result<Duration, Error> {
        if first_run::is_missing(&app)? {
            print(&app, &by)?;
        }
        Ok(LOOKS_EVERY)
    })
}
