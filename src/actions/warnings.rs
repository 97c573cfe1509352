//! Warnings about the plans of rotations (rules.md 27): of one that a caller sees, of all of them, and counted for metrics.

mod across;
mod counting;
mod silence;
mod sources;

#[cfg(test)]
pub(super) use across::all_within;
use across::{Looks, each};
pub use across::{MOST, RotationWarning, of_all};
#[cfg(test)]
pub(super) use counting::count;
pub use counting::{Counted, Warned, refresh};
pub use silence::{Silence, Wants, editable, last_change};
pub use sources::unread;

use super::draft::Draft;
use super::mutation::Operation;
use super::{ActionError, App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::edit::WarningChange;
use crate::domain::event::Act;
use crate::domain::forecast::{self, Budget, Held};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::naming::Naming;
use crate::domain::partner::Partner;
use crate::domain::refusal::Refusal;
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning::{self, Around, Duty, Known, Plan, Warning, WarningFilter};
use crate::domain::warning_kinds::Severity;
use crate::store::{self, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many days are looked at unless a caller says otherwise.
pub const DAYS: u32 = 90;

/// How many days can be looked at.
pub const MOST_DAYS: u32 = 366;

/// Stretches of the plans of several rotations that are held in memory at a time.
const MOST_HELD: usize = 300_000;

/// From an instant on, so many days.
fn ahead(now: Timestamp, days: u32) -> Interval {
    let length = SignedDuration::from_hours(24 * i64::from(days));
    Interval::ahead(now, length)
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
) -> Result<(Rotation, Vec<Warning>)> {
    let _alone = app.warned().alone();
    app.store().read(|tx| {
        let rotation = reads::visible(tx, caller, id)?;
        let range = ahead(app.now().max(rotation.stamps.judged_at), asked.days);
        let absences = Arc::clone(&rotation.absences);
        let dealing = DealingContext::new(app.calendar(), &absences);
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
) -> Result<Vec<Warning>> {
    if !rotation.enabled {
        return Ok(Vec::new());
    }
    let own = &mut Budget::default();
    let held = forecast::held(rotation, dealing, range, own).map_err(|_| too_much())?;
    let on_call: BTreeSet<UserId> = held.iter().filter_map(Held::on_call).cloned().collect();
    let around = surroundings(app, tx, rotation, &held, (naming, &mut People::new()))?;
    let mut duty = Duty::default();
    duty.add(&rotation.id, Some(&rotation.profile.name), &held, |_| true);
    let wanted = WarningFilter {
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
) -> Result<()> {
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
fn rotations_of(tx: &ReadTx, people: &BTreeSet<UserId>) -> Result<BTreeSet<RotationId>> {
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

/// The people, absences and sources around a rotation, without duty. People are read once.
fn surroundings(
    app: &App,
    tx: &ReadTx,
    rotation: &Rotation,
    held: &[Held],
    (naming, known): (Naming, &mut People),
) -> Result<Around> {
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
        partner_read_at: external.and_then(|it| it.schedule.read_at),
        naming,
    })
}

/// Names the parameter that asks for too much.
fn too_much() -> ActionError {
    Refusal::invalid(
        "days",
        "too many hand-overs lie in so many days; ask for fewer",
    )
    .into()
}

/// The context of dealing in a rotation.
fn dealing<'a>(app: &'a App, rotation: &'a Rotation) -> DealingContext<'a> {
    DealingContext::new(app.calendar(), &rotation.absences)
}

/// Changes which warnings a rotation wants.
pub struct SetWarningSettings(pub WarningChange);

impl Operation for SetWarningSettings {
    const NAME: &'static str = "set warning settings";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let SetWarningSettings(change) = self;
        let settings = &mut draft.rotation.profile.warnings;
        if let Some(off) = change.off {
            settings.off = off;
        }
        if let Some(hours) = change.short_rest_hours {
            settings.short_rest_hours = hours;
        }
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
