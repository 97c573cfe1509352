//! One rotation: its timeline, the same as a table, the order, absences, requests, and what the reader may do.

use super::{named, notices, path_to, slot_label, slot_text, tag, times, why};
use crate::actions::duties;
use crate::actions::{absences, requests};
use crate::domain::absence::Absence;
use crate::domain::arrangement::{Arrangement, ArrangementKind};
use crate::domain::duty::{Duty, DutyKind};
use crate::domain::ids::UserId;
use crate::domain::request::Request;
use crate::domain::rotation::{Mode, Rotation};
use crate::domain::time::{Interval, shared, without};
use crate::server::{Outcome, Problem};
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::confirm;
use crate::web::parts::external;
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::parts::people::{self, People, initials};
use crate::web::parts::time::{self, Times};
use crate::web::parts::timeline::{Kind, Piece, Row, timeline};
use crate::web::parts::warned;
use crate::web::visit::Visit;
use jiff::{Timestamp, ToSpan};
use maud::{Markup, html};

/// The spans that can be chosen, in days.
const SPANS: [(&str, i64); 4] = [("1d", 1), ("7d", 7), ("14d", 14), ("28d", 28)];

/// Rows of the table at the most.
const MOST_ROWS: usize = 300;

/// Open requests that are listed at the most.
const MOST_REQUESTS: usize = 50;

/// The range of a page: from the first instant of a day, or an instant.
struct TimelineRange {
    range: Interval,
    span: &'static str,
    days: i64,
}

impl TimelineRange {
    fn read(visit: &Visit) -> TimelineRange {
        let times = times(visit);
        let chosen = SPANS
            .iter()
            .find(|(name, _)| visit.query.one("span") == *name);
        let (span, days) = *chosen.unwrap_or(&SPANS[2]);
        let today = times.midnight(times.date(visit.now)).unwrap_or(visit.now);
        let from = visit.query.filled("from");
        let from = from.and_then(|text| time::parse(text, visit.zone));
        let from = from.map_or(today, |typed| typed.at);
        let first = times.date(from);
        let until = first
            .checked_add(days.days())
            .ok()
            .and_then(|last| times.midnight(last))
            .filter(|_| times.midnight(first) == Some(from));
        let length = jiff::SignedDuration::from_hours(24 * days);
        let until = until.unwrap_or(from.saturating_add(length).unwrap_or(Timestamp::MAX));
        TimelineRange {
            range: Interval { from, until },
            span,
            days,
        }
    }

    fn path(&self, base: &str, times: &Times, days: i64) -> String {
        let from = times.date(self.range.from).checked_add(days.days());
        let from = from.map_or_else(|_| String::new(), |date| date.to_string());
        format!("{base}?from={from}&span={}", self.span)
    }
}

/// GET /rotations/{rotation}.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let shown = TimelineRange::read(visit);
    let (rotation, items, arranged) =
        duties::list(visit.app(), &visit.caller, &known.id, shown.range)?;
    let away = match visit.reader {
        Some(_) => absences::list(visit.app(), &visit.caller, &known.id, Some(visit.now), None)?,
        None => Vec::new(),
    };
    let asked = asked(visit, &rotation)?;
    let people = people(visit, &rotation, &items, &away, &asked)?;
    let is_editor = visit.caller.check_edit(&rotation).is_ok();
    let notices = match visit.reader {
        Some(_) => notices::line(visit, &rotation, is_editor)?,
        None => html! {},
    };
    let profile = &rotation.profile;
    let content = html! {
        p.crumb { @if visit.reader.is_some() { a href="/rotations" { "Rotations" } } @else { a href="/" { "On call" } } }
        div.head {
            div {
                h1 { bdi { (profile.name) } }
                p.sub {
                    @if let Some(code) = &profile.code { code { (code) } " " }
                    @if rotation.enabled { span.tag.good { "Enabled" } } @else { span.tag.warn { "Disabled" } }
                    @if rotation.mode() == Mode::Manual { " " span.tag { "Manual" } }
                    @if rotation.mode() == Mode::External { " " span.tag { "External" } }
                    @if !profile.public { " " span.tag { "Private" } }
                    @if visit.reader.is_some() { " " (warned::count(&path_to(&rotation), visit.app().warned().counted().get(&rotation.id))) }
                }
            }
            (actions(visit, &rotation, is_editor))
        }
        @if let Some(text) = &profile.description { p { bdi { (text) } } }
        (external::told(&rotation, &visit.app().as_of(visit.app().now()), &times(visit)))
        (standing(&rotation, is_editor))
        (notices)
        section.card.pad aria-labelledby="plan" {
            (choose(visit, &rotation, &shown))
            (timeline(&rows(visit, &rotation, (&items, &arranged), &shown, &people), shown.range, &times(visit)))
        }
        (table(visit, &rotation, &items, &arranged, &people, is_editor, &shown))
        div.cols.a {
            div {
                (order(visit, &rotation, &people))
                @if visit.reader.is_some() { (open_requests(visit, &rotation, &asked, &people)) }
            }
            @if visit.reader.is_some() { (absence_list(visit, &rotation, &away, &people)) }
        }
        @if visit.reader.is_some() {
            div.actions {
                a.btn.s href=(format!("{}/history", path_to(&rotation))) { "Record" }
                a.btn.s href=(format!("{}/load", path_to(&rotation))) { "Load" }
                a.btn.s href=(format!("{}/warnings", path_to(&rotation))) { "Warnings" }
                (super::feeds::make_for(&rotation))
                @if is_editor { a.btn.s href=(format!("{}/settings", path_to(&rotation))) { "Settings" } }
            }
        }
    };
    Ok(layout::page(visit, &profile.name, content))
}

/// The open requests of a rotation, and one more where there are more than are listed. Whoever is not signed in sees none.
fn asked(visit: &Visit, rotation: &Rotation) -> Result<Vec<Request>, Problem> {
    if visit.reader.is_none() {
        return Ok(Vec::new());
    }
    let (app, caller) = (visit.app(), &visit.caller);
    Ok(requests::pending(app, caller, rotation, MOST_REQUESTS + 1)?)
}

fn people(
    visit: &Visit,
    rotation: &Rotation,
    items: &[Duty],
    away: &[Absence],
    asked: &[Request],
) -> Result<People, Problem> {
    let members = crate::domain::roster::order(&rotation.members, None);
    let mut users: Vec<UserId> = members.into_iter().map(|one| one.user).collect();
    for item in items {
        users.extend(item.entry.user.clone());
        users.extend(
            item.entry
                .skipped
                .iter()
                .map(|skipped| skipped.user.clone()),
        );
    }
    users.extend(away.iter().map(|absence| absence.user.clone()));
    users.extend(rotation.profile.owners.iter().cloned());
    for one in asked {
        users.push(one.requester.clone());
        users.extend(one.recipients.iter().cloned());
    }
    Ok(People::load(visit.app(), &users, visit.reader.is_some())?)
}

/// The actions on the whole rotation that the reader may take.
fn actions(visit: &Visit, rotation: &Rotation, is_editor: bool) -> Markup {
    let base = path_to(rotation);
    let is_member = visit.user().is_some_and(|user| rotation.has_member(user));
    html! {
        @if rotation.enabled && rotation.external.is_none() && (is_editor || is_member) {
            p.actions {
                @if is_editor {
                    a.btn href=(format!("{base}/rotate")) { "Rotate" }
                    a.btn href=(format!("{base}/on-call")) { "Set on duty" }
                    a.btn href=(format!("{base}/assign")) { "Assign" }
                }
                @if is_member {
                    a.btn href=(format!("{base}/cover")) { "Ask for cover" }
                    a.btn href=(format!("{base}/swap")) { "Swap" }
                }
            }
        }
    }
}

/// The remark on a rotation that does nothing by itself.
fn standing(rotation: &Rotation, is_editor: bool) -> Markup {
    let empty = crate::domain::roster::order(&rotation.members, None).is_empty();
    html! {
        @if !rotation.enabled {
            div.note.warn.said { p { "This rotation is disabled: whoever was on duty stays, and nobody hands over." } }
        } @else if empty && rotation.external.is_none() {
            div.note.warn.said { p { "Nobody is in this rotation." @if is_editor { " Add people to it, and the first of them comes on." } } }
        } @else if rotation.mode() == Mode::Manual {
            div.note.said { p { "Manual: nobody hands over by itself." @if is_editor { " Use “Rotate” or “Set on duty”." } } }
        }
    }
}

fn choose(visit: &Visit, rotation: &Rotation, shown: &TimelineRange) -> Markup {
    let (times, base, errors) = (times(visit), path_to(rotation), Errors::default());
    let values = Form::with([
        ("from", times.date_value(shown.range.from)),
        ("span", shown.span.to_owned()),
    ]);
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    let spans = SPANS.map(Choice::days);
    html! {
        h2 #plan { "Who is on call" }
        div.choose {
            nav aria-label="Dates" {
                p.actions {
                    a.btn.s href=(shown.path(&base, &times, -shown.days)) { "Earlier" }
                    a.btn.s href=(base) { "Today" }
                    a.btn.s href=(shown.path(&base, &times, shown.days)) { "Later" }
                }
            }
            form method="get" action=(base) {
                div.inline {
                    (filled.input("date", "from", "From", "", false))
                    (filled.select("span", "Show", "", &spans))
                    button.btn type="submit" { "Show" }
                }
            }
        }
    }
}

fn kind_of(item: &Duty, arranged: &[Arrangement]) -> Kind {
    let record = arrangement(item, arranged);
    match (item.kind(), record.map(|record| record.kind)) {
        (DutyKind::Turn, _) => Kind::Turn,
        (DutyKind::Arrangement, Some(ArrangementKind::AcceptedCover)) => Kind::Cover,
        (DutyKind::Arrangement, Some(ArrangementKind::SwapLeg)) => Kind::Swap,
        (DutyKind::Arrangement, _) => Kind::Assignment,
        (DutyKind::Nobody, _) if item.is_open => Kind::Gap,
        (DutyKind::Nobody, _) => Kind::Shut,
    }
}

/// The arrangement by which somebody has a piece.
pub fn arrangement<'a>(item: &Duty, arranged: &'a [Arrangement]) -> Option<&'a Arrangement> {
    let id = item.entry.arrangement.as_ref()?;
    arranged.iter().find(|one| one.id == *id)
}

/// When whoever has a piece is away. Only whoever signs in is told.
fn away(visit: &Visit, rotation: &Rotation, item: &Duty) -> Vec<Interval> {
    let user = item.entry.user.as_ref().filter(|_| visit.reader.is_some());
    user.map_or_else(Vec::new, |user| rotation.absences.periods_of(user))
}

fn rows(
    visit: &Visit,
    rotation: &Rotation,
    (items, arranged): (&[Duty], &[Arrangement]),
    shown: &TimelineRange,
    people: &People,
) -> Vec<Row> {
    let cells = rotation.cells.iter().filter(|cell| !cell.stopped);
    let row = |cell: &crate::domain::rotation::Cell| {
        let own = items.iter().filter(|item| item.cell == cell.id);
        let pieces = own.flat_map(|item| {
            let whole = item.period().meets(shown.range);
            let whole: Vec<Interval> = whole.into_iter().collect();
            let away = away(visit, rotation, item);
            let here = without(&whole, &away).into_iter().map(|span| (span, false));
            let gone = shared(&whole, &away).into_iter().map(|span| (span, true));
            let who = item.entry.user.as_ref().map(|user| people.name(user));
            let who = who.or(item.entry.outside.as_deref());
            let piece = move |(period, is_away)| Piece {
                period,
                is_away,
                kind: kind_of(item, arranged),
                colour: item
                    .entry
                    .user
                    .as_ref()
                    .map_or(String::new(), people::colour),
                who: who.unwrap_or_default().chars().take(60).collect(),
                short: who.map_or(String::new(), initials),
            };
            here.chain(gone).map(piece).collect::<Vec<_>>()
        });
        Row {
            name: slot_label(rotation, cell),
            pieces: pieces.collect(),
        }
    };
    cells.map(row).collect()
}

fn table(
    visit: &Visit,
    rotation: &Rotation,
    items: &[Duty],
    arranged: &[Arrangement],
    people: &People,
    is_editor: bool,
    shown: &TimelineRange,
) -> Markup {
    let has_slots = rotation.cells.len() > 1;
    let listed = items.iter().filter(|item| {
        let ends = item.end.is_none_or(|end| end > shown.range.from);
        kind_of(item, arranged) != Kind::Shut && ends && item.entry.start < shown.range.until
    });
    let listed: Vec<&Duty> = listed.collect();
    html! {
        section.card.flush aria-labelledby="turns" {
            h2 #turns { "Turns" }
            @if listed.is_empty() {
                div.pad { p.muted { "Nobody is on call in these days." } }
            } @else {
                table.rows {
                    caption { "Covered hours only. A turn’s time leads to its page, with everything that can be done with it." }
                    thead {
                        tr {
                            th scope="col" { "When" }
                            @if has_slots { th scope="col" { "Lane, window" } }
                            th scope="col" { "Who" } th scope="col" { "What" }
                            th scope="col" { span.sr { "Actions" } }
                        }
                    }
                    tbody {
                        @for item in listed.iter().take(MOST_ROWS) {
                            (turn(visit, rotation, item, arranged, people, is_editor, has_slots))
                        }
                    }
                }
                @if listed.len() > MOST_ROWS {
                    div.pad { p.muted { "And " (listed.len() - MOST_ROWS) " more: show fewer days." } }
                }
            }
        }
    }
}

fn turn(
    visit: &Visit,
    rotation: &Rotation,
    item: &Duty,
    arranged: &[Arrangement],
    people: &People,
    is_editor: bool,
    has_slots: bool,
) -> Markup {
    let (times, kind) = (times(visit), kind_of(item, arranged));
    let window = rotation.windows.iter().find(|one| one.id == item.window);
    let zone = window.and_then(|window| window.zone);
    let is_now = item.entry.start <= visit.now && !item.is_over(visit.now);
    let base = path_to(rotation);
    html! {
        tr.now[is_now] data-cell=(item.cell) data-start=(item.entry.start) data-end=[item.end] data-user=[item.entry.user.as_ref()] {
            td {
                a href=(format!("{base}/shifts/{}/{}", item.cell, item.entry.start)) {
                    (times.period(item.entry.start, item.end))
                }
                (times.period_beside(item.entry.start, item.end, zone))
                @if is_now { " " span.tag.good { "now" } }
            }
            @if has_slots { td data-label="Lane, window" { bdi { (slot_text(&duties::slot_of(rotation, item))) } } }
            td data-label="Who" {
                @match (&item.entry.user, &item.entry.outside) {
                    (Some(user), _) => (people.show(user)),
                    (None, Some(name)) => { bdi { (name) } " " span.tag { "not in chat" } }
                    (None, None) => span.tag.bad { "Nobody" }
                }
            }
            td.plain[kind == Kind::Turn] data-label="What" {
                (kind.word())
                @for period in shared(&[item.period()], &away(visit, rotation, item)) {
                    br; span.tag.warn { "away and still on call" } " " (times.period(period.from, Some(period.until)))
                }
                @for skipped in &item.entry.skipped { br; span.muted { (people.name(&skipped.user)) " is away and was passed over" } }
            }
            td {
                div.actions {
                    (turn_actions(visit, rotation, item, arranged, is_editor))
                    @if visit.reader.is_some() {
                        a href=(why::path(&base, &item.cell, (item.entry.start, item.end), visit.now)) { "Why?" }
                    }
                }
            }
        }
    }
}

fn turn_actions(
    visit: &Visit,
    rotation: &Rotation,
    item: &Duty,
    arranged: &[Arrangement],
    is_editor: bool,
) -> Markup {
    let is_own = rotation.enabled && rotation.external.is_none();
    if item.is_over(visit.now) || !is_own || visit.reader.is_none() {
        return html! {};
    }
    let base = path_to(rotation);
    let from = item.entry.start.max(visit.now);
    let place = match item.end {
        Some(end) => format!("cellId={}&from={from}&to={end}", item.cell),
        None => format!("cellId={}&from={from}", item.cell),
    };
    let is_mine = item.entry.user.is_some() && item.entry.user.as_ref() == visit.user();
    let record = arrangement(item, arranged);
    let ended = record.filter(|one| is_editor && one.kind == ArrangementKind::DirectAssignment);
    html! {
        @if is_mine {
            a.btn.s href=(format!("{base}/cover?{place}")) { "Ask for cover" }
            @if item.entry.start > visit.now && item.entry.arrangement.is_none() {
                a.btn.s href=(format!("{base}/swap?{place}")) { "Swap" }
            }
        }
        // A turn that somebody holds is assigned from its own page: a button in every row would drown the others.
        @if is_editor && item.entry.user.is_none() {
            a.btn.s href=(format!("{base}/assign?{place}")) { "Fill" }
        }
        @if let Some(record) = ended {
            form.bare method="post" action=(format!("{base}/arrangements/{}/end", record.id)) {
                (confirm::carried(&tag(visit, rotation), rotation))
                (hidden("expectedRevision", &record.revision.to_string()))
                button.btn.s type="submit" { "End" }
            }
        }
    }
}

/// The order of each roster, with who is next.
fn order(visit: &Visit, rotation: &Rotation, people: &People) -> Markup {
    html! {
        section.card.pad aria-labelledby="order" {
            h2 #order { "Order" }
            @for roster in &rotation.rosters {
                @let order = rotation.order(roster);
                @let used = rotation.cells.iter().any(|cell| cell.roster == roster.id);
                @if used || rotation.rosters.len() == 1 {
                    @if let Some(id) = &roster.id { h3 { "Roster " bdi { (id) } } }
                    @if order.is_empty() { p.muted { "Nobody yet." } }
                    ol.order {
                        @for (index, position) in order.iter().enumerate() {
                            li {
                                (people.show(&position.user))
                                @for window in rotation.windows.iter().filter(|window| roster.next_turn(&window.id) == Some(index)) {
                                    " " span.tag { "next" @if let Some(name) = window.name.as_ref().filter(|_| rotation.windows.len() > 1) { ": " (name) } }
                                }
                            }
                        }
                    }
                }
            }
            @if visit.reader.is_some() {
                p.muted { "Owners: " (people.show_all(&rotation.profile.owners)) }
            }
        }
    }
}

fn open_requests(visit: &Visit, rotation: &Rotation, asked: &[Request], people: &People) -> Markup {
    let listed = asked.iter().take(MOST_REQUESTS);
    let listed = listed.map(|request| (request, rotation.profile.name.as_str()));
    html! {
        section.card.pad aria-labelledby="requests" {
            h2 #requests { "Open requests" }
            @if asked.is_empty() { p.muted { "None. Ask for cover, or swap, from a turn of yours above." } }
            @else { (super::requests::list(visit, listed, people)) }
            @if asked.len() > MOST_REQUESTS {
                p.muted { "There are more than the " (MOST_REQUESTS) " that begin first. Yours are on " a href="/requests" { "Requests" } "." }
            }
        }
    }
}

fn absence_list(visit: &Visit, rotation: &Rotation, away: &[Absence], people: &People) -> Markup {
    let times = times(visit);
    let is_member = visit.user().is_some_and(|user| rotation.has_member(user));
    html! {
        section.card.pad aria-labelledby="away" {
            h2 #away { "Away" }
            @if away.is_empty() { p.muted { "Nobody is away." } } @else {
                ul.items {
                    @for absence in away {
                        li {
                            (people.show(&absence.user)) " "
                            (times.period(absence.period.from, Some(absence.period.until)))
                            @if let Some(reason) = &absence.reason { " " span.muted { bdi { (reason) } } }
                        }
                    }
                }
            }
            @if is_member { p.actions { a.btn.s href="/me/absences/new" { "I am away" } } }
        }
    }
}
