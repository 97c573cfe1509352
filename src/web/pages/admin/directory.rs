//! Importing the directory: a file is shown with what it would change before it is stored, and what takes people off duty has to
//! be agreed to, as with `rota directory import`.

use super::{check, crumbs};
use crate::actions::directory::{Consent, Imported};
use crate::actions::{ActionError, directory as action, directory_sync};
use crate::domain::directory::Directory;
use crate::domain::import::{Concern, ImportChanges, PersonName};
use crate::server::{Body, Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::layout;
use crate::web::notes::Note;
use crate::web::pages::{path_of, refused, times};
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Filled, hidden};
use crate::web::parts::people;
use crate::web::visit::Visit;
use crate::web::{answer, form};
use crate::wire::body;
use crate::wire::directory as wire;
use maud::{Markup, html};

const FIELDS: [&str; 2] = ["file", "yes"];

/// Changes that are listed at the most, of each kind.
const LISTED: usize = 200;

/// GET /admin/directory.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Errors::default())
}

fn page(visit: &Visit, status: u16, errors: &Errors) -> Result<Response, Problem> {
    check(visit)?;
    let filled = Filled {
        values: &visit.form,
        errors,
    };
    if let Some(remote) = visit.app().remote() {
        return of_platform(visit, status, remote.names().title);
    }
    let content = html! {
        (fields::summary(errors))
        (crumbs())
        h1 { "Directory" }
        p {
            "The file replaces the people, groups and channels of the workspace. People who are not in it are deactivated and come off duty. "
            a href="/admin/directory.json" { "The present directory as a file" }
        }
        form.card.pad method="post" action="/admin/directory" {
            (filled.area("file", "Directory file", "JSON, as “rota directory import” takes it; that command takes files over half a megabyte, too."))
            p.actions { button.btn.go type="submit" { "Show what it changes" } a.btn href="/admin" { "Back" } }
        }
    };
    Ok(layout::page_with(visit, status, "Directory", content))
}

/// The page where the directory is the chat platform's.
fn of_platform(visit: &Visit, status: u16, title: &str) -> Result<Response, Problem> {
    let read = visit.app().store().read(directory_sync::status)?;
    let content = html! {
        (crumbs())
        h1 { "Directory" }
        p {
            "People, groups and channels are read from " (title) ". "
            @match read.last_read_at {
                Some(at) => { "The last full reading was at " (times(visit).show(at)) ". " }
                None => { "They have not been read yet. " }
            }
            code { "rota directory sync" } " reads them now. "
            a href="/admin/directory.json" { "The present directory as a file" }
        }
        @if let Some(error) = read.error { p { strong { "The last reading was not applied: " } (error) } }
    };
    Ok(layout::page_with(visit, status, "Directory", content))
}

/// The directory of the file in the form.
fn sent(visit: &Visit) -> Result<Directory, ActionError> {
    let file = body::parse(visit.form.one("file").as_bytes())?;
    Ok(wire::read(file)?)
}

/// POST /admin/directory: what the file would change.
pub fn preview(visit: &Visit) -> Outcome {
    check(visit)?;
    let author = visit.author("directory import");
    let tried = sent(visit)
        .and_then(|directory| action::import(visit.app(), &author, directory, Consent::DryRun));
    match refused(visit, tried, &FIELDS, again(visit))? {
        Ok(tried) => changes_page(visit, 200, &tried.changes, &Errors::default()),
        Err(page) => Ok(page),
    }
}

/// The first page with what is wrong with the file.
fn again<'a>(visit: &'a Visit) -> impl FnOnce(u16, Errors) -> Result<Response, Problem> + 'a {
    |status, found| {
        let mut errors = Errors::default();
        for error in found.all() {
            errors.add("file", error.message.clone());
        }
        page(visit, status, &errors)
    }
}

fn changes_page(
    visit: &Visit,
    status: u16,
    changes: &ImportChanges,
    errors: &Errors,
) -> Result<Response, Problem> {
    let filled = Filled {
        values: &visit.form,
        errors,
    };
    let concern = changes.concern().map(|concern| why(concern, changes));
    let content = html! {
        (fields::summary(errors))
        (crumbs())
        h1 { "What the file changes" }
        section.card.pad aria-label="Changes" {
            @if changes.is_empty() { p.muted { "No person changes. Groups and channels may." } }
            (people("New", &changes.added))
            @if !changes.changed.is_empty() {
                h2 { "Changed" }
                ul { @for (person, what) in changes.changed.iter().take(LISTED) { li { (named(person)) ": " (what.join(", ")) } } }
                (more(changes.changed.len()))
            }
            (people("Leaving", &changes.leaving))
            @if !changes.rotations.is_empty() {
                h2 { "Rotations" }
                ul {
                    @for loss in &changes.rotations {
                        li {
                            a href=(path_of(&loss.id, None)) { bdi { (loss.name) } }
                            @if !loss.off_duty.is_empty() {
                                " loses, on call: "
                                @for (index, person) in loss.off_duty.iter().enumerate() { @if index > 0 { ", " } (named(person)) }
                            }
                            @if loss.is_empty { " loses everybody" }
                        }
                    }
                }
            }
        }
        form.card.pad method="post" action="/admin/directory/import" {
            (hidden("file", visit.form.one("file")))
            (hidden("operationId", &confirm::operation_id()))
            @if let Some(why) = &concern {
                div.note.warn.said { p { (form::sentence(why)) } }
                (filled.tick("yes", "That is meant. Import it all the same."))
            }
            p.actions { button.btn.go type="submit" { "Import" } a.btn href="/admin/directory" { "Back" } }
        }
    };
    Ok(layout::page_with(
        visit,
        status,
        "What the file changes",
        content,
    ))
}

fn people(heading: &str, all: &[PersonName]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 { (heading) }
            ul { @for person in all.iter().take(LISTED) { li { (named(person)) } } }
            (more(all.len()))
        }
    }
}

fn more(count: usize) -> Markup {
    html! { @if count > LISTED { p.muted { "And " (count - LISTED) " more." } } }
}

fn named(person: &PersonName) -> Markup {
    html! { a href=(people::path(&person.id)) { bdi { (person.name) } } " " code { (person.id) } }
}

/// Why somebody has to agree to the changes.
fn why(concern: Concern, changes: &ImportChanges) -> String {
    match concern {
        Concern::OnDuty => "people who are on call come off".to_owned(),
        Concern::ManyLeave => format!(
            "{} of {} people leave",
            changes.leaving.len(),
            changes.people_before
        ),
    }
}

/// POST /admin/directory/import.
pub fn import(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let consent = match visit.form.has("yes", "true") {
            true => Consent::Given,
            false => Consent::Unasked,
        };
        let author = visit.author("directory import");
        let outcome = sent(visit)
            .and_then(|directory| action::import(visit.app(), &author, directory, consent));
        let Imported { changes, applied } = match refused(visit, outcome, &FIELDS, again(visit))? {
            Ok(imported) => imported,
            Err(page) => return Ok(page),
        };
        if !applied {
            let mut errors = Errors::default();
            errors.add("yes", "Nothing was imported yet: say that it is meant.");
            return changes_page(visit, 409, &changes, &errors);
        }
        visit.note(Note::new("The directory was imported."));
        Ok(answer::see("/people"))
    })
}

/// GET /admin/directory.json: the directory as a file that an import takes.
pub fn export(visit: &Visit) -> Outcome {
    check(visit)?;
    let file = wire::file(action::export(visit.app().store())?);
    let text = serde_json::to_string_pretty(&file)
        .map_err(|error| Problem::internal(error.to_string()))?;
    Ok(
        Response::new(200, "application/json", Body::from_data(text)).with(
            "Content-Disposition",
            "attachment; filename=\"directory.json\"",
        ),
    )
}
