//! Who holds each cell for how long, open or shut, with the dealt turn beneath: what warnings are found in.

use super::{Budget, Forecast, outside, too_far, without_requests};
use crate::domain::duty::DutyKind;
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// A stretch in which one cell is one person's or nobody's, and its window stays open or shut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    /// Within the range asked for.
    pub period: Interval,
    /// `None` for nobody, and for somebody unknown here.
    pub user: Option<UserId>,
    /// What somebody is called who is unknown here.
    pub outside: Option<String>,
    /// When the turn beneath was dealt, or on a partner's schedule when the shift begins; `None` where nobody has the turn.
    pub dealt_at: Option<Timestamp>,
    pub is_open: bool,
}

impl Held {
    /// Whether the window is open and nobody is on call.
    pub fn is_vacant(&self) -> bool {
        self.is_open && self.user.is_none() && self.outside.is_none()
    }

    /// The person who is on call; `None` where nobody is, or somebody unknown here.
    pub fn on_call(&self) -> Option<&UserId> {
        self.user.as_ref().filter(|_| self.is_open)
    }
}

/// Stretches of one rotation at the most.
const MOST: usize = 400_000;

/// The stretches of a range, cell by cell and by where they begin. Nothing is planned in a disabled rotation, and none are there. A
/// partner's schedule has those that are known, which may overlap. The budget is charged with loading each rotation.
///
/// # Errors
/// As [`schedule`](super::schedule), where the budget does not suffice.
pub fn held(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    budget: &mut Budget,
) -> Result<Vec<Held>, Refusal> {
    let limits = budget.limits();
    if !rotation.enabled {
        return Ok(Vec::new());
    }
    if let Some(held) = outside_held(rotation, range) {
        return Ok(held);
    }
    let mut future = without_requests(rotation);
    let begun = rotation.stamps.judged_at;
    let mut found = Vec::new();
    let mut running: Vec<Held> = (0..future.cells.len())
        .map(|cell| standing(&future, cell, begun))
        .collect();
    let mut forecast = Forecast::new(&mut future, dealing, limits);
    let all = Interval {
        from: begun,
        ..range
    };
    forecast.aim(all, MOST);
    while let Some(step) = forecast.step_before(range.until) {
        for (index, last) in running.iter_mut().enumerate() {
            if goes_on(step.rotation, &step.rotation.cells[index], last) {
                continue;
            }
            let next = standing(step.rotation, index, step.at);
            let mut ended = std::mem::replace(last, next);
            ended.period.until = step.at;
            found.push(ended);
        }
        if found.len() > MOST {
            break;
        }
    }
    let cut_off = forecast.cut_off_at();
    budget.spend(&forecast);
    if cut_off.is_some() || found.len() > MOST {
        return too_far();
    }
    found.extend(running);
    found.retain_mut(|held| {
        let within = held.period.meets(range);
        held.period = within.unwrap_or(held.period);
        within.is_some() && !rotation.cells[held.cell].stopped
    });
    found.sort_by_key(|held| (held.cell, held.period));
    Ok(found)
}

/// How a cell stands from an instant on.
fn standing(rotation: &Rotation, index: usize, at: Timestamp) -> Held {
    let cell = &rotation.cells[index];
    Held {
        cell: index,
        period: Interval {
            from: at,
            until: Timestamp::MAX,
        },
        user: resolve::holder(rotation, cell).map(Hold::user).cloned(),
        outside: None,
        dealt_at: dealt_at(cell),
        is_open: rotation.windows[cell.window].open,
    }
}

fn goes_on(rotation: &Rotation, cell: &Cell, last: &Held) -> bool {
    last.is_open == rotation.windows[cell.window].open
        && last.dealt_at == dealt_at(cell)
        && last.user.as_ref() == resolve::holder(rotation, cell).map(Hold::user)
}

fn dealt_at(cell: &Cell) -> Option<Timestamp> {
    cell.holder.as_ref().map(|holder| holder.since)
}

/// What is known of a partner's schedule; `None` for other rotations. Without a schedule nobody is on call.
fn outside_held(rotation: &Rotation, range: Interval) -> Option<Vec<Held>> {
    let external = rotation.external.as_ref()?;
    let known = outside::duties(rotation, range)?.into_iter();
    let held = known.filter_map(|duty| {
        let is_held = duty.kind() != DutyKind::Nobody;
        Some(Held {
            cell: 0,
            period: duty.period().meets(range)?,
            dealt_at: is_held.then_some(duty.entry.start),
            user: duty.entry.user,
            outside: duty.entry.outside,
            is_open: true,
        })
    });
    let mut held: Vec<Held> = held.collect();
    if external.link.is_none() && held.is_empty() {
        held.push(Held {
            cell: 0,
            period: range,
            user: None,
            outside: None,
            dealt_at: None,
            is_open: true,
        });
    }
    held.sort_by_key(|held| held.period);
    Some(held)
}
