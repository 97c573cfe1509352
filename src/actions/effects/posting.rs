//! Posting messages, in order to each recipient.

use crate::actions::{App, Fault};
use crate::domain::chat::{Recipient, Trouble, held_until, is_stale, next_post};
use crate::fault;
use crate::runtime::clock::monotonic;
use crate::store::{self, Outgoing, WriteTx};
use std::time::Duration;

/// Messages posted between two writes, and how long that may take: what was posted and not written down when the process
/// ends is posted again.
const BATCH: usize = 256;
/// See [`BATCH`].
const BATCH_TIME: Duration = Duration::from_millis(50);

/// A message, and what came of posting it.
pub(super) type Posted = (Outgoing, Result<(), Trouble>);

/// Posts some of what is due; answers whether there was anything. What was posted stays in hand until it is written down: while
/// the storage fails, nothing more is posted.
pub(super) fn post(app: &App, posted: &mut Vec<Posted>) -> Result<bool, Fault> {
    record(app, posted)?;
    let now = app.now();
    let due = app
        .store()
        .read(|tx| store::list_due_messages(tx, now, BATCH))?;
    let any = !due.is_empty();
    let begun = monotonic();
    let mut blocked: Vec<Recipient> = Vec::new();
    for message in due {
        // People read what they are told in order.
        if blocked.contains(&message.to) {
            continue;
        }
        let late = message.until.is_some_and(|until| until <= now);
        let outcome = match late || is_stale(message.created_at, now) {
            true => Err(Trouble::Late),
            false => {
                let key = message.sequence.to_string();
                app.chat().post(&message.to, &message.text, &key)
            }
        };
        if matches!(outcome, Err(Trouble::Later(_) | Trouble::Wait(_))) {
            blocked.push(message.to.clone());
        }
        let waits = matches!(outcome, Err(Trouble::Wait(_)));
        posted.push((message, outcome));
        if waits || begun.elapsed() > BATCH_TIME {
            break;
        }
    }
    fault::point("chat.posted");
    record(app, posted)?;
    Ok(any)
}

fn record(app: &App, posted: &mut Vec<Posted>) -> Result<(), Fault> {
    if posted.is_empty() {
        return Ok(());
    }
    let done = posted.clone();
    app.store().write_log(move |tx| -> Result<(), Fault> {
        done.iter()
            .try_for_each(|(message, outcome)| record_one(tx, message, outcome))
    })?;
    posted.clear();
    Ok(())
}

fn record_one(
    tx: &mut WriteTx,
    message: &Outgoing,
    outcome: &Result<(), Trouble>,
) -> Result<(), Fault> {
    let (sequence, now) = (message.sequence, tx.now());
    let Err(trouble) = outcome else {
        return store::end_message(tx, sequence, None);
    };
    let (why, to) = (trouble.told(), &message.to);
    let Some(next) = next_post(message.tries + 1, trouble, message.created_at, now) else {
        log::warn!("chat: message {sequence} to {to} dropped: {why}");
        return store::end_message(tx, sequence, Some(&why));
    };
    if message.tries == 0 {
        log::warn!("chat: message {sequence} to {to}: {why}, next try at {next}");
    }
    if let Some(until) = held_until(trouble, now) {
        store::hold_messages(tx, until, &why)?;
    }
    store::try_message_again(tx, message, next, &why)
}
