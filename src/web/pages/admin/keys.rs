//! API keys: made, rotated, disabled and revoked. The text of a key is shown once.

use super::{check, crumbs, lifetime, lifetimes};
use crate::actions::keys::{self, NewKey};
use crate::actions::{ActionError, overview};
use crate::domain::access::Scope;
use crate::domain::ids::{KeyId, RotationId};
use crate::domain::refusal::{Refusal, invalid};
use crate::server::{Outcome, Problem, Response};
use crate::store::{KeyRecord, Page, RotationFilter, RotationOrder};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::{refused, times};
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use jiff::SignedDuration;
use maud::{Markup, html};
use std::time::Duration;

const FIELDS: [&str; 4] = ["name", "scopes", "rotationIds", "expires"];

/// Rotations that a key can be limited to, by name.
const OFFERED: u32 = 1000;

/// How long the text that is replaced goes on working.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);

/// GET /admin/keys.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Form::default(), &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let all = keys::list(visit.app().store(), &visit.caller)?;
    let content = html! {
        (fields::summary(errors))
        (crumbs())
        h1 { "API keys" }
        p { "A key is for a program. It may do what its scopes say, in all rotations or in those that it is limited to." }
        section.card.flush aria-label="Keys" {
            @if all.is_empty() { div.pad { p.muted { "There are no keys yet." } } } @else {
                table.rows {
                    caption.sr { "Keys, the oldest first" }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "State" } th scope="col" { "Scopes" } th scope="col" { "Rotations" } th scope="col" { "Created" } th scope="col" { "Expires" } th scope="col" { span.sr { "Actions" } } } }
                    tbody { @for key in &all { (row(visit, key)) } }
                }
            }
        }
        (form(visit, Filled { values, errors })?)
    };
    Ok(layout::page_with(visit, status, "API keys", content))
}

fn row(visit: &Visit, key: &KeyRecord) -> Markup {
    let times = times(visit);
    let expired = key.expires_at.is_some_and(|at| at <= visit.now);
    let step = |step: &str, label: &str| {
        html! {
            form.bare method="post" action=(format!("/admin/keys/{}/{step}", key.id)) {
                (hidden("operationId", &confirm::operation_id()))
                button.btn.s type="submit" { (label) }
            }
        }
    };
    html! {
        tr data-key=(key.id) {
            th scope="row" { bdi { (key.name) } br; code { (key.id) } }
            td data-label="State" {
                @if key.disabled { span.tag.warn { "Disabled" } } @else if expired { span.tag.bad { "Expired" } } @else { span.tag.good { "Enabled" } }
                @for (_, until) in key.outgoing.iter().filter(|(_, until)| *until > visit.now) {
                    br; span.muted { "the one before works until " (times.show(*until)) }
                }
            }
            td data-label="Scopes" { @for scope in &key.scopes { code { (scope.name()) } " " } }
            td data-label="Rotations" {
                @match &key.rotations {
                    None => "All",
                    Some(ids) => { @for id in ids { code { (id) } " " } },
                }
            }
            td data-label="Created" { (times.show(key.created_at)) }
            td data-label="Expires" { @match key.expires_at { Some(at) => (times.show(at)), None => span.muted { "Never" } } }
            td {
                @if key.disabled { (step("enable", "Enable")) } @else { (step("disable", "Disable")) }
                details { summary { "Renew" } p { "The present key goes on working for a day." } (step("rotate", "Renew the key")) }
                details { summary { "Revoke" } p { "What uses it is refused from now on." } (step("revoke", "Revoke the key")) }
            }
        }
    }
}

fn form(visit: &Visit, filled: Filled) -> Result<Markup, Problem> {
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let page = Page::first(OFFERED);
    let none = SignedDuration::ZERO;
    let (rotations, _) = overview::rotations(visit.app(), &visit.caller, filter, page, none)?;
    let rotations: Vec<Choice> = rotations
        .iter()
        .map(|one| Choice {
            value: one.rotation.id.to_string(),
            label: html! { bdi { (one.rotation.profile.name) } },
        })
        .collect();
    let scopes = Scope::COMBINED.map(|scope| Choice {
        value: scope.name().to_owned(),
        label: html! { code { (scope.name()) } " " span.muted { (meaning(scope)) } },
    });
    Ok(html! {
        form.card.pad method="post" action="/admin/keys" {
            h2 { "New key" }
            (hidden("operationId", &confirm::operation_id()))
            (filled.input("text", "name", "Name", "What it is for.", true))
            (filled.boxes("scopes", "Scopes", "", &scopes))
            @if !rotations.is_empty() {
                details { summary { "Limit it to some rotations" } (filled.boxes("rotationIds", "Rotations", "Without any, it is for all.", &rotations)) }
            }
            (filled.select("expires", "Expires", "", &lifetimes()))
            p.hint { "The key is shown once, on the next page." }
            p.actions { button.btn.go type="submit" { "Make the key" } }
        }
    })
}

fn meaning(scope: Scope) -> &'static str {
    match scope {
        Scope::ReadRotations => "Rotations, schedule, history, absences",
        Scope::WriteRotations => "Create, change and delete rotations",
        Scope::ReadOnCall => "Who is on call",
        Scope::WriteDuty => "Put people on call, hand over, absences",
        Scope::ReadDirectory => "People, user groups, channels",
        Scope::ManageWebhooks => "Webhook endpoints and their deliveries",
        Scope::ReadContacts => "Telephone numbers and addresses of people",
        Scope::ManageDirectory => "Add and change people, user groups, channels",
        Scope::Replicate => "Copy the whole database to a standby",
    }
}

/// The key that a form describes.
fn new_key(visit: &Visit) -> Result<NewKey, ActionError> {
    let mut scopes = Vec::new();
    for (index, name) in visit.form.all("scopes").enumerate() {
        match Scope::parse(name) {
            Some(scope) => scopes.push(scope),
            None => {
                return Ok(invalid(
                    format!("scopes[{index}]"),
                    "there is no such scope",
                )?);
            }
        }
    }
    let ids = visit.form.list("rotationIds").into_iter();
    let rotations: Vec<RotationId> = ids.map(RotationId::from).collect();
    let after = lifetime(visit)?;
    let expires_at = after.map(|after| visit.now.checked_add(after)).transpose();
    Ok(NewKey {
        name: visit.form.one("name").trim().to_owned(),
        scopes,
        rotations: Some(rotations).filter(|rotations| !rotations.is_empty()),
        disabled: false,
        expires_at: expires_at.map_err(|_| Refusal::invalid("expires", "too long"))?,
    })
}

/// POST /admin/keys.
pub fn create(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let store = visit.app().store();
        let author = visit.author("key create");
        let made = new_key(visit).and_then(|new| keys::create_key(store, &author, new));
        let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
        let (record, key) = match refused(visit, made, &FIELDS, again)? {
            Ok(made) => made,
            Err(page) => return Ok(page),
        };
        tell(visit, format!("The key {} was made.", record.name), key)
    })
}

/// Shows a key on the next page, and never again.
fn tell(visit: &Visit, text: String, key: String) -> Outcome {
    visit.note(Note {
        secret: Some(key),
        ..Note::new(text)
    });
    Ok(answer::see("/admin/keys"))
}

/// POST /admin/keys/{key}/{step}.
pub fn step(visit: &Visit) -> Outcome {
    check(visit)?;
    let (store, id, step) = (
        visit.app().store(),
        KeyId::from(visit.part(0)),
        visit.part(1),
    );
    if !["enable", "disable", "rotate", "revoke"].contains(&step) {
        return Err(answer::nothing_here());
    }
    visit.once(|| {
        let told = match step {
            "enable" => {
                keys::set_disabled(store, &visit.author("key enable"), id, false)?;
                "The key is enabled."
            }
            "disable" => {
                keys::set_disabled(store, &visit.author("key disable"), id, true)?;
                "The key is disabled."
            }
            "rotate" => {
                let key = keys::rotate_key(store, &visit.author("key rotate"), id, GRACE)?;
                let text = "The key has a new text. The one before works for a day.";
                return tell(visit, text.to_owned(), key);
            }
            _ => {
                keys::revoke_key(store, &visit.author("key revoke"), id)?;
                "The key was revoked."
            }
        };
        visit.note(Note::new(told));
        Ok(answer::see("/admin/keys"))
    })
}
