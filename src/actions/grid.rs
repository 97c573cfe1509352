//! The grid of a rotation: its coverage, and the rosters that cells name.

use super::Stop;
use super::draft::Draft;
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::grid::{self, GridSpec};
use crate::domain::handover::WindowChange;
use crate::domain::ids::{GroupId, RosterId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Narrowed, Roster, Rotation};
use crate::store::{ReadTx, WriteTx};

/// Replaces the grid and deals the slots that this leaves empty.
pub struct ReplaceCoverage(pub GridSpec);

impl Operation for ReplaceCoverage {
    const NAME: &'static str = "replace coverage";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
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

/// Narrows or reorders a roster to some of the members.
pub struct NarrowRoster {
    pub roster: RosterId,
    pub narrowed: Narrowed,
}

impl Operation for NarrowRoster {
    const NAME: &'static str = "narrow roster";
    type Output = ();

    fn admit(&self, _: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<(), Stop> {
        caller.check_edit(rotation)?;
        let named = |roster: &Roster| roster.id.as_ref() == Some(&self.roster);
        match rotation.rosters.iter().any(named) {
            true => Ok(()),
            false => Err(Refusal::NotFound("roster").into()),
        }
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let narrowed = self.narrowed;
        let before = draft.rotation.clone();
        let index = before.roster_index(Some(&self.roster));
        if let Some(stranger) = narrowed
            .users
            .iter()
            .position(|user| !before.has_member(user))
        {
            return Ok(invalid(format!(
                "userIds[{stranger}]: not a member of this rotation"
            ))?);
        }
        let follows = |group: &GroupId| {
            before
                .members
                .groups
                .iter()
                .any(|known| &known.group == group)
        };
        if let Some(stranger) = narrowed.groups.iter().position(|group| !follows(group)) {
            return Ok(invalid(format!(
                "userGroupIds[{stranger}]: not a user group of this rotation"
            ))?);
        }
        draft.rotation.rosters[index].narrowed = Some(narrowed);
        if !draft.rotation.same_as(&before) {
            draft.follow_members(tx, &before, WindowChange::ByEdit);
        }
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}
