//! One absence more, and nobody is left.

use super::Warning;
use super::scene::Scene;
use crate::domain::ids::{RosterId, UserId};
use crate::domain::time::{Interval, joined, within, without};
use crate::domain::warning_kinds::WarningKind;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// While somebody is on call in a cell, everybody else in its roster is absent, or on call elsewhere in the rotation where that is in
/// the way.
pub(super) fn no_fallback(scene: &Scene) -> Vec<Warning> {
    let rotation = scene.rotation;
    if rotation.external.is_some() {
        return Vec::new();
    }
    let busy = busy(scene);
    let times = |user: &UserId| busy.get(user).map_or(&[] as &[Interval], Vec::as_slice);
    let mut few_of: BTreeMap<Option<&RosterId>, Few> = BTreeMap::new();
    let mut found = Vec::new();
    for cell in 0..rotation.cells.len() {
        let roster = scene.cell(cell).roster.as_ref();
        let few = few_of.entry(roster).or_insert_with(|| {
            let order = rotation.order(rotation.roster(roster));
            Few::of(
                order.into_iter().map(|one| one.user).collect(),
                times,
                scene.range,
            )
        });
        let mut alone: BTreeMap<&UserId, Vec<Interval>> = BTreeMap::new();
        for held in scene.held_in(cell) {
            let Some(user) = held.on_call() else { continue };
            let rest = few.without(user, times(user), held.period);
            if !rest.is_empty() {
                alone.entry(user).or_default().extend(rest);
            }
        }
        for (user, stretches) in alone {
            for period in scene.over_shut_hours(cell, stretches) {
                let text = format!(
                    "If {} drops out, nobody is left to take over{}.",
                    scene.name(user),
                    scene.place(cell)
                );
                let users = vec![user.clone()];
                found.push(scene.in_cell(WarningKind::NoFallback, cell, period, users, text));
            }
        }
    }
    found
}

/// When nobody of a roster can take over, or one person alone.
struct Few {
    people: BTreeSet<UserId>,
    nobody: Vec<Interval>,
    one: Vec<Interval>,
}

impl Few {
    /// Counts who can within a range, by when each of them cannot.
    fn of<'s>(
        people: BTreeSet<UserId>,
        busy: impl Fn(&UserId) -> &'s [Interval],
        range: Interval,
    ) -> Few {
        let mut changes: Vec<(Timestamp, i64)> = Vec::new();
        for user in &people {
            for span in busy(user) {
                changes.extend([(span.from, -1), (span.until, 1)]);
            }
        }
        changes.push((range.until, 0));
        changes.sort_unstable();
        let (mut nobody, mut one) = (Vec::new(), Vec::new());
        let (mut free, mut from) = (people.len() as i64, range.from);
        for (until, change) in changes {
            match free {
                0 => nobody.push(Interval { from, until }),
                1 => one.push(Interval { from, until }),
                _ => (),
            }
            (free, from) = (free + change, until);
        }
        Few {
            people,
            nobody: joined(nobody),
            one: joined(one),
        }
    }

    /// When nobody but somebody could take over, who is `busy` at some times themselves.
    fn without(&self, user: &UserId, busy: &[Interval], period: Interval) -> Vec<Interval> {
        let mut found: Vec<Interval> = within(&self.nobody, period).collect();
        if self.people.contains(user) {
            let one: Vec<Interval> = within(&self.one, period).collect();
            found.extend(without(&one, busy));
        }
        joined(found)
    }
}

/// When people cannot take over.
fn busy<'s>(scene: &Scene<'s>) -> BTreeMap<&'s UserId, Vec<Interval>> {
    let mut busy = match scene.rotation.double_cover {
        true => BTreeMap::new(),
        false => scene.on_call().clone(),
    };
    for (user, away) in scene.dealing.absences.iter() {
        let within = away.period.meets(scene.range);
        busy.entry(user).or_default().extend(within);
    }
    for spans in busy.values_mut() {
        *spans = joined(std::mem::take(spans));
    }
    busy
}
