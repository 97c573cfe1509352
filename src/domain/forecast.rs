//! The one simulation of the future. A [`Forecast`] steps a rotation from due instant to due instant, within limits. The timer
//! stores what it steps through; the schedule, agreements, reminders and topics step a copy. What is forecast is therefore what
//! happens, as long as nothing else changes.

mod ahead;
mod at;
mod budget;
mod cells;
mod difference;
mod external;
mod failing;
mod gaps;
mod held;
mod least;
mod lost;
mod notice;
mod phases;
mod schedule;
mod shift;
mod summary;
mod trades;

pub use ahead::{Ahead, Stretch, ahead, within_range};
pub use at::{rotation_at, standing_at};
pub use budget::Budget;
pub use cells::{CellForecast, cells, horizon, is_doubled, keeps, known_cells};
pub use difference::{Difference, Planned, differences};
pub use failing::failing;
pub use gaps::{AbsentOnCall, Gap, absent_on_call, gaps, open_stretches};
pub use held::{Held, held};
pub use lost::expire_lost;
pub use notice::{
    HandoverNotice, Instead, next_reminder, notices, notices_at, slot_name, slot_named,
    upcoming_notices, zone,
};
pub use phases::{Phase, phases, with_coming};
pub use schedule::{
    check_schedule, duties_of, duties_within, schedule, schedule_of, schedule_within, standing,
};
pub use shift::{Shift, ShiftRotation};
pub use summary::OnCallSummary;
pub use trades::{ExpectedTurn, OpenTrade, expected_trades, open_trades};

use super::absence::Absences;
use super::handover::{DealingContext, Memo, Outcome};
use super::ids::ChangeId;
use super::refusal::{Refusal, invalid};
use super::rotation::{Rotation, Waiting};
use super::time::Interval;
use super::trace::Decision;
use jiff::Timestamp;
use least::Least;
use std::sync::Arc;

/// Steps of a forecast at the most: a hand-over a day for fifty years.
const MOST_STEPS: usize = 20_000;

/// The limits of a forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Due instants.
    pub steps: usize,
    /// As [`Outcome::work`] counts.
    pub work: usize,
}

impl Limits {
    /// For what is due already: all of it has to be done.
    pub const NONE: Limits = Limits {
        steps: usize::MAX,
        work: usize::MAX,
    };

    /// So much work, in [`MOST_STEPS`] steps.
    const fn work(work: usize) -> Limits {
        Limits {
            steps: MOST_STEPS,
            work,
        }
    }
}

/// Everything due at one instant, done.
#[derive(Debug)]
pub struct Step<'f> {
    pub at: Timestamp,
    /// As it stands after the step.
    pub rotation: &'f Rotation,
    pub outcome: Outcome,
    /// What changes did that waited for this instant, if any did.
    pub changed: Option<Changed>,
}

/// Steps a rotation through its due instants, each at most once and in order: hand-overs, windows that open and shut,
/// arrangements that begin and end, requests that expire, absences that end while a slot is empty. A disabled rotation has
/// none.
///
/// Works like an iterator whose items borrow the rotation:
///
/// ```text
/// let mut forecast = Forecast::new(&mut rotation, dealing, limits);
/// while let Some(step) = forecast.step_until(to) {
///     println!("{}: {:?}", step.at, step.outcome.begun);
/// }
/// ```
pub struct Forecast<'a> {
    rotation: &'a mut Rotation,
    dealing: DealingContext<'a>,
    /// The absences since a change of members or policy.
    absences: Option<Arc<Absences>>,
    memo: Memo,
    /// The next due instant, once it has been computed.
    next_due: Option<Option<Timestamp>>,
    /// The limits that are left.
    limits: Limits,
    cut_off_at: Option<Timestamp>,
    /// The goal that all of it is needed for.
    goal: Option<Goal>,
}

/// What changes did whose time had come.
#[derive(Debug)]
pub struct Changed {
    /// In the order made.
    pub ended: Vec<Ended>,
    /// The rotation before them.
    pub before: Rotation,
}

/// A change whose time has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub id: ChangeId,
    pub at: Timestamp,
    /// The rotation after it, before anybody is dealt, or `None` where it changed nothing; or why it was refused. Then nothing of it
    /// is made.
    pub outcome: Result<Option<Box<Rotation>>, Refusal>,
}

/// What one step did.
struct Done {
    outcome: Outcome,
    changed: Option<Changed>,
}

/// The context of dealing, with the absences that count by now.
fn dealing<'d>(
    context: DealingContext<'d>,
    absences: Option<&'d Arc<Absences>>,
) -> DealingContext<'d> {
    match absences {
        Some(absences) => DealingContext::new(context.calendar, absences),
        None => context,
    }
}

/// The purpose of a forecast of which a part is of no use.
#[derive(Clone, Copy)]
struct Goal {
    range: Interval,
    /// Entries that may begin in the range at the most.
    most: usize,
    /// The work that is left when it is looked ahead.
    look_at: usize,
}

/// The work of a forecast before it looks ahead: most end sooner.
const WORK_BEFORE_LOOKING: usize = 100_000;

impl<'a> Forecast<'a> {
    /// Steps this rotation on from [`Stamps::judged_at`](super::rotation::Stamps::judged_at). Only its steps may change it
    /// meanwhile.
    pub fn new(
        rotation: &'a mut Rotation,
        dealing: DealingContext<'a>,
        limits: Limits,
    ) -> Forecast<'a> {
        Forecast {
            rotation,
            dealing,
            absences: None,
            memo: Memo::default(),
            next_due: None,
            limits,
            cut_off_at: None,
            goal: None,
        }
    }

    /// All up to the end of a range is needed, where at most so many entries begin in it. From now on it is cut off early where the
    /// limits are sure not to allow that.
    fn aim(&mut self, range: Interval, most: usize) {
        self.goal = Some(Goal {
            range,
            most,
            look_at: self.limits.work.saturating_sub(WORK_BEFORE_LOOKING),
        });
    }

    /// Whether it is sure not to reach its goal. Looks ahead once.
    fn is_in_vain(&mut self) -> bool {
        if !self.rotation.waiting.is_empty() {
            // What lies ahead is another grid.
            return false;
        }
        let look = |goal: &mut Goal| self.limits.work <= goal.look_at;
        let Some(goal) = self.goal.take_if(look) else {
            return false;
        };
        let exceeds = |least: &Least| least.exceeds(self.limits, goal.most);
        let calendar = self.dealing.calendar;
        exceeds(&least::least(self.rotation, calendar, goal.range, exceeds))
    }

    /// As it stands after the last step.
    pub fn rotation(&self) -> &Rotation {
        self.rotation
    }

    /// The decisions of dealing since this was asked last, as [`Rotation::take_decisions`] has it.
    pub fn take_decisions(&mut self) -> Vec<(usize, Decision)> {
        self.rotation.take_decisions()
    }

    /// The instant of the next step, whether the limits allow it or not.
    pub fn next_due(&mut self) -> Option<Timestamp> {
        *self.next_due.get_or_insert_with(|| {
            let dealing = dealing(self.dealing, self.absences.as_ref());
            let due = self.memo.next_due(self.rotation, dealing);
            [due, self.rotation.next_change()]
                .into_iter()
                .flatten()
                .min()
        })
    }

    /// Does everything due at the next due instant. `None` where nothing falls due any more, and where the limits are reached:
    /// see [`cut_off_at`](Forecast::cut_off_at).
    pub fn step(&mut self) -> Option<Step<'_>> {
        let at = self.next_due()?;
        if self.cut_off_at.is_some() {
            return None;
        }
        if self.is_in_vain() {
            self.cut_off_at = Some(at);
            return None;
        }
        let done = self.spend(at);
        if done.is_none() {
            self.cut_off_at = Some(at);
        }
        done.map(|done| Step {
            at,
            rotation: self.rotation,
            outcome: done.outcome,
            changed: done.changed,
        })
    }

    /// Takes a step where the next due instant is `until` or earlier.
    pub fn step_until(&mut self, until: Timestamp) -> Option<Step<'_>> {
        self.next_due().filter(|at| *at <= until)?;
        self.step()
    }

    /// Takes a step where the next due instant is earlier than `end`.
    pub fn step_before(&mut self, end: Timestamp) -> Option<Step<'_>> {
        self.next_due().filter(|at| *at < end)?;
        self.step()
    }

    /// Does everything due up to an instant, itself included. Whether the limits allow all of it.
    fn reaches(&mut self, at: Timestamp) -> bool {
        let all = Interval::new(at, at);
        self.aim(all, usize::MAX);
        while self.step_until(at).is_some() {}
        self.cut_off_at.is_none()
    }

    /// The instant of the step that the limits did not allow; what is forecast holds up to there.
    pub fn cut_off_at(&self) -> Option<Timestamp> {
        self.cut_off_at
    }

    /// Goes on with other limits.
    fn limit(&mut self, limits: Limits) {
        (self.limits, self.goal) = (limits, None);
    }

    /// Does everything due at an instant; `None` where that exceeds the limits.
    fn spend(&mut self, at: Timestamp) -> Option<Done> {
        self.limits.steps = self.limits.steps.checked_sub(1)?;
        self.next_due = None;
        let done = match self.rotation.next_change() {
            Some(next) if next <= at => self.change(at),
            _ => {
                let dealing = dealing(self.dealing, self.absences.as_ref());
                Done {
                    outcome: self.memo.step(self.rotation, dealing, at),
                    changed: None,
                }
            }
        };
        self.limits.work = self.limits.work.checked_sub(done.outcome.work)?;
        Some(done)
    }

    /// Applies the changes that wait for an instant, and then does everything else that is due at it.
    fn change(&mut self, at: Timestamp) -> Done {
        let waiting = &mut self.rotation.waiting;
        let due = waiting.iter().take_while(|change| change.at <= at).count();
        let due: Vec<Waiting> = waiting.drain(..due).collect();
        // That they no longer wait is no change of the rotation.
        let before = self.rotation.clone();
        let mut ended = Vec::with_capacity(due.len());
        for change in due {
            let mut then = Box::new(self.rotation.clone());
            let applied = change.planned.apply(&mut then, self.dealing.calendar, at);
            let outcome = applied.map(|()| Some(then).filter(|then| !then.same_as(self.rotation)));
            if let Ok(Some(then)) = &outcome {
                self.rotation.clone_from(then);
            }
            let id = change.id;
            ended.push(Ended { id, at, outcome });
        }
        if !Arc::ptr_eq(&before.absences, &self.rotation.absences) {
            self.absences = Some(Arc::clone(&self.rotation.absences));
        }
        let dealing = dealing(self.dealing, self.absences.as_ref());
        let outcome = self.memo.step_after(self.rotation, dealing, at, &before);
        Done {
            outcome,
            changed: Some(Changed { ended, before }),
        }
    }
}

/// A copy to forecast with. Pending requests change nobody's duty, and each would be a step: only a slot that was emptied by hand
/// could be filled then.
fn without_requests(rotation: &Rotation) -> Rotation {
    let mut future = Rotation {
        trace: None,
        ..rotation.clone()
    };
    if rotation.running().all(|cell| cell.holder.is_some()) {
        future.pending.clear();
    }
    future
}

/// The refusal of what lies beyond the limits.
///
/// # Errors
/// Always.
pub fn too_far<T>() -> Result<T, Refusal> {
    invalid(
        "to",
        "too many hand-overs lie before it; ask for a nearer or a shorter range",
    )
}

#[cfg(test)]
mod tests;
