//! One rotation: who is on call and until when, the order of people, the timeline, its turns one by one, what is wrong with the
//! plan, what is asked, and who is away.

mod aside;
mod head;
mod problems;
mod weeks;

use super::{named, notices, path_to, times};
use crate::actions::{absences, duties, requests};
use crate::domain::absence::Absence;
use crate::domain::arrangement::Arrangement;
use crate::domain::duty::Duty;
use crate::domain::ids::UserId;
use crate::domain::request::Request;
use crate::domain::rotation::{Mode, Rotation};
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem};
use crate::web::layout;
use crate::web::parts::agenda::{Listed, agenda};
use crate::web::parts::days::{Days, monday};
use crate::web::parts::external;
use crate::web::parts::fields::hidden;
use crate::web::parts::icon::icon;
use crate::web::parts::item::{self, Item, Kind, Row};
use crate::web::parts::legend::legend;
use crate::web::parts::menu::menu;
use crate::web::parts::people::People;
use crate::web::parts::time;
use crate::web::parts::timeline::{self, Gone, Lane, timeline};
use crate::web::visit::Visit;
use jiff::{SignedDuration, ToSpan};
use maud::{Markup, html};

/// The spans that can be chosen, in days; a day by itself is where short turns lead.
const SPANS: [(&str, i64, &str); 4] = [
    ("1d", 1, "1 day"),
    ("7d", 7, "1 week"),
    ("14d", 14, "2 weeks"),
    ("28d", 28, "4 weeks"),
];

/// How far ahead people are told their next turn.
const AHEAD: SignedDuration = SignedDuration::from_hours(28 * 24);

/// Open requests that are listed at the most.
const MOST_REQUESTS: usize = 50;

/// What the page of one rotation shows.
struct Shown<'v> {
    visit: &'v Visit<'v>,
    rotation: Rotation,
    /// Every item from now on, and those of the days that are shown.
    rows: Vec<Row>,
    /// The plan beneath each row; empty where it is not shown, or is the same.
    beneath: Vec<Vec<Item>>,
    with_plan: bool,
    days: Days,
    span: &'static str,
    people: People,
    away: Vec<Absence>,
    asked: Vec<Request>,
    is_editor: bool,
    is_member: bool,
}

impl Shown<'_> {
    /// The path of the rotation's pages.
    fn base(&self) -> String {
        path_to(&self.rotation)
    }

    /// Whether duty can be changed here.
    fn is_ours(&self) -> bool {
        self.rotation.enabled && self.rotation.external.is_none() && self.visit.reader.is_some()
    }

    /// The items that lie in the days that are shown.
    fn items(&self) -> impl Iterator<Item = &Item> + Clone {
        let range = self.days.range();
        let all = self.rows.iter().flat_map(|row| &row.items);
        all.filter(move |item| item.from < range.until && item.end() > range.from)
    }

    /// The address of other days.
    fn other_days(&self, days: i64, span: &str) -> String {
        let from = self.days.first.saturating_add(days.days());
        let plan = if self.with_plan { "&plan=true" } else { "" };
        format!("{}?from={from}&span={span}{plan}", self.base())
    }
}

/// The days that the address asks for: from a date, or from the day of an instant; else from Monday.
fn days(visit: &Visit) -> (Days, &'static str) {
    let times = times(visit);
    let asked = SPANS
        .iter()
        .find(|(name, ..)| visit.query.one("span") == *name);
    let (span, count, _) = *asked.unwrap_or(&SPANS[2]);
    let from = visit.query.filled("from");
    let from = from.and_then(|text| time::parse(text, visit.zone));
    let first = match from {
        Some(typed) => times.date(typed.at),
        None if count == 1 => times.date(visit.now),
        None => monday(times.date(visit.now)),
    };
    (Days::new(first, count, times), span)
}

/// GET /rotations/{rotation}.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let (days, span) = days(visit);
    let (shown, ahead) = (days.range(), Interval::ahead(visit.now, AHEAD));
    let is_near = shown.from <= ahead.until && ahead.from <= shown.until;
    let (app, caller) = (visit.app(), &visit.caller);
    let list = |range| duties::list(app, caller, &known.id, range);
    let (rotation, duties, arranged) = match is_near {
        true => list(Interval {
            from: shown.from.min(ahead.from),
            until: shown.until.max(ahead.until),
        })?,
        // Days far from now are read apart from what is now.
        false => {
            let (_, mut there, mut arranged) = list(shown)?;
            let (rotation, now, more) = list(ahead)?;
            there.extend(now);
            there.sort_by_key(|duty| duty.entry.start);
            there.dedup_by(|next, duty| {
                next.cell == duty.cell && next.entry.start == duty.entry.start
            });
            arranged.extend(more);
            (rotation, there, arranged)
        }
    };
    let signed_in = visit.reader.is_some();
    let away = match signed_in {
        true => absences::list(
            app,
            caller,
            &known.id,
            Some(shown.from.min(visit.now)),
            None,
        )?,
        false => Vec::new(),
    };
    let asked = match signed_in {
        true => requests::pending(app, caller, &rotation, MOST_REQUESTS + 1)?,
        false => Vec::new(),
    };
    let people = people(visit, &rotation, (&duties, &arranged), &away, &asked)?;
    let base = path_to(&rotation);
    let rows = item::rows(&rotation, (&duties, &arranged), &people, &base);
    let with_plan = visit.query.has("plan", "true");
    let beneath = rows.iter().map(|row| match with_plan {
        true => item::beneath(row, (&duties, &arranged), &people, shown),
        false => Vec::new(),
    });
    let page = Shown {
        visit,
        beneath: beneath.collect(),
        with_plan,
        rows,
        days,
        span,
        people,
        away,
        asked,
        is_editor: signed_in && caller.check_edit(&rotation).is_ok(),
        is_member: visit.user().is_some_and(|user| rotation.has_member(user)),
        rotation,
    };
    let title = page.rotation.profile.name.clone();
    Ok(layout::page(visit, &title, whole(&page)?))
}

fn people(
    visit: &Visit,
    rotation: &Rotation,
    (duties, arranged): (&[Duty], &[Arrangement]),
    away: &[Absence],
    asked: &[Request],
) -> Result<People, Problem> {
    let members = crate::domain::roster::order(&rotation.members, None);
    let mut users: Vec<UserId> = members.into_iter().map(|one| one.user).collect();
    for duty in duties {
        users.extend(duty.people().cloned());
        users.extend(
            duty.entry
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
    // Covers name whom they are for, who may have left.
    users.extend(
        arranged
            .iter()
            .flat_map(|one| one.snapshot.people().into_iter().cloned()),
    );
    let people = People::load(visit.app(), &users, visit.reader.is_some())?;
    Ok(people.read_by(visit.user()))
}

fn whole(page: &Shown) -> Result<Markup, Problem> {
    let (visit, rotation) = (page.visit, &page.rotation);
    let signed_in = visit.reader.is_some();
    Ok(html! {
        (heading(page))
        (external::told(rotation, &visit.app().as_of(visit.app().now()), &times(visit)))
        (standing(page))
        div.cols.a { (head::hero(page)) (head::order(page)) }
        @if signed_in { (notices::line(visit, rotation, page.is_editor)?) }
        (plan(page))
        (weeks::card(page))
        @if signed_in {
            div.cols.t { (problems::card(page)?) (aside::requests(page)) (aside::away(page)?) }
            nav.row.only-s aria-label="More" { (weeks::more(page)) }
        }
    })
}

fn heading(page: &Shown) -> Markup {
    let (rotation, signed_in) = (&page.rotation, page.visit.reader.is_some());
    let profile = &rotation.profile;
    html! {
        div.head {
            div {
                p.crumb { @if signed_in { a href="/rotations" { "Rotations" } } @else { a href="/" { "Home" } } }
                h1 { bdi { (profile.name) } @if let Some(code) = &profile.code { " " span.code { (code) } } }
                p.sub {
                    @if let Some(text) = &profile.description { bdi { (text) } " " }
                    @if !rotation.enabled { span.tag.warn { "Disabled" } " " }
                    @if rotation.mode() == Mode::Manual { span.tag { "Manual" } " " }
                    @if rotation.mode() == Mode::External { span.tag { "External" } " " }
                    @if !profile.public { span.tag { "Private" } }
                }
            }
            @if signed_in {
                div.row {
                    (super::feeds::make_for(rotation))
                    @if page.is_editor { a.btn href=(format!("{}/settings", page.base())) { (icon("gear")) "Settings" } }
                }
            }
        }
    }
}

/// The remark on a rotation that does nothing by itself.
fn standing(page: &Shown) -> Markup {
    let rotation = &page.rotation;
    let empty = crate::domain::roster::order(&rotation.members, None).is_empty();
    html! {
        @if !rotation.enabled {
            div.note.warn.said { p { "This rotation is disabled: whoever was on call stays, and nobody hands over." } }
        } @else if empty && rotation.external.is_none() {
            div.note.warn.said { p { "Nobody is in this rotation." @if page.is_editor { " Add people to it, and the first of them comes on." } } }
        } @else if rotation.mode() == Mode::Manual {
            div.note.said { p { "Manual: nobody hands over by itself." @if page.is_editor { " Use “Hand over now” or “Put somebody on call”." } } }
        }
    }
}

/// The box that shows the plan beneath; where there is nothing beneath it is not offered.
fn plan_box(page: &Shown) -> Markup {
    let is_arranged = |item: &Item| matches!(item.kind, Kind::Cover | Kind::Swap | Kind::Put);
    let mut items = page.items();
    html! {
        @if page.with_plan || items.any(is_arranged) {
            form.row.wideonly method="get" action=(page.base()) {
                (hidden("from", &page.days.first.to_string()))
                (hidden("span", page.span))
                label.switch {
                    input type="checkbox" name="plan" value="true" checked[page.with_plan] data-apply;
                    "Show the plan before covers and swaps"
                }
                noscript { button.btn.s type="submit" { "Show" } }
            }
        }
    }
}

/// The timeline, and the agenda that narrow screens have in its place.
fn plan(page: &Shown) -> Markup {
    let days = &page.days;
    let range = days.range();
    let away: Vec<Gone> = (page.away.iter())
        .filter(|absence| absence.period.meets(range).is_some())
        .map(|absence| Gone {
            user: absence.user.clone(),
            period: absence.period,
        })
        .collect();
    let may = super::may(page.visit, &page.rotation);
    let mut lanes: Vec<Lane> = Vec::new();
    for (row, planned) in page.rows.iter().zip(&page.beneath) {
        lanes.push(Lane {
            may,
            ..Lane::of(row)
        });
        if !planned.is_empty() {
            lanes.push(Lane::beneath(row, planned));
        }
    }
    let count = page.items().filter(|item| item.kind != Kind::Off).count();
    let mut listed: Vec<Listed> = page
        .items()
        .map(|item| Listed {
            item,
            rotation: None,
        })
        .collect();
    listed.sort_by_key(|one| one.item.from);
    html! {
        section.card.lay aria-labelledby="plan" {
            div.tools {
                h2 #plan { "Who is on call" }
                span.muted.small { (days.text()) }
                span.push.row {
                    (plan_box(page))
                    nav.seg aria-label="Days shown" {
                        @for (name, _, words) in SPANS.iter().filter(|(_, count, _)| *count > 1) {
                            a href=(page.other_days(0, name)) aria-current=[(*name == page.span).then_some("true")] { (words) }
                        }
                    }
                    nav.row aria-label="Dates" {
                        a.btn.s.sq href=(page.other_days(-days.count, page.span)) { (icon("left")) span.sr { "Earlier" } }
                        a.btn.s href=(format!("{}?span={}", page.base(), page.span)) { "Today" }
                        a.btn.s.sq href=(page.other_days(days.count, page.span)) { (icon("right")) span.sr { "Later" } }
                    }
                }
            }
            @if count > timeline::MOST {
                p.pad { "More turns lie in these days than can be drawn. Show fewer days: "
                    a href=(page.other_days(0, "7d")) { "one week" } ", or " a href=(page.other_days(0, "1d")) { "one day" } "." }
            } @else {
                (timeline(days, &lanes, &away, &page.people))
                (legend(page.items(), &page.people))
            }
            (agenda(days, &listed, &page.people, &page.other_days(days.count, page.span)))
        }
        (menu(page.visit))
    }
}
