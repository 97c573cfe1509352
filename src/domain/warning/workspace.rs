//! What one person's duty in this rotation and in others comes to.

use super::scene::{Elsewhere, Scene, length};
use super::{MOST_OF_A_KIND, Warning};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::time::{Interval, joined, shared};
use crate::domain::warning_kinds::WarningKind;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// A stretch of one person on call, anywhere in the workspace.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    period: Interval,
    place: Place<'a>,
}

/// Which turn it belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Place<'a> {
    /// Index into the turns of the scene, and of its cell.
    Here { turn: usize, cell: usize },
    There {
        rotation: &'a RotationId,
        named: Option<&'a str>,
        turn: usize,
    },
}

impl<'a> Place<'a> {
    fn here(self) -> Option<usize> {
        match self {
            Place::Here { cell, .. } => Some(cell),
            Place::There { .. } => None,
        }
    }

    /// Where it is: `here`, `in Payments`.
    fn named(self, scene: &Scene) -> String {
        match self {
            Place::Here { .. } => "here".to_owned(),
            Place::There {
                rotation, named, ..
            } => format!("in {}", scene.rotation_called(rotation, named)),
        }
    }
}

/// Whoever is on call here, with all of their stretches, by where they begin.
fn everywhere<'a>(scene: &'a Scene) -> BTreeMap<&'a UserId, Vec<Stretch<'a>>> {
    let mut all: BTreeMap<&UserId, Vec<Stretch>> = BTreeMap::new();
    for (index, turn) in scene.turns.iter().enumerate() {
        let place = Place::Here {
            turn: index,
            cell: turn.cell,
        };
        let stretches = turn.on_call.iter().map(|period| Stretch {
            period: *period,
            place,
        });
        all.entry(turn.user).or_default().extend(stretches);
    }
    for there in &scene.around.elsewhere {
        let Some(stretches) = all.get_mut(&there.user) else {
            continue;
        };
        let within = there.stretches.iter().filter_map(|stretch| {
            let period = stretch.period.meets(scene.range)?;
            let place = Place::There {
                rotation: &there.rotation,
                named: there.named.as_deref(),
                turn: stretch.turn,
            };
            Some(Stretch { period, place })
        });
        stretches.extend(within);
    }
    for stretches in all.values_mut() {
        stretches.sort_by_key(|stretch| stretch.period);
    }
    all
}

/// Less rest between two turns than the rotation wants. Turns on end in one rotation have a kind of their own. What is told is the
/// rest that is due, from the end of the first turn.
pub(super) fn short_rest(scene: &Scene) -> Vec<Warning> {
    let hours = scene.rotation.profile.warnings.short_rest_hours;
    let due = SignedDuration::from_hours(i64::from(hours));
    let mut found = Vec::new();
    for (user, stretches) in everywhere(scene) {
        // The latest end so far, and the stretches that end then.
        let mut ended: Option<(Timestamp, Vec<Place>)> = None;
        for starting in stretches.chunk_by(|one, other| one.period.from == other.period.from) {
            let start = starting[0].period.from;
            if let Some((end, before)) = &ended
                && *end <= start
                && start.duration_since(*end) < due
            {
                let rest = Interval {
                    from: *end,
                    until: start,
                };
                let until = end.saturating_add(due).unwrap_or(scene.range.until);
                let told = Interval {
                    from: *end,
                    until: until.min(scene.range.until),
                };
                for (cell, text) in rests(scene, user, rest, (before, starting)) {
                    let users = vec![user.clone()];
                    found.push(scene.in_cell(WarningKind::ShortRest, cell, told, users, text));
                }
            }
            for stretch in starting {
                let until = stretch.period.until;
                match &mut ended {
                    Some((end, places)) if *end == until => places.push(stretch.place),
                    Some((end, _)) if *end > until => (),
                    _ => ended = Some((until, vec![stretch.place])),
                }
            }
        }
    }
    found
}

/// What is told of one rest: the cell here, the later one where both are, and a sentence.
fn rests(
    scene: &Scene,
    user: &UserId,
    rest: Interval,
    (before, after): (&[Place], &[Stretch]),
) -> BTreeMap<usize, String> {
    let due = scene.rotation.profile.warnings.short_rest_hours;
    let mut told = BTreeMap::new();
    for one in before {
        for other in after.iter().map(|stretch| &stretch.place) {
            let on_end = rest.is_empty() && one.here().is_some() && other.here().is_some();
            let Some(cell) = other
                .here()
                .or(one.here())
                .filter(|_| !on_end && one != other)
            else {
                continue;
            };
            let rest = match rest.is_empty() {
                true => "no rest".to_owned(),
                false => format!("only {} of rest", length(rest.length())),
            };
            let between = match (one.here(), other.here()) {
                (Some(_), Some(_)) => "two turns".to_owned(),
                _ => format!("a turn {} and one {}", one.named(scene), other.named(scene)),
            };
            let name = scene.name(user);
            let text = format!("{name} has {rest} between {between}; {due} h are wanted.");
            told.entry(cell).or_insert(text);
        }
    }
    told
}

/// Somebody is on call here and in another rotation at once. Stretches that touch are one, and so are those with other rotations that
/// the reader may not see.
pub(super) fn double_duty(scene: &Scene) -> Vec<Warning> {
    let mut theirs: BTreeMap<&UserId, BTreeMap<Option<&RotationId>, Vec<&Elsewhere>>> =
        BTreeMap::new();
    for there in &scene.around.elsewhere {
        let other = there.named.as_ref().map(|_| &there.rotation);
        let of_person = theirs.entry(&there.user).or_default();
        of_person.entry(other).or_default().push(there);
    }
    let mut here: BTreeMap<(usize, &UserId), Vec<Interval>> = BTreeMap::new();
    for turn in &scene.turns {
        let on_call = here.entry((turn.cell, turn.user)).or_default();
        on_call.extend(&turn.on_call);
    }
    let mut found = Vec::new();
    for ((cell, user), on_call) in here {
        let on_call = joined(on_call);
        for there in theirs.get(user).into_iter().flat_map(BTreeMap::values) {
            let stretches = there.iter().flat_map(|there| &there.stretches);
            let periods = joined(stretches.map(|stretch| stretch.period).collect());
            let both = shared(&on_call, &periods).into_iter();
            found.extend(both.map(|period| (period, cell, user, there[0])));
        }
    }
    // With many rotations there are far more than are told, so sentences are made of those alone.
    if found.len() > MOST_OF_A_KIND {
        found.sort_by_key(|(period, cell, user, _)| (period.from, *cell, *user));
        found.truncate(MOST_OF_A_KIND);
    }
    let told = found.into_iter().map(|(period, cell, user, there)| {
        let text = format!(
            "{} is on call here{} and in {} at the same time.",
            scene.name(user),
            scene.place(cell),
            scene.rotation_called(&there.rotation, there.named.as_deref()),
        );
        let users = vec![user.clone()];
        scene.in_cell(WarningKind::DoubleDuty, cell, period, users, text)
    });
    told.collect()
}
