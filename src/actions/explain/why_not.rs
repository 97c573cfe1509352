//! What lies ahead of somebody who was not chosen for a turn.

use crate::domain::explain::Prospect;
use crate::domain::handover::{self, DealingContext};
use crate::domain::ids::UserId;
use crate::domain::resolve::{self, Hold};
use crate::domain::roster;
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};

/// How much of a turn that does not end is looked at.
const LONGEST: SignedDuration = SignedDuration::from_hours(400 * 24);

/// Turns that are run ahead at the most, until one is somebody's own: as many as a share of one percent waits in a line of three.
const MOST_TURNS: usize = 300;

/// What a rotation, as it stands at an instant, says of somebody and the turn of a slot.
pub(super) fn prospect(
    then: &Rotation,
    slot: usize,
    user: &UserId,
    (dealing, at): (DealingContext, Timestamp),
) -> Prospect {
    let cell = &then.cells[slot];
    let elsewhere = |other: &Cell| {
        other.id != cell.id && resolve::on_call(then, other).map(Hold::user) == Some(user)
    };
    let window = &then.windows[cell.window];
    let since = cell.holder.as_ref().map_or(at, |holder| holder.since);
    let longest = since.saturating_add(LONGEST).unwrap_or(Timestamp::MAX);
    let cadence = window.cadence.as_ref();
    let next = cadence.and_then(|cadence| cadence.next(dealing.calendar, at));
    let turn = Interval {
        from: since,
        until: next.unwrap_or(longest).min(longest),
    };
    let covered = then.hours(window).open_between(dealing.calendar, turn);
    Prospect {
        is_member: then.has_member(user),
        is_stand_in: then.dealing.percent(user) == 0,
        is_absent: handover::is_absent(then, dealing.absences, user, (turn, &covered)),
        is_elsewhere: then.running().any(elsewhere),
        needs_rest: then.dealing.rest_hours > 0,
        own_turn: own_turn(then, slot, user, (dealing, at)),
    }
}

/// When the next turn of a slot's line begins that is somebody's own, as if nobody were away.
fn own_turn(
    then: &Rotation,
    slot: usize,
    user: &UserId,
    (dealing, at): (DealingContext, Timestamp),
) -> Option<Timestamp> {
    let cell = &then.cells[slot];
    let window = &then.windows[cell.window];
    let cadence = window.cadence.as_ref()?;
    let roster = &then.rosters[then.roster_index(cell.roster.as_ref())];
    let order = roster::order(&then.members, roster.narrowed.as_ref());
    let of_line = |other: &&Cell| other.window == cell.window && other.roster == cell.roster;
    let slots = then.running().filter(of_line).count().max(1);
    let mut line = roster.line(&window.id)?.clone();
    let mut from = at;
    for turn in 0..MOST_TURNS {
        if turn % slots == 0 {
            from = cadence.next(dealing.calendar, from)?;
        }
        let (owner, _) = line.next_owner(&order, &then.dealing)?;
        if order[owner].user == *user {
            return Some(from);
        }
    }
    None
}
