//! Direct assignments: somebody with authority over the rotation says who holds a cell for an interval.

use super::arrangements::{lay, load, records};
use super::draft::Draft;
use super::mutation::Operation;
use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, AgreementPreview, check_conflicts};
use crate::domain::arrangement::{
    Arranged, Arrangement, ArrangementKind, ArrangementWritten, Snapshot, TurnSelection,
};
use crate::domain::conflict::{Conflict, Terms};
use crate::domain::edit::NewAssignment;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ArrangementId, CellId, RotationId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag;
use jiff::Timestamp;

/// An assignment as it is forecast.
struct Judged {
    cell: CellId,
    period: Interval,
    conflicts: Vec<Conflict>,
    snapshot: Snapshot,
    selection: Option<TurnSelection>,
}

/// Judges an assignment. What the future says comes after what the workspace's tier includes: a lane that does not run has
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
    let forecasts = context.forecasts(period.until)?;
    let selection = forecasts[cell].selection(period, context.now);
    context.check_selection(new.turn_selection, selection)?;
    context.check_single(&forecasts, &[("userId", &terms)])?;
    Ok(Judged {
        cell: new.cell.clone(),
        period,
        conflicts: context.conflicts(&terms, None, &etag::conflict_id),
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
        Ok(AgreementPreview::new(
            judged.period,
            judged.conflicts,
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
        None => Ok(invalid(format!(
            "arrangementId: this rotation has no arrangement `{id}`"
        ))?),
    }
}

/// Assigns a cell to somebody for an interval.
pub struct Assign(pub NewAssignment);

impl Operation for Assign {
    const NAME: &'static str = "assign";
    type Output = ArrangementWritten;

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, Stop> {
        let Assign(new) = self;
        let judged = judge(&draft.context(tx), &new)?;
        check_conflicts(&judged.conflicts, &new.acknowledged)?;
        let (from, made) = (judged.period.from, assign(tx, draft, None, new, judged)?);
        written(tx, draft, from, &[made], |_| Ok(()))
    }
}

/// Puts another assignment in the place of one that is not over: that one is cancelled, what was served of it stays in the
/// record.
pub struct ChangeArrangement {
    pub arrangement: ArrangementId,
    pub new: NewAssignment,
    pub expected_revision: u64,
}

impl Operation for ChangeArrangement {
    const NAME: &'static str = "change arrangement";
    type Output = ArrangementWritten;

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<(), Stop> {
        caller.check_edit(rotation)?;
        load(tx, rotation, &self.arrangement).map(drop)
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, Stop> {
        let new = self.new;
        let old = load(&tx.as_read(), &draft.rotation, &self.arrangement)?;
        let without = draft.context(tx).without(&old.id);
        let context = AgreementContext {
            rotation: &without,
            ..draft.context(tx)
        };
        let judged = judge(&context, &new)?;
        check_current(&old, self.expected_revision, &draft.rotation)?;
        check_conflicts(&judged.conflicts, &new.acknowledged)?;
        let from = judged.period.from;
        let made = assign(tx, draft, Some(&old.id), new, judged)?;
        written(tx, draft, from, &[old.id.clone(), made], |tx| {
            Ok(store::cancel_arrangement(tx, &old.id)?)
        })
    }
}

/// Ends an assignment: one that has not begun is cancelled, a running one ends now and the dealt holder is back.
pub struct EndArrangement {
    pub arrangement: ArrangementId,
    pub expected_revision: u64,
}

impl Operation for EndArrangement {
    const NAME: &'static str = "end arrangement";
    type Output = ArrangementWritten;

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<(), Stop> {
        caller.check_edit(rotation)?;
        load(tx, rotation, &self.arrangement).map(drop)
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, Stop> {
        let old = load(&tx.as_read(), &draft.rotation, &self.arrangement)?;
        draft.rotation.check_enabled()?;
        check_current(&old, self.expected_revision, &draft.rotation)?;
        let from = old.period.from.max(draft.instant(tx));
        let others = |arranged: &Arranged| arranged.id != old.id;
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.rotation.arranged.retain(others);
        });
        written(tx, draft, from, &[old.id], |_| Ok(()))
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

/// Settles the draft, lets `mark` finish the records, and answers with those that changed.
fn written(
    tx: &mut WriteTx,
    draft: &mut Draft,
    effective_from: Timestamp,
    changed: &[ArrangementId],
    mark: impl FnOnce(&mut WriteTx) -> Result<(), Stop>,
) -> Result<ArrangementWritten, Stop> {
    let queued = draft.settle(tx, Act::Arrangement)?;
    mark(tx)?;
    Ok(ArrangementWritten {
        rotation_version: draft.rotation.stamps.version,
        effective_from,
        arrangements: records(&tx.as_read(), &draft.rotation, changed)?,
        queued,
    })
}
