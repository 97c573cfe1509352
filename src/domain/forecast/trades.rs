//! The open trades of a rotation, and the turns by which the plan pays them back (rules.md 27).

use super::{Forecast, Limits};
use crate::domain::books::{Dealt, Trade};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, RosterId, TradeId, UserId, WindowId};
use crate::domain::rotation::{Holder, Rotation};
use crate::domain::time::{FOREVER, Interval};
use jiff::Timestamp;

/// The work that looking for the turns that pay back may take. A trade that is not paid back by then is shown without one.
const WORK: usize = 4_000_000;

/// An open trade with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTrade {
    pub trade: Trade,
    pub roster: Option<RosterId>,
    pub window: WindowId,
    /// The turn that pays it back, by the plan.
    pub expected: Option<ExpectedTurn>,
}

/// A turn to come: its cell and when it begins and ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedTurn {
    pub cell: CellId,
    pub period: Interval,
}

/// The open trades of a rotation, the oldest first, without the turns that pay them back.
pub fn open_trades(rotation: &Rotation) -> Vec<OpenTrade> {
    let lines = rotation.rosters.iter().flat_map(|roster| {
        let lines = roster.next_turns.iter();
        lines.map(move |line| (&roster.id, line))
    });
    let trades = lines.flat_map(|(roster, line)| {
        line.books.trades.iter().map(move |trade| OpenTrade {
            trade: trade.clone(),
            roster: roster.clone(),
            window: line.window.clone(),
            expected: None,
        })
    });
    let mut trades: Vec<OpenTrade> = trades.collect();
    trades.sort_by(|a, b| (a.trade.from, &a.trade.id).cmp(&(b.trade.from, &b.trade.id)));
    trades
}

/// The open trades of a rotation, with the turns that pay them back by the plan up to an instant.
pub fn expected_trades(
    rotation: &Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> Vec<OpenTrade> {
    let mut trades = open_trades(rotation);
    let mut waiting = trades.len();
    let mut future = super::without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, Limits::work(WORK));
    while waiting > 0 {
        let Some(step) = forecast.step_before(until) else {
            break;
        };
        let still = open_trades(step.rotation);
        let is_open = |id: &TradeId| still.iter().any(|open| open.trade.id == *id);
        let closed = trades
            .iter_mut()
            .filter(|known| known.expected.is_none() && !is_open(&known.trade.id));
        for known in closed {
            known.expected = paid_back(step.rotation, &known.trade.owes, dealing, step.at);
        }
        waiting = still
            .iter()
            .filter(|open| trades.iter().any(|known| known.trade.id == open.trade.id))
            .count();
    }
    trades
}

/// The turn that somebody has just been dealt to pay back.
fn paid_back(
    rotation: &Rotation,
    owes: &UserId,
    dealing: DealingContext,
    at: Timestamp,
) -> Option<ExpectedTurn> {
    let repays = |holder: &Holder| {
        let dealt = holder.dealt.as_ref().map(|turn| turn.dealt);
        holder.user == *owes && holder.since == at && dealt == Some(Dealt::Repayment)
    };
    let cell = rotation
        .cells
        .iter()
        .find(|cell| cell.holder.as_ref().is_some_and(repays))?;
    let cadence = rotation.windows[cell.window].cadence.as_ref();
    let until = cadence.and_then(|cadence| cadence.next(dealing.calendar, at));
    Some(ExpectedTurn {
        cell: cell.id.clone(),
        period: Interval::new(at, until.unwrap_or(FOREVER)),
    })
}
