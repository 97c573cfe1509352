//! The schedule: turns as they will be recorded.

use super::{Forecast, Limits, Step, too_far, without_requests};
use crate::domain::handover::DealingContext;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Entry, Mode, Rotation};
use crate::domain::time::{FOREVER, Interval};
use jiff::{SignedDuration, Timestamp};

/// Turns that one schedule holds at the most.
const MOST_TURNS: usize = 100_000;

/// What one schedule may take: half a second.
const LIMITS: Limits = Limits::work(10_000_000);

/// What it may take after its range, to find where turns end.
const LIMITS_BEHIND: Limits = Limits {
    steps: usize::MAX,
    work: 500_000,
};

/// How long after its range, and after the last end of an absence, it looks for somebody to fill a vacancy, who may be
/// freed by a hand-over of any window: the longest range that is asked for.
const LOOK_FOR_SOMEBODY: SignedDuration = SignedDuration::from_hours(366 * 24);

/// A planned turn: an entry of the record to come, with its end where one is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTurn {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    pub entry: Entry,
    /// Absent when open-ended.
    pub end: Option<Timestamp>,
}

/// The turns that touch the range, from the running entries on, if nothing changes. Turns keep their own bounds, so the forecast
/// goes on after the range for as long as a turn that began within it can still end. The end is left open where it lies
/// further away than the limits allow. Stopped cells have none.
///
/// # Errors
/// Refuses a range so far ahead, or so full of turns, that others would have to wait.
pub fn schedule(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<PlannedTurn>, Refusal> {
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    let mut turns = Turns::within(&mut forecast, range)?;
    let unfinished = turns.unfinished(forecast.rotation());
    let ends = unfinished
        .filter_map(|cell| ends_by(forecast.rotation(), dealing, cell, range.until))
        .max();
    if let Some(horizon) = ends {
        forecast.limit(LIMITS_BEHIND);
        while turns.finished.len() < MOST_TURNS
            && turns.unfinished(forecast.rotation()).next().is_some()
            && let Some(step) = forecast.step_until(horizon)
        {
            turns.note(step);
        }
    }
    Ok(turns.all(rotation))
}

/// The same without a look after the range: turns that end there, or later, have no end.
pub fn schedule_within(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<PlannedTurn>, Refusal> {
    let mut future = without_requests(rotation);
    let turns = Turns::within(&mut Forecast::new(&mut future, dealing, LIMITS), range)?;
    Ok(turns.all(rotation))
}

/// The turns of a range as they are found.
struct Turns {
    range: Interval,
    /// The running entry of each cell.
    running: Vec<Entry>,
    finished: Vec<PlannedTurn>,
}

impl Turns {
    /// Those that a forecast finds up to the end of the range.
    fn within(forecast: &mut Forecast, range: Interval) -> Result<Turns, Refusal> {
        let cells = forecast.rotation().cells.iter();
        let mut turns = Turns {
            range,
            running: cells.map(|cell| cell.entry.clone()).collect(),
            finished: Vec::new(),
        };
        while let Some(step) = forecast.step_before(range.until) {
            turns.note(step);
            if turns.finished.len() > MOST_TURNS {
                return Err(too_far());
            }
        }
        match forecast.cut_off_at() {
            None => Ok(turns),
            Some(_) => Err(too_far()),
        }
    }

    fn note(&mut self, step: Step) {
        let Step { at, rotation, .. } = step;
        for cell in step.outcome.begun {
            let begun = rotation.cells[cell].entry.clone();
            let entry = std::mem::replace(&mut self.running[cell], begun);
            let meets = at > self.range.from && entry.start < self.range.until;
            if meets && !rotation.cells[cell].stopped {
                self.finished.push(PlannedTurn {
                    cell,
                    entry,
                    end: Some(at),
                });
            }
        }
    }

    /// The cells whose running entry began before the end of the range.
    fn unfinished(&self, rotation: &Rotation) -> impl Iterator<Item = usize> {
        (0..self.running.len()).filter(|&cell| {
            !rotation.cells[cell].stopped && self.running[cell].start < self.range.until
        })
    }

    /// All of them, those that still run without an end.
    fn all(self, rotation: &Rotation) -> Vec<PlannedTurn> {
        let unfinished: Vec<usize> = self.unfinished(rotation).collect();
        let mut turns = self.finished;
        turns.extend(unfinished.into_iter().map(|cell| PlannedTurn {
            cell,
            entry: self.running[cell].clone(),
            end: None,
        }));
        turns
    }
}

/// The instant by which a cell's entry that runs at `at` has ended if it ever does, as far as is known: its window's next
/// hand-over or opening or shutting. A vacancy may outlive hand-overs; somebody fills it who is back or who is freed
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
