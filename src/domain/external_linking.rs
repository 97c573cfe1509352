//! Begins and ends the following of a partner's schedule (rules.md 22.2).

use super::books::Dealing;
use super::external::External;
use super::grid::Mint;
use super::handover;
use super::ids::{CellId, LaneId, WindowId};
use super::rotation::{Cell, Holder, Lane, Members, NextTurn, Roster, Rotation, Window};
use jiff::Timestamp;

/// Has a rotation follow a schedule, or none yet: one lane, one window and one cell, all of them new. Its arrangements and
/// pending requests end with the cells that they were about. The caller brings duty in line next.
pub fn link(rotation: &mut Rotation, external: External, at: Timestamp, mint: &mut Mint) {
    let window = Window {
        id: WindowId::from(mint("win_")),
        key: None,
        name: None,
        zone: Some(external.zone()),
        coverage: Vec::new(),
        cadence: None,
        open: true,
    };
    rotation.rosters = vec![Roster {
        id: None,
        narrowed: None,
        next_turns: vec![NextTurn::new(window.id.clone(), 0)],
    }];
    rotation.lanes = vec![Lane {
        id: LaneId::from(mint("lan_")),
        key: None,
        name: None,
    }];
    rotation.windows = vec![window];
    rotation.cells = vec![Cell::never_held(CellId::from(mint("cel_")), 0, at)];
    rotation.cells[0].entry = handover::first_entry(rotation, 0, at);
    rotation.double_cover = false;
    rotation.skips_are_off_time = false;
    // Nothing is dealt here any more.
    rotation.dealing = Dealing::default();
    rotation.ended.clear();
    rotation.arranged.clear();
    rotation.pending.clear();
    if external.link.is_some() {
        rotation.members = Members {
            users: external.members(),
            groups: Vec::new(),
        };
    }
    rotation.external = Some(External {
        // Found next; in a disabled rotation, which stands still, once it is enabled.
        current: Vec::new(),
        ..external
    });
}

/// Has the window keep the zone of the schedule.
pub fn keep_zone(rotation: &mut Rotation) {
    let zone = rotation.external.as_ref().map(External::zone);
    for window in &mut rotation.windows {
        window.zone = zone;
    }
}

/// Makes the rotation manual again. Its people stay as members; the first person on call who is known stays on duty.
pub fn unlink(rotation: &mut Rotation) {
    let Some(external) = rotation.external.take() else {
        return;
    };
    for window in &mut rotation.windows {
        window.zone = None;
    }
    let known = external.current.iter().find_map(|current| {
        let user = current.user.clone()?;
        Some(Holder {
            user,
            since: current.shift.span.from,
            skipped: Vec::new(),
            dealt: None,
        })
    });
    if let Some(holder) = known {
        // Whoever is on call by an override only has no turn, and would not be shown otherwise.
        if !rotation.has_member(&holder.user) {
            rotation.members.users.push(holder.user.clone());
        }
        let order = &rotation.members.users;
        if let Some(turn) = order.iter().position(|user| *user == holder.user) {
            let next = (turn + 1) % order.len();
            let windows = rotation.rosters.iter_mut().flat_map(|r| &mut r.next_turns);
            windows.for_each(|window| window.turn = next);
        }
        if let Some(cell) = rotation.cells.first_mut() {
            cell.holder = Some(holder);
        }
    }
}

#[cfg(test)]
mod tests;
