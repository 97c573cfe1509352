//! The week of several rotations beside each other: on the first page and in the list of all.

use super::{path_to, times};
use crate::actions::duties;
use crate::domain::duty::Duty;
use crate::domain::rotation::Rotation;
use crate::domain::time::{Interval, joined, shared, without};
use crate::server::Problem;
use crate::web::parts::agenda::{Listed, agenda_of};
use crate::web::parts::days::{Days, monday};
use crate::web::parts::icon::icon;
use crate::web::parts::item::{self, Item, Kind, Row};
use crate::web::parts::legend::legend;
use crate::web::parts::menu::menu;
use crate::web::parts::people::People;
use crate::web::parts::time;
use crate::web::parts::timeline::{Lane, timeline};
use crate::web::visit::Visit;
use jiff::{SignedDuration, ToSpan};
use maud::{Markup, html};

/// Turns that are drawn of all rotations together, and listed on narrow screens: as many as a page has room for beside the cards.
const DRAWN: usize = 120;
const LISTED: usize = 24;

/// How far from now items are read besides those of the week: who follows now is among them.
const AHEAD: SignedDuration = SignedDuration::from_hours(8 * 24);

/// One rotation with its items.
pub struct Weekly<'a> {
    pub rotation: &'a Rotation,
    pub rows: Vec<Row>,
}

/// The week that the address asks for by `from`, else this one.
pub fn days(visit: &Visit) -> Days {
    let times = times(visit);
    let from = visit.query.filled("from");
    let from = from.and_then(|text| time::parse(text, visit.zone));
    let date = from.map_or(times.date(visit.now), |typed| times.date(typed.at));
    Days::new(monday(date), 7, times)
}

/// The items of rotations in a week, and from now on.
pub fn load<'a>(
    visit: &Visit,
    rotations: impl IntoIterator<Item = &'a Rotation>,
    days: &Days,
) -> Result<(Vec<Weekly<'a>>, People), Problem> {
    let (week, ahead) = (days.range(), Interval::ahead(visit.now, AHEAD));
    let range = match week.from <= ahead.until && ahead.from <= week.until {
        true => Interval {
            from: week.from.min(ahead.from),
            until: week.until.max(ahead.until),
        },
        false => week,
    };
    let mut read = Vec::new();
    let mut people = People::load(visit.app(), [], visit.reader.is_some())?;
    for rotation in rotations {
        let found = duties::list(visit.app(), &visit.caller, &rotation.id, range);
        let (_, duties, arranged) = found?;
        let users = duties.iter().flat_map(Duty::people);
        let beneath = arranged.iter().flat_map(|one| one.snapshot.people());
        let users: Vec<_> = users.chain(beneath).cloned().collect();
        people.add(visit.app(), users)?;
        read.push((rotation, duties, arranged));
    }
    let people = people.read_by(visit.user());
    let weekly = read.iter().map(|(rotation, duties, arranged)| Weekly {
        rotation,
        rows: item::rows(rotation, (duties, arranged), &people, &path_to(rotation)),
    });
    let weekly = weekly.collect();
    Ok((weekly, people))
}

/// Rows of one line that never meet within a week are one row: weekdays and weekends, or the hours of two zones.
pub fn merged(rows: &[Row], week: Interval) -> Vec<Row> {
    let mut merged: Vec<Row> = Vec::new();
    for row in rows {
        let meets = |one: &Row| {
            let (theirs, ours) = (covered(one, week), covered(row, week));
            one.line != row.line || !shared(&theirs, &ours).is_empty()
        };
        match merged.iter_mut().find(|one| !meets(one)) {
            Some(one) => join(one, row, week),
            None => merged.push(row.clone()),
        }
    }
    merged
}

/// When a row has hours.
fn covered(row: &Row, week: Interval) -> Vec<Interval> {
    spans(row, week, |kind| kind != Kind::Off)
}

fn spans(row: &Row, week: Interval, wanted: impl Fn(Kind) -> bool) -> Vec<Interval> {
    let items = row.items.iter().filter(|item| wanted(item.kind));
    joined(
        items
            .filter_map(|item| Interval::new(item.from, item.end()).meets(week))
            .collect(),
    )
}

fn join(one: &mut Row, other: &Row, week: Interval) {
    // Hours are left out where neither has any.
    let off = shared(
        &spans(one, week, |kind| kind == Kind::Off),
        &spans(other, week, |kind| kind == Kind::Off),
    );
    let off = without(&off, &covered(one, week));
    let example = one
        .items
        .iter()
        .chain(&other.items)
        .find(|item| item.kind == Kind::Off)
        .cloned();
    one.items.retain(|item| item.kind != Kind::Off);
    one.items.extend(
        other
            .items
            .iter()
            .filter(|item| item.kind != Kind::Off)
            .cloned(),
    );
    if let Some(example) = example {
        one.items.extend(off.into_iter().map(|span| Item {
            from: span.from,
            until: Some(span.until),
            ..example.clone()
        }));
    }
    one.items.sort_by_key(|item| item.from);
    if one.name != other.name {
        one.more = format!("{}, {}", one.name, other.name);
    }
}

/// The card with the week: a row for each rotation, or more where several people are on call at once.
pub fn card(visit: &Visit, days: &Days, all: &[Weekly], people: &People, path: &str) -> Markup {
    let range = days.range();
    let in_week = |item: &&Item| item.from < range.until && item.end() > range.from;
    let merged: Vec<(&Rotation, Vec<Row>)> = (all.iter())
        .map(|one| (one.rotation, merged(&one.rows, range)))
        .collect();
    // So many turns that they cannot be told apart any more: the rest is told on the pages of the rotations.
    let mut room = DRAWN;
    let mut lanes: Vec<Lane> = Vec::new();
    let mut listed: Vec<Listed> = Vec::new();
    let mut left: Vec<&Rotation> = Vec::new();
    for (rotation, rows) in &merged {
        let items = || rows.iter().flat_map(|row| &row.items).filter(in_week);
        let count = items().filter(|item| item.kind != Kind::Off).count();
        if count > room {
            left.push(rotation);
            continue;
        }
        room -= count;
        let name = rotation.profile.name.as_str();
        listed.extend(items().map(|item| Listed {
            item,
            rotation: Some(name),
        }));
        for (index, row) in rows.iter().enumerate() {
            lanes.push(lane(visit, rotation, row, index, rows.len()));
        }
    }
    listed.sort_by_key(|one| one.item.from);
    let to = |days_on: i64| format!("{path}from={}", days.first.saturating_add(days_on.days()));
    let title = match range.contains(visit.now) {
        true => "This week",
        false => "The week",
    };
    html! {
        section.card aria-labelledby="week" {
            div.tools {
                h2 #week { (title) }
                span.muted.small { (days.text()) }
                nav.row.push aria-label="Week" {
                    a.btn.s.sq href=(to(-7)) { (icon("left")) span.sr { "The week before" } }
                    a.btn.s href=(path.trim_end_matches(['?', '&'])) { "Today" }
                    a.btn.s.sq href=(to(7)) { (icon("right")) span.sr { "The week after" } }
                }
            }
            (timeline(days, &lanes, &[], people))
            (legend(listed.iter().map(|one| one.item), people))
            (agenda_of(days, &listed, people, (&to(7), LISTED)))
            (menu(visit))
            @if !left.is_empty() {
                p.pad.small.muted {
                    "With more turns than can be drawn here: "
                    @for (index, rotation) in left.iter().enumerate() { @if index > 0 { ", " } (super::link_to(rotation)) }
                    "."
                }
            }
        }
    }
}

fn lane<'r>(
    visit: &Visit,
    rotation: &'r Rotation,
    row: &'r Row,
    index: usize,
    rows: usize,
) -> Lane<'r> {
    let name = &rotation.profile.name;
    Lane {
        name: match index {
            0 => html! { b { a href=(path_to(rotation)) { bdi { (name) } } } },
            _ => html! { b.sr { bdi { (name) } } },
        },
        more: match rows {
            1 => &row.more,
            _ => &row.name,
        },
        label: match rows {
            1 => name.clone(),
            _ => format!("{name}, {}", row.name),
        },
        items: &row.items,
        is_plan: false,
        may: super::may(visit, rotation),
    }
}
