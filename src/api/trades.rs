//! /v1/rotations/{rotationId}/trades: turns that are owed.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation, refusals};
use crate::actions::mutation::Mutation;
use crate::actions::trades::{self, ForgiveTrade};
use crate::server::Response;
use crate::wire::etag::Precondition;
use crate::wire::trade::{self, Trade};

pub const LIST: Operation = operation("listTrades", "availability", "List open trades")
    .about("Turns that somebody took for somebody else and that have not been paid back, the oldest first. Only a rotation \
        whose `dealing.missedTurn` is `traded` has any.")
    .gives_page::<Trade>("A page of open trades.");

/// GET trades.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let id = call.path.id("rotationId");
    let found = trades::list(call.app, call.caller, &id)?;
    answer::json(200, &answer::page_of(found, page).map(trade::render))
}

pub const FORGIVE: Operation = operation("forgiveTrade", "availability", "Forgive a trade")
    .about("The person who is owed the turn, owners and admins may. Nothing is owed for it any more, and the plan ahead changes \
        accordingly.")
    .gives_nothing("Forgiven.")
    .refuses(refusals::READ_ONLY);

/// DELETE a trade.
pub fn forgive(call: &Call, precondition: &Precondition) -> Outcome {
    let (id, trade) = (call.path.id("rotationId"), call.path.id("tradeId"));
    let mutation = Mutation {
        author: &call.author(),
        rotation: &id,
        precondition,
        operation: ForgiveTrade(trade),
    };
    mutation.run(call.app)?;
    Ok(Response::empty(204))
}
