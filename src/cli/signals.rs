//! Signals. Of SIGTERM and SIGINT the first stops the server; another one at least a second later ends the process at once.
//!
//! SIGHUP is logged and changes nothing, because no setting is read anew; from a terminal that was closed it stops the server.
//! SIGXFSZ would end the process where a limit on the size of files is reached: without it the write fails, as on a full disk.

use crate::runtime::clock::monotonic;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::low_level::pipe;
use std::fs::File;
use std::io::{IsTerminal, Read, Write, stdin};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A terminal and a wrapper may both send the signal, so repeats within this time are ignored.
const REPEATS: Duration = Duration::from_secs(1);

/// The received signals and their handlers.
#[derive(Clone, Default)]
pub struct Signals(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    stopping: bool,
    stop: Option<Box<dyn FnOnce() + Send>>,
    /// Removed when the process ends, even at once.
    folder: Option<PathBuf>,
}

impl Signals {
    /// Starts handling signals.
    pub fn register() -> Result<Signals, String> {
        let signals = Signals::default();
        let heard = signals.clone();
        let start = move || {
            let (listen, stop_sender) = UnixStream::pair()?;
            for signal in [SIGTERM, SIGINT] {
                pipe::register(signal, stop_sender.try_clone()?)?;
            }
            std::thread::Builder::new()
                .name("signals".into())
                .spawn(move || heard.listen(listen))?;
            let (hang_ups, hang_up_sender) = UnixStream::pair()?;
            pipe::register(SIGHUP, hang_up_sender)?;
            let has_terminal = stdin().is_terminal();
            std::thread::Builder::new()
                .name("hang-ups".into())
                .spawn(move || listen_for_hang_ups(hang_ups, has_terminal, stop_sender))
        };
        match start() {
            Ok(_) => Ok(signals),
            Err(error) => Err(format!("signals: {error}")),
        }
    }

    /// Whether a signal was received.
    pub fn told_to_stop(&self) -> bool {
        self.heard().stopping
    }

    /// Calls `stop` at the first signal, or at once if there was one.
    pub fn on_stop(&self, stop: impl FnOnce() + Send + 'static) {
        let mut heard = self.heard();
        if heard.stopping {
            drop(heard);
            stop();
        } else {
            heard.stop = Some(Box::new(stop));
        }
    }

    /// Removes a folder even if the process ends at once.
    pub fn remove_at_end(&self, folder: &Path) {
        self.heard().folder = Some(folder.to_owned());
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(&self, mut signals: UnixStream) {
        if signals.read_exact(&mut [0]).is_err() {
            return;
        }
        let first = monotonic();
        log::info!("stopping");
        let stop = {
            let mut heard = self.heard();
            heard.stopping = true;
            heard.stop.take()
        };
        if let Some(stop) = stop {
            stop();
        }
        while signals.read_exact(&mut [0]).is_ok() {
            if first.elapsed() >= REPEATS {
                self.end_at_once();
            }
        }
    }

    fn end_at_once(&self) -> ! {
        log::warn!("second signal: ending at once");
        if let Some(folder) = self.heard().folder.take() {
            // It may already be removed; other errors cannot be handled here.
            drop(std::fs::remove_dir_all(folder));
        }
        std::process::exit(1)
    }
}

/// Lets a write beyond a limit on the size of files fail instead of ending the process.
///
/// # Errors
/// If the system refuses.
pub fn outlive_file_limits() -> Result<(), String> {
    // Nobody reads the flag: the signal only has to be handled.
    let handled = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    handled
        .map(drop)
        .map_err(|error| format!("signals: {error}"))
}

/// Logs each SIGHUP. If it came because the terminal of the server was closed, it is passed on as a request to stop.
fn listen_for_hang_ups(mut signals: UnixStream, has_terminal: bool, mut stop: UnixStream) {
    while signals.read_exact(&mut [0]).is_ok() {
        // Without a terminal the name cannot be opened.
        if has_terminal && File::open("/dev/tty").is_err() {
            log::info!("SIGHUP: the terminal was closed");
            // The receiver ends with the process.
            drop(stop.write_all(&[0]));
        } else {
            log::warn!(
                "SIGHUP: nothing is read anew, and the server goes on; restart the service for new settings or a new binary"
            );
        }
    }
}
