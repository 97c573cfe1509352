//! The schedule: duty as it will be recorded.

use super::budget::{Budget, LIMITS, MOST_TURNS};
use super::least::{Least, least};
use super::{Forecast, Limits, Step, external, too_far, without_requests};
use crate::domain::duty::Duty;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::{Mode, Rotation};
use crate::domain::time::{FOREVER, Interval};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

/// Its limits after its range, to find where turns end.
const LIMITS_BEHIND: Limits = Limits {
    steps: usize::MAX,
    work: 500_000,
};

/// How long after its range, and after the last end of an absence, it looks for somebody to fill a vacancy, who may be
/// freed by a hand-over of any window: the longest range that is asked for.
const LOOK_FOR_SOMEBODY: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The duty that touches a range, from the running entries on, if nothing changes. It keeps its own bounds, so the forecast goes
/// on after the range for as long as what began within it can still end. The end is left open where it lies further away than the
/// limits allow. Stopped cells have none.
///
/// # Errors
/// Refuses a range so far ahead, or so full of turns, that others would have to wait.
pub fn schedule(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<Duty>, Refusal> {
    schedule_of(rotation, dealing, range, MOST_TURNS)
}

/// The schedule with `most` turns at the most.
///
/// # Errors
/// As [`schedule`].
pub fn schedule_of(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    most: usize,
) -> Result<Vec<Duty>, Refusal> {
    let asked = Asked {
        finds_ends: true,
        ..Asked::all(range)
    };
    asked.of(rotation, dealing, &mut Budget::of_schedule(most))
}

/// The schedule without a look after the range: what ends there, or later, has no end.
///
/// # Errors
/// As [`schedule`].
pub fn schedule_within(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
) -> Result<Vec<Duty>, Refusal> {
    duties_within(
        rotation,
        dealing,
        range,
        &mut Budget::of_schedule(MOST_TURNS),
    )
}

/// The schedule, out of a budget that other rotations share.
///
/// # Errors
/// As [`schedule`], where the budget does not suffice.
pub fn duties_within(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    budget: &mut Budget,
) -> Result<Vec<Duty>, Refusal> {
    Asked::all(range).of(rotation, dealing, budget)
}

/// The duty of one person that touches a range, as [`schedule`] has it.
///
/// # Errors
/// As [`schedule`], where the budget of all their rotations does not suffice.
pub fn duties_of(
    rotation: &Rotation,
    dealing: DealingContext,
    user: &UserId,
    range: Interval,
    budget: &mut Budget,
) -> Result<Vec<Duty>, Refusal> {
    let asked = Asked {
        only: Some(user),
        finds_ends: true,
        ..Asked::all(range)
    };
    asked.of(rotation, dealing, budget)
}

/// The duty of one person within a period, cut to it, by where it begins: so much at the most, as far ahead as the budget reaches.
/// What is over is left out.
pub fn standing(
    rotation: &Rotation,
    dealing: DealingContext,
    user: &UserId,
    period: Interval,
    most: usize,
    budget: &mut Budget,
) -> Vec<Duty> {
    let judged_at = rotation.stamps.judged_at;
    let asked = Asked {
        only: Some(user),
        is_all_needed: false,
        ..Asked::all(period)
    };
    let (mut found, _) = asked.found(rotation, dealing, most.saturating_sub(1), budget);
    found.retain_mut(|duty| {
        let Some(on_call) = duty.period().meets(period) else {
            return false;
        };
        (duty.entry.start, duty.end) = (on_call.from, Some(on_call.until));
        on_call.until > judged_at
    });
    if rotation.external.is_none() {
        found.sort_by_key(|duty| (duty.period(), duty.slot));
    }
    found.truncate(most);
    found
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

/// A question to a forecast.
#[derive(Clone, Copy)]
struct Asked<'u> {
    range: Interval,
    /// Only what this person has; `None` for everybody and nobody.
    only: Option<&'u UserId>,
    /// Whether it is looked after the range for where duty ends.
    finds_ends: bool,
    /// Whether a part of it is of no use.
    is_all_needed: bool,
}

impl<'u> Asked<'u> {
    fn all(range: Interval) -> Asked<'u> {
        Asked {
            range,
            only: None,
            finds_ends: false,
            is_all_needed: true,
        }
    }

    /// All of it, out of a budget.
    fn of(
        self,
        rotation: &Rotation,
        dealing: DealingContext,
        budget: &mut Budget,
    ) -> Result<Vec<Duty>, Refusal> {
        let mut left = budget.clone();
        let (mut found, is_all) = self.found(rotation, dealing, budget.turns, &mut left);
        if !is_all {
            return too_far();
        }
        if !rotation.waiting.is_empty() {
            self.mark_changes(rotation, dealing, &mut found, &mut left);
        }
        if rotation.external.is_none() {
            left.turns = left.turns.saturating_sub(found.len());
        }
        *budget = left;
        Ok(found)
    }

    /// Marks the duties that the plan without the changes that wait does not have, with the last change that is not later than their
    /// beginning, else than their end.
    fn mark_changes(
        self,
        rotation: &Rotation,
        dealing: DealingContext,
        found: &mut [Duty],
        budget: &mut Budget,
    ) {
        let without = rotation.without_changes();
        let (planned, _) = self.found(&without, dealing, budget.turns, budget);
        let planned: HashSet<_> = planned.iter().map(Duty::identity).collect();
        let waiting = &rotation.waiting;
        for duty in found.iter_mut() {
            if planned.contains(&duty.identity()) {
                continue;
            }
            let until = |at: Timestamp| waiting.iter().rev().find(|change| change.at <= at);
            let change =
                until(duty.entry.start).or_else(|| until(duty.end.unwrap_or(Timestamp::MAX)));
            duty.change = change.map(|change| change.id.clone());
        }
    }

    /// The duties found, so many at the most, and whether they are all. Those that still run have no end.
    fn found(
        self,
        rotation: &Rotation,
        dealing: DealingContext,
        most: usize,
        budget: &mut Budget,
    ) -> (Vec<Duty>, bool) {
        if let Some(mut known) = external::duties(rotation, self.range) {
            known.retain(|duty| self.shows(duty));
            return (known, true);
        }
        let mut future = without_requests(rotation);
        let mut forecast = Forecast::new(&mut future, dealing, budget.limits());
        let mut turns = Turns::begin(forecast.rotation(), self);
        if self.is_all_needed {
            // How many are one person's is not known before.
            let most = self.only.map_or(most, |_| usize::MAX);
            forecast.aim(self.range, most);
        }
        while turns.finished.len() <= most
            && let Some(step) = forecast.step_before(self.range.until)
        {
            turns.note(step);
        }
        budget.spend(&forecast);
        let is_all = forecast.cut_off_at().is_none() && turns.finished.len() <= most;
        if is_all && self.finds_ends {
            let behind = LIMITS_BEHIND.work.min(budget.work);
            turns.look_behind(&mut forecast, dealing, behind);
            let left = forecast.limits.work.min(behind);
            budget.work = budget.work.saturating_sub(behind - left);
        }
        (turns.all(forecast.rotation(), rotation), is_all)
    }

    fn shows(&self, duty: &Duty) -> bool {
        self.only.is_none_or(|only| duty.is_of(only))
    }
}

/// The duty of a range as it is found.
struct Turns<'u> {
    asked: Asked<'u>,
    /// The duty of each cell.
    running: Vec<Duty>,
    finished: Vec<Duty>,
    /// The cells that do not run.
    stopped: Vec<CellId>,
}

impl<'u> Turns<'u> {
    /// None finished yet.
    fn begin(rotation: &Rotation, asked: Asked<'u>) -> Turns<'u> {
        let cells = rotation.cells.iter().enumerate();
        let running = cells.map(|(slot, cell)| {
            let mut duty = Duty::running(rotation, slot);
            if duty.entry.user.is_none() {
                // Somebody may have been looked for again since the vacancy began.
                duty.entry.passed_over = resolve::passed_over(rotation, cell).to_vec();
            }
            duty
        });
        Turns {
            asked,
            running: running.collect(),
            finished: Vec::new(),
            stopped: stopped(rotation),
        }
    }

    fn note(&mut self, step: Step) {
        let Step { at, rotation, .. } = step;
        if step.changed.is_some() {
            self.regrid(rotation, at);
        }
        for slot in step.outcome.begun {
            let begun = Duty::running(rotation, slot);
            if self.running[slot].entry.start >= at {
                // Its cell is new.
                self.running[slot] = begun;
                continue;
            }
            let mut duty = std::mem::replace(&mut self.running[slot], begun);
            if at > self.asked.range.from && self.is_shown(rotation, &duty) {
                duty.end = Some(at);
                self.finished.push(duty);
            }
        }
    }

    /// Follows a change of the grid: cells that are gone end, new ones begin.
    fn regrid(&mut self, rotation: &Rotation, at: Timestamp) {
        let mut before = std::mem::take(&mut self.running);
        for slot in 0..rotation.cells.len() {
            let cell = &rotation.cells[slot].id;
            let known = before.iter().position(|duty| duty.cell == *cell);
            let mut duty = match known {
                Some(known) => before.swap_remove(known),
                None => Duty::running(rotation, slot),
            };
            duty.slot = Some(slot);
            self.running.push(duty);
        }
        for mut duty in before {
            let ran =
                duty.entry.start < self.asked.range.until && !self.stopped.contains(&duty.cell);
            if at > self.asked.range.from && ran && self.asked.shows(&duty) {
                (duty.slot, duty.end) = (None, Some(at));
                self.finished.push(duty);
            }
        }
        self.stopped = stopped(rotation);
    }

    /// Goes on after the range for as long as what began within it can still end.
    fn look_behind(&mut self, forecast: &mut Forecast, dealing: DealingContext, work: usize) {
        let unfinished = self.unfinished(forecast.rotation());
        let ends = unfinished
            .filter_map(|slot| ends_by(forecast.rotation(), dealing, slot, self.asked.range.until))
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

    /// Whether it began before the end of the range and is asked for.
    fn is_shown(&self, rotation: &Rotation, duty: &Duty) -> bool {
        let runs = duty.slot.is_some_and(|slot| !rotation.cells[slot].stopped);
        runs && duty.entry.start < self.asked.range.until && self.asked.shows(duty)
    }

    /// The cells whose running entry began before the end of the range.
    fn unfinished(&self, rotation: &Rotation) -> impl Iterator<Item = usize> {
        let slots = 0..self.running.len();
        slots.filter(|&slot| self.is_shown(rotation, &self.running[slot]))
    }

    /// All of them, those that still run without an end. `then` is the rotation as it stands at the end, `now` as it was forecast.
    fn all(mut self, then: &Rotation, now: &Rotation) -> Vec<Duty> {
        let unfinished: Vec<usize> = self.unfinished(then).collect();
        let running = unfinished
            .into_iter()
            .map(|slot| self.running[slot].clone());
        self.finished.extend(running);
        if !now.waiting.is_empty() {
            // Slots are those of the rotation as it is.
            for duty in &mut self.finished {
                duty.slot = now.slot_of(&duty.cell);
            }
        }
        self.finished
    }
}

fn stopped(rotation: &Rotation) -> Vec<CellId> {
    let stopped = rotation.cells.iter().filter(|cell| cell.stopped);
    stopped.map(|cell| cell.id.clone()).collect()
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
