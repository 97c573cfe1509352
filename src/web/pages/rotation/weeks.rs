//! Week by week: a line for each turn of the first place, with its covers and what runs beside it, and what can be done with it.

use super::Shown;
use crate::domain::ids::UserId;
use crate::web::parts::icon::icon;
use crate::web::parts::item::{Item, Kind, Row};
use crate::web::parts::people::Size;
use crate::web::parts::time::Times;
use crate::web::parts::turns::{Turn, turns};
use jiff::Timestamp;
use maud::{Markup, html};

/// Turns that open, and where there are more than so many turns; of later ones there is a line.
const MOST_OPENED: usize = 8;
const MANY: usize = 30;
const MOST_OF_MANY: usize = 4;

/// Lines of hours that an opened turn has at the most, and names that stand beside a turn.
const MOST_HOURS: usize = 8;
const MOST_NAMES: usize = 3;

/// The card with all turns of the days that are shown.
pub fn card(page: &Shown) -> Markup {
    let range = page.days.range();
    let has_items = |row: &&Row| row.items.iter().any(|item| item.kind != Kind::Off);
    let first = page.rows.iter().position(|row| has_items(&row));
    let all = first.map_or(Vec::new(), |first| turns(&page.rows[first].items));
    let all = all.iter().filter(|turn| {
        turn.from() < range.until && turn.until().is_none_or(|until| until > range.from)
    });
    let opened = all
        .clone()
        .filter(|turn| turn.until().is_none_or(|until| until > page.visit.now));
    let most = match all.clone().count() > MANY {
        true => MOST_OF_MANY,
        false => MOST_OPENED,
    };
    let last = opened.take(most).last().map(Turn::from);
    let is_later = |turn: &&Turn| last.is_some_and(|last| turn.from() > last);
    html! {
        section.card.shifts-card aria-labelledby="turns" {
            header {
                h2 #turns { "Week by week" }
                @if page.visit.reader.is_some() { (more(page)) }
            }
            @if all.clone().next().is_none() { p.pad.pt0.muted { "Nobody is on call in these days." } }
            ol.shifts {
                @for turn in all.clone().filter(|turn| !is_later(turn)) { (line(page, turn, first.unwrap_or_default())) }
            }
            @let later = all.filter(is_later).collect::<Vec<_>>();
            @if !later.is_empty() { (folded(page, &later)) }
        }
    }
}

/// The record, and the hours of each person.
pub fn more(page: &Shown) -> Markup {
    let base = page.base();
    html! {
        a.btn.s.ghost href=(format!("{base}/history")) { (icon("history")) "Record" }
        a.btn.s.ghost href=(format!("{base}/load")) { (icon("chart")) "Hours of each person" }
    }
}

/// Turns further away, a line each.
fn folded(page: &Shown, later: &[&Turn]) -> Markup {
    let times = &page.days.times;
    html! {
        div.pad.tight {
            details.more {
                summary { (later.len()) " later" }
                ul.small.muted {
                    @for turn in later {
                        li { (times.text(turn.from())) (until(times, turn.from(), turn.until())) ": " bdi { (turn.main().who) } @if let Some(word) = &turn.main().word { " " (word) } }
                    }
                }
            }
        }
    }
}

/// The items of other places beside a turn.
fn beside<'p>(page: &'p Shown, turn: &Turn, first: usize) -> Vec<&'p Item> {
    let end = turn.until().unwrap_or(Timestamp::MAX);
    let others = page
        .rows
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != first);
    let items = others.flat_map(|(_, row)| &row.items);
    let meets =
        |item: &&Item| item.kind != Kind::Off && item.from < end && item.end() > turn.from();
    items.filter(meets).collect()
}

fn line(page: &Shown, turn: &Turn, first: usize) -> Markup {
    let (now, me) = (page.visit.now, page.visit.user());
    let beside = beside(page, turn, first);
    let is_now = turn.is_now(now);
    html! {
        li.mine[turn.is_of(me)] {
            details open[is_now] {
                summary {
                    (when(page, turn))
                    (who(page, turn.main()))
                    span.small.muted { (said_beside(page, turn, &beside)) }
                    (tag(page, turn, &beside))
                }
                div.in2 {
                    @if turn.items.len() + beside.len() > 1 { ul { (hours(page, turn, &beside)) } }
                    (actions(page, turn))
                }
            }
        }
    }
}

fn when(page: &Shown, turn: &Turn) -> Markup {
    let times = &page.days.times;
    let (from, until) = (turn.from(), turn.until());
    html! {
        span.what {
            @match until {
                Some(until) if times.date(from) == times.date(until) => b { (times.day_text(times.date(from))) },
                Some(until) => b { (times.days_text(times.date(from), times.date(until))) },
                None => b { "from " (times.day_text(times.date(from))) },
            }
            small.muted { (times.hour(from)) @if let Some(until) = until { " to " (times.hour(until)) } }
        }
    }
}

fn who(page: &Shown, item: &Item) -> Markup {
    html! {
        @match &item.user {
            Some(user) => span.per { (page.people.avatar(user, Size::Usual)) bdi { (item.who) } },
            None if item.kind == Kind::Gap => span.per.nobody { span.av.no aria-hidden="true" { "?" } span { "Nobody" } },
            None => span.per { span.av aria-hidden="true" { "?" } bdi { (item.who) } " " span.tag { "not in chat" } },
        }
    }
}

/// "Secondary Linus · Katherine covers Sat 28 Nov".
fn said_beside(page: &Shown, turn: &Turn, beside: &[&Item]) -> String {
    let times = &page.days.times;
    let mut parts: Vec<String> = Vec::new();
    for row in &page.rows {
        let mut names: Vec<&str> = Vec::new();
        for item in beside
            .iter()
            .filter(|item| row.items.first().is_some_and(|one| one.place == item.place))
        {
            if item.kind != Kind::Gap && !names.contains(&item.who.as_str()) {
                names.push(&item.who);
            }
        }
        if let Some(item) = row.items.first().filter(|_| !names.is_empty()) {
            let more = if names.len() > MOST_NAMES {
                " and others"
            } else {
                ""
            };
            names.truncate(MOST_NAMES);
            parts.push(format!("{} {}{more}", item.place, names.join(", ")));
        }
    }
    let arranged = turn
        .items
        .iter()
        .filter(|item| !matches!(item.kind, Kind::Turn | Kind::Gap));
    for item in arranged
        .filter(|item| !std::ptr::eq(**item, turn.main()))
        .take(MOST_NAMES)
    {
        let word = match item.kind {
            Kind::Cover => "covers",
            Kind::Swap => "by a swap",
            _ => "put on call",
        };
        parts.push(format!(
            "{} {word} {}",
            item.who,
            times.day_text(times.date(item.from))
        ));
    }
    parts.extend(turn.main().word.clone());
    parts.join(" · ")
}

/// "on call now", or where nobody will be on call: "Desk: nobody Wed 2 Dec".
fn tag(page: &Shown, turn: &Turn, beside: &[&Item]) -> Markup {
    let now = page.visit.now;
    let mut all = turn.items.iter().chain(beside);
    let gap = all.find(|item| item.kind == Kind::Gap && !item.is_over(now));
    let times = &page.days.times;
    html! {
        @if let Some(gap) = gap {
            span.tag.bad {
                @if page.rows.len() > 1 { bdi { (gap.place) } ": nobody " } @else { "nobody " }
                (times.day_text(times.date(gap.from.max(now))))
            }
        }
        @else if turn.is_now(now) { span.tag.good { "on call now" } }
        @else { span {} }
    }
}

/// " to 18:00" on the same day, else with its day; nothing where no end is known.
fn until(times: &Times, from: Timestamp, until: Option<Timestamp>) -> String {
    match until {
        Some(until) if times.date(until) == times.date(from) => {
            format!(" to {}", times.hour(until))
        }
        Some(until) => format!(" to {}", times.text(until)),
        None => String::new(),
    }
}

fn hours(page: &Shown, turn: &Turn, beside: &[&Item]) -> Markup {
    let times = &page.days.times;
    let lines = turn.items.iter().chain(beside);
    let left = (turn.items.len() + beside.len()).saturating_sub(MOST_HOURS);
    html! {
        @for item in lines.take(MOST_HOURS) {
            li {
                (times.text(item.from)) (until(times, item.from, item.until))
                ", " bdi { (item.place) } ": " bdi { (item.who) }
                @if let Some(word) = &item.word { " " (word) }
            }
        }
        @if left > 0 { li { "and " (left) " more" } }
    }
}

fn actions(page: &Shown, turn: &Turn) -> Markup {
    let now = page.visit.now;
    let item = turn.at(now);
    let is_over = turn.until().is_some_and(|until| until <= now);
    let can = page.is_ours() && !is_over;
    let is_mine = |user: &UserId| page.visit.user() == Some(user);
    let mine = item.user.as_ref().is_some_and(is_mine);
    let to = |step: &str| format!("{}?do={step}", item.path);
    html! {
        div.row {
            a.btn.s href=(item.path) { "Details and why" }
            @if can {
                @if mine {
                    a.btn.s href=(to("cover")) data-action="cover" { "Ask for cover" }
                } @else if page.is_member && (item.kind == Kind::Gap || page.is_editor) {
                    a.btn.s href=(to("take")) data-action="take" { @if item.kind == Kind::Gap { "Take it" } @else { "Cover it" } }
                }
                @if page.is_member && item.kind == Kind::Turn && turn.from() > now {
                    a.btn.s href=(to("swap")) data-action="swap" { "Swap" }
                }
                @if page.is_editor { a.btn.s href=(to("assign")) data-action="assign" { "Give to somebody" } }
            }
        }
    }
}
