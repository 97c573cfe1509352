//! What commits tell the rest of the program.

use super::{Kept, rows};
use crate::domain::ids::RotationId;
use crate::runtime::wakeup::Bell;
use jiff::Timestamp;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What commits tell the rest of the program.
#[derive(Debug, Default)]
pub struct News {
    /// Rises with every commit that changed something but the log of what was sent, also of another process once it is
    /// noticed.
    generation: AtomicU64,
    /// Rung when something falls due earlier than the timer expects.
    pub bell: Bell,
    /// Rung when there may be something to send.
    pub post: Bell,
    /// Rung when there may be something to post in chat.
    pub messages: Bell,
    /// Rung when a topic may have to be brought in line.
    pub topics: Bell,
    /// The same for the people of a user group.
    pub groups: Bell,
    /// What the timer waits for, in milliseconds since 1970.
    expected: AtomicI64,
    recalls: AtomicU64,
    credentials: AtomicU64,
    changed: Mutex<Option<RotationId>>,
}

impl News {
    /// What was read under one generation is still true under the same one.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// What was read of keys, tokens and people under one of these is still true under the same one.
    pub fn credentials(&self) -> u64 {
        self.credentials.load(Ordering::Acquire)
    }

    /// Says what the timer waits for: commits with anything due earlier ring. `None` is any commit with something due;
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
            self.bell.ring();
        }
        if commit.to_send {
            self.post.ring();
        }
        if commit.to_post {
            self.messages.ring();
        }
        for (kept, bell) in [(Kept::Topic, &self.topics), (Kept::Group, &self.groups)] {
            if commit.to_keep.contains(&kept) {
                bell.ring();
            }
        }
    }
}

/// What a commit tells.
pub(super) struct Published {
    /// It changed something that is remembered.
    pub(super) remembered: bool,
    /// The earliest instant, in milliseconds, that it stored as due.
    pub(super) due: i64,
    /// It stored something that the delivery side may have to do.
    pub(super) to_send: bool,
    /// It stored something that may have to be posted in chat.
    pub(super) to_post: bool,
    /// What it stored something of that may have to be brought in line.
    pub(super) to_keep: Vec<Kept>,
    /// What was taken to be sent may not be sent any more as it is.
    pub(super) recalled: bool,
    /// The rotation that it changed last.
    pub(super) changed: Option<RotationId>,
    /// It changed keys, tokens or people.
    pub(super) credentials: bool,
}
