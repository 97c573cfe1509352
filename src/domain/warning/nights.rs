//! Nights on call that would be days for others.

use super::Warning;
use super::scene::Scene;
use super::spans;
use crate::domain::roster;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use crate::domain::zones::ZoneName;
use jiff::civil::{Date, Time, time};
use jiff::{SignedDuration, ToSpan};
use std::collections::BTreeMap;

/// A night begins at 22:00 and ends at 06:00.
const BEGINS: Time = time(22, 0, 0, 0);
const ENDS: Time = time(6, 0, 0, 0);

/// Part of a turn lies in the night of whoever has it, and all of that part in the day of another member. One warning a turn, from the
/// first such night to the last.
pub(super) fn night_work(scene: &Scene) -> Vec<Warning> {
    let mut nights: BTreeMap<&'static str, Vec<Interval>> = BTreeMap::new();
    let members = roster::order(&scene.rotation.members, None);
    let zones = members.iter().filter_map(|member| {
        let known = scene.around.people.get(&member.user)?;
        Some((&member.user, known.zone?))
    });
    let zones: Vec<_> = zones.collect();
    let on_call = scene.turns.iter().map(|turn| turn.user);
    let theirs = on_call.filter_map(|user| scene.around.people.get(user)?.zone);
    for zone in zones.iter().map(|(_, zone)| *zone).chain(theirs) {
        let known = nights.entry(zone.as_str());
        known.or_insert_with(|| nights_of(zone, scene.range));
    }
    let mut found = Vec::new();
    for turn in &scene.turns {
        let Some(zone) = scene.around.people.get(turn.user).and_then(|it| it.zone) else {
            continue;
        };
        let mut told: Option<(Interval, SignedDuration)> = None;
        for night in spans::shared(&turn.on_call, &nights[zone.as_str()]) {
            let by_day = zones.iter().any(|(user, zone)| {
                let nights = &nights[zone.as_str()];
                *user != turn.user && spans::within(nights, night).next().is_none()
            });
            if !by_day {
                continue;
            }
            let length = night.until.duration_since(night.from);
            told = Some(match told {
                None => (night, length),
                Some((whole, sum)) => {
                    let until = night.until;
                    (Interval { until, ..whole }, sum + length)
                }
            });
        }
        if let Some((period, sum)) = told {
            let hours = super::scene::length(Interval {
                from: period.from,
                until: period.from.saturating_add(sum).unwrap_or(period.until),
            });
            let text = format!(
                "{} is on call{} for {hours} of their night, which is day for another member.",
                scene.name(turn.user),
                scene.place(turn.cell)
            );
            let users = vec![turn.user.clone()];
            found.push(scene.in_cell(WarningKind::NightWork, turn.cell, period, users, text));
        }
    }
    found
}

/// The nights of a zone that meet a range.
fn nights_of(zone: ZoneName, range: Interval) -> Vec<Interval> {
    let date = |at| zone.tz().to_datetime(at).date();
    let first = date(range.from).checked_sub(1.day()).unwrap_or(Date::MIN);
    let last = date(range.until);
    let days = first.series(1.day()).take_while(|day| *day <= last);
    let at = |date: Date, time: Time| {
        let local = zone.tz().to_ambiguous_timestamp(date.to_datetime(time));
        local.compatible().ok()
    };
    let nights = days.filter_map(|day| {
        let next = day.checked_add(1.day()).ok()?;
        let night = Interval {
            from: at(day, BEGINS)?,
            until: at(next, ENDS)?,
        };
        night.meets(range)
    });
    spans::union(nights.collect())
}
