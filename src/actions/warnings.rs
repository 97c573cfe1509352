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
use crate::domain::warning::{self, Around, Elsewhere, Known, Warning};
use crate::domain::warning_kinds::{Severity, WarningKind};
use crate::store::{self, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
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

/// The warnings of a rotation in the next days, by where they begin.
///
/// # Errors
/// [`Refusal::NotFound`] and the like where the caller may not see it, [`Refusal::Invalid`] where the days take too much to forecast.
pub fn of_rotation(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    days: u32,
    naming: Naming,
) -> Result<(Rotation, Vec<Warning>), ActionError> {
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let range = ahead(app.now().max(rotation.stamps.judged_at), days);
        let absences = Arc::clone(&rotation.absences);
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &absences,
        };
        let found = of_plan(app, tx, caller, (&rotation, dealing), range, naming)?;
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
    naming: Naming,
) -> Result<Vec<Warning>, ActionError> {
    if !rotation.enabled {
        return Ok(Vec::new());
    }
    let own = &mut Budget::default();
    let held = forecast::held(rotation, dealing, range, own).map_err(|_| too_much())?;
    let on_call: BTreeSet<UserId> = held.iter().filter_map(Held::on_call).cloned().collect();
    let mut around = surroundings(app, tx, rotation, &held, naming)?;
    let (mut budget, mut room) = (Budget::default(), MOST_HELD);
    for id in rotations_of(tx, &on_call)? {
        if id == rotation.id {
            continue;
        }
        if budget.is_spent() || room == 0 {
            break;
        }
        let Some(other) = store::load_rotation(tx, &id)? else {
            continue;
        };
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &other.absences,
        };
        let Ok(held) = forecast::held(&other, dealing, range, &mut budget) else {
            continue;
        };
        room = room.saturating_sub(held.len());
        let named = caller.check_see(&other).is_ok();
        let named = named.then_some(&*other.profile.name);
        let theirs = Elsewhere::of(&other, named, &held).into_iter();
        let theirs = theirs.filter(|there| on_call.contains(&there.user));
        around.elsewhere.extend(theirs);
    }
    Ok(warning::found(rotation, dealing, &around, range, &held))
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

/// What is around a rotation, but for the duty of its people elsewhere.
fn surroundings(
    app: &App,
    tx: &ReadTx,
    rotation: &Rotation,
    held: &[Held],
    naming: Naming,
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
        let Some(person) = store::load_person(tx, &user)? else {
            continue;
        };
        let known = Known {
            name: person.name().to_owned(),
            zone: person.zone(),
            is_deactivated: person.is_deleted,
        };
        people.insert(user, known);
    }
    let external = rotation.external.as_ref();
    Ok(Around {
        people,
        elsewhere: Vec::new(),
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
    id: RotationId,
    version: u64,
    held: Vec<Held>,
}

/// The warnings of all rotations that a caller sees in the next days, by where they begin, at most [`MOST`].
///
/// # Errors
/// [`Refusal::Invalid`] where the days take too much to forecast, or to hold.
pub fn of_all(
    app: &App,
    caller: &Principal,
    days: u32,
    naming: Naming,
) -> Result<Vec<Found>, ActionError> {
    all_within(app, caller, (days, naming), MOST_HELD)
}

pub(super) fn all_within(
    app: &App,
    caller: &Principal,
    (days, naming): (u32, Naming),
    mut room: usize,
) -> Result<Vec<Found>, ActionError> {
    let mut budget = Budget::of_workspace();
    let plan = |rotation: &Rotation, dealing: DealingContext, range: Interval| {
        let held = forecast::held(rotation, dealing, range, &mut budget).map_err(|_| too_much())?;
        room = room.checked_sub(held.len()).ok_or_else(too_much)?;
        Ok(Some(held))
    };
    let sees = |rotation: &Rotation| caller.check_see(rotation).is_ok();
    let mut found = Vec::new();
    each(app, (days, naming), plan, sees, |rotation, warnings| {
        let named = Arc::new(ShiftRotation {
            id: rotation.id.clone(),
            name: rotation.profile.name.clone(),
            code: rotation.profile.code.clone(),
        });
        found.extend(warnings.into_iter().map(|warning| Found {
            rotation: Arc::clone(&named),
            warning,
        }));
        if found.len() > 2 * MOST {
            keep_first(&mut found);
        }
        Ok(())
    })?;
    keep_first(&mut found);
    Ok(found)
}

/// Keeps those that are told: the first ones.
fn keep_first(found: &mut Vec<Found>) {
    found.sort_by(|one, other| order(one).cmp(&order(other)));
    found.truncate(MOST);
}

/// What warnings of several rotations are sorted by; those of one stay as they are.
fn order(found: &Found) -> (Timestamp, Severity, WarningKind, &str, &RotationId) {
    let (warning, rotation) = (&found.warning, &found.rotation);
    let name = rotation.name.as_str();
    (
        warning.period.from,
        warning.severity(),
        warning.kind,
        name,
        &rotation.id,
    )
}

/// Finds the warnings of all rotations that are seen. Each is forecast once; its duty counts in others also where it is not seen, by
/// what `plan` answers, or not at all. Every rotation is read from a snapshot of its own, so that none is held for long. Ends where
/// `plan` or `take` fails.
fn each(
    app: &App,
    (days, naming): (u32, Naming),
    mut plan: impl FnMut(&Rotation, DealingContext, Interval) -> Result<Option<Vec<Held>>, ActionError>,
    sees: impl Fn(&Rotation) -> bool,
    mut take: impl FnMut(&Rotation, Vec<Warning>) -> Result<(), ActionError>,
) -> Result<(), ActionError> {
    let range = ahead(app.now(), days);
    let all = app.store().read(store::list_rotation_names)?;
    let (mut plans, mut duty) = (Vec::new(), Vec::new());
    for listed in all.iter().filter(|listed| listed.enabled) {
        let Some(rotation) = app
            .store()
            .read(|tx| store::load_rotation(tx, &listed.id))?
        else {
            continue;
        };
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &rotation.absences,
        };
        let Some(held) = plan(&rotation, dealing, range)? else {
            continue;
        };
        let seen = sees(&rotation);
        let named = seen.then_some(&*rotation.profile.name);
        duty.extend(Elsewhere::of(&rotation, named, &held));
        if seen {
            plans.push(Planned {
                id: rotation.id,
                version: rotation.stamps.version,
                held,
            });
        }
    }
    let mut of_people: BTreeMap<&UserId, Vec<&Elsewhere>> = BTreeMap::new();
    for there in &duty {
        of_people.entry(&there.user).or_default().push(there);
    }
    for planned in plans {
        let Some((rotation, mut around, held)) =
            app.store().read(|tx| -> Result<_, ActionError> {
                let Some(rotation) = store::load_rotation(tx, &planned.id)? else {
                    return Ok(None);
                };
                let dealing = DealingContext {
                    calendar: app.calendar(),
                    absences: &rotation.absences,
                };
                let held = match rotation.stamps.version == planned.version {
                    true => Some(planned.held),
                    // It has changed meanwhile.
                    false => plan(&rotation, dealing, range)?,
                };
                let Some(held) = held.filter(|_| sees(&rotation)) else {
                    return Ok(None);
                };
                let around = surroundings(app, tx, &rotation, &held, naming)?;
                Ok(Some((rotation, around, held)))
            })?
        else {
            continue;
        };
        let on_call: BTreeSet<&UserId> = held.iter().filter_map(Held::on_call).collect();
        let theirs = on_call.into_iter().filter_map(|user| of_people.get(user));
        let theirs = theirs
            .flatten()
            .filter(|there| there.rotation != rotation.id);
        around.elsewhere = theirs.map(|there| (*there).clone()).collect();
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &rotation.absences,
        };
        let warnings = warning::found(&rotation, dealing, &around, range, &held);
        take(&rotation, warnings)?;
    }
    Ok(())
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
