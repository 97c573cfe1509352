//! One endpoint: its state, what can be done with it, and its delivery log.

use super::{carried, delivery_state, events, named, path_to, state, write};
use crate::actions::{ActionError, deliveries, webhooks};
use crate::domain::ids::RotationId;
use crate::domain::limits::whole_number;
use crate::domain::webhook::{self, Delivery, DeliveryState, EventType, Webhook};
use crate::server::{Outcome, Problem, Response};
use crate::store::{DeliveryFilter, Page};
use crate::web::form::Errors;
use crate::web::layout::encoded;
use crate::web::notes::Note;
use crate::web::pages::{pager, times};
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::visit::Visit;
use crate::web::{answer, form, layout};
use jiff::SignedDuration;
use maud::{Markup, html};

/// Deliveries on one page.
const ROWS: u32 = 50;

/// How long a secret that is replaced may go on signing, in seconds, with the words for it.
const GRACES: [(&str, &str); 4] = [
    ("86400", "For a day"),
    ("3600", "For an hour"),
    ("604800", "For a week"),
    ("0", "Not at all"),
];

/// GET /webhooks/{webhook}.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Errors::default())
}

fn page(visit: &Visit, status: u16, errors: &Errors) -> Result<Response, Problem> {
    let webhook = named(visit)?;
    let health = deliveries::health(visit.app(), &webhook.id)?;
    let times = times(visit);
    let path = path_to(&webhook);
    let step = |step: &str, label: &str, class: &str| {
        html! {
            form.bare method="post" action=(format!("{path}/{step}")) {
                (carried(visit, &webhook))
                button.btn.(class) type="submit" { (label) }
            }
        }
    };
    let content = html! {
        (fields::summary(errors))
        p.crumb { a href="/webhooks" { "Webhooks" } }
        div.head {
            div { h1 { bdi { (webhook.name) } } p.sub { code { (webhook.url) } } }
            div.actions {
                @match webhook.disabled {
                    None => { (step("test", "Send test", "go")) (step("disable", "Disable", "plain")) },
                    Some(_) => (step("enable", "Enable", "go")),
                }
                a.btn href=(format!("{path}/edit")) { "Change" }
            }
        }
        div.cols.a {
            section.card.pad aria-labelledby="state" {
                h2 #state { "State" }
                dl.kv {
                    dt { "State" }
                    dd {
                        (state(&webhook))
                        @if let Some(disabled) = webhook.disabled { " since " (times.show(disabled.since)) }
                    }
                    dt { "Failing since" }
                    dd { @match health.failing_since { Some(since) => { (times.show(since)) " " span.muted { (times.away(since)) } }, None => span.muted { "Not failing" } } }
                    dt { "Waiting" }
                    dd {
                        (health.waiting) @if health.waiting == 1 { " delivery" } @else { " deliveries" }
                        @if webhook.disabled.is_some() && health.waiting > 0 { ", held until it is enabled" }
                    }
                    dt { "Events" } dd { (events(&webhook)) }
                    dt { "Id" } dd { code { (webhook.id) } }
                    dt { "Registered" } dd { (times.show(webhook.created_at)) }
                    @if let Some(at) = webhook.updated_at { dt { "Changed" } dd { (times.show(at)) } }
                }
            }
            (secret(visit, &webhook, errors))
        }
        (log(visit, &webhook)?)
        p.actions { a.btn.bad href=(format!("{path}/delete")) { "Delete the endpoint" } }
    };
    Ok(layout::page_with(visit, status, &webhook.name, content))
}

/// The signing secret, which is not shown, and the form that replaces it.
fn secret(visit: &Visit, webhook: &Webhook, errors: &Errors) -> Markup {
    let times = times(visit);
    let filled = Filled {
        values: &visit.form,
        errors,
    };
    let graces = GRACES.map(|(seconds, label)| Choice::new(seconds, label));
    html! {
        section.card.pad aria-labelledby="signing" {
            h2 #signing { "Signing secret" }
            dl.kv {
                dt { "Id" } dd { code { (webhook.current.id) } }
                dt { "Since" } dd { (times.show(webhook.current.created_at)) }
                @if let Some(previous) = webhook.previous_at(visit.now) {
                    dt { "Before it" } dd { code { (previous.id) } " signs too until " (times.show(previous.expires_at)) }
                }
            }
            form method="post" action=(format!("{}/rotate", path_to(webhook))) {
                (carried(visit, webhook))
                (filled.select("graceSeconds", "The present secret signs too", "A new secret is shown once.", &graces))
                p.actions { button.btn type="submit" { "Rotate the secret" } }
            }
        }
    }
}

/// The log with its filters, which are those of the API.
fn log(visit: &Visit, webhook: &Webhook) -> Result<Markup, Problem> {
    let query = &visit.query;
    let number = query.one("page").parse().unwrap_or(1).clamp(1, 10_000);
    let filter = DeliveryFilter {
        state: DeliveryState::parse(query.one("state")),
        event_type: EventType::parse(query.one("eventType")),
        rotation: query.filled("rotationId").map(RotationId::from),
    };
    let page = Page { number, size: ROWS };
    let (found, total) = deliveries::list(visit.app(), &webhook.id, filter, page)?;
    let errors = Errors::default();
    let filled = Filled {
        values: query,
        errors: &errors,
    };
    let mut states = vec![Choice::new("", "Any")];
    states.extend(
        DeliveryState::ALL.map(|state| Choice::new(state.name(), &form::capital(state.name()))),
    );
    let kinds = EventType::SUBSCRIBABLE
        .into_iter()
        .chain([EventType::WebhookTest]);
    let mut types = vec![Choice::new("", "Any")];
    types.extend(kinds.map(|kind| Choice::new(kind.name(), kind.name())));
    let path = path_to(webhook);
    let names = ["state", "eventType", "rotationId"];
    let is_narrowed = names.iter().any(|name| query.filled(name).is_some());
    let page_path = |number: u32| {
        let part = |name: &&str| format!("{name}={}", encoded(query.one(name)));
        let parts: Vec<String> = names.iter().map(part).collect();
        format!("{path}?{}&page={number}#log", parts.join("&"))
    };
    Ok(html! {
        section.card.flush aria-labelledby="log" {
            h2 #log { "Deliveries" }
            div.pad {
                form role="search" method="get" action=(path) {
                    div.inline {
                        (filled.select("state", "State", "", &states))
                        (filled.select("eventType", "Event", "", &types))
                        (filled.input("text", "rotationId", "Rotation id", "", false))
                        button.btn type="submit" { "Filter" }
                    }
                }
            }
            @if found.is_empty() {
                div.pad {
                    @if is_narrowed { p.muted { "No delivery matches. " a href=(path) { "Show all" } } }
                    @else { p.muted { "Nothing was sent yet. “Send test” queues an event." } }
                }
            } @else {
                (table(visit, webhook, &found))
                div.pad { (pager(number, total, ROWS, page_path)) }
            }
        }
    })
}

fn table(visit: &Visit, webhook: &Webhook, found: &[Delivery]) -> Markup {
    let times = times(visit);
    html! {
        table.rows {
            caption.sr { "Deliveries, the newest first" }
            thead { tr {
                th scope="col" { "Created" } th scope="col" { "Event" } th scope="col" { "Rotation" }
                th scope="col" { "State" } th scope="col" { "Attempts" } th scope="col" { "Next attempt" }
            } }
            tbody {
                @for delivery in found {
                    tr data-delivery=(delivery.id) {
                        th scope="row" { a href=(format!("{}/deliveries/{}", path_to(webhook), delivery.id)) { (times.show(delivery.created_at)) } }
                        td data-label="Event" { code { (delivery.event_type.name()) } }
                        td data-label="Rotation" { code { (delivery.rotation) } }
                        td data-label="State" { (delivery_state(delivery.state)) }
                        td data-label="Attempts" { (delivery.attempts) }
                        td data-label="Next attempt" { @if let Some(due) = delivery.due_at { (times.show(due)) } }
                    }
                }
            }
        }
    }
}

/// POST /webhooks/{webhook}/{step}.
pub fn step(visit: &Visit) -> Outcome {
    let webhook = named(visit)?;
    let (id, app) = (webhook.id.clone(), visit.app());
    let back = |note: Note, path: String| {
        visit.note(note);
        Ok(answer::see(path))
    };
    let again = |status, errors: Errors| page(visit, status, &errors);
    let path = path_to(&webhook);
    let step = visit.part(1);
    if !["test", "enable", "disable", "rotate", "delete"].contains(&step) {
        return Err(answer::nothing_here());
    }
    let precondition = visit.precondition()?;
    visit.once(|| match step {
        "test" => {
            let outcome = webhooks::test(app, &visit.author("testWebhook"), &id);
            let queued = |delivery: Delivery| {
                let path = format!("{path}/deliveries/{}", delivery.id);
                back(Note::new("A test event was queued."), path)
            };
            write(visit, outcome, queued, again)
        }
        "enable" => {
            let outcome = webhooks::enable(app, &visit.author("enableWebhook"), &id, &precondition);
            let note = Note::new("The endpoint is enabled. What was held for it is sent now.");
            write(visit, outcome, |_| back(note, path), again)
        }
        "disable" => {
            let author = visit.author("disableWebhook");
            let outcome = webhooks::disable(app, &author, &id, &precondition);
            let note = Note::new("The endpoint is disabled. What waits for it is held.");
            write(visit, outcome, |_| back(note, path), again)
        }
        "rotate" => {
            let author = visit.author("rotateWebhookSecret");
            let outcome = grace(visit)
                .and_then(|grace| webhooks::rotate_secret(app, &author, &id, &precondition, grace));
            let rotated = |webhook: Webhook| {
                let note = Note {
                    secret: Some(webhook.current.secret.0),
                    ..Note::new("The endpoint has a new signing secret.")
                };
                back(note, path)
            };
            write(visit, outcome, rotated, again)
        }
        _ => {
            let outcome = webhooks::remove(app, &visit.author("deleteWebhook"), &id, &precondition);
            let note = Note::new(format!("The endpoint {} was deleted.", webhook.name));
            write(visit, outcome, |()| back(note, "/webhooks".into()), again)
        }
    })
}

/// How long the present secret goes on signing.
fn grace(visit: &Visit) -> Result<SignedDuration, ActionError> {
    let typed = visit.form.filled("graceSeconds");
    let seconds = typed.map(|seconds| whole_number("graceSeconds", seconds));
    Ok(webhook::grace(seconds.transpose()?)?)
}
