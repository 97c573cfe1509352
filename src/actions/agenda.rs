//! The agenda: reminders that people chose themselves, weekly summaries, and turns as invitations. What an entry says is computed in a
//! read, and stored if what it depends on has not changed meanwhile.

mod invitations;
mod own_reminders;
mod summaries;
mod weeks_ahead;

use super::{App, Error, notifications};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::Message;
use crate::domain::rotation::Rotation;
use crate::runtime::clock::monotonic;
use crate::store::{self, AgendaEntry, Errand, ReadTx, WriteTx};
use invitations::InvitationChanges;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// The most entries a commit, and the time for computing them.
const BATCH: usize = 100;
/// See [`BATCH`].
const BATCH_TIME: Duration = Duration::from_millis(50);

/// How long an entry that cannot be read is postponed.
const BACK_OFF: SignedDuration = SignedDuration::from_mins(10);

/// What follows from an entry that was due.
#[derive(Debug, Default)]
struct Outcome {
    messages: Vec<Message>,
    /// Turns as invitations.
    invitations: InvitationChanges,
    /// When it is due next.
    next: Option<Timestamp>,
}

/// Does what is due. An entry that cannot be read does not delay others.
pub fn run(app: &App) -> Result<(), Error> {
    run_those(app, &|_| true)
}

/// Follows plans with the invitations to their turns, where the clock is frozen: nothing else does before its next move.
pub fn invite_at_once(app: &App) -> Result<(), Error> {
    match app.clock().is_frozen() {
        true => run_those(app, &|errand| errand == Errand::Invitations),
        false => Ok(()),
    }
}

fn run_those(app: &App, is_asked_for: &dyn Fn(Errand) -> bool) -> Result<(), Error> {
    loop {
        let now = app.now();
        let mut due = app.store().read(|tx| store::list_agenda(tx, now, BATCH))?;
        due.retain(|entry| is_asked_for(entry.errand));
        if due.is_empty() {
            return Ok(());
        }
        let found = app.store().read(|tx| batch(tx, app, due, now))?;
        let shared = app.clone();
        app.store().write(move |tx| -> Result<(), Error> {
            for (entry, outcome) in found {
                if store::save_agenda(tx, &entry, now, outcome.next)? {
                    outcome.invitations.write(tx)?;
                    notifications::queue(tx, &shared, outcome.messages)?;
                }
            }
            Ok(())
        })?;
    }
}

/// The outcomes of as many entries as the time allows.
fn batch(
    tx: &ReadTx,
    app: &App,
    due: Vec<AgendaEntry>,
    now: Timestamp,
) -> Result<Vec<(AgendaEntry, Outcome)>, Error> {
    let mut found = Vec::new();
    let begun = monotonic();
    for entry in due {
        let outcome = match entry.errand {
            Errand::Reminders => own_reminders::run(tx, app, &entry, now),
            Errand::Summary => summaries::run(tx, app, &entry, now),
            Errand::WeekAhead => weeks_ahead::run(tx, app, &entry, now),
            Errand::Invitations => invitations::run(tx, app, &entry, now),
        };
        match outcome {
            Ok(outcome) => found.push((entry, outcome)),
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => {
                log::error!(
                    "agenda: {} of {}: {error}",
                    entry.errand.name(),
                    entry.subject
                );
                let next = now.checked_add(BACK_OFF).ok();
                let later = Outcome {
                    next,
                    ..Outcome::default()
                };
                found.push((entry, later));
            }
        }
        if begun.elapsed() > BATCH_TIME {
            break;
        }
    }
    Ok(found)
}

/// A rotation was saved: reminders of its turns may be due at other times, and so may the summary of its channels.
pub fn rotation_saved(tx: &mut WriteTx, before: &Rotation, after: &Rotation) -> Result<(), Error> {
    if before.profile.summary != after.profile.summary {
        store::look_again(tx, Errand::WeekAhead, after.id.as_str())?;
    }
    reminders_may_move(tx, &after.id)
}

/// Reminders of turns in a rotation may be due at other times.
pub fn reminders_may_move(tx: &mut WriteTx, rotation: &RotationId) -> Result<(), Error> {
    match store::any_leads(&tx.as_read())? {
        true => store::look_again(tx, Errand::Reminders, rotation.as_str()),
        false => Ok(()),
    }
}

/// A person chose other reminders.
pub fn leads_changed(tx: &mut WriteTx, user: &UserId) -> Result<(), Error> {
    let now = tx.now();
    for rotation in store::list_rotations_about(&tx.as_read(), user, now)? {
        store::look_again(tx, Errand::Reminders, rotation.as_str())?;
    }
    Ok(())
}

/// A person chose another time for their summary.
pub fn summary_changed(tx: &mut WriteTx, user: &UserId) -> Result<(), Error> {
    store::look_again(tx, Errand::Summary, user.as_str())
}

/// The plan of a rotation was compared or carried on: invitations to its turns follow it.
pub fn plan_stored(tx: &mut WriteTx, rotation: &RotationId) -> Result<(), Error> {
    match store::any_invitees(&tx.as_read())? {
        true => store::look_again(tx, Errand::Invitations, rotation.as_str()),
        false => Ok(()),
    }
}

/// A person wants invitations to their turns, or does no longer.
pub fn invitations_chosen(tx: &mut WriteTx, user: &UserId, wanted: bool) -> Result<(), Error> {
    let now = tx.now();
    store::save_invitee(tx, user, wanted)?;
    if wanted {
        for rotation in store::list_rotations_about(&tx.as_read(), user, now)? {
            store::look_again(tx, Errand::Invitations, rotation.as_str())?;
        }
    }
    Ok(())
}
