//! The record: who was on call, since when, and why.

use super::{crumbs, named, path_to, slot_text, times};
use crate::actions::duties;
use crate::domain::duty::Duty;
use crate::domain::rotation::Reason;
use crate::domain::time::Interval;
use crate::server::{Outcome, Response};
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::csv;
use crate::web::parts::fields::{Choice, Filled};
use crate::web::parts::people::People;
use crate::web::parts::time;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// Days that can be shown at once.
const SPANS: [(&str, i64); 4] = [("1d", 1), ("7d", 7), ("28d", 28), ("90d", 90)];

/// Entries that are listed at the most.
const MOST: usize = 500;

/// Why an entry began, in words.
pub fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::NextOnScheduledDuty => "Next in order at the scheduled hand-over",
        Reason::RotateToNextOnDuty => "Somebody handed over by hand",
        Reason::ExplicitChange => "Somebody put them on call, or a cover or swap began or ended",
        Reason::DutyCleared => "Duty was cleared",
        Reason::RemovalOfActiveDuty => "The person before left the rotation",
        Reason::CoverageChanged => "The hours, people or order were changed",
        Reason::BusinessHoursOffline => "The covered hours ended",
        Reason::BusinessHoursBackOnline => "The covered hours began",
        Reason::ChangeInExternalSchedule => "Changed on the partner's schedule",
        Reason::AfterMention => "Handed over after a mention",
    }
}

/// The range that is shown: around `at`, or a span that ends now.
struct HistoryRange {
    range: Interval,
    span: &'static str,
    at: Option<Timestamp>,
}

fn shown(visit: &Visit) -> HistoryRange {
    let chosen = SPANS
        .iter()
        .find(|(name, _)| visit.query.one("span") == *name);
    let (span, days) = *chosen.unwrap_or(&SPANS[1]);
    let length = SignedDuration::from_hours(24 * days);
    let typed = visit
        .query
        .filled("at")
        .and_then(|text| time::parse(text, visit.zone));
    let at = typed.map(|typed| typed.at);
    let end = match at {
        Some(at) => at
            .saturating_add(length / 2)
            .unwrap_or(visit.now)
            .min(visit.now),
        None => visit.now,
    };
    let end = end.max(at.map_or(end, |at| {
        at.saturating_add(SignedDuration::from_secs(1))
            .unwrap_or(at)
    }));
    let from = end.saturating_sub(length).unwrap_or(Timestamp::MIN);
    HistoryRange {
        range: Interval { from, until: end },
        span,
        at,
    }
}

/// GET /rotations/{rotation}/history.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = named(visit)?;
    let shown = shown(visit);
    let mut entries = duties::history(visit.app(), &visit.caller, &rotation.id, shown.range)?;
    entries.reverse();
    let users = entries.iter().flat_map(Duty::people);
    let people = People::load(visit.app(), users.collect::<Vec<_>>(), true)?;
    if visit.query.one("format") == "csv" {
        return Ok(file(&entries, &people));
    }
    entries.retain(|entry| !entry.period().is_momentary());
    let (times, errors) = (times(visit), Errors::default());
    let values = Form::with([
        ("at", shown.at.map_or(String::new(), |at| times.value(at))),
        ("span", shown.span.to_owned()),
    ]);
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    let spans = SPANS.map(Choice::days);
    let runs = |entry: &Duty, at: Timestamp| entry.period().contains(at);
    let then: Vec<&Duty> = shown.at.map_or(Vec::new(), |at| {
        entries.iter().filter(|entry| runs(entry, at)).collect()
    });
    let base = format!("{}/history", path_to(&rotation));
    let hint = format!("Time in {}.", visit.zone.as_str());
    let title = format!("Record of {}", rotation.profile.name);
    let content = html! {
        (crumbs(&rotation))
        h1 { "Record of " bdi { (rotation.profile.name) } }
        form.card.pad method="get" action=(base) {
            div.inline {
                (filled.input("datetime-local", "at", "Who was it at", &hint, false))
                (filled.select("span", "Show", "", &spans))
                button.btn type="submit" { "Show" }
            }
        }
        @if let Some(at) = shown.at {
            section.card.pad aria-labelledby="then" {
                h2 #then { (times.text(at)) }
                @if then.is_empty() { p.muted { "Nothing is recorded of that instant." } }
                @for entry in &then {
                    p {
                        @match &entry.entry.user { Some(user) => (people.show(user)), None => "Nobody" }
                        (for_whom(entry, &people))
                        @let slot = slot(entry);
                        @if !slot.is_empty() { " " span.muted { bdi { (slot) } } }
                        " " (times.period(entry.entry.start, entry.end))
                        " " a href=(format!("{}/why?at={at}&cell={}", path_to(&rotation), entry.cell)) { "Why?" }
                    }
                }
                @if at > visit.now { p { a href=(format!("{}/why?at={at}", path_to(&rotation))) { "Who will be on call then, and why" } } }
            }
        }
        section.card.flush aria-label="Entries" {
            @if entries.is_empty() { div.pad { p.muted { "Nothing is recorded of these days." } } } @else {
                table.rows {
                    caption { "The newest first. A record is never rewritten." }
                    thead { tr { th scope="col" { "When" } th scope="col" { "Where" } th scope="col" { "Who" } th scope="col" { "Why" } } }
                    tbody {
                        @for entry in entries.iter().take(MOST) {
                            tr.now[shown.at.is_some_and(|at| runs(entry, at))] data-cell=(entry.cell) data-start=(entry.entry.start) data-end=[entry.end] data-user=[entry.entry.user.as_ref()] {
                                td { (times.period_with(entry.entry.start, entry.end, entry.entry.hours.zone)) }
                                td data-label="Where" { bdi { (slot(entry)) } }
                                td data-label="Who" { @match &entry.entry.user { Some(user) => (people.show(user)), None => span.muted { "Nobody" } } (for_whom(entry, &people)) }
                                td data-label="Why" { (why(entry.entry.reason)) }
                            }
                        }
                    }
                }
                @if entries.len() > MOST { div.pad { p.muted { "And " (entries.len() - MOST) " more: show fewer days." } } }
            }
        }
        p.actions { a.btn.s href=(format!("{base}?span={}&at={}&format=csv", shown.span, layout::encoded(visit.query.one("at")))) { "As CSV" } }
    };
    Ok(layout::page(visit, &title, content))
}

/// For whom somebody had it by a turn that was not their own.
fn for_whom(entry: &Duty, people: &People) -> Markup {
    html! { @if let Some(owner) = entry.instead_of() { " " span.muted { "for " bdi { (people.name(owner)) } } } }
}

fn slot(entry: &Duty) -> String {
    slot_text(&entry.names().map(str::to_owned).collect::<Vec<_>>())
}

fn file(entries: &[Duty], people: &People) -> Response {
    let head = ["start", "end", "lane", "window", "userId", "name", "reason"];
    let rows = entries.iter().map(|entry| {
        let user = entry.entry.user.as_ref();
        [
            entry.entry.start.to_string(),
            entry.end.map_or(String::new(), |end| end.to_string()),
            entry.entry.lane_name.clone().unwrap_or_default(),
            entry.entry.window_name.clone().unwrap_or_default(),
            user.map_or(String::new(), ToString::to_string),
            user.map_or(String::new(), |user| people.name(user).to_owned()),
            entry.entry.reason.name().to_owned(),
        ]
    });
    csv::file("record", head, rows)
}
