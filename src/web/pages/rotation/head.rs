//! Who is on call now, said in a sentence, with what follows; and the people in order, each with their next turn.

use super::Shown;
use crate::domain::ids::UserId;
use crate::domain::rotation::Roster;
use crate::web::pages::settings::share;
use crate::web::parts::icon::icon;
use crate::web::parts::item::{Item, Kind, Row};
use crate::web::parts::near;
use crate::web::parts::people::Size;
use crate::web::parts::turns::{Turn, turns};
use jiff::Timestamp;
use maud::{Markup, html};

/// People who are shown one by one as on call now, at the most.
const MOST_NOW: usize = 9;

/// The head of the page: the sentence, everybody on call now, how much of the turn is over, and what the reader may do.
pub fn hero(page: &Shown) -> Markup {
    let now = page.visit.now;
    let running = |row: &Row| {
        row.items
            .iter()
            .position(|item| item.is_now(now) && item.kind != Kind::Off)
    };
    let held = |row: &&Row| running(row).is_some_and(|at| row.items[at].kind != Kind::Gap);
    // The first place speaks, unless nobody is on call in it and somebody is in another.
    let row = page
        .rows
        .iter()
        .find(held)
        .or(page.rows.iter().find(|row| running(row).is_some()));
    let row = row.or(page.rows.first());
    let current = row.and_then(|row| running(row).map(|at| &row.items[at]));
    let on_call: Vec<&Item> = (page.rows.iter().flat_map(|row| &row.items))
        .filter(|item| item.is_now(now) && !matches!(item.kind, Kind::Off | Kind::Gap))
        .collect();
    html! {
        section.hero aria-labelledby="now" {
            div.stack.g2 {
                @if on_call.is_empty() { p.small { "Nobody is on call now" } } @else { p.live { "On call now" } }
                h2.big #now { (sentence(page, row, current)) }
            }
            @if on_call.len() > 1 {
                ul.crew {
                    @for item in on_call.iter().take(MOST_NOW) { (crew(page, item)) }
                }
                @if on_call.len() > MOST_NOW { p.small { "And " (on_call.len() - MOST_NOW) " more" } }
            }
            @if let Some(row) = row { (progress(page, row)) }
            (actions(page, current))
        }
    }
}

fn crew(page: &Shown, item: &Item) -> Markup {
    html! {
        li {
            @if let Some(user) = &item.user { (page.people.avatar(user, Size::Usual)) } @else { span.av aria-hidden="true" { "?" } }
            b { bdi { (item.who) } }
            small { bdi { (item.place) } @if let Some(until) = item.until { ", until " (page.days.times.brief(until)) } }
        }
    }
}

/// "Grace is on call until Saturday 09:00, then Katherine covers for a day".
fn sentence(page: &Shown, row: Option<&Row>, current: Option<&Item>) -> String {
    let times = &page.days.times;
    // Whoever is next of those who are on call one after the other: weekdays and weekends are places of their own.
    let next = |after: Timestamp| {
        let line = page
            .rows
            .iter()
            .filter(|one| row.is_some_and(|row| one.line == row.line));
        let items = line.flat_map(|row| &row.items);
        let later = items.filter(|item| item.from >= after && item.kind != Kind::Off);
        later.min_by_key(|item| item.from)
    };
    let Some(item) = current else {
        return match next(times.now) {
            Some(next) if next.user.is_some() => {
                format!(
                    "Nobody is on call now, as planned. {} starts {}",
                    next.who,
                    times.near(next.from)
                )
            }
            _ => "Nobody is on call".to_owned(),
        };
    };
    let is_me = item
        .user
        .as_ref()
        .is_some_and(|user| page.people.is_me(user));
    let begin = match (item.kind, is_me) {
        (Kind::Gap, _) => "Nobody is on call".to_owned(),
        (Kind::Cover, false) => {
            format!("{} {}", item.who, item.word.as_deref().unwrap_or_default())
        }
        (Kind::Turn, is_me) => {
            let who = match is_me {
                true => "You are".to_owned(),
                false => format!("{} is", item.who),
            };
            let word = item.word.iter().map(|word| format!(" {word}"));
            format!("{who} on call{}", word.collect::<String>())
        }
        (_, true) => "You are on call".to_owned(),
        (_, false) => format!("{} is on call", item.who),
    };
    let Some(until) = item.until else {
        return format!("{begin} until somebody hands over");
    };
    let begin = format!("{begin} until {}", times.near(until));
    match next(until) {
        Some(next) if next.from > until => {
            format!(
                "{begin}, then nobody, as planned, until {}",
                times.near(next.from)
            )
        }
        Some(next) if next.kind == Kind::Gap => format!("{begin}, then nobody"),
        Some(next) => {
            let verb = match (next.kind, next.until) {
                (Kind::Cover, Some(end)) => {
                    format!("covers for {}", near::spelt(end.duration_since(next.from)))
                }
                _ => "takes over".to_owned(),
            };
            match next
                .user
                .as_ref()
                .is_some_and(|user| page.people.is_me(user))
            {
                true => format!(
                    "{begin}, then you {}",
                    verb.replacen("covers", "cover", 1)
                        .replacen("takes", "take", 1)
                ),
                false => format!("{begin}, then {} {verb}", next.who),
            }
        }
        None => begin,
    }
}

/// How much of the running turn is over, and who takes over.
fn progress(page: &Shown, row: &Row) -> Markup {
    let (times, now) = (&page.days.times, page.visit.now);
    let all = turns(&row.items);
    let at = all.iter().position(|turn| turn.is_now(now));
    let Some((turn, end)) = at.and_then(|at| Some((&all[at], all[at].until()?))) else {
        return html! {};
    };
    let begin = turn.main().turn.unwrap_or(turn.from()).min(turn.from());
    let (whole, gone) = (end.duration_since(begin), now.duration_since(begin));
    let share = (gone.as_secs() * 1000 / whole.as_secs().max(1)).clamp(0, 1000);
    let days = |length: jiff::SignedDuration| length.as_hours() / 24;
    let said = match days(whole) {
        0 | 1 => format!("{} to go.", near::length(end.duration_since(now))),
        whole => format!("{} of {whole} days gone.", days(gone)),
    };
    let next: Option<&Turn> = at.and_then(|at| all.get(at + 1));
    html! {
        div.stack.g2 {
            progress max="1000" value=(share) aria-label="Share of the turn that is over" {}
            p.small {
                (said)
                @if let Some(next) = next.filter(|next| next.main().user.is_some()) {
                    " " bdi { (next.main().who) } " takes over on " (times.text(next.from())) "."
                }
            }
        }
    }
}

/// What the reader may do with whoever is on call now.
fn actions(page: &Shown, current: Option<&Item>) -> Markup {
    let base = page.base();
    let me = page.visit.user();
    let mine = (page.rows.iter().flat_map(|row| &row.items))
        .find(|item| me.is_some() && item.user.as_ref() == me && item.is_now(page.visit.now));
    let taken = current.filter(|item| {
        let may = page.is_editor || item.kind == Kind::Gap;
        mine.is_none() && page.is_member && may
    });
    html! {
        @if page.is_ours() && (page.is_editor || page.is_member) {
            div.row.actions {
                @if let Some(item) = mine {
                    a.btn.go href=(format!("{}?do=cover", item.path)) data-action="cover" { (icon("cover")) "Ask for cover" }
                }
                @if let Some(item) = taken {
                    a.btn.go href=(format!("{}?do=take", item.path)) data-action="take" {
                        (icon("cover"))
                        @if item.kind == Kind::Gap { "Take it" } @else { "Cover for " bdi { (item.who) } }
                    }
                }
                @if page.is_editor {
                    a.btn href=(format!("{base}/rotate")) data-action="rotate" { (icon("hand")) "Hand over now" }
                    a.btn href=(format!("{base}/on-call")) data-action="setOnCall" { (icon("assign")) "Put somebody on call" }
                } @else {
                    a.btn href=(format!("{base}/swap")) data-action="swap" { (icon("swap")) "Swap" }
                }
            }
        }
    }
}

/// The people of each list in order, with their next turn.
pub fn order(page: &Shown) -> Markup {
    let rotation = &page.rotation;
    let used = |roster: &&Roster| {
        let deals = rotation.cells.iter().any(|cell| cell.roster == roster.id);
        deals || rotation.rosters.len() == 1
    };
    let rosters: Vec<&Roster> = rotation.rosters.iter().filter(used).collect();
    html! {
        section.card aria-labelledby="order" {
            header {
                h2 #order { "Order of people" }
                @if page.is_editor { a.btn.s.ghost href=(format!("{}/settings/people", page.base())) { "Change" } }
            }
            @for roster in &rosters {
                @let order: Vec<UserId> = rotation.order(roster).into_iter().map(|one| one.user).collect();
                @if let Some(id) = roster.id.as_ref().filter(|_| rosters.len() > 1) { h3.pad.tight { bdi { (id) } } }
                @if order.is_empty() { p.pad.pt0.muted { "Nobody yet." } }
                ol.list.tight.duo { @for user in &order { (in_order(page, user)) } }
            }
        }
    }
}

fn in_order(page: &Shown, user: &UserId) -> Markup {
    let (times, now, rotation) = (&page.days.times, page.visit.now, &page.rotation);
    let theirs = || {
        (page.rows.iter().flat_map(|row| &row.items))
            .filter(|item| item.user.as_ref() == Some(user))
    };
    let is_now = theirs().any(|item| item.is_now(now));
    let next = theirs()
        .filter(|item| item.from > now)
        .min_by_key(|item| item.from);
    let all = page.rows.iter().flat_map(|row| &row.items);
    let first = all
        .filter(|item| item.from > now && item.user.is_some())
        .map(|item| item.from)
        .min();
    let is_next = next.is_some_and(|item| Some(item.from) == first);
    let away = (page.away.iter())
        .filter(|absence| absence.user == *user && absence.period.until > now)
        .map(|absence| absence.period)
        .min();
    html! {
        li.keep {
            div.ml.mid {
                (page.people.avatar(user, Size::Usual))
                div.what {
                    b { @if page.people.linked { a.per href=(crate::web::parts::people::path(user)) { bdi { (page.people.name(user)) } } } @else { bdi { (page.people.name(user)) } } }
                    small.muted {
                        @match (is_now, next) {
                            (true, _) => "on call now",
                            (false, Some(item)) if is_next => { "next: " (times.text(item.from)) },
                            (false, Some(item)) => { "then " (times.day_text(times.date(item.from))) },
                            (false, None) => "no turn in the next four weeks",
                        }
                        @if let Some(share) = share(rotation, user) { " · " (share) }
                        @if let Some(away) = away { " · away " (times.short_day(times.date(away.from.max(now)))) " to " (times.short_day(times.date(away.until - jiff::SignedDuration::from_secs(1)))) }
                    }
                }
            }
            @if is_now { span.tag.good { "now" } } @else if is_next { span.tag.me { "next" } }
        }
    }
}
