//! Applies edits to a copy of a rotation, each by the checks and the function of the write that it belongs to.

use super::{PreviewQuery, Refused};
use crate::actions::absences::{
    applies_to, check_member, check_person, check_removal, find_absence,
};
use crate::actions::{ActionError, Result};
use crate::domain::absence::{Absences, AppliesTo};
use crate::domain::access::Principal;
use crate::domain::applying::{Applying, Part};
use crate::domain::edit::NewAbsence;
use crate::domain::editing::Editing;
use crate::domain::facts::Facts;
use crate::domain::fault::Fault;
use crate::domain::ids::{AbsenceId, UserId};
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
    pub fn apply(&mut self, wanted: PreviewQuery, mut facts: Facts) -> Result<()> {
        let PreviewQuery {
            edits,
            mut agrees,
            is_edit,
            ..
        } = wanted;
        // The rotation that has a code may be hidden from whoever just looks.
        if self.caller.check_edit(&self.rotation).is_err() {
            facts.codes.clear();
        }
        let mut minted = 0;
        for (name, part) in edits.parts() {
            if let Part::Leave(leavers) = part
                && !is_edit
            {
                self.leave(leavers)?;
                continue;
            }
            self.part(name, |parts| match part {
                Part::Absence(new) => parts.absence(new),
                Part::RemoveAbsence(id) => parts.remove_absence(id),
                part => {
                    if let (Part::Patch(_), Some(agrees)) = (&part, agrees.take()) {
                        agrees(parts.current, parts.editing.calendar)?;
                    }
                    let mut applying = Applying {
                        editing: parts.editing,
                        facts: &facts,
                        mint: &mut |prefix: &str| {
                            minted += 1;
                            format!("{prefix}new{minted}")
                        },
                        forgives_gone: false,
                    };
                    Ok(applying.part(part, &mut parts.rotation)?)
                }
            })?;
        }
        // Once for all of them: what a request is asked for has to be forecast.
        self.editing
            .expire_lost(self.base, &mut self.rotation, self.aside);
        Ok(())
    }

    /// Applies one edit, or notes why it is refused.
    fn part(&mut self, part: String, apply: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        match apply(self) {
            Err(ActionError::Refused(refusal)) => {
                // A list is a part whose entries have no name of their own.
                let is_entry = |path: &str| path.starts_with('[');
                let refusal = match &refusal {
                    Refusal::Invalid { path, .. } if is_entry(path.as_str()) => {
                        refusal.under(&part)
                    }
                    _ => refusal,
                };
                self.refusals.push(Refused { part, refusal });
                Ok(())
            }
            outcome => outcome,
        }
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
        self.editing.leave(&mut self.rotation, &leaving);
        Ok(())
    }
}
