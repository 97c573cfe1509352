//! The first page: who is on call now and who follows, the reader's own turns, what waits for them, and where nobody will be.

use super::{link_to, path_of, path_to, slot_label, slot_text, times};
use crate::actions::duties;
use crate::actions::overview::{self, Asked, Overview, OwnRequests};
use crate::domain::forecast::{AbsentOnCall, Gap, Shift};
use crate::domain::ids::UserId;
use crate::domain::rotation::{Mode, Rotation};
use crate::domain::time::Interval;
use crate::server::Outcome;
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::web::layout;
use crate::web::parts::external;
use crate::web::parts::people::People;
use crate::web::parts::warned;
use crate::web::visit::Visit;
use jiff::SignedDuration;
use maud::{Markup, html};

/// How far ahead gaps are looked for.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// How far ahead the reader's next turn is looked for.
const OWN_AHEAD: SignedDuration = SignedDuration::from_hours(60 * 24);

/// Rotations on one page.
const ROWS: u32 = 200;

/// Gaps that are listed at the most.
const GAPS: usize = 20;

/// GET /.
pub fn show(visit: &Visit) -> Outcome {
    let number = visit
        .query
        .one("page")
        .parse()
        .unwrap_or(1)
        .clamp(1, 10_000);
    let page = Page { number, size: ROWS };
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let (all, total) = overview::rotations(visit.app(), &visit.caller, filter, page, AHEAD)?;
    let (own, waiting) = match visit.user() {
        Some(user) => (own_turns(visit, user)?, waiting(visit, user)?),
        None => (Vec::new(), Vec::new()),
    };
    let people = load_people(visit, &all, &waiting)?;
    let content = html! {
        div.head { div { h1 { "On call" } p.sub { (times(visit).text(visit.now)) } } }
        @if visit.user().is_some() {
            div.cols.h { (card(visit, &own)) (waits(visit, &waiting, &people)) }
        }
        (table(visit, &all, &people))
        (more(number, total))
        @if visit.reader.is_some() { (gaps(visit, &all, &people)) }
    };
    Ok(layout::page(visit, "On call", content))
}

fn load_people(
    visit: &Visit,
    all: &[Overview],
    waiting: &[Asked],
) -> Result<People, crate::server::Problem> {
    let shown = all.iter().flat_map(|one| {
        one.summary
            .on_call
            .iter()
            .chain(one.next.iter().flat_map(|next| &next.users))
    });
    let absent = all.iter().flat_map(|one| &one.absent);
    let absent = absent.map(|one| &one.user).take(GAPS);
    let asking = waiting.iter().map(|asked| &asked.view.request.requester);
    Ok(People::load(
        visit.app(),
        shown.chain(absent).chain(asking),
        visit.reader.is_some(),
    )?)
}

fn own_turns(visit: &Visit, user: &UserId) -> Result<Vec<Shift>, crate::server::Problem> {
    let range = Interval::ahead(visit.now, OWN_AHEAD);
    Ok(duties::to_come(visit.app(), &visit.caller, user, range)?)
}

fn waiting(visit: &Visit, user: &UserId) -> Result<Vec<Asked>, crate::server::Problem> {
    let all = overview::requests_of(visit.app(), &visit.caller, user, OwnRequests::Pending)?;
    let theirs = |asked: &Asked| {
        let capability = &asked.view.capability;
        capability.can_accept || capability.can_decline
    };
    Ok(all.into_iter().filter(theirs).collect())
}

/// The reader's own card: on until, or the next turn.
fn card(visit: &Visit, own: &[Shift]) -> Markup {
    let times = times(visit);
    let (now, later): (Vec<&Shift>, Vec<&Shift>) = own
        .iter()
        .partition(|own| own.duty.entry.start <= visit.now);
    // One end for all of them can stand in the heading.
    let first = now.first().and_then(|own| own.duty.end);
    let shared = first.filter(|end| now.iter().all(|own| own.duty.end == Some(*end)));
    let line = |own: &Shift| {
        let slot = slot_text(&own.slot);
        html! {
            a href=(path_of(&own.rotation.id, own.rotation.code.as_deref())) { bdi { (own.rotation.name) } }
            @if !slot.is_empty() { " " span.muted { bdi { (slot) } } }
        }
    };
    html! {
        section.card.hero.on[!now.is_empty()] aria-labelledby="mine" {
            h2 #mine {
                @match (now.is_empty(), shared) {
                    (true, _) => "You are not on call",
                    (false, Some(end)) => { "You are on call until " (times.show(end)) },
                    (false, None) => "You are on call",
                }
            }
            @if now.is_empty() {
                @match later.first() {
                    Some(next) => p {
                        "Next on call: " (line(next)) ", "
                        (times.show_with(next.duty.entry.start, next.zone)) " (" (times.away(next.duty.entry.start)) ")."
                    },
                    None => p.muted { "No turn is planned for you in the next 60 days." },
                }
            } @else {
                ul.items.tight {
                    @for own in &now {
                        li {
                            span.tag.good { "On call" } " " (line(own))
                            @match own.duty.end {
                                Some(end) => { " until " (times.show_with(end, own.zone)) },
                                None => " until somebody hands over",
                            }
                        }
                    }
                }
            }
            p.actions {
                a.btn.s href="/me" { "My turns" }
                a.btn.s href="/me/absences/new" { "I am away" }
            }
        }
    }
}

fn waits(visit: &Visit, waiting: &[Asked], people: &People) -> Markup {
    let times = times(visit);
    html! {
        section.card.pad aria-labelledby="waiting" {
            h2 #waiting { "Waiting for you" }
            @if waiting.is_empty() {
                p.muted { "Nothing. Requests to cover a turn or to swap show up here." }
            } @else {
                ul.items {
                    @for asked in waiting {
                        @let request = &asked.view.request;
                        @let span = request.span();
                        li {
                            div.split {
                                span {
                                    (people.show(&request.requester))
                                    @match request.kind {
                                        crate::domain::request::RequestKind::Cover => " asks you to cover ",
                                        crate::domain::request::RequestKind::Swap => " offers you a swap in ",
                                    }
                                    bdi { (asked.view.rotation_name) } ", "
                                    (times.period(span.from, Some(span.until)))
                                }
                                a.btn.s href=(format!("/requests/{}", request.id)) { "Answer" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn table(visit: &Visit, all: &[Overview], people: &People) -> Markup {
    let times = times(visit);
    let counted = visit.app().warned().counted();
    html! {
        section.card.flush aria-labelledby="now" {
            h2 #now { "Now" }
            @if all.is_empty() { div.pad { (nothing_yet(visit)) } } @else {
                table.rows {
                    caption.sr { "Who is on call now and who follows, one row for each rotation" }
                    thead { tr { th scope="col" { "Rotation" } th scope="col" { "On call" } th scope="col" { "Until" } th scope="col" { "Then" } } }
                    tbody {
                        @for one in all {
                            @let summary = &one.summary;
                            @let zone = one.rotation.windows.first().and_then(|window| window.zone);
                            tr data-rotation=(one.rotation.id) {
                                th scope="row" {
                                    (link_to(&one.rotation)) (state(&one.rotation))
                                    @if visit.reader.is_some() { " " (warned::count(&path_to(&one.rotation), counted.get(&one.rotation.id))) }
                                }
                                td data-label="On call" {
                                    @if summary.on_call.is_empty() { (nobody(&one.rotation)) } @else { (people.show_all(&summary.on_call)) }
                                }
                                td data-label="Until" {
                                    @if let Some(until) = one.until.filter(|_| !summary.on_call.is_empty()) { (times.show_with(until, summary.zone.or(zone))) }
                                }
                                td data-label="Then" {
                                    @if let Some(next) = &one.next {
                                        (people.show_all(&next.users)) " "
                                        span.muted {
                                            @match next.at {
                                                Some(at) if Some(at) != one.until || summary.on_call.is_empty() => { "from " (times.show(at)) },
                                                Some(_) => {},
                                                None => "when somebody hands over",
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Why nobody is on call.
fn nobody(rotation: &Rotation) -> Markup {
    let is_open = rotation
        .running()
        .any(|cell| rotation.windows[cell.window].open);
    if let Some(outsider) = external::outsider(rotation) {
        return outsider;
    }
    html! {
        @if is_open { span.tag.bad { "Nobody" } } @else { span.tag { "Shut now" } }
    }
}

/// The remarks about a rotation.
fn state(rotation: &Rotation) -> Markup {
    html! {
        @if !rotation.enabled { " " span.tag.warn { "Disabled" } }
        @if rotation.mode() == Mode::Manual { " " span.tag { "Manual" } }
        @if rotation.mode() == Mode::External { " " span.tag { "External" } }
    }
}

fn nothing_yet(visit: &Visit) -> Markup {
    html! {
        @if visit.caller.check_create().is_ok() {
            p.muted { "There are no rotations yet." }
            p { a.btn.go href="/rotations/new" { "New rotation" } }
        } @else {
            p.muted { "There is no rotation that you may see. Ask its owner, or a workspace administrator, to add you." }
        }
    }
}

fn more(number: u32, total: u64) -> Markup {
    let pages = total.div_ceil(u64::from(ROWS));
    html! {
        @if pages > 1 {
            nav aria-label="Pages" {
                p.actions {
                    @if number > 1 { a.btn.s href=(format!("/?page={}", number - 1)) { "Back" } }
                    span.muted { "Page " (number) " of " (pages) }
                    @if u64::from(number) < pages { a.btn.s href=(format!("/?page={}", number + 1)) { "More" } }
                }
            }
        }
    }
}

/// Where nobody will be on call, or somebody who is away, with what fills it.
fn gaps(visit: &Visit, all: &[Overview], people: &People) -> Markup {
    let times = times(visit);
    let mut found: Vec<(&Rotation, &Gap)> = all
        .iter()
        .flat_map(|one| one.gaps.iter().map(|gap| (&one.rotation, gap)))
        .collect();
    found.sort_by_key(|(_, gap)| gap.period);
    let mut absent: Vec<(&Rotation, &AbsentOnCall)> = all
        .iter()
        .flat_map(|one| one.absent.iter().map(|absent| (&one.rotation, absent)))
        .collect();
    absent.sort_by_key(|(_, absent)| absent.period);
    let left = found.len().saturating_sub(GAPS) + absent.len().saturating_sub(GAPS);
    html! {
        section.card.pad aria-labelledby="gaps" {
            h2 #gaps { "Gaps in the next 14 days" }
            @if found.is_empty() && absent.is_empty() {
                p.muted { "None. Somebody who is here is on call in every covered hour." }
            } @else {
                ul.items {
                    @for (rotation, gap) in found.iter().take(GAPS) {
                        li {
                            div.split {
                                span {
                                    (link_to(rotation)) ", " bdi { (slot_label(rotation, &rotation.cells[gap.cell])) } ": nobody "
                                    (times.period_with(gap.period.from, Some(gap.period.until), rotation.windows[rotation.cells[gap.cell].window].zone))
                                }
                                @if visit.caller.check_edit(rotation).is_ok() {
                                    a.btn.s href=(place(rotation, "assign", gap.cell, gap.period)) { "Fill" }
                                }
                            }
                        }
                    }
                    @for (rotation, absent) in absent.iter().take(GAPS) {
                        li {
                            div.split {
                                span {
                                    (link_to(rotation)) ", " bdi { (slot_label(rotation, &rotation.cells[absent.cell])) } ": "
                                    (people.show(&absent.user)) " is away and still on call, "
                                    (times.period_with(absent.period.from, Some(absent.period.until), rotation.windows[rotation.cells[absent.cell].window].zone))
                                }
                                @if rotation.external.is_none() {
                                    @if visit.user() == Some(&absent.user) {
                                        a.btn.s href=(place(rotation, "cover", absent.cell, absent.period)) { "Ask for cover" }
                                    } @else if visit.caller.check_edit(rotation).is_ok() {
                                        a.btn.s href=(place(rotation, "assign", absent.cell, absent.period)) { "Assign" }
                                    }
                                }
                            }
                        }
                    }
                }
                @if left > 0 { p.muted { "And " (left) " more." } }
            }
        }
    }
}

/// The form of a page of a rotation, filled in with a slot and a period.
fn place(rotation: &Rotation, page: &str, cell: usize, period: Interval) -> String {
    let cell = &rotation.cells[cell];
    format!(
        "{}/{page}?cellId={}&from={}&to={}",
        path_to(rotation),
        cell.id,
        period.from,
        period.until
    )
}
