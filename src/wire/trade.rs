//! Open trades, as the API shows them.

use super::moment::Moment;
use crate::domain::forecast::{ExpectedTurn, OpenTrade};
use crate::domain::ids::CellId;
use crate::domain::time::Interval;
use schemars::JsonSchema;
use serde::Serialize;

/// A turn that somebody took for somebody else and that has not been paid back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trade {
    pub id: String,
    /// Null for the common list of all members.
    pub roster_id: Option<String>,
    pub window_id: String,
    /// Whose own turn it was.
    pub owes: String,
    /// Who took it.
    pub owed: String,
    pub taken: TradedTurn,
    /// When the trade was opened.
    pub since: Moment,
    /// The turn by which the plan of the coming 366 days pays it back. Null if it does not.
    pub expected: Option<TradedTurn>,
}

/// A turn of a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TradedTurn {
    pub cell_id: String,
    pub from: Moment,
    /// The next hand-over. Exclusive.
    pub to: Moment,
}

impl TradedTurn {
    fn new(cell: &CellId, period: Interval) -> TradedTurn {
        TradedTurn {
            cell_id: cell.to_string(),
            from: period.from.into(),
            to: period.until.into(),
        }
    }
}

/// Renders an open trade.
pub fn render(open: OpenTrade) -> Trade {
    let trade = &open.trade;
    let expected = |turn: &ExpectedTurn| TradedTurn::new(&turn.cell, turn.period);
    Trade {
        id: trade.id.to_string(),
        roster_id: open.roster.as_ref().map(|id| id.to_string()),
        window_id: open.window.to_string(),
        owes: trade.owes.to_string(),
        owed: trade.owed.to_string(),
        taken: TradedTurn::new(&trade.cell, Interval::new(trade.from, trade.until)),
        since: trade.from.into(),
        expected: open.expected.as_ref().map(expected),
    }
}
