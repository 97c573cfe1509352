//! Warnings about the plans of rotations (rules.md 27): of one that a caller sees, of all of them, and counted for metrics.

mod across;
mod counting;
mod silence;
mod sources;
mod surroundings;

#[cfg(test)]
pub(super) use across::all_within;
use across::{Looks, each};
pub use across::{MOST, RotationWarning, of_all};
#[cfg(test)]
pub(super) use counting::count;
pub use counting::{Counted, Warned, refresh};
pub use silence::{Silence, Wants, editable, last_change};
pub use sources::unread;
use surroundings::People;
pub use surroundings::Surroundings;

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
use crate::domain::refusal::Refusal;
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning::{self, Around, Known, Plan, Warning, WarningFilter};
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
        let rotation_now = (&rotation, dealing);
        let beside = &mut Surroundings::of_one();
        let found = of_plan(app, tx, caller, rotation_now, range, wanted, beside)?;
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
    surroundings: &mut Surroundings,
) -> Result<Vec<Warning>> {
    if !rotation.enabled && rotation.waiting.is_empty() {
        return Ok(Vec::new());
    }
    let own = &mut Budget::default();
    let held = forecast::held(rotation, dealing, range, own).map_err(|_| too_much())?;
    let known = (naming, &mut surroundings.people);
    let around = around(app, tx, rotation, &held, known)?;
    let wanted = WarningFilter {
        severity,
        before: None,
    };
    let needs_others = warning::needs_others(wanted, &rotation.profile.warnings);
    let own = (&rotation.id, &*rotation.profile.name, &*held);
    let duty = surroundings.duty(app, tx, caller, own, (range, needs_others))?;
    let plan = Plan {
        rotation,
        dealing,
        range,
        held: &held,
    };
    Ok(warning::found(plan, &around, duty, wanted))
}

/// The people, absences and sources around a rotation, without duty. People are read once.
fn around(
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
        draft.rotation.profile.warnings.change(&change);
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
