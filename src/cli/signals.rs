//! SIGTERM and SIGINT: the first stops the server, one that comes a second later or more ends the process at once.

use crate::runtime::clock::monotonic;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A terminal and whoever wraps the program both send the signal; what repeats within this time means the same.
const REPEATS: Duration = Duration::from_secs(1);

/// What was heard so far, and what to do about it.
#[derive(Clone, Default)]
pub struct Signals(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    stopping: bool,
    stop: Option<Box<dyn FnOnce() + Send>>,
    /// Gone with the process, also where it ends at once.
    folder: Option<PathBuf>,
}

impl Signals {
    /// Listens from now on.
    pub fn register() -> Result<Signals, String> {
        let signals = Signals::default();
        let heard = signals.clone();
        let start = move || {
            let (listen, told) = UnixStream::pair()?;
            for signal in [SIGTERM, SIGINT] {
                pipe::register(signal, told.try_clone()?)?;
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

    /// Whether one has come.
    pub fn told_to_stop(&self) -> bool {
        self.heard().stopping
    }

    /// Calls `stop` at the first of them; at once if it has come already.
    pub fn on_stop(&self, stop: impl FnOnce() + Send + 'static) {
        let mut heard = self.heard();
        if heard.stopping {
            drop(heard);
            stop();
        } else {
            heard.stop = Some(Box::new(stop));
        }
    }

    /// Has a folder removed also where the process ends at once.
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
        log::warn!("told again: ended at once");
        if let Some(folder) = self.heard().folder.take() {
            // It may be gone already; otherwise there is nothing more to be done about it.
            drop(std::fs::remove_dir_all(folder));
        }
        std::process::exit(1)
    }
}
