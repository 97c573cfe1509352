//! Open trades of missed turns: who owes whom, and forgiving (rules.md 29).

use super::draft::Draft;
use super::mutation::Operation;
use super::reads::{self, in_context};
use super::{ActionError, App, Result};
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::forecast::{self, OpenTrade};
use crate::domain::ids::{RotationId, TradeId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::FOREVER;
use crate::store::{self, ReadTx, WriteTx};

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

/// The open trades in which a person owes or is owed a turn, by rotation, of those that the caller sees.
pub fn of_person(
    app: &App,
    caller: &Principal,
    user: &UserId,
) -> Result<Vec<(Rotation, Vec<OpenTrade>)>> {
    let concerns = |open: &OpenTrade| [&open.trade.owes, &open.trade.owed].contains(&user);
    let ids = app.store().read(|tx| store::list_rotations_of(tx, user))?;
    let mut found = Vec::new();
    for rotation in reads::one_by_one(app.store(), &ids) {
        let rotation = rotation?;
        let has_any = forecast::open_trades(&rotation).iter().any(concerns);
        if !has_any || caller.check_see(&rotation).is_err() {
            continue;
        }
        let mut trades = match list(app, caller, &rotation.id) {
            Ok(trades) => trades,
            // It is gone or hidden by now.
            Err(ActionError::Refused(_)) => continue,
            Err(error) => return Err(error),
        };
        trades.retain(concerns);
        found.push((rotation, trades));
    }
    Ok(found)
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
