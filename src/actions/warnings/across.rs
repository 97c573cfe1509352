//! The warnings of all rotations: everybody's plans are made once.

use super::{Asked, MOST_HELD, People, ahead, around, dealing, too_much};
use crate::actions::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::forecast::{self, Budget, Held, ShiftRotation};
use crate::domain::handover::DealingContext;
use crate::domain::ids::RotationId;
use crate::domain::naming::Naming;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning::{self, Duty, Plan, Rank, Warning, WarningFilter};
use crate::domain::warning_kinds::Severity;
use crate::store::{self, READ_AT_ONCE, ReadTx};
use std::collections::HashMap;
use std::sync::Arc;

/// Warnings of all rotations in one answer.
pub const MOST: usize = 10_000;

/// A warning, and the rotation that it is about.
#[derive(Clone, Debug)]
pub struct RotationWarning {
    pub rotation: Arc<ShiftRotation>,
    pub warning: Warning,
}

/// The plan of one rotation of many.
struct Planned {
    version: u64,
    held: Vec<Held>,
}

/// The warnings of all rotations that a caller sees in the next days, by where they begin, at most [`MOST`]. The plans that this takes
/// are made for one caller at a time.
///
/// # Errors
/// [`Refusal::Invalid`](crate::domain::refusal::Refusal::Invalid) where the days take too much to forecast, or to hold.
pub fn of_all(app: &App, caller: &Principal, asked: Asked) -> Result<Vec<RotationWarning>> {
    let _alone = app.warned().alone();
    all_within(app, caller, asked, MOST_HELD)
}

pub(in crate::actions) fn all_within(
    app: &App,
    caller: &Principal,
    asked: Asked,
    room: usize,
) -> Result<Vec<RotationWarning>> {
    let mut all = First {
        budget: Budget::of_workspace(),
        has_looked: false,
        room,
        caller,
        severity: asked.severity,
        before: None,
        found: Vec::new(),
    };
    each(app, (asked.days, asked.naming), &mut all)?;
    all.cut();
    Ok(all.found)
}

/// The first warnings of all rotations that a caller sees.
struct First<'a> {
    budget: Budget,
    /// Whether it has been looked ahead at what the rest takes.
    has_looked: bool,
    /// Stretches that can still be held.
    room: usize,
    caller: &'a Principal,
    severity: Option<Severity>,
    /// The rank of the last one that is kept, once there are enough of them.
    before: Option<Rank>,
    found: Vec<RotationWarning>,
}

impl First<'_> {
    /// Keeps those that are told: the first ones.
    fn cut(&mut self) {
        self.found
            .sort_by(|one, other| order(one).cmp(&order(other)));
        self.found.truncate(MOST);
        if self.found.len() == MOST {
            self.before = self.found.last().map(|last| last.warning.rank());
        }
    }
}

impl Looks for First<'_> {
    fn plan(
        &mut self,
        rotation: &Rotation,
        dealing: DealingContext,
        range: Interval,
    ) -> Result<Option<Vec<Held>>> {
        let held = forecast::held(rotation, dealing, range, &mut self.budget);
        let held = held.map_err(|_| too_much())?;
        self.room = self.room.checked_sub(held.len()).ok_or_else(too_much)?;
        Ok(Some(held))
    }

    fn check_rest(&mut self, app: &App, rest: &[RotationId], range: Interval) -> Result<()> {
        if self.has_looked || !self.budget.is_worth_looking_ahead() {
            return Ok(());
        }
        self.has_looked = true;
        let (store, calendar) = (app.store(), app.calendar());
        let rest = reads::one_by_one(store, rest);
        match (self.budget).may_suffice(rest, calendar, range, self.room)? {
            true => Ok(()),
            false => Err(too_much()),
        }
    }

    fn sees(&self, rotation: &Rotation) -> bool {
        self.caller.check_see(rotation).is_ok()
    }

    fn wanted(&self) -> WarningFilter {
        WarningFilter {
            severity: self.severity,
            before: self.before,
        }
    }

    fn take(&mut self, rotation: &Rotation, warnings: Vec<Warning>) -> Result<()> {
        let named = Arc::new(ShiftRotation::of(rotation));
        self.found
            .extend(warnings.into_iter().map(|warning| RotationWarning {
                rotation: Arc::clone(&named),
                warning,
            }));
        if self.found.len() > 2 * MOST {
            self.cut();
        }
        Ok(())
    }
}

/// The sort key of warnings of several rotations; those of one stay as they are.
fn order(found: &RotationWarning) -> (Rank, &str, &RotationId) {
    let rotation = &found.rotation;
    (found.warning.rank(), rotation.name.as_str(), &rotation.id)
}

/// Whoever looks at the warnings of all rotations.
pub(super) trait Looks {
    /// The plan of a rotation, or `None` where its duty is not to count.
    fn plan(
        &mut self,
        rotation: &Rotation,
        dealing: DealingContext,
        range: Interval,
    ) -> Result<Option<Vec<Held>>>;

    /// Ends it where the plans of the rotations that are left are sure to take too much.
    fn check_rest(&mut self, _: &App, _: &[RotationId], _: Interval) -> Result<()> {
        Ok(())
    }

    /// Whether they see a rotation. The duty of others counts too.
    fn sees(&self, rotation: &Rotation) -> bool;

    /// Which warnings of the next rotation are wanted.
    fn wanted(&self) -> WarningFilter;

    /// Takes the warnings of a rotation.
    fn take(&mut self, rotation: &Rotation, warnings: Vec<Warning>) -> Result<()>;
}

/// Finds the warnings of all rotations that are seen, one rotation after the other by name. Each is forecast once, and everybody's
/// duty is sorted once. A few rotations at a time are read from one snapshot, so that none is held for long. Ends where `looks` fails.
pub(super) fn each(app: &App, (days, naming): (u32, Naming), looks: &mut impl Looks) -> Result<()> {
    let range = ahead(app.now(), days);
    let (mut all, waiting) = app.store().read(|tx| -> Result<_> {
        Ok((store::list_rotation_names(tx)?, store::list_waiting(tx)?))
    })?;
    // A change may wait in a disabled rotation.
    all.retain(|listed| listed.enabled || waiting.contains(&listed.id));
    all.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
    let all: Vec<RotationId> = all.into_iter().map(|listed| listed.id).collect();
    let (mut plans, mut duty) = (HashMap::new(), Duty::default());
    for (past, ids) in (0..).step_by(READ_AT_ONCE).zip(all.chunks(READ_AT_ONCE)) {
        looks.check_rest(app, &all[past..], range)?;
        let rotations = app.store().read(|tx| store::load_rotations(tx, ids))?;
        for rotation in rotations.into_iter().flatten() {
            let dealing = dealing(app, &rotation);
            let Some(held) = looks.plan(&rotation, dealing, range)? else {
                continue;
            };
            let seen = looks.sees(&rotation);
            let named = seen.then_some(&*rotation.profile.name);
            duty.add(&rotation.id, named, &held, |_| true);
            if seen {
                let version = rotation.stamps.version;
                plans.insert(rotation.id, Planned { version, held });
            }
        }
    }
    let mut people = People::new();
    for ids in all.chunks(READ_AT_ONCE) {
        let scenes = |tx: &ReadTx| -> Result<_> {
            let mut scenes = Vec::with_capacity(ids.len());
            for rotation in store::load_rotations(tx, ids)?.into_iter().flatten() {
                let Some(planned) = plans.remove(&rotation.id) else {
                    continue;
                };
                if !looks.sees(&rotation) {
                    continue;
                }
                let mut held = planned.held;
                // Where it has changed meanwhile.
                if rotation.stamps.version != planned.version {
                    match looks.plan(&rotation, dealing(app, &rotation), range)? {
                        Some(changed) => held = changed,
                        None => continue,
                    }
                    let named = Some(&*rotation.profile.name);
                    duty.add(&rotation.id, named, &held, |_| true);
                }
                let known = (naming, &mut people);
                let around = around(app, tx, &rotation, &held, known)?;
                scenes.push((rotation, around, held));
            }
            Ok(scenes)
        };
        for (rotation, around, held) in app.store().read(scenes)? {
            let plan = Plan {
                rotation: &rotation,
                dealing: dealing(app, &rotation),
                range,
                held: &held,
            };
            let warnings = warning::found(plan, &around, &duty, looks.wanted());
            looks.take(&rotation, warnings)?;
        }
    }
    Ok(())
}
