//! A memory of a walk from instant to instant, so that it need not work out anew at each: the hand-overs and hours of the
//! windows, when two of them are open at once, the orders of the rosters, which slots each person holds. A memo holds for one
//! rotation, as long as nothing but the steps taken with it changes that.

use super::DealingContext;
use super::absent::{CoveredTurn, LONGEST_LOOK};
use crate::domain::cadence::Cadence;
use crate::domain::coverage::{CommonHours, Hours, Openings, View};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::roster::Order;
use crate::domain::rotation::{Holder, HoursHeld, Rotation};
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Hand-overs that are worked out at once, at the most.
const MOST_AHEAD: usize = 64;

/// How long a turn counts as, for who is on call at the same time, where no hand-over ends it.
const ENDLESS_TURN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// See the module.
#[derive(Default)]
pub struct Memo {
    windows: Vec<Option<Clock>>,
    orders: Vec<Option<Arc<Order>>>,
    /// The slots that each person holds, in their order, once dealing has asked for them.
    held: Option<HashMap<UserId, Vec<usize>>>,
    common: CommonHours,
    /// What lies ahead, as far as trading has asked for it.
    pub(super) ahead: Ahead,
}

/// Hand-overs and covered times that lie ahead. Each slot of a hand-over asks about the same ones, and the next hand-over about
/// nearly the same.
#[derive(Default)]
pub(super) struct Ahead {
    pub(super) next: HashMap<(usize, Timestamp), Option<Timestamp>>,
    pub(super) covered: HashMap<(usize, Timestamp, Timestamp), Arc<[Interval]>>,
}

impl Ahead {
    /// Forgets everything where a long walk has made it large.
    pub(super) fn make_room(&mut self) {
        const MOST: usize = 4096;
        if self.next.len() + self.covered.len() >= MOST {
            self.next.clear();
            self.covered.clear();
        }
    }
}

/// The known hand-overs and hours of one window.
struct Clock {
    cadence: Option<Cadence>,
    hand_overs: HandOvers,
    hours: Hours,
    openings: Openings,
    held: Arc<HoursHeld>,
    /// How often hand-overs or hours were worked out anew.
    #[cfg(test)]
    worked_out: usize,
}

impl Memo {
    /// The first hand-over of a window strictly after an instant.
    pub(super) fn hand_over(
        &mut self,
        rotation: &Rotation,
        window: usize,
        calendar: &Calendar,
        after: Timestamp,
    ) -> Option<Timestamp> {
        let clock = self.clock(rotation, window);
        let cadence = clock.cadence.as_ref()?;
        if !clock.hand_overs.are_known(after) {
            clock.hand_overs.work_out(cadence, calendar, after);
            #[cfg(test)]
            (clock.worked_out += 1);
        }
        clock.hand_overs.known.front().copied()
    }

    /// A window's hours at an instant.
    pub(super) fn view(
        &mut self,
        rotation: &Rotation,
        window: usize,
        calendar: &Calendar,
        at: Timestamp,
    ) -> View {
        let clock = self.clock(rotation, window);
        if let Some(view) = clock.openings.known_at(at) {
            return view;
        }
        #[cfg(test)]
        (clock.worked_out += 1);
        clock.openings.work_out(&clock.hours, calendar, at)
    }

    /// A window's hours as the record keeps them.
    pub(super) fn hours_held(&mut self, rotation: &Rotation, window: usize) -> &Arc<HoursHeld> {
        &self.clock(rotation, window).held
    }

    /// The order of a roster.
    pub(super) fn order(&mut self, rotation: &Rotation, roster: usize) -> Arc<Order> {
        self.orders.resize(rotation.rosters.len(), None);
        let make = || Arc::new(Order::new(rotation.order(&rotation.rosters[roster])));
        Arc::clone(self.orders[roster].get_or_insert_with(make))
    }

    /// The first slot that somebody holds in the way of a turn of a slot that begins now: they are on call in it at the same time.
    pub(super) fn in_the_way(
        &mut self,
        rotation: &Rotation,
        calendar: &Calendar,
        slot: usize,
        user: &UserId,
        at: Timestamp,
    ) -> Option<usize> {
        let mut next = 0;
        // By index: what meets what is worked out along the way.
        while let Some(&other) = self
            .held(rotation)
            .get(user)
            .and_then(|held| held.get(next))
        {
            let windows = [slot, other].map(|slot| rotation.cells[slot].window);
            if self.turns_meet(rotation, calendar, windows, at) {
                return Some(other);
            }
            next += 1;
        }
        None
    }

    /// Whether a turn of one window that begins now and what is left of a turn of another are covered at the same time.
    pub(super) fn turns_meet(
        &mut self,
        rotation: &Rotation,
        calendar: &Calendar,
        [dealt, held]: [usize; 2],
        at: Timestamp,
    ) -> bool {
        let ends = self.turn_ends(rotation, dealt, calendar, at);
        let until = match self.hand_over(rotation, held, calendar, at) {
            Some(over) => over.min(ends),
            None => ends,
        };
        let hours = |window: usize| rotation.hours(&rotation.windows[window]);
        let span = Interval { from: at, until };
        let count = rotation.windows.len();
        self.common
            .meet(count, [dealt, held], &hours, calendar, span)
    }

    /// The covered part of a turn of a window that begins now.
    pub(super) fn covered_turn(
        &mut self,
        rotation: &Rotation,
        window: usize,
        calendar: &Calendar,
        at: Timestamp,
    ) -> CoveredTurn {
        let ends = self.turn_ends(rotation, window, calendar, at);
        let farthest = at.saturating_add(LONGEST_LOOK).unwrap_or(Timestamp::MAX);
        let turn = Interval::new(at, ends.min(farthest));
        let hours = |window: usize| rotation.hours(&rotation.windows[window]);
        let count = rotation.windows.len();
        let open = self.common.open(count, window, &hours, calendar, turn);
        CoveredTurn::new(turn, open)
    }

    /// When a turn of a window ends that begins now.
    pub(super) fn turn_ends(
        &mut self,
        rotation: &Rotation,
        window: usize,
        calendar: &Calendar,
        at: Timestamp,
    ) -> Timestamp {
        let ends = self.hand_over(rotation, window, calendar, at);
        ends.unwrap_or_else(|| at.saturating_add(ENDLESS_TURN).unwrap_or(Timestamp::MAX))
    }

    /// The work of comparing windows since this was asked last.
    pub(super) fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.common.work)
    }

    /// The slots that each person holds.
    fn held(&mut self, rotation: &Rotation) -> &HashMap<UserId, Vec<usize>> {
        self.held.get_or_insert_with(|| {
            let mut held: HashMap<UserId, Vec<usize>> = HashMap::new();
            for (slot, cell) in rotation.cells.iter().enumerate() {
                if let Some(holder) = &cell.holder {
                    held.entry(holder.user.clone()).or_default().push(slot);
                }
            }
            held
        })
    }

    /// A slot has another holder.
    pub(super) fn moved(&mut self, slot: usize, before: Option<&Holder>, after: Option<&Holder>) {
        if let Some(held) = &mut self.held {
            if let Some(slots) = before.and_then(|before| held.get_mut(&before.user)) {
                slots.retain(|held| *held != slot);
            }
            if let Some(after) = after {
                let slots = held.entry(after.user.clone()).or_default();
                let place = slots.partition_point(|held| *held < slot);
                slots.insert(place, slot);
            }
        }
    }

    fn clock(&mut self, rotation: &Rotation, window: usize) -> &mut Clock {
        self.windows.resize_with(rotation.windows.len(), || None);
        self.windows[window].get_or_insert_with(|| {
            let window = &rotation.windows[window];
            Clock {
                cadence: window.cadence.clone(),
                hand_overs: HandOvers::default(),
                hours: rotation.hours(window),
                openings: Openings::default(),
                held: Arc::new(rotation.hours_held(window)),
                #[cfg(test)]
                worked_out: 0,
            }
        })
    }

    /// The next instant after the last judged one at which something falls due. See [`next_due`](super::next_due).
    pub fn next_due(&mut self, rotation: &Rotation, dealing: DealingContext) -> Option<Timestamp> {
        if !rotation.enabled {
            return None;
        }
        let after = rotation.stamps.judged_at;
        let mut next = super::agreements_due(rotation, dealing);
        if let Some(external) = &rotation.external {
            next = next.into_iter().chain(external.next_change(after)).min();
        }
        for window in 0..rotation.windows.len() {
            let hand_over = self.hand_over(rotation, window, dealing.calendar, after);
            let shutter = self
                .view(rotation, window, dealing.calendar, after)
                .changes_at;
            next = [next, hand_over, shutter].into_iter().flatten().min();
        }
        next
    }
}

/// The next hand-overs of a cadence, a few at once: to go on costs less than to ask anew after each.
#[derive(Default)]
struct HandOvers {
    /// All there are after this instant, up to the last of them.
    since: Option<Timestamp>,
    known: VecDeque<Timestamp>,
    /// Nothing follows those that are known.
    ends: bool,
    /// How many were worked out the last time.
    ahead: usize,
}

impl HandOvers {
    /// Whether the first one after an instant is known, or that there is none; forgets those that have passed.
    fn are_known(&mut self, after: Timestamp) -> bool {
        if self.since.is_none_or(|since| since > after) {
            return false;
        }
        while self.known.front().is_some_and(|at| *at <= after) {
            self.known.pop_front();
        }
        self.since = Some(after);
        self.ends || !self.known.is_empty()
    }

    /// Works out those that follow an instant: more each time, for a walk that has come so far is likely to go on.
    fn work_out(&mut self, cadence: &Cadence, calendar: &Calendar, after: Timestamp) {
        self.ahead = (2 * self.ahead).clamp(1, MOST_AHEAD);
        self.known = cadence.upcoming(calendar, after, self.ahead).into();
        self.ends = self.known.len() < self.ahead;
        self.since = Some(after);
    }
}

#[cfg(test)]
mod tests;
