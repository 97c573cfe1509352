//! The parts of pages about a rotation that follows a partner's schedule.

use super::time::Times;
use crate::domain::external::{AsOf, State};
use crate::domain::rotation::Rotation;
use maud::{Markup, html};

/// Which schedule it follows, and how far that can be relied on; nothing for other rotations.
pub fn told(rotation: &Rotation, as_of: &AsOf, times: &Times) -> Markup {
    let Some(external) = &rotation.external else {
        return html! {};
    };
    let state = external.state(as_of);
    let until = external.schedule.timeline.as_ref();
    let until = until.map(|timeline| timeline.known.until);
    let Some(link) = &external.link else {
        return html! {
            div.note.said { p { "External, but it follows no schedule yet, so nobody is on call." } }
        };
    };
    let is_current = state == State::Current;
    html! {
        div.note.said[is_current].warn[!is_current] {
            p {
                "The schedule " strong { bdi { (external.schedule.name) } } " of " (link.partner.title())
                " says who is on call. Change duty there. "
                @match state {
                    State::Current => { "It is read regularly." }
                    State::Stale => {
                        "It could not be read lately"
                        @if let Some(failure) = external.schedule.failure { " (" (failure) ")" }
                        @if let Some(until) = until { "; what was read holds until " (times.show(until)) }
                        "."
                    }
                    State::Unknown => { "What it says now is unknown; whoever was known last stays on call." }
                    State::NotConnected => { "This server has no settings for the partner any more." }
                }
            }
        }
    }
}

/// Whoever is on call and unknown here; `None` where nobody is.
pub fn outsider(rotation: &Rotation) -> Option<Markup> {
    let outsider = rotation.external.as_ref()?.outsider()?;
    Some(html! { bdi { (outsider.called()) } " " span.tag { "not in chat" } })
}
