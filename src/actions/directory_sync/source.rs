//! When the platform's directory is read in full.

use super::{EMOJI, Synced, status, sync};
use crate::actions::polling::{Readings, Source, Which};
use crate::actions::{App, Error};
use crate::chat::Remote;
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use crate::store;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The waits after readings that fail one after another; the last one repeats.
const WAITS: [SignedDuration; 4] = [
    SignedDuration::from_secs(2),
    SignedDuration::from_secs(10),
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(5),
];

/// How long a reading waits where the platform asks it to, if nobody waits for the reading.
const PATIENCE: Duration = Duration::from_secs(900);

/// The same if somebody waits for it: past the minute in which calls of user groups are counted.
const ASKED_PATIENCE: Duration = Duration::from_secs(65);

/// The directory of a chat platform that owns it.
pub struct DirectorySource {
    app: App,
    remote: Arc<dyn Remote>,
    reads_at_start: bool,
    wakeup: Wakeup,
    plan: Mutex<Plan>,
}

#[derive(Default)]
struct Plan {
    /// `None` before the first look at what was read by an earlier process.
    next: Option<Timestamp>,
    /// Failed readings since the last one that was applied.
    tries: usize,
    /// Whether this process has tried to read.
    has_tried: bool,
}

impl DirectorySource {
    /// The directory of a workspace. It is read at the start if the last reading is older than the settings permit, or with
    /// `reads_at_start` in any case.
    pub fn new(app: App, remote: Arc<dyn Remote>, reads_at_start: bool) -> DirectorySource {
        DirectorySource {
            app,
            wakeup: remote.news(),
            remote,
            reads_at_start,
            plan: Mutex::default(),
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the first reading of this process is due: at once, or when the last one is old.
    fn first(&self) -> Result<Timestamp, Error> {
        if self.reads_at_start {
            return Ok(Timestamp::MIN);
        }
        let (read_at, emoji) = self.app.store().read(|tx| -> Result<_, Error> {
            Ok((status(tx)?.last_read_at, store::load_fact(tx, EMOJI)?))
        })?;
        let is_same = emoji == Some(self.remote.readings_depend_on());
        let read_at = read_at.filter(|_| is_same);
        Ok(read_at.map_or(Timestamp::MIN, |at| later(at, self.remote.sync_every())))
    }

    /// Plans the next reading by what became of the last one.
    fn follow(&self, synced: &Synced) {
        let (now, mut plan) = (self.app.now(), self.plan());
        plan.has_tried = true;
        let every = self.remote.sync_every();
        let wait = match synced {
            Synced::Applied { .. } => {
                plan.tries = 0;
                every
            }
            Synced::Refused(_) => every,
            Synced::Failed(_) => {
                let wait = WAITS[plan.tries.min(WAITS.len() - 1)];
                plan.tries += 1;
                wait.min(every)
            }
        };
        // A paused platform is not called before it is asked again.
        let asked_again = self.remote.asks_again_at();
        let next = later(now, wait);
        plan.next = Some(asked_again.map_or(next, |at| at.max(next)));
    }
}

fn later(at: Timestamp, wait: SignedDuration) -> Timestamp {
    at.checked_add(wait).unwrap_or(Timestamp::MAX)
}

impl Source for DirectorySource {
    fn name(&self) -> &'static str {
        "sync: directory"
    }

    fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }

    fn next(&self) -> Result<Option<Timestamp>, Error> {
        if self.remote.has_news() && self.plan().has_tried {
            return Ok(Some(Timestamp::MIN));
        }
        let planned = self.plan().next;
        match planned {
            Some(at) => Ok(Some(at)),
            None => {
                let first = self.first()?;
                Ok(Some(*self.plan().next.get_or_insert(first)))
            }
        }
    }

    fn read(&self, which: Which) -> Result<Readings, Error> {
        let is_due = match which {
            Which::New => !self.plan().has_tried || self.remote.has_news(),
            Which::Due => self.next()?.is_some_and(|at| at <= self.app.now()),
            Which::All => true,
        };
        if !is_due {
            return Ok(Readings::default());
        }
        let is_awaited = which == Which::All || self.app.clock().is_frozen();
        let patience = match is_awaited {
            true => ASKED_PATIENCE,
            false => PATIENCE,
        };
        let synced = sync(&self.app, &*self.remote, false, monotonic() + patience)?;
        self.follow(&synced);
        Ok(Readings::one(matches!(synced, Synced::Applied { .. })))
    }
}
