//! Hand-overs at which the clocks change.

use super::Warning;
use super::scene::Scene;
use crate::domain::cadence::Cadence;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use jiff::civil::{DateTime, Time};
use jiff::tz::{AmbiguousOffset, Offset};
use jiff::{SignedDuration, Timestamp, ToSpan};

/// A hand-over at a local time that does not exist on its day, or exists twice.
pub(super) fn clock_changes(scene: &Scene) -> Vec<Warning> {
    let mut found = Vec::new();
    for (index, window) in scene.rotation.windows.iter().enumerate() {
        let Some(cadence) = &window.cadence else {
            continue;
        };
        let mut cells = (0..scene.rotation.cells.len()).filter(|&cell| {
            let cell = scene.cell(cell);
            cell.window == index && !cell.stopped
        });
        let Some(first) = cells.next() else { continue };
        let is_only = cells.next().is_none();
        let hand_overs = cadence.hand_overs(scene.dealing.calendar, scene.range.from);
        for at in hand_overs.take_while(|at| *at < scene.range.until) {
            let Some((how, shift)) = changed(cadence, at) else {
                continue;
            };
            let until = at.saturating_add(shift).unwrap_or(scene.range.until);
            let period = Interval::new(at, until.min(scene.range.until));
            let text = told(scene.window_called(window), how);
            let (kind, nobody) = (WarningKind::ClockChange, Vec::new());
            found.push(match is_only {
                true => scene.in_cell(kind, first, period, nobody, text),
                false => scene.of_all(kind, period, nobody, text),
            });
        }
    }
    found
}

fn told(window: Option<&str>, how: How) -> String {
    let named = window.map_or(String::new(), |name| format!(" of {name}"));
    match how {
        How::Moved(time) => {
            let time = time.strftime("%H:%M");
            format!("The hand-over{named} at {time} is moved: the clocks go forward then.")
        }
        How::Doubled(time) => {
            let time = time.strftime("%H:%M");
            format!(
                "The hand-over{named} at {time} takes the first of two such times: the clocks go back then."
            )
        }
    }
}

#[derive(Clone, Copy)]
enum How {
    /// From this local time, which does not exist.
    Moved(Time),
    /// This local time exists twice.
    Doubled(Time),
}

/// How the clocks change at a hand-over, and by how much.
fn changed(cadence: &Cadence, at: Timestamp) -> Option<(How, SignedDuration)> {
    let tz = cadence.zone.tz();
    let local = tz.to_datetime(at);
    if let AmbiguousOffset::Fold { before, after } = tz.to_ambiguous_timestamp(local).offset() {
        return Some((How::Doubled(local.time()), between(after, before)));
    }
    // A time that does not exist is read as one after the gap: by what time was it to be?
    let yesterday = local.date().checked_sub(1.day()).ok();
    let days = [Some(local.date()), yesterday];
    let mut nominal = days.into_iter().flatten().flat_map(|day| {
        let times = cadence.times().into_iter();
        times.map(move |time| day.to_datetime(time))
    });
    nominal.find_map(|nominal: DateTime| {
        let ambiguous = tz.to_ambiguous_timestamp(nominal);
        let AmbiguousOffset::Gap { before, after } = ambiguous.offset() else {
            return None;
        };
        let is_this = ambiguous.compatible().ok() == Some(at);
        is_this.then(|| (How::Moved(nominal.time()), between(before, after)))
    })
}

fn between(one: Offset, other: Offset) -> SignedDuration {
    SignedDuration::from_secs(i64::from(other.seconds() - one.seconds()))
}
