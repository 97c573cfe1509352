//! What the reader can do with a request: what is in the way as boxes, and a button for each answer.

use super::words;
use crate::actions::overview::Asked;
use crate::domain::conflict::Conflict;
use crate::domain::request::{RequestKind, RequestState};
use crate::domain::rotation::Rotation;
use crate::web::form::Errors;
use crate::web::pages::{conflicts, tag, times};
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::parts::icon::icon;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// The card of answers.
pub fn card(
    visit: &Visit,
    rotation: &Rotation,
    asked: &Asked,
    (errors, in_the_way): (&Errors, &[Conflict]),
    people: &People,
) -> Markup {
    let (request, capability) = (&asked.view.request, &asked.view.capability);
    let begun = request.legs.iter().filter(|leg| leg.has_started(visit.now));
    let started: Vec<&str> = begun.filter_map(|leg| leg.key.as_deref()).collect();
    let form = |step: &str, inner: Markup| {
        html! {
            form.stack method="post" action=(format!("/requests/{}/{step}", request.id)) {
                (confirm::carried(&tag(visit, rotation), rotation))
                (hidden("expectedRevision", &request.revision.to_string()))
                (inner)
            }
        }
    };
    let accept = match request.kind {
        RequestKind::Cover => "Accept, and take it over",
        RequestKind::Swap => "Accept the swap",
    };
    html! {
        section.card aria-labelledby="answer" {
            header { h2 #answer { @if capability.can_accept { "Your answer" } @else { "What you can do" } } }
            div.pad.pt0.stack {
                @if capability.can_accept {
                    (form("accept", html! {
                        (conflicts(visit, in_the_way, people, &visit.form))
                        @for key in &started {
                            label.note.warn {
                                input type="checkbox" name="acknowledgedStartedLegKeys" value=(key);
                                span { "A turn has begun: the rest of it changes hands." }
                            }
                        }
                        div.row { button.btn.go type="submit" data-action="accept" { (icon("check")) (accept) } }
                    }))
                }
                @if capability.can_decline && !capability.can_accept {
                    p.note.warn { "You cannot take it over: you are on call in this rotation in these hours, or the plan has changed." }
                }
                @if capability.can_decline {
                    (form("decline", html! { div.row { button.btn type="submit" data-action="decline" { "Decline" } } }))
                }
                @if capability.can_cancel {
                    (form("cancel", html! { div.row { button.btn.bad type="submit" data-action="cancel" { "Cancel the request" } } }))
                }
                @if capability.can_end {
                    (form("end", html! { div.row { button.btn.bad type="submit" data-action="end" { "End the cover" } } }))
                }
                @if let Some(reason) = &capability.reason { p.muted { "Nothing to do here: " (reason) "." } }
                @if request.state == RequestState::Pending && errors.is_empty() {
                    p.small.muted { (words::until(request, &times(visit))) }
                }
            }
        }
    }
}
