//! Posts messages, in order for each recipient.

mod together;

pub(super) use together::{UnderWay, finish};

use super::reader::reader_zone;
use super::updating;
use crate::actions::{App, Error, relays};
use crate::domain::chat::{ChatError, held_until, next_post};
use crate::domain::ids::MessageReference;
use crate::domain::message::Recipient;
use crate::failpoint;
use crate::runtime::clock::monotonic;
use crate::store::{self, Outgoing, WriteTx};
use jiff::Timestamp;
use std::time::Duration;

/// The maximum number of messages and time between two writes. If the process ends before the write, the posted messages are
/// posted again.
const BATCH: usize = 256;
/// See [`BATCH`].
const BATCH_TIME: Duration = Duration::from_millis(50);

/// A message and the result of posting it.
pub(super) type Posted = (Outgoing, Result<MessageReference, ChatError>);

/// Posts some of what is due. Returns whether there was anything. `posted` has the results that are not stored yet: while the
/// storage fails, nothing more is posted.
pub(super) fn post(
    app: &App,
    posted: &mut Vec<Posted>,
    under_way: &mut UnderWay,
) -> Result<bool, Error> {
    record(app, posted)?;
    if let Some(remote) = app.remote() {
        return together::post(app, &**remote, posted, under_way);
    }
    let now = app.now();
    let due = app
        .store()
        .read(|tx| store::list_due_messages(tx, now, BATCH))?;
    let any = !due.is_empty();
    let begun = monotonic();
    let mut blocked: Vec<Recipient> = Vec::new();
    for outgoing in due {
        // Messages to one recipient are posted in order.
        if blocked.contains(&outgoing.to) {
            continue;
        }
        let outcome = post_one(app, &outgoing, now);
        if matches!(
            outcome,
            Err(ChatError::Unavailable(_) | ChatError::RateLimited(_))
        ) {
            blocked.push(outgoing.to.clone());
        }
        let waits = matches!(outcome, Err(ChatError::RateLimited(_)));
        posted.push((outgoing, outcome));
        if waits || begun.elapsed() > BATCH_TIME {
            break;
        }
    }
    failpoint::point("chat.posted");
    record(app, posted)?;
    Ok(any)
}

fn post_one(app: &App, outgoing: &Outgoing, now: Timestamp) -> Result<MessageReference, ChatError> {
    let message = outgoing.to_send(now)?;
    let reader = reader_zone(app, &message.to)?;
    app.chat().post(message, &key(outgoing), reader)
}

/// The key of a message: another one of a restored database, with the same number, has another.
fn key(outgoing: &Outgoing) -> String {
    let at = outgoing.created_at.as_millisecond();
    format!("{}-{at}", outgoing.sequence)
}

fn record(app: &App, posted: &mut Vec<Posted>) -> Result<(), Error> {
    if posted.is_empty() {
        return Ok(());
    }
    let (done, shared) = (posted.clone(), app.clone());
    app.store().write_log(move |tx| -> Result<(), Error> {
        done.iter()
            .try_for_each(|(outgoing, outcome)| record_one(tx, &shared, outgoing, outcome))
    })?;
    posted.clear();
    Ok(())
}

fn record_one(
    tx: &mut WriteTx,
    app: &App,
    outgoing: &Outgoing,
    outcome: &Result<MessageReference, ChatError>,
) -> Result<(), Error> {
    let (sequence, now) = (outgoing.sequence, tx.now());
    let error = match outcome {
        Ok(reference) => {
            store::save_message_sent(tx, sequence, reference)?;
            if let Ok(message) = &outgoing.message
                && !message.answers.is_empty()
                && updating::outcome_of(&tx.as_read(), message)?.is_some()
                && app.remote().is_some()
            {
                // It was answered before it was posted.
                store::request_message_update(tx, sequence)?;
            }
            return match &outgoing.message {
                Ok(message) => relays::queue(tx, app, sequence, message),
                Err(_) => Ok(()),
            };
        }
        // It stays due, in its place.
        Err(ChatError::NotBefore(_)) => return Ok(()),
        Err(error @ ChatError::Paused(_)) => {
            return store::note_messages_wait(tx, &error.detail());
        }
        Err(error) => error,
    };
    let (why, to) = (error.detail(), &outgoing.to);
    let Some(next) = next_post(outgoing.tries + 1, error, outgoing.created_at, now) else {
        log::warn!("chat: message {sequence} to {to} dropped: {why}");
        return store::save_message_dropped(tx, sequence, &why);
    };
    if outgoing.tries == 0 {
        log::warn!("chat: message {sequence} to {to}: {why}, next try at {next}");
    }
    if let Some(until) = held_until(error, now) {
        store::hold_messages(tx, until, &why)?;
    }
    store::try_message_again(tx, outgoing, next, &why)
}
