//! Processes the chat queues: posts messages, and syncs topics and on-duty groups with the people on call. Calls of the platform
//! are outside transactions; their results are stored afterwards.
//!
//! The desired topic or group is computed again at each try, so an outdated state is never
//! written.

mod groups;
mod posting;
mod reader;
mod topics;
mod updating;

pub use groups::{GroupMembers, group_members};
pub use topics::{TopicTexts, preview as preview_topic};

use super::{App, Error};
use crate::chat::Step;
use crate::domain::chat::{ChatError, held_until, next_try};
use crate::domain::ids::{ChannelId, GroupId};
use crate::domain::words::words;
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use crate::store::{self, CommitSignals, StoreError, SyncState, SyncTarget};
use jiff::Timestamp;
use posting::{Posted, UnderWay};
use std::collections::HashMap;
use std::time::{Duration, Instant};

words! {
    /// The chat queues. They are processed concurrently, each in its own order.
    pub enum Queue {
        Messages = "chat: messages",
        Updates = "chat: updates",
        Topics = "chat: topics",
        Groups = "chat: groups",
    }
}

impl Queue {
    /// The wakeup of its loop.
    pub fn wakeup(self, signals: &CommitSignals) -> &Wakeup {
        match self {
            Queue::Messages | Queue::Updates => &signals.chat_messages,
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
    /// The posts that are under way.
    under_way: UnderWay,
    /// Until when the platform's pace keeps the queue from all that is left on it, in real time.
    waits_until: Option<Instant>,
    /// The topics or groups that wait for the platform's pace, while others of the queue go on.
    waiting: HashMap<String, Waiting>,
}

/// How many due topics or groups are read at a time: all of them may wait, and usually the first does not.
const AT_ONCE: usize = 16;

/// A topic or group that waits for the platform's pace.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// The requests that it covers: a new one may need another call, which does not wait.
    calls: i64,
    /// In real time.
    until: Instant,
}

/// Processes some of what is due on a queue. Returns whether there was anything.
pub fn run_due(app: &App, queue: Queue, in_flight: &mut InFlight) -> Result<bool, Error> {
    if let Some(remote) = app.remote() {
        // What is due may have to wait for its turn, and would not ask.
        drop(remote.ask_again());
    }
    if let Queue::Messages = queue {
        return posting::post(app, &mut in_flight.posted, &mut in_flight.under_way);
    }
    // Topics and groups wait one by one.
    let waits = matches!(queue, Queue::Updates)
        && in_flight
            .waits_until
            .is_some_and(|until| until > monotonic());
    if waits || app.remote().is_some_and(|remote| remote.is_paused()) {
        return Ok(false);
    }
    let waiting = &mut in_flight.waiting;
    let turn = match queue {
        Queue::Messages | Queue::Updates => updating::update_first(app)?,
        Queue::Topics => sync_first(app, SyncTarget::Topic, waiting, &|id| {
            topics::sync(app, &ChannelId::from(id))
        })?,
        Queue::Groups => sync_first(app, SyncTarget::Group, waiting, &|id| {
            groups::sync(app, &GroupId::from(id))
        })?,
    };
    in_flight.waits_until = match turn {
        Turn::Waits(until) => Some(until),
        Turn::Done | Turn::Idle => None,
    };
    Ok(turn == Turn::Done)
}

/// Stores the results of the posts under way, until `deadline`, before the server ends. Returns how many have not ended then.
pub fn finish(app: &App, in_flight: &mut InFlight, deadline: Instant) -> Result<usize, Error> {
    let InFlight {
        posted, under_way, ..
    } = in_flight;
    posting::finish(app, posted, under_way, deadline)
}

/// The result of one turn of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Something was tried.
    Done,
    /// Nothing is due, or the platform is paused.
    Idle,
    /// Due work waits for the platform's pace, in real time.
    Waits(Instant),
}

impl Turn {
    /// Of a call that waits; `None` of any other.
    fn waiting(error: &ChatError) -> Option<Turn> {
        match error {
            ChatError::NotBefore(until) => Some(Turn::Waits(*until)),
            ChatError::Paused(_) => Some(Turn::Idle),
            _ => None,
        }
    }
}

/// How long a queue waits at most for the platform's pace; `None` if it does not.
pub fn waits_for(app: &App, queue: Queue, in_flight: &InFlight) -> Option<Duration> {
    let until = match queue {
        Queue::Messages => app.remote()?.opens_next(),
        Queue::Updates | Queue::Topics | Queue::Groups => in_flight.waits_until,
    };
    let now = monotonic();
    until
        .filter(|until| *until > now)
        .map(|until| until.saturating_duration_since(now))
}

/// When the next item of a queue is due.
pub fn next_on(app: &App, queue: Queue) -> Result<Option<Timestamp>, Error> {
    app.store().read(|tx| match queue {
        Queue::Messages => store::next_message(tx),
        Queue::Updates => store::next_message_update(tx),
        Queue::Topics => store::next_sync(tx, SyncTarget::Topic),
        Queue::Groups => store::next_sync(tx, SyncTarget::Group),
    })
}

/// When the next item of any queue is due after an instant. What was due before and is still there waits for the platform.
pub fn next_after(app: &App, after: Timestamp) -> Result<Option<Timestamp>, Error> {
    let asks_at = app.remote().and_then(|remote| remote.asks_again_at());
    app.store().read(|tx| {
        let mut next = asks_at.filter(|at| *at > after);
        for due in [
            store::next_message_after(tx, after)?,
            store::next_message_update_after(tx, after)?,
            store::next_sync_after(tx, SyncTarget::Topic, after)?,
            store::next_sync_after(tx, SyncTarget::Group, after)?,
        ] {
            next = next.into_iter().chain(due).min();
        }
        Ok(next)
    })
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

impl StoreError for SyncError {
    fn of_storage(&self) -> Option<&Error> {
        match self {
            SyncError::Chat(_) => None,
            SyncError::Store(error) => Some(error),
        }
    }
}

/// Waits for the pace of a step before what will need it, so that nothing is read in vain.
fn await_pace(app: &App, step: Step) -> Result<(), ChatError> {
    let opens = app.remote().and_then(|remote| remote.opens(step, ""));
    opens.map_or(Ok(()), |until| Err(ChatError::NotBefore(until)))
}

/// Syncs the first due target of a kind that does not wait for the platform's pace. Neither a failed sync, which is retried
/// later, nor a waiting one delays others.
fn sync_first(
    app: &App,
    target: SyncTarget,
    waiting: &mut HashMap<String, Waiting>,
    sync: &dyn Fn(&str) -> Result<(), SyncError>,
) -> Result<Turn, Error> {
    let (now, real_now) = (app.now(), monotonic());
    waiting.retain(|_, waits| waits.until > real_now);
    loop {
        let is_free = |key: &str, state: &SyncState| {
            let waits = waiting.get(key);
            waits.is_none_or(|waits| waits.calls != state.calls)
        };
        let due = app
            .store()
            .read(|tx| store::list_due_syncs(tx, target, now, AT_ONCE, is_free))?;
        if due.is_empty() {
            let opens = waiting.values().map(|waits| waits.until).min();
            return Ok(opens.map_or(Turn::Idle, Turn::Waits));
        }
        for (key, state) in due {
            let calls = state.calls;
            match sync_one(app, target, key.clone(), state, sync)? {
                Turn::Waits(until) => waiting.insert(key, Waiting { calls, until }),
                turn => return Ok(turn),
            };
        }
    }
}

/// Syncs a due target, and records why if that fails.
fn sync_one(
    app: &App,
    target: SyncTarget,
    key: String,
    state: SyncState,
    sync: &dyn Fn(&str) -> Result<(), SyncError>,
) -> Result<Turn, Error> {
    let error = match sync(&key) {
        Ok(()) => return Ok(Turn::Done),
        Err(SyncError::Chat(error)) => error,
        // Then the error cannot be stored either.
        Err(SyncError::Store(error)) if error.is_unavailable() => return Err(error),
        Err(SyncError::Store(error)) => ChatError::Internal(error.to_string()),
    };
    if let Some(turn) = Turn::waiting(&error) {
        let why = error.detail();
        if matches!(error, ChatError::Paused(_)) {
            app.store()
                .write_log(move |tx| store::note_sync_waits(tx, target, &key, &why))?;
        }
        return Ok(turn);
    }
    let is_final = !app.chat().retries_refusals()
        && matches!(
            error,
            ChatError::NotFound(_) | ChatError::Refused(_) | ChatError::PeopleRefused(_)
        );
    if is_final {
        let why = error.detail();
        log::warn!("chat: {} {key}: {why}", target.noun());
        app.store()
            .write_log(move |tx| store::refuse_sync(tx, target, &key, state.calls, &why))?;
        return Ok(Turn::Done);
    }
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
    Ok(Turn::Done)
}
