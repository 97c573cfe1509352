//! What moved from one plan to another.

use super::{Stretch, ToldPlan};
use crate::domain::ids::{CellId, UserId};
use crate::domain::time::{Interval, without};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A time in which a person is on call that they were not, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub cell: CellId,
    pub period: Interval,
    /// Who had it before, or has it now; `None` for nobody, and for somebody unknown here.
    pub other: Option<UserId>,
}

/// What moved for one person, by where it begins, then by cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    pub gained: Vec<Moved>,
    pub lost: Vec<Moved>,
}

impl Moves {
    /// Whether nothing moved.
    pub fn is_empty(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty()
    }

    /// Leaves out what they gained of a cell in a period.
    pub fn leave_out_gained(&mut self, cell: &CellId, period: Interval) {
        leave_out(&mut self.gained, cell, period);
    }

    /// Leaves out what moved of a cell in a period.
    pub fn leave_out(&mut self, cell: &CellId, period: Interval) {
        leave_out(&mut self.gained, cell, period);
        leave_out(&mut self.lost, cell, period);
    }
}

fn leave_out(moved: &mut Vec<Moved>, cell: &CellId, period: Interval) {
    let parts = |one: Moved| {
        let left = match one.cell == *cell {
            true => without(&[one.period], &[period]),
            false => vec![one.period],
        };
        left.into_iter().map(move |period| Moved {
            period,
            ..one.clone()
        })
    };
    *moved = std::mem::take(moved).into_iter().flat_map(parts).collect();
    sort(moved);
}

fn sort(moved: &mut [Moved]) {
    moved.sort_by(|one, two| {
        (one.period.from, &one.cell, &one.other).cmp(&(two.period.from, &two.cell, &two.other))
    });
}

/// What moved for each person over the time that both plans cover, and when that time ends.
pub fn differences(before: &ToldPlan, after: &ToldPlan) -> (Timestamp, BTreeMap<UserId, Moves>) {
    let compared = Interval::new(
        before.span.from.max(after.span.from),
        before.span.until.min(after.span.until),
    );
    let mut moves = BTreeMap::new();
    let (was, is) = (by_cell(before), by_cell(after));
    let cells: BTreeSet<&CellId> = was.keys().chain(is.keys()).copied().collect();
    for cell in cells {
        let [was, is] = [&was, &is].map(|plan| clipped(plan.get(cell), compared));
        compare(cell, &was, &is, &mut moves);
    }
    for theirs in moves.values_mut() {
        sort(&mut theirs.gained);
        sort(&mut theirs.lost);
    }
    (compared.until, moves)
}

fn by_cell(plan: &ToldPlan) -> BTreeMap<&CellId, Vec<&Stretch>> {
    let mut cells: BTreeMap<&CellId, Vec<&Stretch>> = BTreeMap::new();
    for stretch in &plan.stretches {
        cells.entry(&stretch.cell).or_default().push(stretch);
    }
    cells
}

/// Whose the times of one cell are within the time that is compared, by where they begin.
fn clipped<'p>(
    stretches: Option<&Vec<&'p Stretch>>,
    compared: Interval,
) -> Vec<(Interval, &'p UserId)> {
    let within = |stretch: &&'p Stretch| Some((stretch.period.meets(compared)?, &stretch.user));
    stretches.into_iter().flatten().filter_map(within).collect()
}

/// Walks both plans of a cell from bound to bound.
fn compare(
    cell: &CellId,
    was: &[(Interval, &UserId)],
    is: &[(Interval, &UserId)],
    moves: &mut BTreeMap<UserId, Moves>,
) {
    let both = || was.iter().chain(is);
    let bounds: BTreeSet<Timestamp> = both()
        .flat_map(|(period, _)| [period.from, period.until])
        .collect();
    let bounds: Vec<Timestamp> = bounds.into_iter().collect();
    let (mut was, mut is) = (Walk::of(was), Walk::of(is));
    for pair in bounds.windows(2) {
        let period = Interval::new(pair[0], pair[1]);
        let (had, has) = (was.at(period.from), is.at(period.from));
        let gone: Vec<&UserId> = had
            .iter()
            .filter(|user| !has.contains(user))
            .copied()
            .collect();
        let new: Vec<&UserId> = has
            .iter()
            .filter(|user| !had.contains(user))
            .copied()
            .collect();
        for user in &new {
            let theirs = moves.entry((*user).clone()).or_default();
            add(&mut theirs.gained, cell, period, gone.first());
        }
        for user in &gone {
            let theirs = moves.entry((*user).clone()).or_default();
            add(&mut theirs.lost, cell, period, new.first());
        }
    }
}

/// Adds a stretch to those of one cell, or makes the last one longer.
fn add(moved: &mut Vec<Moved>, cell: &CellId, period: Interval, other: Option<&&UserId>) {
    let other = other.copied();
    match moved.last_mut() {
        Some(last)
            if last.cell == *cell
                && last.period.until == period.from
                && last.other.as_ref() == other =>
        {
            last.period.until = period.until;
        }
        _ => moved.push(Moved {
            cell: cell.clone(),
            period,
            other: other.cloned(),
        }),
    }
}

/// Who has a cell, instant by instant.
struct Walk<'a> {
    left: std::iter::Peekable<std::slice::Iter<'a, (Interval, &'a UserId)>>,
    running: Vec<(Interval, &'a UserId)>,
}

impl<'a> Walk<'a> {
    fn of(stretches: &'a [(Interval, &'a UserId)]) -> Walk<'a> {
        Walk {
            left: stretches.iter().peekable(),
            running: Vec::new(),
        }
    }

    /// Who has it at an instant; later ones are asked for later.
    fn at(&mut self, at: Timestamp) -> Vec<&'a UserId> {
        self.running.retain(|(period, _)| period.until > at);
        while let Some(begun) = self.left.next_if(|(period, _)| period.from <= at) {
            self.running.push(*begun);
        }
        let users = self.running.iter();
        let users = users.filter(|(period, _)| period.until > at);
        users.map(|(_, user)| *user).collect()
    }
}
