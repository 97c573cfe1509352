//! Calendar feeds: what calendar programs read, and the part of the reader's own page that makes and withdraws them.

use super::{path_of, times};
use crate::actions::{ActionError, calendar_feeds, reads};
use crate::domain::calendar_feed::{CalendarFeed, NewFeed, Shows};
use crate::domain::ids::{CalendarFeedId, RotationId};
use crate::domain::rotation::Rotation;
use crate::server::{Body, Outcome, Problem, Request, Response, room};
use crate::store::Page;
use crate::web::gate::LONGEST_SECRET;
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::visit::Visit;
use crate::web::{ROOM, Web, answer};
use crate::wire::{calendar_feed as wire, etag};
use maud::{Markup, html};
use std::borrow::Cow;
use std::collections::HashMap;

/// GET /calendar/{secret}.ics.
pub fn read(web: &Web, request: &Request, parts: &[Cow<str>]) -> Outcome {
    let file = parts.first().map_or("", AsRef::as_ref);
    let secret = file
        .strip_suffix(".ics")
        .filter(|secret| secret.len() <= LONGEST_SECRET);
    let feed = match secret {
        Some(secret) => calendar_feeds::find(&web.app, secret)?,
        None => None,
    };
    let feed = feed.ok_or_else(answer::nothing_here)?;
    let counted = web.feed_readings.count(&feed.id, web.app.now());
    counted.map_err(Problem::rate_limited)?;
    let share = web.budget.room(request, None).take(ROOM)?;
    let reading = calendar_feeds::read(&web.app, &feed)?.ok_or_else(answer::nothing_here)?;
    let tag = etag::feed_tag(&reading.feed, reading.span);
    let known = request.header("If-None-Match");
    let response = match known.is_some_and(|known| etag::is_known(known, &tag)) {
        true => Response::empty(304),
        false => {
            let events = reading.events(&web.app)?;
            let rendering = wire::Rendering {
                feed: &reading.feed,
                name: &reading.name,
                base_url: web.app.base_url(),
            };
            let body = Body::from_data(rendering.calendar(&events));
            Response::new(200, wire::MEDIA_TYPE, body)
        }
    };
    // The address is the secret: no other site, and no search engine, is told.
    let response = response
        .with("ETag", tag)
        .with("Cache-Control", "private, no-cache")
        .with("Referrer-Policy", "no-referrer")
        .with("X-Robots-Tag", "noindex");
    Ok(room::hold(response, share))
}

/// Feeds that are listed at the most.
const LISTED: u32 = 100;

/// The part of the reader's own page.
pub fn section(visit: &Visit) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let page = Page {
        number: 1,
        size: LISTED,
    };
    let (feeds, _) = calendar_feeds::list(visit.app(), &visit.caller, page)?;
    let rotations = match feeds.iter().any(|feed| feed.shows.rotation().is_some()) {
        true => named(visit, &feeds)?,
        false => HashMap::new(),
    };
    let times = times(visit);
    Ok(html! {
        section.card aria-labelledby="feeds" {
            h2 #feeds { "My turns in a calendar" }
            @if feeds.is_empty() {
                p.empty { "Calendar programs can subscribe to an address that always has your turns." }
            } @else {
                ul.list {
                    @for feed in &feeds {
                        li data-feed=(feed.id) {
                            div.split {
                                span {
                                    (label(feed, &me.person.id, &rotations))
                                    br;
                                    span.muted { "Made " (times.show(feed.created_at)) }
                                }
                                span {
                                    (button(feed, "rotate", "New address", ""))
                                    " "
                                    (button(feed, "withdraw", "Withdraw", "danger"))
                                }
                            }
                        }
                    }
                }
            }
            form method="post" action="/me/feeds" {
                (hidden("operationId", &confirm::operation_id()))
                p.actions { button.small type="submit" { "Make a calendar address" } }
            }
        }
    })
}

fn button(feed: &CalendarFeed, step: &str, text: &str, class: &str) -> Markup {
    html! {
        form.bare method="post" action=(format!("/me/feeds/{}/{step}", feed.id)) {
            (hidden("operationId", &confirm::operation_id()))
            button.small.(class) type="submit" { (text) }
        }
    }
}

/// The rotations of feeds that the reader still sees: code and name.
fn named(
    visit: &Visit,
    feeds: &[CalendarFeed],
) -> Result<HashMap<RotationId, (Option<String>, String)>, Problem> {
    let mut named = HashMap::new();
    for id in feeds.iter().filter_map(|feed| feed.shows.rotation()) {
        if named.contains_key(id) {
            continue;
        }
        match reads::rotation(visit.app(), &visit.caller, id) {
            Ok(rotation) => {
                let profile = rotation.profile;
                named.insert(id.clone(), (profile.code, profile.name));
            }
            Err(ActionError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(named)
}

fn label(
    feed: &CalendarFeed,
    me: &crate::domain::ids::UserId,
    rotations: &HashMap<RotationId, (Option<String>, String)>,
) -> Markup {
    let rotation = |id: &RotationId| {
        html! {
            @match rotations.get(id) {
                Some((code, name)) => a href=(path_of(id, code.as_deref())) { bdi { (name) } },
                None => span.muted { "a rotation that is gone" },
            }
        }
    };
    html! {
        @if let Some(name) = &feed.name { bdi { (name) } ": " }
        @match &feed.shows {
            Shows::Person(user) if user == me => "My turns",
            Shows::Person(_) => "Somebody’s turns",
            Shows::PersonIn(_, id) => { "My turns in " (rotation(id)) }
            Shows::Rotation(id) => { "Everybody in " (rotation(id)) }
        }
    }
}

/// On the page of a rotation: the button that makes a feed of it.
pub fn make_for(rotation: &Rotation) -> Markup {
    html! {
        form.bare method="post" action="/me/feeds" {
            (hidden("operationId", &confirm::operation_id()))
            (hidden("rotationId", rotation.id.as_str()))
            button.small type="submit" { "In my calendar" }
        }
    }
}

/// POST /me/feeds: of the reader's turns, or of a rotation.
pub fn create(visit: &Visit) -> Outcome {
    visit.once(|| {
        let shows = match visit.form.filled("rotationId") {
            Some(rotation) => Shows::Rotation(rotation.into()),
            None => Shows::Person(visit.me()?.person.id.clone()),
        };
        let new = NewFeed {
            shows,
            name: None,
            alarms: Vec::new(),
        };
        let author = visit.author("createCalendarFeed");
        let (_, secret) = calendar_feeds::create(visit.app(), &author, new)?;
        Ok(shown_once(visit, "The calendar address was made.", &secret))
    })
}

/// POST /me/feeds/{feed}/rotate.
pub fn rotate(visit: &Visit) -> Outcome {
    visit.once(|| {
        let (author, id) = (visit.author("rotateCalendarFeed"), feed_id(visit));
        let (_, secret) = calendar_feeds::rotate(visit.app(), &author, &id)?;
        let text = "The old address leads nowhere any more.";
        Ok(shown_once(visit, text, &secret))
    })
}

/// POST /me/feeds/{feed}/withdraw.
pub fn withdraw(visit: &Visit) -> Outcome {
    visit.once(|| {
        let (author, id) = (visit.author("deleteCalendarFeed"), feed_id(visit));
        calendar_feeds::withdraw(visit.app(), &author, &id)?;
        visit.note(Note::new("The calendar address was withdrawn."));
        Ok(answer::see("/me"))
    })
}

fn feed_id(visit: &Visit) -> CalendarFeedId {
    CalendarFeedId::from(visit.part(0))
}

fn shown_once(visit: &Visit, text: &str, secret: &str) -> Response {
    visit.note(Note {
        secret: Some(wire::address(visit.app().base_url(), secret)),
        ..Note::new(format!(
            "{text} Subscribe to the one below in your calendar program."
        ))
    });
    answer::see("/me")
}
