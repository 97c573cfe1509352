//! Nobody on call: open stretches without anybody, rosters without people, hours that no window covers.

use super::Warning;
use super::scene::{Scene, length};
use crate::domain::coverage::Hours;
use crate::domain::time::{Interval, joined, within, without};
use crate::domain::warning_kinds::WarningKind;
use jiff::{SignedDuration, Timestamp};

/// A window is open and nobody is on call. Stretches that touch are one.
pub(super) fn nobody(scene: &Scene) -> Vec<Warning> {
    let mut found = Vec::new();
    for cell in 0..scene.rotation.cells.len() {
        let vacant = scene.held_in(cell).iter().filter(|held| held.is_vacant());
        for period in joined(vacant.map(|held| held.period).collect()) {
            let text = format!(
                "Nobody is on call{} for {}.",
                scene.place(cell),
                length(period.length())
            );
            found.push(scene.in_cell(WarningKind::Nobody, cell, period, Vec::new(), text));
        }
    }
    found
}

/// A roster that running cells deal from has nobody in it.
pub(super) fn empty_rosters(scene: &Scene) -> Vec<Warning> {
    let rotation = scene.rotation;
    if rotation.external.is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for roster in &rotation.rosters {
        let deals = |&cell: &usize| {
            let cell = scene.cell(cell);
            !cell.stopped && cell.roster == roster.id
        };
        let cells: Vec<usize> = (0..rotation.cells.len()).filter(deals).collect();
        if cells.is_empty() || !rotation.order(roster).is_empty() {
            continue;
        }
        let text = match &roster.id {
            None => "The rotation has no members.".to_owned(),
            Some(id) => format!("The roster `{id}` has nobody in it."),
        };
        let (kind, nobody) = (WarningKind::EmptyRoster, Vec::new());
        found.push(match cells[..] {
            [cell] => scene.in_cell(kind, cell, scene.range, nobody, text),
            _ => scene.of_all(kind, scene.range, nobody, text),
        });
    }
    found
}

const WEEK: SignedDuration = SignedDuration::from_hours(168);

/// Fewer hours of a week than these are meant to stay uncovered.
const NEARLY_ALL: SignedDuration = SignedDuration::from_hours(160);

/// The windows together cover at least 160 of the 168 hours of a week, and not all. Weeks are counted from the beginning of the
/// range; those that follow each other are told together. Days off do not count: they are shut on purpose.
pub(super) fn uncovered(scene: &Scene) -> Vec<Warning> {
    let (rotation, range) = (scene.rotation, scene.range);
    let running = |window: usize| {
        let mut cells = rotation.running();
        cells.any(|cell| cell.window == window)
    };
    let windows = rotation.windows.iter().enumerate();
    let windows: Vec<Hours> = windows
        .filter(|(index, _)| running(*index))
        .map(|(_, window)| Hours {
            off: None,
            ..rotation.hours(window)
        })
        .collect();
    if windows.iter().any(Hours::always_open) {
        return Vec::new();
    }
    let mut weeks = Vec::new();
    let mut from = range.from;
    while from < range.until {
        let until = from.saturating_add(WEEK).unwrap_or(Timestamp::MAX);
        weeks.push(Interval { from, until });
        from = until;
    }
    let Some((first, last)) = weeks.first().zip(weeks.last()) else {
        return Vec::new();
    };
    let all = Interval::new(first.from, last.until);
    let calendar = scene.dealing.calendar;
    let open = windows
        .iter()
        .flat_map(|hours| hours.open_between(calendar, all));
    let open = joined(open.collect());
    // What is not covered of each week, where that is a warning.
    let bare = weeks.iter().map(|week| {
        let bare = without(&[*week], &open);
        let covered = within(&open, *week).map(|span| span.length());
        let nearly = covered.sum::<SignedDuration>() >= NEARLY_ALL && !bare.is_empty();
        if nearly { bare } else { Vec::new() }
    });
    let bare: Vec<Vec<Interval>> = bare.collect();
    let mut found = Vec::new();
    for run in bare.split(Vec::is_empty).filter(|run| !run.is_empty()) {
        let (Some(first), Some(last)) = (run[0].first(), run[run.len() - 1].last()) else {
            continue;
        };
        let whole = Interval::new(first.from, last.until);
        let missing = length(run[0].iter().map(Interval::length).sum());
        let text =
            format!("Nearly the whole week is covered, but {missing} of it are not covered.");
        let told = whole.meets(range);
        found.extend(
            told.map(|period| scene.of_all(WarningKind::Uncovered, period, Vec::new(), text)),
        );
    }
    found
}
