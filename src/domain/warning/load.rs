//! Who carries far more than others.

use super::Warning;
use super::scene::Scene;
use crate::domain::ids::UserId;
use crate::domain::roster;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use jiff::SignedDuration;
use std::collections::BTreeMap;

/// The time on call of one person is more than 1.5 times the mean of all members and whoever else is on call. Being on call in two
/// cells at once counts once. On a partner's schedule too little is known ahead.
pub(super) fn unfair(scene: &Scene) -> Vec<Warning> {
    if scene.rotation.external.is_some() {
        return Vec::new();
    }
    let members = roster::order(&scene.rotation.members, None);
    let mut shares: BTreeMap<&UserId, SignedDuration> = members
        .iter()
        .map(|member| (&member.user, SignedDuration::ZERO))
        .collect();
    for (user, on_call) in scene.on_call() {
        shares.insert(*user, on_call.iter().map(Interval::length).sum());
    }
    let seconds = |time: &SignedDuration| i128::from(time.as_secs());
    let total: i128 = shares.values().map(seconds).sum();
    let people = shares.len() as i128;
    let mut found = Vec::new();
    for (user, share) in &shares {
        // share > 1.5 * total / people
        if 2 * people * seconds(share) <= 3 * total {
            continue;
        }
        let times = seconds(share) as f64 * people as f64 / total as f64;
        let text = format!(
            "{} carries {times:.1} times as much as the members do on average.",
            scene.name(user)
        );
        let users = vec![(*user).clone()];
        found.push(scene.of_all(WarningKind::Unfair, scene.range, users, text));
    }
    found
}
