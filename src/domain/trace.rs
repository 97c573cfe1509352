//! The steps of dealing, written by dealing itself where an explanation asks for it, and for the record (rules.md 26).

use super::absence::Skipped;
use super::entry::{PassedOver, Reason};
use super::ids::{CellId, RosterId, TradeId, UserId, WindowId};
use super::roster::Order;
use super::words::words;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// Names that the decisions about all cells of an explanation have at the most.
const MOST_NAMES: usize = 50_000;

words! {
    /// Why somebody cannot take a turn.
    pub enum Hindrance {
        /// They are absent.
        Absent = "absent",
        /// They are on call in another cell at the same time.
        Elsewhere = "elsewhere",
        /// They would not have had the hours of rest beside another turn of theirs.
        Rest = "rest",
    }
}

/// Somebody who cannot take a turn: the absence or the other turn that is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cannot {
    pub user: UserId,
    pub why: Hindrance,
    /// When the absence or the turn begins; `None` for an absence that has no beginning.
    pub from: Option<Timestamp>,
    /// When it ends; `None` for one without an end.
    pub until: Option<Timestamp>,
    /// The cell of the other turn.
    pub cell: Option<CellId>,
}

/// One step of a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Traced {
    /// Whom the slot deals from, and from which position on.
    Order {
        roster: Option<RosterId>,
        window: WindowId,
        next_turn: usize,
        order: Arc<Order>,
    },
    /// Whose own turn it is, where missed turns are traded.
    OwnTurn {
        user: UserId,
        turn: usize,
        /// People with a part of the turns who were come to before and sat out.
        sat_out: Vec<UserId>,
    },
    Absent(Skipped),
    Elsewhere(PassedOver),
    /// Somebody of the line cannot take it, where missed turns are traded.
    Cannot(Cannot),
    /// Somebody takes the turn for one of theirs, which begins in this cell then.
    Trade {
        owes: UserId,
        owed: UserId,
        returns: (CellId, Timestamp),
    },
    /// Somebody pays back the turn that was taken for them at this instant.
    Repayment {
        trade: TradeId,
        user: UserId,
        since: Timestamp,
    },
    /// Somebody helps who had helped so often before.
    Help {
        user: UserId,
        before: u32,
    },
    /// Nobody had the rest wished for.
    RestNotKept,
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

/// One time that a slot was dealt.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub at: Timestamp,
    pub reason: Reason,
    /// The order first, and at the end whom it chose or that nobody was left.
    pub steps: Vec<Traced>,
}

/// The last decision about each cell, of those that are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// `None` for all of them.
    only: Option<CellId>,
    decisions: HashMap<CellId, Decision>,
    names: usize,
}

impl Trace {
    /// Of all cells, or of one of them.
    pub fn new(only: Option<CellId>) -> Trace {
        Trace {
            only,
            decisions: HashMap::new(),
            names: 0,
        }
    }

    /// Whether decisions about a cell are asked for.
    pub fn wants(&self, cell: &CellId) -> bool {
        self.only.as_ref().is_none_or(|only| only == cell)
    }

    /// Keeps a decision in the place of the one before.
    pub fn keep(&mut self, cell: CellId, decision: Decision) {
        self.names += decision.names();
        if let Some(before) = self.decisions.insert(cell, decision) {
            self.names -= before.names();
        }
    }

    /// Takes all decisions off the trace.
    pub fn take(&mut self) -> HashMap<CellId, Decision> {
        self.names = 0;
        std::mem::take(&mut self.decisions)
    }

    /// The last decision about a cell; `None` if there was none.
    pub fn decision(&self, cell: &CellId) -> Option<&Decision> {
        self.decisions.get(cell)
    }

    /// Whether there are more names than an explanation of all cells may have.
    pub fn is_full(&self) -> bool {
        self.names > MOST_NAMES && self.only.is_none()
    }
}

impl Decision {
    /// Whom it chose; `None` where nobody was left.
    pub fn chosen(&self) -> Option<&UserId> {
        match self.steps.last() {
            Some(Traced::Chosen { user, .. }) => Some(user),
            _ => None,
        }
    }

    fn names(&self) -> usize {
        let names = |step: &Traced| match step {
            Traced::Order { order, .. } => order.people.len(),
            _ => 1,
        };
        self.steps.iter().map(names).sum()
    }
}
