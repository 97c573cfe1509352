//! Changes the people on duty by hand: hand over now, set on duty, clear.

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::mutation::Operation;
use super::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::fault::Fault;
use crate::domain::handover::{self, Change, WindowChange};
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Reason, Rotation};
use crate::store::WriteTx;

/// Hands over now as a scheduled hand-over does; an `auto` rotation also fills its other empty slots. Scheduled hand-overs
/// keep their times.
pub struct Rotate {
    /// These cells; `None` means all running ones.
    pub cells: Option<Vec<CellId>>,
}

impl Operation for Rotate {
    const NAME: &'static str = "rotate";
    type Output = ();

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let named = slots(&draft.rotation, self.cells.as_deref(), |index| {
            format!("cellIds[{index}]")
        })?;
        draft.rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.hand_over(&named, Reason::RotateToNextOnDuty);
            change.fill(Reason::RotateToNextOnDuty);
        });
        draft.store(tx, Act::Duty)?;
        Ok(())
    }
}

/// Previews handing over all cells now; changes nothing. Answers the rotation as it is stored, for its validator, and as
/// it would stand.
pub fn preview_rotate(
    app: &App,
    caller: &Principal,
    id: &RotationId,
) -> Result<(Rotation, Rotation)> {
    reads::in_context(app, caller, id, |_, context| {
        caller.check_edit(context.rotation)?;
        context.rotation.check_own()?;
        context.rotation.check_enabled()?;
        let mut then = context.rotation.clone();
        let all = slots(&then, None, |_| String::new())?;
        let by_edit = WindowChange::ByEdit;
        let mut change = Change::begin(&mut then, context.dealing, context.now, by_edit);
        change.hand_over(&all, Reason::RotateToNextOnDuty);
        change.fill(Reason::RotateToNextOnDuty);
        change.finish();
        Ok(then)
    })
}

/// The slots that setting people on duty fills, in order: those of the windows open now, or of all windows when none is open.
pub fn slots_to_set(rotation: &Rotation) -> Vec<usize> {
    let any_open = rotation
        .running()
        .any(|cell| rotation.windows[cell.window].open);
    let counts = |&index: &usize| {
        let cell = &rotation.cells[index];
        !cell.stopped && (!any_open || rotation.windows[cell.window].open)
    };
    (0..rotation.cells.len()).filter(counts).collect()
}

/// Assigns people to the slots of the open windows (of all windows if none is open), in slot order. Fewer people leave the
/// remaining slots empty.
pub struct SetOnDuty {
    pub users: Vec<UserId>,
}

impl Operation for SetOnDuty {
    const NAME: &'static str = "set on duty";
    type Output = ();

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn named(&self) -> NamedIds {
        NamedIds::people(&self.users)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let (rotation, users) = (&draft.rotation, self.users);
        let slots = slots_to_set(rotation);
        check_people(draft, tx, &users, &slots)?;
        if users.len() > slots.len() {
            return Ok(invalid(
                "userIds",
                Fault::TooManyPeople {
                    people: users.len(),
                    slots: slots.len(),
                },
            )?);
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
        draft.store(tx, Act::Duty)?;
        Ok(())
    }
}

/// Refuses people who are not members, and somebody named for two slots in which they would be on call at once.
fn check_people(
    draft: &Draft,
    tx: &WriteTx,
    users: &[UserId],
    slots: &[usize],
) -> Result<(), Refusal> {
    let context = draft.context(tx);
    let rotation = context.rotation;
    for (index, user) in users.iter().enumerate() {
        if !rotation.has_member(user) {
            return invalid(format!("userIds[{index}]"), Fault::NotMember(user.clone()));
        }
        let Some(&slot) = slots.get(index).filter(|_| !rotation.double_cover) else {
            continue;
        };
        let before = users.iter().zip(slots).take(index);
        let mut theirs = before.filter(|(named, _)| *named == user);
        if theirs.any(|(_, &other)| {
            handover::would_double(rotation, context.dealing, [slot, other], context.now)
        }) {
            return invalid(format!("userIds[{index}]"), Fault::NamedTwice(user.clone()));
        }
    }
    Ok(())
}

/// Takes everyone, or the holder of one cell, off duty. Next turns do not change.
pub struct ClearDuty {
    pub cell: Option<CellId>,
}

impl Operation for ClearDuty {
    const NAME: &'static str = "clear duty";
    type Output = ();

    fn changes_duty(&self, _: &Rotation) -> bool {
        true
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let cells = self.cell.as_ref().map(std::slice::from_ref);
        let named = slots(&draft.rotation, cells, |_| "cellId".into())?;
        draft.rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            named
                .iter()
                .for_each(|&slot| change.clear(slot, Reason::DutyCleared))
        });
        draft.store(tx, Act::Duty)?;
        Ok(())
    }
}

/// The named running cells, or all of them, in slot order. `path` returns the path of each request member.
fn slots(
    rotation: &Rotation,
    named: Option<&[CellId]>,
    path: impl Fn(usize) -> String,
) -> Result<Vec<usize>, Refusal> {
    for (index, id) in named.unwrap_or_default().iter().enumerate() {
        if rotation.slot_of(id).is_none() {
            return invalid(path(index), Fault::NoCell(id.clone()));
        }
    }
    let chosen = |index: &usize| {
        let cell = &rotation.cells[*index];
        !cell.stopped && named.is_none_or(|ids| ids.contains(&cell.id))
    };
    Ok((0..rotation.cells.len()).filter(chosen).collect())
}
