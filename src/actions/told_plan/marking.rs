//! Marks rotations whose people may have to be told, in the transaction of the change.

use super::comparing::{Asked, messages};
use crate::actions::{App, Error};
use crate::domain::actor::Actor;
use crate::domain::audit::Author;
use crate::domain::ids::RotationId;
use crate::domain::message::{Content, Message};
use crate::domain::plan_change;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::told_plan::{Mark, PendingNotices, Reason, Sentence, ToldOtherwise, ToldPlan};
use crate::runtime::clock::real_time;
use crate::store::{self, WriteTx};

/// Marks a rotation if a write may have changed who is on call when.
pub fn mark_change(
    tx: &mut WriteTx,
    author: &Author,
    (before, after): (&Rotation, &Rotation),
    told_otherwise: Vec<ToldOtherwise>,
) -> Result<(), Error> {
    if !plan_change::moves(before, after) {
        return Ok(());
    }
    let said = plan_change::reasons(before, after, author);
    insert(tx, author, &after.id, said, told_otherwise)
}

/// Marks a rotation for a reason that is no difference of its state.
pub fn mark(
    tx: &mut WriteTx,
    author: &Author,
    rotation: &RotationId,
    why: &str,
) -> Result<(), Error> {
    let said = Sentence::from(why);
    insert(tx, author, rotation, said, Vec::new())
}

fn insert(
    tx: &mut WriteTx,
    author: &Author,
    rotation: &RotationId,
    said: Sentence,
    told_otherwise: Vec<ToldOtherwise>,
) -> Result<(), Error> {
    if tx.is_forecast() {
        return Ok(());
    }
    let mark = Mark {
        actor: Actor::of(&author.principal),
        reason: Reason { at: tx.now(), said },
        told_otherwise,
    };
    store::mark_pending(tx, rotation, real_time(), &mark)
}

/// Tells people of what they lose with a rotation, in the transaction that deletes it.
pub fn tell_of_deletion(
    tx: &mut WriteTx,
    app: &App,
    author: &Author,
    rotation: &Rotation,
) -> Result<Vec<Message>, Error> {
    let read = tx.as_read();
    let stored = store::load_told_plan(&read, &rotation.id)?;
    let Some(told) = stored.as_ref().and_then(|stored| stored.plan.as_ref()) else {
        return Ok(Vec::new());
    };
    let (now, at) = (tx.now(), real_time());
    let pending = store::load_pending_notices(&read, &rotation.id)?;
    let mut pending = pending.unwrap_or(PendingNotices {
        first_at: at,
        last_at: at,
        count: 0,
        actors: Vec::new(),
        reasons: Vec::new(),
        told_otherwise: Vec::new(),
    });
    pending.actors.push(Actor::of(&author.principal));
    let said = Sentence::from("the rotation was deleted").then(plan_change::by(author));
    pending.reasons.push(Reason { at: now, said });
    let reasons = pending.reasons.len();
    pending.reasons.drain(..reasons.saturating_sub(3));
    let horizon = app.notices().settings().horizon;
    let asked = Asked {
        rotation,
        told,
        plan: &ToldPlan::of_nobody(Interval::ahead(now, horizon)),
        pending: &pending,
        told_since: None,
    };
    let mut messages = messages(&read, &asked)?;
    for message in &mut messages {
        if let Content::ShiftsMoved(moved) = &mut message.content {
            moved.rotation_deleted = true;
        }
    }
    Ok(messages)
}
