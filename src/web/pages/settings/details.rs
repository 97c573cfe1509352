//! Details: what people read of a rotation, who owns it, and whether it is enabled.

use super::weigh::{self, ConfirmedForm};
use super::{Change, Saved, action, carried, carry_out, page, people_named, person_line};
use crate::domain::edit::RotationPatch;
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::editable;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::html;

const PART: &str = "details";
const FIELDS: [&str; 6] = ["name", "code", "description", "owners", "public", "enabled"];

/// GET: the form as the rotation is.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let profile = &rotation.profile;
    let mut values = vec![
        ("name", profile.name.clone()),
        ("code", profile.code.clone().unwrap_or_default()),
        (
            "description",
            profile.description.clone().unwrap_or_default(),
        ),
        ("public", profile.public.to_string()),
        ("enabled", rotation.enabled.to_string()),
    ];
    values.extend(
        profile
            .owners
            .iter()
            .map(|owner| ("owners", owner.to_string())),
    );
    form(
        visit,
        &rotation,
        200,
        &Form::with(values),
        &Errors::default(),
    )
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    status: u16,
    values: &Form,
    errors: &Errors,
) -> Result<Response, Problem> {
    let owners = &rotation.profile.owners;
    let people = People::load(visit.app(), owners, true)?;
    let owner = |owner| Choice::new(ToString::to_string(owner), people.name(owner));
    let choices: Vec<Choice> = owners.iter().map(owner).collect();
    // The line that adds an owner keeps what was typed and is nobody yet.
    let typed = values.all("owners");
    let typed = typed.filter(|typed| !owners.iter().any(|owner| owner.as_str() == *typed));
    let typed = typed.last().unwrap_or_default().to_owned();
    let filled = Filled { values, errors };
    let content = html! {
        form.card.pad method="post" action=(action(rotation, PART)) {
            (filled.input("text", "name", "Name", "", true))
            (filled.input("text", "code", "Code", "A short name for chat and addresses: letters, digits, - and _. You may leave it empty.", false))
            (filled.area("description", "Description", ""))
            (filled.tick("public", "Everybody in the workspace may see it"))
            (filled.tick("enabled", "Enabled"))
            p.hint { "A disabled rotation keeps its people, record and settings. Whoever is on duty stays, and nobody hands over." }
            (filled.boxes("owners", "Owners", "Owners change the rotation and its settings. Untick to remove; at least one stays.", &choices))
            (person_line(visit, "f-add-owner", "owners", "Add an owner", &typed)?)
            (carried(visit, rotation))
            p.actions { button.btn.go type="submit" { "Save" } }
        }
    };
    page(visit, rotation, PART, (status, errors), content)
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let mut errors = Errors::default();
    if visit.form.names("edit") {
        return form(visit, &rotation, 200, &visit.form, &errors);
    }
    let owners = people_named(visit, "owners", &rotation.profile.owners, &mut errors)?;
    if !errors.is_empty() {
        return form(visit, &rotation, 400, &visit.form, &errors);
    }
    let asked = RotationPatch {
        name: Some(visit.form.one("name").trim().to_owned()),
        code: Some(visit.form.filled("code").map(str::to_owned)),
        description: Some(visit.form.filled("description").map(str::to_owned)),
        public: Some(visit.form.has("public", "true")),
        enabled: Some(visit.form.has("enabled", "true")),
        owners: Some(owners),
        ..RotationPatch::default()
    };
    let asked = asked.checked();
    let again = |status, errors: Errors| form(visit, &rotation, status, &visit.form, &errors);
    let weighed = ConfirmedForm {
        part: PART,
        names: &FIELDS,
        more: html! {},
    };
    if let Some(page) = weigh::before(
        visit,
        &rotation,
        weighed,
        asked.clone().map(weigh::patch),
        again,
    )? {
        return Ok(page);
    }
    // What was due while it was disabled is not made up for, so enabling again is not the state before.
    let restores = rotation.enabled || !visit.form.has("enabled", "true");
    let saved = Saved {
        part: PART,
        names: &FIELDS,
        told: "The details were saved.",
        before: restores.then(|| Change::Patch(was(&rotation))),
    };
    carry_out(visit, &rotation, asked.map(Change::Patch), saved, again)
}

/// The details of a rotation.
fn was(rotation: &Rotation) -> RotationPatch {
    let profile = &rotation.profile;
    RotationPatch {
        name: Some(profile.name.clone()),
        code: Some(profile.code.clone()),
        description: Some(profile.description.clone()),
        public: Some(profile.public),
        enabled: Some(rotation.enabled),
        owners: Some(profile.owners.clone()),
        ..RotationPatch::default()
    }
}
