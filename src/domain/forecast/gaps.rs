//! Gaps: open windows in which nobody is on call, or somebody who is away.

use crate::domain::absence::Absences;
use crate::domain::duty::Duty;
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::rotation::Rotation;
use crate::domain::time::{Interval, joined, shared};
use std::collections::BTreeMap;

/// A stretch of a cell in which its window is open and nobody is on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    pub period: Interval,
}

/// A stretch for which somebody is on call in a cell while they are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentOnCall {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    pub user: UserId,
    pub period: Interval,
}

/// Gaps of one range at the most.
const MOST: usize = 200;

/// The gaps among planned duty, clipped to a range, by where they begin.
pub fn gaps(duties: &[Duty], range: Interval) -> Vec<Gap> {
    let vacant = duties.iter().filter(|duty| duty.is_vacant());
    let found = vacant.filter_map(|duty| {
        Some(Gap {
            cell: duty.slot?,
            period: duty.period().meets(range)?,
        })
    });
    let mut found: Vec<Gap> = found.take(MOST).collect();
    found.sort_by_key(|gap| (gap.cell, gap.period));
    found.dedup_by(|next, gap| {
        let joins = next.cell == gap.cell && next.period.from <= gap.period.until;
        if joins {
            gap.period.until = gap.period.until.max(next.period.until);
        }
        joins
    });
    found.sort_by_key(|gap| (gap.period.from, gap.cell));
    found
}

/// Where people are on call by planned duty while they are absent, clipped to a range, by where it begins.
pub fn absent_on_call(absences: &Absences, duties: &[Duty], range: Interval) -> Vec<AbsentOnCall> {
    let mut held: BTreeMap<(usize, &UserId), Vec<Interval>> = BTreeMap::new();
    for duty in duties {
        let of = duty.slot.zip(duty.entry.user.as_ref());
        if let (Some(of), Some(period)) = (of, duty.period().meets(range)) {
            held.entry(of).or_default().push(period);
        }
    }
    let mut found = Vec::new();
    for ((cell, user), held) in held {
        let both = shared(&joined(held), &absences.periods_of(user));
        found.extend(both.into_iter().map(|period| AbsentOnCall {
            cell,
            user: user.clone(),
            period,
        }));
    }
    found.sort_by_key(|one| (one.period, one.cell));
    found
}

/// The open stretches of a window within a period.
pub fn open_stretches(
    rotation: &Rotation,
    calendar: &Calendar,
    window: &crate::domain::rotation::Window,
    period: Interval,
) -> Vec<Interval> {
    let hours = rotation.hours(window);
    let (mut stretches, mut at) = (Vec::new(), period.from);
    while at < period.until && stretches.len() < MOST {
        let view = hours.at(calendar, at);
        let until = view.changes_at.unwrap_or(period.until).min(period.until);
        if view.open {
            stretches.push(Interval { from: at, until });
        }
        at = until;
    }
    stretches
}
