//! What chat platforms send is stored before it is acknowledged, and processed once (rules.md 21).

use super::{App, Error};
use crate::runtime::clock::Clock;
use crate::store::{self, ChatEnvelope, WriteTx};
use jiff::{SignedDuration, Timestamp};

/// How long the ids of processed envelopes are kept. Platforms repeat what was not acknowledged for about an hour.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long something is answered: as long as a response URL takes answers.
const ANSWERED_WITHIN: SignedDuration = SignedDuration::from_mins(30);

/// The most envelopes that wait to be processed. Those beyond it are not stored, and come again.
const MOST_OPEN: u64 = 5_000;

/// The outcome of storing an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It is stored, and has to be processed.
    New(ChatEnvelope),
    /// It was stored before. Nothing more has to be done.
    Again,
    /// Too much waits to be processed.
    Full,
}

/// Stores something that arrived. It is on the disk when this returns.
///
/// # Errors
/// When the storage fails: it may not be acknowledged then.
pub fn accept(app: &App, id: String, kind: &'static str, body: String) -> Result<Accepted, Error> {
    let until = answer_until();
    app.store()
        .write(move |tx| store_one(tx, id, kind, body, until))
}

fn answer_until() -> Timestamp {
    let until = Clock::system().now().saturating_add(ANSWERED_WITHIN);
    until.unwrap_or(Timestamp::MAX)
}

fn store_one(
    tx: &mut WriteTx,
    id: String,
    kind: &'static str,
    body: String,
    answer_until: Timestamp,
) -> Result<Accepted, Error> {
    let envelope = ChatEnvelope {
        id,
        kind: kind.to_owned(),
        body,
        received_at: tx.now(),
        answer_until,
    };
    if store::has_chat_envelope(&tx.as_read(), &envelope.id)? {
        return Ok(Accepted::Again);
    }
    if store::count_open_chat_envelopes(&tx.as_read())? >= MOST_OPEN {
        return Ok(Accepted::Full);
    }
    store::insert_chat_envelope(tx, &envelope)?;
    Ok(Accepted::New(envelope))
}

/// Stores what came with one answer of a platform, by id and body, and where the next one goes on, in one transaction. Returns whether
/// anything is new; `None` if too much waits to be processed, and then nothing is stored.
///
/// # Errors
/// When the storage fails.
pub fn accept_all(
    app: &App,
    kind: &'static str,
    all: Vec<(String, String)>,
    (fact, value): (&'static str, String),
) -> Result<Option<bool>, Error> {
    let until = answer_until();
    app.store().write(move |tx| {
        if store::count_open_chat_envelopes(&tx.as_read())? + all.len() as u64 > MOST_OPEN {
            return Ok(None);
        }
        let mut is_new = false;
        for (id, body) in all {
            let accepted = store_one(tx, id, kind, body, until)?;
            is_new |= matches!(accepted, Accepted::New(_));
        }
        store::save_fact(tx, fact, &value)?;
        Ok(Some(is_new))
    })
}

/// The envelopes that were stored and not processed, the oldest first.
pub fn open(app: &App) -> Result<Vec<ChatEnvelope>, Error> {
    let most = usize::try_from(MOST_OPEN).unwrap_or(usize::MAX);
    app.store()
        .read(|tx| store::list_open_chat_envelopes(tx, most))
}

/// Whether an envelope is still answered.
pub fn is_answerable(envelope: &ChatEnvelope) -> bool {
    Clock::system().now() < envelope.answer_until
}

/// Records what came of an envelope. It may be lost with the power; the envelope is then processed again, and its writes are
/// known by their `operationId`.
pub fn finish(app: &App, id: &str, outcome: &'static str) -> Result<(), Error> {
    let id = id.to_owned();
    app.store().write_log(move |tx| {
        let now = tx.now();
        store::finish_chat_envelope(tx, &id, outcome, now)
    })
}

/// Envelopes that were received before this instant have expired.
pub(super) fn expired_before(now: Timestamp) -> Timestamp {
    now.checked_sub(KEPT).unwrap_or(Timestamp::MIN)
}
