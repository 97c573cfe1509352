//! The records of arrangements: reading them, and laying new ones over the dealt turns.

use super::draft::Draft;
use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::arrangement::{Arranged, Arrangement, MAX_ARRANGED};
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ArrangementId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx, WriteTx};

/// A page of the arrangements that meet a range, cancelled ones too, by where they end, and how many there are in all.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
    page: Page,
) -> Result<(Vec<Arrangement>, u64), Stop> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        Ok(store::list_arrangements(tx, &rotation.id, range, page)?)
    })
}

/// One arrangement, with its rotation for the validator.
pub fn read(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    arrangement: &ArrangementId,
) -> Result<(Rotation, Arrangement), Stop> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let found = load(tx, &rotation, arrangement)?;
        Ok((rotation, found))
    })
}

pub(super) fn load(
    tx: &ReadTx,
    rotation: &Rotation,
    id: &ArrangementId,
) -> Result<Arrangement, Stop> {
    let found = store::load_arrangement(tx, &rotation.id, id)?;
    Ok(found.ok_or(Refusal::NotFound("arrangement"))?)
}

/// Writes arrangements and lays them over the dealt turns, after `make_room` among those there are.
pub(super) fn lay(
    tx: &mut WriteTx,
    draft: &mut Draft,
    arrangements: Vec<Arrangement>,
    make_room: impl FnOnce(&mut Vec<Arranged>),
) -> Result<(), Stop> {
    if draft.rotation.arranged.len() + arrangements.len() > MAX_ARRANGED {
        return Err(Refusal::TooManyArranged.into());
    }
    for arrangement in &arrangements {
        store::insert_arrangement(tx, arrangement)?;
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

/// The records of these arrangements as they stand now.
pub(super) fn records(
    tx: &ReadTx,
    rotation: &Rotation,
    ids: &[ArrangementId],
) -> Result<Vec<Arrangement>, Stop> {
    ids.iter().map(|id| load(tx, rotation, id)).collect()
}
