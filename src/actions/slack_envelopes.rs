//! Envelopes of Slack are stored before they are acknowledged, and processed once (rules.md 21).

use super::{App, Error};
use crate::runtime::clock::Clock;
use crate::store::{self, SlackEnvelope};
use jiff::{SignedDuration, Timestamp};

/// How long the ids of processed envelopes are kept. Slack repeats what was not acknowledged for about an hour.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a response URL takes answers.
const ANSWERED_WITHIN: SignedDuration = SignedDuration::from_mins(30);

/// The most envelopes that wait to be processed. Those beyond it are not stored, and Slack sends them again.
const MOST_OPEN: u64 = 5_000;

/// The outcome of storing an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It is stored, and has to be processed.
    New(SlackEnvelope),
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
    let answer_until = Clock::system().now().saturating_add(ANSWERED_WITHIN);
    app.store().write(move |tx| {
        let envelope = SlackEnvelope {
            id,
            kind: kind.to_owned(),
            body,
            received_at: tx.now(),
            answer_until: answer_until.unwrap_or(Timestamp::MAX),
        };
        if store::has_slack_envelope(&tx.as_read(), &envelope.id)? {
            return Ok(Accepted::Again);
        }
        if store::count_open_slack_envelopes(&tx.as_read())? >= MOST_OPEN {
            return Ok(Accepted::Full);
        }
        store::insert_slack_envelope(tx, &envelope)?;
        Ok(Accepted::New(envelope))
    })
}

/// The envelopes that were stored and not processed, the oldest first.
pub fn open(app: &App) -> Result<Vec<SlackEnvelope>, Error> {
    let most = usize::try_from(MOST_OPEN).unwrap_or(usize::MAX);
    app.store()
        .read(|tx| store::list_open_slack_envelopes(tx, most))
}

/// Whether the response URL of an envelope still takes answers.
pub fn is_answerable(envelope: &SlackEnvelope) -> bool {
    Clock::system().now() < envelope.answer_until
}

/// Records what came of an envelope. It may be lost with the power; the envelope is then processed again, and its writes are
/// known by their `operationId`.
pub fn finish(app: &App, id: &str, outcome: &'static str) -> Result<(), Error> {
    let id = id.to_owned();
    app.store().write_log(move |tx| {
        let now = tx.now();
        store::finish_slack_envelope(tx, &id, outcome, now)
    })
}

/// Envelopes that were received before this instant have expired.
pub(super) fn expired_before(now: Timestamp) -> Timestamp {
    now.checked_sub(KEPT).unwrap_or(Timestamp::MIN)
}
