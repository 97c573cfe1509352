//! Registering, changing and deleting an endpoint.

use super::{carried, check, crumbs, facts, named, path_to, write};
use crate::actions::{ActionError, webhooks};
use crate::domain::webhook::{EventType, WebhookSpec};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::refused;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

/// The fields that refusals may name.
pub const FIELDS: [&str; 4] = ["name", "url", "eventTypes", "graceSeconds"];

/// GET /webhooks/new.
pub fn show_new(visit: &Visit) -> Outcome {
    check(visit)?;
    let all = EventType::SUBSCRIBABLE;
    let every = Form::with(all.map(|kind| ("eventTypes", kind.name())));
    new_page(visit, 200, &every, &Errors::default())
}

fn new_page(
    visit: &Visit,
    status: u16,
    values: &Form,
    errors: &Errors,
) -> Result<Response, Problem> {
    let content = html! {
        p.crumb { a href="/webhooks" { "Webhooks" } }
        (fields::summary(errors))
        h1 { "New endpoint" }
        form.card.pad method="post" action="/webhooks" {
            (hidden("operationId", &confirm::operation_id()))
            (inputs(Filled { values, errors }))
            p.hint { "Its signing secret is shown once, on the next page." }
            p.actions {
                button.btn.go type="submit" { "Register" }
                a.btn href="/webhooks" { "Back" }
            }
        }
    };
    Ok(layout::page_with(visit, status, "New endpoint", content))
}

fn inputs(filled: Filled) -> Markup {
    let choices = EventType::SUBSCRIBABLE.map(|kind| Choice {
        value: kind.name().to_owned(),
        label: html! { code { (kind.name()) } " " span.muted { (meaning(kind)) } },
    });
    html! {
        (filled.input("text", "name", "Name", "", true))
        (filled.input("url", "url", "URL", "An https address that is reached from the internet.", true))
        (filled.boxes("eventTypes", "Events", "Without any, only test events are sent.", &choices))
    }
}

fn meaning(kind: EventType) -> &'static str {
    match kind {
        EventType::DutyChanged => "Other people are on call",
        EventType::NobodyOnCall => "Nobody is on call any more",
        EventType::RotationCreated => "A rotation was created",
        EventType::RotationUpdated => "A rotation was changed",
        EventType::RotationDeleted => "A rotation was deleted",
        EventType::WebhookTest => "A test",
    }
}

/// The parameters that a form asks for.
fn spec(visit: &Visit) -> Result<WebhookSpec, ActionError> {
    let form = &visit.form;
    let (name, url) = (form.one("name").trim().to_owned(), form.one("url").trim());
    let types: Vec<String> = form.all("eventTypes").map(str::to_owned).collect();
    let target = |url: &str| webhooks::target(visit.app(), url);
    Ok(WebhookSpec::new(name, url, &types, target)?)
}

/// POST /webhooks.
pub fn create(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let app = visit.app();
        let author = visit.author("registerWebhook");
        let made = spec(visit).and_then(|spec| webhooks::register(app, &author, spec));
        let again = |status, errors: Errors| new_page(visit, status, &visit.form, &errors);
        let made = match refused(visit, made, &FIELDS, again)? {
            Ok(made) => made,
            Err(page) => return Ok(page),
        };
        visit.note(Note {
            secret: Some(made.current.secret.0.clone()),
            ..Note::new("The endpoint was registered. Below is its signing secret.")
        });
        Ok(answer::see(path_to(&made)))
    })
}

/// GET /webhooks/{webhook}/edit.
pub fn show(visit: &Visit) -> Outcome {
    let webhook = named(visit)?;
    let fields = [("name", webhook.name.as_str()), ("url", &webhook.url)];
    let kinds = webhook.event_types.iter();
    let kinds = kinds.map(|kind| ("eventTypes", kind.name()));
    let values = Form::with(fields.into_iter().chain(kinds));
    page(visit, 200, &values, &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let webhook = named(visit)?;
    let content = html! {
        (crumbs(&webhook))
        (fields::summary(errors))
        h1 { "Change the endpoint" }
        form.card.pad method="post" action=(format!("{}/edit", path_to(&webhook))) {
            (carried(visit, &webhook))
            (inputs(Filled { values, errors }))
            p.actions {
                button.btn.go type="submit" { "Save" }
                a.btn href=(path_to(&webhook)) { "Back" }
            }
        }
    };
    Ok(layout::page_with(
        visit,
        status,
        "Change the endpoint",
        content,
    ))
}

/// POST /webhooks/{webhook}/edit.
pub fn replace(visit: &Visit) -> Outcome {
    let (webhook, precondition) = (named(visit)?, visit.precondition()?);
    visit.once(|| {
        let app = visit.app();
        let author = visit.author("replaceWebhook");
        let outcome = spec(visit)
            .and_then(|spec| webhooks::replace(app, &author, &webhook.id, &precondition, spec));
        let saved = |_| {
            visit.note(Note::new("The endpoint was saved."));
            Ok(answer::see(path_to(&webhook)))
        };
        let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
        write(visit, outcome, saved, again)
    })
}

/// GET /webhooks/{webhook}/delete.
pub fn show_delete(visit: &Visit) -> Outcome {
    let webhook = named(visit)?;
    let content = html! {
        (crumbs(&webhook))
        h1 { "Delete " bdi { (webhook.name) } "?" }
        div.card.pad {
            p { "Nothing more is sent to it. Its delivery log and its signing secret are deleted too." }
            (facts(&webhook))
            form method="post" action=(format!("{}/delete", path_to(&webhook))) {
                (carried(visit, &webhook))
                p.actions {
                    button.btn.bad type="submit" { "Delete the endpoint" }
                    a.btn href=(path_to(&webhook)) { "Keep it" }
                }
            }
        }
    };
    Ok(layout::page(visit, "Delete the endpoint", content))
}
