//! What is wrong with the plan of a rotation, and which of it the rotation wants to be told.

use super::{crumbs, named, path_to, settings, slot_label, times};
use crate::actions::warnings::{self, DAYS, MOST_DAYS};
use crate::domain::rotation::Rotation;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::Severity;
use crate::server::Outcome;
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::time::Times;
use crate::web::parts::warned;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// The days that can be chosen.
const SPANS: [(u32, &str); 4] = [
    (14, "14 days"),
    (30, "30 days"),
    (DAYS, "90 days"),
    (MOST_DAYS, "A year"),
];

/// Warnings of one severity that are listed at the most.
const MOST: usize = 200;

/// GET /rotations/{rotation}/warnings.
pub fn show(visit: &Visit) -> Outcome {
    let known = named(visit)?;
    let mut errors = Errors::default();
    let days = match visit.query.filled("days").map(str::parse) {
        None => DAYS,
        Some(Ok(days)) if (1..=MOST_DAYS).contains(&days) => days,
        Some(_) => {
            errors.add("days", format!("Choose 1 to {MOST_DAYS} days."));
            DAYS
        }
    };
    let (rotation, found) = warnings::of_rotation(visit.app(), &visit.caller, &known.id, days)?;
    let is_editor = visit.caller.check_edit(&rotation).is_ok();
    let shown = times(visit);
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(&errors))
        h1 { "Warnings of " bdi { (rotation.profile.name) } }
        (choose(&rotation, days, &errors))
        @if found.is_empty() {
            div.card { p.empty { @if rotation.enabled { "Nothing is wrong with the plan." } @else { "This rotation is disabled: nothing is planned." } } }
        }
        @for severity in Severity::ALL {
            (list(&rotation, &found, severity, &shown))
        }
        @if is_editor { (settings::warnings::form(visit, &rotation, &settings::warnings::now(&rotation), &Errors::default())) }
    };
    let status = if errors.is_empty() { 200 } else { 400 };
    let title = format!("Warnings of {}", rotation.profile.name);
    Ok(layout::page_with(visit, status, &title, content))
}

fn choose(rotation: &Rotation, days: u32, errors: &Errors) -> Markup {
    let values = Form::with([("days", days.to_string())]);
    let filled = Filled {
        values: &values,
        errors,
    };
    let mut spans: Vec<Choice> = SPANS
        .into_iter()
        .map(|(days, label)| Choice::new(days.to_string(), label))
        .collect();
    if !SPANS.iter().any(|(known, _)| *known == days) {
        spans.push(Choice::new(days.to_string(), &format!("{days} days")));
    }
    html! {
        form.card method="get" action=(format!("{}/warnings", path_to(rotation))) {
            div.inline {
                (filled.select("days", "Look ahead", "", &spans))
                button type="submit" { "Show" }
            }
        }
    }
}

fn list(rotation: &Rotation, all: &[Warning], severity: Severity, times: &Times) -> Markup {
    let of_it = all.iter().filter(|warning| warning.severity() == severity);
    let found: Vec<&Warning> = of_it.collect();
    let left = found.len().saturating_sub(MOST);
    let id = format!("severity-{}", severity.name());
    html! {
        @if !found.is_empty() {
            section.card.flush aria-labelledby=(id) {
                h2 id=(id) { (warned::severity(severity)) " " (found.len()) }
                table.rows {
                    caption.unseen { "Warnings that matter " (severity.name()) ", by where they begin" }
                    thead { tr { th scope="col" { "What" } th scope="col" { "When" } th scope="col" { "Lane, window" } th scope="col" { "Why" } } }
                    tbody {
                        @for warning in found.iter().take(MOST) {
                            tr data-kind=(warning.kind.name()) {
                                th scope="row" { (warned::name(warning.kind)) }
                                td data-label="When" { (times.period(warning.period.from, Some(warning.period.until))) }
                                td data-label="Lane, window" {
                                    @let slot = warning.cell.as_ref().and_then(|cell| rotation.slot_of(cell));
                                    @if let Some(slot) = slot { bdi { (slot_label(rotation, &rotation.cells[slot])) } } @else { span.muted { "The rotation" } }
                                }
                                td data-label="Why" { bdi { (warning.text) } }
                            }
                        }
                    }
                }
                @if left > 0 { div.pad { p.muted { "And " (left) " more." } } }
            }
        }
    }
}
