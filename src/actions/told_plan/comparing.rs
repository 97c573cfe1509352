//! Compares the plan of a rotation with what its people were told, and replaces it.

use super::record;
use crate::actions::{App, Error, agenda, notifications, sessions};
use crate::domain::audit::Author;
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::{Content, Message, Recipient, ShiftsMoved};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::told_plan::{Moves, PendingNotices, ToldPlan, differences};
use crate::domain::zones::ZoneName;
use crate::runtime::clock::real_time;
use crate::store::{self, ReadTx, WriteTx};
use jiff::Timestamp;

/// The plan of a marked rotation, and what people are told of it.
pub struct Comparison {
    pub rotation: RotationId,
    /// The number of the last write that counts.
    count: u64,
    /// When it was made, and how far it looked.
    span: Interval,
    /// `None` where nobody has ever been in the plan.
    plan: Option<ToldPlan>,
    messages: Vec<Message>,
}

impl Comparison {
    /// Compares; `None` where nothing has marked the rotation, or it is gone.
    pub fn of(app: &App, tx: &ReadTx, id: &RotationId) -> Result<Option<Comparison>, Error> {
        let Some(pending) = store::load_pending_notices(tx, id)? else {
            return Ok(None);
        };
        let Some(rotation) = store::load_rotation(tx, id)? else {
            return Ok(None);
        };
        let stored = store::load_told_plan(tx, id)?;
        let told = stored.as_ref().and_then(|stored| stored.plan.as_ref());
        let plan = plan_of(app, &rotation, told);
        let mut comparison = Comparison {
            rotation: id.clone(),
            count: pending.count,
            span: plan.span,
            plan: None,
            messages: Vec::new(),
        };
        match told {
            Some(told) => {
                let whole = forecast::with_coming(&rotation, app.calendar());
                let asked = Asked {
                    rotation: &whole,
                    told,
                    plan: &plan,
                    pending: &pending,
                    told_since: stored.as_ref().map(|stored| stored.message_sequence),
                };
                comparison.messages = messages(tx, &asked)?;
                comparison.plan = Some(plan);
            }
            // The first plan with somebody in it is not told.
            None => comparison.plan = Some(plan).filter(|plan| !plan.is_empty()),
        }
        Ok(Some(comparison))
    }

    /// How many people are told.
    pub fn people(&self) -> usize {
        self.messages.len()
    }

    /// Replaces the told plan and queues the messages. Returns who is told; `None` where the rotation was marked again since it was
    /// compared, and nothing is done.
    pub fn apply(
        &self,
        app: &App,
        tx: &mut WriteTx,
        author: Option<&Author>,
    ) -> Result<Option<Vec<UserId>>, Error> {
        let pending = store::load_pending_notices(&tx.as_read(), &self.rotation)?;
        let Some(pending) = pending else {
            // Deleted since.
            return Ok(Some(Vec::new()));
        };
        if pending.count != self.count {
            return Ok(None);
        }
        let told = self
            .messages
            .iter()
            .filter_map(|message| match &message.to {
                Recipient::Person(user) => Some(user.clone()),
                Recipient::Channel(_) => None,
            });
        let told: Vec<UserId> = told.collect();
        notifications::queue(tx, app, self.messages.clone())?;
        let last_told = (!told.is_empty()).then(|| (real_time(), told.as_slice()));
        let plan = (self.span, self.plan.as_ref());
        store::save_told_plan(tx, &self.rotation, plan, last_told)?;
        store::clear_pending_notices(tx, &self.rotation)?;
        agenda::plan_stored(tx, &self.rotation)?;
        if let Some(author) = author {
            record(tx, author, &self.rotation, &told)?;
        }
        Ok(Some(told))
    }
}

/// The plan of a rotation from now on.
pub fn plan_of(app: &App, rotation: &Rotation, told: Option<&ToldPlan>) -> ToldPlan {
    let horizon = app.notices().settings().horizon;
    let from = app.now().max(rotation.stamps.judged_at);
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    ToldPlan::of(rotation, dealing, Interval::ahead(from, horizon), told)
}

/// What is compared.
pub struct Asked<'a> {
    /// With the cells that changes which wait add.
    pub rotation: &'a Rotation,
    pub told: &'a ToldPlan,
    pub plan: &'a ToldPlan,
    pub pending: &'a PendingNotices,
    /// The message after which people may have been told that they came on duty.
    pub told_since: Option<i64>,
}

/// The messages to everybody whose shifts moved and who does not know it yet.
pub fn messages(tx: &ReadTx, asked: &Asked) -> Result<Vec<Message>, Error> {
    let Asked {
        rotation, pending, ..
    } = asked;
    let (until, moves) = differences(asked.told, asked.plan);
    let mut messages = Vec::new();
    if moves.is_empty() {
        return Ok(messages);
    }
    let known = match asked.told_since {
        Some(sequence) => store::list_direct_messages_after(tx, &rotation.id, sequence)?,
        None => Vec::new(),
    };
    for (user, mut theirs) in moves {
        if pending.are_all_by(&user) {
            continue;
        }
        for one in &pending.told_otherwise {
            if one.users.contains(&user) {
                theirs.leave_out(&one.cell, one.period);
            }
        }
        leave_out_duty(&mut theirs, &user, &known);
        if theirs.is_empty() {
            continue;
        }
        let Some(zone) = zone_of(tx, &user)? else {
            continue;
        };
        let reasons = pending.reasons.clone();
        let moved = ShiftsMoved::new(rotation, (&theirs, until), reasons, zone);
        messages.push(moved.to(rotation, &user));
    }
    Ok(messages)
}

/// Leaves out what a person was told when they came on duty.
fn leave_out_duty(moves: &mut Moves, user: &UserId, known: &[Message]) {
    for message in known {
        let is_theirs = matches!(&message.to, Recipient::Person(to) if to == user);
        let Content::OnDuty { handovers } = &message.content else {
            continue;
        };
        for handover in handovers.iter().filter(|_| is_theirs) {
            if let Some(cell) = &handover.cell
                && handover.on.as_ref() == Some(user)
            {
                let until = handover.until.unwrap_or(Timestamp::MAX);
                moves.leave_out_gained(cell, Interval::new(Timestamp::MIN, until));
            }
        }
    }
}

/// The zone of a person's messages; `None` for somebody who is not in the workspace any more.
fn zone_of(tx: &ReadTx, user: &UserId) -> Result<Option<ZoneName>, Error> {
    let person = store::load_person(tx, user)?;
    let Some(person) = person.filter(|person| !person.is_deleted) else {
        return Ok(None);
    };
    let chosen = store::load_chosen_zone(tx, user)?;
    let zone = chosen.or(person.time_zone);
    Ok(Some(sessions::zone_of(zone.as_deref())))
}
