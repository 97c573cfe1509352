//! One turn: who, why, in both zones, what lies over it, and what the reader may do.

use super::history::why;
use super::rotation::arrangement;
use super::{crumbs, named, path_to, slot_text, tag, times, why as why_page};
use crate::actions::duties;
use crate::domain::arrangement::ArrangementKind;
use crate::domain::duty::Duty;
use crate::domain::ids::{CellId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::time::Interval;
use crate::server::Outcome;
use crate::web::layout;
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::html;

/// GET /rotations/{rotation}/shifts/{cell}/{start}.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let cell = CellId::from(visit.part(1));
    let nothing = || Refusal::NotFound("turn");
    let start: Timestamp = visit.part(2).parse().map_err(|_| nothing())?;
    let until = start
        .checked_add(SignedDuration::from_secs(1))
        .map_err(|_| nothing())?;
    let far = visit
        .now
        .saturating_add(SignedDuration::from_hours(366 * 24));
    if start > far.unwrap_or(Timestamp::MAX) {
        return Err(nothing().into());
    }
    let range = Interval { from: start, until };
    let (rotation, items, arranged) = duties::list(visit.app(), &visit.caller, &known.id, range)?;
    let of_cell = |item: &&Duty| item.cell == cell;
    let exact = items
        .iter()
        .filter(of_cell)
        .find(|item| item.entry.start == start);
    let item = exact
        .or_else(|| items.iter().find(of_cell))
        .ok_or_else(nothing)?;
    let window = rotation
        .windows
        .iter()
        .find(|window| window.id == item.window);
    let zone = window.and_then(|window| window.zone);
    let record = arrangement(item, &arranged);
    let mut users: Vec<UserId> = item.entry.user.iter().cloned().collect();
    users.extend(
        item.entry
            .skipped
            .iter()
            .map(|skipped| skipped.user.clone()),
    );
    if let Some(record) = record {
        users.extend(record.snapshot.people().into_iter().cloned());
    }
    let people = People::load(visit.app(), &users, visit.reader.is_some())?;
    let times = times(visit);
    let is_editor = visit.caller.check_edit(&rotation).is_ok();
    let is_mine = item.entry.user.is_some() && item.entry.user.as_ref() == visit.user();
    let is_over = item.is_over(visit.now) || !rotation.enabled;
    let base = path_to(&rotation);
    let from = item.entry.start.max(visit.now);
    let place = match item.end {
        Some(end) => format!("cellId={}&from={from}&to={end}", item.cell),
        None => format!("cellId={}&from={from}", item.cell),
    };
    let slot = slot_text(&duties::slot_of(&rotation, item));
    let title = format!("Turn in {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        h1 { @match &item.entry.user { Some(user) => bdi { (people.name(user)) }, None => "Nobody" } }
        section.card.pad aria-label="Turn" {
            dl.kv {
                dt { "When" } dd { (times.period_with(item.entry.start, item.end, zone)) }
                @if !slot.is_empty() { dt { "Lane, window" } dd { bdi { (slot) } } }
                dt { "Who" } dd { @match &item.entry.user { Some(user) => (people.show(user)), None => "Nobody" } }
                dt { "Why" }
                dd {
                    @match record.map(|record| record.kind) {
                        Some(ArrangementKind::DirectAssignment) => "Assigned by somebody who may edit the rotation.",
                        Some(ArrangementKind::AcceptedCover) => "Covers for somebody, who asked for it.",
                        Some(ArrangementKind::SwapLeg) => "Took this turn in a swap.",
                        None => { (why(item.entry.reason)) "." }
                    }
                    @for skipped in &item.entry.skipped { br; (people.show(&skipped.user)) " came before, is away, and was passed over." }
                }
                @if let Some(record) = record {
                    dt { "Lies over" }
                    dd {
                        @if record.snapshot.people().is_empty() { "Nobody’s turn" } @else { (people.show_all(record.snapshot.people())) }
                        ", " (times.period(record.period.from, Some(record.period.until)))
                    }
                }
            }
            @if visit.reader.is_some() {
                p.actions { a.btn href=(why_page::path(&base, &item.cell, (item.entry.start, item.end), visit.now)) { "Why?" } }
            }
            @if !is_over && visit.reader.is_some() {
                p.actions {
                    @if is_mine { a.btn href=(format!("{base}/cover?{place}")) { "Ask for cover" } }
                    @if is_mine && record.is_none() && item.entry.start > visit.now { a.btn href=(format!("{base}/swap?{place}")) { "Swap" } }
                    @if is_editor { a.btn href=(format!("{base}/assign?{place}")) { "Assign" } }
                    @if let Some(record) = record.filter(|one| is_editor && one.kind == ArrangementKind::DirectAssignment) {
                        form.bare method="post" action=(format!("{base}/arrangements/{}/end", record.id)) {
                            (confirm::carried(&tag(visit, &rotation), &rotation))
                            (hidden("expectedRevision", &record.revision.to_string()))
                            button.btn type="submit" { "End" }
                        }
                    }
                }
            }
        }
    };
    Ok(layout::page(visit, &title, content))
}
