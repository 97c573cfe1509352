//! The future of duty, by the same code that the timer runs (contract section 7).

use super::handover::{self, DealingContext};
use super::refusal::Refusal;
use super::rotation::{Entry, Rotation};
use super::time::Interval;
use jiff::Timestamp;

/// Instants that one plan walks through at the most: a hand-over a day for fifty years.
pub(super) const MOST_STEPS: usize = 20_000;

/// Turns that one plan holds at the most.
const MOST_TURNS: usize = 100_000;

/// A planned turn: an entry of the record to come, with its end where one is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    pub entry: Entry,
    /// Absent when open-ended.
    pub end: Option<Timestamp>,
}

/// What a plan may take at the most, as [`handover::Outcome::work`] counts: two seconds.
const MOST_WORK: usize = 20_000_000;

/// What it may take behind its range, to find where turns end.
const MOST_WORK_BEHIND: usize = 500_000;

/// The turns that touch the range, from the running entries on, if nothing changes. Turns keep their own bounds, so
/// the walk goes on behind the range for as long as one that began within it can still end, and where that would take long
/// its end is left open. Stopped cells have none.
///
/// Refuses a range so far ahead, or so full of turns, that walking there would keep others waiting.
pub fn plan(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<Planned>, Refusal> {
    walk(rotation, dealing, range, MOST_WORK_BEHIND)
}

/// The same without a look behind the range: turns that end there, or later, have no end.
pub fn within(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<Planned>, Refusal> {
    walk(rotation, dealing, range, 0)
}

/// `behind` is what may be spent behind the range.
fn walk(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    behind: usize,
) -> Result<Vec<Planned>, Refusal> {
    let mut future = without_requests(rotation);
    let mut running: Vec<Entry> = future.cells.iter().map(|cell| cell.entry.clone()).collect();
    let mut planned = Vec::new();
    let (mut horizon, mut steps, mut work, mut spent) = (None, 0, 0, 0);
    while let Some(at) = handover::next_due(&future, dealing) {
        if at >= range.until {
            let mut unfinished = (0..running.len())
                .filter(|&cell| !future.cells[cell].stopped && running[cell].start < range.until)
                .peekable();
            if spent >= behind || unfinished.peek().is_none() {
                break;
            }
            let horizon = *horizon.get_or_insert_with(|| {
                unfinished
                    .filter_map(|cell| ends_by(&future, dealing, cell, range.until))
                    .max()
            });
            if horizon.is_none_or(|horizon| at > horizon) {
                break;
            }
        }
        steps += 1;
        let outcome = handover::step(&mut future, dealing, at);
        match at < range.until {
            true => work += outcome.work,
            false => spent += outcome.work,
        }
        for cell in outcome.begun {
            let begun = future.cells[cell].entry.clone();
            let entry = std::mem::replace(&mut running[cell], begun);
            if at > range.from && !rotation.cells[cell].stopped {
                planned.push(Planned {
                    cell,
                    entry,
                    end: Some(at),
                });
            }
        }
        if steps > MOST_STEPS || planned.len() > MOST_TURNS || work > MOST_WORK {
            return Err(too_far());
        }
    }
    let open_ended = running.into_iter().enumerate();
    planned.extend(open_ended.map(|(cell, entry)| Planned {
        cell,
        entry,
        end: None,
    }));
    planned.retain(|turn| turn.entry.start < range.until && !rotation.cells[turn.cell].stopped);
    Ok(planned)
}

/// A rotation to look ahead with: requests that nobody has settled change no duty, and each would be an instant to stop at.
pub(super) fn without_requests(rotation: &Rotation) -> Rotation {
    let mut future = rotation.clone();
    future.pending.clear();
    future
}

/// The refusal of what lies too far ahead.
pub(super) fn too_far() -> Refusal {
    let detail = "to: too many hand-overs lie before it; ask for a nearer or a shorter range";
    Refusal::Invalid(detail.into())
}

/// The instant by which a cell's entry that runs at `at` has ended if it ever does: its window's next hand-over or
/// opening or shutting, and for a place without a holder also the last end of an absence.
fn ends_by(
    rotation: &Rotation,
    dealing: DealingContext,
    cell: usize,
    at: Timestamp,
) -> Option<Timestamp> {
    let window = &rotation.windows[rotation.cells[cell].window];
    let handover = window
        .cadence
        .as_ref()
        .and_then(|cadence| cadence.next(dealing.calendar, at));
    let flip = rotation.hours(window).at(dealing.calendar, at).changes_at;
    let vacant = rotation.cells[cell].holder.is_none();
    let back = if vacant {
        dealing.absences.last_end()
    } else {
        None
    };
    let cell = &rotation.cells[cell].id;
    let over = rotation
        .arranged
        .iter()
        .filter(|arranged| &arranged.cell == cell);
    let arranged = over.map(|arranged| arranged.period.until);
    let ends = handover.into_iter().chain(flip).chain(back).chain(arranged);
    ends.max()
}
