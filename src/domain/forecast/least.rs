//! The least work of a forecast: hand-overs and hours are counted without anything being dealt, so that what is sure to
//! take too much is refused before it is forecast.

use super::Limits;
use crate::domain::handover::{WORK_OF_A_TURN, WORK_OF_A_WINDOW};
use crate::domain::holidays::Calendar;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};

/// How much of the time ahead is counted at once.
const A_WHILE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The least that a forecast takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Least {
    /// Due instants.
    pub steps: usize,
    /// As [`Outcome::work`](crate::domain::handover::Outcome::work) counts.
    pub work: usize,
    /// Entries that begin after the beginning of a range.
    pub begun: usize,
}

impl Least {
    /// Whether it is more than some limits allow, or more than so many entries.
    pub fn exceeds(&self, limits: Limits, most: usize) -> bool {
        self.steps > limits.steps || self.work > limits.work || self.begun > most
    }
}

/// The least that the forecast of a rotation takes, from when it was judged last to the end of a range. Counts no further than
/// to where that `exceeds` what is allowed.
pub(super) fn least(
    rotation: &Rotation,
    calendar: &Calendar,
    range: Interval,
    exceeds: impl Fn(&Least) -> bool,
) -> Least {
    let mut least = Least::default();
    if !rotation.enabled || rotation.external.is_some() {
        return least;
    }
    let of_a_step = rotation.cells.len() + WORK_OF_A_WINDOW * rotation.windows.len();
    let mut from = rotation.stamps.judged_at;
    let windows = rotation.windows.iter().enumerate();
    let mut windows: Vec<_> = windows
        .map(|(index, window)| {
            let cadence = window.cadence.as_ref();
            let hand_overs = cadence.map(|cadence| cadence.hand_overs(calendar, from));
            let running = rotation.running().filter(|cell| cell.window == index);
            let hours = rotation.hours(window);
            (hand_overs.map(Iterator::peekable), hours, running.count())
        })
        .collect();
    let mut due: Vec<Timestamp> = Vec::new();
    while from < range.until {
        let until = from.saturating_add(A_WHILE).unwrap_or(Timestamp::MAX);
        let span = Interval::new(from, until.min(range.until));
        for (hand_overs, hours, running) in &mut windows {
            let before = due.len();
            if let Some(hand_overs) = hand_overs {
                due.extend(std::iter::from_fn(|| {
                    hand_overs.next_if(|at| *at < span.until)
                }));
            }
            let handed_over = due.len() - before;
            if !hours.always_open() {
                let open = hours.open_between(calendar, span).into_iter();
                let edges = open.flat_map(|open| [open.from, open.until]);
                // What is cut at the ends of the span may go on.
                due.extend(edges.filter(|at| span.from < *at && *at < span.until));
            }
            let edges = due[before + handed_over..].iter();
            least.begun += *running * edges.filter(|at| **at > range.from).count();
            least.work += WORK_OF_A_TURN * *running * (due.len() - before);
            if exceeds(&least) {
                return least;
            }
        }
        due.sort_unstable();
        due.dedup();
        least.steps += due.len();
        least.work += of_a_step * due.len();
        due.clear();
        if exceeds(&least) {
            return least;
        }
        from = span.until;
    }
    least
}
