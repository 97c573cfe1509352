//! A request in words: one sentence with the reader as "you", what is given and taken, and what changes for whom.

use super::{slot_text, times};
use crate::actions::overview::Asked;
use crate::domain::ids::UserId;
use crate::domain::request::{Leg, Request, RequestKind, RequestState};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::web::parts::days::monday;
use crate::web::parts::icon::icon;
use crate::web::parts::near;
use crate::web::parts::people::{People, Size};
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use jiff::civil::Weekday;
use jiff::{SignedDuration, ToSpan};
use maud::{Markup, html};

/// People that a sentence names; of more there is the count.
const NAMED: usize = 3;

/// "Linus asks you to cover Sun 29 Nov, 09:00 to 18:00", "You offer Katherine a swap".
pub fn plain(request: &Request, people: &People, times: &Times) -> String {
    let by_me = people.is_me(&request.requester);
    let who = if by_me {
        "You"
    } else {
        people.name(&request.requester)
    };
    let is_open = request.state == RequestState::Pending;
    let asked = named(&request.recipients, people);
    let span = request.span();
    let when = times.stretch(span.from, span.until);
    match (request.kind, is_open) {
        (RequestKind::Cover, true) => {
            format!(
                "{who} {} {asked} to cover {when}",
                if by_me { "ask" } else { "asks" }
            )
        }
        (RequestKind::Cover, false) => format!("{who} asked {asked} to cover {when}"),
        (RequestKind::Swap, true) => {
            format!(
                "{who} {} {asked} a swap",
                if by_me { "offer" } else { "offers" }
            )
        }
        (RequestKind::Swap, false) => format!("{who} offered {asked} a swap"),
    }
}

/// The same, on a page.
pub fn sentence(request: &Request, people: &People, times: &Times) -> Markup {
    html! { bdi { (plain(request, people, times)) } }
}

/// "you, Barbara and Grace": the reader first.
fn named(users: &[UserId], people: &People) -> String {
    let mut sorted: Vec<&UserId> = users.iter().collect();
    sorted.sort_by_key(|user| !people.is_me(user));
    let left = sorted.len().saturating_sub(NAMED);
    let mut names: Vec<String> = (sorted.iter().take(NAMED))
        .map(|user| {
            if people.is_me(user) {
                "you".to_owned()
            } else {
                people.name(user).to_owned()
            }
        })
        .collect();
    if left > 0 {
        names.push(format!("{left} more"));
    }
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// Who takes a part of a request over: whoever accepted it, or the only one who can.
pub fn taker<'a>(request: &'a Request, leg: &'a Leg, people: &People) -> Option<&'a UserId> {
    let recipients = &request.recipients;
    let me = recipients.iter().find(|user| people.is_me(user));
    let only = recipients.first().filter(|_| recipients.len() == 1);
    leg.assignee
        .as_ref()
        .or(request.accepted_by.as_ref())
        .or(me)
        .or(only)
}

/// What is given and what is taken, beside each other.
pub fn sides(visit: &Visit, rotation: &Rotation, asked: &Asked, people: &People) -> Markup {
    let request = &asked.view.request;
    let mut legs: Vec<usize> = (0..request.legs.len()).collect();
    // What the reader gives stands first.
    legs.sort_by_key(|index| !people.is_me(&request.legs[*index].holder));
    html! {
        div.trade.one[legs.len() == 1] {
            @for (place, index) in legs.iter().enumerate() {
                @if place > 0 { div.arrow { (icon("swap")) } }
                (side(visit, rotation, asked, *index, people))
            }
        }
    }
}

fn side(
    visit: &Visit,
    rotation: &Rotation,
    asked: &Asked,
    index: usize,
    people: &People,
) -> Markup {
    let (request, times) = (&asked.view.request, times(visit));
    let leg = &request.legs[index];
    let taker = taker(request, leg, people);
    let takes = taker.is_some_and(|user| people.is_me(user));
    let name = |user: &UserId| {
        if people.is_me(user) {
            "You".to_owned()
        } else {
            people.name(user).to_owned()
        }
    };
    let gives = people.is_me(&leg.holder);
    let cell = rotation
        .slot_of(&leg.cell)
        .map(|index| &rotation.cells[index]);
    let zone = cell.and_then(|cell| rotation.windows[cell.window].zone);
    let slot = asked
        .slots
        .get(index)
        .map(|slot| slot_text(slot))
        .unwrap_or_default();
    let covered = asked
        .view
        .covered
        .get(index)
        .map(Vec::as_slice)
        .unwrap_or_default();
    html! {
        section.side {
            h2 {
                @if gives { "You give" } @else if takes { "You take" } @else { bdi { (people.name(&leg.holder)) } " gives" }
            }
            div.ml.mid {
                (people.avatar(&leg.holder, Size::Large))
                div.what {
                    b { (times.period_with(leg.period.from, Some(leg.period.until), zone)) }
                    small.muted {
                        (carried(covered, &times))
                        @if !slot.is_empty() { " · " bdi { (slot) } }
                        @if leg.has_started(visit.now) { " · begun" }
                    }
                }
            }
            p.small.muted {
                @match taker {
                    Some(user) if request.state == RequestState::Accepted => { bdi { (name(user)) } " took it." },
                    Some(user) if people.is_me(user) => { bdi { (people.name(&leg.holder)) } " has it now." },
                    Some(user) => { bdi { (name(user)) } " takes it." },
                    None => { "The first of " (request.recipients.len()) " who accepts takes it." },
                }
            }
            @if cell.is_some() { (times.covered(covered, leg.period)) }
        }
    }
}

/// "168 hours, 7 nights, 1 weekend", of covered hours.
fn carried(covered: &[Interval], times: &Times) -> String {
    let total: SignedDuration = covered.iter().map(Interval::length).sum();
    let (mut nights, mut weekends) = (0, Vec::new());
    for span in covered {
        let (mut date, last) = (times.date(span.from), times.date(span.until));
        while date <= last {
            let at = |hour: i64| {
                let midnight = times.midnight(date)?;
                midnight.checked_add(SignedDuration::from_hours(hour)).ok()
            };
            nights += usize::from(at(3).is_some_and(|at| span.contains(at)));
            if matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
                && at(12).is_some_and(|at| span.contains(at))
            {
                let week = monday(date);
                if !weekends.contains(&week) {
                    weekends.push(week);
                }
            }
            date = date.saturating_add(1.day());
        }
    }
    let count = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        count => Some(format!("{count} {word}s")),
    };
    let hours = (!total.is_zero()).then(|| hours(total));
    let parts = [
        hours,
        count(nights, "night"),
        count(weekends.len(), "weekend"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => "No covered hours".to_owned(),
        false => parts.join(", "),
    }
}

/// "168 hours", or hours and minutes.
fn hours(of: SignedDuration) -> String {
    match (of.as_hours(), of.as_secs() % 3600) {
        (1, 0) => "1 hour".to_owned(),
        (hours, 0) => format!("{hours} hours"),
        _ => near::length(of),
    }
}

/// What changes for each person: hours more or less.
pub fn for_whom(asked: &Asked, people: &People) -> Markup {
    let request = &asked.view.request;
    let mut changes: Vec<(&UserId, SignedDuration)> = Vec::new();
    let mut add =
        |user, length: SignedDuration| match changes.iter_mut().find(|(known, _)| *known == user) {
            Some((_, sum)) => *sum += length,
            None => changes.push((user, length)),
        };
    for (leg, covered) in request.legs.iter().zip(&asked.view.covered) {
        let length: SignedDuration = covered.iter().map(Interval::length).sum();
        add(&leg.holder, -length);
        if let Some(user) = taker(request, leg, people) {
            add(user, length);
        }
    }
    changes.sort_by_key(|(user, _)| !people.is_me(user));
    let declined: Vec<&UserId> = request.declined.iter().collect();
    html! {
        section.card aria-labelledby="whom" {
            header { h2 #whom { "For whom" } }
            ul.list.tight {
                @for (user, change) in changes {
                    li {
                        div.ml.mid {
                            (people.avatar(user, Size::Usual))
                            div.what { b { bdi { @if people.is_me(user) { "You" } @else { (people.name(user)) } } } small.muted { (told(change)) } }
                        }
                    }
                }
                @for user in declined {
                    li {
                        div.ml.mid {
                            (people.avatar(user, Size::Usual))
                            div.what { b { bdi { @if people.is_me(user) { "You" } @else { (people.name(user)) } } } small.muted { "declined" } }
                        }
                    }
                }
            }
        }
    }
}

fn told(change: SignedDuration) -> String {
    let length = hours(change.abs());
    match (change.is_zero(), change.is_positive()) {
        (true, _) => "As many hours as before.".to_owned(),
        (_, true) => format!("{length} more on call."),
        (_, false) => format!("{length} less on call."),
    }
}

/// What comes of it when nobody answers.
pub fn until(request: &Request, times: &Times) -> String {
    let from = request.span().from.max(times.now);
    match request.kind {
        RequestKind::Cover => format!(
            "Until somebody accepts, nothing changes. Open until {}.",
            times.text(from)
        ),
        RequestKind::Swap => format!("Both are told at once. Open until {}.", times.text(from)),
    }
}
