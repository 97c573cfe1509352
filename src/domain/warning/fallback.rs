//! One absence more, and nobody is left.

use super::Warning;
use super::scene::Scene;
use super::spans;
use crate::domain::ids::UserId;
use crate::domain::time::{Interval, joined};
use crate::domain::warning_kinds::WarningKind;
use std::collections::BTreeMap;

/// While somebody is on call in a cell, everybody else in its roster is absent, or on call elsewhere in the rotation where that is in
/// the way.
pub(super) fn no_fallback(scene: &Scene) -> Vec<Warning> {
    let rotation = scene.rotation;
    if rotation.external.is_some() {
        return Vec::new();
    }
    let busy = busy(scene);
    let times = |user: &UserId| busy.get(user).map_or(&[] as &[Interval], Vec::as_slice);
    let mut found = Vec::new();
    for cell in 0..rotation.cells.len() {
        let order = rotation.order(rotation.roster(scene.cell(cell).roster.as_ref()));
        let mut alone: BTreeMap<&UserId, Vec<Interval>> = BTreeMap::new();
        for held in scene.held_in(cell) {
            let Some(user) = held.on_call() else { continue };
            let others = order.iter().filter(|other| other.user != *user);
            let mut others = others.map(|other| times(&other.user));
            // Mostly there is somebody who can take over at any time of it.
            let is_free = |times: &[Interval]| spans::within(times, held.period).next().is_none();
            if others.clone().any(is_free) {
                continue;
            }
            let first = vec![held.period];
            let rest = others.try_fold(first, |rest, times| {
                Some(spans::shared(&rest, times)).filter(|rest| !rest.is_empty())
            });
            let rest = rest.unwrap_or_default();
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

/// When people cannot take over.
fn busy<'s>(scene: &Scene<'s>) -> BTreeMap<&'s UserId, Vec<Interval>> {
    let mut busy = match scene.rotation.double_cover {
        true => BTreeMap::new(),
        false => scene.on_call(),
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
