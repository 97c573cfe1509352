//! Applies edits to a copy of a rotation, each by the checks and the function of the write that it belongs to.

use super::{PreviewQuery, Refused};
use crate::actions::absences::{
    applies_to, check_member, check_person, check_removal, find_absence,
};
use crate::actions::grid::check_roster;
use crate::actions::rotations::{Agrees, changes_duty, check_code, check_patch, people_then};
use crate::actions::{ActionError, Result};
use crate::domain::absence::{Absences, AppliesTo};
use crate::domain::access::Principal;
use crate::domain::edit::{NewAbsence, RotationPatch};
use crate::domain::editing::Editing;
use crate::domain::fault::Fault;
use crate::domain::grid::{GridSpec, RosterSpec};
use crate::domain::ids::{AbsenceId, RosterId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, ReadTx};
use std::sync::Arc;

/// A rotation while edits are applied to it, one by one.
pub struct Parts<'a, 'e> {
    pub tx: &'a ReadTx<'a>,
    caller: &'a Principal,
    /// As it is now: what callers repeat of it is compared with this.
    pub current: &'a Rotation,
    /// As it is before the edits.
    base: &'a Rotation,
    pub editing: Editing<'e>,
    pub rotation: Rotation,
    pub refusals: Vec<Refused>,
    created: Vec<(UserId, Interval, AppliesTo)>,
    removed: Vec<AbsenceId>,
    /// Whether an absence has changed.
    aside: bool,
}

impl<'a, 'e> Parts<'a, 'e> {
    /// None applied yet to `base`, a rotation that everything due has been done of. `current` is the same rotation as it is now.
    pub fn new(
        tx: &'a ReadTx<'a>,
        caller: &'a Principal,
        current: &'a Rotation,
        base: &'a Rotation,
        editing: Editing<'e>,
    ) -> Parts<'a, 'e> {
        Parts {
            tx,
            caller,
            current,
            base,
            editing,
            rotation: base.clone(),
            refusals: Vec::new(),
            created: Vec::new(),
            removed: Vec::new(),
            aside: false,
        }
    }

    /// Applies all of them in their order, each where it is not refused.
    pub fn apply(&mut self, wanted: PreviewQuery) -> Result<()> {
        let PreviewQuery { edits, agrees, .. } = wanted;
        if let Some(patch) = &edits.patch {
            self.part("rotation".to_owned(), |parts| parts.patch(patch, agrees))?;
        }
        if let Some(spec) = &edits.coverage {
            self.part("coverage".to_owned(), |parts| parts.coverage(spec))?;
        }
        for (id, spec) in &edits.rosters {
            let name = id.as_ref().map_or("", RosterId::as_str);
            let roster = |parts: &mut Self| parts.roster(id.as_ref(), spec);
            self.part(format!("rosters.{name}"), roster)?;
        }
        for (index, new) in edits.absences.iter().enumerate() {
            self.part(format!("absences[{index}]"), |parts| parts.absence(new))?;
        }
        for (index, id) in edits.removed_absences.iter().enumerate() {
            let remove = |parts: &mut Self| parts.remove_absence(id);
            self.part(format!("removeAbsenceIds[{index}]"), remove)?;
        }
        self.leave(&edits.leavers)?;
        // Once for all of them: what a request is asked for has to be forecast.
        self.editing
            .expire_lost(self.base, &mut self.rotation, self.aside);
        Ok(())
    }

    /// Applies one edit, or notes why it is refused.
    fn part(&mut self, part: String, apply: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        match apply(self) {
            Err(ActionError::Refused(refusal)) => {
                self.refusals.push(Refused { part, refusal });
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Makes a change that shows in the rotation itself.
    fn edit(
        &mut self,
        change: impl FnOnce(Editing, &mut Rotation) -> Result<(), Refusal>,
    ) -> Result<()> {
        Ok(change(self.editing, &mut self.rotation)?)
    }

    fn patch(&mut self, patch: &RotationPatch, agrees: Option<Agrees>) -> Result<()> {
        if changes_duty(patch, &self.rotation) {
            self.rotation.check_own()?;
        }
        if let Some(agrees) = agrees {
            agrees(self.current, self.editing.calendar)?;
        }
        check_patch(self.tx, patch, &self.rotation, &self.editing.limits)?;
        // The rotation that has a code may be hidden from whoever just looks.
        if self.caller.check_edit(&self.rotation).is_ok() {
            check_code(self.tx, patch, &self.rotation)?;
        }
        let then = people_then(self.tx, patch, &self.rotation)?;
        let people = then.map(|(_, people)| people);
        self.edit(|editing, rotation| {
            editing.patch(rotation, patch, people);
            Ok(())
        })
    }

    fn coverage(&mut self, spec: &GridSpec) -> Result<()> {
        self.rotation.check_own()?;
        let mut minted = 0;
        let mut mint = |prefix: &str| {
            minted += 1;
            format!("{prefix}new{minted}")
        };
        self.edit(|editing, rotation| editing.replace_grid(rotation, spec, &mut mint))
    }

    fn roster(&mut self, id: Option<&RosterId>, spec: &RosterSpec) -> Result<()> {
        check_roster(&self.rotation, id)?;
        self.rotation.check_own()?;
        self.edit(|editing, rotation| editing.write_roster(rotation, id, spec))
    }

    fn absence(&mut self, new: &NewAbsence) -> Result<()> {
        check_person(self.tx, &new.user)?;
        self.check_everywhere(&new.user, new.everywhere)?;
        if !new.everywhere {
            self.rotation.check_own()?;
        }
        check_member(&self.rotation, &new.user)?;
        let scope = applies_to(new, &self.rotation);
        let same = store::find_same_absence(self.tx, &new.user, new.period, &scope)?;
        let key = (new.user.clone(), new.period, scope);
        if same.is_some() || self.created.contains(&key) {
            return Ok(());
        }
        self.created.push(key);
        let absences = self.rotation.absences.with(&new.user, new.period);
        self.absences_changed(absences, &new.user, new.period);
        Ok(())
    }

    fn remove_absence(&mut self, id: &AbsenceId) -> Result<()> {
        let stored = find_absence(self.tx, id, &self.rotation)?;
        if self.removed.contains(id) {
            return Err(Refusal::NotFound("absence").into());
        }
        self.check_everywhere(&stored.user, stored.applies_to == AppliesTo::AllRotations)?;
        check_removal(&self.rotation, &stored)?;
        self.removed.push(id.clone());
        let absences = self.rotation.absences.without(&stored.user, stored.period);
        self.absences_changed(absences, &stored.user, stored.period);
        Ok(())
    }

    /// Refuses an absence in all rotations to a key that is limited to some. People may look at what they may not do.
    fn check_everywhere(&self, user: &UserId, everywhere: bool) -> Result<(), Refusal> {
        match everywhere && self.caller.person().is_err() {
            true => self.caller.check_absence(&self.rotation, user, true),
            false => Ok(()),
        }
    }

    fn absences_changed(&mut self, absences: Absences, user: &UserId, period: Interval) {
        let was = std::mem::replace(&mut self.rotation.absences, Arc::new(absences));
        if period.until > self.editing.at {
            self.editing.follow_absences(&mut self.rotation, user, &was);
        }
        self.aside = true;
    }

    /// Takes all of them out together, as a list without them does.
    fn leave(&mut self, leavers: &[UserId]) -> Result<()> {
        let mut leaving: Vec<UserId> = Vec::new();
        for (index, user) in leavers.iter().enumerate() {
            self.part(format!("remove[{index}]"), |parts| {
                parts.rotation.check_own()?;
                if !parts.rotation.has_member(user) {
                    return Ok(invalid(
                        format!("remove[{index}]"),
                        Fault::NotMember(user.clone()),
                    )?);
                }
                leaving.push(user.clone());
                Ok(())
            })?;
        }
        if leaving.is_empty() {
            return Ok(());
        }
        self.edit(|editing, rotation| {
            editing.leave(rotation, &leaving);
            Ok(())
        })
    }
}
