//! The fields that make a form safe to send: the validator of what its reader saw, an id under which it is done once, and what they saw of
//! the rotation, so that the page that says "changed since you looked" can say what.

use super::fields::hidden;
use super::people::People;
use crate::domain::forecast;
use crate::domain::ids::UserId;
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::web::form::Form;
use jiff::Timestamp;
use maud::{Markup, html};

/// A new id for one write.
pub fn operation_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// The hidden fields of a form that writes to a rotation.
pub fn carried(tag: &str, rotation: &Rotation) -> Markup {
    html! {
        (hidden("ifMatch", tag))
        (hidden("operationId", &operation_id()))
        (hidden("seen", &seen(rotation)))
    }
}

/// The fields as sent, to be sent again with the state that the reader has seen since.
pub fn sent_again(form: &Form, tag: &str, rotation: &Rotation) -> Markup {
    html! {
        @for (name, value) in form.fields().filter(|(name, _)| !matches!(*name, "ifMatch" | "seen")) {
            (hidden(name, value))
        }
        (hidden("ifMatch", tag))
        (hidden("seen", &seen(rotation)))
    }
}

/// The cells that are noted at the most.
const MOST_CELLS: usize = 60;

/// The state of duty that a reader sees: the version with the millisecond of its change, and each running cell with its holder.
fn seen(rotation: &Rotation) -> String {
    let stamps = &rotation.stamps;
    let mut text = format!("{}@{}", stamps.version, stamps.updated_at.as_millisecond());
    for cell in rotation.running().take(MOST_CELLS) {
        let user = resolve::holder(rotation, cell).map_or("", |hold| hold.user().as_str());
        text.push_str(&format!(" {}={user}", cell.id));
    }
    text
}

/// The version that was seen, and when it came about; `None` where that was not sent.
pub fn version_seen(seen: &str) -> Option<(u64, Timestamp)> {
    let (version, at) = seen.split(' ').next()?.split_once('@')?;
    let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
    Some((version.parse().ok()?, at))
}

/// The differences between the state that was seen and the rotation as it is, a line each. Never empty.
pub fn differences(seen: &str, rotation: &Rotation, people: &People) -> Vec<Markup> {
    let version = version_seen(seen).map_or(0, |(version, _)| version);
    let before = seen.split(' ').skip(1);
    let before: Vec<(&str, &str)> = before.filter_map(|part| part.split_once('=')).collect();
    let mut lines = Vec::new();
    for (id, user) in &before {
        let cell = rotation.running().find(|cell| cell.id.as_str() == *id);
        let holder = cell.and_then(|cell| resolve::holder(rotation, cell));
        let now = holder.map(|hold| hold.user().clone());
        let was = Some(UserId::from(*user)).filter(|_| !user.is_empty());
        if cell.is_some() && now != was {
            let named = |user: &Option<UserId>| match user {
                Some(user) => people.show(user),
                None => html! { "nobody" },
            };
            let slot = cell.map_or_else(Vec::new, |cell| forecast::slot_name(rotation, cell));
            lines.push(html! {
                "On call " @if !slot.is_empty() { "in " bdi { (slot.join(" · ")) } " " }
                "was " (named(&was)) ", and now is " (named(&now)) "."
            });
        } else if cell.is_none() {
            lines.push(html! { "Hours that were there are gone." });
        }
    }
    if lines.is_empty() {
        let changes = rotation.stamps.version.saturating_sub(version);
        lines.push(html! {
            @match (version, changes) {
                (0, _) | (_, 0) => "The rotation has changed.",
                (_, 1) => "One change was made: who is on call is the same, its settings, people, covers or swaps differ.",
                _ => { (changes) " changes were made: who is on call is the same, its settings, people, covers or swaps differ." }
            }
        });
    }
    lines
}

/// Everybody whom [`differences`] names.
pub fn named(seen: &str, rotation: &Rotation) -> Vec<UserId> {
    let before = seen.split(' ').filter_map(|part| part.split_once('='));
    let before = before.map(|(_, user)| UserId::from(user));
    let now = rotation
        .running()
        .filter_map(|cell| resolve::holder(rotation, cell));
    before.chain(now.map(|hold| hold.user().clone())).collect()
}
