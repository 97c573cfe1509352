//! What is wrong with the plans of rotations (rules.md 27): of one that a caller sees, of all of them, and counted for metrics.

mod counting;

#[cfg(test)]
pub(super) use counting::count;
pub use counting::{Counted, Warned, refresh};

use super::draft::Draft;
use super::mutation::Operation;
use super::{ActionError, App, reads};
use crate::domain::access::Principal;
use crate::domain::edit::WarningChange;
use crate::domain::event::Act;
use crate::domain::external::Partner;
use crate::domain::forecast::{self, Budget, Held, ShiftRotation};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::naming::Naming;
use crate::domain::refusal::Refusal;
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning::{self, Around, Duty, Known, Plan, Rank, Wanted, Warning};
use crate::domain::warning_kinds::Severity;
use crate::store::{self, READ_AT_ONCE, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How many days are looked at unless a caller says otherwise.
pub const DAYS: u32 = 90;

/// How many days can be looked at.
pub const MOST_DAYS: u32 = 366;

/// Warnings of all rotations in one answer.
pub const MOST: usize = 10_000;

/// Stretches of the plans of several rotations that are held in memory at a time.
const MOST_HELD: usize = 300_000;

/// A warning, and the rotation that it is about.
#[derive(Clone, Debug)]
pub struct Found {
    pub rotation: Arc<ShiftRotation>,
    pub warning: Warning,
}

/// From an instant on, so many days.
fn ahead(now: Timestamp, days: u32) -> Interval {
    let length = SignedDuration::from_hours(24 * i64::from(days));
    Interval {
        from: now,
        until: now.saturating_add(length).unwrap_or(Timestamp::MAX),
    }
}

/// Which warnings a caller asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// How many days are looked at, from now on.
    pub days: u32,
    /// Only those that matter so much.
    pub severity: Option<Severity>,
    pub naming: Naming,
}

/// The warnings of a rotation in the next days, by where they begin. The plans that this takes are made for one caller at a time.
///
/// # Errors
/// [`Refusal::NotFound`] and the like where the caller may not see it, [`Refusal::Invalid`] where the days take too much to forecast.
pub fn of_rotation(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    asked: Asked,
) -> Result<(Rotation, Vec<Warning>), ActionError> {
    let _alone = app.warned().alone();
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let range = ahead(app.now().max(rotation.stamps.judged_at), asked.days);
        let absences = Arc::clone(&rotation.absences);
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &absences,
        };
        let wanted = (asked.severity, asked.naming);
        let found = of_plan(app, tx, caller, (&rotation, dealing), range, wanted)?;
        Ok((rotation, found))
    })
}

/// The warnings of a rotation as it is given, which need not be stored, with what is around it as the caller sees it. Other rotations
/// of its people that together take too much to forecast are left out.
///
/// # Errors
/// [`Refusal::Invalid`] where the range takes too much to forecast.
pub fn of_plan(
    app: &App,
    tx: &ReadTx,
    caller: &Principal,
    (rotation, dealing): (&Rotation, DealingContext),
    range: Interval,
    (severity, naming): (Option<Severity>, Naming),
) -> Result<Vec<Warning>, ActionError> {
    if !rotation.enabled {
        return Ok(Vec::new());
    }
    let own = &mut Budget::default();
    let held = forecast::held(rotation, dealing, range, own).map_err(|_| too_much())?;
    let on_call: BTreeSet<UserId> = held.iter().filter_map(Held::on_call).cloned().collect();
    let around = surroundings(app, tx, rotation, &held, (naming, &mut People::new()))?;
    let mut duty = Duty::default();
    duty.add(&rotation.id, Some(&rotation.profile.name), &held, |_| true);
    let wanted = Wanted {
        severity,
        before: None,
    };
    if warning::needs_others(wanted, &rotation.profile.warnings) {
        add_others(app, tx, caller, (rotation, &on_call), range, &mut duty)?;
    }
    let plan = Plan {
        rotation,
        dealing,
        range,
        held: &held,
    };
    Ok(warning::found(plan, &around, &duty, wanted))
}

/// Adds the duty of people in other rotations than this one, as far as there is room and it does not take too much.
fn add_others(
    app: &App,
    tx: &ReadTx,
    caller: &Principal,
    (rotation, people): (&Rotation, &BTreeSet<UserId>),
    range: Interval,
    duty: &mut Duty,
) -> Result<(), ActionError> {
    let (mut budget, mut room) = (Budget::default(), MOST_HELD);
    let mut others = rotations_of(tx, people)?;
    others.remove(&rotation.id);
    let others: Vec<RotationId> = others.into_iter().collect();
    for other in store::each_rotation(tx, &others) {
        if budget.is_spent() || room == 0 {
            break;
        }
        let other = other?;
        let Ok(held) = forecast::held(&other, dealing(app, &other), range, &mut budget) else {
            continue;
        };
        room = room.saturating_sub(held.len());
        let named = caller.check_see(&other).is_ok();
        let named = named.then_some(&*other.profile.name);
        duty.add(&other.id, named, &held, |user| people.contains(user));
    }
    Ok(())
}

/// The rotations in which somebody of these can be on call: those of which they are members, and those that follow a partner, which
/// may put anybody on call.
fn rotations_of(
    tx: &ReadTx,
    people: &BTreeSet<UserId>,
) -> Result<BTreeSet<RotationId>, ActionError> {
    let mut all = BTreeSet::new();
    for user in people {
        all.extend(store::list_rotations_of(tx, user)?);
    }
    for partner in Partner::ALL {
        all.extend(store::list_external_rotations(tx, partner)?);
    }
    Ok(all)
}

/// The people who have been read; `None` for those who are not known.
type People = BTreeMap<UserId, Option<Known>>;

/// What is around a rotation, but for duty. People are read once.
fn surroundings(
    app: &App,
    tx: &ReadTx,
    rotation: &Rotation,
    held: &[Held],
    (naming, known): (Naming, &mut People),
) -> Result<Around, ActionError> {
    let mut members: Vec<UserId> = roster::order(&rotation.members, None)
        .into_iter()
        .map(|member| member.user)
        .collect();
    let ids: Vec<&str> = members.iter().map(UserId::as_str).collect();
    let unread = store::list_unread_calendars(tx, &ids)?;
    let holders = held.iter().filter_map(|held| held.user.as_ref());
    let others: BTreeSet<&UserId> = holders.collect();
    members.extend(others.into_iter().cloned());
    members.sort_unstable();
    members.dedup();
    let mut people = BTreeMap::new();
    for user in members {
        if !known.contains_key(&user) {
            let person = store::load_person(tx, &user)?.map(|person| Known {
                name: person.name().to_owned(),
                zone: person.zone(),
                is_deactivated: person.is_deleted,
            });
            known.insert(user.clone(), person);
        }
        let person = known.get(&user).cloned().flatten();
        people.extend(person.map(|person| (user, person)));
    }
    let external = rotation.external.as_ref();
    Ok(Around {
        people,
        unread_calendars: unread.into_iter().collect(),
        is_partner_unread: external.is_some_and(|it| it.is_unread(&app.as_of(app.now()))),
        naming,
    })
}

/// Names the parameter that asks for too much.
fn too_much() -> ActionError {
    Refusal::Invalid("days: too many hand-overs lie in so many days; ask for fewer".to_owned())
        .into()
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
/// [`Refusal::Invalid`] where the days take too much to forecast, or to hold.
pub fn of_all(app: &App, caller: &Principal, asked: Asked) -> Result<Vec<Found>, ActionError> {
    let _alone = app.warned().alone();
    all_within(app, caller, asked, MOST_HELD)
}

pub(super) fn all_within(
    app: &App,
    caller: &Principal,
    asked: Asked,
    room: usize,
) -> Result<Vec<Found>, ActionError> {
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
    /// What comes before the last one of those that are kept, once there are enough of them.
    before: Option<Rank>,
    found: Vec<Found>,
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
    ) -> Result<Option<Vec<Held>>, ActionError> {
        let held = forecast::held(rotation, dealing, range, &mut self.budget);
        let held = held.map_err(|_| too_much())?;
        self.room = self.room.checked_sub(held.len()).ok_or_else(too_much)?;
        Ok(Some(held))
    }

    fn check_rest(
        &mut self,
        app: &App,
        rest: &[RotationId],
        range: Interval,
    ) -> Result<(), ActionError> {
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

    fn wanted(&self) -> Wanted {
        Wanted {
            severity: self.severity,
            before: self.before,
        }
    }

    fn take(&mut self, rotation: &Rotation, warnings: Vec<Warning>) -> Result<(), ActionError> {
        let named = Arc::new(ShiftRotation {
            id: rotation.id.clone(),
            name: rotation.profile.name.clone(),
            code: rotation.profile.code.clone(),
        });
        self.found.extend(warnings.into_iter().map(|warning| Found {
            rotation: Arc::clone(&named),
            warning,
        }));
        if self.found.len() > 2 * MOST {
            self.cut();
        }
        Ok(())
    }
}

/// What warnings of several rotations are sorted by; those of one stay as they are.
fn order(found: &Found) -> (Rank, &str, &RotationId) {
    let rotation = &found.rotation;
    (found.warning.rank(), rotation.name.as_str(), &rotation.id)
}

/// Whoever looks at the warnings of all rotations.
trait Looks {
    /// The plan of a rotation, or `None` where its duty is not to count.
    fn plan(
        &mut self,
        rotation: &Rotation,
        dealing: DealingContext,
        range: Interval,
    ) -> Result<Option<Vec<Held>>, ActionError>;

    /// Ends it where the plans of the rotations that are left are sure to take too much.
    fn check_rest(&mut self, _: &App, _: &[RotationId], _: Interval) -> Result<(), ActionError> {
        Ok(())
    }

    /// Whether they see a rotation. The duty of others counts too.
    fn sees(&self, rotation: &Rotation) -> bool;

    /// Which warnings of the next rotation are wanted.
    fn wanted(&self) -> Wanted;

    /// Takes the warnings of a rotation.
    fn take(&mut self, rotation: &Rotation, warnings: Vec<Warning>) -> Result<(), ActionError>;
}

/// Finds the warnings of all rotations that are seen, one rotation after the other by name. Each is forecast once, and everybody's
/// duty is sorted once. A few rotations at a time are read from one snapshot, so that none is held for long. Ends where `looks` fails.
fn each(
    app: &App,
    (days, naming): (u32, Naming),
    looks: &mut impl Looks,
) -> Result<(), ActionError> {
    let range = ahead(app.now(), days);
    let mut all = app.store().read(store::list_rotation_names)?;
    all.retain(|listed| listed.enabled);
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
        let around = |tx: &ReadTx| -> Result<_, ActionError> {
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
                let around = surroundings(app, tx, &rotation, &held, known)?;
                scenes.push((rotation, around, held));
            }
            Ok(scenes)
        };
        for (rotation, around, held) in app.store().read(around)? {
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

/// What dealing in a rotation needs beside it.
fn dealing<'a>(app: &'a App, rotation: &'a Rotation) -> DealingContext<'a> {
    DealingContext {
        calendar: app.calendar(),
        absences: &rotation.absences,
    }
}

/// Changes which warnings a rotation wants.
pub struct SetWarningSettings(pub WarningChange);

impl Operation for SetWarningSettings {
    const NAME: &'static str = "set warning settings";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), ActionError> {
        let SetWarningSettings(change) = self;
        let settings = &mut draft.rotation.profile.warnings;
        if let Some(off) = change.off {
            settings.off = off;
        }
        if let Some(hours) = change.short_rest_hours {
            settings.short_rest_hours = hours;
        }
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
}
