//! Direct assignments: somebody with authority over the rotation says who holds a cell for an interval
//! (api.md "POST .../duty-arrangements/{arrangementId}/changes"; contract section 10).

use super::mutation::Draft;
use super::operation::{self, Operation, Receipt};
use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, check_conflicts};
use crate::domain::arrangement::{
    Arranged, Arrangement, ArrangementKind, MAX_ARRANGED, Snapshot, TurnSelection,
};
use crate::domain::conflict::{Conflict, Terms};
use crate::domain::edit::NewAssignment;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ArrangementId, CellId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx, WriteTx};
use crate::wire::arrangement::{self as wire, AgreementPreview, ArrangementWritten};
use crate::wire::conflict as wire_conflict;
use crate::wire::etag::Precondition;
use jiff::Timestamp;

/// An assignment as the plan sees it.
struct Judged {
    cell: CellId,
    period: Interval,
    conflicts: Vec<Conflict>,
    snapshot: Snapshot,
    selection: Option<TurnSelection>,
}

/// Judges an assignment. What the future says comes after what the workspace's plan includes: a lane that does not run has
/// none.
fn judge(context: &AgreementContext, new: &NewAssignment) -> Result<Judged, Refusal> {
    let cell = context.cell("cellId", &new.cell)?;
    let period = context.rest("to", new.asked)?;
    context.check_eligible("userId", cell, &new.user)?;
    context.check_runs("cellId", cell)?;
    let terms = Terms {
        cell: new.cell.clone(),
        user: new.user.clone(),
        asked: new.asked,
        period,
    };
    let outlooks = context.outlooks(period.until)?;
    let selection = outlooks[cell].selection(period, context.now);
    context.check_selection(new.turn_selection, selection)?;
    context.check_single(&outlooks, &[("userId", &terms)])?;
    Ok(Judged {
        cell: new.cell.clone(),
        period,
        conflicts: context.conflicts(&terms, None, &wire_conflict::name),
        snapshot: context.snapshot(cell, period)?,
        selection,
    })
}

/// What making an assignment would meet; changes nothing. The rotation is answered for its validator.
pub fn preview(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: &NewAssignment,
) -> Result<(Rotation, AgreementPreview), Stop> {
    reads::in_context(app, caller, id, |tx, context| {
        caller.check_edit(context.rotation)?;
        if let Some(replaced) = &new.replaces {
            check_replaceable(tx, context.rotation, replaced)?;
        }
        let without = new.replaces.as_ref().map(|id| context.without(id));
        let context = AgreementContext {
            rotation: without.as_ref().unwrap_or(context.rotation),
            ..*context
        };
        let judged = judge(&context, new)?;
        Ok(wire::preview(
            judged.period,
            &judged.conflicts,
            &new.acknowledged,
            judged.selection,
        ))
    })
}

/// Refuses an id in a preview that names no assignment.
fn check_replaceable(tx: &ReadTx, rotation: &Rotation, id: &ArrangementId) -> Result<(), Stop> {
    let found = store::load_arrangement(tx, &rotation.id, id)?;
    match found.map(|found| found.kind) {
        Some(ArrangementKind::DirectAssignment) => Ok(()),
        Some(_) => Err(Refusal::RepairNotSupported.into()),
        None => {
            let detail = format!("arrangementId: this rotation has no arrangement `{id}`");
            Err(Refusal::Invalid(detail).into())
        }
    }
}

/// Assigns a cell to somebody for an interval.
pub fn create(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    operation: Operation,
    new: NewAssignment,
) -> Result<Receipt, Stop> {
    let (editor, named) = (caller.clone(), operation.id.clone());
    let part = move |_: &ReadTx, rotation: &Rotation| Ok(editor.check_edit(rotation)?);
    operation::run(
        app,
        caller,
        id,
        precondition,
        operation,
        part,
        move |tx, draft| {
            let judged = judge(&draft.context(tx), &new)?;
            check_conflicts(&judged.conflicts, &new.acknowledged)?;
            let (from, made) = (judged.period.from, assign(tx, draft, None, new, judged)?);
            written(tx, draft, named, from, &[made], |_| Ok(()))
        },
    )
}

/// Puts another assignment in the place of one that is not over: that one is cancelled, what was served of it stays in the
/// record.
pub fn change(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    operation: Operation,
    arrangement: ArrangementId,
    (new, expected_revision): (NewAssignment, u64),
) -> Result<Receipt, Stop> {
    let (part, named) = (part_in(caller, &arrangement), operation.id.clone());
    operation::run(
        app,
        caller,
        id,
        precondition,
        operation,
        part,
        move |tx, draft| {
            let old = load(&tx.as_read(), &draft.rotation, &arrangement)?;
            let without = draft.context(tx).without(&old.id);
            let context = AgreementContext {
                rotation: &without,
                ..draft.context(tx)
            };
            let judged = judge(&context, &new)?;
            check_current(&old, expected_revision, &draft.rotation)?;
            check_conflicts(&judged.conflicts, &new.acknowledged)?;
            let (from, gone) = (judged.period.from, old.id.clone());
            let made = assign(tx, draft, Some(&old.id), new, judged)?;
            written(tx, draft, named, from, &[old.id, made], move |tx| {
                Ok(store::cancel_arrangement(tx, &gone)?)
            })
        },
    )
}

/// Ends an assignment: one that has not begun is cancelled, a running one ends now and the dealt holder is back.
pub fn end(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    operation: Operation,
    arrangement: ArrangementId,
    expected_revision: u64,
) -> Result<Receipt, Stop> {
    let (part, named) = (part_in(caller, &arrangement), operation.id.clone());
    operation::run(
        app,
        caller,
        id,
        precondition,
        operation,
        part,
        move |tx, draft| {
            let old = load(&tx.as_read(), &draft.rotation, &arrangement)?;
            draft.rotation.check_enabled()?;
            check_current(&old, expected_revision, &draft.rotation)?;
            let from = old.period.from.max(draft.instant(tx));
            draft.change(tx, WindowChange::ByEdit, |change| {
                change
                    .rotation
                    .arranged
                    .retain(|arranged| arranged.id != old.id);
            });
            written(tx, draft, named, from, &[old.id], |_| Ok(()))
        },
    )
}

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

fn load(tx: &ReadTx, rotation: &Rotation, id: &ArrangementId) -> Result<Arrangement, Stop> {
    let found = store::load_arrangement(tx, &rotation.id, id)?;
    Ok(found.ok_or(Refusal::NotFound("arrangement"))?)
}

/// Whoever may edit the rotation has a part in its arrangements, where there is one of that id.
fn part_in(
    caller: &Principal,
    id: &ArrangementId,
) -> impl FnOnce(&ReadTx, &Rotation) -> Result<(), Stop> + Send + 'static {
    let (caller, id) = (caller.clone(), id.clone());
    move |tx, rotation| {
        caller.check_edit(rotation)?;
        load(tx, rotation, &id).map(drop)
    }
}

/// Refuses to touch what people agreed on, what others changed meanwhile, and what is cancelled or over.
fn check_current(
    old: &Arrangement,
    expected_revision: u64,
    rotation: &Rotation,
) -> Result<(), Refusal> {
    let changed = |why: &str| Err(Refusal::ArrangementChanged(why.into()));
    if old.kind != ArrangementKind::DirectAssignment {
        return Err(Refusal::RepairNotSupported);
    }
    if old.revision != expected_revision {
        return changed("is not at the revision expected");
    }
    if old.cancelled {
        return changed("is cancelled");
    }
    match rotation
        .arranged
        .iter()
        .any(|arranged| arranged.id == old.id)
    {
        true => Ok(()),
        false => changed("is over"),
    }
}

/// Makes the assignment, in the place of another where there is one, and lets it take effect.
fn assign(
    tx: &mut WriteTx,
    draft: &mut Draft,
    replaced: Option<&ArrangementId>,
    new: NewAssignment,
    judged: Judged,
) -> Result<ArrangementId, Stop> {
    let arrangement = Arrangement {
        id: ArrangementId::from(tx.mint("arr_")),
        rotation: draft.rotation.id.clone(),
        cell: judged.cell,
        user: new.user,
        period: judged.period,
        revision: 1,
        cancelled: false,
        kind: ArrangementKind::DirectAssignment,
        request: None,
        snapshot: judged.snapshot,
        turn_selection: new.turn_selection,
    };
    let made = arrangement.id.clone();
    lay(tx, draft, vec![arrangement], |arranged| {
        arranged.retain(|other| Some(&other.id) != replaced);
    })?;
    Ok(made)
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

/// Settles the draft, lets `mark` finish the records, and answers with those that changed.
fn written(
    tx: &mut WriteTx,
    draft: &mut Draft,
    operation_id: String,
    effective_from: Timestamp,
    changed: &[ArrangementId],
    mark: impl FnOnce(&mut WriteTx) -> Result<(), Stop>,
) -> Result<ArrangementWritten, Stop> {
    let queued = draft.settle(tx, Act::Arrangement)?;
    mark(tx)?;
    Ok(ArrangementWritten {
        operation_id,
        rotation_version: draft.rotation.stamps.version,
        effective_from: effective_from.into(),
        arrangements: records(&tx.as_read(), &draft.rotation, changed)?,
        delivery_state: wire::delivery_state(queued),
    })
}

/// The records of these arrangements as they stand now.
pub(super) fn records(
    tx: &ReadTx,
    rotation: &Rotation,
    ids: &[ArrangementId],
) -> Result<Vec<wire::Arrangement>, Stop> {
    let record = |id| Ok(wire::render(&load(tx, rotation, id)?));
    ids.iter().map(record).collect()
}
