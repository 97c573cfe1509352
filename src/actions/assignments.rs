//! Direct assignments: an editor of the rotation assigns a cell to a person for an interval.

use super::Result;
use super::arrangements::{insert_over, load, records};
use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use super::proposals::Proposal;
use crate::domain::access::Principal;
use crate::domain::agreement::{
    AgreementContext, LegPreview, Preview, check_conflicts, check_unblocked,
};
use crate::domain::arrangement::{Arranged, Arrangement, ArrangementKind, ArrangementWritten};
use crate::domain::conflict::{self, Terms};
use crate::domain::edit::NewAssignment;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag;
use jiff::Timestamp;

/// Checks an assignment. The forecast is checked after the tier, because a lane that does not run has no
/// forecast.
fn check(context: &AgreementContext, new: &NewAssignment) -> Result<Preview, Refusal> {
    let cell = context.cell("cellId", &new.cell)?;
    let period = context.rest("to", new.asked)?;
    if !new.imported || !context.rotation.has_member(&new.user) {
        context.check_eligible("userId", cell, &new.user)?;
    }
    context.check_runs("cellId", cell)?;
    let terms = Terms {
        cell: new.cell.clone(),
        user: new.user.clone(),
        asked: new.asked,
        period,
    };
    let forecasts = context.forecasts(period.until)?;
    let covered = match new.imported {
        false => context.check_covered("", cell, period)?,
        true => context.covered(cell, period),
    };
    let selection = forecasts[cell].selection(period, context.now);
    context.check_selection(new.turn_selection, selection)?;
    context.check_single(&forecasts, &[("userId", &terms)])?;
    let conflicts = context.conflicts(&terms, None, &etag::conflict_id);
    let leg = LegPreview {
        key: None,
        user: Some(new.user.clone()),
        period,
        covered,
        is_acknowledged: conflict::acknowledged(&conflicts, &new.acknowledged),
        conflicts,
        selection,
        has_started: new.asked.from <= context.now,
    };
    Ok(Preview { legs: vec![leg] })
}

/// Refuses whoever may neither give hours to others nor take these: editors may give any, a member may take hours that nobody has.
fn check_right(new: &NewAssignment, rotation: &Rotation, by: &Principal) -> Result<(), Refusal> {
    let refused = by.check_edit(rotation);
    let is_own = |me: &UserId| *me == new.user && rotation.has_member(me);
    match new.replaces.is_none() && !new.imported && by.person().is_ok_and(is_own) {
        true => by.check_see(rotation),
        false => refused,
    }
}

/// Refuses hours that somebody has, for members who take them.
fn check_vacant(
    context: &AgreementContext,
    new: &NewAssignment,
    preview: &Preview,
) -> Result<(), Refusal> {
    let (cell, leg) = (context.cell("cellId", &new.cell)?, preview.first());
    let forecasts = context.forecasts(leg.period.until)?;
    match leg.covered.iter().all(|span| forecasts[cell].is_vacant(*span)) {
        true => Ok(()),
        false => Err(Refusal::ResourceDenied(
            "somebody is on call in these hours; members may take hours that nobody has, and only the rotation's owners and \
             workspace admins others"
                .into(),
        )),
    }
}

/// Refuses a preview with an id that is not an assignment of the rotation.
fn check_replaceable(tx: &ReadTx, rotation: &Rotation, id: &ArrangementId) -> Result<()> {
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

/// Assigns a cell to a person for an interval. An assignment that is replaced must not have ended: it is cancelled, and the part
/// already served stays in the record.
impl Proposal for NewAssignment {
    const NAME: &'static str = "assign";
    type Output = ArrangementWritten;

    fn named(&self) -> NamedIds {
        match self.imported {
            true => NamedIds::default(),
            false => NamedIds::people([&self.user]),
        }
    }

    fn permit(&self, tx: &ReadTx, rotation: &Rotation, by: &Principal) -> Result<()> {
        check_right(self, rotation, by)?;
        let mut replaced = self.replaces.iter();
        replaced.try_for_each(|replaced| check_replaceable(tx, rotation, &replaced.arrangement))
    }

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, by: &Principal) -> Result<()> {
        check_right(self, rotation, by)?;
        let mut replaced = self.replaces.iter();
        replaced.try_for_each(|replaced| load(tx, rotation, &replaced.arrangement).map(drop))
    }

    fn check(&self, context: &AgreementContext, by: &Principal) -> Result<Preview> {
        let replaced = self.replaces.as_ref();
        let without = replaced.map(|replaced| context.without(&replaced.arrangement));
        let context = AgreementContext {
            rotation: without.as_ref().unwrap_or(context.rotation),
            ..*context
        };
        let preview = check(&context, self)?;
        if by.check_edit(context.rotation).is_err() {
            check_vacant(&context, self, &preview)?;
        }
        Ok(preview)
    }

    fn previewed(self, preview: &Preview, acknowledges: bool) -> NewAssignment {
        NewAssignment {
            turn_selection: preview.first().selection,
            acknowledged: match acknowledges {
                true => preview.conflict_ids(),
                false => self.acknowledged,
            },
            ..self
        }
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        _: &Principal,
        checked: Preview,
    ) -> Result<ArrangementWritten> {
        let old = match &self.replaces {
            Some(replaced) => {
                let old = load(&tx.as_read(), &draft.rotation, &replaced.arrangement)?;
                check_current(&old, replaced.expected_revision, &draft.rotation)?;
                Some(old.id)
            }
            None => None,
        };
        let conflicts = checked.conflicts();
        match self.imported {
            false => check_conflicts(&conflicts, &self.acknowledged)?,
            true => check_unblocked(&conflicts)?,
        }
        let period = checked.first().period;
        let made = assign(tx, draft, old.as_ref(), self, period)?;
        let changed: Vec<ArrangementId> = old.iter().cloned().chain([made]).collect();
        written(tx, draft, period.from, &changed, |tx| match &old {
            Some(old) => Ok(store::cancel_arrangement(tx, old)?),
            None => Ok(()),
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

    fn admit(&self, tx: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
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
    ) -> Result<ArrangementWritten> {
        let old = load(&tx.as_read(), &draft.rotation, &self.arrangement)?;
        draft.rotation.check_enabled()?;
        check_current(&old, self.expected_revision, &draft.rotation)?;
        let from = old.period.from.max(draft.instant(tx));
        let others = |arranged: &Arranged| arranged.id != old.id;
        draft.describe(old.id.as_str(), "assignment ended");
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
    period: Interval,
) -> Result<ArrangementId> {
    let without = replaced.map(|id| draft.context(tx).without(id));
    let context = AgreementContext {
        rotation: without.as_ref().unwrap_or(&draft.rotation),
        ..draft.context(tx)
    };
    let snapshot = context.snapshot(context.cell("cellId", &new.cell)?, period)?;
    let arrangement = Arrangement {
        id: ArrangementId::from(tx.mint("arr_")),
        rotation: draft.rotation.id.clone(),
        cell: new.cell,
        user: new.user,
        period,
        revision: 1,
        cancelled: false,
        kind: ArrangementKind::DirectAssignment,
        request: None,
        snapshot,
        turn_selection: new.turn_selection,
    };
    let made = arrangement.id.clone();
    draft.describe(
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

/// Stores the draft, updates the records with `mark`, and returns those that changed.
fn written(
    tx: &mut WriteTx,
    draft: &mut Draft,
    effective_from: Timestamp,
    changed: &[ArrangementId],
    mark: impl FnOnce(&mut WriteTx) -> Result<()>,
) -> Result<ArrangementWritten> {
    let queued = draft.store(tx, Act::Arrangement)?;
    mark(tx)?;
    Ok(ArrangementWritten {
        rotation_version: draft.rotation.stamps.version,
        effective_from,
        arrangements: records(&tx.as_read(), &draft.rotation, changed)?,
        queued,
    })
}
