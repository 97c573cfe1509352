//! Deletes records that have expired: deliveries, chat messages, closed mentions, stored results of operations, and replaced
//! webhook secrets.
//!
//! A purge works in small batches, so that other writers get their turn. Like the log of deliveries it may be lost with the
//! power: the next purge deletes the same records.

use super::{App, Fault, once};
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};

/// How long messages and closed mentions are kept: as far back as the record is shown at once.
const MESSAGES_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

/// How long a finished delivery is kept.
const DELIVERIES_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Deletes one batch of expired records; returns whether there may be more.
pub fn purge(app: &App) -> Result<bool, Fault> {
    let now = app.now();
    let until = now
        .saturating_sub(DELIVERIES_KEPT)
        .unwrap_or(Timestamp::MIN);
    let told = now.saturating_sub(MESSAGES_KEPT).unwrap_or(Timestamp::MIN);
    let forgotten = once::forgotten(now);
    let anything = |tx: &ReadTx| -> Result<bool, Fault> {
        Ok(store::anything_to_clear(tx, until)?
            || store::anything_told_to_clear(tx, told)?
            || store::any_old_operation(tx, forgotten)?
            || store::any_expired_secret(tx, now)?)
    };
    if !app.store().read(anything)? {
        return Ok(false);
    }
    app.store().write_log(move |tx| {
        store::clear_old(tx, until)?;
        store::clear_removed(tx)?;
        store::clear_told(tx, told)?;
        store::clear_operations(tx, forgotten)?;
        store::forget_expired_secrets(tx, now)?;
        Ok::<_, Fault>(true)
    })
}
