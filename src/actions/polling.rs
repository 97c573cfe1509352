//! Sources that are polled: the chat platform's directory, schedules of paging systems, calendars. A kind
//! of source implements [`Source`]; the loops of `sync` read it.

use super::Error;
use crate::runtime::wakeup::Wakeup;
use jiff::Timestamp;

/// Which of its things a source reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that this server has not read yet, or that somebody has just asked for. A frozen development clock leaves only
    /// these to the loop.
    New,
    /// Those whose time has come, and the new ones.
    Due,
    /// All of them, whenever they were last read.
    All,
}

/// How many things were read. A chat platform's directory is one thing, and so is each linked schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Read, and applied if there was anything to apply.
    pub read: u64,
    /// Not read, or not applied. What was known before stays.
    pub failed: u64,
}

impl Readings {
    /// One thing, which was read or could not be.
    pub fn one(is_read: bool) -> Readings {
        match is_read {
            true => Readings { read: 1, failed: 0 },
            false => Readings { read: 0, failed: 1 },
        }
    }

    /// Whether nothing was to be read.
    pub fn is_empty(self) -> bool {
        self == Readings::default()
    }
}

impl std::ops::Add for Readings {
    type Output = Readings;

    fn add(self, other: Readings) -> Readings {
        Readings {
            read: self.read + other.read,
            failed: self.failed + other.failed,
        }
    }
}

/// A kind of outside source. Its loop has a thread of its own, so it may wait for other servers.
pub trait Source: Send + Sync + 'static {
    /// The name of its loop, as `sync: directory`.
    fn name(&self) -> &'static str;

    /// Wakes its loop before its time, because there is something new to read.
    fn wakeup(&self) -> &Wakeup;

    /// When something is due next, by the clock of the server; `None` while there is nothing to read. A thing that cannot be
    /// read stays due later, at an instant that the source chooses.
    fn next(&self) -> Result<Option<Timestamp>, Error>;

    /// Reads, and applies what was read before it returns. Never called twice at once.
    ///
    /// # Errors
    /// If the storage fails. A thing that cannot be read is no error, but counts as failed.
    fn read(&self, which: Which) -> Result<Readings, Error>;
}
