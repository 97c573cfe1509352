//! Calendar feeds: what calendar programs read, and the part of the reader's own page that makes and withdraws them.

use super::{path_of, times};
use crate::actions::{ActionError, calendar_feeds, overview, reads};
use crate::domain::calendar_feed::{CalendarFeed, NewFeed, Shows};
use crate::domain::ids::{CalendarFeedId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::server::{Body, Outcome, Problem, Request, Response, room};
use crate::store::Page;
use crate::web::form::{Errors, Form};
use crate::web::gate::LONGEST_SECRET;
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::parts::icon::icon;
use crate::web::parts::refusals;
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
    let tag = match web.app.standby() {
        Some(_) => etag::standby_tag(&tag),
        None => tag,
    };
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

/// Alarms that the form offers, in minutes before a turn.
const ALARMS: [(u32, &str); 3] = [
    (15, "15 minutes before"),
    (60, "An hour before"),
    (1440, "A day before"),
];

const FIELDS: [&str; 3] = ["shows", "name", "alarms"];

/// The part of the reader's own page.
pub fn section(visit: &Visit, errors: &Errors) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let page = Page::first(LISTED);
    let (feeds, _) = calendar_feeds::list(visit.app(), &visit.caller, page)?;
    let rotations = match feeds.iter().any(|feed| feed.shows.rotation().is_some()) {
        true => named(visit, &feeds)?,
        false => HashMap::new(),
    };
    let times = times(visit);
    Ok(html! {
        section.card.pad aria-labelledby="feeds" {
            h2 #feeds { "In my calendar" }
            @if feeds.is_empty() {
                p.muted { "Calendar programs can subscribe to an address that always has your turns." }
            } @else {
                ul.items {
                    @for feed in &feeds {
                        li data-feed=(feed.id) {
                            div.split {
                                span {
                                    (label(feed, &me.person.id, &rotations))
                                    br;
                                    span.muted { "Made " (times.show(feed.created_at)) @if !feed.alarms.is_empty() { ", reminds " (alarms_text(&feed.alarms)) } }
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
            (form(visit, errors)?)
        }
    })
}

/// The button that makes a feed of all the reader's turns, and a form for others: whose turns, under which name, with which alarms.
fn form(visit: &Visit, errors: &Errors) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let values = match FIELDS.iter().any(|field| visit.form.names(field)) {
        true => visit.form.clone(),
        false => Form::default(),
    };
    let filled = Filled {
        values: &values,
        errors,
    };
    let mut shows = vec![Choice::new("mine", "My turns in all rotations")];
    let rotations = overview::rotations_of(visit.app(), &visit.caller, &me.person.id)?;
    for rotation in &rotations {
        let (id, name) = (&rotation.id, &rotation.profile.name);
        shows.push(Choice::new(
            format!("mine:{id}"),
            &format!("My turns in {name}"),
        ));
        shows.push(Choice::new(
            format!("all:{id}"),
            &format!("Everybody in {name}"),
        ));
    }
    let errors_in_it = FIELDS.iter().any(|field| visit.form.names(field)) && !errors.is_empty();
    let alarms = ALARMS.map(|(minutes, label)| Choice::new(minutes.to_string(), label));
    Ok(html! {
        form method="post" action="/me/feeds" {
            (hidden("operationId", &confirm::operation_id()))
            p.actions { button.btn.s type="submit" data-action="feed" { "Make a calendar address" } }
        }
        details open[errors_in_it] {
            summary { "Choose what it shows" }
            form method="post" action="/me/feeds" {
                (hidden("operationId", &confirm::operation_id()))
                (filled.select("shows", "What it shows", "", &shows))
                (filled.input("text", "name", "Name of the calendar", "You may leave it empty.", false))
                (filled.boxes("alarms", "Remind me of a turn", "Your calendar program does, if it lets subscriptions remind you.", &alarms))
                p.actions { button.btn.s type="submit" data-action="feed" { "Make the address" } }
            }
        }
    })
}

/// Minutes before a turn, in words: `15 minutes and 1 hour before`.
fn alarms_text(alarms: &[u32]) -> String {
    let mut sorted = alarms.to_vec();
    sorted.sort_unstable();
    let plural = |count: u32, unit: &str| match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    };
    let one = |minutes: &u32| match minutes {
        0 => "at the start".to_owned(),
        minutes if minutes % 1440 == 0 => plural(minutes / 1440, "day") + " before",
        minutes if minutes % 60 == 0 => plural(minutes / 60, "hour") + " before",
        minutes => plural(*minutes, "minute") + " before",
    };
    let words: Vec<String> = sorted.iter().map(one).collect();
    words.join(", ")
}

fn button(feed: &CalendarFeed, step: &str, text: &str, class: &str) -> Markup {
    html! {
        form.bare method="post" action=(format!("/me/feeds/{}/{step}", feed.id)) {
            (hidden("operationId", &confirm::operation_id()))
            button.btn.s.(class) type="submit" { (text) }
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
    me: &UserId,
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
            button.btn type="submit" data-action="feed" { (icon("cal")) "Into my calendar" }
        }
    }
}

/// Makes the feed that a form asks for, and leaves its address to be shown once. What is wrong with the form is the inner error.
///
/// # Errors
/// Refusals that no form can mend, and errors of ours.
pub fn make(visit: &Visit) -> Result<Result<Response, Errors>, Problem> {
    let made = wanted(visit)?.and_then(|new| {
        let author = visit.author("createCalendarFeed");
        calendar_feeds::create(visit.app(), &author, new)
    });
    match made {
        Ok((_, secret)) => {
            let response = shown_once(visit, "The calendar address was made.", &secret);
            Ok(Ok(response))
        }
        Err(ActionError::Refused(refusal @ Refusal::Invalid { .. })) => {
            let mut errors = Errors::default();
            let problem = Problem::from(refusal);
            refusals::add(visit, &mut errors, &problem, &FIELDS)?;
            Ok(Err(errors))
        }
        Err(error) => Err(error.into()),
    }
}

/// The feed that a form asks for: that of the reader's own page, or the button of a rotation.
fn wanted(visit: &Visit) -> Result<Result<NewFeed, ActionError>, Problem> {
    let me = || Ok::<UserId, Problem>(visit.me()?.person.id.clone());
    let form = &visit.form;
    let shows = match (form.filled("rotationId"), form.one("shows").split_once(':')) {
        (Some(rotation), _) | (None, Some(("all", rotation))) => Shows::Rotation(rotation.into()),
        (None, Some(("mine", rotation))) => Shows::PersonIn(me()?, rotation.into()),
        (None, _) => Shows::Person(me()?),
    };
    let alarms = form.list("alarms");
    let alarms: Result<Vec<u32>, _> = alarms.iter().map(|minutes| minutes.parse()).collect();
    let Ok(alarms) = alarms else {
        return Ok(Err(Refusal::invalid("alarms", "choose minutes").into()));
    };
    Ok(Ok(NewFeed {
        shows,
        name: form.filled("name").map(str::to_owned),
        alarms,
    }))
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
