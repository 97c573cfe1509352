//! Carrying out what is queued for the chat platform: messages are posted, topics and on-duty groups brought in line with
//! whoever is on call. The platform is called outside transactions; the result is stored afterwards.
//!
//! What a topic or a group should be is computed anew at each try, so a state that a newer change has replaced is never
//! written.

mod groups;
mod posting;
mod topics;

pub use groups::{GroupMembers, group_members};
pub use topics::TopicTexts;

use super::{App, Fault};
use crate::domain::chat::{ChatError, held_until, next_try};
use crate::domain::ids::{ChannelId, GroupId};
use crate::runtime::wakeup::Wakeup;
use crate::store::{self, CommitSignals, SyncTarget};
use jiff::Timestamp;
use posting::Posted;

/// What is carried out side by side, each in its own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    Messages,
    Topics,
    Groups,
}

impl Queue {
    /// All of them.
    pub const ALL: [Queue; 3] = [Queue::Messages, Queue::Topics, Queue::Groups];

    /// How the log names its thread.
    pub fn name(self) -> &'static str {
        match self {
            Queue::Messages => "chat: messages",
            Queue::Topics => "chat: topics",
            Queue::Groups => "chat: groups",
        }
    }

    /// Wakes its loop.
    pub fn wakeup(self, signals: &CommitSignals) -> &Wakeup {
        match self {
            Queue::Messages => &signals.chat_messages,
            Queue::Topics => &signals.chat_topics,
            Queue::Groups => &signals.chat_groups,
        }
    }
}

/// What the worker of a queue holds between two steps.
#[derive(Debug, Default)]
pub struct InFlight {
    /// Posted, and not stored as posted yet because the storage failed.
    posted: Vec<Posted>,
}

/// Carries out some of what is due on a queue; returns whether there was anything.
pub fn run_due(app: &App, queue: Queue, in_flight: &mut InFlight) -> Result<bool, Fault> {
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

/// When something falls due on a queue.
pub fn next_on(app: &App, queue: Queue) -> Result<Option<Timestamp>, Fault> {
    app.store().read(|tx| match queue {
        Queue::Messages => store::next_message(tx),
        Queue::Topics => store::next_sync(tx, SyncTarget::Topic),
        Queue::Groups => store::next_sync(tx, SyncTarget::Group),
    })
}

/// When something falls due on any queue.
pub fn next(app: &App) -> Result<Option<Timestamp>, Fault> {
    let mut next = None;
    for queue in Queue::ALL {
        next = next.into_iter().chain(next_on(app, queue)?).min();
    }
    Ok(next)
}

/// Why something could not be brought in line.
enum SyncError {
    Chat(ChatError),
    Fault(Fault),
}

impl From<ChatError> for SyncError {
    fn from(error: ChatError) -> SyncError {
        SyncError::Chat(error)
    }
}

impl From<Fault> for SyncError {
    fn from(fault: Fault) -> SyncError {
        SyncError::Fault(fault)
    }
}

/// Brings the first target of a kind in line that is due. One that fails is retried later and delays no other.
fn sync_first(
    app: &App,
    target: SyncTarget,
    sync: impl FnOnce(&str) -> Result<(), SyncError>,
) -> Result<bool, Fault> {
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
        // Nothing can be stored either.
        Err(SyncError::Fault(fault)) if fault.is_unavailable() => return Err(fault),
        Err(SyncError::Fault(fault)) => ChatError::Internal(fault.to_string()),
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
