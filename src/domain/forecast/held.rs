//! Who holds each cell for how long, open or shut, with the dealt turn beneath: what agreements are judged by and warnings are
//! found in. It is all of a [`Duty`](crate::domain::duty::Duty) that these look at, since they hold very many.

use super::{Budget, Forecast, external, too_far, with_coming, without_requests};
use crate::domain::duty::DutyKind;
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// A time in which one cell is one person's or nobody's by one dealt turn, whoever has that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Index into the cells of the rotation [`with_coming`](super::with_coming) ones.
    pub cell: usize,
    /// To the end of time where no end is known.
    pub period: Interval,
    /// Who holds the cell, by arrangement or as dealt; `None` for nobody, and for somebody unknown here.
    pub user: Option<UserId>,
    /// The name of somebody who is unknown here.
    pub outside: Option<String>,
    /// Whose turn it is, and since when, or on a partner's schedule since the shift began; `None` where nobody has the turn.
    pub dealt: Option<(Option<UserId>, Timestamp)>,
    pub is_open: bool,
    /// Whether the cell is there: a change that waits may add it later, or take it away.
    pub is_there: bool,
}

impl Held {
    /// How a cell stands from an instant on.
    fn standing(rotation: &Rotation, slot: usize, at: Timestamp) -> Held {
        let cell = &rotation.cells[slot];
        let dealt = cell.holder.as_ref();
        Held {
            cell: slot,
            period: Interval::new(at, Timestamp::MAX),
            user: resolve::holder(rotation, cell).map(Hold::user).cloned(),
            outside: None,
            dealt: dealt.map(|holder| (Some(holder.user.clone()), holder.since)),
            is_open: rotation.windows[cell.window].open,
            is_there: true,
        }
    }

    /// A cell that is not there from an instant on.
    fn gone(slot: usize, at: Timestamp) -> Held {
        Held {
            cell: slot,
            period: Interval::new(at, Timestamp::MAX),
            user: None,
            outside: None,
            dealt: None,
            is_open: false,
            is_there: false,
        }
    }

    /// Whether its cell, which is at a slot now, stands as before. The same person dealt again has another turn.
    fn goes_on(&self, rotation: &Rotation, slot: usize) -> bool {
        let cell = &rotation.cells[slot];
        let since = cell.holder.as_ref().map(|holder| holder.since);
        self.dealt_at() == since
            && self.user.as_ref() == resolve::holder(rotation, cell).map(Hold::user)
    }

    /// Whether it is how the same cell stood before.
    fn goes_on_from(&self, last: &Held, is_cut_by_hours: bool) -> bool {
        self.user == last.user
            && self.dealt_at() == last.dealt_at()
            && self.is_there == last.is_there
            && (!is_cut_by_hours || self.is_open == last.is_open)
    }

    /// When the turn beneath was dealt.
    pub fn dealt_at(&self) -> Option<Timestamp> {
        self.dealt.as_ref().map(|(_, since)| *since)
    }

    /// Whether the window is open and nobody is on call.
    pub fn is_vacant(&self) -> bool {
        self.is_open && self.user.is_none() && self.outside.is_none()
    }

    /// The person who is on call; `None` where nobody is, or somebody unknown here.
    pub fn on_call(&self) -> Option<&UserId> {
        self.user.as_ref().filter(|_| self.is_open)
    }
}

/// The stretches of the cells of a forecast up to an instant, until there are more than `most`: what has ended, and then what runs.
/// Where it is not cut by hours, nothing is said of windows that open and shut; where it is, nobody is on call in a disabled
/// rotation.
pub(super) fn stretches(
    forecast: &mut Forecast,
    cells: &[Cell],
    end: Timestamp,
    most: usize,
    is_cut_by_hours: bool,
) -> (Vec<Held>, Vec<Held>) {
    let now = forecast.rotation();
    // A change that waits may take cells away, add some and move others.
    let is_steady = now.waiting.is_empty();
    let standing = |rotation: &Rotation, cell: usize, at: Timestamp| {
        let slot = rotation.slot_near(&cells[cell].id, cell);
        let slot = slot.filter(|_| rotation.enabled || !is_cut_by_hours);
        slot.map_or(Held::gone(cell, at), |slot| Held {
            cell,
            ..Held::standing(rotation, slot, at)
        })
    };
    let running = (0..cells.len()).map(|cell| standing(now, cell, now.stamps.judged_at));
    let (mut ended, mut running) = (Vec::new(), running.collect::<Vec<_>>());
    while ended.len() <= most
        && let Some(step) = forecast.step_before(end)
    {
        for last in &mut running {
            let next = match is_steady {
                true => {
                    let window = step.rotation.cells[last.cell].window;
                    let is_open = step.rotation.windows[window].open;
                    let same_hours = !is_cut_by_hours || last.is_open == is_open;
                    if same_hours && last.goes_on(step.rotation, last.cell) {
                        continue;
                    }
                    Held::standing(step.rotation, last.cell, step.at)
                }
                false => {
                    let next = standing(step.rotation, last.cell, step.at);
                    if next.goes_on_from(last, is_cut_by_hours) {
                        continue;
                    }
                    next
                }
            };
            let mut past = std::mem::replace(last, next);
            past.period.until = step.at;
            ended.push(past);
        }
    }
    (ended, running)
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
    if !rotation.enabled && rotation.waiting.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(held) = outside_held(rotation, range) {
        return Ok(held);
    }
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, limits);
    let all = Interval {
        from: rotation.stamps.judged_at,
        ..range
    };
    forecast.aim(all, MOST);
    let whole = with_coming(rotation, dealing.calendar);
    let (mut found, running) = stretches(&mut forecast, &whole.cells, range.until, MOST, true);
    let cut_off = forecast.cut_off_at();
    budget.spend(&forecast);
    if cut_off.is_some() || found.len() > MOST {
        return too_far();
    }
    found.extend(running);
    found.retain_mut(|held| {
        let within = held.period.meets(range);
        held.period = within.unwrap_or(held.period);
        within.is_some() && held.is_there && !whole.cells[held.cell].stopped
    });
    found.sort_by_key(|held| (held.cell, held.period));
    Ok(found)
}

/// The known part of a partner's schedule; `None` for other rotations. Without a schedule nobody is on call.
fn outside_held(rotation: &Rotation, range: Interval) -> Option<Vec<Held>> {
    let external = rotation.external.as_ref()?;
    let known = external::duties(rotation, range)?.into_iter();
    let held = known.filter_map(|duty| {
        let is_held = duty.kind() != DutyKind::Nobody;
        Some(Held {
            cell: 0,
            period: duty.period().meets(range)?,
            dealt: is_held.then(|| (duty.entry.user.clone(), duty.entry.start)),
            user: duty.entry.user,
            outside: duty.entry.outside,
            is_open: true,
            is_there: true,
        })
    });
    let mut held: Vec<Held> = held.collect();
    if external.link.is_none() && held.is_empty() {
        held.push(Held {
            cell: 0,
            period: range,
            user: None,
            outside: None,
            dealt: None,
            is_open: true,
            is_there: true,
        });
    }
    held.sort_by_key(|held| held.period);
    Some(held)
}
