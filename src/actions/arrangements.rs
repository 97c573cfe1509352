//! Reads the records of arrangements, and adds new ones over the dealt turns.

use super::draft::Draft;
use super::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::arrangement::{Arranged, Arrangement, MAX_ARRANGED};
use crate::domain::audit::Doer;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ArrangementId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx, WriteTx};

/// A page of the arrangements that overlap a range, including cancelled ones, ordered by end, and the total number.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
    page: Page,
) -> Result<(Vec<Arrangement>, u64)> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        Ok(store::list_arrangements(tx, &rotation.id, range, page)?)
    })
}

/// An arrangement and its rotation, which the ETag needs.
pub fn read(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    arrangement: &ArrangementId,
) -> Result<(Rotation, Arrangement)> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let found = load(tx, &rotation, arrangement)?;
        Ok((rotation, found))
    })
}

pub(super) fn load(tx: &ReadTx, rotation: &Rotation, id: &ArrangementId) -> Result<Arrangement> {
    let found = store::load_arrangement(tx, &rotation.id, id)?;
    Ok(found.ok_or(Refusal::NotFound("arrangement"))?)
}

/// Inserts arrangements over the dealt turns, after `make_room` has changed the existing ones.
pub(super) fn insert_over(
    tx: &mut WriteTx,
    draft: &mut Draft,
    arrangements: Vec<Arrangement>,
    make_room: impl FnOnce(&mut Vec<Arranged>),
) -> Result<()> {
    if draft.rotation.arranged.len() + arrangements.len() > MAX_ARRANGED {
        return Err(Refusal::TooManyArranged.into());
    }
    let by = Doer::of(&draft.author().principal);
    for arrangement in &arrangements {
        store::insert_arrangement(tx, arrangement, by.as_ref())?;
    }
    draft.change(tx, WindowChange::ByEdit, |change| {
        let arranged = arrangements.into_iter().map(|arrangement| Arranged {
            id: arrangement.id,
            cell: arrangement.cell,
            user: arrangement.user,
            period: arrangement.period,
            running: false,
            request: arrangement.request,
        });
        make_room(&mut change.rotation.arranged);
        change.rotation.arranged.extend(arranged);
    });
    Ok(())
}

/// The current records of these arrangements.
pub(super) fn records(
    tx: &ReadTx,
    rotation: &Rotation,
    ids: &[ArrangementId],
) -> Result<Vec<Arrangement>> {
    ids.iter().map(|id| load(tx, rotation, id)).collect()
}
