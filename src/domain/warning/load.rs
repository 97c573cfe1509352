//! Who carries far more than others.

use super::Warning;
use super::scene::Scene;
use crate::domain::books::WHOLE;
use crate::domain::ids::UserId;
use crate::domain::roster::{self, Position};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use jiff::SignedDuration;
use std::collections::{BTreeMap, BTreeSet};

/// The time on call of one person is more than 1.5 times what is theirs by the shares of all members and whoever else is on call;
/// without shares that is the mean. Being on call in two cells at once counts once. A stand-in expects nothing, and is told of like
/// somebody with a whole share. On a partner's schedule too little is known ahead.
pub(super) fn unfair(scene: &Scene) -> Vec<Warning> {
    if scene.rotation.external.is_some() {
        return Vec::new();
    }
    let members = roster::order(&scene.rotation.members, None);
    let mut carried: BTreeMap<&UserId, SignedDuration> = members
        .iter()
        .map(|member| (&member.user, SignedDuration::ZERO))
        .collect();
    for (user, on_call) in scene.on_call() {
        carried.insert(*user, on_call.iter().map(Interval::length).sum());
    }
    let seconds = |time: &SignedDuration| i128::from(time.as_secs());
    let total: i128 = carried.values().map(seconds).sum();
    let helpers = everybody_of_some_roster(scene.rotation);
    let percent = |user: &UserId| match helpers.contains(user) {
        true => i128::from(WHOLE),
        false => i128::from(scene.rotation.dealing.percent(user)),
    };
    let all: i128 = carried.keys().map(|user| percent(user)).sum();
    let has_shares = carried
        .keys()
        .any(|user| percent(user) != i128::from(WHOLE));
    let mut found = Vec::new();
    for (user, time) in &carried {
        let expects = match percent(user) {
            0 => i128::from(WHOLE),
            percent => percent,
        };
        // time > 1.5 * total * expects / all
        if 2 * all * seconds(time) <= 3 * total * expects {
            continue;
        }
        let times = seconds(time) as f64 * all as f64 / (total * expects) as f64;
        let (who, than) = (
            scene.name(user),
            match has_shares {
                true => "by everybody's share is theirs",
                false => "the members do on average",
            },
        );
        let text = format!("{who} carries {times:.1} times as much as {than}.");
        let users = vec![(*user).clone()];
        found.push(scene.of_all(WarningKind::Unfair, scene.range, users, text));
    }
    found
}

/// The people of rosters that have nobody but stand-ins: all of them take every turn of theirs.
fn everybody_of_some_roster(rotation: &Rotation) -> BTreeSet<UserId> {
    let orders = rotation.rosters.iter();
    let orders = orders.map(|roster| roster::order(&rotation.members, roster.narrowed.as_ref()));
    let helps = |position: &Position| rotation.dealing.percent(&position.user) == 0;
    let of_stand_ins = orders.filter(|order| order.iter().all(helps));
    of_stand_ins
        .flatten()
        .map(|position| position.user)
        .collect()
}
