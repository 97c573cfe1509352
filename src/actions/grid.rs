//! Changes the grid of a rotation: its coverage, and the rosters of cells.

use super::ActionError;
use super::chat_ids::Named;
use super::draft::Draft;
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::grid::{self, GridSpec, RosterSpec};
use crate::domain::handover::WindowChange;
use crate::domain::ids::RosterId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Roster, Rotation};
use crate::store::{ReadTx, WriteTx};

/// Replaces the grid and its rosters, and deals the slots that this leaves empty.
pub struct ReplaceCoverage(pub GridSpec);

impl Operation for ReplaceCoverage {
    const NAME: &'static str = "replace coverage";
    type Output = ();

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn named(&self) -> Named {
        Named::people(self.0.people())
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), ActionError> {
        let ReplaceCoverage(spec) = self;
        let (at, before) = (draft.instant(tx), draft.rotation.clone());
        grid::replace(
            &mut draft.rotation,
            &spec,
            &draft.tier_limits,
            draft.calendar,
            at,
            &mut |prefix| tx.mint(prefix),
        )?;
        if !draft.rotation.same_as(&before) {
            draft.redeal(tx, &before, WindowChange::ByEdit, |_| ());
        }
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}

/// Writes a roster: narrows or reorders it to some of the members, and sets its next turns.
pub struct WriteRoster {
    /// `None` is the common roster, whose list is the members.
    pub roster: Option<RosterId>,
    pub spec: RosterSpec,
}

impl Operation for WriteRoster {
    const NAME: &'static str = "write roster";
    type Output = ();

    fn named(&self) -> Named {
        Named::people(self.spec.people())
    }

    fn admit(
        &self,
        _: &ReadTx,
        rotation: &Rotation,
        caller: &Principal,
    ) -> Result<(), ActionError> {
        caller.check_edit(rotation)?;
        let named = |roster: &Roster| roster.id == self.roster;
        match rotation.rosters.iter().any(named) {
            true => Ok(()),
            false => Err(Refusal::NotFound("roster").into()),
        }
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), ActionError> {
        let before = draft.rotation.clone();
        let index = before.roster_index(self.roster.as_ref());
        grid::write_one(&before, &mut draft.rotation, index, &self.spec)?;
        if !draft.rotation.same_as(&before) {
            draft.redeal(tx, &before, WindowChange::ByEdit, |_| ());
        }
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}
