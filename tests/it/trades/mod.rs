//! Missed turns that are traded: what people are told of them, what is shown, and why.

mod explaining;
mod pages;
mod reading;
mod telling;

use crate::support::*;
use serde_json::json;

/// Four people who take turns of a day, and trade those that they miss. U2 is away for their turn of Tuesday, the 6th of January:
/// U3 takes it, and U2 takes that of U3 of Thursday. U4, whose turn is next, would be on call twice on end.
fn traded(rota: &Rota) -> Rot<'_> {
    let mut body = new_rotation("U1 U2 U4 U3");
    body["dealing"] = json!({ "missedTurn": "traded" });
    body["absencePolicy"] = json!({ "passOver": "duringTurn" });
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    rotation.away("U2", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    rotation
}
