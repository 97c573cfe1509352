//! Previews of edits of a rotation: what would be refused, who would be on call, and what that is
//! for each person (rules.md 6.4). Changes nothing.

mod parts;

use super::rotations::Agrees;
use super::warnings::{self, Surroundings};
use super::{App, Result, edits, reads};
use crate::domain::access::Principal;
use crate::domain::duty::{self, Duty};
use crate::domain::edit::Edits;
use crate::domain::editing::Editing;
use crate::domain::fault::Fault;
use crate::domain::forecast::{self, Difference, Planned};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, ChangeId, LaneId, RotationId, UserId};
use crate::domain::load::{Days, Held, Load};
use crate::domain::naming::Naming;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Rotation, Waiting};
use crate::domain::staged::StagedEdit;
use crate::domain::time::Interval;
use crate::domain::warning::Warning;
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};
use parts::Parts;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How far ahead an edit can be tried, and how long the range is that is compared at the most, in days.
pub const MOST_DAYS: i64 = 366;

/// How old an instant may be that counts as now: the clocks of callers differ, and requests take a while.
const JUST_NOW: SignedDuration = SignedDuration::from_secs(60);

/// Turns that one of the two plans has at the most: both are held in memory, and rendered.
const MOST_TURNS: usize = 25_000;

/// Edits to look at.
#[derive(Default)]
pub struct PreviewQuery {
    pub edits: Edits,
    /// Refuses what the patch repeats of the rotation without changing it, where it is not so.
    pub agrees: Option<Agrees>,
    /// Whether to say what is wrong with the plan then, for which the plans of other rotations are made as well.
    pub warns: bool,
    /// Whether only people leave who were added individually, as with a write of all of it.
    pub is_edit: bool,
    /// Whether they wait until the range begins, and are made before all else of that instant; otherwise after it.
    pub waits: bool,
}

impl From<Edits> for PreviewQuery {
    fn from(edits: Edits) -> PreviewQuery {
        PreviewQuery {
            edits,
            ..PreviewQuery::default()
        }
    }
}

/// When the edits are made, and how many days from then on are compared.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// Now where it is omitted.
    pub at: Option<Timestamp>,
    pub days: i64,
}

impl When {
    /// From now on, for so many days.
    pub fn now(days: i64) -> When {
        When { at: None, days }
    }
}

/// One of the edits, which the rotation's state refuses. The others are applied all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The member of the request that it is.
    pub part: String,
    pub refusal: Refusal,
}

/// The effects of edits.
#[derive(Clone, Debug)]
pub struct Preview {
    /// As it is stored, for its validator.
    pub stored: Rotation,
    /// As it is now, everything due done.
    pub current: Rotation,
    /// As it will stand just before the edits are made.
    pub base: Rotation,
    /// As it would stand once the edits are made. Ids of what is new are not those that it gets.
    pub then: Rotation,
    pub range: Interval,
    pub refusals: Vec<Refused>,
    /// The plan of the range as it is, by start and slot; cells are those of `current`.
    pub planned: Vec<Duty>,
    /// The same with the edits; cells are those of `then`.
    pub planned_then: Vec<Duty>,
    /// The load of each person who is on call in either plan.
    pub people: BTreeMap<UserId, Change>,
    /// The warnings of the plan with the edits; empty unless they were asked for.
    pub warnings: Vec<Warning>,
}

/// Looks at edits.
///
/// # Errors
/// [`Refusal::NotFound`] where the caller does not see the rotation; [`Refusal::Invalid`] for an instant that is over or too far
/// ahead, and where it takes too much to forecast. What is wrong with an edit is in the preview.
pub fn of(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    wanted: PreviewQuery,
    when: When,
) -> Result<Preview> {
    let (stored, found) = reads::in_context(app, caller, id, |tx, context| {
        let range = range(context.now, when)?;
        let current = (context.rotation, context.dealing);
        let surroundings = &mut Surroundings::of_one();
        compare(app, tx, caller, current, range, wanted, surroundings)
    })?;
    Ok(Preview { stored, ..found })
}

/// Looks at edits of a rotation that are made when a range begins; everything due by now has been done of it.
///
/// # Errors
/// As [`of`].
pub(super) fn compare(
    app: &App,
    tx: &ReadTx,
    caller: &Principal,
    (current, dealing): (&Rotation, DealingContext),
    range: Interval,
    wanted: PreviewQuery,
    surroundings: &mut Surroundings,
) -> Result<Preview> {
    let base = forecast::rotation_at(current, dealing, range.from)
        .map_err(|refusal| too_far(refusal, "at"))?;
    let editing = Editing {
        calendar: app.calendar(),
        limits: app.tier_limits(),
        at: range.from.max(base.stamps.judged_at),
        deals: true,
    };
    let warns = wanted.warns;
    let mut parts = Parts::new(tx, caller, current, &base, editing);
    let facts = edits::facts(app, tx, &base, &wanted.edits)?;
    let waiting = wanted.waits.then(|| StagedEdit {
        id: ChangeId::from("chg_new"),
        edits: Arc::new(wanted.edits.clone()),
        facts: Arc::new(facts.clone()),
        limits: editing.limits,
    });
    parts.apply(wanted, facts)?;
    let (mut then, refusals) = (parts.rotation, parts.refusals);
    if let Some(waiting) = waiting.filter(|_| refusals.is_empty()) {
        then = after(current, dealing, waiting, range.from)?;
    }
    let dealing_then = DealingContext::new(app.calendar(), &then.absences);
    let is_same = then.same_as(&base) && then.absences == base.absences;
    if !is_same {
        // Before the plan as it is, which may take long.
        forecast::check_schedule(&then, dealing_then, range, MOST_TURNS)
            .map_err(|refusal| too_far(refusal, "days"))?;
    }
    let planned = plan(current, dealing, range)?;
    let planned_then = match is_same {
        true => planned.clone(),
        false => plan(&then, dealing_then, range)?,
    };
    let warnings = match warns {
        true => {
            let all = (None, Naming::Names);
            let then = (&then, dealing_then);
            warnings::of_plan(app, tx, caller, then, range, all, surroundings)?
        }
        false => Vec::new(),
    };
    let mut found = Preview {
        stored: current.clone(),
        current: current.clone(),
        base: base.clone(),
        then,
        range,
        refusals,
        planned,
        warnings,
        planned_then,
        people: BTreeMap::new(),
    };
    found.people = by_person(app, tx, [found.before(), found.after()])?;
    Ok(found)
}

/// The rotation as it will stand at an instant to come for which edits wait, everything of that instant done.
fn after(
    current: &Rotation,
    dealing: DealingContext,
    waiting: StagedEdit,
    at: Timestamp,
) -> Result<Rotation, Refusal> {
    let mut current = current.clone();
    // Those of one instant are made in the order made.
    let place = current.waiting.partition_point(|change| change.at <= at);
    let change = Waiting {
        id: waiting.id.clone(),
        at,
        planned: Arc::new(waiting),
    };
    current.waiting.insert(place, change);
    forecast::rotation_at(&current, dealing, at).map_err(|refusal| too_far(refusal, "at"))
}

/// The range to compare.
fn range(now: Timestamp, when: When) -> Result<Interval, Refusal> {
    let days = |days: i64| SignedDuration::from_hours(24 * days);
    let from = when.at.unwrap_or(now);
    if now.duration_since(from) > JUST_NOW {
        return invalid("at", "send an instant that is not over, or omit it for now");
    }
    let from = from.max(now);
    if from.duration_since(now) > days(MOST_DAYS) {
        return invalid("at", Fault::DaysAhead(MOST_DAYS));
    }
    Ok(Interval::ahead(from, days(when.days)))
}

/// The turns of a range, by start and slot.
fn plan(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<Duty>, Refusal> {
    let duties = forecast::schedule_of(rotation, dealing, range, MOST_TURNS);
    let mut duties = duties.map_err(|refusal| too_far(refusal, "days"))?;
    duty::sort(rotation, &mut duties);
    Ok(duties)
}

/// A forecast's refusal, of the member that asks for too much.
fn too_far(refusal: Refusal, member: &str) -> Refusal {
    match refusal {
        Refusal::Invalid { .. } => Refusal::invalid(
            member,
            "too many hand-overs lie before it; look at fewer days, or at a nearer instant",
        ),
        other => other,
    }
}

/// How much a person is on call in the range, before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub before: Load,
    pub after: Load,
}

impl Preview {
    /// The plan as it is.
    pub fn before(&self) -> Planned<'_> {
        Planned {
            rotation: &self.current,
            duties: &self.planned,
            range: self.range,
        }
    }

    /// The plan with the edits.
    pub fn after(&self) -> Planned<'_> {
        Planned {
            rotation: &self.then,
            duties: &self.planned_then,
            range: self.range,
        }
    }

    /// Where others would be on call in a cell.
    pub fn by_cell(&self) -> Vec<Difference<CellId>> {
        forecast::differences(self.before(), self.after(), |cell, _| cell.clone())
    }

    /// The same in a lane, its windows taken together.
    pub fn by_lane(&self) -> Vec<Difference<LaneId>> {
        forecast::differences(self.before(), self.after(), |_, lane| lane.clone())
    }
}

/// What it comes to for each person who is on call in either plan.
fn by_person(
    app: &App,
    tx: &ReadTx,
    [before, after]: [Planned; 2],
) -> Result<BTreeMap<UserId, Change>> {
    let (before, after) = (before.held(), after.held());
    let all = before.values().chain(after.values()).flatten();
    let mut days = Days::of(all, app.calendar());
    let mut changes: BTreeMap<UserId, Change> = BTreeMap::new();
    for user in before.keys().chain(after.keys()) {
        if changes.contains_key(user) {
            continue;
        }
        let person = store::load_person(tx, user)?;
        let own = person.and_then(|person| person.zone());
        let mut measured = |held: &BTreeMap<UserId, Vec<Held>>| {
            let theirs = held.get(user).map_or(&[] as &[Held], Vec::as_slice);
            days.measure(theirs, own)
        };
        let change = Change {
            before: measured(&before),
            after: measured(&after),
        };
        changes.insert(user.clone(), change);
    }
    Ok(changes)
}
