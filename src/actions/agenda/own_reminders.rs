//! Reminders that people chose themselves, of the turns of one rotation (rules.md 19.10).

use super::Outcome;
use crate::actions::{App, Error};
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message;
use crate::domain::rotation::Rotation;
use crate::store::{self, AgendaEntry, ReadTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// How long before turns people are reminded, with the people.
type ByLength = BTreeMap<SignedDuration, BTreeSet<UserId>>;

pub(super) fn run(
    tx: &ReadTx,
    app: &App,
    entry: &AgendaEntry,
    now: Timestamp,
) -> Result<Outcome, Error> {
    let rotation = store::load_rotation(tx, &RotationId::from(entry.subject.clone()))?;
    let Some(rotation) = rotation.filter(|rotation| rotation.enabled) else {
        return Ok(Outcome::default());
    };
    let mut outcome = Outcome::default();
    let mut due: BTreeMap<Timestamp, BTreeSet<UserId>> = BTreeMap::new();
    for (before, people) in chosen(tx, &rotation)? {
        // Turns that have begun are not announced.
        let begun = now.checked_sub(before).unwrap_or(now);
        let mut after = entry.done_until.max(begun);
        let next = loop {
            let next = forecast::next_reminder(&rotation, app.calendar(), before, after);
            let Some(at) = next.filter(|at| *at <= now) else {
                break next;
            };
            if let Ok(begins) = at.checked_add(before) {
                due.entry(begins).or_default().extend(people.clone());
            }
            after = at;
        };
        outcome.next = outcome.next.into_iter().chain(next).min();
    }
    due.retain(|begins, _| *begins > now);
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let instants: Vec<Timestamp> = due.keys().copied().collect();
    for (at, handovers) in forecast::notices_at(&rotation, dealing, &instants) {
        for person in due.get(&at).into_iter().flatten() {
            outcome
                .messages
                .extend(message::reminder_of(&rotation, at, &handovers, person));
        }
    }
    Ok(outcome)
}

/// Those who may come on in a rotation and chose their own reminders.
fn chosen(tx: &ReadTx, rotation: &Rotation) -> Result<ByLength, Error> {
    let (members, cells) = (&rotation.members, &rotation.cells);
    let people: BTreeSet<&UserId> = (members.users.iter())
        .chain(members.groups.iter().flat_map(|group| &group.users))
        .chain(rotation.arranged.iter().map(|arranged| &arranged.user))
        .chain(
            cells
                .iter()
                .flat_map(|cell| &cell.holder)
                .map(|holder| &holder.user),
        )
        .collect();
    let mut chosen = ByLength::new();
    for person in people {
        for length in store::load_leads(tx, person)?
            .iter()
            .flat_map(|leads| leads.lengths())
        {
            chosen.entry(length).or_default().insert(person.clone());
        }
    }
    Ok(chosen)
}
