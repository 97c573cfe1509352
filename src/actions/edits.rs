//! Edits of a rotation that are made together: a patch, coverage, rosters and the rest, each by the rule of the write that it
//! belongs to.

use super::draft::Draft;
use super::{App, Error, Result};
use crate::domain::applying::{Applying, Part};
use crate::domain::edit::{Edits, RotationPatch};
use crate::domain::facts::Facts;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, MemberLists, ReadTx, WriteTx};
use std::borrow::Cow;

/// What edits of a rotation have to know.
pub(super) fn facts(
    app: &App,
    tx: &ReadTx,
    rotation: &Rotation,
    edits: &Edits,
) -> Result<Facts, Error> {
    let counts_people = app.tier_limits().max_people.is_some();
    let mut facts = store::load_facts(tx, rotation, &[edits], counts_people)?;
    facts.no_binding = match edits.duty_group {
        Some(Some(_)) => app.chat().capabilities().no_binding,
        _ => None,
    };
    Ok(facts)
}

/// Applies edits to a draft, now, and writes the lists of members that they change. The draft is the caller's to store.
///
/// # Errors
/// The refusal of the first part that is refused, its path below the part's.
pub(super) fn apply(tx: &mut WriteTx, draft: &mut Draft, edits: &Edits) -> Result<()> {
    run(tx, draft, edits, |mut applying, rotation| {
        applying.all(edits, rotation)
    })
}

/// The same of a patch alone, whose refusals name its own members.
///
/// # Errors
/// The refusal of the patch.
pub(super) fn patch(tx: &mut WriteTx, draft: &mut Draft, patch: RotationPatch) -> Result<()> {
    let edits = Edits {
        patch: Some(patch.clone()),
        ..Edits::default()
    };
    run(tx, draft, &edits, |mut applying, rotation| {
        applying.part(Part::Patch(Box::new(Cow::Borrowed(&patch))), rotation)
    })
}

fn run(
    tx: &mut WriteTx,
    draft: &mut Draft,
    edits: &Edits,
    apply: impl FnOnce(Applying, &mut Rotation) -> Result<(), Refusal>,
) -> Result<()> {
    let facts = facts(draft.app(), &tx.as_read(), &draft.rotation, edits)?;
    let editing = draft.editing(tx);
    let before = draft.rotation.members.clone();
    let applying = Applying {
        editing,
        facts: &facts,
        mint: &mut |prefix: &str| tx.mint(prefix),
        forgives_gone: false,
    };
    apply(applying, &mut draft.rotation)?;
    let lists = MemberLists::changed(&before, &draft.rotation.members);
    Ok(store::save_members(tx, &draft.rotation.id, &lists)?)
}
