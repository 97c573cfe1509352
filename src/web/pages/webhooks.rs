//! Webhook endpoints and their delivery log, for workspace admins.

pub mod delivery;
pub mod edit;
pub mod endpoint;
pub mod list;

use super::refused;
use crate::actions::{ActionError, webhooks};
use crate::domain::access::Scope;
use crate::domain::ids::WebhookId;
use crate::domain::refusal::Refusal;
use crate::domain::webhook::{DeliveryState, DisabledReason, Webhook};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::layout;
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::visit::Visit;
use crate::wire::etag;
use maud::{Markup, html};

/// Refuses people who may not manage endpoints.
fn check(visit: &Visit) -> Result<(), Problem> {
    match visit.caller.check_scope(Scope::ManageWebhooks) {
        Ok(()) => Ok(()),
        Err(_) => Err(Refusal::ResourceDenied(
            "only workspace admins manage webhook endpoints; ask one of them".into(),
        )
        .into()),
    }
}

/// The endpoint that the path names.
///
/// # Errors
/// 403 for those who may not see it, 404 where there is none.
fn named(visit: &Visit) -> Result<Webhook, Problem> {
    check(visit)?;
    Ok(webhooks::read(
        visit.app(),
        &WebhookId::from(visit.part(0)),
    )?)
}

fn path_to(webhook: &Webhook) -> String {
    format!("/webhooks/{}", webhook.id)
}

fn link_to(webhook: &Webhook) -> Markup {
    html! { a href=(path_to(webhook)) { bdi { (webhook.name) } } }
}

/// The hidden fields of a form that writes to an endpoint.
fn carried(visit: &Visit, webhook: &Webhook) -> Markup {
    html! {
        (hidden("ifMatch", &etag::webhook_tag(webhook, visit.now)))
        (hidden("operationId", &confirm::operation_id()))
    }
}

/// Whether an endpoint takes events, in words.
fn state(webhook: &Webhook) -> Markup {
    html! {
        @match webhook.disabled.map(|disabled| disabled.reason) {
            None => span.tag.good { "Enabled" },
            Some(DisabledReason::Manual) => span.tag.warn { "Disabled by hand" },
            Some(DisabledReason::DeliveryFailures) => span.tag.bad { "Disabled after failures" },
            Some(DisabledReason::TierDowngrade) => span.tag.warn { "Disabled with the plan" },
        }
    }
}

fn delivery_state(state: DeliveryState) -> Markup {
    html! {
        @match state {
            DeliveryState::Pending => span.tag.warn { "Pending" },
            DeliveryState::Delivered => span.tag.good { "Delivered" },
            DeliveryState::Exhausted => span.tag.bad { "Exhausted" },
            DeliveryState::Cancelled => span.tag { "Cancelled" },
        }
    }
}

/// Carries out a write to the endpoint that the path names, and goes on to `then` with its output. Where it has changed since the
/// form was opened, a page says how it stands now; other refusals are shown by `again`.
fn write<T>(
    visit: &Visit,
    outcome: Result<T, ActionError>,
    then: impl FnOnce(T) -> Outcome,
    again: impl FnOnce(u16, Errors) -> Outcome,
) -> Outcome {
    if let Err(ActionError::Refused(Refusal::StaleValidator)) = outcome {
        return changed_meanwhile(visit);
    }
    match refused(visit, outcome, &edit::FIELDS, again)? {
        Ok(output) => then(output),
        Err(page) => Ok(page),
    }
}

/// "Changed since you looked": how the endpoint stands now, and a button to go on with the same form all the same.
fn changed_meanwhile(visit: &Visit) -> Result<Response, Problem> {
    let webhook = named(visit)?;
    let title = "Changed since you looked";
    let kept = visit.form.fields().filter(|(name, _)| *name != "ifMatch");
    let content = html! {
        (crumbs(&webhook))
        h1 { (title) }
        div.note.warn.said role="alert" {
            p { "Nothing was done: " bdi { (webhook.name) } " has changed since you opened the form." }
        }
        div.card.pad {
            h2 { "How it is now" }
            (facts(&webhook))
            form method="post" action=(visit.here()) {
                @for (name, value) in kept { (hidden(name, value)) }
                (hidden("ifMatch", &etag::webhook_tag(&webhook, visit.now)))
                p.actions {
                    button.btn.go type="submit" { "Go on all the same" }
                    a.btn href=(path_to(&webhook)) { "Look at the endpoint" }
                }
            }
        }
    };
    Ok(layout::page_with(visit, 412, title, content))
}

/// The details of an endpoint, without its deliveries.
fn facts(webhook: &Webhook) -> Markup {
    html! {
        dl.kv {
            dt { "Name" } dd { bdi { (webhook.name) } }
            dt { "URL" } dd { code { (webhook.url) } }
            dt { "Events" } dd { (events(webhook)) }
            dt { "State" } dd { (state(webhook)) }
        }
    }
}

fn events(webhook: &Webhook) -> Markup {
    html! {
        @if webhook.event_types.is_empty() { span.muted { "None, only test events" } }
        @for (index, kind) in webhook.event_types.iter().enumerate() {
            @if index > 0 { " " }
            code { (kind.name()) }
        }
    }
}

/// The way back to an endpoint, above the heading of a page below it.
fn crumbs(webhook: &Webhook) -> Markup {
    html! { p.crumb { a href="/webhooks" { "Webhooks" } " / " (link_to(webhook)) } }
}
