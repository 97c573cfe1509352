//! The list of endpoints.

use super::{check, events, link_to, state};
use crate::actions::deliveries::{self, Health};
use crate::actions::webhooks;
use crate::domain::webhook::{MAX_WEBHOOKS, Webhook};
use crate::server::{Outcome, Problem};
use crate::web::layout;
use crate::web::pages::times;
use crate::web::visit::Visit;
use maud::html;

/// GET /webhooks.
pub fn show(visit: &Visit) -> Outcome {
    check(visit)?;
    let all = webhooks::list(visit.app())?;
    let with_health = |webhook: Webhook| -> Result<(Webhook, Health), Problem> {
        let health = deliveries::health(visit.app(), &webhook.id)?;
        Ok((webhook, health))
    };
    let all: Vec<_> = all.into_iter().map(with_health).collect::<Result<_, _>>()?;
    let times = times(visit);
    let content = html! {
        div.head {
            div {
                h1 { "Webhooks" }
                p.sub { "Events of every rotation are posted to these endpoints." }
            }
            p.actions {
                @if all.len() < MAX_WEBHOOKS { a.btn.go href="/webhooks/new" { "New endpoint" } }
            }
        }
        section.card.flush aria-label="Endpoints" {
            @if all.is_empty() {
                div.pad { p.muted { "There are no endpoints yet. “New endpoint” registers a URL of yours; " a href="/docs/webhooks#receiveEvent" { "what it is sent" } "." } }
            } @else {
                table.rows {
                    caption.sr { "Endpoints, the oldest first" }
                    thead { tr {
                        th scope="col" { "Endpoint" } th scope="col" { "Events" } th scope="col" { "State" }
                        th scope="col" { "Waiting" } th scope="col" { "Failing since" }
                    } }
                    tbody {
                        @for (webhook, health) in &all {
                            tr data-webhook=(webhook.id) {
                                th scope="row" { (link_to(webhook)) br; code { (webhook.url) } }
                                td data-label="Events" { (events(webhook)) }
                                td data-label="State" { (state(webhook)) }
                                td data-label="Waiting" { (health.waiting) }
                                td data-label="Failing since" {
                                    @match health.failing_since { Some(since) => (times.show(since)), None => span.muted { "Not failing" } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if all.len() >= MAX_WEBHOOKS { p.muted { "A workspace has at most " (MAX_WEBHOOKS) " endpoints." } }
    };
    Ok(layout::page(visit, "Webhooks", content))
}
