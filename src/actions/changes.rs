//! Changes of a rotation that are made as one: now, or later. One that waits is a step of the forecast, so the plan has it from the
//! moment that it is stored.

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::duty_group::{self, Chosen};
use super::mutation::Operation;
use super::rotations::Agrees;
use super::{ActionError, App, Result, edits, reads};
use crate::domain::access::Principal;
use crate::domain::applying::Applying;
use crate::domain::audit::Actor;
use crate::domain::edit::{DutyGroupChoice, Edits};
use crate::domain::event::Act;
use crate::domain::fault::Fault;
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::holidays::Calendar;
use crate::domain::ids::{ChangeId, GroupId, RotationId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::staged::{ChangeState, ChangeTime, MOST_WAITING, NewChange, StagedChange};
use crate::store::{self, ChangeFilter, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};

/// How far ahead a change may wait, in days.
pub const MOST_DAYS: i64 = super::preview::MOST_DAYS;

/// How long a change that has ended is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Changes that ended before this instant are no longer there.
fn ended_after(now: Timestamp) -> Timestamp {
    now.saturating_sub(KEPT).unwrap_or(Timestamp::MIN)
}

/// The instant of a time; now for a change that is made at once.
///
/// # Errors
/// [`Refusal::Invalid`] naming `at` or `windowId`: an instant that is not later than now or too far ahead, a window that is not there,
/// and a hand-over where none is to come.
pub fn instant(
    at: &ChangeTime,
    rotation: &Rotation,
    calendar: &Calendar,
    now: Timestamp,
) -> Result<Timestamp, Refusal> {
    let found = match at {
        ChangeTime::Now => return Ok(now),
        ChangeTime::At(at) if *at <= now => return invalid("at", Fault::NotAfter(now)),
        ChangeTime::At(at) => *at,
        ChangeTime::NextHandOver(window) => {
            let named = |one: &&crate::domain::rotation::Window| match window {
                Some(name) => {
                    let key = one.key.as_ref().map(crate::domain::key::Key::as_str);
                    one.id.as_str() == name || key == Some(name)
                }
                None => true,
            };
            let windows: Vec<_> = rotation.windows.iter().filter(named).collect();
            if windows.is_empty() {
                return invalid("windowId", "no window of this rotation has the id or key");
            }
            let cadences = windows.iter().filter_map(|window| window.cadence.as_ref());
            let next = cadences
                .filter_map(|cadence| cadence.next(calendar, now))
                .min();
            match next.filter(|_| rotation.enabled) {
                Some(next) => next,
                None => return invalid("at", "no hand-over is to come; send an instant"),
            }
        }
    };
    match found.duration_since(now) > SignedDuration::from_hours(24 * MOST_DAYS) {
        true => invalid("at", Fault::DaysAhead(MOST_DAYS)),
        false => Ok(found),
    }
}

/// Makes a change, now or later.
pub struct MakeChange {
    pub change: NewChange,
    /// Refuses what the patch repeats of the rotation without changing it, where it is not so.
    pub agrees: Option<Agrees>,
    pub chosen: Option<Chosen>,
}

impl Operation for MakeChange {
    const NAME: &'static str = "change rotation";
    const PREPARES: bool = true;
    type Output = StagedChange;

    fn named(&self) -> NamedIds {
        let edits = &self.change.edits;
        let patch = edits.patch.iter();
        let lists = patch.flat_map(|patch| [&patch.owners, &patch.users]);
        let listed = edits.rosters.iter().flat_map(|(_, spec)| spec.people());
        let grid = edits.coverage.iter().flat_map(|spec| spec.people());
        let channels = edits.channels.iter().flatten();
        NamedIds {
            channels: channels.map(|spec| spec.channel.clone()).collect(),
            ..NamedIds::people(lists.flatten().flatten().chain(listed).chain(grid))
        }
    }

    fn prepare(&mut self, app: &App, rotation: &Rotation) -> Result<()> {
        if let Some(Some(choice)) = &self.change.edits.duty_group {
            let chosen = duty_group::choose(app, rotation, choice);
            self.chosen = Some(chosen.map_err(|error| match error {
                ActionError::Refused(refusal) => refusal.under("onDutyGroup").into(),
                other => other,
            })?);
        }
        Ok(())
    }

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        self.change.edits.changes_duty(rotation)
    }

    fn apply(mut self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<StagedChange> {
        if let Some(agrees) = self.agrees.take() {
            agrees(&draft.rotation, draft.calendar).map_err(|refusal| refusal.under("rotation"))?;
        }
        let now = draft.instant(tx);
        let at = instant(&self.change.at, &draft.rotation, draft.calendar, now)?;
        let replaced = replaced(&tx.as_read(), &draft.rotation, &self.change.replaces)?;
        for id in &replaced {
            store::end_change(tx, id, ChangeState::Cancelled, tx.now(), None)?;
        }
        if let Some(mut chosen) = self.chosen.take() {
            duty_group::store_chosen(tx, &mut chosen)?;
            set_group(&mut self.change, chosen.group);
        }
        draft.rotation.waiting = store::load_waiting(&tx.as_read(), &draft.rotation)?;
        let is_now = self.change.at == ChangeTime::Now;
        let mut made = StagedChange {
            id: ChangeId::from(tx.mint("chg_")),
            rotation: draft.rotation.id.clone(),
            at,
            note: self.change.note,
            body: self.change.body,
            state: ChangeState::Waiting,
            managed_by: self.change.managed_by,
            created_by: Actor::of(&draft.author().principal),
            created_at: tx.now(),
            applied_at: None,
            ended_at: None,
            problem: None,
            revision: 1,
        };
        let edits = &self.change.edits;
        if is_now {
            edits::apply(tx, draft, edits)?;
            (made.state, made.applied_at, made.ended_at) =
                (ChangeState::Applied, Some(at), Some(at));
            store::insert_change(tx, &made)?;
        } else {
            if draft.rotation.waiting.len() >= MOST_WAITING {
                return Err(Refusal::TooManyChanges.into());
            }
            try_out(draft, &tx.as_read(), edits, at)?;
            store::insert_change(tx, &made)?;
            draft.rotation.waiting = store::load_waiting(&tx.as_read(), &draft.rotation)?;
            draft.describe_record(made.id.as_str(), format!("change planned for {at}"));
        }
        if !replaced.is_empty() && is_now {
            draft.describe_record(made.id.as_str(), "changes that waited replaced");
        }
        draft.store(tx, Act::Edit)?;
        Ok(made)
    }
}

/// The group of a handle is known by its id from now on.
fn set_group(change: &mut NewChange, group: GroupId) {
    change.body = store::with_group(&change.body, &group);
    change.edits.duty_group = Some(Some(DutyGroupChoice::Group(group)));
}

/// The changes to cancel, which must wait.
fn replaced(tx: &ReadTx, rotation: &Rotation, ids: &[ChangeId]) -> Result<Vec<ChangeId>> {
    for (index, id) in ids.iter().enumerate() {
        let known = store::load_change(tx, &rotation.id, id, Timestamp::MIN)?;
        match known.map(|change| change.state) {
            Some(ChangeState::Waiting) => {}
            Some(state) => return Err(Refusal::ChangeEnded(state.name()).into()),
            None => {
                let path = format!("replaces[{index}]");
                return Ok(invalid(path, "no change of this rotation has the id")?);
            }
        }
    }
    Ok(ids.to_vec())
}

/// Refuses edits that would be refused when their time comes, as far as that is known.
fn try_out(draft: &Draft, tx: &ReadTx, edits: &Edits, at: Timestamp) -> Result<()> {
    let rotation = &draft.rotation;
    let dealing = DealingContext::new(draft.calendar, &rotation.absences);
    let mut then =
        forecast::rotation_at(rotation, dealing, at).map_err(|refusal| match refusal {
            Refusal::Invalid { .. } => Refusal::invalid(
                "at",
                "too many hand-overs lie before it; send a nearer instant",
            ),
            other => other,
        })?;
    let facts = edits::facts(draft.app(), tx, &then, edits)?;
    let mut minted = 0;
    let mut mint = |prefix: &str| {
        minted += 1;
        format!("{prefix}new{minted}")
    };
    let mut applying = Applying {
        editing: crate::domain::editing::Editing {
            calendar: draft.calendar,
            limits: draft.tier_limits,
            at: at.max(then.stamps.judged_at),
            deals: false,
        },
        facts: &facts,
        mint: &mut mint,
        forgives_gone: false,
    };
    Ok(applying.all(edits, &mut then)?)
}

/// Cancels a change that waits.
pub struct CancelChange(pub ChangeId);

impl Operation for CancelChange {
    const NAME: &'static str = "cancel change";
    type Output = StagedChange;

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<StagedChange> {
        let id = self.0;
        let found = find(&tx.as_read(), &draft.rotation, &id, tx.now())?;
        if found.state != ChangeState::Waiting {
            return Err(Refusal::ChangeEnded(found.state.name()).into());
        }
        store::end_change(tx, &id, ChangeState::Cancelled, tx.now(), None)?;
        draft.rotation.waiting = store::load_waiting(&tx.as_read(), &draft.rotation)?;
        draft.describe_record(
            id.as_str(),
            format!("change planned for {} cancelled", found.at),
        );
        draft.store(tx, Act::Edit)?;
        find(&tx.as_read(), &draft.rotation, &id, tx.now())
    }
}

fn find(tx: &ReadTx, rotation: &Rotation, id: &ChangeId, now: Timestamp) -> Result<StagedChange> {
    let found = store::load_change(tx, &rotation.id, id, ended_after(now))?;
    Ok(found.ok_or(Refusal::NotFound("change"))?)
}

/// A change and its rotation, which the ETag needs.
pub fn read(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    id: &ChangeId,
) -> Result<(Rotation, StagedChange)> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, rotation)?;
        let found = find(tx, &rotation, id, app.now())?;
        Ok((rotation, found))
    })
}

/// The changes of a rotation, by their instants.
pub fn list(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    filter: ChangeFilter,
) -> Result<Vec<StagedChange>> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, rotation)?;
        let filter = ChangeFilter {
            ended_after: Some(ended_after(app.now())),
            ..filter
        };
        Ok(store::list_changes(tx, &rotation.id, &filter)?)
    })
}
