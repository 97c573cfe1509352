//! One delivery: its body, and every attempt with what was sent and answered.

use super::{crumbs, delivery_state, named, path_to, write};
use crate::actions::deliveries;
use crate::domain::ids::DeliveryId;
use crate::domain::webhook::{Attempt, DeliveryState, MAX_ATTEMPTS, Outcome as Sent, SendError};
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::notes::Note;
use crate::web::pages::times;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, hidden};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

/// Attempts that are shown at the most: the newest.
const SHOWN: usize = 50;

fn id(visit: &Visit) -> DeliveryId {
    DeliveryId::from(visit.part(1))
}

/// GET /webhooks/{webhook}/deliveries/{delivery}.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &Errors::default())
}

fn page(visit: &Visit, status: u16, errors: &Errors) -> Result<Response, Problem> {
    let webhook = named(visit)?;
    let log = deliveries::attempts(visit.app(), &webhook.id, &id(visit))?;
    let (delivery, times) = (&log.delivery, times(visit));
    let path = format!("{}/deliveries/{}", path_to(&webhook), delivery.id);
    let step = |step: &str, label: &str| {
        html! {
            form.bare method="post" action=(format!("{path}/{step}")) {
                (hidden("operationId", &confirm::operation_id()))
                button.btn type="submit" { (label) }
            }
        }
    };
    let content = html! {
        (fields::summary(errors))
        (crumbs(&webhook))
        div.head {
            div { h1 { "Delivery of " (delivery.event_type.name()) } p.sub { code { (delivery.id) } } }
            div.actions {
                @if delivery.state == DeliveryState::Pending { (step("cancel", "Cancel")) }
                @else if delivery.attempts < MAX_ATTEMPTS && webhook.disabled.is_none() { (step("resend", "Send again")) }
            }
        }
        section.card.pad aria-labelledby="state" {
            h2 #state { "State" }
            dl.kv {
                dt { "State" } dd { (delivery_state(delivery.state)) }
                dt { "Created" } dd { (times.show(delivery.created_at)) }
                dt { "Rotation" } dd { code { (delivery.rotation) } }
                dt { "Attempts" } dd { (delivery.attempts) }
                @if let Some(due) = delivery.due_at {
                    dt { "Next attempt" }
                    dd {
                        (times.show(due)) " " span.muted { (times.away(due)) }
                        @if webhook.disabled.is_some() { " " span.tag.warn { "Held: the endpoint is disabled" } }
                    }
                }
            }
        }
        section.card.pad aria-labelledby="body" {
            h2 #body { "Body" }
            p.hint { "The same bytes in every attempt." }
            pre.code tabindex="0" { (log.body) }
        }
        @if log.attempts.is_empty() {
            section.card.pad aria-label="Attempts" { p.muted { "No attempt has finished yet. Load the page again in a moment." } }
        }
        @for attempt in log.attempts.iter().rev().take(SHOWN) { (one(visit, attempt)) }
        @if log.attempts.len() > SHOWN { p.muted { "And " (log.attempts.len() - SHOWN) " older attempts, which the API lists." } }
    };
    let title = format!("Delivery of {}", delivery.event_type.name());
    Ok(layout::page_with(visit, status, &title, content))
}

fn one(visit: &Visit, attempt: &Attempt) -> Markup {
    let (result, times) = (&attempt.result, times(visit));
    let heading = format!("attempt-{}", attempt.number);
    html! {
        section.card.pad aria-labelledby=(heading) data-attempt=(attempt.number) {
            h2 id=(heading) { "Attempt " (attempt.number) }
            dl.kv {
                dt { "Outcome" }
                dd {
                    @match result.outcome {
                        Sent::Delivered => span.tag.good { "Delivered" },
                        Sent::Failed => span.tag.bad { "Failed" },
                        Sent::NoResponse => span.tag.bad { "No response" },
                    }
                    @if let Some(status) = result.status { " status " (status) }
                    @if let Some(error) = result.error { " " (why(error)) }
                }
                dt { "At" } dd { (times.show(attempt.at)) }
                dt { "Round" } dd { (attempt.round) " of " (attempt.total_rounds) }
                @if let Some(duration) = result.duration { dt { "Took" } dd { (duration.as_millis()) " ms" } }
                @if let Some(seconds) = result.retry_after_seconds { dt { "Asked to wait" } dd { (seconds) " s" } }
            }
            h3 { "Request headers" }
            @if attempt.request_headers.is_empty() { p.muted { "No request was made." } } @else {
                dl.kv { @for (name, value) in &attempt.request_headers { dt { code { (name) } } dd { code { (value) } } } }
            }
            h3 { "Answer" }
            @match &result.snippet {
                Some(snippet) if !snippet.text.is_empty() => {
                    pre.code tabindex="0" { (snippet.text) }
                    @if snippet.truncated { p.hint { "Longer than what is kept of it." } }
                },
                Some(_) => p.muted { "An empty body." },
                None => p.muted { "None." },
            }
        }
    }
}

/// Why there was no good response, in words.
fn why(error: SendError) -> &'static str {
    match error {
        SendError::Timeout => "the endpoint took too long",
        SendError::Connection => "the connection failed",
        SendError::SecureConnection => "the TLS connection failed",
        SendError::NameResolution => "the host name does not resolve",
        SendError::RedirectNotFollowed => "it redirects, which is not followed",
        SendError::PrivateAddress => "its address is not public",
        SendError::InvalidResponse => "the response is not HTTP",
        SendError::InvalidUrl => "the URL is not valid",
        SendError::Interrupted => "the server stopped meanwhile",
        SendError::Internal => "an internal error, see the log of the server",
    }
}

/// POST /webhooks/{webhook}/deliveries/{delivery}/{step}.
pub fn step(visit: &Visit) -> Outcome {
    let webhook = named(visit)?;
    let path = format!("{}/deliveries/{}", path_to(&webhook), id(visit));
    let (app, step) = (visit.app(), visit.part(2));
    if !["cancel", "resend"].contains(&step) {
        return Err(answer::nothing_here());
    }
    let back = |text: &str| {
        visit.note(Note::new(text));
        Ok(answer::see(path))
    };
    let again = |status, errors: Errors| page(visit, status, &errors);
    visit.once(|| match step {
        "cancel" => {
            let author = visit.author("cancelDelivery");
            let outcome = deliveries::cancel(app, &author, &webhook.id, &id(visit));
            let told = |cancelled| match cancelled {
                true => back("The delivery was cancelled."),
                false => back("The delivery had finished already."),
            };
            write(visit, outcome, told, again)
        }
        _ => {
            let author = visit.author("resendDelivery");
            let outcome = deliveries::resend(app, &author, &webhook.id, &id(visit));
            write(visit, outcome, |_| back("It is sent again."), again)
        }
    })
}
