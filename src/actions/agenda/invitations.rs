//! Invitations to turns in one rotation: which are to be sent, changed or called off (rules.md 19.15).

use super::Outcome;
use crate::actions::{App, Error};
use crate::domain::duty::Duty;
use crate::domain::duty_feed::{self, Whose};
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::turn_invitation::{Turn, TurnKey, WITHOUT_END};
use crate::store::{self, AgendaEntry, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// A shorter part of a plan that takes too much to forecast is not looked at.
const SHORTEST: SignedDuration = SignedDuration::from_hours(24);

/// What is to be written of the invitations to turns in a rotation.
#[derive(Debug, Default)]
pub struct InvitationChanges {
    /// To be sent, or sent again.
    turns: Vec<Turn>,
    called_off: Vec<TurnKey>,
}

impl InvitationChanges {
    pub(super) fn write(&self, tx: &mut WriteTx) -> Result<(), Error> {
        for turn in &self.turns {
            store::save_turn(tx, turn)?;
        }
        for key in &self.called_off {
            store::call_off_turn(tx, key)?;
        }
        Ok(())
    }
}

pub(super) fn run(
    tx: &ReadTx,
    app: &App,
    entry: &AgendaEntry,
    now: Timestamp,
) -> Result<Outcome, Error> {
    let id = RotationId::from(entry.subject.clone());
    let invitees = store::list_invitees(tx)?;
    let Some(rotation) = store::load_rotation(tx, &id)? else {
        return Ok(Outcome::default());
    };
    let known = store::list_invited(tx, &id, now)?;
    let (until, turns) = turns(app, &rotation, &invitees, now);
    let known_of: HashMap<_, Timestamp> = (known.iter())
        .filter(|(_, _, is_told)| *is_told)
        .map(|(key, end, _)| ((&key.user, &key.cell, key.start), *end))
        .collect();
    let stands = |key: &TurnKey| turns.iter().any(|turn| turn.key == *key);
    let called_off = known
        .iter()
        .map(|(key, _, _)| key)
        // What begins later than was looked at is not known to be lost.
        .filter(|key| key.start < until && invitees.contains(&key.user) && !stands(key));
    let called_off = called_off.cloned().collect();
    let is_new = |turn: &&Turn| {
        let key = &turn.key;
        known_of.get(&(&key.user, &key.cell, key.start)) != Some(&turn.until)
    };
    Ok(Outcome {
        invitations: InvitationChanges {
            turns: turns.iter().filter(is_new).cloned().collect(),
            called_off,
        },
        ..Outcome::default()
    })
}

/// The turns of these people that begin between now and the horizon, as feeds have them, and how far it was looked: where
/// hand-overs are too frequent for all of it, less far.
fn turns(
    app: &App,
    rotation: &Rotation,
    invitees: &[UserId],
    now: Timestamp,
) -> (Timestamp, Vec<Turn>) {
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let mut span = Interval::ahead(now, app.notices().settings().horizon);
    let duties = loop {
        match forecast::schedule(rotation, dealing, span) {
            Ok(duties) => break duties,
            Err(_) if span.length() < SHORTEST => return (now, Vec::new()),
            Err(_) => span.until = Interval::ahead(span.from, span.length() / 2).until,
        }
    };
    let begins = |duty: &Duty| duty.entry.start > now && duty.entry.start < span.until;
    let mut duties: Vec<Duty> = duties.into_iter().filter(begins).collect();
    for duty in &mut duties {
        let last = Interval::ahead(duty.entry.start, WITHOUT_END).until;
        duty.end = duty.end.or(Some(last));
    }
    let names = HashMap::new();
    let mut turns = Vec::new();
    for user in invitees {
        let whose = (Whose::Person(user), &names);
        let events = duty_feed::events(rotation, app.calendar(), &duties, span, whose);
        turns.extend(events.into_iter().map(|event| Turn {
            key: TurnKey {
                user: user.clone(),
                cell: event.cell,
                start: event.period.from,
            },
            rotation: rotation.id.clone(),
            until: event.period.until,
            summary: event.summary,
        }));
    }
    (span.until, turns)
}
