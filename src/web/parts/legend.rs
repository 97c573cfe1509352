//! The legend of a timeline: the people and the patterns that are on it.

use super::item::{Item, Kind};
use super::people::{People, Size, colour};
use crate::domain::ids::UserId;
use maud::{Markup, html};

/// People that a legend names at the most: more would be longer than the drawing.
const MOST: usize = 24;

/// Who and what is among these items.
pub fn legend<'i>(items: impl Iterator<Item = &'i Item> + Clone, people: &People) -> Markup {
    let mut users: Vec<&UserId> = Vec::new();
    for user in items.clone().filter_map(|item| item.user.as_ref()) {
        if !users.contains(&user) && users.len() < MOST {
            users.push(user);
        }
    }
    users.sort_by_key(|user| (!people.is_me(user), people.name(user)));
    let example = |kind: Kind| items.clone().find(|item| item.kind == kind);
    let swatch = |kind: Kind, class: &str| {
        let user = example(kind)?.user.as_ref();
        Some(format!("sw {class} {}", user.map_or(String::new(), colour)))
    };
    let patterns = [
        (swatch(Kind::Cover, "kc"), "cover"),
        (swatch(Kind::Swap, "ks"), "swap"),
        (swatch(Kind::Put, "ks"), "put on call"),
        (swatch(Kind::Gap, "gp"), "nobody"),
        (swatch(Kind::Off, "off1"), "not covered, as planned"),
    ];
    html! {
        ul.key aria-label="What the drawing shows" {
            @for user in users {
                li { span.per { (people.avatar(user, Size::Tiny)) bdi { (people.name(user)) } } }
            }
            @for (class, words) in patterns {
                @if let Some(class) = class { li { span class=(class) {} (words) } }
            }
        }
    }
}
