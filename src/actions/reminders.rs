//! Reminding people a while before they come on duty.
//!
//! Who comes on is computed in a read, because a forecast may take long and other writers would wait for it. If the rotation
//! changed meanwhile, it is computed again.

use super::{App, Fault, notifications};
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::RotationId;
use crate::domain::message::{self, Message};
use crate::domain::rotation::Stamps;
use crate::runtime::clock::monotonic;
use crate::store::{self, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// Rotations that share a commit, and how long they may be looked at before it.
const BATCH: usize = 100;
/// See [`BATCH`].
const BATCH_TIME: Duration = Duration::from_millis(50);

/// How long a rotation is left alone that could not be read.
const BACK_OFF: SignedDuration = SignedDuration::from_mins(10);

/// The reminders of a rotation, and when the next ones are due.
struct Reminders {
    id: RotationId,
    /// As it was read; it must not have changed.
    stamps: Stamps,
    messages: Vec<Message>,
    next: Option<Timestamp>,
}

/// Queues every reminder that is due; a rotation that cannot be read delays no other.
pub fn run(app: &App) -> Result<(), Fault> {
    loop {
        let now = app.now();
        let due = app
            .store()
            .read(|tx| store::list_due_reminders(tx, now, BATCH))?;
        if due.is_empty() {
            return Ok(());
        }
        let (mut found, mut failed) = (Vec::new(), Vec::new());
        let begun = monotonic();
        for id in due {
            match app.store().read(|tx| forecast(tx, app, &id, now)) {
                Ok(reminders) => found.extend(reminders),
                Err(fault) if fault.is_unavailable() => return Err(fault),
                Err(fault) => {
                    log::error!("reminders: rotation {id}: {fault}");
                    failed.push(id);
                }
            }
            if begun.elapsed() > BATCH_TIME {
                break;
            }
        }
        app.store().write(move |tx| -> Result<(), Fault> {
            for id in &failed {
                store::save_reminder(tx, id, tx.now().checked_add(BACK_OFF).ok())?;
            }
            found
                .into_iter()
                .try_for_each(|reminders| remind(tx, reminders))
        })?;
    }
}

fn forecast(
    tx: &ReadTx,
    app: &App,
    id: &RotationId,
    now: Timestamp,
) -> Result<Option<Reminders>, Fault> {
    let Some(rotation) = store::load_rotation(tx, id)? else {
        return Ok(None);
    };
    let before = app.reminder_before();
    let Some(remind_at) = rotation.stamps.remind_at.filter(|at| *at <= now) else {
        return Ok(None);
    };
    let absences = store::load_absences(tx, &rotation)?;
    let dealing = DealingContext {
        calendar: app.calendar(),
        absences: &absences,
    };
    let mut messages = Vec::new();
    // What has begun meanwhile, while nobody served, is not announced.
    if let Ok(at) = remind_at.checked_add(before)
        && at > now
    {
        let coming = forecast::upcoming_notices(&rotation, dealing, at);
        messages = message::reminder(&rotation, at, &coming);
    }
    // Counted from the one before, so that none is left out that fell due meanwhile; what has begun already is.
    let begun = now.checked_sub(before).unwrap_or(now);
    let after = remind_at.max(begun);
    Ok(Some(Reminders {
        id: id.clone(),
        next: forecast::next_reminder(&rotation, app.calendar(), before, after),
        stamps: rotation.stamps,
        messages,
    }))
}

fn remind(tx: &mut WriteTx, reminders: Reminders) -> Result<(), Fault> {
    let Reminders {
        id,
        stamps,
        messages,
        next,
    } = reminders;
    if store::load_stamps(&tx.as_read(), &id)? != Some(stamps) {
        return Ok(());
    }
    notifications::queue(tx, messages)?;
    store::save_reminder(tx, &id, next)
}
