//! The duty of one person in this rotation and in others together.

use super::duty::{Place, Rest, Run};
use super::scene::{Scene, length};
use super::{MOST_OF_A_KIND, Warning};
use crate::domain::ids::UserId;
use crate::domain::rotation::Rotation;
use crate::domain::time::{Interval, joined};
use crate::domain::warning_kinds::WarningKind;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Less rest between two turns than the rotation wants. Turns on end in one rotation have a kind of their own. What is told is the
/// rest that is due, from the end of the first turn.
pub(super) fn short_rest(scene: &Scene) -> Vec<Warning> {
    let kind = WarningKind::ShortRest;
    let due = SignedDuration::from_hours(i64::from(hours_due(scene.rotation)));
    let Some(here) = scene.duty.index_of(&scene.rotation.id) else {
        return Vec::new();
    };
    let people: BTreeSet<&UserId> = scene.turns.iter().map(|turn| turn.user).collect();
    let mut found = Vec::new();
    for user in people {
        let rests = scene.duty.rests(user).iter();
        let rests = rests.take_while(|rest| rest.period.from < scene.begins_before(kind));
        for rest in rests.filter(|rest| rest.period.length() < due) {
            let from = rest.period.from;
            let until = from.saturating_add(due).unwrap_or(scene.range.until);
            let told = Interval::new(from, until.min(scene.range.until));
            for (cell, text) in rest_told(scene, here, user, rest) {
                let users = vec![user.clone()];
                found.push(scene.in_cell(kind, cell, told, users, text));
            }
        }
    }
    found
}

/// The hours of rest that a rotation wants: those that it deals by, where they are more than those that it is to warn of.
fn hours_due(rotation: &Rotation) -> u32 {
    let dealt_by = rotation.dealing.rest_hours.into();
    rotation.profile.warnings.short_rest_hours.max(dealt_by)
}

/// The warning of one rest: the cell here, the later one where both are, and a sentence that names the first two turns that it is
/// between.
fn rest_told(
    scene: &Scene,
    here: u32,
    user: &UserId,
    Rest {
        period,
        before,
        after,
    }: &Rest,
) -> Vec<(usize, String)> {
    let [ends, begins] = [before, after].map(|places| scene.duty.of_rotation(places, here));
    let mut first: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for later in begins.clone() {
        // Turns on end in this rotation are another kind, and the same turn goes on.
        let is_rest = |&earlier: &usize| {
            let on_end = period.is_empty() && ends.contains(&earlier);
            !on_end && before[earlier] != after[later]
        };
        if let Some(earlier) = (0..before.len()).find(is_rest) {
            let pair = first.entry(after[later].cell).or_insert((earlier, later));
            *pair = (*pair).min((earlier, later));
        }
    }
    let there = (0..after.len()).find(|later| !begins.contains(later));
    for earlier in ends {
        if let Some(later) = there {
            let pair = first.entry(before[earlier].cell);
            let pair = pair.or_insert((earlier, later));
            *pair = (*pair).min((earlier, later));
        }
    }
    let name = scene.name(user);
    let due = hours_due(scene.rotation);
    let rest = match period.is_empty() {
        true => "no rest".to_owned(),
        false => format!("only {} of rest", length(period.length())),
    };
    let told = first.into_iter().map(|(cell, (earlier, later))| {
        let places = [before[earlier], after[later]];
        let between = match places.iter().all(|place| place.rotation == here) {
            true => "two turns".to_owned(),
            false => {
                let [earlier, later] = places.map(|place| place_called(scene, here, place));
                format!("a turn {earlier} and one {later}")
            }
        };
        let text = format!("{name} has {rest} between {between}; {due} h are wanted.");
        (cell as usize, text)
    });
    told.collect()
}

/// Where a turn is: `here`, `in Payments`.
fn place_called(scene: &Scene, here: u32, place: Place) -> String {
    match place.rotation == here {
        true => "here".to_owned(),
        false => format!("in {}", called(scene, Some(place.rotation))),
    }
}

/// The name of a rotation, one that the reader may not see included.
fn called(scene: &Scene, rotation: Option<u32>) -> String {
    match rotation.map(|rotation| scene.duty.rotation(rotation)) {
        Some((id, named)) => scene.rotation_called(id, named),
        None => "another rotation".to_owned(),
    }
}

/// Somebody is on call here and in another rotation at once. Stretches that touch are one, and so are those with other rotations that
/// the reader may not see.
pub(super) fn double_duty(scene: &Scene) -> Vec<Warning> {
    let kind = WarningKind::DoubleDuty;
    let mut here: BTreeMap<(usize, &UserId), Vec<Interval>> = BTreeMap::new();
    for turn in &scene.turns {
        let on_call = here.entry((turn.cell, turn.user)).or_default();
        on_call.extend(&turn.on_call);
    }
    let own = scene.duty.index_of(&scene.rotation.id);
    let mut found = Vec::new();
    for ((cell, user), on_call) in here {
        let runs = scene.duty.runs(user);
        let both = first_shared(&joined(on_call), (runs, own), scene.begins_before(kind));
        let both = both.into_iter();
        found.extend(both.map(|(period, run)| (period.from, cell, user, run.rotation, period)));
    }
    // With many rotations there are far more than are told, so sentences are made of those alone.
    let id = |rotation: Option<u32>| rotation.map(|rotation| scene.duty.rotation(rotation).0);
    found.sort_by_key(|(from, cell, user, rotation, _)| (*from, *cell, *user, id(*rotation)));
    found.truncate(MOST_OF_A_KIND);
    let told = found.into_iter().map(|(_, cell, user, rotation, period)| {
        let text = format!(
            "{} is on call here{} and in {} at the same time.",
            scene.name(user),
            scene.place(cell),
            called(scene, rotation),
        );
        scene.in_cell(kind, cell, period, vec![user.clone()], text)
    });
    told.collect()
}

/// The parts that some intervals, in order and apart, share with runs in other rotations than the `own`, by where it begins: what begins
/// before an instant, and at least the first [`MOST_OF_A_KIND`] where there are more.
fn first_shared<'r>(
    on_call: &[Interval],
    (runs, own): (&'r [Run], Option<u32>),
    end: Timestamp,
) -> Vec<(Interval, &'r Run)> {
    let mut others = runs
        .iter()
        .filter(|run| run.rotation.is_none() || run.rotation != own)
        .peekable();
    // Those that have begun and may go on.
    let mut running: Vec<&Run> = Vec::new();
    let mut shared: Vec<(Interval, &Run)> = Vec::new();
    for span in on_call {
        running.retain(|run| run.period.until > span.from);
        while let Some(run) = others.next_if(|run| run.period.from <= span.from) {
            running.extend((run.period.until > span.from).then_some(run));
        }
        let both = |run: &'r Run| Some((run.period.meets(*span)?, run));
        if span.from < end {
            shared.extend(running.iter().copied().filter_map(both));
        }
        while let Some(run) = others.next_if(|run| run.period.from < span.until) {
            let most = shared.get(MOST_OF_A_KIND - 1);
            if run.period.from >= end || most.is_some_and(|(most, _)| most.from < run.period.from) {
                return shared;
            }
            running.push(run);
            shared.extend(both(run));
        }
        if span.from >= end || shared.len() >= MOST_OF_A_KIND {
            return shared;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: i64, until: i64) -> Interval {
        let [from, until] =
            [from, until].map(|hour| Timestamp::from_second(hour * 3_600).expect("an instant"));
        Interval { from, until }
    }

    #[test]
    fn shared_stretches_come_by_where_they_begin_and_no_more_than_needed() {
        let run = |rotation, from, until| Run {
            period: span(from, until),
            rotation,
        };
        let runs = [
            run(Some(1), 0, 100),
            run(Some(0), 0, 100),
            run(None, 5, 12),
            run(Some(2), 11, 13),
            run(Some(3), 20, 21),
            run(Some(2), 30, 31),
        ];
        let on_call = [span(2, 10), span(12, 22), span(40, 50)];
        let all = [
            (span(2, 10), Some(1)),
            (span(5, 10), None),
            (span(12, 22), Some(1)),
            (span(12, 13), Some(2)),
            (span(20, 21), Some(3)),
            (span(40, 50), Some(1)),
        ];
        for (end, expected) in [(100, 6), (40, 5), (20, 4), (13, 4), (12, 2), (3, 1), (2, 0)] {
            let shared = first_shared(&on_call, (&runs, Some(0)), span(end, end).from);
            let shared = shared.iter().map(|(period, run)| (*period, run.rotation));
            assert_eq!(shared.collect::<Vec<_>>(), all[..expected], "{end}");
        }
        // Very many at once: all that begin with the last one that is told, and none of those that follow.
        let many: Vec<Run> = (0..5_000)
            .map(|index| run(Some(index), i64::from(index / 600), 90))
            .collect();
        let shared = first_shared(&[span(0, 80)], (&many, None), span(80, 80).from);
        assert_eq!(shared.len(), 1_200);
    }
}
