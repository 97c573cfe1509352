//! What a standby knows of its copies of the first server's database, and stepping the last of them to now.

use super::due::{self, DueWorker};
use super::{App, Error, mentions, tier};
use crate::domain::audit::Author;
use crate::domain::tiers::TierLimits;
use crate::domain::words::words;
use crate::runtime::clock::monotonic;
use crate::store;
use jiff::Timestamp;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The default of `[standby] stale_after`.
pub const STALE_AFTER: Duration = Duration::from_secs(5 * 60);

words! {
    /// What came of asking for a copy.
    pub enum CopyResult {
        Taken = "taken",
        Unchanged = "unchanged",
        Rejected = "rejected",
        Failed = "failed",
    }
}

/// A standby: where the first server is, and how its copies have gone.
#[derive(Debug)]
pub struct Standby {
    /// The address at which changes are made, as people read it.
    first: Arc<str>,
    /// Other addresses at which its pages may be asked for.
    hosts: Vec<String>,
    stale_after: Duration,
    state: Mutex<State>,
    /// The hashes of the secrets of sessions that began here, which no copy has.
    sessions: Mutex<Vec<[u8; 32]>>,
    counts: [AtomicU64; CopyResult::ALL.len()],
    /// Whether no copy takes the place of the database any more.
    is_over: Mutex<bool>,
}

#[derive(Debug, Default)]
struct State {
    copied: Option<Copied>,
    /// What is wrong since the last copy, in a sentence.
    wrong: Option<String>,
}

/// The last good copy.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// Everything that the first server had committed by then is in it.
    pub at: Timestamp,
    /// When it was asked for: its age is counted from there, whatever the clocks of the two machines show.
    since: Instant,
}

impl Copied {
    /// A copy that was asked for at an instant of this machine.
    pub fn asked_for(at: Timestamp, since: Instant) -> Copied {
        Copied { at, since }
    }

    /// A copy that is so old by the clock of this machine, which is all that is known after a start.
    pub fn before(at: Timestamp, now: Timestamp) -> Copied {
        let age = Duration::try_from(now.duration_since(at)).unwrap_or_default();
        let since = monotonic();
        Copied {
            at,
            since: since.checked_sub(age).unwrap_or(since),
        }
    }

    /// How old it is.
    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }
}

impl Standby {
    /// A standby without a copy.
    pub fn new(first: &str, hosts: Vec<String>, stale_after: Duration) -> Standby {
        Standby {
            first: first.into(),
            hosts,
            stale_after,
            state: Mutex::default(),
            sessions: Mutex::default(),
            counts: Default::default(),
            is_over: Mutex::default(),
        }
    }

    /// The address at which changes are made.
    pub fn first(&self) -> &Arc<str> {
        &self.first
    }

    /// Other base URLs at which its pages may be asked for: those of the servers that it stands by for.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The last good copy; `None` before the first.
    pub fn copied(&self) -> Option<Copied> {
        self.state().copied
    }

    /// Notes what came of asking for a copy.
    pub fn note(&self, result: CopyResult, copied: Option<Copied>, wrong: Option<String>) {
        self.counts[result as usize].fetch_add(1, Ordering::Relaxed);
        self.set(copied, wrong);
    }

    /// Puts a copy in the place of the database, unless it is a standby's no more.
    pub fn adopt(&self, act: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        match *is_over {
            true => Err("the standby has ended".into()),
            false => act(),
        }
    }

    /// Ends it: a copy that is still on its way does not take the place of the database.
    pub fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Notes the copy that was there at the start.
    pub fn begin_with(&self, copied: Copied) {
        self.set(Some(copied), None);
    }

    fn set(&self, copied: Option<Copied>, wrong: Option<String>) {
        let mut state = self.state();
        state.copied = copied.or(state.copied);
        state.wrong = wrong;
    }

    /// How often each result was noted.
    pub fn counted(&self) -> [(CopyResult, u64); CopyResult::ALL.len()] {
        CopyResult::ALL.map(|result| {
            let count = self.counts[result as usize].load(Ordering::Relaxed);
            (result, count)
        })
    }

    /// What is wrong with the last attempt, if anything is.
    pub fn wrong(&self) -> Option<String> {
        self.state().wrong.clone()
    }

    /// Why it is not ready to answer, if it is not: it has no copy, or an old one.
    pub fn unready(&self) -> Option<String> {
        let state = self.state();
        let why = match state.copied {
            None => "a standby without a copy".to_owned(),
            Some(copied) if copied.age() >= self.stale_after => format!(
                "a standby whose copy of {} is {} s old",
                copied.at,
                copied.age().as_secs()
            ),
            Some(_) => return None,
        };
        Some(match &state.wrong {
            Some(wrong) => format!("{why}: {wrong}"),
            None => why,
        })
    }

    /// Notes a session that began here, by the hash of its secret.
    pub(super) fn keep_session(&self, secret_hash: [u8; 32]) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.push(secret_hash);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has the sessions that began on a standby in its next working copy as well. One whose person or token is no longer there is lost.
pub fn carry_sessions(last: &App, next: &App) {
    let Some(standby) = next.standby() else {
        return;
    };
    let mut sessions = standby
        .sessions
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    sessions.retain(|hash| {
        let found = last.store().read(|tx| store::load_session(tx, hash));
        let Ok(Some(session)) = found else {
            return false;
        };
        let carried = next
            .store()
            .write(move |tx| -> Result<(), Error> { store::insert_session(tx, &session) });
        carried.is_ok()
    });
}

/// Steps a working copy to now for the first time, as a start of a server would: the tier and the data of holidays and time zones
/// are those of this program.
pub fn begin(app: &App, rules: &str, operator: &Author, limits: TierLimits) -> Result<(), Error> {
    let rules_changed = due::check_rules(app, rules)?;
    step(app, &mut DueWorker::default(), &|| false)?;
    if rules_changed {
        due::follow_rules(app, rules)?;
    }
    match tier::switch(app, operator, limits) {
        Ok(()) => Ok(()),
        Err(super::ActionError::Failed(error)) => Err(error),
        // It is refused to nobody who has the machine.
        Err(super::ActionError::Refused(refusal)) => Err(Error::Corrupt(format!("{refusal:?}"))),
    }
}

/// Steps a working copy to now, each due instant apart. Returns when the next one is.
pub fn step(
    app: &App,
    worker: &mut DueWorker,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Timestamp>, Error> {
    worker.run_in_order(app, stopped)?;
    mentions::run(app)?;
    due::next(app)
}
