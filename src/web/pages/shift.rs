//! One turn: who and why, what the reader may do with it, both zones, and how to reach whoever has it.

mod candidates;
mod doing;

use super::elsewhere::elsewhere;
use super::{named, path_to, times};
use crate::actions::explain::{self, Question};
use crate::actions::{ActionError, directory_edit, duties};
use crate::domain::arrangement::{Arrangement, ArrangementKind};
use crate::domain::duty::Duty;
use crate::domain::explain::ExplainedCell;
use crate::domain::ids::CellId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use crate::server::{Outcome, Problem};
use crate::web::layout;
use crate::web::parts::agenda::{Listed, agenda};
use crate::web::parts::confirm;
use crate::web::parts::days::{Days, monday};
use crate::web::parts::fields::hidden;
use crate::web::parts::icon::icon;
use crate::web::parts::item::{self, Item, Kind, Row};
use crate::web::parts::menu::menu;
use crate::web::parts::near;
use crate::web::parts::people::People;
use crate::web::parts::time::{self, Times};
use crate::web::parts::timeline::{Lane, timeline};
use crate::web::parts::turns::{Turn, turns};
use crate::web::parts::why;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// How far before and after an item its turn is looked for.
const AROUND: SignedDuration = SignedDuration::from_hours(15 * 24);

/// What the page of one turn shows.
struct Shown<'v> {
    visit: &'v Visit<'v>,
    rotation: &'v Rotation,
    rows: &'v [Row],
    /// The index of the row that the turn is in.
    row: usize,
    turn: Turn<'v>,
    /// That which the address names.
    item: &'v Item,
    /// The arrangement that the item is held by.
    record: Option<&'v Arrangement>,
    people: &'v People,
    is_editor: bool,
    is_member: bool,
}

impl Shown<'_> {
    fn base(&self) -> String {
        path_to(self.rotation)
    }

    fn times(&self) -> Times {
        times(self.visit)
    }

    /// Whether the item is the reader's.
    fn is_mine(&self) -> bool {
        self.item.user.is_some() && self.item.user.as_ref() == self.visit.user()
    }

    /// Whether the turn has no hours to come.
    fn is_over(&self) -> bool {
        self.item.is_over(self.visit.now)
    }

    /// The hours of the item that are still to come.
    fn rest(&self) -> Interval {
        Interval::new(self.item.from.max(self.visit.now), self.item.end())
    }

    /// From and until: as the address has them, else those of the item from now on.
    fn hours(&self) -> (Timestamp, Option<Timestamp>) {
        let rest = self.rest();
        let asked = |name: &str| {
            let typed = self.visit.query.filled(name);
            let typed = typed.and_then(|text| time::parse(text, self.visit.zone));
            typed.map(|typed| typed.at)
        };
        let from = asked("from").unwrap_or(rest.from).max(rest.from);
        (from, asked("to").or(self.item.until))
    }

    /// The page of this turn, where something else is done.
    fn doing(&self, step: &str) -> String {
        format!("{}?do={step}", self.item.path)
    }
}

/// GET /rotations/{rotation}/shifts/{cell}/{start}.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let cell = CellId::from(visit.part(1));
    let nothing = || Refusal::NotFound("turn");
    let start: Timestamp = visit.part(2).parse().map_err(|_| nothing())?;
    let far = visit
        .now
        .saturating_add(SignedDuration::from_hours(366 * 24));
    if start > far.unwrap_or(Timestamp::MAX) {
        return Err(nothing().into());
    }
    let range = Interval {
        from: start.saturating_sub(AROUND).map_err(|_| nothing())?,
        until: start.saturating_add(AROUND).map_err(|_| nothing())?,
    };
    let (rotation, duties, arranged) = duties::list(visit.app(), &visit.caller, &known.id, range)?;
    let mut users: Vec<_> = duties.iter().flat_map(Duty::people).cloned().collect();
    users.extend(
        arranged
            .iter()
            .flat_map(|one| one.snapshot.people().into_iter().cloned()),
    );
    users.extend(
        crate::domain::roster::order(&rotation.members, None)
            .into_iter()
            .map(|one| one.user),
    );
    let people = People::load(visit.app(), &users, visit.reader.is_some())?.read_by(visit.user());
    let rows = item::rows(
        &rotation,
        (&duties, &arranged),
        &people,
        &path_to(&rotation),
    );
    let found = rows.iter().enumerate().find_map(|(index, row)| {
        let own = || row.items.iter().filter(|item| item.cell == cell);
        let at = own()
            .find(|item| item.from == start)
            .or_else(|| own().find(|item| item.from <= start && start < item.end()));
        Some((index, at?))
    });
    let (row, item) = found.ok_or_else(nothing)?;
    let holds = |turn: &Turn| turn.items.iter().any(|one| std::ptr::eq(*one, item));
    let turn = turns(&rows[row].items).into_iter().find(holds);
    let duty = duties
        .iter()
        .find(|duty| duty.cell == item.cell && duty.entry.start == item.from);
    let page = Shown {
        visit,
        rotation: &rotation,
        rows: &rows,
        row,
        turn: turn.unwrap_or(Turn { items: vec![item] }),
        item,
        record: duty.and_then(|duty| item::arrangement(duty, &arranged)),
        people: &people,
        is_editor: visit.reader.is_some() && visit.caller.check_edit(&rotation).is_ok(),
        is_member: visit.user().is_some_and(|user| rotation.has_member(user)),
    };
    let title = format!("{}, {}", item.who, rotation.profile.name);
    Ok(layout::page(visit, &title, whole(&page)?))
}

fn whole(page: &Shown) -> Result<Markup, Problem> {
    let signed_in = page.visit.reader.is_some();
    let can =
        signed_in && !page.is_over() && page.rotation.enabled && page.rotation.external.is_none();
    Ok(html! {
        (head(page))
        (around(page)?)
        div.cols.m.turn {
            div.stack {
                @if can { (doing::card(page)?) }
                @else if page.is_over() { section.card.pad { p.muted { "This turn is over; it stands in the record." } } }
                @else { section.card.pad { p.muted { "Nothing can be changed here." } } }
            }
            div.stack {
                @if signed_in { (reasons(page)?) }
                (zones(page))
                @if signed_in { (reach(page)?) }
            }
        }
    })
}

fn head(page: &Shown) -> Markup {
    let (times, item, turn) = (page.times(), page.item, &page.turn);
    let now = page.visit.now;
    let is_me = page.is_mine();
    let who = if is_me { "You" } else { item.who.as_str() };
    let verb = match (item.is_over(now), is_me) {
        (true, true) => "were",
        (true, false) => "was",
        (false, true) => "are",
        (false, false) => "is",
    };
    let when = match (item.is_over(now), item.is_now(now)) {
        (true, _) => String::new(),
        (_, true) => " now".to_owned(),
        _ => format!(" from {}", times.near(item.from)),
    };
    let until = turn.until();
    let neighbours = turns(&page.rows[page.row].items);
    let at = neighbours.iter().position(|one| one.from() == turn.from());
    let before = at.and_then(|at| neighbours.get(at.checked_sub(1)?));
    let after = at.and_then(|at| neighbours.get(at + 1));
    html! {
        div.head {
            div {
                p.crumb { (super::link_to(page.rotation)) " · " bdi { (item.place) } }
                h1 { @if item.kind == Kind::Off { "Not covered then, as planned" } @else { bdi { (who) } " " (verb) " on call" (when) } }
                p.sub {
                    (times.text(turn.from()))
                    @if let Some(until) = until { " to " (times.text(until)) ", " (near::length(until.duration_since(turn.from()))) }
                    "."
                    @for one in turn.items.iter().filter(|one| one.word.is_some()).take(3) {
                        " " bdi { (one.who) } " " bdi { (one.word.as_deref().unwrap_or_default()) } " "
                        (times.text(one.from)) @if let Some(until) = one.until { " to " (times.text(until)) } "."
                    }
                }
            }
            div.row.actions {
                @if let Some(before) = before { a.btn.s href=(before.main().path) { (icon("left")) "Turn before" } }
                @if let Some(after) = after { a.btn.s href=(after.main().path) { "Turn after" (icon("right")) } }
            }
        }
    }
}

/// The week around the turn.
fn around(page: &Shown) -> Result<Markup, Problem> {
    let times = page.times();
    let days = Days::new(monday(times.date(page.item.from)), 7, times);
    let range = days.range();
    let may = super::may(page.visit, page.rotation);
    let mut lanes: Vec<Lane> = (page.rows.iter().enumerate())
        .map(|(index, row)| Lane {
            name: match index == page.row {
                true => html! { b { "This turn" } },
                false => html! { b { bdi { (row.name) } } },
            },
            more: if index == page.row {
                &row.name
            } else {
                &row.more
            },
            label: row.name.clone(),
            items: &row.items,
            is_plan: false,
            may,
        })
        .collect();
    let own = match page.visit.reader {
        Some(_) => elsewhere(page.visit, &page.rotation.id, &days)?,
        None => Vec::new(),
    };
    let mut named: Vec<&str> = Vec::new();
    for item in &own {
        if !named.contains(&item.place.as_str()) {
            named.push(&item.place);
        }
    }
    let named = named.join(", ");
    if !own.is_empty() {
        lanes.push(Lane {
            name: html! { b { "You" } },
            more: &named,
            label: format!("You, {named}"),
            items: &own,
            is_plan: false,
            may: "",
        });
    }
    let items = page.rows.iter().flat_map(|row| &row.items);
    let mut listed: Vec<Listed> = (items
        .filter(|item| item.from < range.until && item.end() > range.from))
    .map(|item| Listed {
        item,
        rotation: None,
    })
    .collect();
    listed.sort_by_key(|one| one.item.from);
    Ok(html! {
        section.card aria-labelledby="week" {
            h2.sr #week { "The week" }
            (timeline(&days, &lanes, &[], page.people))
            (agenda(&days, &listed, page.people, &page.base()))
            (menu(page.visit))
        }
    })
}

/// Why it is as it is, and why it is not the reader's.
fn reasons(page: &Shown) -> Result<Markup, Problem> {
    let now = page.visit.now;
    let at = if page.item.is_now(now) {
        now
    } else {
        page.item.from
    };
    let found = explain::of(
        page.visit.app(),
        &page.visit.caller,
        &page.rotation.id,
        Question {
            at: Some(at),
            cell: Some(&page.item.cell),
            ..Question::default()
        },
    );
    let cells: Vec<ExplainedCell> = match found {
        Ok(found) => found.cells,
        Err(ActionError::Refused(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let href = super::why::path(
        &page.base(),
        &page.item.cell,
        (page.item.from, page.item.until),
        now,
    );
    Ok(html! {
        section.card.pad aria-labelledby="why" {
            h2 #why { "Why " bdi { (page.item.who) } }
            @for cell in &cells { (why::steps(cell, page.people, &page.times())) }
            @if cells.is_empty() { p.muted { "Nothing is known of it any more." } }
            @if page.is_member && !page.is_mine() {
                details.more { summary { "Why not me?" } p.small.muted { (why_not_me(page)) } }
            }
            p { a.btn.s.ghost href=(href) { "Everything at that time" } }
        }
    })
}

fn why_not_me(page: &Shown) -> String {
    let (times, me) = (page.times(), page.visit.user());
    let away = me.is_some_and(|me| {
        let periods = page.rotation.absences.periods_of(me);
        periods.iter().any(|period| period.contains(page.item.from))
    });
    let mine = || {
        page.rows
            .iter()
            .flat_map(|row| &row.items)
            .filter(|item| item.user.as_ref() == me)
    };
    let beside = mine().find(|item| item.from < page.item.end() && item.end() > page.item.from);
    let next = mine()
        .filter(|item| item.from >= page.item.end())
        .min_by_key(|item| item.from);
    let last = mine()
        .filter(|item| item.end() <= page.item.from)
        .max_by_key(|item| item.from);
    let mut text = String::new();
    let mut add = |part: String| {
        text.push_str(&part);
        text.push(' ');
    };
    if away {
        add("You are away then.".to_owned());
    }
    if let Some(item) = beside {
        add(format!("You are on call as {} in these hours.", item.place));
    }
    if let Some(item) = last {
        add(format!(
            "You were on call before it, from {}.",
            times.text(item.from)
        ));
    }
    match next {
        Some(item) => add(format!(
            "You come after it in the order: your turn is {}.",
            times.text(item.from)
        )),
        None => add("No turn of yours follows in the next two weeks.".to_owned()),
    }
    text.trim_end().to_owned()
}

/// The turn in the reader's zone, and in that of whoever has it, or of the rotation.
fn zones(page: &Shown) -> Markup {
    let item = page.item;
    let holder = item
        .user
        .as_ref()
        .and_then(|user| page.people.person(user))
        .and_then(|person| person.zone());
    let slot = page
        .rotation
        .slot_of(&item.cell)
        .map(|slot| &page.rotation.cells[slot]);
    let own = slot.and_then(|cell| page.rotation.windows[cell.window].zone);
    let mut zones: Vec<(ZoneName, String)> = vec![(page.visit.zone, "you".to_owned())];
    let mut add = |zone: Option<ZoneName>, whose: &str| {
        if let Some(zone) = zone.filter(|zone| zones.iter().all(|(known, _)| known != zone)) {
            zones.push((zone, whose.to_owned()));
        }
    };
    add(holder.filter(|_| !page.is_mine()), &item.who);
    add(own, "the rotation");
    let text = |zone: ZoneName, at: Timestamp| {
        let times = Times {
            zone,
            now: page.visit.now,
        };
        times.text(at)
    };
    html! {
        section.card.pad aria-labelledby="times" {
            h2 #times { "Times" }
            table.flat {
                caption.sr { "Start and end in each zone" }
                thead { tr { th scope="col" { span.sr { "Zone" } } th scope="col" { "Start" } th scope="col" { "End" } } }
                tbody {
                    @for (zone, whose) in &zones {
                        tr {
                            th scope="row" { (zone.as_str().rsplit('/').next().unwrap_or_default().replace('_', " ")) " (" bdi { (whose) } ")" }
                            td { (text(*zone, item.from)) }
                            td { @match item.until { Some(until) => (text(*zone, until)), None => "open" } }
                        }
                    }
                }
            }
        }
    }
}

/// How to reach whoever has it: as the API tells the reader.
fn reach(page: &Shown) -> Result<Markup, Problem> {
    let holder = page.item.user.as_ref().filter(|_| !page.is_mine());
    let Some(person) = holder.and_then(|user| page.people.person(user)) else {
        return Ok(html! {});
    };
    let phone = match page.visit.caller.reads_contact(&person.id) {
        true => {
            let store = page.visit.app().store();
            let found = store.read(|tx| directory_edit::load_person(tx, &person.id))?;
            found.and_then(|record| record.phone)
        }
        false => None,
    };
    Ok(html! {
        section.card.pad aria-labelledby="reach" {
            h2 #reach { "Reach " bdi { (person.name()) } }
            dl.kv {
                @if let Some(phone) = &phone { dt { "Telephone" } dd { a href=(format!("tel:{phone}")) { (phone) } } }
                @if let Some(mail) = &person.email { dt { "Mail" } dd { a href=(format!("mailto:{mail}")) { (mail) } } }
                dt { "Page" } dd { a href=(crate::web::parts::people::path(&person.id)) { bdi { (person.name()) } } }
            }
        }
    })
}

/// The form that ends what somebody was given, for editors.
fn end(page: &Shown) -> Markup {
    let record = page
        .record
        .filter(|one| page.is_editor && one.kind == ArrangementKind::DirectAssignment);
    html! {
        @if let Some(record) = record {
            form.bare method="post" action=(format!("{}/arrangements/{}/end", page.base(), record.id)) {
                (confirm::carried(&super::tag(page.visit, page.rotation), page.rotation))
                (hidden("expectedRevision", &record.revision.to_string()))
                button.btn.s.bad type="submit" data-action="end" { "End it: the plan counts again" }
            }
        }
    }
}
