//! Limits of one schedule, and of the forecasts of several rotations together.

use super::least::{Least, least};
use super::{Forecast, Limits};
use crate::domain::holidays::Calendar;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;

/// Turns that one schedule holds at the most.
pub(super) const MOST_TURNS: usize = 100_000;

/// The limits of one schedule: half a second.
pub(super) const LIMITS: Limits = Limits::work(10_000_000);

/// The budget of the forecasts of one person's rotations together: as much as one schedule.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The work that there was at first.
    whole: usize,
    pub(super) work: usize,
    pub(super) turns: usize,
    /// The steps that each forecast may take.
    steps: usize,
}

/// Turns of one person that one answer holds at the most.
const MOST_OF_A_PERSON: usize = 10_000;

/// The cost of loading a rotation, as work.
const WORK_OF_LOADING: usize = 1_000;

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(LIMITS.work, MOST_OF_A_PERSON)
    }
}

impl Budget {
    fn new(work: usize, turns: usize) -> Budget {
        Budget {
            whole: work,
            work,
            turns,
            steps: LIMITS.steps,
        }
    }

    /// For the schedule of one rotation, of so many turns at the most.
    pub fn of_schedule(turns: usize) -> Budget {
        Budget::new(LIMITS.work, turns)
    }

    /// For a report over many rotations and years: about a second. Years of short turns are many steps; the work bounds them.
    pub fn of_a_report() -> Budget {
        Budget {
            steps: usize::MAX,
            ..Budget::new(2 * LIMITS.work, 2 * MOST_TURNS)
        }
    }

    /// The budget of the forecasts of a whole workspace together.
    pub fn of_workspace() -> Budget {
        Budget::new(4 * LIMITS.work, MOST_OF_A_PERSON)
    }

    /// Whether so much of it is spent that looking ahead at what is still to be forecast costs little beside it.
    pub fn is_worth_looking_ahead(&self) -> bool {
        self.work < self.whole - self.whole / 8
    }

    /// Whether it may suffice for the forecasts of a range of some more rotations, with `most` entries in it together.
    ///
    /// # Errors
    /// When a rotation cannot be read.
    pub fn may_suffice<E>(
        &self,
        rotations: impl Iterator<Item = Result<Rotation, E>>,
        calendar: &Calendar,
        range: Interval,
        most: usize,
    ) -> Result<bool, E> {
        let (mut work, mut begun) = (0, 0);
        for rotation in rotations {
            work += WORK_OF_LOADING;
            let exceeds = |one: &Least| work + one.work > self.work || begun + one.begun > most;
            let one = least(&rotation?, calendar, range, exceeds);
            if exceeds(&one) {
                return Ok(false);
            }
            (work, begun) = (work + one.work, begun + one.begun);
        }
        Ok(true)
    }

    /// Whether nothing is left of it.
    pub fn is_spent(&self) -> bool {
        self.work == 0
    }

    /// The limits of a forecast that takes what it needs of the budget.
    pub(super) fn limits(&mut self) -> Limits {
        self.work = self.work.saturating_sub(WORK_OF_LOADING);
        Limits {
            work: self.work,
            steps: self.steps,
        }
    }

    /// Leaves what such a forecast has left.
    pub(super) fn spend(&mut self, forecast: &Forecast) {
        self.work = forecast.limits.work;
    }
}
