//! Direct assignments: an editor of the rotation assigns a cell to a person for an interval.

use super::arrangements::{insert_over, load, records};
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use super::{ActionError, App, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::{
    AgreementContext, AgreementPreview, check_conflicts, check_unblocked,
};
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

/// A checked assignment with its forecast.
struct Checked {
    cell: CellId,
    period: Interval,
    covered: Vec<Interval>,
    conflicts: Vec<Conflict>,
    snapshot: Snapshot,
    selection: Option<TurnSelection>,
}

/// Who may be assigned to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Eligible {
    /// Who is in its roster.
    Roster,
    /// Any member.
    Members,
}

/// Checks an assignment. The forecast is checked after the tier, because a lane that does not run has no
/// forecast.
fn check(
    context: &AgreementContext,
    new: &NewAssignment,
    eligible: Eligible,
) -> Result<Checked, Refusal> {
    let cell = context.cell("cellId", &new.cell)?;
    let period = context.rest("to", new.asked)?;
    match eligible {
        Eligible::Members if context.rotation.has_member(&new.user) => {}
        Eligible::Roster | Eligible::Members => {
            context.check_eligible("userId", cell, &new.user)?;
        }
    }
    context.check_runs("cellId", cell)?;
    let terms = Terms {
        cell: new.cell.clone(),
        user: new.user.clone(),
        asked: new.asked,
        period,
    };
    let forecasts = context.forecasts(period.until)?;
    let covered = match eligible {
        Eligible::Roster => context.check_covered("", cell, period)?,
        // The hours of an override are the partner's.
        Eligible::Members => context.covered(cell, period),
    };
    let selection = forecasts[cell].selection(period, context.now);
    context.check_selection(new.turn_selection, selection)?;
    context.check_single(&forecasts, &[("userId", &terms)])?;
    Ok(Checked {
        cell: new.cell.clone(),
        period,
        covered,
        conflicts: context.conflicts(&terms, None, &etag::conflict_id),
        snapshot: context.snapshot(cell, period)?,
        selection,
    })
}

/// Previews an assignment without changing anything. Returns the rotation for its ETag.
pub fn preview(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    new: &NewAssignment,
) -> Result<(Rotation, AgreementPreview), ActionError> {
    reads::in_context(app, caller, id, |tx, context| {
        caller.check_edit(context.rotation)?;
        context.rotation.check_own()?;
        if let Some(replaced) = &new.replaces {
            check_replaceable(tx, context.rotation, replaced)?;
        }
        let without = new.replaces.as_ref().map(|id| context.without(id));
        let context = AgreementContext {
            rotation: without.as_ref().unwrap_or(context.rotation),
            ..*context
        };
        let checked = check(&context, new, Eligible::Roster)?;
        Ok(AgreementPreview::new(
            checked.period,
            checked.covered,
            checked.conflicts,
            &new.acknowledged,
            checked.selection,
        ))
    })
}

/// Refuses a preview with an id that is not an assignment of the rotation.
fn check_replaceable(
    tx: &ReadTx,
    rotation: &Rotation,
    id: &ArrangementId,
) -> Result<(), ActionError> {
    let found = store::load_arrangement(tx, &rotation.id, id)?;
    match found.map(|found| found.kind) {
        Some(ArrangementKind::DirectAssignment) => Ok(()),
        Some(_) => Err(Refusal::RepairNotSupported.into()),
        None => Ok(invalid(
            "arrangementId",
            format!("this rotation has no arrangement `{id}`"),
        )?),
    }
}

/// Assigns a cell to a person for an interval.
pub struct Assign(pub NewAssignment);

impl Operation for Assign {
    const NAME: &'static str = "assign";
    type Output = ArrangementWritten;

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn named(&self) -> NamedIds {
        NamedIds::people([&self.0.user])
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, ActionError> {
        let Assign(new) = self;
        let checked = check(&draft.context(tx), &new, Eligible::Roster)?;
        check_conflicts(&checked.conflicts, &new.acknowledged)?;
        let (from, made) = (checked.period.from, assign(tx, draft, None, new, checked)?);
        written(tx, draft, from, &[made], |_| Ok(()))
    }
}

/// Assigns a cell to a member for an interval, in the roster of the cell or not: an override that is imported, whose person may
/// take no turns. What else they have to do is the partner's business, so conflicts that can be acknowledged are.
pub struct AssignMember(pub NewAssignment);

impl Operation for AssignMember {
    const NAME: &'static str = "assign member";
    type Output = ArrangementWritten;

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, ActionError> {
        let AssignMember(new) = self;
        let checked = check(&draft.context(tx), &new, Eligible::Members)?;
        check_unblocked(&checked.conflicts)?;
        let (from, made) = (checked.period.from, assign(tx, draft, None, new, checked)?);
        written(tx, draft, from, &[made], |_| Ok(()))
    }
}

/// Replaces an assignment that has not ended. The old one is cancelled, and the part already served stays in the
/// record.
pub struct ChangeArrangement {
    pub arrangement: ArrangementId,
    pub new: NewAssignment,
    pub expected_revision: u64,
}

impl Operation for ChangeArrangement {
    const NAME: &'static str = "change arrangement";
    type Output = ArrangementWritten;

    fn named(&self) -> NamedIds {
        NamedIds::people([&self.new.user])
    }

    fn admit(
        &self,
        tx: &ReadTx,
        rotation: &Rotation,
        caller: &Principal,
    ) -> Result<(), ActionError> {
        caller.check_edit(rotation)?;
        load(tx, rotation, &self.arrangement).map(drop)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, ActionError> {
        let new = self.new;
        let old = load(&tx.as_read(), &draft.rotation, &self.arrangement)?;
        let without = draft.context(tx).without(&old.id);
        let context = AgreementContext {
            rotation: &without,
            ..draft.context(tx)
        };
        let checked = check(&context, &new, Eligible::Roster)?;
        check_current(&old, self.expected_revision, &draft.rotation)?;
        check_conflicts(&checked.conflicts, &new.acknowledged)?;
        let from = checked.period.from;
        let made = assign(tx, draft, Some(&old.id), new, checked)?;
        written(tx, draft, from, &[old.id.clone(), made], |tx| {
            Ok(store::cancel_arrangement(tx, &old.id)?)
        })
    }
}

/// Ends an assignment: a future one is cancelled, a running one ends now and the dealt holder returns.
pub struct EndArrangement {
    pub arrangement: ArrangementId,
    pub expected_revision: u64,
}

impl Operation for EndArrangement {
    const NAME: &'static str = "end arrangement";
    type Output = ArrangementWritten;

    fn admit(
        &self,
        tx: &ReadTx,
        rotation: &Rotation,
        caller: &Principal,
    ) -> Result<(), ActionError> {
        caller.check_edit(rotation)?;
        load(tx, rotation, &self.arrangement).map(drop)
    }

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
    ) -> Result<ArrangementWritten, ActionError> {
        let old = load(&tx.as_read(), &draft.rotation, &self.arrangement)?;
        draft.rotation.check_enabled()?;
        check_current(&old, self.expected_revision, &draft.rotation)?;
        let from = old.period.from.max(draft.instant(tx));
        let others = |arranged: &Arranged| arranged.id != old.id;
        draft.say(old.id.as_str(), "assignment ended");
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.rotation.arranged.retain(others);
        });
        written(tx, draft, from, &[old.id], |_| Ok(()))
    }
}

/// Refuses arrangements from requests, stale revisions, and arrangements that are cancelled or have ended.
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

/// Creates the assignment, replacing another one if there is one, and applies it.
fn assign(
    tx: &mut WriteTx,
    draft: &mut Draft,
    replaced: Option<&ArrangementId>,
    new: NewAssignment,
    checked: Checked,
) -> Result<ArrangementId, ActionError> {
    let arrangement = Arrangement {
        id: ArrangementId::from(tx.mint("arr_")),
        rotation: draft.rotation.id.clone(),
        cell: checked.cell,
        user: new.user,
        period: checked.period,
        revision: 1,
        cancelled: false,
        kind: ArrangementKind::DirectAssignment,
        request: None,
        snapshot: checked.snapshot,
        turn_selection: new.turn_selection,
    };
    let made = arrangement.id.clone();
    draft.say(
        made.as_str(),
        match replaced {
            Some(_) => "assignment made in the place of another",
            None => "assignment made",
        },
    );
    insert_over(tx, draft, vec![arrangement], |arranged| {
        arranged.retain(|other| Some(&other.id) != replaced);
    })?;
    Ok(made)
}

/// Settles the draft, updates the records with `mark`, and returns those that changed.
fn written(
    tx: &mut WriteTx,
    draft: &mut Draft,
    effective_from: Timestamp,
    changed: &[ArrangementId],
    mark: impl FnOnce(&mut WriteTx) -> Result<(), ActionError>,
) -> Result<ArrangementWritten, ActionError> {
    let queued = draft.settle(tx, Act::Arrangement)?;
    mark(tx)?;
    Ok(ArrangementWritten {
        rotation_version: draft.rotation.stamps.version,
        effective_from,
        arrangements: records(&tx.as_read(), &draft.rotation, changed)?,
        queued,
    })
}
