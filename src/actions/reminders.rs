//! Telling people a while before that they come on (contract section 12, "Messages").
//!
//! Who comes on is foreseen in a read, for a walk ahead may take long and other writers would wait for it; what was foreseen of
//! a rotation that changed meanwhile is foreseen again.

use super::{App, Fault, telling};
use crate::domain::handover::DealingContext;
use crate::domain::ids::RotationId;
use crate::domain::rotation::Stamps;
use crate::domain::takeover;
use crate::domain::wording::{self, Message};
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

/// What is to be told of a rotation, and when the next time comes.
struct Foreseen {
    id: RotationId,
    /// As it was read; it must not have changed.
    stamps: Stamps,
    messages: Vec<Message>,
    /// When they come on.
    at: Option<Timestamp>,
    next: Option<Timestamp>,
}

/// Tells everything that is due; one rotation that cannot be told of holds up no other.
pub fn run(app: &App) -> Result<(), Fault> {
    loop {
        let now = app.now();
        let due = app
            .store()
            .read(|tx| store::list_due_reminders(tx, now, BATCH))?;
        if due.is_empty() {
            return Ok(());
        }
        let (mut foreseen, mut failed) = (Vec::new(), Vec::new());
        let begun = monotonic();
        for id in due {
            match app.store().read(|tx| foresee(tx, app, &id, now)) {
                Ok(found) => foreseen.extend(found),
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
        let shared = app.clone();
        app.store().write(move |tx| -> Result<(), Fault> {
            for id in &failed {
                store::save_reminder(tx, id, tx.now().checked_add(BACK_OFF).ok())?;
            }
            foreseen
                .into_iter()
                .try_for_each(|foreseen| tell(&shared, tx, foreseen))
        })?;
    }
}

fn foresee(
    tx: &ReadTx,
    app: &App,
    id: &RotationId,
    now: Timestamp,
) -> Result<Option<Foreseen>, Fault> {
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
        let coming = takeover::foreseen(&rotation, dealing, at);
        messages = telling::with_names(tx, app, |names| {
            wording::reminder(&rotation, at, &coming, names)
        })?;
    }
    // Counted from the one before, so that none is left out that fell due meanwhile; what has begun already is.
    let begun = now.checked_sub(before).unwrap_or(now);
    let after = remind_at.max(begun);
    Ok(Some(Foreseen {
        id: id.clone(),
        next: takeover::next_reminder(&rotation, app.calendar(), before, after),
        stamps: rotation.stamps,
        messages,
        at: remind_at.checked_add(before).ok(),
    }))
}

fn tell(app: &App, tx: &mut WriteTx, foreseen: Foreseen) -> Result<(), Fault> {
    let Foreseen {
        id,
        stamps,
        messages,
        at,
        next,
    } = foreseen;
    if store::load_stamps(&tx.as_read(), &id)? != Some(stamps) {
        return Ok(());
    }
    telling::queue(tx, app, &id, &messages, at)?;
    store::save_reminder(tx, &id, next)
}
