//! Copies of the database for standbys, which ask for one every few seconds.

use super::{App, Error, Result, audit};
use crate::domain::audit::{AuditedChange, Author};
use crate::runtime::clock::monotonic;
use crate::store::{self, copy_unnamed};
use jiff::Timestamp;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between the beginnings of two copies, whoever takes them: each reads the whole database.
const EVERY: Duration = Duration::from_secs(2);

/// How long to wait for a copy that is being sent.
const BUSY: u64 = 2;

/// How often the copies of one key have an audit entry.
const AUDITED_EVERY: Duration = Duration::from_secs(3600);

/// Of which copies are made when.
#[derive(Debug, Default)]
pub struct Replicas {
    busy: Arc<AtomicBool>,
    began: Mutex<Option<Instant>>,
    /// When the copies of a key last had an audit entry.
    audited: Mutex<HashMap<String, Instant>>,
    /// Who asked lately, and when what they have is from.
    seen: Mutex<HashMap<IpAddr, (Instant, Timestamp)>>,
}

/// How long a standby is shown that asks no more.
const SEEN_FOR: Duration = Duration::from_secs(10 * 60);

/// Addresses that are shown at the most.
const MOST_SEEN: usize = 100;

/// A standby that asked for a copy lately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenStandby {
    pub address: IpAddr,
    /// When what it has is from.
    pub copied_at: Timestamp,
}

/// A copy of the database, which is read while it is sent.
pub struct Replica {
    pub size: u64,
    /// Everything committed up to this instant is in it.
    pub copied_at: Timestamp,
    file: File,
    _turn: Turn,
}

impl Read for Replica {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.file.read(into)
    }
}

/// The turn of one copy; the next may begin once it is dropped.
struct Turn(Arc<AtomicBool>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Replicas {
    /// Takes the turn, or says in how many seconds to ask again.
    fn begin(&self) -> Result<Turn, u64> {
        let mut began = lock(&self.began);
        let now = monotonic();
        let next = began.map(|began| began + EVERY);
        if let Some(left) = next.and_then(|next| next.checked_duration_since(now)) {
            return Err(left.as_secs() + 1);
        }
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err(BUSY);
        }
        *began = Some(now);
        Ok(Turn(Arc::clone(&self.busy)))
    }

    /// Has the next copy begin at once, however new the last one is.
    pub(super) fn expect_one(&self) {
        *lock(&self.began) = None;
    }

    /// Notes that a standby at an address has everything up to an instant.
    pub fn note(&self, address: IpAddr, copied_at: Timestamp) {
        let mut seen = lock(&self.seen);
        seen.retain(|_, (at, _)| at.elapsed() < SEEN_FOR);
        if seen.len() < MOST_SEEN || seen.contains_key(&address) {
            seen.insert(address, (monotonic(), copied_at));
        }
    }

    /// The standbys that asked in the last minutes, by their addresses.
    pub fn seen(&self) -> Vec<SeenStandby> {
        let seen = lock(&self.seen);
        let recent = seen.iter().filter(|(_, (at, _))| at.elapsed() < SEEN_FOR);
        let mut found: Vec<SeenStandby> = recent
            .map(|(address, (_, copied_at))| SeenStandby {
                address: *address,
                copied_at: *copied_at,
            })
            .collect();
        found.sort_by_key(|standby| standby.address);
        found
    }

    /// Whether the copies of a credential are to have an audit entry now.
    fn is_noted(&self, credential: &str) -> bool {
        let mut audited = lock(&self.audited);
        let recent = |at: &Instant| at.elapsed() < AUDITED_EVERY;
        audited.retain(|_, at| recent(at));
        match audited.contains_key(credential) {
            true => false,
            false => audited.insert(credential.to_owned(), monotonic()).is_none(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The strong validator of the database, quoted: another one after every commit, and after every start.
pub fn tag(app: &App) -> Result<String, Error> {
    let version = app.store().data_version()?;
    Ok(format!("\"d{}-{version}\"", app.instance()))
}

/// Copies the database as of now. Writers do not wait for it.
///
/// # Errors
/// The seconds to wait, where another copy is being made or was begun just now.
pub fn take(app: &App, author: &Author) -> Result<Result<(Replica, String), u64>> {
    let turn = match app.replicas().begin() {
        Ok(turn) => turn,
        Err(seconds) => return Ok(Err(seconds)),
    };
    // During a hand-over nothing is written; its beginning has an entry.
    let is_written = app.store().check_written_here().is_ok();
    if is_written && app.replicas().is_noted(author.principal.credential()) {
        audit::write(app.store(), author, |_, author| -> Result<_, Error> {
            let subject = author.principal.credential();
            let change = AuditedChange::of(subject, "the database is copied by this key");
            Ok(((), Some(change)))
        })?;
    }
    // Before the copy, so that what is committed meanwhile makes another validator.
    let (tag, now) = (tag(app)?, app.now());
    let (file, latest) = copy_unnamed(app.store().path()).map_err(Error::Lost)?;
    let unread = |error: io::Error| Error::Lost(error.to_string());
    let size = file.metadata().map_err(unread)?.len();
    let replica = Replica {
        size,
        copied_at: latest.map_or(now, |latest| latest.max(now)),
        file,
        _turn: turn,
    };
    Ok(Ok((replica, tag)))
}

/// The id and the epoch of the database.
pub fn epoch(app: &App) -> Result<store::Epoch, Error> {
    app.store().read(store::load_epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_made_one_at_a_time_and_not_too_often() {
        let replicas = Replicas::default();
        let turn = replicas.begin().expect("the first");
        assert_eq!(replicas.begin().err(), Some(2));
        *lock(&replicas.began) = monotonic().checked_sub(EVERY);
        assert_eq!(replicas.begin().err(), Some(BUSY), "it is still being sent");
        drop(turn);
        *lock(&replicas.began) = monotonic().checked_sub(EVERY);
        drop(replicas.begin().expect("the second"));
        assert!(replicas.begin().is_err(), "not twice within two seconds");
    }

    #[test]
    fn each_key_is_noted_once_an_hour() {
        let replicas = Replicas::default();
        let noted = ["a", "a", "b", "a"].map(|key| replicas.is_noted(key));
        assert_eq!(noted, [true, false, true, false]);
        let hour_ago = monotonic().checked_sub(AUDITED_EVERY);
        lock(&replicas.audited).insert("a".into(), hour_ago.expect("an hour of running"));
        assert!(replicas.is_noted("a"));
    }
}
