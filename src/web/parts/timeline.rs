//! The timeline: days across, a row for each place, a bar for each item. Narrow screens have the agenda in its place.

use super::bars::{self, Bar};
use super::days::Days;
use super::icon::{icon, optional};
use super::item::{Item, Kind, Row};
use super::people::{People, colour, initials};
use super::time::whole_minute;
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use maud::{Markup, html};

/// Items that a timeline draws at the most.
pub const MOST: usize = 160;

/// Steps beyond which a name may fit, however wide the page is; shorter bars have initials.
const NAMED: i64 = 15;

/// A row as it is drawn: its name, with a link where it is the first of a rotation.
pub struct Lane<'a> {
    pub name: Markup,
    pub more: &'a str,
    /// What the list of its bars is called.
    pub label: String,
    pub items: &'a [Item],
    /// Whether it is the plan beneath the row above it.
    pub is_plan: bool,
    /// What the reader may do with its turns, for the menu of a bar: `m` of members, `e` of editors.
    pub may: &'static str,
}

impl<'a> Lane<'a> {
    /// A row of a rotation by itself.
    pub fn of(row: &'a Row) -> Lane<'a> {
        Lane {
            name: html! { b { bdi { (row.name) } } },
            more: &row.more,
            label: row.name.clone(),
            items: &row.items,
            is_plan: false,
            may: "",
        }
    }

    /// The plan beneath a row.
    pub fn beneath(row: &Row, items: &'a [Item]) -> Lane<'a> {
        Lane {
            name: html! {},
            more: "as planned",
            label: format!("{}, as planned", row.name),
            items,
            is_plan: true,
            may: "",
        }
    }
}

/// When somebody is away, with where it leads.
pub struct Gone {
    pub user: UserId,
    pub period: Interval,
}

/// Draws rows over days, and below them who is away.
pub fn timeline(days: &Days, lanes: &[Lane], away: &[Gone], people: &People) -> Markup {
    let class = format!("tl s{}", days.count);
    html! {
        div class=(class) {
            (axis(days))
            div.tl-body {
                (ground(days))
                @for lane in lanes { (row(lane, days, people)) }
                @if !away.is_empty() { (away_rows(away, days, people)) }
            }
        }
    }
}

fn axis(days: &Days) -> Markup {
    let now = days.range().contains(days.times.now);
    html! {
        div.tl-axis aria-hidden="true" {
            div {}
            div {
                @if days.count == 28 {
                    ol.weeks { @for week in 0..4 { li { (days.times.short_day(days.day(week * 7))) } } }
                }
                ol.days {
                    @for index in 0..days.count {
                        li class=[days.is_today(index).then_some("today")] {
                            @if days.count < 28 { span { (days.times.weekday_of(days.day(index))) } }
                            b { (days.day(index).day()) }
                        }
                    }
                }
            }
            @if now {
                div.track { span class=(format_args!("nowtag x{}", now_step(days))) { (days.times.hour(whole_minute(days.times.now))) } }
            }
        }
    }
}

fn now_step(days: &Days) -> i64 {
    days.step(days.times.now).floor() as i64
}

fn ground(days: &Days) -> Markup {
    let width = days.width();
    html! {
        div.tl-back aria-hidden="true" {
            @for index in 0..days.count {
                @let x = index * width;
                @if days.is_weekend(index) { i class=(format_args!("we x{x} w{width}")) {} }
                @if days.is_today(index) { i class=(format_args!("td x{x} w{width}")) {} }
                @if index > 0 && (days.count < 28 || index % 7 == 0) { i class=(format_args!("d x{x}")) {} }
            }
            @if days.range().contains(days.times.now) {
                @let x = now_step(days);
                i class=(format_args!("now x{x}")) {}
                i class=(format_args!("now over x{x}")) {}
            }
        }
    }
}

fn row(lane: &Lane, days: &Days, people: &People) -> Markup {
    let tracks = bars::tracks(lane.items, days);
    let first = tracks.is_empty().then(Vec::new);
    html! {
        @for (index, track) in tracks.iter().chain(&first).enumerate() {
            div.tl-row.thin[lane.is_plan] {
                div.tl-lab {
                    @if index == 0 { (lane.name) small { (lane.more) } } @else { small { "at the same time" } }
                }
                ol.track aria-label=(lane.label) data-may=[(!lane.may.is_empty()).then_some(lane.may)] { @for one in track { (bar(one, days, people)) } }
            }
        }
    }
}

fn bar(bar: &Bar, days: &Days, people: &People) -> Markup {
    let item = bar.items[0];
    if item.kind == Kind::Off {
        return html! { li class=(format_args!("off {}", bar.class())) aria-hidden="true" {} };
    }
    if bar.items.len() > 1 {
        return short_turns(bar, days);
    }
    let mut class = format!("bar {}", bar.class());
    let mut add = |one: &str| {
        class.push(' ');
        class.push_str(one);
    };
    if let Some(user) = &item.user {
        add(&colour(user));
        if people.is_me(user) && item.kind != Kind::Beneath {
            add("me");
        }
    }
    if let Some(kind) = item.kind.class() {
        add(kind);
    }
    if item.is_over(days.times.now) && item.kind != Kind::Beneath {
        add("past");
    }
    html! {
        li class=(class) {
            a href=(item.path) data-cell=(item.cell) data-start=(item.from) data-end=[item.until] data-user=[item.user.as_ref()] {
                span.sr { (item.label(&days.times)) }
                span.in aria-hidden="true" { (drawn(item, bar, days, people)) }
            }
        }
    }
}

/// What is drawn on a bar: the name, or the initials where there is little room, and the end where there is much.
fn drawn(item: &Item, bar: &Bar, days: &Days, people: &People) -> Markup {
    let times = &days.times;
    let until = (item.until).filter(|_| bar.end - bar.x >= 48 && !item.is_over(times.now));
    let is_mine = item.user.as_ref().is_some_and(|user| people.is_me(user));
    let has_room = bar.end - bar.x > NAMED;
    let names = html! { @if has_room { span.nm { (item.who) } } span.sh { (initials(&item.who)) } };
    match item.kind {
        Kind::Gap => html! { (icon("gap")) span.nm { "Nobody" } },
        Kind::Beneath => names,
        Kind::Turn | Kind::Off => html! {
            (names)
            @if let Some(until) = until {
                span.tm { @if is_mine { "you, " } "until " (times.brief(until)) }
            }
        },
        kind => html! {
            (optional(match kind { Kind::Cover => "cover", Kind::Swap => "swap", _ => "assign" }))
            span.two {
                (names)
                small.kw { @match kind { Kind::Cover => "covers", Kind::Swap => "swap", _ => "put on call" } }
            }
        },
    }
}

/// Items too short to be told apart, which lead to their day.
fn short_turns(bar: &Bar, days: &Days) -> Markup {
    let (first, count) = (bar.items[0], bar.items.len());
    let last = bar.items.iter().map(|item| item.end()).max();
    let day = days.times.date(first.from);
    let rotation = first.path.split("/shifts/").next().unwrap_or_default();
    html! {
        li class=(format_args!("bar many {}", bar.class())) {
            a href=(format_args!("{rotation}?from={day}&span=1d")) {
                span.sr {
                    (count) " short turns, " (days.times.text(first.from))
                    @if let Some(last) = last { " to " (days.times.text(last)) }
                    ", " (first.place)
                }
                span.in aria-hidden="true" { span.nm { (count) " short turns" } span.sh { (count) } }
            }
        }
    }
}

/// Who is away, in as many rows as it takes that none overlaps another.
fn away_rows(away: &[Gone], days: &Days, people: &People) -> Markup {
    let mut rows: Vec<Vec<(i64, i64, &Gone)>> = Vec::new();
    for gone in away {
        let x = (days.step(gone.period.from).floor() as i64).min(super::days::STEPS - 1);
        let end = (days.step(gone.period.until).ceil() as i64).max(x + 1);
        let free =
            |row: &&mut Vec<(i64, i64, &Gone)>| row.last().is_none_or(|(_, last, _)| *last <= x);
        match rows.iter_mut().find(free) {
            Some(row) => row.push((x, end, gone)),
            None => rows.push(vec![(x, end, gone)]),
        }
    }
    html! {
        @for (index, row) in rows.iter().enumerate() {
            div.tl-row.thin {
                div.tl-lab { @if index == 0 { b { "Away" } } }
                ol.track aria-label="Away" {
                    @for (x, end, gone) in row {
                        @let name = people.name(&gone.user);
                        li class=(format_args!("bar away {} x{x} w{}", colour(&gone.user), end - x)) {
                            a href=(super::people::path(&gone.user)) {
                                span.sr { (name) ", away, " (days.times.text(gone.period.from)) " to " (days.times.text(gone.period.until)) }
                                span.in aria-hidden="true" { span.nm { (name) " away" } span.sh { (initials(name)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
