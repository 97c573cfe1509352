//! What is around plans that are looked at one after the other: people, and their duty in other rotations. Each person is read once,
//! and each rotation is forecast once.

use super::{MOST_HELD, dealing};
use crate::actions::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::forecast::{self, Budget, Held};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::partner::Partner;
use crate::domain::time::Interval;
use crate::domain::warning::{Duty, Known};
use crate::store::{self, ReadTx};
use jiff::SignedDuration;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::MutexGuard;

/// The people who have been read; `None` for those who are not known.
pub(super) type People = BTreeMap<UserId, Option<Known>>;

/// How much further than asked a rotation is forecast that has to be forecast anew: plans from hand-overs on end at many instants.
const FURTHER: SignedDuration = SignedDuration::from_hours(32 * 24);

/// The plan of another rotation.
struct Other {
    name: Option<String>,
    range: Interval,
    held: Vec<Held>,
}

/// The surroundings of plans.
pub struct Surroundings<'a> {
    pub(super) people: People,
    /// The rotations in which somebody can be on call.
    rotations_of: BTreeMap<UserId, Vec<RotationId>>,
    /// Those that follow a partner, which may put anybody on call.
    outside: Option<Vec<RotationId>>,
    /// The plans of rotations; `None` where one takes too much.
    others: BTreeMap<RotationId, Option<Other>>,
    budget: Budget,
    /// Stretches that can still be held.
    room: usize,
    /// When people are on call in a range, and in which rotation not as it is stored.
    duty: Option<(Interval, Duty)>,
    replaced: Option<RotationId>,
    /// Plans of many rotations are held for one caller at a time.
    _alone: Option<MutexGuard<'a, ()>>,
}

impl<'a> Surroundings<'a> {
    /// Those of one plan.
    pub fn of_one() -> Surroundings<'a> {
        Surroundings {
            people: People::new(),
            rotations_of: BTreeMap::new(),
            outside: None,
            others: BTreeMap::new(),
            budget: Budget::default(),
            room: MOST_HELD,
            duty: None,
            replaced: None,
            _alone: None,
        }
    }

    /// Those of the plans of many rotations.
    pub fn of_many(app: &'a App) -> Surroundings<'a> {
        Surroundings {
            budget: Budget::of_workspace(),
            _alone: Some(app.warned().alone()),
            ..Surroundings::of_one()
        }
    }

    /// When people are on call in a range: in a rotation as it is given, and in others as they are stored, as far as there is room
    /// and those do not take too much.
    pub(super) fn duty(
        &mut self,
        app: &App,
        tx: &ReadTx,
        caller: &Principal,
        (id, name, held): (&RotationId, &str, &[Held]),
        (range, needs_others): (Interval, bool),
    ) -> Result<&Duty> {
        let mut duty = match self.duty.take() {
            Some((known, duty)) if known == range => duty,
            _ => {
                self.replaced = None;
                Duty::default()
            }
        };
        let wanted = match needs_others {
            true => {
                let people: BTreeSet<&UserId> = held.iter().filter_map(Held::on_call).collect();
                self.rotations_of(tx, &people)?
            }
            false => BTreeSet::new(),
        };
        let others = wanted.into_iter().filter(|other| other != id);
        let others: Vec<RotationId> = others.collect();
        self.look_at(app, tx, caller, &others, range)?;
        let restored = self.replaced.replace(id.clone());
        let restored = restored.filter(|other| other != id);
        for other in &others {
            if !duty.has(other) {
                self.add(&mut duty, other, range);
            }
        }
        if let Some(other) = restored {
            self.add(&mut duty, &other, range);
        }
        duty.add(id, Some(name), held, |_| true);
        Ok(&self.duty.insert((range, duty)).1)
    }

    /// The rotations in which somebody of these can be on call: those in which they are planned, and those that follow a partner.
    fn rotations_of(
        &mut self,
        tx: &ReadTx,
        people: &BTreeSet<&UserId>,
    ) -> Result<BTreeSet<RotationId>> {
        let mut all = BTreeSet::new();
        for &user in people {
            if !self.rotations_of.contains_key(user) {
                let theirs = reads::rotations_of(tx, user)?;
                self.rotations_of.insert(user.clone(), theirs);
            }
            all.extend(self.rotations_of[user].iter().cloned());
        }
        if self.outside.is_none() {
            let mut outside = Vec::new();
            for partner in Partner::ALL {
                outside.extend(store::list_external_rotations(tx, partner)?);
            }
            self.outside = Some(outside);
        }
        all.extend(self.outside.iter().flatten().cloned());
        Ok(all)
    }

    /// Forecasts those of which the plan is not known for a range.
    fn look_at(
        &mut self,
        app: &App,
        tx: &ReadTx,
        caller: &Principal,
        others: &[RotationId],
        range: Interval,
    ) -> Result<()> {
        let reaches =
            |other: &Other| other.range.from <= range.from && range.until <= other.range.until;
        let is_known = |id: &&RotationId| match self.others.get(*id) {
            Some(Some(other)) => reaches(other),
            Some(None) => true,
            None => false,
        };
        let missing = others.iter().filter(|id| !is_known(id)).cloned();
        let missing: Vec<RotationId> = missing.collect();
        let now = app.now();
        for other in store::each_rotation(tx, &missing) {
            if self.budget.is_spent() || self.room == 0 {
                break;
            }
            let other = other?;
            let before = self.others.remove(&other.id).flatten();
            // Where it does not suffice once, it may not the next time either.
            let until = match &before {
                Some(_) => Interval::ahead(range.until, FURTHER).until,
                None => range.until,
            };
            let whole = Interval::new(range.from.min(now), until);
            self.room += before.map_or(0, |before| before.held.len());
            let held = forecast::held(&other, dealing(app, &other), whole, &mut self.budget);
            let seen = caller.check_see(&other).is_ok();
            let found = held.ok().map(|held| Other {
                name: seen.then_some(other.profile.name),
                range: whole,
                held,
            });
            let length = found.as_ref().map_or(0, |found| found.held.len());
            self.room = self.room.saturating_sub(length);
            self.others.insert(other.id, found);
        }
        Ok(())
    }

    /// Adds the duty in a rotation as it is stored; none where that is not known.
    fn add(&self, duty: &mut Duty, id: &RotationId, range: Interval) {
        let other = self.others.get(id).and_then(Option::as_ref);
        let held = other.map_or(Cow::Borrowed(&[] as &[Held]), |other| within(other, range));
        let name = other.and_then(|other| other.name.as_deref());
        duty.add(id, name, &held, |_| true);
    }
}

/// The part of a plan that lies in a range.
fn within(other: &Other, range: Interval) -> Cow<'_, [Held]> {
    let lies_within = |held: &Held| held.period.meets(range) == Some(held.period);
    if other.held.iter().all(lies_within) {
        return Cow::Borrowed(&other.held);
    }
    let cut = other.held.iter().filter_map(|held| {
        Some(Held {
            period: held.period.meets(range)?,
            ..held.clone()
        })
    });
    Cow::Owned(cut.collect())
}
