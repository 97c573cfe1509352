//! Who is on call now, a card a rotation, and who follows.

use super::{CARDS, times};
use crate::actions::overview::Overview;
use crate::domain::rotation::Mode;
use crate::web::pages::path_to;
use crate::web::pages::week::Weekly;
use crate::web::parts::external;
use crate::web::parts::item::{Item, Kind};
use crate::web::parts::people::{People, Size};
use crate::web::visit::Visit;
use maud::{Markup, html};

/// People of one rotation that a card shows at the most.
const MOST: usize = 4;

/// The cards.
pub fn cards(visit: &Visit, all: &[Overview], weekly: &[Weekly], people: &People) -> Markup {
    html! {
        section aria-labelledby="now" {
            h2.sr #now { "On call now" }
            div.nowcards {
                @for (one, week) in all.iter().zip(weekly).take(CARDS) { (card(visit, one, week, people)) }
            }
        }
    }
}

fn card(visit: &Visit, one: &Overview, week: &Weekly, people: &People) -> Markup {
    let (rotation, now) = (&one.rotation, visit.now);
    let items = || week.rows.iter().flat_map(|row| &row.items);
    let on_call: Vec<&Item> = items()
        .filter(|item| item.is_now(now) && !matches!(item.kind, Kind::Off | Kind::Gap))
        .collect();
    let is_gap = items().any(|item| item.is_now(now) && item.kind == Kind::Gap);
    let several = week.rows.len() > 1;
    html! {
        article.card.nowcard data-rotation=(rotation.id) {
            h3 {
                a href=(path_to(rotation)) { bdi { (rotation.profile.name) } }
                @if !rotation.enabled { span.tag.warn { "Disabled" } }
                @if rotation.mode() == Mode::External { span.tag { "External" } }
            }
            @for item in on_call.iter().take(MOST) { (line(visit, item, several, people)) }
            @if on_call.len() > MOST { small.muted { "and " (on_call.len() - MOST) " more" } }
            @if on_call.is_empty() {
                @match (external::outsider(rotation), is_gap) {
                    (Some(outsider), _) => div.on { (outsider) },
                    (None, true) => div.on { span.av.no aria-hidden="true" { "?" } b.per.nobody { "Nobody" } span {} small { "hours without anybody" } },
                    (None, false) => div.on { span.av aria-hidden="true" { "·" } b { "Nobody" } span {} small { "not covered, as planned" } },
                }
            }
            (then(visit, one, people))
        }
    }
}

fn line(visit: &Visit, item: &Item, several: bool, people: &People) -> Markup {
    let times = times(visit);
    let is_me = item.user.as_ref().is_some_and(|user| people.is_me(user));
    html! {
        div.on {
            @match &item.user { Some(user) => (people.avatar(user, Size::Usual)), None => span.av aria-hidden="true" { "?" } }
            b { bdi { (item.who) } @if is_me { " " span.tag.me { "you" } } }
            @if several { span.tag { bdi { (item.place) } } } @else { span {} }
            small {
                @if let Some(word) = &item.word { (word) ", " }
                @match item.until { Some(until) => { "until " (times.near(until)) }, None => "until somebody hands over" }
            }
        }
    }
}

fn then(visit: &Visit, one: &Overview, people: &People) -> Markup {
    let times = times(visit);
    html! {
        @if let Some(next) = &one.next {
            p.then {
                "Then "
                @for user in next.users.iter().take(MOST) { span.per { (people.avatar(user, Size::Tiny)) bdi { (people.name(user)) } } " " }
                span { @match next.at { Some(at) => { "from " (times.near(at)) }, None => "when somebody hands over" } }
            }
        }
    }
}
