//! The reader's own turn: until when they are on call, or off.

use super::times;
use crate::domain::forecast::Shift;
use crate::web::pages::{path_of, slot_text};
use crate::web::parts::icon::icon;
use crate::web::parts::near;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Turns beside the first one that are named.
const ALSO: usize = 3;

/// The sentence, how much of the turn is over, the next one, and what one does then.
pub fn hero(visit: &Visit, own: &[Shift]) -> Markup {
    let times = times(visit);
    let (now, later): (Vec<&Shift>, Vec<&Shift>) = own
        .iter()
        .partition(|own| own.duty.entry.start <= visit.now);
    // Of several at once, that which ends first.
    let current = now
        .iter()
        .min_by_key(|own| own.duty.end.unwrap_or(jiff::Timestamp::MAX));
    let other = now
        .iter()
        .filter(|one| current.is_some_and(|current| !std::ptr::eq(**one, *current)));
    html! {
        section.hero aria-labelledby="mine" {
            div.stack.g2 {
                @if current.is_some() { p.live { "On call now" } }
                h2.big #mine { (sentence(visit, current, later.first().copied())) }
                @if let Some(end) = current.and_then(|current| current.duty.end) {
                    p { (near::length(end.duration_since(visit.now))) " to go." }
                }
                @for one in other.clone().take(ALSO) { p { "Also for " (line(one)) @if let Some(end) = one.duty.end { ", until " (times.near(end)) } } }
                @if let Some(more @ 1..) = other.count().checked_sub(ALSO) { p { "And for " (more) " more." } }
            }
            @if let Some(current) = current { (progress(visit, current)) }
            @if let Some(next) = later.first() {
                p.small { "Then: " (line(next)) ", " (times.text(next.duty.entry.start)) @if let Some(end) = next.duty.end { " to " (times.text(end)) } }
            }
            div.row {
                @if let Some(current) = current {
                    a.btn.go href=(format!("{}/shifts/{}/{}?do=cover", path(current), current.duty.cell, current.duty.entry.start)) data-action="cover" {
                        (icon("cover")) "Ask for cover"
                    }
                }
                a.btn href="/me" { "My next turns" }
                a.btn href="/me/absences/new" data-action="absence" { (icon("away")) "I am away" }
            }
        }
    }
}

fn path(own: &Shift) -> String {
    path_of(&own.rotation.id, own.rotation.code.as_deref())
}

fn sentence(visit: &Visit, current: Option<&&Shift>, next: Option<&Shift>) -> String {
    let times = times(visit);
    match (current, next) {
        (Some(own), _) => match own.duty.end {
            Some(end) => format!(
                "You are on call for {} until {}",
                own.rotation.name,
                times.near(end)
            ),
            None => format!(
                "You are on call for {} until somebody hands over",
                own.rotation.name
            ),
        },
        (None, Some(next)) => format!("You are off until {}", times.near(next.duty.entry.start)),
        (None, None) => "You are off: no turn of yours is planned in the next 60 days".to_owned(),
    }
}

fn line(own: &Shift) -> Markup {
    let slot = slot_text(&own.slot);
    html! {
        a href=(path(own)) { bdi { (own.rotation.name) } }
        @if !slot.is_empty() { ", " bdi { (slot) } }
    }
}

fn progress(visit: &Visit, own: &Shift) -> Markup {
    let Some(end) = own.duty.end else {
        return html! {};
    };
    let begin = own.duty.entry.start;
    let whole = end.duration_since(begin).as_secs().max(1);
    let share = visit.now.duration_since(begin).as_secs() * 1000 / whole;
    html! { progress max="1000" value=(share.clamp(0, 1000)) aria-label="Share of your turn that is over" {} }
}
