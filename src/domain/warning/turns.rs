//! Turns on end.

use super::Warning;
use super::free::Free;
use super::scene::{Scene, Turn};
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A turn of somebody begins where another one of theirs in the rotation ends, by hand-over or on call. All that follow each other
/// are told together. Where missed turns are traded, nothing is told of turns for none of which another member could have been free.
/// On a partner's schedule shifts may be cut anywhere, so they are not looked at.
pub(super) fn back_to_back(scene: &Scene) -> Vec<Warning> {
    if scene.rotation.external.is_some() {
        return Vec::new();
    }
    let mut of_people: BTreeMap<&UserId, Vec<&Turn>> = BTreeMap::new();
    for turn in &scene.turns {
        of_people.entry(turn.user).or_default().push(turn);
    }
    let free = Free::of(scene);
    let is_avoidable = |turn: &&Turn| free.as_ref().is_none_or(|free| free.has_other(turn));
    let mut found = Vec::new();
    for (user, turns) in of_people {
        for (period, turns) in chains(&turns) {
            if !turns.iter().any(is_avoidable) {
                continue;
            }
            let cells: BTreeSet<usize> = turns.iter().map(|turn| turn.cell).collect();
            let text = format!(
                "{} has {} turns without a free day.",
                scene.name(user),
                in_words(turns.len())
            );
            let (kind, users) = (WarningKind::BackToBack, vec![user.clone()]);
            found.push(match cells.first() {
                Some(cell) if cells.len() == 1 => scene.in_cell(kind, *cell, period, users, text),
                _ => scene.of_all(kind, period, users, text),
            });
        }
    }
    found
}

/// The turns of one person that follow each other, with the time from the first instant on call to the last.
fn chains<'t>(turns: &[&'t Turn<'t>]) -> Vec<(Interval, Vec<&'t Turn<'t>>)> {
    // A hand-over follows a hand-over, and being on call follows being on call.
    let mut ends: BTreeMap<(bool, Timestamp), Vec<usize>> = BTreeMap::new();
    for (index, turn) in turns.iter().enumerate() {
        let on_call = turn.on_call.iter().map(|span| (true, span.until));
        for end in on_call.chain([(false, turn.whole.until)]) {
            ends.entry(end).or_default().push(index);
        }
    }
    // Which turn each one is joined to: the first of a chain is joined to itself.
    let mut joined: Vec<usize> = (0..turns.len()).collect();
    for (index, turn) in turns.iter().enumerate() {
        let on_call = turn.on_call.iter().map(|span| (true, span.from));
        for start in on_call.chain([(false, turn.whole.from)]) {
            let Some(before) = ends.get_mut(&start) else {
                continue;
            };
            for before in &*before {
                let [one, other] = [*before, index].map(|turn| first(&mut joined, turn));
                joined[one.max(other)] = one.min(other);
            }
            // They are joined to one another now.
            before.truncate(1);
        }
    }
    let mut chains: BTreeMap<usize, Vec<&Turn>> = BTreeMap::new();
    for (index, turn) in turns.iter().enumerate() {
        let first = first(&mut joined, index);
        chains.entry(first).or_default().push(turn);
    }
    let told = chains.into_values().filter(|turns| turns.len() > 1);
    let told = told.filter_map(|turns| {
        let spans = turns.iter().flat_map(|turn| &turn.on_call);
        let from = spans.clone().map(|span| span.from).min()?;
        let until = spans.map(|span| span.until).max()?;
        Some((Interval { from, until }, turns))
    });
    told.collect()
}

/// The first turn of the chain that a turn is in. What is passed on the way is joined closer to it, so that it is soon found again.
fn first(joined: &mut [usize], mut turn: usize) -> usize {
    while joined[turn] != turn {
        joined[turn] = joined[joined[turn]];
        turn = joined[turn];
    }
    turn
}

fn in_words(count: usize) -> String {
    match count {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        more => more.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One person in twenty lanes that hand over every half hour of ninety days, but for one half hour in the middle.
    #[test]
    fn very_many_turns_on_end() {
        let user = UserId::from("a");
        let at = |half_hour: i64| Timestamp::from_second(half_hour * 1_800).expect("an instant");
        let span = |from, until| Interval {
            from: at(from),
            until: at(until),
        };
        let begins = (0..48 * 90).filter(|begin| *begin != 2_000);
        let turns = begins.flat_map(|begin| {
            let user = &user;
            (0..20).map(move |cell| Turn {
                cell,
                user,
                whole: span(begin, begin + 1),
                on_call: vec![span(begin, begin + 1)],
            })
        });
        let turns: Vec<Turn> = turns.collect();
        let turns: Vec<&Turn> = turns.iter().collect();
        let found = chains(&turns).into_iter();
        let found: Vec<_> = found.map(|(period, turns)| (period, turns.len())).collect();
        assert_eq!(
            found,
            [
                (span(0, 2_000), 20 * 2_000),
                (span(2_001, 48 * 90), 20 * (48 * 90 - 2_001)),
            ]
        );
    }
}
