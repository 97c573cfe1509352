//! Records and removes absences (rules.md 10).

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::{self, Mutation, Operation};
use super::{ActionError, App, Error, Result};
use super::{overview, reads};
use crate::domain::absence::{Absence, Absences, AppliesTo};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Phrase, period};
use crate::domain::edit::NewAbsence;
use crate::domain::event::Act;
use crate::domain::fault::Fault;
use crate::domain::ids::{AbsenceId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag::Precondition;
use jiff::Timestamp;
use std::sync::Arc;

/// The rotations that a person is a member of, as far as the caller sees them: an absence is recorded by way of one of them.
pub fn own_rotations(app: &App, caller: &Principal, user: &UserId) -> Result<Vec<Rotation>> {
    let mut all = overview::rotations_of(app, caller, user)?;
    all.retain(|rotation| rotation.has_member(user));
    Ok(all)
}

/// Stores an absence, or returns the same one if it exists. `true` if it is new. The next hand-over skips the person. If the
/// absence runs already, they come off duty only where the rotation has them hand over (rules.md 10.7).
pub fn create(
    app: &App,
    author: &Author,
    id: &RotationId,
    new: NewAbsence,
) -> Result<(Absence, bool)> {
    write(app, author, id, CreateAbsence(new))
}

/// Deletes an absence. One for all rotations is deleted in all of them.
pub fn remove(app: &App, author: &Author, id: &RotationId, absence: &AbsenceId) -> Result<()> {
    write(app, author, id, RemoveAbsence(absence.clone()))
}

/// Absences have no validator of their own.
fn write<O: Operation>(
    app: &App,
    author: &Author,
    rotation: &RotationId,
    operation: O,
) -> Result<O::Output> {
    let mutation = Mutation {
        author,
        rotation,
        precondition: &Precondition::Any,
        operation,
    };
    Ok(mutation.run(app)?.output)
}

/// Refuses somebody whom the directory does not have.
pub(super) fn check_person(tx: &ReadTx, user: &UserId) -> Result<()> {
    match store::load_person(tx, user)? {
        Some(_) => Ok(()),
        None => Err(Refusal::NotFound("user").into()),
    }
}

/// Refuses an absence of somebody who is not in the rotation.
pub(super) fn check_member(rotation: &Rotation, user: &UserId) -> Result<(), Refusal> {
    match rotation.has_member(user) {
        true => Ok(()),
        false => invalid("userId", Fault::NotMember(user.clone())),
    }
}

/// The rotations that an absence will apply to.
pub(super) fn applies_to(new: &NewAbsence, rotation: &Rotation) -> AppliesTo {
    match new.everywhere {
        true => AppliesTo::AllRotations,
        false => AppliesTo::Rotation(rotation.id.clone()),
    }
}

/// A stored absence, if it applies to the rotation.
pub(super) fn find_absence(tx: &ReadTx, id: &AbsenceId, rotation: &Rotation) -> Result<Absence> {
    let stored = store::load_absence(tx, id)?;
    let stored = stored.filter(|stored| counts_in(stored, rotation));
    Ok(stored.ok_or(Refusal::NotFound("absence"))?)
}

/// Refuses to remove an absence that only counts in a rotation which a partner's schedule drives.
pub(super) fn check_removal(rotation: &Rotation, stored: &Absence) -> Result<(), Refusal> {
    match stored.applies_to {
        AppliesTo::AllRotations => Ok(()),
        AppliesTo::Rotation(_) => rotation.check_own(),
    }
}

struct CreateAbsence(NewAbsence);

impl Operation for CreateAbsence {
    const NAME: &'static str = "create absence";
    type Output = (Absence, bool);

    fn named(&self) -> NamedIds {
        NamedIds::people([&self.0.user])
    }

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        let CreateAbsence(new) = self;
        caller.check_see(rotation)?;
        check_person(tx, &new.user)?;
        Ok(caller.check_absence(rotation, &new.user, new.everywhere)?)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        !self.0.everywhere
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(Absence, bool)> {
        let CreateAbsence(new) = self;
        check_member(&draft.rotation, &new.user)?;
        let applies_to = applies_to(&new, &draft.rotation);
        let same = store::find_same_absence(&tx.as_read(), &new.user, new.period, &applies_to)?;
        if let Some(same) = same {
            return Ok((same, false));
        }
        let absence = Absence {
            id: AbsenceId::from(tx.mint("abs_")),
            user: new.user,
            period: new.period,
            reason: new.reason,
            applies_to,
        };
        change(tx, draft, &absence, "recorded", |tx| {
            Ok(store::insert_absence(tx, &absence)?)
        })?;
        Ok((absence, true))
    }
}

struct RemoveAbsence(AbsenceId);

impl Operation for RemoveAbsence {
    const NAME: &'static str = "remove absence";
    type Output = ();

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        caller.check_see(rotation)?;
        let stored = find_absence(tx, &self.0, rotation)?;
        let everywhere = stored.applies_to == AppliesTo::AllRotations;
        Ok(caller.check_absence(rotation, &stored.user, everywhere)?)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let stored = find_absence(&tx.as_read(), &self.0, &draft.rotation)?;
        check_removal(&draft.rotation, &stored)?;
        change(tx, draft, &stored, "removed", |tx| {
            Ok(store::remove_absence(tx, &stored.id)?)
        })
    }
}

/// Ends an absence of its own person now: one that is running is cut short, one to come is removed. One that is over stays.
///
/// # Errors
/// [`Refusal::NotFound`] for one that is not there, or that counts in no rotation.
pub fn end(app: &App, author: &Author, id: &AbsenceId) -> Result<()> {
    let found = read(app, id)?.filter(|found| author.principal.person() == Ok(&found.user));
    let found = found.ok_or(Refusal::NotFound("absence"))?;
    let rotation = match &found.applies_to {
        AppliesTo::Rotation(rotation) => Some(rotation.clone()),
        AppliesTo::AllRotations => {
            let theirs = |tx: &ReadTx| store::list_rotations_of(tx, &found.user);
            app.store().read(theirs)?.into_iter().next()
        }
    };
    let rotation = rotation.ok_or(Refusal::NotFound("absence"))?;
    write(app, author, &rotation, EndAbsence(found.id))
}

/// Ends the absences of the author that are running. Returns how many they were.
pub fn end_running(app: &App, author: &Author, user: &UserId) -> Result<usize> {
    let now = app.now();
    let mut running = app
        .store()
        .read(|tx| store::list_absences_of(tx, user, now))?;
    running.retain(|absence| absence.period.from <= now);
    let mut ended = 0;
    for absence in running {
        match end(app, author, &absence.id) {
            Ok(()) => ended += 1,
            // Removed since, or it counts nowhere.
            Err(ActionError::Refused(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    Ok(ended)
}

struct EndAbsence(AbsenceId);

impl Operation for EndAbsence {
    const NAME: &'static str = "end absence";
    type Output = ();

    /// Whoever is away may end it, also where they do not see its rotation any more.
    fn admit(&self, tx: &ReadTx, _: &Rotation, caller: &Principal) -> Result<()> {
        let stored = store::load_absence(tx, &self.0)?;
        let person = caller.person()?;
        let own = stored.filter(|stored| stored.user == *person);
        own.map(drop)
            .ok_or_else(|| Refusal::NotFound("absence").into())
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let stored = store::load_absence(&tx.as_read(), &self.0)?;
        let stored = stored.ok_or(Refusal::NotFound("absence"))?;
        let now = draft.instant(tx);
        if stored.period.until <= now {
            return Ok(());
        }
        if stored.period.from >= now {
            return change(tx, draft, &stored, "removed", |tx| {
                Ok(store::remove_absence(tx, &stored.id)?)
            });
        }
        change(tx, draft, &stored, "ended", |tx| {
            Ok(store::save_absence_end(tx, &stored.id, now)?)
        })
    }
}

/// The absences that apply to a rotation and overlap a range. A range without an end includes all later ones.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
) -> Result<Vec<Absence>> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let mut absences = store::list_absences(tx, &rotation, from.unwrap_or(Timestamp::MIN))?;
        absences.retain(|absence| until.is_none_or(|until| absence.period.from < until));
        Ok(absences)
    })
}

fn counts_in(absence: &Absence, rotation: &Rotation) -> bool {
    match &absence.applies_to {
        AppliesTo::Rotation(id) => *id == rotation.id,
        AppliesTo::AllRotations => rotation.has_member(&absence.user),
    }
}

/// Writes an absence in or out and lets the rotations that it counts in look at their next due instant again, and at their
/// empty slots where they deal to the person. Each of the others that changes has an audit entry of its own.
fn change(
    tx: &mut WriteTx,
    draft: &mut Draft,
    absence: &Absence,
    done: &str,
    write: impl FnOnce(&mut WriteTx) -> Result<()>,
) -> Result<()> {
    let (app, author, own) = (draft.app(), draft.author(), draft.rotation.id.clone());
    let (others, scope) = match &absence.applies_to {
        AppliesTo::Rotation(_) => (Vec::new(), ""),
        AppliesTo::AllRotations => {
            let mut all = store::list_rotations_of(&tx.as_read(), &absence.user)?;
            all.retain(|id| *id != own);
            (all, " in all rotations")
        }
    };
    let said = Phrase::from("absence of ").and(&absence.user);
    let said = said.and(format!("{scope} {done}, {}", period(absence.period)));
    draft.describe(absence.id.as_str(), said);
    let by = (author, Act::WithoutEvent);
    mutation::follow(app, tx, by, &others, write, |tx, draft, before| {
        fill(tx, draft, absence, &before.absences);
    })?;
    // An absence does not raise the version of an unchanged rotation, but its next due instant may change.
    for id in &others {
        if let Some(draft) = Draft::load(&tx.as_read(), app, author, id)? {
            store::save_due(tx, id, draft.next_due())?;
        }
    }
    let before = Arc::clone(&draft.rotation.absences);
    draft.reload_absences(tx)?;
    fill(tx, draft, absence, &before);
    draft.store(tx, Act::WithoutEvent)?;
    Ok(store::save_due(tx, &own, draft.next_due())?)
}

fn fill(tx: &WriteTx, draft: &mut Draft, absence: &Absence, before: &Absences) {
    if absence.period.until > draft.instant(tx) {
        judge(tx, draft, &absence.user, before);
    }
}

/// Lets `write` change when a person is absent in all rotations, by their calendars. The rotations that they are in look at their
/// next due instant again, at their slots that the person holds, and at their empty slots where they deal to them.
pub(super) fn follow_person(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    user: &UserId,
    write: impl FnOnce(&mut WriteTx) -> Result<()>,
) -> Result<()> {
    let all = store::list_rotations_of(&tx.as_read(), user)?;
    mutation::follow(
        app,
        tx,
        (author, Act::Calendar),
        &all,
        write,
        |tx, draft, before| judge(tx, draft, user, &before.absences),
    )?;
    for id in &all {
        if let Some(draft) = Draft::load(&tx.as_read(), app, author, id)? {
            store::save_due(tx, id, draft.next_due())?;
        }
    }
    Ok(())
}

/// Looks at a rotation again after the absences of a person changed, which were `before` until now.
fn judge(tx: &WriteTx, draft: &mut Draft, user: &UserId, before: &Absences) {
    let editing = draft.editing(tx);
    editing.follow_absences(&mut draft.rotation, user, before);
}

/// One absence, by its id.
pub fn read(app: &App, id: &AbsenceId) -> Result<Option<Absence>, Error> {
    app.store().read(|tx| store::load_absence(tx, id))
}

/// An absence; beside one of a single rotation its id and name.
pub type PlacedAbsence = (Absence, Option<(RotationId, String)>);

/// The absences of a person that end after an instant, by their beginning: those that count in rotations which the caller sees. Beside
/// one of a single rotation stand its id and name.
pub fn of_person(
    app: &App,
    caller: &Principal,
    user: &UserId,
    ending_after: Timestamp,
) -> Result<Vec<PlacedAbsence>> {
    app.store().read(|tx| {
        let all = store::list_absences_of(tx, user, ending_after)?;
        let mut shown = Vec::new();
        for absence in all {
            let named = match &absence.applies_to {
                AppliesTo::AllRotations => None,
                AppliesTo::Rotation(id) => match reads::visible(tx, caller, id) {
                    Ok(rotation) => Some((rotation.id, rotation.profile.name)),
                    Err(_) => continue,
                },
            };
            shown.push((absence, named));
        }
        Ok(shown)
    })
}
