//! Nights on call that would be days for others.

use super::Warning;
use super::scene::{Scene, length};
use crate::domain::ids::UserId;
use crate::domain::load;
use crate::domain::roster;
use crate::domain::time::{Interval, shared, within};
use crate::domain::warning_kinds::WarningKind;
use crate::domain::zones::ZoneName;
use jiff::SignedDuration;
use std::collections::{BTreeMap, BTreeSet};

/// Part of a turn lies in the night of whoever has it, and all of that part in the day of another member. One warning a turn, from the
/// first such night to the last.
pub(super) fn night_work(scene: &Scene) -> Vec<Warning> {
    let zone_of = |user: &UserId| scene.around.people.get(user)?.zone;
    let members = roster::order(&scene.rotation.members, None);
    let zones = members.iter().filter_map(|member| zone_of(&member.user));
    let zones: BTreeSet<ZoneName> = zones.collect();
    let on_call = scene.turns.iter().filter_map(|turn| zone_of(turn.user));
    let all: BTreeSet<ZoneName> = zones.iter().copied().chain(on_call).collect();
    let nights = all
        .into_iter()
        .map(|zone| (zone, load::nights(zone, scene.range)));
    let nights: BTreeMap<ZoneName, Vec<Interval>> = nights.collect();
    let mut found = Vec::new();
    for turn in &scene.turns {
        let Some(zone) = zone_of(turn.user) else {
            continue;
        };
        let mut told: Option<(Interval, SignedDuration)> = None;
        for night in shared(&turn.on_call, &nights[&zone]) {
            // In their own zone it is night.
            let by_day = |zone: &ZoneName| within(&nights[zone], night).next().is_none();
            if !zones.iter().any(by_day) {
                continue;
            }
            let (from, sum) = told.map_or((night.from, SignedDuration::ZERO), |(whole, sum)| {
                (whole.from, sum)
            });
            let until = night.until;
            told = Some((Interval { from, until }, sum + night.length()));
        }
        if let Some((period, sum)) = told {
            let text = format!(
                "{} is on call{} for {} of their night, which is day for another member.",
                scene.name(turn.user),
                scene.place(turn.cell),
                length(sum)
            );
            let users = vec![turn.user.clone()];
            found.push(scene.in_cell(WarningKind::NightWork, turn.cell, period, users, text));
        }
    }
    found
}
