//! Turns on end.

use super::Warning;
use super::scene::{Scene, Turn};
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A turn of somebody begins where another one of theirs in the rotation ends, by hand-over or on call. All that follow each other
/// are told together. On a partner's schedule shifts may be cut anywhere, so they are not looked at.
pub(super) fn back_to_back(scene: &Scene) -> Vec<Warning> {
    if scene.rotation.external.is_some() {
        return Vec::new();
    }
    let mut of_people: BTreeMap<&UserId, Vec<&Turn>> = BTreeMap::new();
    for turn in &scene.turns {
        of_people.entry(turn.user).or_default().push(turn);
    }
    let mut found = Vec::new();
    for (user, turns) in of_people {
        for (period, turns) in chains(&turns) {
            let cells: BTreeSet<usize> = turns.iter().map(|turn| turn.cell).collect();
            let text = format!(
                "{} has {} turns on end.",
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
    // The chain that each turn is in: a number that is lowered until all that follow each other share it.
    let mut chain: Vec<usize> = (0..turns.len()).collect();
    for (index, turn) in turns.iter().enumerate() {
        let on_call = turn.on_call.iter().map(|span| (true, span.from));
        for start in on_call.chain([(false, turn.whole.from)]) {
            for &before in ends.get(&start).into_iter().flatten() {
                let (one, other) = (chain[before], chain[index]);
                let (low, high) = (one.min(other), one.max(other));
                if low != high {
                    chain
                        .iter_mut()
                        .filter(|number| **number == high)
                        .for_each(|number| *number = low);
                }
            }
        }
    }
    let mut chains: BTreeMap<usize, Vec<&Turn>> = BTreeMap::new();
    for (turn, number) in turns.iter().zip(chain) {
        chains.entry(number).or_default().push(turn);
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

fn in_words(count: usize) -> String {
    match count {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        more => more.to_string(),
    }
}
