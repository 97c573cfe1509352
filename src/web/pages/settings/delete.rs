//! Deleting a rotation, for whoever types its name.

use super::{action, carried, page};
use crate::actions::mutation::Mutation;
use crate::actions::rotations::DeleteRotation;
use crate::domain::refusal::invalid;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::answer;
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::{editable, failing};
use crate::web::parts::fields::Filled;
use crate::web::visit::Visit;
use crate::wire::etag::Precondition;
use maud::html;

const PART: &str = "delete";

/// GET.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    form(
        visit,
        &rotation,
        (200, &Form::default(), &Errors::default()),
    )
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    (status, values, errors): (u16, &Form, &Errors),
) -> Result<Response, Problem> {
    let filled = Filled { values, errors };
    let content = html! {
        form.card.pad method="post" action=(action(rotation, PART)) {
            p { "Deleting cannot be undone. Whoever is on duty comes off, the on-duty group is emptied, and topics of channels are put back. The record is deleted too." }
            p { "To keep all of it and only stop hand-overs, " a href=(action(rotation, "details")) { "disable the rotation" } " instead." }
            p { "The name is " strong { bdi { (rotation.profile.name) } } "." }
            (filled.input("text", "name", "Type the name of the rotation", "", true))
            (carried(visit, rotation))
            p.actions { button.btn.bad type="submit" { "Delete the rotation" } }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// Texts are the same where only blanks differ.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let again = |status, errors: Errors| form(visit, &rotation, (status, &visit.form, &errors));
    if !same(visit.form.one("name"), &rotation.profile.name) {
        let mut errors = Errors::default();
        errors.add(
            "name",
            "This is not the name of the rotation. Type it as it stands above.",
        );
        return again(400, errors);
    }
    let Some(if_match) = visit.form.filled("ifMatch") else {
        return Ok(invalid(
            "",
            "the form is not complete; open the form again and send it from there",
        )?);
    };
    // No operationId: a rotation that is gone cannot be deleted twice.
    let mutation = Mutation {
        author: &visit.author("deleteRotation"),
        rotation: &rotation.id,
        precondition: &Precondition::parse(if_match),
        operation: DeleteRotation,
    };
    match failing(visit, &rotation.id, mutation.run(visit.app()), &[], again)? {
        Ok(_) => {
            visit.note(Note::new(format!("{} was deleted.", rotation.profile.name)));
            Ok(answer::see("/rotations"))
        }
        Err(page) => Ok(page),
    }
}
