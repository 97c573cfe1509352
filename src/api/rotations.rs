//! /v1/rotations: list, create, read, change and delete.

use super::answer::{self, Outcome};
use super::collection::{self, Items, More};
use super::extract::Call;
use super::operation::{Kind, Operation, PAGE, PAGE_SIZE, operation, parameter, refusals, text};
use crate::actions::creation::{self, NewCreation};
use crate::actions::reads;
use crate::actions::rotations::{Agrees, DeleteRotation, PatchShown};
use crate::actions::{ActionError, App, mutation};
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation as domain;
use crate::server::Response;
use crate::store::{RotationFilter, RotationOrder};
use crate::wire::body::invalid;
use crate::wire::edit::{self, PatchRequest, RotationRequest};
use crate::wire::etag::Precondition;
use crate::wire::page::Page;
use crate::wire::repeated::Repeated;
use crate::wire::rotation::{self, Rotation};
use sha2::{Digest, Sha256};

const MODES: &[&str] = &["manual", "auto", "external"];

pub const LIST: Operation = operation("listRotations", "rotations", "List rotations")
    .about("The rotations that the credential may see, as whole resources. A page of more than 64 KiB is rendered while it is \
        sent: each rotation in it is complete and current, and one that is deleted meanwhile is omitted.")
    .query(&[
        PAGE,
        PAGE_SIZE,
        parameter("sort", Kind::OneOf(&[
                "name",
                "-name",
                "createdAt",
                "-createdAt",
                "updatedAt",
                "-updatedAt",
            ]), "The field to sort by, prefixed with `-` for descending; `createdAt` by default."),
        text("code", "Only the rotation with this code."),
        parameter("enabled", Kind::Flag, "Only enabled or only disabled ones."),
        parameter("mode", Kind::OneOf(MODES), "Only those with this mode."),
        text("userId", "Only those that this person is a member or owner of."),
        text("q", "Only those with this text in name, code or description."),
    ])
    .gives::<Page<Rotation>>(200, "A page of rotations.");

/// GET rotations.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let filter = filter(call)?;
    let (app, caller) = (call.app, call.caller);
    let mut first = Items::default();
    let listed = reads::rotations(app, caller, filter, page, |found| {
        show(app, found, &mut first)
    });
    let (mut unshown, total) = listed?;
    let more = (unshown.len() > 0).then(|| -> More {
        let (app, caller) = (app.clone(), caller.clone());
        Box::new(move |items| {
            reads::more_rotations(&app, &caller, &mut unshown, |found| {
                show(&app, found, items)
            })?;
            Ok(unshown.len() > 0)
        })
    });
    let envelope = Page::new(Vec::new(), page.number, page.size, total);
    collection::page(call, envelope, first, more)
}

/// Adds a rotation to the items of a page. `false` if there are enough for one step.
fn show(app: &App, found: &domain::Rotation, items: &mut Items) -> Result<bool, ActionError> {
    items.push(&rotation::render(
        found,
        app.calendar(),
        &app.as_of(app.now()),
    ))?;
    Ok(!items.is_enough())
}

fn filter(call: &Call) -> Result<RotationFilter, Refusal> {
    let query = &call.query;
    let mode = query.one("mode")?.map(str::to_owned);
    if mode.as_deref().is_some_and(|mode| !MODES.contains(&mode)) {
        return invalid("mode", "send one of `manual` `auto` `external`");
    }
    let orders = [
        ("name", RotationOrder::Name),
        ("createdAt", RotationOrder::CreatedAt),
        ("updatedAt", RotationOrder::UpdatedAt),
    ];
    let (order, descending) = query.sort(&orders)?.unwrap_or_default();
    Ok(RotationFilter {
        code: query.one("code")?.map(str::to_ascii_uppercase),
        enabled: query.flag("enabled")?,
        mode,
        user: query.one("userId")?.map(UserId::from),
        text: query
            .one("q")?
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
        order,
        descending,
        ..RotationFilter::default()
    })
}

/// A rotation with its ETag.
pub fn tagged(call: &Call, status: u16, found: &domain::Rotation) -> Outcome {
    let as_of = call.app.as_of(call.app.now());
    let body = rotation::render(found, call.app.calendar(), &as_of);
    answer::tagged(call, found, status, &body)
}

/// Writes to the rotation in the path, and answers it as it is then.
pub fn whole<O: mutation::Operation>(
    call: &Call,
    precondition: &Precondition,
    operation: O,
) -> Outcome {
    tagged(call, 200, &call.write(precondition, operation)?.rotation)
}

pub const CREATE: Operation = operation("createRotation", "rotations", "Create a rotation")
    .about("Creates an enabled, manual rotation with one window and nobody on duty. A retry with the same \
        Idempotency-Key within 24 hours returns the rotation that the first attempt created.")
    .takes::<RotationRequest>()
    .gives_with::<Rotation>(201, "The rotation.", &["ETag", "Location"])
    .gives_with::<Rotation>(200, "The rotation that an earlier attempt with this key created.", &["ETag", "Location"])
    .refuses(refusals::CREATE_ROTATION);

/// POST rotations.
pub fn create(call: &Call, key: &str) -> Outcome {
    let new = edit::new_rotation(&call.body)?;
    let creation = NewCreation {
        key: key.to_owned(),
        body_hash: Sha256::digest(edit::canonical(&new)).into(),
        rotation: new,
    };
    let created = creation::create(call.app, &call.author(), creation)?;
    let status = if created.replayed { 200 } else { 201 };
    let location = format!("/v1/rotations/{}", created.rotation.id);
    Ok(tagged(call, status, &created.rotation)?.with("Location", location))
}

pub const READ: Operation = operation("getRotation", "rotations", "Read a rotation")
    .about("The rotation with its grid, its lists and the people on call.")
    .gives_tagged::<Rotation>("The rotation.")
    .or_not_modified();

/// GET a rotation.
pub fn read(call: &Call) -> Outcome {
    let found = reads::rotation(call.app, call.caller, &call.path.id("rotationId"))?;
    let as_of = call.app.as_of(call.app.now());
    let render = || rotation::render(&found, call.app.calendar(), &as_of);
    match found.external {
        // What is shown depends on the time, so there is no validator.
        Some(_) => answer::json(200, &render()),
        None => answer::cached(call, &found, render),
    }
}

pub const PATCH: Operation = operation("patchRotation", "rotations", "Change a rotation")
    .about("Changes only the members sent. People who are no longer members come off duty at once; empty slots \
        of an enabled `auto` rotation are dealt at once.")
    .takes::<PatchRequest>()
    .gives_tagged::<Rotation>("The whole rotation.")
    .refuses(refusals::PATCH_ROTATION);

/// PATCH a rotation.
pub fn patch(call: &Call, precondition: &Precondition) -> Outcome {
    let (patch, repeated) = (edit::patch(&call.body)?, Repeated::read(&call.body)?);
    let patch = PatchShown {
        patch,
        agrees: agrees(call, repeated),
    };
    whole(call, precondition, patch)
}

/// Compares what a patch repeats of the rotation with what it shows.
pub fn agrees(call: &Call, repeated: Repeated) -> Agrees {
    let as_of = call.app.as_of(call.app.now());
    Box::new(move |found, calendar| {
        let shown = || rotation::render(found, calendar, &as_of);
        match found.external {
            Some(_) => repeated.without_readings().check(shown),
            None => repeated.check(shown),
        }
    })
}

pub const REMOVE: Operation = operation("deleteRotation", "rotations", "Delete a rotation")
    .about("Deletes the rotation permanently. The people on duty come off duty.")
    .gives_nothing("Deleted.");

/// DELETE a rotation.
pub fn remove(call: &Call, precondition: &Precondition) -> Outcome {
    call.write(precondition, DeleteRotation)?;
    Ok(Response::empty(204))
}
