//! Reminds people before they come on duty.
//!
//! The forecast is computed in a read, because it may take long and would delay other writers. If the rotation changed
//! meanwhile, it is computed again.

use super::{App, Error, notifications};
use crate::domain::forecast::{self, HandoverNotice};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::{self, Message};
use crate::domain::rotation::Stamps;
use crate::runtime::clock::monotonic;
use crate::store::{self, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;
use std::time::Duration;

/// The maximum number of rotations per commit, and the time for computing them.
const BATCH: usize = 100;
/// See [`BATCH`].
const BATCH_TIME: Duration = Duration::from_millis(50);

/// How long an unreadable rotation is postponed.
const BACK_OFF: SignedDuration = SignedDuration::from_mins(10);

/// The reminders of a rotation, and when the next ones are due.
struct Reminders {
    id: RotationId,
    /// As read. The write is skipped if they have changed.
    stamps: Stamps,
    messages: Vec<Message>,
    next: Option<Timestamp>,
}

/// Queues all due reminders. A rotation that cannot be read does not delay others.
pub fn run(app: &App) -> Result<(), Error> {
    loop {
        let now = app.now();
        let due = app
            .store()
            .read(|tx| store::list_due_reminders(tx, now, BATCH))?;
        if due.is_empty() {
            return Ok(());
        }
        let (found, failed) = app.store().read(|tx| batch(tx, app, due, now))?;
        let shared = app.clone();
        app.store().write(move |tx| -> Result<(), Error> {
            for id in &failed {
                store::save_reminder(tx, id, tx.now().checked_add(BACK_OFF).ok())?;
            }
            found
                .into_iter()
                .try_for_each(|reminders| remind(tx, &shared, reminders))
        })?;
    }
}

/// The reminders of as many rotations as the time allows, and those that cannot be read.
fn batch(
    tx: &ReadTx,
    app: &App,
    due: Vec<RotationId>,
    now: Timestamp,
) -> Result<(Vec<Reminders>, Vec<RotationId>), Error> {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    let begun = monotonic();
    for id in due {
        match forecast(tx, app, &id, now) {
            Ok(reminders) => found.extend(reminders),
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => {
                log::error!("reminders: rotation {id}: {error}");
                failed.push(id);
            }
        }
        if begun.elapsed() > BATCH_TIME {
            break;
        }
    }
    Ok((found, failed))
}

fn forecast(
    tx: &ReadTx,
    app: &App,
    id: &RotationId,
    now: Timestamp,
) -> Result<Option<Reminders>, Error> {
    let Some(rotation) = store::load_rotation(tx, id)? else {
        return Ok(None);
    };
    let before = app.reminder_before();
    let Some(remind_at) = rotation.stamps.remind_at.filter(|at| *at <= now) else {
        return Ok(None);
    };
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let mut messages = Vec::new();
    // Turns that began while the server was down are not announced.
    if let Ok(at) = remind_at.checked_add(before)
        && at > now
    {
        let coming = forecast::upcoming_notices(&rotation, dealing, at);
        let own = with_own_reminders(tx, &coming)?;
        messages = message::reminder(&rotation, at, &coming, |person| !own.contains(person));
    }
    // Counted from the previous one, so that none is skipped that became due meanwhile; turns that have begun are.
    let begun = now.checked_sub(before).unwrap_or(now);
    let after = remind_at.max(begun);
    Ok(Some(Reminders {
        id: id.clone(),
        next: forecast::next_reminder(&rotation, app.calendar(), before, after),
        stamps: rotation.stamps,
        messages,
    }))
}

/// Those who come on and chose reminders of their own.
fn with_own_reminders(tx: &ReadTx, coming: &[HandoverNotice]) -> Result<BTreeSet<UserId>, Error> {
    let mut own = BTreeSet::new();
    for person in coming.iter().filter_map(|handover| handover.on.as_ref()) {
        if store::load_leads(tx, person)?.is_some() {
            own.insert(person.clone());
        }
    }
    Ok(own)
}

fn remind(tx: &mut WriteTx, app: &App, reminders: Reminders) -> Result<(), Error> {
    let Reminders {
        id,
        stamps,
        messages,
        next,
    } = reminders;
    if store::load_stamps(&tx.as_read(), &id)? != Some(stamps) {
        return Ok(());
    }
    notifications::queue(tx, app, messages)?;
    store::save_reminder(tx, &id, next)
}
