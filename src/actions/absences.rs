//! Records and removes absences (rules.md 10).

use super::draft::Draft;
use super::mutation;
use super::reads;
use super::{App, Fault, Stop};
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::access::Principal;
use crate::domain::edit::NewAbsence;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{AbsenceId, RotationId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Reason, Rotation};
use crate::store::{self, WriteTx};
use jiff::Timestamp;

/// Stores an absence, or answers with the same one if it is there already; `true` when it is new. The next hand-over
/// passes over the person; nobody comes off duty.
pub fn create(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: NewAbsence,
) -> Result<(Absence, bool), Stop> {
    let (shared, caller, id) = (app.clone(), caller.clone(), id.clone());
    app.store().write(move |tx| {
        let rotation = load(tx, &id)?;
        caller.check_see(&rotation)?;
        if store::load_person(&tx.as_read(), &new.user)?.is_none() {
            return Err(Refusal::NotFound("user").into());
        }
        caller.check_absence(&rotation, &new.user, new.everywhere)?;
        if !rotation.has_member(&new.user) {
            return Ok(invalid(format!(
                "userId: `{}` is not a member of this rotation",
                new.user
            ))?);
        }
        let applies_to = if new.everywhere {
            AppliesTo::AllRotations
        } else {
            AppliesTo::Rotation(id)
        };
        if let Some(same) = store::same_absence(&tx.as_read(), &new.user, new.period, &applies_to)?
        {
            return Ok((same, false));
        }
        let absence = Absence {
            id: AbsenceId::from(tx.mint("abs_")),
            user: new.user,
            period: new.period,
            reason: new.reason,
            applies_to,
        };
        change(&shared, tx, &absence, |tx| {
            Ok(store::insert_absence(tx, &absence)?)
        })?;
        Ok((absence, true))
    })
}

/// Deletes an absence; one for all rotations goes everywhere.
pub fn remove(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    absence: &AbsenceId,
) -> Result<(), Stop> {
    let (shared, caller, id, absence) = (app.clone(), caller.clone(), id.clone(), absence.clone());
    app.store().write(move |tx| {
        let rotation = load(tx, &id)?;
        caller.check_see(&rotation)?;
        let stored = store::load_absence(&tx.as_read(), &absence)?
            .filter(|stored| counts_in(stored, &rotation));
        let Some(stored) = stored else {
            return Err(Refusal::NotFound("absence").into());
        };
        caller.check_absence(
            &rotation,
            &stored.user,
            stored.applies_to == AppliesTo::AllRotations,
        )?;
        change(&shared, tx, &stored, |tx| {
            Ok(store::remove_absence(tx, &stored.id)?)
        })
    })
}

/// The absences that count in a rotation and touch a range; an end left open reaches as far as there are any.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
) -> Result<Vec<Absence>, Stop> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let mut absences = store::list_absences(tx, &rotation, from.unwrap_or(Timestamp::MIN))?;
        absences.retain(|absence| until.is_none_or(|until| absence.period.from < until));
        Ok(absences)
    })
}

fn load(tx: &WriteTx, id: &RotationId) -> Result<Rotation, Stop> {
    Ok(store::load_rotation(&tx.as_read(), id)?.ok_or(Refusal::NotFound("rotation"))?)
}

fn counts_in(absence: &Absence, rotation: &Rotation) -> bool {
    match &absence.applies_to {
        AppliesTo::Rotation(id) => *id == rotation.id,
        AppliesTo::AllRotations => rotation.has_member(&absence.user),
    }
}

/// Writes an absence in or out and lets the rotations that it counts in look at their next due instant again, and at their
/// empty slots where they deal to the person.
fn change(
    app: &App,
    tx: &mut WriteTx,
    absence: &Absence,
    write: impl FnOnce(&mut WriteTx) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let affected = match &absence.applies_to {
        AppliesTo::Rotation(id) => vec![id.clone()],
        AppliesTo::AllRotations => store::list_rotations_of(&tx.as_read(), &absence.user)?,
    };
    mutation::follow(app, tx, &affected, Act::Aside, write, |tx, draft, _| {
        let is_over = absence.period.until <= draft.instant(tx);
        draft.change(tx, WindowChange::ByEdit, |change| {
            if !is_over && change.deals_to(&absence.user) {
                change.fill(Reason::CoverageChanged);
            }
        });
    })?;
    // Absences do not raise the version of a rotation that stays as it is; when it next looks around may change.
    for id in &affected {
        refresh_due(app, tx, id)?;
    }
    Ok(())
}

fn refresh_due(app: &App, tx: &mut WriteTx, id: &RotationId) -> Result<(), Fault> {
    match Draft::load(&tx.as_read(), app, id)? {
        Some(draft) => store::save_due(tx, id, draft.next_due()),
        None => Ok(()),
    }
}
