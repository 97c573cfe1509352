//! Posts to several recipients at once, each in its order: a platform far away takes long for each message.

use super::{Posted, post_one, record};
use crate::actions::chat_sync::updating;
use crate::actions::{App, Error};
use crate::chat::{Remote, Step};
use crate::domain::chat::{ChatError, is_stale};
use crate::domain::ids::MessageReference;
use crate::domain::message::Recipient;
use crate::failpoint;
use crate::runtime::clock::monotonic;
use crate::store::{self, Outgoing, ReadTx};
use jiff::Timestamp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The most messages in flight.
const AT_ONCE: usize = 8;

/// How long a step waits for a post to end before it looks for others to begin.
const LOOK: Duration = Duration::from_millis(50);

/// A post that has ended, and its result; `None` after a panic, and then it is posted again.
type Ended = (Outgoing, Option<Result<MessageReference, ChatError>>);

/// The posts that are under way. Each has a thread, so that a slow one holds up nobody but its recipient.
#[derive(Debug)]
pub(in crate::actions::chat_sync) struct UnderWay {
    recipients: Vec<Recipient>,
    sender: Sender<Ended>,
    ended: Receiver<Ended>,
}

impl Default for UnderWay {
    fn default() -> UnderWay {
        let (sender, ended) = channel();
        UnderWay {
            recipients: Vec::new(),
            sender,
            ended,
        }
    }
}

impl UnderWay {
    fn begin(&mut self, app: &App, outgoing: Outgoing, now: Timestamp) {
        let (app, sender, to) = (app.clone(), self.sender.clone(), outgoing.to.clone());
        let begun = Builder::new().name("chat: post".into()).spawn(move || {
            let post = AssertUnwindSafe(|| post_one(&app, &outgoing, now));
            let outcome = catch_unwind(post).ok();
            // Nobody waits for it any more once the server has ended.
            drop(sender.send((outgoing, outcome)));
        });
        match begun {
            Ok(_) => self.recipients.push(to),
            // It is still due.
            Err(error) => log::warn!("chat: no thread for a message: {error}"),
        }
    }

    /// Takes the results of the posts that have ended; if none has, waits for one.
    fn take(&mut self, wait: Duration, posted: &mut Vec<Posted>) {
        if self.recipients.is_empty() {
            return;
        }
        let first = self.ended.recv_timeout(wait).ok();
        for (outgoing, outcome) in first.into_iter().chain(self.ended.try_iter()) {
            self.recipients.retain(|to| *to != outgoing.to);
            posted.extend(outcome.map(|outcome| (outgoing, outcome)));
        }
    }
}

/// Records the posts that have ended, and begins the first waiting one of each recipient whose turn it is. Returns whether any
/// was posted or refused, or is under way.
pub(super) fn post(
    app: &App,
    remote: &dyn Remote,
    posted: &mut Vec<Posted>,
    under_way: &mut UnderWay,
) -> Result<bool, Error> {
    begin(app, remote, posted, under_way)?;
    under_way.take(LOOK, posted);
    if !posted.is_empty() {
        failpoint::point("chat.posted");
    }
    let tried = |(_, outcome): &Posted| !matches!(outcome, Err(error) if error.is_wait());
    let any = posted.iter().any(tried);
    record(app, posted)?;
    Ok(any || !under_way.recipients.is_empty())
}

/// Records the posts under way as they end, until `deadline`, and begins no more. Returns how many have not ended.
pub(in crate::actions::chat_sync) fn finish(
    app: &App,
    posted: &mut Vec<Posted>,
    under_way: &mut UnderWay,
    deadline: Instant,
) -> Result<usize, Error> {
    loop {
        let left = deadline.saturating_duration_since(monotonic());
        under_way.take(left.min(LOOK), posted);
        record(app, posted)?;
        if under_way.recipients.is_empty() || left.is_zero() {
            return Ok(under_way.recipients.len());
        }
    }
}

fn begin(
    app: &App,
    remote: &dyn Remote,
    posted: &mut Vec<Posted>,
    under_way: &mut UnderWay,
) -> Result<(), Error> {
    let now = app.now();
    if remote.is_paused() {
        explain(app, remote)?;
    }
    let mut free = AT_ONCE.saturating_sub(under_way.recipients.len());
    if free == 0 {
        return Ok(());
    }
    let mut first = app.store().read(|tx| store::list_first_messages(tx, now))?;
    first.retain(|waiting| !under_way.recipients.contains(&waiting.to));
    // Many may wait, and only those whose turn it is are read.
    first.retain(|waiting| {
        if waiting.expires_at.is_some_and(|at| at <= now) || is_stale(waiting.created_at, now) {
            return true;
        }
        let to = match &waiting.to {
            Recipient::Channel(id) => id.as_str(),
            Recipient::Person(id) => id.as_str(),
        };
        let is_open = remote.opens(Step::Post, to).is_none();
        let begins = free > 0 && is_open && !remote.is_paused();
        free -= usize::from(begins);
        begins
    });
    let mut open: Vec<Outgoing> = Vec::new();
    app.store().read(|tx| -> Result<(), Error> {
        for waiting in first {
            open.extend(store::load_waiting_message(tx, waiting.sequence)?);
        }
        without_old_buttons(tx, &mut open)
    })?;
    for outgoing in open {
        match outgoing.to_send(now) {
            Ok(_) => under_way.begin(app, outgoing, now),
            Err(why) => posted.push((outgoing, Err(why))),
        }
    }
    Ok(())
}

/// Says of all waiting messages that the platform is paused.
fn explain(app: &App, remote: &dyn Remote) -> Result<(), Error> {
    let Some(why) = remote.state().1 else {
        return Ok(());
    };
    if app.store().read(store::any_unexplained_message)? {
        app.store()
            .write_log(move |tx| store::note_messages_wait(tx, &why))?;
    }
    Ok(())
}

/// Takes the buttons from messages whose question was answered while they waited.
fn without_old_buttons(tx: &ReadTx, open: &mut [Outgoing]) -> Result<(), Error> {
    let messages = open
        .iter_mut()
        .filter_map(|outgoing| outgoing.message.as_mut().ok());
    for message in messages.filter(|message| !message.answers.is_empty()) {
        if updating::outcome_of(tx, message)?.is_some() {
            message.answers.clear();
        }
    }
    Ok(())
}
