//! Five weeks as a calendar, with the reader's turns and when they are away.

use super::turns::Mine;
use crate::domain::absence::Absence;
use crate::domain::time::Interval;
use crate::web::pages::times;
use crate::web::parts::days::monday;
use crate::web::parts::icon::icon;
use crate::web::parts::people::colour;
use crate::web::parts::time::{self, Times};
use crate::web::visit::Visit;
use jiff::civil::{Date, Weekday};
use jiff::{SignedDuration, ToSpan};
use maud::{Markup, html};

/// Days that are shown.
const DAYS: i64 = 35;

/// Names that fit beside each other on a day.
const MOST: usize = 4;

/// The first day: the Monday of this week, or of the week that the address asks for, which is none in the past.
pub fn first(visit: &Visit) -> Date {
    let times = times(visit);
    let this = monday(times.date(visit.now));
    let asked = visit.query.filled("from");
    let asked = asked.and_then(|text| time::parse(text, visit.zone));
    let latest = this.saturating_add(60.weeks());
    asked.map_or(this, |typed| {
        monday(times.date(typed.at)).clamp(this, latest)
    })
}

/// The instants of the days that are shown.
pub fn range(visit: &Visit) -> Interval {
    let (times, first) = (times(visit), first(visit));
    let at = |days: i64| times.midnight(first.saturating_add(days.days()));
    Interval {
        from: at(0).unwrap_or(visit.now),
        until: at(DAYS).unwrap_or(visit.now),
    }
}

/// Something that goes on for days.
struct Event {
    first: Date,
    last: Date,
    name: String,
    path: String,
    is_away: bool,
    /// Its line in each of its days, so that it goes straight across.
    line: usize,
}

/// The card.
pub fn card(visit: &Visit, own: &[Mine], away: &[Absence]) -> Markup {
    let (times, begin) = (times(visit), first(visit));
    let events = events(&times, own, away, begin);
    let this = monday(times.date(visit.now));
    let to = |weeks: i64| format!("/me?from={}#month", begin.saturating_add(weeks.weeks()));
    let last = begin.saturating_add((DAYS - 1).days());
    html! {
        section.card aria-labelledby="month" {
            div.tools {
                h2 #month { "My calendar" }
                span.muted.small { (times.day_text(begin)) " to " (times.day_text(last)) }
                nav.row.push aria-label="Weeks" {
                    @if begin > this { a.btn.s.sq href=(to(-5)) { (icon("left")) span.sr { "The five weeks before" } } }
                    a.btn.s href="/me#month" { "Today" }
                    a.btn.s.sq href=(to(5)) { (icon("right")) span.sr { "The five weeks after" } }
                }
            }
            div.month {
                @for index in 0..7 { div.dow { (times.weekday_of(begin.saturating_add(index.days()))) } }
                @for index in 0..DAYS { (day(visit, &times, begin.saturating_add(index.days()), index, &events)) }
            }
            p.key.small.muted { "Solid: you are on call. Striped: you are away. The same as a list: " a href="/me/turns" { "90 days" } }
        }
    }
}

fn day(visit: &Visit, times: &Times, date: Date, index: i64, events: &[Event]) -> Markup {
    let is_free = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
    let of_day: Vec<&Event> = events
        .iter()
        .filter(|event| event.first <= date && date <= event.last)
        .collect();
    let lines = of_day
        .iter()
        .map(|event| event.line + 1)
        .max()
        .unwrap_or(0)
        .min(MOST);
    let is_today = date == times.date(visit.now);
    let month = times.day_text(date);
    let month = month.split(' ').nth(2).unwrap_or_default();
    html! {
        div.c.o[is_free].today[is_today] {
            b { (date.day()) @if index == 0 || date.day() == 1 { span.hide-s { " " (month) } } }
            @for line in 0..lines {
                @match of_day.iter().find(|event| event.line == line) {
                    Some(event) => (piece(visit, event, date)),
                    None => span.ev.none aria-hidden="true" { "·" },
                }
            }
            @if of_day.len() > lines { span.sr { "and more" } }
        }
    }
}

/// The part of an event that lies on a day. The first one has its name and its link; the others repeat neither.
fn piece(visit: &Visit, event: &Event, date: Date) -> Markup {
    let place = match (date == event.first, date == event.last) {
        (true, true) => " one",
        (true, false) => "",
        (false, true) => " end",
        (false, false) => " mid",
    };
    let kind = match (event.is_away, visit.user()) {
        (true, _) | (_, None) => "aw".to_owned(),
        (false, Some(me)) => format!("me {}", colour(me)),
    };
    let class = format!("ev {kind}{place}");
    html! {
        @if date == event.first { a class=(class) href=(event.path) { bdi { (event.name) } } }
        @else { span class=(class) aria-hidden="true" { (event.name) } }
    }
}

fn events(times: &Times, own: &[Mine], away: &[Absence], begin: Date) -> Vec<Event> {
    let end = begin.saturating_add((DAYS - 1).days());
    let event = |period: Interval, name: String, path: String, is_away: bool| {
        let until = period.until.saturating_sub(SignedDuration::from_nanos(1));
        let last = until.map_or(end, |until| times.date(until));
        Event {
            first: times.date(period.from).max(begin),
            last: last.min(end),
            name,
            path,
            is_away,
            line: 0,
        }
    };
    let turns = own.iter().map(|turn| {
        let whole = Interval::new(turn.from(), turn.end());
        event(whole, turn.rotation().1.to_owned(), turn.path(), false)
    });
    let absences = away.iter().map(|absence| {
        let path = format!("/me/absences/{}", absence.id);
        event(absence.period, "away".to_owned(), path, true)
    });
    let mut all: Vec<Event> = turns
        .chain(absences)
        .filter(|event| event.first <= event.last)
        .collect();
    all.sort_by_key(|event| (event.is_away, event.first));
    for index in 0..all.len() {
        let (before, rest) = all.split_at_mut(index);
        let meets = |other: &&Event| other.first <= rest[0].last && rest[0].first <= other.last;
        let taken: Vec<usize> = before
            .iter()
            .filter(meets)
            .map(|other| other.line)
            .collect();
        rest[0].line = (0..).find(|line| !taken.contains(line)).unwrap_or_default();
    }
    all
}
