//! Processes the chat queues: posts messages, and syncs topics and on-duty groups with the people on call. Calls of the platform
//! are outside transactions; their results are stored afterwards.
//!
//! The desired topic or group is computed again at each try, so an outdated state is never
//! written.

mod groups;
mod posting;
mod topics;

pub use groups::{GroupMembers, group_members};
pub use topics::{TopicTexts, preview as preview_topic};

use super::{App, Error};
use crate::domain::chat::{ChatError, held_until, next_try};
use crate::domain::ids::{ChannelId, GroupId};
use crate::runtime::wakeup::Wakeup;
use crate::store::{self, CommitSignals, SyncTarget};
use jiff::Timestamp;
use posting::Posted;

/// The chat queues. They are processed concurrently, each in its own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    Messages,
    Topics,
    Groups,
}

impl Queue {
    /// All queues.
    pub const ALL: [Queue; 3] = [Queue::Messages, Queue::Topics, Queue::Groups];

    /// The name of the queue's loop in the log.
    pub fn name(self) -> &'static str {
        match self {
            Queue::Messages => "chat: messages",
            Queue::Topics => "chat: topics",
            Queue::Groups => "chat: groups",
        }
    }

    /// The wakeup of its loop.
    pub fn wakeup(self, signals: &CommitSignals) -> &Wakeup {
        match self {
            Queue::Messages => &signals.chat_messages,
            Queue::Topics => &signals.chat_topics,
            Queue::Groups => &signals.chat_groups,
        }
    }
}

/// The state of a queue's worker between two steps.
#[derive(Debug, Default)]
pub struct InFlight {
    /// Posted messages whose result is not stored yet because the storage failed.
    posted: Vec<Posted>,
}

/// Processes some of what is due on a queue. Returns whether there was anything.
pub fn run_due(app: &App, queue: Queue, in_flight: &mut InFlight) -> Result<bool, Error> {
    match queue {
        Queue::Messages => posting::post(app, &mut in_flight.posted),
        Queue::Topics => sync_first(app, SyncTarget::Topic, |id| {
            topics::sync(app, &ChannelId::from(id))
        }),
        Queue::Groups => sync_first(app, SyncTarget::Group, |id| {
            groups::sync(app, &GroupId::from(id))
        }),
    }
}

/// When the next item of a queue is due.
pub fn next_on(app: &App, queue: Queue) -> Result<Option<Timestamp>, Error> {
    app.store().read(|tx| match queue {
        Queue::Messages => store::next_message(tx),
        Queue::Topics => store::next_sync(tx, SyncTarget::Topic),
        Queue::Groups => store::next_sync(tx, SyncTarget::Group),
    })
}

/// When the next item of any queue is due.
pub fn next(app: &App) -> Result<Option<Timestamp>, Error> {
    let mut next = None;
    for queue in Queue::ALL {
        next = next.into_iter().chain(next_on(app, queue)?).min();
    }
    Ok(next)
}

/// Why a sync failed.
enum SyncError {
    Chat(ChatError),
    Store(Error),
}

impl From<ChatError> for SyncError {
    fn from(error: ChatError) -> SyncError {
        SyncError::Chat(error)
    }
}

impl From<Error> for SyncError {
    fn from(error: Error) -> SyncError {
        SyncError::Store(error)
    }
}

/// Syncs the first due target of a kind. A failed sync is retried later and does not delay others.
fn sync_first(
    app: &App,
    target: SyncTarget,
    sync: impl FnOnce(&str) -> Result<(), SyncError>,
) -> Result<bool, Error> {
    let now = app.now();
    let first = app
        .store()
        .read(|tx| store::first_due_sync(tx, target, now))?;
    let Some((key, state)) = first else {
        return Ok(false);
    };
    let error = match sync(&key) {
        Ok(()) => return Ok(true),
        Err(SyncError::Chat(error)) => error,
        // Then the error cannot be stored either.
        Err(SyncError::Store(error)) if error.is_unavailable() => return Err(error),
        Err(SyncError::Store(error)) => ChatError::Internal(error.to_string()),
    };
    app.store().write_log(move |tx| {
        let tries = state.tries + 1;
        let (next, why) = (next_try(tries, &error, tx.now()), error.detail());
        if tries == 1 {
            log::warn!("chat: {} {key}: {why}, next try at {next}", target.noun());
        }
        if let Some(until) = held_until(&error, tx.now()) {
            store::hold_syncs(tx, target, until)?;
        }
        store::retry_sync(tx, target, &key, state.calls, next, &why)
    })?;
    Ok(true)
}
