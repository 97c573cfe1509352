//! The loops that read outside sources: one for each [`Source`], so that a server that hangs delays only its own.
//!
//! With a frozen development clock a loop reads only what is new. What is due is read at the end of each move of the clock,
//! and everything by `POST /dev/sync`.

use crate::actions::polling::{Readings, Source, Which};
use crate::actions::{App, Error};
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::clock::monotonic;
use jiff::Timestamp;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The shortest wait of a loop that has found nothing to read.
const PAUSE: Duration = Duration::from_millis(20);

/// All outside sources of a server.
pub struct Sources {
    app: App,
    readers: Vec<Arc<Reader>>,
}

/// A source, which is read by one thread at a time.
struct Reader {
    source: Box<dyn Source>,
    reading: Mutex<()>,
}

impl Reader {
    fn read(&self, which: Which) -> Result<Readings, Error> {
        let _one = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        self.source.read(which)
    }

    /// Reads what the clock leaves to the loop. Returns how long to wait.
    fn turn(&self, app: &App) -> Result<Duration, Error> {
        if app.clock().is_frozen() {
            self.read(Which::New)?;
            return Ok(POLL);
        }
        if self.read(Which::Due)?.is_empty() {
            // Nothing was due, or it was not taken up: no reason to ask again at once.
            return Ok(until(app, self.source.next()?).max(PAUSE));
        }
        Ok(until(app, self.source.next()?))
    }
}

/// The time until an instant, at most [`POLL`].
fn until(app: &App, at: Option<Timestamp>) -> Duration {
    let until = at.map_or(POLL, |at| {
        Duration::try_from(at.duration_since(app.now())).unwrap_or_default()
    });
    until.min(POLL)
}

impl Sources {
    /// Sources that are not read yet.
    pub fn new(app: App, sources: Vec<Box<dyn Source>>) -> Sources {
        let reader = |source| {
            Arc::new(Reader {
                source,
                reading: Mutex::default(),
            })
        };
        Sources {
            app,
            readers: sources.into_iter().map(reader).collect(),
        }
    }

    /// Starts a loop for each source.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(&self) -> std::io::Result<Vec<LoopThread>> {
        let start = |reader: &Arc<Reader>| {
            let spec = LoopSpec {
                name: reader.source.name(),
                wakeup: reader.source.wakeup().clone(),
                stop: StopFlag::default(),
                watch: Watch::End,
            };
            let (reader, app) = (Arc::clone(reader), self.app.clone());
            (self.app.runtime()).start(spec, move |_| reader.turn(&app))
        };
        self.readers.iter().map(start).collect()
    }

    /// Reads all sources at once, and returns when what was read is applied, but at `deadline` at the latest. One that is still
    /// being read then counts as failed, and its reading goes on.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn read(&self, which: Which, deadline: Instant) -> Result<Readings, Error> {
        let (done, results) = channel();
        for reader in &self.readers {
            spawn(Arc::clone(reader), which, done.clone())?;
        }
        drop(done);
        let (mut total, mut answered) = (Readings::default(), 0);
        while answered < self.readers.len() {
            let left = deadline.saturating_duration_since(monotonic());
            // Also ends when the other readers have panicked.
            let Ok(result) = results.recv_timeout(left) else {
                break;
            };
            total = total + result?;
            answered += 1;
        }
        let missing = (self.readers.len() - answered) as u64;
        if missing > 0 {
            log::warn!("sync: {missing} outside sources were not read within the time");
        }
        total.failed += missing;
        Ok(total)
    }
}

fn spawn(
    reader: Arc<Reader>,
    which: Which,
    done: Sender<Result<Readings, Error>>,
) -> Result<(), Error> {
    let work = move || {
        // Whoever waited may have left.
        let _ = done.send(reader.read(which));
    };
    let thread = std::thread::Builder::new().name("sync".into()).spawn(work);
    thread
        .map(drop)
        .map_err(|error| Error::NotCommitted(format!("no thread can be started: {error}")))
}

#[cfg(test)]
mod tests;
