//! Passing duty on by hand: hand over now, put people on duty, take them off.

use super::Stop;
use super::draft::Draft;
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{CellId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Reason, Rotation};
use crate::store::WriteTx;

/// Hands over now, as a scheduled hand-over does: on `auto` what can be filled then is filled. Scheduled hand-overs keep their
/// times.
pub struct Rotate {
    /// These cells; `None` is all running ones.
    pub cells: Option<Vec<CellId>>,
}

impl Operation for Rotate {
    const NAME: &'static str = "rotate";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let named = slots(&draft.rotation, self.cells.as_deref(), |index| {
            format!("cellIds[{index}]")
        })?;
        draft.rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.hand_over(&named, Reason::RotateToNextOnDuty);
            change.fill(Reason::RotateToNextOnDuty);
        });
        draft.settle(tx, Act::Duty)?;
        Ok(())
    }
}

/// Assigns people to the slots of the windows open now (if none is open, of all), in the order of slots; fewer people
/// than slots empty the rest.
pub struct SetOnDuty {
    pub users: Vec<UserId>,
}

impl Operation for SetOnDuty {
    const NAME: &'static str = "set on duty";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let (rotation, users) = (&draft.rotation, self.users);
        check_people(rotation, &users)?;
        let any_open = rotation
            .running()
            .any(|cell| rotation.windows[cell.window].open);
        let counts =
            |&index: &usize| !any_open || rotation.windows[rotation.cells[index].window].open;
        let slots: Vec<usize> = slots(rotation, None, |_| String::new())?
            .into_iter()
            .filter(counts)
            .collect();
        if users.len() > slots.len() {
            return Ok(invalid(format!(
                "userIds: {} people for {} slots; send at most as many",
                users.len(),
                slots.len()
            ))?);
        }
        rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            for (index, &slot) in slots.iter().enumerate() {
                match users.get(index) {
                    Some(user) => change.assign(slot, user, Reason::ExplicitChange),
                    None => change.clear(slot, Reason::ExplicitChange),
                }
            }
        });
        draft.settle(tx, Act::Duty)?;
        Ok(())
    }
}

fn check_people(rotation: &Rotation, users: &[UserId]) -> Result<(), Refusal> {
    for (index, user) in users.iter().enumerate() {
        if !rotation.has_member(user) {
            return invalid(format!(
                "userIds[{index}]: `{user}` is not a member of this rotation"
            ));
        }
        if !rotation.double_cover && users[..index].contains(user) {
            return invalid(format!(
                "userIds[{index}]: `{user}` is named twice; that needs doubleCover"
            ));
        }
    }
    Ok(())
}

/// Takes everybody off duty, or whoever holds one cell. Next turns stay where they are.
pub struct ClearDuty {
    pub cell: Option<CellId>,
}

impl Operation for ClearDuty {
    const NAME: &'static str = "clear duty";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let cells = self.cell.as_ref().map(std::slice::from_ref);
        let named = slots(&draft.rotation, cells, |_| "cellId".into())?;
        draft.rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            named
                .iter()
                .for_each(|&slot| change.clear(slot, Reason::DutyCleared))
        });
        draft.settle(tx, Act::Duty)?;
        Ok(())
    }
}

/// The running cells named, or all of them, in the order of slots; `path` says where in the request each was named.
fn slots(
    rotation: &Rotation,
    named: Option<&[CellId]>,
    path: impl Fn(usize) -> String,
) -> Result<Vec<usize>, Refusal> {
    for (index, id) in named.unwrap_or_default().iter().enumerate() {
        if rotation.slot_of(id).is_none() {
            return invalid(format!("{}: this rotation has no cell `{id}`", path(index)));
        }
    }
    let chosen = |index: &usize| {
        let cell = &rotation.cells[*index];
        !cell.stopped && named.is_none_or(|ids| ids.contains(&cell.id))
    };
    Ok((0..rotation.cells.len()).filter(chosen).collect())
}
