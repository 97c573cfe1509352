//! The signals of commits to the rest of the program.

use super::{SyncTarget, rows};
use crate::domain::ids::RotationId;
use crate::runtime::wakeup::Wakeup;
use jiff::Timestamp;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The signals of commits: counters, and wakeups of the background loops.
#[derive(Debug, Default)]
pub struct CommitSignals {
    /// Rises with every commit except to the log of what was sent, including commits of other processes once they are
    /// noticed.
    generation: AtomicU64,
    /// Something is due earlier than the timer expects.
    pub timer: Wakeup,
    /// A webhook delivery may be due.
    pub deliveries: Wakeup,
    /// A chat message may be due.
    pub chat_messages: Wakeup,
    /// A message may have to be sent on by mail or to an incoming webhook.
    pub relays: Wakeup,
    /// A calendar of a person is to be read.
    pub calendars: Wakeup,
    /// A chat topic may have to be updated.
    pub chat_topics: Wakeup,
    /// The members of a chat user group may have to be updated.
    pub chat_groups: Wakeup,
    /// The instant that the timer waits for, in milliseconds since 1970.
    expected: AtomicI64,
    recalls: AtomicU64,
    credentials: AtomicU64,
    changed: Mutex<Option<RotationId>>,
}

impl CommitSignals {
    /// Data that was read under one generation is valid while it does not change.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Keys, tokens and people that were read under this number are valid while it does not change.
    pub fn credentials(&self) -> u64 {
        self.credentials.load(Ordering::Acquire)
    }

    /// Sets what the timer waits for: commits with anything due earlier wake it. `None` means any commit with something due. Call
    /// it before the query for the next due instant, so that a commit in between is not lost.
    pub fn expect(&self, due: Option<Timestamp>) {
        self.expected
            .store(due.map_or(i64::MAX, rows::millis), Ordering::SeqCst);
    }

    /// The rotation that this process changed last, if any.
    pub fn changed_last(&self) -> Option<RotationId> {
        let changed = self.changed.lock();
        changed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of recalls. A delivery may be sent as taken while this does not change.
    pub fn recalls(&self) -> u64 {
        self.recalls.load(Ordering::Acquire)
    }

    pub(super) fn publish(&self, commit: Published) {
        if commit.remembered {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        if commit.changed.is_some() {
            *self.changed.lock().unwrap_or_else(PoisonError::into_inner) = commit.changed;
        }
        if commit.credentials {
            self.credentials.fetch_add(1, Ordering::AcqRel);
        }
        if commit.recalled {
            self.recalls.fetch_add(1, Ordering::AcqRel);
        }
        if commit.due < self.expected.load(Ordering::SeqCst) {
            self.timer.wake();
        }
        if commit.deliveries {
            self.deliveries.wake();
        }
        if commit.chat_messages {
            self.chat_messages.wake();
        }
        if commit.relays {
            self.relays.wake();
        }
        if commit.calendars {
            self.calendars.wake();
        }
        for (target, wakeup) in [
            (SyncTarget::Topic, &self.chat_topics),
            (SyncTarget::Group, &self.chat_groups),
        ] {
            if commit.chat_sync.contains(&target) {
                wakeup.wake();
            }
        }
    }
}

/// The signals of one commit.
pub(super) struct Published {
    /// Cached data changed.
    pub(super) remembered: bool,
    /// The earliest due instant that was stored, in milliseconds.
    pub(super) due: i64,
    /// Webhook deliveries changed.
    pub(super) deliveries: bool,
    /// A chat message may have to be posted.
    pub(super) chat_messages: bool,
    /// A message may have to be sent on.
    pub(super) relays: bool,
    /// A calendar of a person is to be read.
    pub(super) calendars: bool,
    /// Topics or groups that may have to be synced.
    pub(super) chat_sync: Vec<SyncTarget>,
    /// Deliveries that were taken may no longer be sent unchanged.
    pub(super) recalled: bool,
    /// The rotation that changed last.
    pub(super) changed: Option<RotationId>,
    /// Keys, tokens or people changed.
    pub(super) credentials: bool,
}
