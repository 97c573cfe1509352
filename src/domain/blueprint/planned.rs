//! The turns of a slot as they are dealt, if nobody takes over.

use super::{Slot, hours};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::time::{FOREVER, Interval};
use jiff::Timestamp;

/// Whoever has the turn over a span while the slot's hours are open, in order. `now` is when the order begins.
pub(super) fn turns(
    slot: &Slot,
    calendar: &Calendar,
    now: Timestamp,
    span: Interval,
) -> Vec<(Interval, UserId)> {
    let mut turns = Vec::new();
    let mut hand_overs = slot.cadence.hand_overs(calendar, now);
    let mut from = now;
    for user in slot.order.iter().cycle() {
        let until = hand_overs.next().unwrap_or(FOREVER);
        if let Some(part) = span.meets(Interval { from, until }) {
            let open = hours::open(slot, calendar, part).into_iter();
            turns.extend(open.map(|open| (open, user.clone())));
        }
        if until >= span.until {
            break;
        }
        from = until;
    }
    turns
}
