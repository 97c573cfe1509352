//! Passing duty on by hand: rotate, set on duty, clear (contract section 5, rules 6 and 7).

use super::mutation;
use super::{App, Stop};
use crate::domain::access::Principal;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Reason, Rotation};
use crate::wire::etag::Precondition;

/// Hands over now, all running cells or those named, as a scheduled hand-over does: on `auto` what can be filled then is
/// filled. Scheduled hand-overs keep their times.
pub fn rotate(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    cells: Option<Vec<CellId>>,
) -> Result<Rotation, Stop> {
    mutation::duty(app, caller, id, precondition, move |tx, draft| {
        let named = places(&draft.rotation, cells.as_deref(), |index| {
            format!("cellIds[{index}]")
        })?;
        draft.rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            change.hand_over(&named, Reason::RotateToNextOnDuty);
            change.fill(Reason::RotateToNextOnDuty);
        });
        Ok(())
    })
}

/// Puts people on the places of the windows open now (if none is open, of all), in the order of places; fewer people
/// than places empty the rest.
pub fn set_on_duty(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    users: Vec<UserId>,
) -> Result<Rotation, Stop> {
    mutation::duty(app, caller, id, precondition, move |tx, draft| {
        let rotation = &draft.rotation;
        check_people(rotation, &users)?;
        let any_open = rotation
            .running()
            .any(|cell| rotation.windows[cell.window].open);
        let counts =
            |&index: &usize| !any_open || rotation.windows[rotation.cells[index].window].open;
        let places: Vec<usize> = places(rotation, None, |_| String::new())?
            .into_iter()
            .filter(counts)
            .collect();
        if users.len() > places.len() {
            let detail = format!(
                "userIds: {} people for {} places; send at most as many",
                users.len(),
                places.len()
            );
            return Err(Refusal::Invalid(detail).into());
        }
        rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            for (index, &place) in places.iter().enumerate() {
                match users.get(index) {
                    Some(user) => change.seat(place, user, Reason::ExplicitChange),
                    None => change.clear(place, Reason::ExplicitChange),
                }
            }
        });
        Ok(())
    })
}

fn check_people(rotation: &Rotation, users: &[UserId]) -> Result<(), Refusal> {
    for (index, user) in users.iter().enumerate() {
        if !rotation.has_member(user) {
            return Err(Refusal::Invalid(format!(
                "userIds[{index}]: `{user}` is not a member of this rotation"
            )));
        }
        if !rotation.double_cover && users[..index].contains(user) {
            let detail =
                format!("userIds[{index}]: `{user}` is named twice; that needs doubleCover");
            return Err(Refusal::Invalid(detail));
        }
    }
    Ok(())
}

/// Takes everybody off duty, or whoever holds one cell. Next turns stay where they are.
pub fn clear(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    cell: Option<CellId>,
) -> Result<Rotation, Stop> {
    mutation::duty(app, caller, id, precondition, move |tx, draft| {
        let named = places(
            &draft.rotation,
            cell.as_ref().map(std::slice::from_ref),
            |_| "cellId".into(),
        )?;
        draft.rotation.check_enabled()?;
        draft.change(tx, WindowChange::ByEdit, |change| {
            named
                .iter()
                .for_each(|&place| change.clear(place, Reason::DutyCleared))
        });
        Ok(())
    })
}

/// The running cells named, or all of them, in the order of places; `path` says where in the request each was named.
fn places(
    rotation: &Rotation,
    named: Option<&[CellId]>,
    path: impl Fn(usize) -> String,
) -> Result<Vec<usize>, Refusal> {
    for (index, id) in named.unwrap_or_default().iter().enumerate() {
        if rotation.place_of(id).is_none() {
            return Err(Refusal::Invalid(format!(
                "{}: this rotation has no cell `{id}`",
                path(index)
            )));
        }
    }
    let chosen = |index: &usize| {
        let cell = &rotation.cells[*index];
        !cell.stopped && named.is_none_or(|ids| ids.contains(&cell.id))
    };
    Ok((0..rotation.cells.len()).filter(chosen).collect())
}
