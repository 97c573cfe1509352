//! Changes the grid of a rotation: its coverage, and the rosters of cells.

use super::Result;
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::applying::check_roster;
use crate::domain::event::Act;
use crate::domain::grid::{GridSpec, RosterSpec};
use crate::domain::ids::RosterId;
use crate::domain::rotation::Rotation;
use crate::store::{ReadTx, WriteTx};

/// Replaces the grid and its rosters, and deals the slots that this leaves empty.
pub struct ReplaceCoverage(pub GridSpec);

impl Operation for ReplaceCoverage {
    const NAME: &'static str = "replace coverage";
    type Output = ();

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn named(&self) -> NamedIds {
        NamedIds::people(self.0.people())
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let ReplaceCoverage(spec) = self;
        let editing = draft.editing(tx);
        let mint = &mut |prefix: &str| tx.mint(prefix);
        editing.replace_grid(&mut draft.rotation, &spec, mint)?;
        draft.store(tx, Act::Edit)?;
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

    fn named(&self) -> NamedIds {
        NamedIds::people(self.spec.people())
    }

    fn admit(&self, _: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        caller.check_edit(rotation)?;
        Ok(check_roster(rotation, self.roster.as_ref())?)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let (editing, WriteRoster { roster, spec }) = (draft.editing(tx), self);
        editing.write_roster(&mut draft.rotation, roster.as_ref(), &spec)?;
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
