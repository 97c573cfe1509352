//! A board: who is on call in chosen rotations, for a screen on a wall. It loads itself again every minute, with or without script.
//! The secret in its address is all that is asked for, so it shows names and nothing else about people.

use super::slot_text;
use crate::actions::boards;
use crate::actions::overview::Overview;
use crate::domain::board::Board;
use crate::domain::forecast;
use crate::domain::ids::UserId;
use crate::domain::resolve;
use crate::server::{Outcome, Request};
use crate::web::assets::{self, ICON, SCRIPT, STYLE};
use crate::web::gate::LONGEST_SECRET;
use crate::web::layout::standby_line;
use crate::web::parts::people::People;
use crate::web::parts::time::{Times, whole_minute};
use crate::web::{Web, answer};
use maud::{DOCTYPE, Markup, html};
use std::borrow::Cow;

/// Seconds until a board loads itself again.
const REFRESH: u32 = 60;

/// GET /board/{secret}.
pub fn show(web: &Web, _: &Request, parts: &[Cow<str>]) -> Outcome {
    let secret = parts.first().map_or("", AsRef::as_ref);
    let found = match secret.len() <= LONGEST_SECRET {
        true => boards::show(&web.app, secret)?,
        false => None,
    };
    let (board, shown) = found.ok_or_else(answer::nothing_here)?;
    let users = shown.iter().flat_map(|one| {
        let next = one.next.iter().flat_map(|next| &next.users);
        one.summary.on_call.iter().chain(next)
    });
    let people = People::load(&web.app, users.collect::<Vec<&UserId>>(), false)?;
    let times = Times {
        zone: board.zone,
        now: web.app.now(),
    };
    let cards = html! {
        @if let Some(standby) = web.app.standby() { (standby_line(standby, board.zone)) }
        (cards(&shown, &people, times))
    };
    let page = answer::html(200, frame(&board, cards, times));
    // The address is the secret: no other site, and no search engine, is told.
    Ok(page
        .with("Referrer-Policy", "no-referrer")
        .with("X-Robots-Tag", "noindex"))
}

fn frame(board: &Board, cards: Markup, times: Times) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // With the script it reloads itself, which readers can stop.
                noscript { meta http-equiv="refresh" content=(REFRESH); }
                script src=(assets::path(&SCRIPT)) defer {}
                title { (board.title) " · rota" }
                link rel="icon" type="image/svg+xml" href=(assets::path(&ICON));
                link rel="stylesheet" href=(assets::path(&STYLE));
            }
            body.board data-reload=(REFRESH) {
                header {
                    h1 { bdi { (board.title) } }
                    p { (times.show(whole_minute(times.now))) " " span.muted.small { (board.zone.as_str()) } }
                }
                main { (cards) }
                footer { p { "Loaded anew every minute." } }
            }
        }
    }
}

fn cards(shown: &[Overview], people: &People, times: Times) -> Markup {
    let size = match shown.len() {
        0..=4 => "few",
        5..=9 => "some",
        _ => "many",
    };
    html! {
        @if shown.is_empty() { p.muted { "The rotations of this board were deleted." } }
        div.(format!("walls {size}")) {
            @for one in shown { (card(one, people, times)) }
        }
    }
}

fn card(one: &Overview, people: &People, times: Times) -> Markup {
    let rotation = &one.rotation;
    let held: Vec<(Vec<String>, &UserId)> = rotation
        .running()
        .filter_map(|cell| {
            let hold = resolve::on_call(rotation, cell)?;
            Some((forecast::slot_name(rotation, cell), hold.user()))
        })
        .collect();
    html! {
        section.wall data-rotation=(rotation.id) {
            h2 { bdi { (rotation.profile.name) } }
            @if one.summary.is_nobody() { p.who-now.muted { "Nobody" } }
            @for outside in &one.summary.outside { p.who-now { bdi { (outside) } " " small { "not in chat" } } }
            @for (slot, user) in &held {
                p.who-now data-user=(user) {
                    bdi { (people.name(user)) }
                    @if !slot.is_empty() { " " small { bdi { (slot_text(slot)) } } }
                }
            }
            @if let Some(until) = one.until.filter(|_| !held.is_empty()) { p.then { "until " (times.show(until)) } }
            @if let Some(next) = &one.next {
                p.then {
                    "then "
                    @for (index, user) in next.users.iter().enumerate() {
                        @if index > 0 { ", " }
                        bdi { (people.name(user)) }
                    }
                    @if let Some(at) = next.at.filter(|_| held.is_empty()) { " from " (times.show(at)) }
                }
            }
            @if !rotation.enabled { p.then { span.tag.warn { "Disabled" } } }
        }
    }
}
