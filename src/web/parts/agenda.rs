//! The agenda: the same items as the timeline's, day by day, for narrow screens and on paper.

use super::days::Days;
use super::item::{Item, Kind};
use super::people::{People, Size, colour};
use crate::domain::ids::UserId;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use maud::{Markup, html};

/// Items that it lists at the most.
const MOST: usize = 40;

/// Days in the strip above it.
const STRIP: i64 = 7;

/// An item with the name of its rotation, where several are listed.
#[derive(Clone, Copy)]
pub struct Listed<'a> {
    pub item: &'a Item,
    pub rotation: Option<&'a str>,
}

/// A strip of seven days, then day by day what begins there from today on, or from the first day where that is later; first all that
/// runs. `further` leads to what follows.
pub fn agenda(days: &Days, items: &[Listed], people: &People, further: &str) -> Markup {
    agenda_of(days, items, people, (further, MOST))
}

/// As [`agenda`], with so many items at the most.
pub fn agenda_of(
    days: &Days,
    items: &[Listed],
    people: &People,
    (further, most): (&str, usize),
) -> Markup {
    let today = days.times.date(days.times.now);
    let begin = days.first.max(today);
    let begin = if begin > days.day(days.count - 1) {
        days.first
    } else {
        begin
    };
    let day_of = |item: &Item| days.times.date(item.from).max(begin);
    let start = days.times.midnight(begin).unwrap_or(days.range().from);
    let start = if begin == today {
        days.times.now
    } else {
        start
    };
    let mut shown: Vec<Listed> = (items.iter().copied())
        .filter(|one| one.item.kind != Kind::Off)
        .filter(|one| one.item.end() > start && one.item.from < days.range().until)
        .collect();
    shown.sort_by_key(|one| day_of(one.item));
    let left = shown.len().saturating_sub(most);
    shown.truncate(most);
    // Of a rotation with one row, its name beside every person says nothing.
    let place = shown.first().map(|one| &one.item.place);
    let has_place =
        (shown.iter()).any(|one| one.rotation.is_some() || Some(&one.item.place) != place);
    let by_day = shown.chunk_by(|one, next| day_of(one.item) == day_of(next.item));
    html! {
        (strip(days, begin, &shown, people))
        div.agenda {
            @for of_day in by_day { (day(days, day_of(of_day[0].item), of_day, has_place, people)) }
            @if shown.is_empty() { p.pad.muted { "Nobody is on call in these days." } }
            @if left > 0 { p.pad { a.btn.s href=(further) { "What follows" } } }
        }
    }
}

/// The id of a day's heading.
fn id(date: Date) -> String {
    format!("d{}-{}", date.day(), date.month())
}

fn strip(days: &Days, begin: Date, shown: &[Listed], people: &People) -> Markup {
    let monday = super::days::monday(begin);
    let has = |date: Date| {
        shown
            .iter()
            .any(|one| days.times.date(one.item.from).max(begin) == date)
    };
    // A bar below the day: nobody is on call, or the reader is.
    let mark = |date: Date| -> String {
        let (Some(from), Some(until)) = (
            days.times.midnight(date),
            days.times.midnight(date.saturating_add(1.day())),
        ) else {
            return String::new();
        };
        let of_day = || {
            shown
                .iter()
                .filter(move |one| one.item.from < until && one.item.end() > from)
        };
        let mine = |user: &&UserId| people.is_me(user);
        if of_day().any(|one| one.item.kind == Kind::Gap) {
            return "gap".to_owned();
        }
        let me = of_day().filter_map(|one| one.item.user.as_ref()).find(mine);
        me.map_or(String::new(), |me| format!("me {}", colour(me)))
    };
    html! {
        nav.daystrip aria-label="Days" {
            @for index in 0..STRIP {
                @let date = monday.saturating_add(index.days());
                @let inner = html! { (days.times.weekday_of(date)) b { (date.day()) } i class=(mark(date)) {} };
                @let today = (date == days.times.date(days.times.now)).then_some("today");
                @if has(date) { a class=[today] href=(format_args!("#{}", id(date))) { (inner) } }
                @else { span class=[today] { (inner) } }
            }
        }
    }
}

fn day(days: &Days, date: Date, items: &[Listed], has_place: bool, people: &People) -> Markup {
    let is_today = date == days.times.date(days.times.now);
    html! {
        section class=(if is_today { "ag-day today" } else { "ag-day" }) {
            h3 id=(id(date)) {
                @if is_today { "Today " small.muted { (days.times.day_text(date)) } } @else { (days.times.day_text(date)) }
            }
            ol { @for one in items { li { (entry(days, date, one, has_place, people)) } } }
        }
    }
}

fn entry(days: &Days, date: Date, one: &Listed, has_place: bool, people: &People) -> Markup {
    let (item, times) = (one.item, &days.times);
    // Of what begins on the day and is over within 24 hours, the day of the end is plain.
    let is_short = |until: Timestamp| {
        times.date(item.from) == date
            && (times.date(until) == date || until.duration_since(item.from).as_hours() < 24)
    };
    let (class, avatar) = match &item.user {
        Some(user) if people.is_me(user) => (
            format!("ag {} me", colour(user)),
            people.avatar(user, Size::Usual),
        ),
        Some(user) => (
            format!("ag {}", colour(user)),
            people.avatar(user, Size::Usual),
        ),
        None if item.kind == Kind::Gap => (
            "ag gap".to_owned(),
            html! { span.av.no aria-hidden="true" { "?" } },
        ),
        None => (
            "ag".to_owned(),
            html! { span.av aria-hidden="true" { "?" } },
        ),
    };
    let is_mine = item.user.as_ref().is_some_and(|user| people.is_me(user));
    html! {
        a class=(class) href=(item.path) data-cell=(item.cell) data-start=(item.from) data-end=[item.until] data-user=[item.user.as_ref()] {
            (avatar)
            b { bdi { (item.who) } }
            small {
                @if let Some(word) = &item.word { (word) @if has_place { " · " } }
                @if let Some(rotation) = one.rotation.filter(|name| *name != item.place) { bdi { (rotation) } ", " }
                @if has_place { bdi { (item.place) } }
                @if is_mine { @if has_place { ", you" } @else if item.word.is_some() { ", you" } @else { "you" } }
            }
            span.tm {
                @match item.until {
                    Some(until) if is_short(until) => { (times.hour(item.from)) br; "to " (times.hour(until)) },
                    Some(until) => { "to " (times.day_text(times.date(until))) br; (times.hour(until)) },
                    None => "until somebody hands over",
                }
            }
        }
    }
}
