//! Deletes records that have expired: deliveries, chat messages, closed mentions, invitations to turns, stored results of operations,
//! audit entries, changes that have ended, what Slack and Matrix sent, and replaced webhook secrets.
//!
//! A purge works in small batches, so that other writers are not delayed. Like the delivery log it may be lost on a power
//! failure: the next purge deletes the same records.

use super::{App, Error, chat_envelopes, once};
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};

/// How long messages and closed mentions are kept: as long as the maximum range of the history.
const MESSAGES_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

/// How long a finished delivery is kept, and a change that has ended.
const DELIVERIES_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How long after its beginning an invitation to a turn is kept. No letter says anything of it any more.
const TURNS_KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Deletes one batch of expired records; returns whether there may be more.
pub fn purge(app: &App) -> Result<bool, Error> {
    let now = app.now();
    let until = now
        .saturating_sub(DELIVERIES_KEPT)
        .unwrap_or(Timestamp::MIN);
    let told = now.saturating_sub(MESSAGES_KEPT).unwrap_or(Timestamp::MIN);
    let operations_until = once::expired_before(now);
    let audited = now.saturating_sub(app.audit_kept());
    let audited = audited.unwrap_or(Timestamp::MIN);
    let begun = now.saturating_sub(TURNS_KEPT).unwrap_or(Timestamp::MIN);
    let enveloped = chat_envelopes::expired_before(now);
    let anything = |tx: &ReadTx| -> Result<bool, Error> {
        Ok(store::anything_to_clear(tx, until)?
            || store::any_old_messages_or_mentions(tx, told)?
            || store::any_old_operation(tx, operations_until)?
            || store::any_old_entry(tx, audited)?
            || store::any_old_turn(tx, begun)?
            || store::any_old_chat_envelope(tx, enveloped)?
            || store::any_old_change(tx, until)?
            || store::any_expired_secret(tx, now)?)
    };
    if !app.store().read(anything)? {
        return Ok(false);
    }
    app.store().write_log(move |tx| {
        store::clear_old(tx, until)?;
        store::clear_removed(tx)?;
        store::clear_messages_and_mentions(tx, told)?;
        store::clear_operations(tx, operations_until)?;
        store::clear_changes(tx, until)?;
        store::clear_entries(tx, audited)?;
        store::clear_turns(tx, begun)?;
        store::clear_chat_envelopes(tx, enveloped)?;
        store::forget_expired_secrets(tx, now)?;
        Ok::<_, Error>(true)
    })
}
