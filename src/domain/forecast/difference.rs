//! What an edit changes for people: who is on call in each lane, before and after.

use super::{PlannedTurn, schedule_within};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{LaneId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A stretch in which others are on call in a lane than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub lane: LaneId,
    pub period: Interval,
    /// By id; nobody where empty.
    pub before: Vec<UserId>,
    pub after: Vec<UserId>,
}

/// Where two versions of a rotation, each with what it deals by, differ in who is on call, lane by lane, by where it begins. Windows of a lane are taken
/// together, so that new windows with the same people at the same time are no difference.
///
/// # Errors
/// As [`schedule`](super::schedule), where the range takes too much to forecast.
pub fn differences(
    [before, after]: [(&Rotation, DealingContext); 2],
    range: Interval,
) -> Result<Vec<Difference>, Refusal> {
    let mut marks: BTreeMap<LaneId, Vec<Mark>> = BTreeMap::new();
    for (side, (rotation, dealing)) in [before, after].into_iter().enumerate() {
        for turn in schedule_within(rotation, dealing, range)? {
            let lane = &rotation.lanes[rotation.cells[turn.cell].lane].id;
            let marks = marks.entry(lane.clone()).or_default();
            marks.extend(Mark::of(side, &turn, range));
        }
    }
    let mut found = Vec::new();
    for (lane, marks) in marks {
        found.extend(compare(&lane, marks, range.until));
    }
    let row = |lane: &LaneId| {
        let ((before, _), (after, _)) = (before, after);
        let lanes = after.lanes.iter().chain(&before.lanes);
        lanes.into_iter().position(|known| known.id == *lane)
    };
    found.sort_by_key(|one| (one.period.from, row(&one.lane)));
    Ok(found)
}

/// Somebody comes on or goes off.
struct Mark {
    at: Timestamp,
    /// 0 before the edit, 1 after it.
    side: usize,
    user: UserId,
    comes: bool,
}

impl Mark {
    fn of(side: usize, turn: &PlannedTurn, range: Interval) -> Vec<Mark> {
        let (Some(user), Some(period)) = (&turn.entry.user, turn.period().meets(range)) else {
            return Vec::new();
        };
        let mark = |at, comes| Mark {
            at,
            side,
            user: user.clone(),
            comes,
        };
        vec![mark(period.from, true), mark(period.until, false)]
    }
}

fn compare(lane: &LaneId, mut marks: Vec<Mark>, end: Timestamp) -> Vec<Difference> {
    marks.sort_by_key(|mark| mark.at);
    // How many slots each person holds, before and after.
    let mut held: [BTreeMap<UserId, usize>; 2] = Default::default();
    let mut found: Vec<Difference> = Vec::new();
    let mut marks = marks.into_iter().peekable();
    while let Some(mark) = marks.next() {
        let at = mark.at;
        let count = held[mark.side].entry(mark.user).or_default();
        *count = if mark.comes {
            *count + 1
        } else {
            count.saturating_sub(1)
        };
        if marks.peek().is_some_and(|next| next.at == at) {
            continue;
        }
        let until = marks.peek().map_or(end, |next| next.at);
        let on_call = |side: usize| -> BTreeSet<&UserId> {
            let held = held[side].iter().filter(|(_, count)| **count > 0);
            held.map(|(user, _)| user).collect()
        };
        let (before, after) = (on_call(0), on_call(1));
        if before == after || at >= until {
            continue;
        }
        let owned = |users: BTreeSet<&UserId>| users.into_iter().cloned().collect::<Vec<_>>();
        let (before, after) = (owned(before), owned(after));
        match found.last_mut() {
            Some(last)
                if last.period.until == at && last.before == before && last.after == after =>
            {
                last.period.until = until;
            }
            _ => found.push(Difference {
                lane: lane.clone(),
                period: Interval { from: at, until },
                before,
                after,
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_differ() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).expect("in range");
        let marks = |held: &[(usize, &str, i64, i64)]| {
            let both = |(side, user, from, until): &(usize, &str, i64, i64)| {
                let mark = |hour: i64, comes| Mark {
                    at: at(hour),
                    side: *side,
                    user: UserId::from(*user),
                    comes,
                };
                [mark(*from, true), mark(*until, false)]
            };
            held.iter().flat_map(both).collect::<Vec<_>>()
        };
        for (held, expected) in [
            // Windows that are cut otherwise are no difference.
            (vec![(0, "A", 0, 9), (1, "A", 0, 4), (1, "A", 4, 9)], vec![]),
            (vec![(0, "A", 0, 9), (1, "B", 0, 9)], vec!["0-9 A>B"]),
            (
                vec![
                    (0, "A", 0, 5),
                    (0, "B", 5, 9),
                    (1, "A", 0, 7),
                    (1, "B", 7, 9),
                ],
                vec!["5-7 B>A"],
            ),
            (
                vec![(0, "A", 0, 9), (1, "A", 0, 3), (1, "A", 6, 9)],
                vec!["3-6 A>"],
            ),
            (vec![(1, "A", 2, 4), (1, "B", 2, 4)], vec!["2-4 >AB"]),
        ] {
            let found = compare(&LaneId::from("lan_1"), marks(&held), at(9));
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
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{held:?}");
        }
    }
}
