//! Sends messages on: by push to people, and those of the local platform by mail to people and to incoming webhooks for channels
//! (rules.md 19).
//!
//! A message gets its ways in the transaction that posts it. Each queue sends without a transaction, one message after the other,
//! and records each outcome before the next: what was sent and not recorded when the process ends is sent again, as the same
//! letter.

mod invitations;
mod letter;
mod post;
mod push;
mod turns;

use super::{App, Error};
use crate::domain::chat::ChatError;
use crate::domain::message::{Message, Recipient};
use crate::domain::notification::FailedWay;
use crate::domain::relay::{RelayError, Way};
use crate::failpoint;
use crate::store::{self, Outgoing, ReadTx, RelayQueue, WriteTx};
use jiff::Timestamp;

/// The most letters of one connection.
const LETTERS: usize = 100;

/// Messages to one channel that are read at once.
const POSTS: usize = 20;

/// Messages to be pushed that are read at once.
const PUSHES: usize = 100;

/// A message and what became of it.
type Done = (Outgoing, Result<(), RelayError>);

/// The state of a queue's worker between two steps.
#[derive(Debug, Default)]
pub struct InFlight {
    /// Outcomes that are not stored yet because the storage failed. While there are any, nothing more is sent.
    done: Vec<Done>,
}

/// The queues that are set up.
pub fn queues(app: &App) -> Vec<RelayQueue> {
    let relays = app.relays();
    let mail = relays.mail.as_ref().map(|_| RelayQueue::Mail);
    let channels = relays.webhooks.iter();
    let channels = channels.map(|webhook| RelayQueue::Channel(webhook.channel.clone()));
    // Whether anybody has a push address changes while the server runs.
    let people = mail.into_iter().chain([RelayQueue::Push]);
    people.chain(channels).collect()
}

/// Queues a message that was posted on the local platform for the way that its recipient has.
pub(super) fn queue(
    tx: &mut WriteTx,
    app: &App,
    sequence: i64,
    message: &Message,
) -> Result<(), Error> {
    if !app.chat().is_embedded() {
        return Ok(());
    }
    let queue = match &message.to {
        Recipient::Channel(channel) => {
            let webhook = app.relays().webhook(channel);
            webhook.map(|_| RelayQueue::Channel(channel.clone()))
        }
        Recipient::Person(user) if app.relays().mail.is_some() => {
            let kind = message.content.kind();
            let settings = store::load_notification_settings(&tx.as_read(), user)?;
            let person = store::load_person(&tx.as_read(), user)?;
            let email = person.and_then(|person| person.email);
            let mailed =
                settings.allows(kind) && email.is_some_and(|email| !email.trim().is_empty());
            mailed.then_some(RelayQueue::Mail)
        }
        Recipient::Person(_) => None,
    };
    match queue {
        Some(queue) => store::insert_relay(tx, sequence, &queue),
        None => Ok(()),
    }
}

/// Queues a message for the push server of its person, if they have one and want messages of its kind.
pub(super) fn queue_push(tx: &mut WriteTx, sequence: i64, message: &Message) -> Result<(), Error> {
    let Recipient::Person(user) = &message.to else {
        return Ok(());
    };
    if store::load_push(&tx.as_read(), user)?.is_none() {
        return Ok(());
    }
    let settings = store::load_notification_settings(&tx.as_read(), user)?;
    match settings.wants(message.content.kind()) {
        true => store::insert_relay(tx, sequence, &RelayQueue::Push),
        false => Ok(()),
    }
}

/// Drops what waits for ways that are no longer set up, so that nothing waits forever.
pub fn start(app: &App) -> Result<(), Error> {
    if app.store().read(store::next_relay)?.is_none() {
        return Ok(());
    }
    let relays = app.relays();
    let mail = relays.mail.is_some();
    let channels: Vec<_> = (relays.webhooks.iter())
        .map(|webhook| webhook.channel.clone())
        .collect();
    let why = "it is no longer set up how messages are sent there";
    let dropped = app
        .store()
        .write_log(move |tx| store::drop_relays_except(tx, mail, &channels, why))?;
    if dropped > 0 {
        log::warn!("messages: {dropped} messages were dropped: {why}");
    }
    Ok(())
}

/// When the next message of a queue is due.
pub fn next_on(app: &App, queue: &RelayQueue) -> Result<Option<Timestamp>, Error> {
    let message = app.store().read(|tx| store::next_relay_on(tx, queue))?;
    match queue {
        RelayQueue::Mail => letters(app, message),
        RelayQueue::Push | RelayQueue::Channel(_) => Ok(message),
    }
}

/// When the next message of any queue is due.
pub fn next(app: &App) -> Result<Option<Timestamp>, Error> {
    let message = app.store().read(store::next_relay)?;
    match app.relays().mail {
        Some(_) => letters(app, message),
        None => Ok(message),
    }
}

/// The sooner of a message and of letters that are no messages.
fn letters(app: &App, message: Option<Timestamp>) -> Result<Option<Timestamp>, Error> {
    let letters = [invitations::next(app)?, turns::next(app)?];
    Ok(message
        .into_iter()
        .chain(letters.into_iter().flatten())
        .min())
}

/// Sends some of what is due on a queue, until `stopped`. Returns whether there was anything.
pub fn run_due(
    app: &App,
    queue: &RelayQueue,
    in_flight: &mut InFlight,
    stopped: &dyn Fn() -> bool,
) -> Result<bool, Error> {
    record(app, queue, in_flight)?;
    if *queue == RelayQueue::Mail && invitations::run_due(app, stopped)? {
        return Ok(true);
    }
    let now = app.now();
    let most = match queue {
        RelayQueue::Mail => LETTERS,
        RelayQueue::Push => PUSHES,
        RelayQueue::Channel(_) => POSTS,
    };
    let mut due = app
        .store()
        .read(|tx| store::list_due_relays(tx, queue, now, most))?;
    if due.is_empty() {
        // Messages go first.
        return match queue {
            RelayQueue::Mail => turns::run_due(app, stopped),
            RelayQueue::Push | RelayQueue::Channel(_) => Ok(false),
        };
    }
    for expired in due.extract_if(.., |outgoing| outgoing.to_send(now).is_err()) {
        let why = expired.to_send(now).err().unwrap_or(ChatError::Expired);
        let outcome = Err(RelayError::Permanent(why.detail()));
        in_flight.done.push((expired, outcome));
    }
    record(app, queue, in_flight)?;
    match queue {
        RelayQueue::Mail => send_letters(app, due, in_flight, stopped)?,
        RelayQueue::Push => {
            in_flight.done.extend(push::send_some(app, due)?);
            failpoint::point("push.sent");
            record(app, queue, in_flight)?;
        }
        RelayQueue::Channel(channel) => {
            for outgoing in due {
                if stopped() {
                    break;
                }
                let outcome = post::send(app, channel, &outgoing)?;
                failpoint::point("incoming.posted");
                let goes_on = !matches!(outcome, Err(RelayError::Temporary { .. }));
                in_flight.done.push((outgoing, outcome));
                record(app, queue, in_flight)?;
                // Messages to one channel are posted in order.
                if !goes_on {
                    break;
                }
            }
        }
    }
    Ok(true)
}

/// Sends letters over one connection.
fn send_letters(
    app: &App,
    due: Vec<Outgoing>,
    in_flight: &mut InFlight,
    stopped: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let Some(mailer) = &app.relays().mail else {
        return Ok(());
    };
    let mut letters = Vec::new();
    for outgoing in due {
        match app
            .store()
            .read(|tx: &ReadTx| letter::write(tx, app, mailer, &outgoing))?
        {
            Ok(letter) => letters.push((outgoing, letter)),
            Err(error) => in_flight.done.push((outgoing, Err(error))),
        }
    }
    record(app, &RelayQueue::Mail, in_flight)?;
    if letters.is_empty() || stopped() {
        return Ok(());
    }
    let mut session = match mailer.connect() {
        Ok(session) => session,
        Err(error) => {
            let failed = letters
                .into_iter()
                .map(|(outgoing, _)| (outgoing, Err(error.clone())));
            in_flight.done.extend(failed);
            return record(app, &RelayQueue::Mail, in_flight);
        }
    };
    let from = &mailer.settings.from.address;
    for (outgoing, letter) in letters {
        let outcome = session.send(from, &letter).map(drop);
        failpoint::point("mail.sent");
        in_flight.done.push((outgoing, outcome));
        record(app, &RelayQueue::Mail, in_flight)?;
        if !session.is_usable() || stopped() {
            break;
        }
    }
    session.close();
    Ok(())
}

fn record(app: &App, queue: &RelayQueue, in_flight: &mut InFlight) -> Result<(), Error> {
    if in_flight.done.is_empty() {
        return Ok(());
    }
    let (done, queue, shared) = (in_flight.done.clone(), queue.clone(), app.clone());
    app.store().write_log(move |tx| -> Result<(), Error> {
        done.iter()
            .try_for_each(|(outgoing, outcome)| record_one(tx, &shared, &queue, outgoing, outcome))
    })?;
    in_flight.done.clear();
    Ok(())
}

fn record_one(
    tx: &mut WriteTx,
    app: &App,
    queue: &RelayQueue,
    outgoing: &Outgoing,
    outcome: &Result<(), RelayError>,
) -> Result<(), Error> {
    let (sequence, way) = (outgoing.sequence, queue.way());
    let error = match outcome {
        Ok(()) => {
            app.metrics().relayed(way, "sent");
            return store::save_relay_sent(tx, sequence, way);
        }
        Err(error) => error,
    };
    let (why, name) = (error.why(), spoken(way));
    if let (Recipient::Person(user), Some(by)) = (&outgoing.to, failed_way(way)) {
        store::save_failure(tx, user, by, why)?;
    }
    match error.next_try(outgoing.tries + 1, outgoing.created_at, tx.now()) {
        Some(next) => {
            app.metrics().relayed(way, "failed");
            if outgoing.tries == 0 {
                log::warn!(
                    "{name}: message {sequence} to {}: {why}, next try at {next}",
                    outgoing.to
                );
            }
            store::retry_relay(tx, sequence, queue, next, why)
        }
        None => {
            app.metrics().relayed(way, "dropped");
            log::warn!(
                "{name}: message {sequence} to {} dropped: {why}",
                outgoing.to
            );
            store::save_relay_dropped(tx, sequence, way, why)
        }
    }
}

fn spoken(way: Way) -> &'static str {
    match way {
        Way::Mail => "mail",
        Way::IncomingWebhook => "incoming webhook",
        Way::Push => "push",
    }
}

fn failed_way(way: Way) -> Option<FailedWay> {
    match way {
        Way::Mail => Some(FailedWay::Mail),
        Way::Push => Some(FailedWay::Push),
        Way::IncomingWebhook => None,
    }
}

/// Where a message is answered, or else seen: what the link says, and its path.
fn link(message: &Message) -> Option<(&'static str, String)> {
    use crate::domain::message::{Content, Subject};
    let label = match message.answers.is_empty() {
        true => "See more",
        false => "Answer",
    };
    match (&message.subject, &message.content) {
        (Subject::Request(id), _) => Some((label, format!("/requests/{id}"))),
        (Subject::Mention(id), _) => Some((label, format!("/mentions/{id}"))),
        (
            _,
            Content::OffDuty {
                rotation_deleted: true,
                ..
            }
            | Content::Nobody {
                rotation_deleted: true,
            },
        ) => None,
        (_, Content::ShiftsMoved(moved)) => Some((label, moved.path(message.rotation.as_ref()?)?)),
        (Subject::Rotation, _) => {
            let path = match &message.rotation {
                Some(rotation) => format!("/rotations/{rotation}"),
                None => "/me".to_owned(),
            };
            Some((label, path))
        }
    }
}
