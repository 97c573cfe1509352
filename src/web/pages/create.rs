//! New rotation: one page with a name, a pattern of hand-overs, people in order, and a look at the first weeks.

mod form;
mod plan;
mod rows;
mod shown;

use super::{path_to, times};
use crate::actions::creation::{self, NewCreation};
use crate::actions::first_weeks;
use crate::actions::grid::ReplaceCoverage;
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::{ActionError, reads};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::edit::NewRotation;
use crate::domain::grid::GridSpec;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Mode;
use crate::server::{Outcome, Problem};
use crate::web::answer;
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::wire::etag::Precondition;
use crate::wire::{arrangement, edit};
use form::page;
use jiff::ToSpan;
use plan::Plan;
pub use rows::{offered, people_list, person};

const FIELDS: [&str; 8] = [
    "name",
    "code",
    "description",
    "userIds",
    "lanes",
    "timeZone",
    "dealing.missedTurn",
    "dealing.restHours",
];

/// How many days a look at a new rotation shows.
const DAYS: i64 = 28;

/// GET /rotations/new.
pub fn show(visit: &Visit) -> Outcome {
    visit.caller.check_create()?;
    let values = rows::first(visit)?;
    page(visit, 200, &values, &Errors::default(), None)
}

/// POST /rotations: creates it, or takes one of the steps of its form.
pub fn create(visit: &Visit) -> Outcome {
    visit.caller.check_create()?;
    match visit.form.one("step") {
        "" => make_it(visit),
        "show" => look(visit),
        step => {
            let mut errors = Errors::default();
            let values = rows::stepped(visit, step, &mut errors)?;
            let status = if errors.is_empty() { 200 } else { 400 };
            page(visit, status, &values, &errors, None)
        }
    }
}

/// The rotation of a form, and its hours.
fn read(visit: &Visit, errors: &mut Errors) -> Result<(NewRotation, Option<GridSpec>), Problem> {
    let form = &visit.form;
    let plan = Plan::read(visit, errors)?;
    let new = NewRotation {
        name: form.one("name").trim().to_owned(),
        code: form.filled("code").map(str::to_owned),
        description: form.filled("description").map(str::to_owned),
        public: form.has("public", "true"),
        lanes: plan.lanes,
        owners: vec![visit.me()?.person.id.clone()],
        channels: Vec::new(),
        users: plan.users,
        groups: Vec::new(),
        dealing: plan.dealing,
        summary: None,
        absence_policy: AbsencePolicy::of_new(),
    };
    Ok((new, plan.coverage))
}

/// The form with the first weeks below it. Nothing is stored.
fn look(visit: &Visit) -> Outcome {
    let mut errors = Errors::default();
    let (mut new, coverage) = read(visit, &mut errors)?;
    if new.name.is_empty() {
        // It can be looked at before it has a name.
        new.name = "New rotation".to_owned();
    }
    if !errors.is_empty() {
        return page(visit, 400, &visit.form, &errors, None);
    }
    let times = times(visit);
    let today = times.date(visit.now);
    let until = today.checked_add(DAYS.days()).ok();
    let until = until.and_then(|day| times.midnight(day));
    let looked = || {
        let coverage = coverage.map(GridSpec::checked).transpose()?;
        let author = visit.author("createRotation");
        let until = until.unwrap_or(visit.now);
        first_weeks::look(visit.app(), &author, new.checked()?, coverage, until)
    };
    match looked() {
        Ok(seen) => {
            let seen = shown::first_weeks(visit, &seen)?;
            page(visit, 200, &visit.form, &errors, Some(seen))
        }
        Err(stop) => refused(visit, stop, errors),
    }
}

fn make_it(visit: &Visit) -> Outcome {
    let mut errors = Errors::default();
    let (new, coverage) = read(visit, &mut errors)?;
    if !errors.is_empty() {
        return page(visit, 400, &visit.form, &errors, None);
    }
    match make(visit, new, coverage) {
        Ok((id, replayed)) => {
            let rotation = reads::rotation(visit.app(), &visit.caller, &id)?;
            let note = match replayed {
                true => "was created already",
                false => "was created",
            };
            visit.note(Note::new(format!("{} {note}.", rotation.profile.name)));
            Ok(answer::see(path_to(&rotation)))
        }
        Err(stop) => refused(visit, stop, errors),
    }
}

/// The form with what its rotation was refused for.
fn refused(visit: &Visit, stop: ActionError, mut errors: Errors) -> Outcome {
    let problem = Problem::from(stop);
    match problem.status {
        400 | 402 | 409 => {
            refusals::add(visit, &mut errors, &problem, &FIELDS)?;
            page(visit, problem.status, &visit.form, &errors, None)
        }
        _ => Err(problem),
    }
}

/// Creates the rotation, then gives it its hours. A retry finds the one that was made.
fn make(
    visit: &Visit,
    new: NewRotation,
    coverage: Option<GridSpec>,
) -> Result<(RotationId, bool), ActionError> {
    let coverage = coverage.map(GridSpec::checked).transpose()?;
    let rotation = new.checked()?;
    let content = edit::canonical(&rotation);
    let creation = NewCreation {
        key: visit.operation_id()?.to_owned(),
        body_hash: arrangement::body_hash("createRotation", &[], content.as_bytes()),
        rotation,
    };
    let created = creation::create(visit.app(), &visit.author("createRotation"), creation)?;
    let id = created.rotation.id.clone();
    if created.replayed && created.rotation.mode() == Mode::Auto {
        return Ok((id, true));
    }
    let Some(spec) = coverage else {
        return Ok((id, created.replayed));
    };
    write(visit, &id, "replaceCoverage", ReplaceCoverage(spec))?;
    Ok((id, false))
}

fn write(
    visit: &Visit,
    id: &RotationId,
    action: &'static str,
    operation: impl Operation,
) -> Result<(), ActionError> {
    let mutation = Mutation {
        author: &visit.author(action),
        rotation: id,
        precondition: &Precondition::Any,
        operation,
    };
    match mutation.run(visit.app()) {
        // A retry of a creation that was cut short finds some of it done.
        Err(ActionError::Refused(Refusal::NotFound("roster"))) => Ok(()),
        done => done.map(drop),
    }
}

/// A form with other values of some names.
fn with(form: &Form, names: &[&str], values: Vec<(String, String)>) -> Form {
    let kept = form.fields().filter(|(name, _)| !names.contains(name));
    let kept = kept.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Form::with(kept.chain(values))
}
