//! The settings of a rotation, a page for each part of them. Every write of the API on a rotation can be reached from here.
//!
//! A form posts to the address of its page. Its handler makes the value that the API's operation takes and runs it, as the API does.
//! What a single write restores has an Undo, which posts to [`restore`] the name of what was so before.

mod absences;
mod channel_summary;
mod channels;
mod coverage;
mod dealing;
mod delete;
mod details;
mod duty_group;
mod external;
mod grid;
mod groups;
mod inbound;
mod mentions;
mod people;
mod restore;
mod rosters;
mod sections;
mod skips;
pub mod warnings;
mod weigh;
mod window;

use super::{crumbs, editable, failing, path_of, path_to, tag};
use crate::actions::mutation::Operation;
use crate::actions::once::Receipt;
use crate::actions::{ActionError, Error, reads};
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Mode, Rotation};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::notes::{Note, Undo};
use crate::web::pages::create;
use crate::web::parts::confirm;
use crate::web::parts::fields;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use crate::wire::etag::Precondition;
pub use dealing::share;
use maud::{Markup, html};
use restore::Change;
pub use restore::Restores;
use sections::{offered, section};

/// GET one page of the settings.
pub fn show_part(visit: &Visit) -> Outcome {
    match (visit.part(1), visit.path.len(), section(visit.part(1))) {
        ("windows", 3, _) => window::show(visit),
        (_, 2, Some(section)) => (section.show)(visit),
        _ => Err(answer::nothing_here()),
    }
}

/// POST to one page of the settings.
pub fn save_part(visit: &Visit) -> Outcome {
    match (visit.part(1), visit.path.len(), section(visit.part(1))) {
        ("windows", 3, _) => window::save(visit),
        ("restore", 2, _) => restore::restore(visit),
        (_, 2, Some(section)) => (section.save)(visit),
        _ => Err(answer::nothing_here()),
    }
}

/// GET /rotations/{rotation}/settings: what there is to set.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let base = path_to(&rotation);
    let state = match (rotation.enabled, rotation.mode()) {
        (false, _) => "Disabled: nobody hands over.",
        (true, Mode::Manual) => "Enabled. Somebody hands over by hand.",
        (true, Mode::Auto) => "Enabled. It hands over by itself.",
        (true, Mode::External) => "Enabled. A partner's schedule says who is on call.",
    };
    let content = html! {
        (crumbs(&rotation))
        h1 { "Settings of " bdi { (rotation.profile.name) } }
        p.sub { (state) }
        div.card.pad {
            ul.items {
                @for section in offered(visit, &rotation) {
                    li {
                        a href=(format!("{base}/settings/{}", section.part)) { (section.name) }
                        br;
                        span.muted { (section.about) }
                    }
                }
            }
        }
    };
    let title = format!("Settings of {}", rotation.profile.name);
    Ok(layout::page(visit, &title, content))
}

/// The address that forms of a part post to. It has the id, so that it stays the same when the code changes.
fn action(rotation: &Rotation, part: &str) -> String {
    format!("{}/settings/{part}", path_of(&rotation.id, None))
}

/// The head of a page of the settings.
struct Head {
    title: String,
    /// The line below it; the rotation's name where it is left out.
    about: Option<String>,
}

/// A page of the settings: the way back, what is wrong, the other parts, and the content.
fn page(
    visit: &Visit,
    rotation: &Rotation,
    part: &str,
    (status, errors): (u16, &Errors),
    content: Markup,
) -> Result<Response, Problem> {
    let name = section(part).map_or("Settings", |section| section.name);
    let head = Head {
        title: name.to_owned(),
        about: None,
    };
    titled_page(visit, rotation, part, head, (status, errors), content)
}

/// The same with a title of its own.
fn titled_page(
    visit: &Visit,
    rotation: &Rotation,
    part: &str,
    head: Head,
    (status, errors): (u16, &Errors),
    content: Markup,
) -> Result<Response, Problem> {
    let base = path_to(rotation);
    let name = &rotation.profile.name;
    let content = html! {
        (fields::summary(errors))
        div.head {
            div {
                p.crumb { a href=(base) { bdi { (name) } } " · " a href=(format!("{base}/settings")) { "Settings" } }
                h1 { bdi { (head.title) } }
                p.sub { bdi { (head.about.as_deref().unwrap_or(name)) } }
            }
        }
        nav.tabs.wrap aria-label="Settings" {
            @for section in offered(visit, rotation) {
                a href=(format!("{base}/settings/{}", section.part)) aria-current=[(section.part == part).then_some("page")] { (section.name) }
            }
        }
        (content)
    };
    let title = format!("{} of {name}", head.title);
    Ok(layout::page_with(visit, status, &title, content))
}

/// The hidden fields of a form of the settings.
fn carried(visit: &Visit, rotation: &Rotation) -> Markup {
    confirm::carried(&tag(visit, rotation), rotation)
}

/// The note after a write.
fn nothing(_: &str, _: &()) -> Result<String, Error> {
    Ok(String::new())
}

/// What is said once a form is saved.
struct Saved<'a> {
    /// The part of the settings that the form is on.
    part: &'a str,
    /// The fields of the form.
    names: &'a [&'a str],
    told: &'a str,
    /// What undoes it, if one write does.
    before: Option<Change>,
}

/// Carries out the change that a form asks for, and goes back to the part of the settings. `again` shows the form once more.
fn carry_out(
    visit: &Visit,
    rotation: &Rotation,
    change: Result<Change, Refusal>,
    saved: Saved,
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Outcome {
    let change = change.map_err(ActionError::from);
    let outcome = change.and_then(|change| change.write(visit, &rotation.id));
    match failing(visit, &rotation.id, outcome, saved.names, again)? {
        Ok(receipt) => {
            let told = (saved.told.to_owned(), saved.before);
            done(visit, rotation, saved.part, told, &receipt)
        }
        Err(page) => Ok(page),
    }
}

/// Carries out the operation that a form asks for. `again` shows the form once more.
fn write<O: Operation<Output = ()>>(
    visit: &Visit,
    rotation: &Rotation,
    name: &'static str,
    read: Result<O, Refusal>,
    names: &[&str],
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Result<Result<Receipt, Response>, Problem> {
    let outcome = read
        .map_err(ActionError::from)
        .and_then(|operation| visit.write(&rotation.id, (name, visit.here()), operation, nothing));
    failing(visit, &rotation.id, outcome, names, again)
}

/// Says what was done, with a way to undo it where one write does that, and sends the browser to a part of the settings; to
/// another page where the reader may not see the settings any more. `rotation` is as it was before the write.
fn done(
    visit: &Visit,
    rotation: &Rotation,
    part: &str,
    (told, before): (String, Option<Change>),
    receipt: &Receipt,
) -> Outcome {
    let was = tag(visit, rotation);
    let current = reads::rotation(visit.app(), &visit.caller, &rotation.id);
    let editable = current
        .as_ref()
        .is_ok_and(|current| visit.caller.check_edit(current).is_ok());
    let undo = |before: Change| {
        let name = confirm::operation_id();
        let restores = (rotation.id.clone(), before);
        visit.web.undos.put(&name, restores, visit.now);
        Undo {
            action: action(rotation, "restore"),
            fields: vec![
                ("ifMatch", receipt.etag.clone()),
                ("operationId", confirm::operation_id()),
                ("undo", name),
                ("back", part.to_owned()),
            ],
        }
    };
    // A form that is sent again finds what it did: the note of the first time stands.
    let if_match = Precondition::parse(visit.form.one("ifMatch"));
    if if_match.check(|| was.clone()).is_ok() {
        let changed = receipt.etag != was;
        visit.note(Note {
            text: told,
            undo: before.filter(|_| editable && changed).map(undo),
            secret: None,
        });
    }
    Ok(answer::see(match current {
        Ok(current) if editable => format!("{}/settings/{part}", path_to(&current)),
        Ok(current) => path_to(&current),
        Err(_) => "/rotations".to_owned(),
    }))
}

/// The people that a field names, by id, address or name; `known` are taken by their id even where they have left the workspace.
fn people_named(
    visit: &Visit,
    field: &str,
    known: &[UserId],
    errors: &mut Errors,
) -> Result<Vec<UserId>, Problem> {
    let mut found: Vec<UserId> = Vec::new();
    for named in visit.form.list(field) {
        let named = named.trim();
        if named.is_empty() {
            continue;
        }
        let user = match known.iter().find(|user| user.as_str() == named) {
            Some(user) => Some(user.clone()),
            None => create::person(visit, named)?,
        };
        match user {
            Some(user) if found.contains(&user) => {}
            Some(user) => found.push(user),
            None => errors.add(
                field,
                format!("Nobody, or more than one, is called “{named}”."),
            ),
        }
    }
    Ok(found)
}

/// A line that names somebody of the workspace, with the people to choose from.
fn person_line(
    visit: &Visit,
    id: &str,
    name: &str,
    label: &str,
    value: &str,
) -> Result<Markup, Problem> {
    let people = create::offered(visit)?;
    Ok(html! {
        div.f {
            label for=(id) { (label) }
            p.hint { "By name, address or id." }
            input type="text" id=(id) name=(name) list="people" autocomplete="off" value=(value);
        }
        (create::people_list(&people))
    })
}
