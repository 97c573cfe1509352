//! The first page: the reader's own turn, what waits for them, what is wrong, who is on call now, and the week.

mod mine;
mod now;
mod trouble;
pub mod waiting;

use super::week;
use super::{getting_started, times};
use crate::actions::duties;
use crate::actions::overview::{self, Asked, Overview, OwnRequests};
use crate::domain::forecast::Shift;
use crate::domain::ids::UserId;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::server::{Outcome, Problem};
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::web::layout;
use crate::web::parts::icon::icon;
use crate::web::parts::time::whole_minute;
use crate::web::visit::Visit;
use jiff::SignedDuration;
use maud::{Markup, html};

/// How far ahead is looked for what is wrong.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// How far ahead the reader's next turn is looked for.
const OWN_AHEAD: SignedDuration = SignedDuration::from_hours(60 * 24);

/// Rotations that are looked at for what is wrong, rotations whose week is drawn, and cards of who is on call now, at the most.
const LOOKED_AT: u32 = 200;
const WEEKS: usize = 12;
const CARDS: usize = 6;

/// GET /.
pub fn show(visit: &Visit) -> Outcome {
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let page = Page::first(LOOKED_AT);
    let (mut all, total) = overview::rotations(visit.app(), &visit.caller, filter, page, AHEAD)?;
    all.sort_by_key(|one| !is_mine(visit, &one.rotation));
    let (own, waiting) = match visit.user() {
        Some(user) => (own_turns(visit, user)?, waiting(visit, user)?),
        None => (Vec::new(), Vec::new()),
    };
    let days = week::days(visit);
    let drawn = all.iter().take(WEEKS).map(|one| &one.rotation);
    let (weekly, mut people) = week::load(visit, drawn, &days)?;
    people.add(visit.app(), named(&all, &waiting))?;
    let found = trouble::found(visit, &all, &mut people)?;
    let content = html! {
        (head(visit))
        (getting_started::list(visit)?)
        @if visit.user().is_some() {
            div.cols.a[!waiting.is_empty()] {
                (mine::hero(visit, &own))
                @if !waiting.is_empty() { (waiting::card(visit, &waiting, &people)?) }
            }
        }
        (trouble::alert(&found))
        @if all.is_empty() {
            section.card { div.empty { (nothing_yet(visit)) } }
        } @else {
            (now::cards(visit, &all, &weekly, &people))
            (week::card(visit, &days, &weekly, &people, "/?"))
            @if total > WEEKS as u64 { p { a href="/rotations" { "All " (total) " rotations" } } }
        }
        @if visit.reader.is_some() && !all.is_empty() { (trouble::quiet(visit, &all, &found)) }
    };
    Ok(layout::page(visit, "Who is on call", content))
}

/// Whether the reader is in a rotation, or owns it.
fn is_mine(visit: &Visit, rotation: &Rotation) -> bool {
    let is_mine =
        |user: &UserId| rotation.has_member(user) || rotation.profile.owners.contains(user);
    visit.user().is_some_and(is_mine)
}

/// The people whom the page names besides those of the week.
fn named(all: &[Overview], waiting: &[Asked]) -> Vec<UserId> {
    let absent = all.iter().flat_map(|one| &one.absent).map(|one| &one.user);
    let asking = waiting.iter().map(|asked| &asked.view.request.requester);
    let on_call = all.iter().take(CARDS).flat_map(|one| {
        let next = one.next.iter().flat_map(|next| &next.users);
        one.summary.on_call.iter().chain(next)
    });
    absent.chain(asking).chain(on_call).cloned().collect()
}

fn own_turns(visit: &Visit, user: &UserId) -> Result<Vec<Shift>, Problem> {
    let range = Interval::ahead(visit.now, OWN_AHEAD);
    Ok(duties::to_come(visit.app(), &visit.caller, user, range)?)
}

fn waiting(visit: &Visit, user: &UserId) -> Result<Vec<Asked>, Problem> {
    let all = overview::requests_of(visit.app(), &visit.caller, user, OwnRequests::Pending)?;
    let theirs = |asked: &Asked| {
        let capability = &asked.view.capability;
        capability.can_accept || capability.can_decline
    };
    Ok(all.into_iter().filter(theirs).collect())
}

fn head(visit: &Visit) -> Markup {
    let times = times(visit);
    let zone = visit.zone.as_str();
    let city = zone.rsplit('/').next().unwrap_or(zone).replace('_', " ");
    html! {
        div.head {
            div {
                h1 { "Who is on call" }
                p.sub { (times.whole_day(visit.now)) ", " (times.hour(whole_minute(visit.now))) " in " (city) }
            }
            @if visit.caller.check_create().is_ok() {
                div.row { a.btn href="/rotations/new" data-action="create" { (icon("plus")) "New rotation" } }
            }
        }
    }
}

fn nothing_yet(visit: &Visit) -> Markup {
    html! {
        @if visit.caller.check_create().is_ok() {
            h2 { "There are no rotations yet" }
            a.btn.go href="/rotations/new" data-action="create" { "Make the first one" }
        } @else {
            p { "There is no rotation that you may see. Ask its owner, or a workspace administrator, to add you." }
        }
    }
}
