//! What dealing did, step by step: written by dealing itself where somebody asks for it (rules.md 26).

use super::ids::{RosterId, UserId, WindowId};
use super::roster::Order;
use super::rotation::{PassedOver, Reason, Skipped};
use jiff::Timestamp;
use std::rc::Rc;

/// Names that all decisions of one trace hold at the most.
const MOST_NAMES: usize = 50_000;

/// One step of a decision.
#[derive(Clone, Debug)]
pub enum Traced {
    /// Whom the slot deals from, and from which position on.
    Order {
        roster: Option<RosterId>,
        window: WindowId,
        next_turn: usize,
        order: Rc<Order>,
    },
    Absent(Skipped),
    Elsewhere(PassedOver),
    /// The search begins again, without asking who is on call elsewhere.
    DoubleCover,
    /// Nobody is here for all of the turn: whoever misses the least of it is looked for.
    LeastAbsent,
    Chosen {
        user: UserId,
        turn: usize,
    },
    NobodyLeft,
}

/// The last time that a slot was dealt.
#[derive(Clone, Debug)]
pub struct Decision {
    pub at: Timestamp,
    pub reason: Reason,
    pub steps: Vec<Traced>,
}

/// The last decision about each slot, of those that are asked for.
#[derive(Clone, Debug)]
pub struct Trace {
    /// `None` for all of them.
    only: Option<usize>,
    decisions: Vec<Option<Decision>>,
    names: usize,
    is_full: bool,
}

impl Trace {
    /// Of all slots, or of one of them.
    pub fn new(only: Option<usize>) -> Trace {
        Trace {
            only,
            decisions: Vec::new(),
            names: 0,
            is_full: false,
        }
    }

    /// Whether decisions about a slot are asked for.
    pub fn wants(&self, slot: usize) -> bool {
        self.only.is_none_or(|only| only == slot)
    }

    /// Keeps a decision in the place of the one before.
    pub fn keep(&mut self, slot: usize, decision: Decision) {
        if self.decisions.len() <= slot {
            self.decisions.resize(slot + 1, None);
        }
        let before = self.decisions[slot].as_ref();
        self.names -= before.map_or(0, Decision::names);
        self.names += decision.names();
        self.is_full |= self.names > MOST_NAMES && self.only.is_none();
        self.decisions[slot] = Some(decision);
    }

    /// The last decision about a slot; `None` if there was none.
    pub fn decision(&self, slot: usize) -> Option<&Decision> {
        self.decisions.get(slot)?.as_ref()
    }

    /// Whether there were more names than one trace holds.
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}

impl Decision {
    fn names(&self) -> usize {
        let names = |step: &Traced| match step {
            Traced::Order { order, .. } => order.people.len(),
            _ => 1,
        };
        self.steps.iter().map(names).sum()
    }
}
