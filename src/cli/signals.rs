//! SIGTERM and SIGINT: the first stops the server; another one at least a second later ends the process at once.

use crate::runtime::clock::monotonic;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
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
                .spawn(move || heard.listen(listen))
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
