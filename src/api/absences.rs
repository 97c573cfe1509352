//! /v1/rotations/{rotationId}/availability: absences.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{OPEN_RANGE, Operation, operation, refusals};
use crate::actions::{absences, shifts};
use crate::domain::ids::RotationId;
use crate::server::Response;
use crate::wire::absence::{self, Absence, AbsenceCreated, AbsenceRequest};

pub const LIST: Operation = operation("listAbsences", "availability", "List absences")
    .about("The absences that apply to the rotation and overlap the range.")
    .query(OPEN_RANGE)
    .gives_page::<Absence>("A page of absences.");

/// GET availability.
pub fn list(call: &Call) -> Outcome {
    let ((from, until), page) = (call.query.open_range()?, call.query.page()?);
    let id = call.path.id("rotationId");
    let found = absences::list(call.app, call.caller, &id, from, until)?;
    answer::json(
        200,
        &answer::page_of(found, page).map(|found| absence::render(&found)),
    )
}

pub const CREATE: Operation = operation("createAbsence", "availability", "Mark somebody away")
    .about("The next hand-over passes over them. If they are on duty, they stay, unless the rotation's \
        `absencePolicy` has them hand over. `standingDuties` lists when they are on call all the same: cover, swap or \
        assign those. Sending the same absence again creates nothing.")
    .takes::<AbsenceRequest>()
    .gives_with::<AbsenceCreated>(201, "The absence, and what it leaves standing.", &["Location"])
    .gives_with::<AbsenceCreated>(200, "The same absence, which was there already.", &["Location"])
    .refuses(refusals::READ_ONLY);

/// POST availability.
pub fn create(call: &Call) -> Outcome {
    let new = absence::parse(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (stored, created) = absences::create(call.app, &call.author(), &id, new)?;
    let location = format!("/v1/rotations/{id}/availability/{}", stored.id);
    let status = if created { 201 } else { 200 };
    let standing = shifts::standing(call.app, call.caller, &id, &stored)?;
    let body = answer::json(status, &absence::created(&stored, &standing))?;
    Ok(body.with("Location", location))
}

pub const REMOVE: Operation = operation("deleteAbsence", "availability", "Delete an absence")
    .about("An absence for all rotations is deleted in all of them.")
    .gives_nothing("Deleted.")
    .refuses(refusals::READ_ONLY);

/// DELETE an absence.
pub fn remove(call: &Call) -> Outcome {
    let (id, absence) = (call.path.id("rotationId"), call.path.id("absenceId"));
    absences::remove(call.app, &call.author(), &id, &absence)?;
    Ok(Response::empty(204))
}
