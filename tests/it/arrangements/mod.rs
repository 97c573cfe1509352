//! Direct assignments: writes, conflicts, and everything that depends on the holder of a slot.

mod access;
mod agreeing;
mod bounds;
mod conflicts;
mod dealing_underneath;
mod events;
mod frozen;
mod hours;
mod listing;
mod migration;
mod operations;
mod order;
mod record;
mod removals;
mod shape;
mod terms;
mod writes;

use crate::support::*;

/// A Monday with four people, and U1 on duty in the only slot until 09:00 the next day; then U2, U3, U4, a day each.
fn four(rota: &Rota) -> Rot<'_> {
    rota.daily("U1 U2 U3 U4", 1)
}
