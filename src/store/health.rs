//! Whether the storage works. Every read and every write reports here how it ended, so that readiness, metrics and `rota status`
//! follow what really happens to the file.

use super::Error;
use crate::domain::words::words;
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use rusqlite::ErrorCode;
use rusqlite::ffi::{
    SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_DATA, SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An error of a read or a write.
pub trait StoreError: From<Error> {
    /// The error of the storage, if it is one.
    fn of_storage(&self) -> Option<&Error>;
}

impl StoreError for Error {
    fn of_storage(&self) -> Option<&Error> {
        Some(self)
    }
}

impl StoreError for super::ActionError {
    fn of_storage(&self) -> Option<&Error> {
        match self {
            super::ActionError::Failed(error) => Some(error),
            super::ActionError::Refused(_) => None,
        }
    }
}

words! {
    /// What is done with the file.
    pub enum Access {
        Read = "read",
        Write = "write",
    }
}

/// How reads or writes have gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessHealth {
    /// How long ago the last one succeeded; since the file was opened if none has.
    pub succeeded: Duration,
    /// How many have failed because of the storage.
    pub failures: u64,
    /// The last one that failed, also after others have succeeded.
    pub last_failure: Option<AccessFailure>,
}

impl AccessHealth {
    /// The failure that is not over.
    pub fn failing(&self) -> Option<&AccessFailure> {
        self.last_failure
            .as_ref()
            .filter(|failure| !failure.is_over)
    }
}

/// Reads or writes that failed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessFailure {
    /// The error, without names of files.
    pub cause: &'static str,
    /// How long ago the first of them failed.
    pub first: Duration,
    /// How long ago the last one failed.
    pub last: Duration,
    /// The file is damaged. What succeeds elsewhere in it does not end that.
    pub is_damage: bool,
    /// One succeeded afterwards.
    pub is_over: bool,
}

/// The outcome of the reads and writes of an open database.
#[derive(Debug)]
pub struct StorageHealth {
    opened: Instant,
    reads: Track,
    writes: Track,
    /// Wakes the loop that tries again, when reads or writes begin to fail.
    pub began_to_fail: Wakeup,
}

#[derive(Debug, Default)]
struct Track {
    /// Milliseconds from the opening of the file to the last success.
    succeeded: AtomicU64,
    failures: AtomicU64,
    is_failing: AtomicBool,
    last: Mutex<Option<Failure>>,
}

#[derive(Clone, Debug)]
struct Failure {
    cause: Cause,
    first: Instant,
    last: Instant,
    is_over: bool,
}

/// The failures of the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cause {
    words: &'static str,
    is_damage: bool,
}

impl Cause {
    /// `None` for an error that is not the storage's, or that only follows from another one.
    fn of(error: &Error) -> Option<Cause> {
        let (words, is_damage) = match error {
            Error::Lost(_) => ("a file of the database is no longer what was opened", false),
            Error::Storage(error) => match error.sqlite_error_code()? {
                ErrorCode::DiskFull => ("the disk is full", false),
                ErrorCode::SystemIoFailure if is_unreadable(error) => {
                    ("a part of the file cannot be read from the disk", true)
                }
                ErrorCode::SystemIoFailure => (
                    "an input or output error: the disk fails, or a limit on the size of files is reached",
                    false,
                ),
                ErrorCode::ReadOnly | ErrorCode::PermissionDenied => (
                    "the file may not be written: its permissions, or a disk that is mounted read-only",
                    false,
                ),
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    ("another program has locked the database", false)
                }
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => (
                    "the database is damaged; `rota check` lists what, and what to do",
                    true,
                ),
                ErrorCode::CannotOpen => ("a file of the database cannot be opened", false),
                _ => return None,
            },
            // The cause of what was not committed is reported by whoever tried to commit it.
            Error::NotCommitted(_)
            | Error::Stopped
            | Error::Corrupt(_)
            | Error::Panicked(_)
            | Error::Standby(_)
            | Error::HandingOver => return None,
        };
        Some(Cause { words, is_damage })
    }
}

/// Whether the disk does not return what was written. That concerns a part of the file, as damage does.
fn is_unreadable(error: &rusqlite::Error) -> bool {
    let unreadable = [
        SQLITE_IOERR_READ,
        SQLITE_IOERR_SHORT_READ,
        SQLITE_IOERR_CORRUPTFS,
        SQLITE_IOERR_DATA,
    ];
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| unreadable.contains(&code))
}

impl Default for StorageHealth {
    fn default() -> StorageHealth {
        StorageHealth {
            opened: monotonic(),
            reads: Track::default(),
            writes: Track::default(),
            began_to_fail: Wakeup::default(),
        }
    }
}

impl StorageHealth {
    /// How reads or writes have gone.
    pub fn of(&self, access: Access) -> AccessHealth {
        let (track, now) = (self.track(access), monotonic());
        let ago = |at: Instant| now.saturating_duration_since(at);
        let succeeded = Duration::from_millis(track.succeeded.load(Ordering::Acquire));
        let last = track.last().clone();
        AccessHealth {
            succeeded: ago(self.opened).saturating_sub(succeeded),
            failures: track.failures.load(Ordering::Acquire),
            last_failure: last.map(|failure| AccessFailure {
                cause: failure.cause.words,
                first: ago(failure.first),
                last: ago(failure.last),
                is_damage: failure.cause.is_damage,
                is_over: failure.is_over,
            }),
        }
    }

    /// The present failures, a sentence for reads and one for writes. Empty if both work.
    pub fn problems(&self) -> Vec<String> {
        let wrong = Access::ALL.into_iter().filter_map(|access| {
            let health = self.of(access);
            let failure = health.failing()?;
            Some(format!(
                "storage: {}s fail: {} (first {} s ago, last {} s ago)",
                access.name(),
                failure.cause,
                failure.first.as_secs(),
                failure.last.as_secs()
            ))
        });
        wrong.collect()
    }

    /// Records that something was read or written.
    pub(super) fn succeeded(&self, access: Access) {
        let track = self.track(access);
        let since_opening = monotonic().saturating_duration_since(self.opened);
        let millis = u64::try_from(since_opening.as_millis()).unwrap_or(u64::MAX);
        track.succeeded.store(millis, Ordering::Release);
        if !track.is_failing.load(Ordering::Acquire) {
            return;
        }
        let mut last = track.last();
        let failure = last.as_mut().filter(|failure| !failure.cause.is_damage);
        if let Some(failure) = failure.filter(|failure| !failure.is_over) {
            failure.is_over = true;
            track.is_failing.store(false, Ordering::Release);
            let seconds = failure.first.elapsed().as_secs();
            log::info!("storage: {}s work again, after {seconds} s", access.name());
        }
    }

    /// Records that a read or a write failed. An error that is not the storage's changes nothing.
    pub(super) fn failed(&self, access: Access, error: &Error) {
        let Some(cause) = Cause::of(error) else {
            return;
        };
        let (track, now) = (self.track(access), monotonic());
        track.failures.fetch_add(1, Ordering::AcqRel);
        let mut last = track.last();
        let failing = last.as_mut().filter(|failure| !failure.is_over);
        match failing {
            Some(failure) if failure.cause.is_damage && !cause.is_damage => {}
            Some(failure) if failure.cause == cause => failure.last = now,
            _ => {
                log::error!("storage: {}s fail: {}", access.name(), cause.words);
                let first = failing.map_or(now, |failure| failure.first);
                *last = Some(Failure {
                    cause,
                    first,
                    last: now,
                    is_over: false,
                });
                track.is_failing.store(true, Ordering::Release);
                drop(last);
                self.began_to_fail.wake();
            }
        }
    }

    fn track(&self, access: Access) -> &Track {
        match access {
            Access::Read => &self.reads,
            Access::Write => &self.writes,
        }
    }
}

impl Track {
    fn last(&self) -> MutexGuard<'_, Option<Failure>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    fn storage(code: i32) -> Error {
        Error::Storage(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn what_succeeds_ends_a_failure_and_no_damage() {
        type Rows<'a> = &'a [(&'a str, Option<Error>, Option<&'a str>)];
        let rows: [Rows; 3] = [
            &[
                (
                    "full",
                    Some(storage(ffi::SQLITE_FULL)),
                    Some("disk is full"),
                ),
                ("locked", Some(storage(ffi::SQLITE_BUSY)), Some("locked")),
                ("a success", None, None),
                ("no commit", Some(Error::NotCommitted("x".into())), None),
                ("a bad row", Some(Error::Corrupt("x".into())), None),
                (
                    "again",
                    Some(storage(ffi::SQLITE_IOERR_WRITE)),
                    Some("limit on the size"),
                ),
            ],
            &[
                (
                    "damage",
                    Some(storage(ffi::SQLITE_CORRUPT)),
                    Some("`rota check`"),
                ),
                ("a success", None, Some("`rota check`")),
                (
                    "full",
                    Some(storage(ffi::SQLITE_FULL)),
                    Some("`rota check`"),
                ),
            ],
            &[
                (
                    "full",
                    Some(storage(ffi::SQLITE_FULL)),
                    Some("disk is full"),
                ),
                (
                    "a bad sector",
                    Some(storage(ffi::SQLITE_IOERR_READ)),
                    Some("cannot be read"),
                ),
                ("a success", None, Some("cannot be read")),
            ],
        ];
        for steps in rows {
            let health = StorageHealth::default();
            for (name, error, expected) in steps {
                match error {
                    Some(error) => health.failed(Access::Write, error),
                    None => health.succeeded(Access::Write),
                }
                let problems = health.problems();
                assert_eq!(problems.len(), usize::from(expected.is_some()), "{name}");
                let words = expected.unwrap_or_default();
                assert!(problems.concat().contains(words), "{name}: {problems:?}");
                assert_eq!(health.of(Access::Read).last_failure, None, "{name}");
            }
        }
    }

    #[test]
    fn what_failed_last_is_kept() {
        let health = StorageHealth::default();
        health.failed(Access::Read, &storage(ffi::SQLITE_CANTOPEN));
        health.failed(Access::Read, &storage(ffi::SQLITE_CANTOPEN));
        health.succeeded(Access::Read);
        let reads = health.of(Access::Read);
        assert_eq!((reads.failures, reads.failing()), (2, None));
        let last = reads.last_failure.expect("a failure");
        assert_eq!(last.cause, "a file of the database cannot be opened");
        assert!(last.is_over && last.first >= last.last);
        assert_eq!(health.of(Access::Write).failures, 0);
    }
}
