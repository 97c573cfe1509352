//! /v1/rotations/{rotationId}/availability: absences.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    Body, Gives, JSON, Kind, Operation, PAGE, PAGE_SIZE, gives, gives_nothing, parameter, shape,
};
use crate::actions::{absences, shifts};
use crate::domain::ids::RotationId;
use crate::server::Response;
use crate::wire::absence::{self, Absence, AbsenceCreated, AbsenceRequest};
use crate::wire::page::Page;

pub const LIST: Operation = Operation {
    id: "listAbsences",
    tag: "availability",
    summary: "List absences",
    about: "The absences that apply to the rotation and overlap the range.",
    query: &[
        parameter(
            "from",
            Kind::Instant,
            "Start of the range; unlimited if omitted.",
        ),
        parameter(
            "to",
            Kind::Instant,
            "End of the range, exclusive; unlimited if omitted.",
        ),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(200, "A page of absences.", shape::<Page<Absence>>)],
    refuses: &[],
};

/// GET availability.
pub fn list(_: &Api, call: &Call) -> Outcome {
    let ((from, until), page) = (call.query.open_range()?, call.query.page()?);
    let id = call.path.id("rotationId");
    let found = absences::list(call.app, call.caller, &id, from, until)?;
    answer::json(
        200,
        &answer::page_of(found, page).map(|found| absence::render(&found)),
    )
}

pub const CREATE: Operation = Operation {
    id: "createAbsence",
    tag: "availability",
    summary: "Mark somebody away",
    about: "The next hand-over passes over them. If they are on duty, they stay, unless the rotation's \
            `absencePolicy` has them hand over. `standingDuties` lists when they are on call all the same: cover, swap or \
            assign those. Sending the same absence again creates nothing.",
    query: &[],
    body: Body::Required(shape::<AbsenceRequest>),
    gives: &[
        Gives {
            status: 201,
            about: "The absence, and what it leaves standing.",
            shape: Some(shape::<AbsenceCreated>),
            headers: &["Location"],
            media_type: JSON,
        },
        Gives {
            status: 200,
            about: "The same absence, which was there already.",
            shape: Some(shape::<AbsenceCreated>),
            headers: &["Location"],
            media_type: JSON,
        },
    ],
    refuses: &[(409, "external_rotation_is_read_only")],
};

/// POST availability.
pub fn create(_: &Api, call: &Call) -> Outcome {
    let new = absence::parse(&call.body)?;
    let id: RotationId = call.path.id("rotationId");
    let (stored, created) = absences::create(call.app, &call.author(), &id, new)?;
    let location = format!("/v1/rotations/{id}/availability/{}", stored.id);
    let status = if created { 201 } else { 200 };
    let standing = shifts::standing(call.app, call.caller, &id, &stored)?;
    let body = answer::json(status, &absence::created(&stored, &standing))?;
    Ok(answer::with(body, "Location", location))
}

pub const REMOVE: Operation = Operation {
    id: "deleteAbsence",
    tag: "availability",
    summary: "Delete an absence",
    about: "An absence for all rotations is deleted in all of them.",
    query: &[],
    body: Body::None,
    gives: &[gives_nothing("Deleted.")],
    refuses: &[(409, "external_rotation_is_read_only")],
};

/// DELETE an absence.
pub fn remove(_: &Api, call: &Call) -> Outcome {
    let (id, absence) = (call.path.id("rotationId"), call.path.id("absenceId"));
    absences::remove(call.app, &call.author(), &id, &absence)?;
    Ok(Response::empty(204))
}
