//! What commits publish to the rest of the program.

use super::{SyncTarget, rows};
use crate::domain::ids::RotationId;
use crate::runtime::wakeup::Wakeup;
use jiff::Timestamp;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What commits publish to the rest of the program: numbers that change, and wakeups of the background loops.
#[derive(Debug, Default)]
pub struct CommitSignals {
    /// Rises with every commit that changed something but the log of what was sent, also of another process once it is
    /// noticed.
    generation: AtomicU64,
    /// Something falls due earlier than the timer expects.
    pub timer: Wakeup,
    /// A webhook delivery may be due.
    pub deliveries: Wakeup,
    /// A chat message may be due.
    pub chat_messages: Wakeup,
    /// A chat topic may have to be updated.
    pub chat_topics: Wakeup,
    /// The members of a chat user group may have to be updated.
    pub chat_groups: Wakeup,
    /// What the timer waits for, in milliseconds since 1970.
    expected: AtomicI64,
    recalls: AtomicU64,
    credentials: AtomicU64,
    changed: Mutex<Option<RotationId>>,
}

impl CommitSignals {
    /// What was read under one generation is still true under the same one.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// What was read of keys, tokens and people under one of these is still true under the same one.
    pub fn credentials(&self) -> u64 {
        self.credentials.load(Ordering::Acquire)
    }

    /// Says what the timer waits for: commits with anything due earlier wake it. `None` is any commit with something due;
    /// to be said before the query for what is due next, so that a commit in between is not lost.
    pub fn expect(&self, due: Option<Timestamp>) {
        self.expected
            .store(due.map_or(i64::MAX, rows::millis), Ordering::SeqCst);
    }

    /// The rotation that this process changed last; `None` when it has changed none.
    pub fn changed_last(&self) -> Option<RotationId> {
        let changed = self.changed.lock();
        changed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often something was recalled: what was taken to be sent under one number may be sent as it is under the same.
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

/// What one commit publishes.
pub(super) struct Published {
    /// It changed something that is remembered.
    pub(super) remembered: bool,
    /// The earliest instant, in milliseconds, that it stored as due.
    pub(super) due: i64,
    /// It stored something that concerns webhook deliveries.
    pub(super) deliveries: bool,
    /// It stored a message that may have to be posted in chat.
    pub(super) chat_messages: bool,
    /// What may have to be updated in chat.
    pub(super) chat_sync: Vec<SyncTarget>,
    /// What was taken to be sent may not be sent any more as it is.
    pub(super) recalled: bool,
    /// The rotation that it changed last.
    pub(super) changed: Option<RotationId>,
    /// It changed keys, tokens or people.
    pub(super) credentials: bool,
}
