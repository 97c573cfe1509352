//! People on call who cannot be reached, and what is known of them from outside.

use super::Warning;
use super::scene::Scene;
use crate::domain::ids::UserId;
use crate::domain::time::{Interval, joined, shared};
use crate::domain::warning_kinds::WarningKind;
use std::collections::BTreeMap;

/// Whoever has a cell for a time: somebody known here, or what somebody else is called.
struct Having<'a> {
    user: Option<&'a UserId>,
    outside: Option<&'a str>,
    period: Interval,
}

/// Somebody on call or next in a cell is deactivated or, on a partner's schedule, unknown here. Next is whoever follows those who
/// have the cell at the beginning of the range.
pub(super) fn unreachable(scene: &Scene) -> Vec<Warning> {
    let mut found = Vec::new();
    for (cell, all) in having(scene) {
        let who = |one: &Having| (one.user.cloned(), one.outside.map(str::to_owned));
        let is_now = |one: &&Having| one.period.from <= scene.range.from;
        let now: Vec<_> = all.iter().filter(is_now).map(who).collect();
        let mut later = all
            .iter()
            .filter(|one| !is_now(one) && !now.contains(&who(one)));
        let next = later.next().map(|one| one.period.from);
        let concerned = all
            .iter()
            .filter(|one| is_now(one) || Some(one.period.from) == next);
        let mut told: BTreeMap<(Option<&UserId>, Option<&str>), Vec<Interval>> = BTreeMap::new();
        for one in concerned.filter(|one| !is_reached(scene, one)) {
            let who = (one.user, one.outside);
            told.entry(who).or_default().push(one.period);
        }
        for ((user, outside), periods) in told {
            for period in joined(periods) {
                let text = match user {
                    Some(user) => format!(
                        "{} is on call{} and is deactivated.",
                        scene.name(user),
                        scene.place(cell)
                    ),
                    None => format!(
                        "{} is on call by the partner's schedule and is nobody known in chat.",
                        outside.filter(|_| scene.has_names()).unwrap_or("Somebody")
                    ),
                };
                let users = user.cloned().into_iter().collect();
                found.push(scene.in_cell(WarningKind::Unreachable, cell, period, users, text));
            }
        }
    }
    found
}

/// Those who have each cell, by where they begin: turns, or on a partner's schedule shifts.
fn having<'s>(scene: &'s Scene) -> BTreeMap<usize, Vec<Having<'s>>> {
    let mut all: BTreeMap<usize, Vec<Having>> = BTreeMap::new();
    if scene.rotation.external.is_none() {
        for turn in &scene.turns {
            all.entry(turn.cell).or_default().push(Having {
                user: Some(turn.user),
                outside: None,
                period: turn.whole,
            });
        }
        return all;
    }
    for held in scene.held.iter().filter(|held| !held.is_vacant()) {
        all.entry(held.cell).or_default().push(Having {
            user: held.user.as_ref(),
            outside: held.outside.as_deref(),
            period: held.period,
        });
    }
    all
}

fn is_reached(scene: &Scene, one: &Having) -> bool {
    let known = one.user.and_then(|user| scene.around.people.get(user));
    known.is_some_and(|known| !known.is_deactivated)
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
        let away = scene.dealing.absences.periods_of(user);
        let both = shared(&joined(on_call), &away);
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
        found.push(Warning {
            since: scene.around.partner_read_at,
            ..scene.in_cell(kind, 0, range, Vec::new(), text)
        });
    }
    let unread = scene.around.unread_calendars.iter();
    for (user, read_at) in unread.filter(|(user, _)| scene.rotation.has_member(user)) {
        let text = format!(
            "A calendar of {} cannot be read: absences may be missing.",
            scene.name(user)
        );
        found.push(Warning {
            since: Some(*read_at),
            ..scene.of_all(kind, range, vec![user.clone()], text)
        });
    }
    found
}
