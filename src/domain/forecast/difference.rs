//! The changes that an edit makes for people: who is on call before and after, place by place.

use crate::domain::duty::Duty;
use crate::domain::ids::{CellId, LaneId, UserId};
use crate::domain::load::{Held, Places};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A rotation and its duty over a range, as [`schedule`](super::schedule) has them.
#[derive(Clone, Copy)]
pub struct Planned<'p> {
    pub rotation: &'p Rotation,
    pub duties: &'p [Duty],
    pub range: Interval,
}

/// A stretch in which others are on call in a place than before: a lane or a cell, by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<K> {
    pub place: K,
    pub period: Interval,
    /// By id; nobody where empty.
    pub before: Vec<UserId>,
    pub after: Vec<UserId>,
}

/// Where two plans of one range differ in who is on call, place by place, by where it begins. Turns that follow one another in one
/// place with the same person are one stretch. With lanes as places, new windows with the same people at the same time are no
/// difference.
pub fn differences<K: Ord + Clone>(
    before: Planned,
    after: Planned,
    place: impl Fn(&CellId, &LaneId) -> K,
) -> Vec<Difference<K>> {
    let (held, holds) = (before.places(&place), after.places(&place));
    let order = |planned: Planned| {
        let cells = planned.rotation.cells.iter();
        cells
            .map(|cell| place(&cell.id, &planned.rotation.lanes[cell.lane].id))
            .collect::<Vec<K>>()
    };
    // What is gone comes after what there is, and then what changes that wait add.
    let mut rows: BTreeMap<K, usize> = BTreeMap::new();
    let known = order(after).into_iter().chain(order(before));
    let coming = holds.keys().chain(held.keys()).cloned();
    for (row, place) in known.chain(coming).enumerate() {
        rows.entry(place).or_insert(row);
    }
    let nobody = vec![(before.range.from, Vec::new())];
    let mut found = Vec::new();
    for place in rows.keys() {
        let sides = [&held, &holds].map(|side| side.get(place).unwrap_or(&nobody));
        found.extend(compare(place, sides, before.range));
    }
    found.sort_by_key(|one| (one.period.from, rows[&one.place]));
    found
}

/// Who is on call in one place: from each instant on until the next, nobody twice in a row the same.
type Steps = Vec<(Timestamp, Vec<UserId>)>;

impl<'p> Planned<'p> {
    /// How often somebody else comes on call in a cell within the range, or nobody any more.
    pub fn hand_overs(self) -> usize {
        let places = self.places(&|cell, _| cell.clone());
        places.values().map(|steps| steps.len() - 1).sum()
    }

    /// When each person is on call within the range, to be [measured](crate::domain::load::Days::measure).
    pub fn held(self) -> BTreeMap<UserId, Vec<Held>> {
        let places = Places::of(self.rotation);
        let mut held: BTreeMap<UserId, Vec<Held>> = BTreeMap::new();
        for (duty, user, period) in self.on_call() {
            let place = places.at(&duty.window, &duty.entry);
            let theirs = held.entry(user.clone()).or_default();
            theirs.push(Held { period, place });
        }
        held
    }

    /// The duty of somebody, with what of it lies in the range.
    fn on_call(self) -> impl Iterator<Item = (&'p Duty, &'p UserId, Interval)> {
        self.duties.iter().filter_map(move |duty| {
            let user = duty.entry.user.as_ref()?;
            Some((duty, user, duty.period().meets(self.range)?))
        })
    }

    /// Who is on call in each place, from the beginning of the range on.
    fn places<K: Ord>(self, place: &impl Fn(&CellId, &LaneId) -> K) -> BTreeMap<K, Steps> {
        let mut marks: BTreeMap<K, Vec<Mark>> = BTreeMap::new();
        for (duty, user, period) in self.on_call() {
            let place = place(&duty.cell, &duty.lane);
            let marks = marks.entry(place).or_default();
            marks.push((period.from, true, user));
            marks.push((period.until, false, user));
        }
        let steps = marks
            .into_iter()
            .map(|(place, marks)| (place, steps(marks, self.range)));
        steps.collect()
    }
}

/// Somebody comes on (`true`) or goes off.
type Mark<'p> = (Timestamp, bool, &'p UserId);

fn steps(mut marks: Vec<Mark>, range: Interval) -> Steps {
    marks.sort();
    // How many slots each person holds.
    let mut held: BTreeMap<&UserId, usize> = BTreeMap::new();
    let mut steps: Steps = vec![(range.from, Vec::new())];
    let mut marks = marks.into_iter().peekable();
    while let Some((at, comes, user)) = marks.next() {
        // Who goes off is sorted before who comes on at the same instant, and may be one person.
        let count = held.entry(user).or_default();
        *count = if comes { *count + 1 } else { *count - 1 };
        if *count == 0 {
            held.remove(user);
        }
        let is_last = marks.peek().is_none_or(|(next, ..)| *next > at);
        if !is_last || at >= range.until {
            continue;
        }
        let now = || held.keys().copied().cloned().collect();
        match steps.last_mut() {
            Some((_, on_call)) if on_call.iter().eq(held.keys().copied()) => {}
            Some((began, on_call)) if *began == at => *on_call = now(),
            _ => steps.push((at, now())),
        }
    }
    steps
}

fn compare<K: Clone>(
    place: &K,
    [before, after]: [&Steps; 2],
    range: Interval,
) -> Vec<Difference<K>> {
    let mut found: Vec<Difference<K>> = Vec::new();
    let (mut was, mut is) = (0, 0);
    let mut from = range.from;
    while from < range.until {
        let next = |steps: &Steps, index: usize| steps.get(index + 1).map(|(at, _)| *at);
        let ends = [next(before, was), next(after, is)];
        let until = ends.into_iter().flatten().min().unwrap_or(range.until);
        let (old, new) = (&before[was].1, &after[is].1);
        if old != new {
            match found.last_mut() {
                Some(last)
                    if last.period.until == from && last.before == *old && last.after == *new =>
                {
                    last.period.until = until;
                }
                _ => found.push(Difference {
                    place: place.clone(),
                    period: Interval { from, until },
                    before: old.clone(),
                    after: new.clone(),
                }),
            }
        }
        was += usize::from(ends[0] == Some(until));
        is += usize::from(ends[1] == Some(until));
        from = until;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_differ() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).expect("in range");
        let range = Interval {
            from: at(0),
            until: at(9),
        };
        type Slots<'s> = &'s [(&'s str, i64, i64)];
        let cases: [(Slots, Slots, Vec<&str>); 6] = [
            // Windows that are cut otherwise are no difference.
            (&[("A", 0, 9)], &[("A", 0, 4), ("A", 4, 9)], vec![]),
            (&[("A", 0, 9)], &[("B", 0, 9)], vec!["0-9 A>B"]),
            (
                &[("A", 0, 5), ("B", 5, 9)],
                &[("A", 0, 7), ("B", 7, 9)],
                vec!["5-7 B>A"],
            ),
            (&[("A", 0, 9)], &[("A", 0, 3), ("A", 6, 9)], vec!["3-6 A>"]),
            (&[], &[("A", 2, 4), ("B", 2, 4)], vec!["2-4 >AB"]),
            // The same pair of people is one stretch, whatever begins within it.
            (
                &[("A", 0, 4), ("A", 4, 9)],
                &[("B", 0, 2), ("B", 2, 9)],
                vec!["0-9 A>B"],
            ),
        ];
        for (before, after, expected) in cases {
            let steps = |slots: Slots| {
                let users: Vec<UserId> = slots.iter().map(|(user, ..)| (*user).into()).collect();
                let marks = slots
                    .iter()
                    .zip(&users)
                    .flat_map(|((_, from, until), user)| {
                        [(at(*from), true, user), (at(*until), false, user)]
                    });
                super::steps(marks.collect(), range)
            };
            let found = compare(&(), [&steps(before), &steps(after)], range);
            let hour = |at: Timestamp| at.as_second() / 3600;
            let named = |users: &[UserId]| users.iter().map(UserId::as_str).collect::<String>();
            let shown = found.iter().map(|one| {
                let (from, until) = (hour(one.period.from), hour(one.period.until));
                format!(
                    "{from}-{until} {}>{}",
                    named(&one.before),
                    named(&one.after)
                )
            });
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{before:?} {after:?}");
        }
    }
}
