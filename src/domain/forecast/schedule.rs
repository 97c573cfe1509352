//! The schedule: turns as they will be recorded.

use super::budget::{Budget, LIMITS, MOST_TURNS};
use super::least::{Least, least};
use super::{Forecast, Limits, Step, outside, too_far, without_requests};
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::{Entry, Mode, Rotation};
use crate::domain::time::{FOREVER, Interval};
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};

/// What it may take after its range, to find where turns end.
const LIMITS_BEHIND: Limits = Limits {
    steps: usize::MAX,
    work: 500_000,
};

/// How long after its range, and after the last end of an absence, it looks for somebody to fill a vacancy, who may be
/// freed by a hand-over of any window: the longest range that is asked for.
const LOOK_FOR_SOMEBODY: SignedDuration = SignedDuration::from_hours(366 * 24);

words! {
    /// The kind of a planned turn: `turn`, a dealt turn; `arrangement`; `nobody`, the slot is empty or the window is shut.
    pub enum PlannedKind {
        Turn = "turn",
        Arrangement = "arrangement",
        Nobody = "nobody",
    }
}

/// A planned turn: an entry of the record to come, with its end where one is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTurn {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    pub entry: Entry,
    /// Absent when open-ended.
    pub end: Option<Timestamp>,
}

impl PlannedTurn {
    /// What kind it is.
    pub fn kind(&self) -> PlannedKind {
        match (&self.entry.user, &self.entry.arrangement) {
            (Some(_), Some(_)) => PlannedKind::Arrangement,
            (Some(_), None) => PlannedKind::Turn,
            (None, _) if self.entry.outside.is_some() => PlannedKind::Turn,
            (None, _) => PlannedKind::Nobody,
        }
    }

    /// From its start to its end, or forever.
    pub fn period(&self) -> Interval {
        Interval {
            from: self.entry.start,
            until: self.end.unwrap_or(Timestamp::MAX),
        }
    }
}

/// The turns of a rotation that follows a partner's schedule, everybody's or one person's; `None` for others.
fn outside_turns(
    rotation: &Rotation,
    only: Option<&UserId>,
    range: Interval,
) -> Option<Vec<PlannedTurn>> {
    let entries = outside::entries(rotation, range)?.into_iter();
    let shown = entries.filter(|(entry, _)| only.is_none() || entry.user.as_ref() == only);
    let turns = shown.map(|(entry, until)| PlannedTurn {
        cell: 0,
        entry,
        end: until,
    });
    Some(turns.collect())
}

/// The turns of one person that touch the range, as [`schedule`] has them.
///
/// # Errors
/// As [`schedule`], where the budget of all their rotations does not suffice.
pub fn turns_of(
    rotation: &Rotation,
    dealing: DealingContext,
    user: &UserId,
    range: Interval,
    budget: &mut Budget,
) -> Result<Vec<PlannedTurn>, Refusal> {
    if let Some(turns) = outside_turns(rotation, Some(user), range) {
        return Ok(turns);
    }
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, budget.limits());
    let mut turns = Turns::within(&mut forecast, range, Some(user), budget.turns)?;
    budget.spend(&forecast);
    let behind = LIMITS_BEHIND.work.min(budget.work);
    turns.look_behind(&mut forecast, dealing, behind);
    budget.work = budget
        .work
        .saturating_sub(behind - forecast.limits.work.min(behind));
    let found = turns.all(rotation);
    match budget.turns.checked_sub(found.len()) {
        None => too_far(),
        Some(left) => {
            budget.turns = left;
            Ok(found)
        }
    }
}

/// When one person is on call in a period, cell by cell (indices into [`Rotation::cells`]), by where it begins: the first
/// `most` stretches, as far ahead as the budget reaches. What is over is left out.
pub fn standing(
    rotation: &Rotation,
    dealing: DealingContext,
    user: &UserId,
    period: Interval,
    most: usize,
    budget: &mut Budget,
) -> Vec<(usize, Interval)> {
    let judged_at = rotation.stamps.judged_at;
    if let Some(turns) = outside_turns(rotation, Some(user), period) {
        let clipped = turns.into_iter().filter_map(|turn| {
            let on_call = turn.period().meets(period)?;
            (on_call.until > judged_at).then_some((turn.cell, on_call))
        });
        return clipped.take(most).collect();
    }
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, budget.limits());
    let mut turns = Turns::begin(forecast.rotation(), period, Some(user));
    while turns.finished.len() < most
        && let Some(step) = forecast.step_before(period.until)
    {
        turns.note(step);
    }
    budget.spend(&forecast);
    let clipped = turns.all(rotation).into_iter().filter_map(|turn| {
        let on_call = turn.period().meets(period)?;
        (on_call.until > judged_at).then_some((turn.cell, on_call))
    });
    let mut clipped: Vec<_> = clipped.collect();
    clipped.sort_by_key(|(cell, on_call)| (*on_call, *cell));
    clipped.truncate(most);
    clipped
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
    schedule_of(rotation, dealing, range, MOST_TURNS)
}

/// The same with `most` turns at the most.
///
/// # Errors
/// As [`schedule`].
pub fn schedule_of(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    most: usize,
) -> Result<Vec<PlannedTurn>, Refusal> {
    if let Some(turns) = outside_turns(rotation, None, range) {
        return Ok(turns);
    }
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    let mut turns = Turns::within(&mut forecast, range, None, most)?;
    turns.look_behind(&mut forecast, dealing, LIMITS_BEHIND.work);
    Ok(turns.all(rotation))
}

/// Refuses a range, without forecasting it, whose schedule of `most` turns is sure to be refused.
///
/// # Errors
/// As [`schedule`].
pub fn check_schedule(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    most: usize,
) -> Result<(), Refusal> {
    let exceeds = |least: &Least| least.exceeds(LIMITS, most);
    match exceeds(&least(rotation, dealing.calendar, range, exceeds)) {
        true => too_far(),
        false => Ok(()),
    }
}

/// The rotation as it will be at an instant if nothing changes, everything due by then done.
///
/// # Errors
/// As [`schedule`], for an instant that takes too much to forecast.
pub fn rotation_at(
    rotation: &Rotation,
    dealing: DealingContext,
    at: Timestamp,
) -> Result<Rotation, Refusal> {
    let mut future = rotation.clone();
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    match forecast.reaches(at) {
        true => Ok(future),
        false => too_far(),
    }
}

/// The same without a look after the range: turns that end there, or later, have no end.
pub fn schedule_within(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<PlannedTurn>, Refusal> {
    if let Some(turns) = outside_turns(rotation, None, range) {
        return Ok(turns);
    }
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    let turns = Turns::within(&mut forecast, range, None, MOST_TURNS)?;
    Ok(turns.all(rotation))
}

/// The same, out of a budget that other rotations share.
///
/// # Errors
/// As [`schedule`], where the budget does not suffice.
pub fn turns_within(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    budget: &mut Budget,
) -> Result<Vec<PlannedTurn>, Refusal> {
    if let Some(turns) = outside_turns(rotation, None, range) {
        return Ok(turns);
    }
    let mut future = without_requests(rotation);
    // Years of short turns are many steps; the work bounds them.
    let limits = Limits {
        steps: usize::MAX,
        ..budget.limits()
    };
    let mut forecast = Forecast::new(&mut future, dealing, limits);
    let turns = Turns::within(&mut forecast, range, None, budget.turns)?;
    budget.spend(&forecast);
    let found = turns.all(rotation);
    budget.turns = budget.turns.saturating_sub(found.len());
    Ok(found)
}

/// The turns of a range as they are found.
struct Turns<'u> {
    range: Interval,
    /// Only what this person has; `None` for everybody and nobody.
    only: Option<&'u UserId>,
    /// The running entry of each cell.
    running: Vec<Entry>,
    finished: Vec<PlannedTurn>,
}

impl<'u> Turns<'u> {
    /// None finished yet.
    fn begin(rotation: &Rotation, range: Interval, only: Option<&'u UserId>) -> Turns<'u> {
        let running = rotation.cells.iter().map(|cell| {
            let mut entry = cell.entry.clone();
            if entry.user.is_none() {
                // Somebody may have been looked for again since the vacancy began.
                entry.passed_over = resolve::passed_over(rotation, cell).to_vec();
            }
            entry
        });
        Turns {
            range,
            only,
            running: running.collect(),
            finished: Vec::new(),
        }
    }

    /// Those that a forecast finds up to the end of the range, `most` at the most.
    fn within(
        forecast: &mut Forecast,
        range: Interval,
        only: Option<&'u UserId>,
        most: usize,
    ) -> Result<Turns<'u>, Refusal> {
        let mut turns = Turns::begin(forecast.rotation(), range, only);
        // How many are one person's is not known before.
        forecast.aim(range, if only.is_some() { usize::MAX } else { most });
        while let Some(step) = forecast.step_before(range.until) {
            turns.note(step);
            if turns.finished.len() > most {
                return too_far();
            }
        }
        match forecast.cut_off_at() {
            None => Ok(turns),
            Some(_) => too_far(),
        }
    }

    fn note(&mut self, step: Step) {
        let Step { at, rotation, .. } = step;
        for cell in step.outcome.begun {
            let begun = rotation.cells[cell].entry.clone();
            let entry = std::mem::replace(&mut self.running[cell], begun);
            let meets =
                at > self.range.from && entry.start < self.range.until && self.shows(&entry);
            if meets && !rotation.cells[cell].stopped {
                self.finished.push(PlannedTurn {
                    cell,
                    entry,
                    end: Some(at),
                });
            }
        }
    }

    /// Goes on after the range for as long as a turn that began within it can still end.
    fn look_behind(&mut self, forecast: &mut Forecast, dealing: DealingContext, work: usize) {
        let unfinished = self.unfinished(forecast.rotation());
        let ends = unfinished
            .filter_map(|cell| ends_by(forecast.rotation(), dealing, cell, self.range.until))
            .max();
        forecast.limit(Limits {
            work,
            ..LIMITS_BEHIND
        });
        let Some(horizon) = ends else { return };
        while self.finished.len() < MOST_TURNS
            && self.unfinished(forecast.rotation()).next().is_some()
            && let Some(step) = forecast.step_until(horizon)
        {
            self.note(step);
        }
    }

    fn shows(&self, entry: &Entry) -> bool {
        self.only
            .is_none_or(|only| entry.user.as_ref() == Some(only))
    }

    /// The cells whose running entry began before the end of the range.
    fn unfinished(&self, rotation: &Rotation) -> impl Iterator<Item = usize> {
        (0..self.running.len()).filter(|&cell| {
            let entry = &self.running[cell];
            !rotation.cells[cell].stopped && entry.start < self.range.until && self.shows(entry)
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
