//! The future of duty, by the same code that the timer runs (contract section 7).

use super::handover::{DealingContext, Memo};
use super::refusal::Refusal;
use super::rotation::{Entry, Mode, Rotation};
use super::time::{FOREVER, Interval};
use jiff::{SignedDuration, Timestamp};

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

/// What a plan may take at the most, as [`Outcome::work`](super::handover::Outcome::work) counts: half a second.
const MOST_WORK: usize = 10_000_000;

/// What it may take behind its range, to find where turns end.
const MOST_WORK_BEHIND: usize = 500_000;

/// How long behind its range, and behind the last end of an absence, it looks for somebody to fill a vacancy, who may be
/// freed by a hand-over of any window: the longest range that is asked for.
const LOOK_FOR_SOMEBODY: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The turns that touch the range, from the running entries on, if nothing changes. Turns keep their own bounds, so
/// the walk goes on behind the range for as long as one that began within it can still end. Its end is left open where it
/// lies further away than can be told. Stopped cells have none.
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
    let mut memo = Memo::default();
    let mut running: Vec<Entry> = future.cells.iter().map(|cell| cell.entry.clone()).collect();
    let mut planned = Vec::new();
    let (mut horizon, mut steps, mut work, mut spent) = (None, 0, 0, 0);
    while let Some(at) = memo.next_due(&future, dealing) {
        if at >= range.until {
            let mut unfinished = (0..running.len())
                .filter(|&cell| !future.cells[cell].stopped && running[cell].start < range.until)
                .peekable();
            let spent = spent >= behind || steps >= MOST_STEPS || planned.len() >= MOST_TURNS;
            if spent || unfinished.peek().is_none() {
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
        let is_behind = at >= range.until;
        steps += usize::from(!is_behind);
        let outcome = memo.step(&mut future, dealing, at);
        match is_behind {
            false => work += outcome.work,
            true => spent += outcome.work,
        }
        for cell in outcome.begun {
            let begun = future.cells[cell].entry.clone();
            let entry = std::mem::replace(&mut running[cell], begun);
            if at > range.from && entry.start < range.until && !rotation.cells[cell].stopped {
                planned.push(Planned {
                    cell,
                    entry,
                    end: Some(at),
                });
            }
        }
        if !is_behind && (steps > MOST_STEPS || planned.len() > MOST_TURNS || work > MOST_WORK) {
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

/// The instant by which a cell's entry that runs at `at` has ended if it ever does, as far as that can be told: its window's
/// next hand-over or opening or shutting. A vacancy may outlive hand-overs; somebody fills it who is back or who is freed
/// elsewhere.
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
    let vacant = rotation.cells[cell].holder.is_none() && rotation.mode() == Mode::Auto;
    let roster = rotation.roster(rotation.cells[cell].roster.as_ref());
    let filled = (vacant && !rotation.order(roster).is_empty()).then(|| {
        let from = dealing.absences.last_end().map_or(at, |back| back.max(at));
        from.saturating_add(LOOK_FOR_SOMEBODY)
            .unwrap_or(Timestamp::MAX)
    });
    let cell = &rotation.cells[cell].id;
    let over = rotation
        .arranged
        .iter()
        .filter(|arranged| &arranged.cell == cell);
    // One without an end is shown without an end.
    let arranged = over
        .map(|arranged| arranged.period.until)
        .filter(|until| *until < FOREVER);
    let ends = handover
        .into_iter()
        .chain(flip)
        .chain(filled)
        .chain(arranged);
    ends.max()
}
