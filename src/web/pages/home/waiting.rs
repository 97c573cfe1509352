//! What waits for an answer of the reader.

use super::times;
use crate::actions::overview::{self, Asked};
use crate::actions::{ActionError, acceptance};
use crate::domain::request::RequestKind;
use crate::server::Problem;
use crate::web::pages::{slot_text, tag};
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::parts::icon::icon;
use crate::web::parts::people::{People, Size};
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Requests that are shown; of more there is the count.
const MOST: usize = 3;

/// The card: each request in a line, answered here where nothing is in the way.
pub fn card(visit: &Visit, waiting: &[Asked], people: &People) -> Result<Markup, Problem> {
    let left = waiting.len().saturating_sub(MOST);
    let mut lines = Vec::new();
    for asked in waiting.iter().take(MOST) {
        lines.push(line(visit, asked, people)?);
    }
    Ok(html! {
        section.card aria-labelledby="waiting" {
            header { h2 #waiting { "Waiting for you" } span.count aria-hidden="true" { (waiting.len()) } }
            ul.list { @for line in &lines { (line) } }
            @if left > 0 { p.pad { a href="/requests" { "And " (left) " more" } } }
        }
    })
}

fn line(visit: &Visit, asked: &Asked, people: &People) -> Result<Markup, Problem> {
    let times = times(visit);
    let request = &asked.view.request;
    let (span, path) = (request.span(), format!("/requests/{}", request.id));
    let slot = asked
        .slots
        .first()
        .map(|slot| slot_text(slot))
        .unwrap_or_default();
    Ok(html! {
        li {
            div.ml {
                (people.avatar(&request.requester, Size::Large))
                div.what {
                    a href=(path) {
                        bdi { (people.name(&request.requester)) }
                        @match request.kind {
                            RequestKind::Cover => { " asks you to cover " (times.day_text(times.date(span.from))) },
                            RequestKind::Swap => " offers you a swap",
                        }
                    }
                    small.muted {
                        bdi { (asked.view.rotation_name) } @if !slot.is_empty() { ", " bdi { (slot) } }
                        " · " (times.stretch(span.from, span.until))
                    }
                    span.row.pt {
                        @if is_clear(visit, asked)? { (answers(visit, asked, &path)?) }
                        @else { a.btn.s href=(path) { "See what changes" } }
                    }
                }
            }
        }
    })
}

/// Whether accepting needs no second look.
fn is_clear(visit: &Visit, asked: &Asked) -> Result<bool, Problem> {
    let request = &asked.view.request;
    if !asked.view.capability.can_accept {
        return Ok(false);
    }
    match acceptance::preview(visit.app(), &visit.caller, &request.rotation, &request.id) {
        Ok(found) => Ok(found.conflicts.is_empty() && found.started_legs.is_empty()),
        Err(ActionError::Refused(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn answers(visit: &Visit, asked: &Asked, path: &str) -> Result<Markup, Problem> {
    let request = &asked.view.request;
    let (rotation, _) = overview::request(visit.app(), &visit.caller, &request.id)?;
    let form = |step: &str, inner: Markup| {
        html! {
            form.bare method="post" action=(format!("{path}/{step}")) {
                (confirm::carried(&tag(visit, &rotation), &rotation))
                (hidden("expectedRevision", &request.revision.to_string()))
                (inner)
            }
        }
    };
    Ok(html! {
        (form("accept", html! { button.btn.s.go type="submit" data-action="accept" { (icon("check")) "Accept" } }))
        @if asked.view.capability.can_decline {
            (form("decline", html! { button.btn.s type="submit" data-action="decline" { "Decline" } }))
        }
    })
}
