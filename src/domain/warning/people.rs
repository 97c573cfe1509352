//! People on call who cannot be reached, and what is known of them from outside.

use super::Warning;
use super::scene::Scene;
use super::spans;
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use std::collections::BTreeMap;

/// Somebody on call or next in a cell is deactivated or, on a partner's schedule, unknown here. Next is whoever follows whoever is on
/// call now.
pub(super) fn unreachable(scene: &Scene) -> Vec<Warning> {
    let mut found = Vec::new();
    for cell in 0..scene.rotation.cells.len() {
        let held = scene.held_in(cell).iter();
        let is_held = |held: &&super::Held| held.user.is_some() || held.outside.is_some();
        let held: Vec<_> = held.filter(is_held).collect();
        // The stretches of those who have the cell first; then of those who have it next.
        let now = |held: &&&super::Held| held.period.from <= scene.range.from;
        let next = held
            .iter()
            .map(|held| held.period.from)
            .find(|from| *from > scene.range.from && is_new(&held, *from, scene));
        let concerned = held
            .iter()
            .filter(|held| now(held) || Some(held.period.from) == next);
        let mut told: BTreeMap<(Option<&UserId>, Option<&str>), Vec<Interval>> = BTreeMap::new();
        for held in concerned {
            let known = held.user.as_ref().map(|user| {
                let known = scene.around.people.get(user);
                known.is_some_and(|known| !known.is_deactivated)
            });
            if known != Some(true) {
                let who = (held.user.as_ref(), held.outside.as_deref());
                told.entry(who).or_default().push(held.period);
            }
        }
        for ((user, outside), periods) in told {
            for period in spans::union(periods) {
                let text = match user {
                    Some(user) => format!(
                        "{} is on call{} and is deactivated.",
                        scene.name(user),
                        scene.place(cell)
                    ),
                    None => format!(
                        "{} is on call by the partner's schedule, and nobody here is known to be them.",
                        outside.unwrap_or("Somebody")
                    ),
                };
                let users = user.cloned().into_iter().collect();
                found.push(scene.in_cell(WarningKind::Unreachable, cell, period, users, text));
            }
        }
    }
    found
}

/// Whether somebody begins at an instant who does not have the cell at the beginning of the range.
fn is_new(held: &[&super::Held], at: jiff::Timestamp, scene: &Scene) -> bool {
    let who = |held: &super::Held| (held.user.clone(), held.outside.clone());
    let now: Vec<_> = held
        .iter()
        .filter(|held| held.period.from <= scene.range.from)
        .map(|held| who(held))
        .collect();
    let mut starting = held.iter().filter(|held| held.period.from == at);
    starting.any(|held| !now.contains(&who(held)))
}

/// Somebody is on call while they are absent. Stretches with only shut hours between them are one.
pub(super) fn absent_on_duty(scene: &Scene) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut on_call: BTreeMap<(usize, &UserId), Vec<Interval>> = BTreeMap::new();
    for held in scene.held {
        if let Some(user) = held.on_call() {
            on_call
                .entry((held.cell, user))
                .or_default()
                .push(held.period);
        }
    }
    for ((cell, user), on_call) in on_call {
        let away = scene.dealing.absences.of(user).map(|away| away.period);
        let away = spans::union(away.collect());
        let both = spans::shared(&spans::union(on_call), &away);
        for period in scene.over_shut_hours(cell, both) {
            let text = format!(
                "{} is on call{} while absent.",
                scene.name(user),
                scene.place(cell)
            );
            let users = vec![user.clone()];
            found.push(scene.in_cell(WarningKind::AbsentOnDuty, cell, period, users, text));
        }
    }
    found
}

/// A calendar of a member, or the schedule of the partner, cannot be read.
pub(super) fn stale_sources(scene: &Scene) -> Vec<Warning> {
    let (kind, range) = (WarningKind::StaleSource, scene.range);
    let mut found = Vec::new();
    if scene.around.is_partner_unread {
        let text =
            "The partner's schedule cannot be read: what is known of it may be old.".to_owned();
        found.push(scene.in_cell(kind, 0, range, Vec::new(), text));
    }
    let unread = &scene.around.unread_calendars;
    for user in unread.iter().filter(|user| scene.rotation.has_member(user)) {
        let text = format!(
            "A calendar of {} cannot be read: absences may be missing.",
            scene.name(user)
        );
        found.push(scene.of_all(kind, range, vec![user.clone()], text));
    }
    found
}
