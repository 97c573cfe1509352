//! Changes and deletes rotations.

use super::Result;
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::edits;
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::edit::RotationPatch;
use crate::domain::event::Act;
use crate::domain::holidays::Calendar;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::WriteTx;

/// Changes the members of a rotation that the patch contains.
pub struct PatchRotation(pub RotationPatch);

/// The people that a patch names.
fn named(patch: &RotationPatch) -> NamedIds {
    let lists = [&patch.owners, &patch.users];
    NamedIds::people(lists.into_iter().flatten().flatten())
}

impl Operation for PatchRotation {
    const NAME: &'static str = "patch rotation";
    type Output = ();

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        self.0.changes_duty(rotation)
    }

    fn named(&self) -> NamedIds {
        named(&self.0)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let PatchRotation(patch) = self;
        edits::patch(tx, draft, patch)?;
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}

/// [`PatchRotation`] for a caller who repeats what the rotation shows.
pub struct PatchShown {
    pub patch: RotationPatch,
    pub agrees: Agrees,
}

/// Refuses what a caller says of a rotation where it is not so.
pub type Agrees = Box<dyn FnOnce(&Rotation, &Calendar) -> Result<(), Refusal> + Send>;

impl Operation for PatchShown {
    const NAME: &'static str = PatchRotation::NAME;
    type Output = ();

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        // What PATCH cannot change is refused by what the rotation shows, whatever drives it.
        self.patch.changes_duty(rotation)
    }

    fn named(&self) -> NamedIds {
        named(&self.patch)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, caller: &Principal) -> Result<()> {
        (self.agrees)(&draft.rotation, draft.calendar)?;
        PatchRotation(self.patch).apply(tx, draft, caller)
    }
}

/// Deletes a rotation with everything in it.
pub struct DeleteRotation;

impl Operation for DeleteRotation {
    const NAME: &'static str = "delete rotation";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        Ok(draft.delete(tx)?)
    }
}
