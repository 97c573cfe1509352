//! Open trades of missed turns: who owes whom, and forgiving (rules.md 27).

use super::draft::Draft;
use super::mutation::Operation;
use super::reads::in_context;
use super::{App, Result};
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::forecast::{self, OpenTrade};
use crate::domain::ids::{RotationId, TradeId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::FOREVER;
use crate::store::{ReadTx, WriteTx};

/// The open trades of a rotation, the oldest first, with the turns that pay them back by the plan.
pub fn list(app: &App, caller: &Principal, id: &RotationId) -> Result<Vec<OpenTrade>> {
    let found = in_context(app, caller, id, |_, context| {
        let until = forecast::horizon(context.now, FOREVER);
        Ok(forecast::expected_trades(
            context.rotation,
            context.dealing,
            until,
        ))
    });
    found.map(|(_, trades)| trades)
}

/// Forgives a trade: nothing is owed for the turn any more.
pub struct ForgiveTrade(pub TradeId);

impl ForgiveTrade {
    fn find(&self, rotation: &Rotation) -> Result<OpenTrade, Refusal> {
        let mut trades = forecast::open_trades(rotation).into_iter();
        let found = trades.find(|open| open.trade.id == self.0);
        found.ok_or(Refusal::NotFound("trade"))
    }
}

impl Operation for ForgiveTrade {
    const NAME: &'static str = "forgive trade";
    type Output = ();

    fn admit(&self, _: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        caller.check_see(rotation)?;
        // That it is closed is said to whoever knows the rotation as it is.
        match self.find(rotation) {
            Ok(open) => Ok(caller.check_forgive(rotation, &open.trade.owed)?),
            Err(_) => Ok(()),
        }
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let open = self.find(&draft.rotation)?;
        for roster in &mut draft.rotation.rosters {
            for line in &mut roster.next_turns {
                line.books.trades.retain(|trade| trade.id != open.trade.id);
            }
        }
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}
