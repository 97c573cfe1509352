//! The page of a rotation's warnings, with the choice of kinds.

use super::{crumbs, named, path_to, settings, slot_label, times};
use crate::actions::warnings::{self, Asked, DAYS, MOST_DAYS};
use crate::domain::naming::Naming;
use crate::domain::rotation::Rotation;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::Severity;
use crate::server::Outcome;
use crate::web::form::{Errors, Form};
use crate::web::layout;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::people::People;
use crate::web::parts::time::Times;
use crate::web::parts::warned;
use crate::web::visit::Visit;
use maud::{Markup, html};
use std::collections::HashMap;

/// The days that can be chosen.
const SPANS: [(u32, &str); 4] = [
    (14, "14 days"),
    (30, "30 days"),
    (DAYS, "90 days"),
    (MOST_DAYS, "A year"),
];

/// Lines of one severity that are listed at the most.
const MOST: usize = 8;

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
    let asked = Asked {
        days,
        severity: None,
        naming: Naming::Names,
    };
    let (rotation, found) = warnings::of_rotation(visit.app(), &visit.caller, &known.id, asked)?;
    let chosen = Severity::parse(visit.query.one("severity"));
    let from = visit.query.one("from").parse().unwrap_or(0);
    let is_editor = visit.caller.check_edit(&rotation).is_ok();
    let shown = times(visit);
    let users = found.iter().flat_map(|warning| &warning.users);
    let people = People::load(visit.app(), users, true)?;
    let content = html! {
        (crumbs(&rotation))
        (fields::summary(&errors))
        h1 { "Warnings of " bdi { (rotation.profile.name) } }
        (choose(&rotation, days, &errors))
        @if found.is_empty() {
            div.card.pad { p.muted { @if rotation.enabled { "Nothing is wrong with the plan." } @else { "This rotation is disabled: nothing is planned." } } }
        }
        @for severity in Severity::ALL.into_iter().filter(|severity| chosen.is_none_or(|chosen| chosen == *severity)) {
            (list(&rotation, &found, (severity, days, from), (&people, &shown)))
        }
        @if is_editor {
            details.more {
                summary { "What is told of this rotation" }
                div.mt { (settings::warnings::form(visit, &rotation, &settings::warnings::now(&rotation), &Errors::default())) }
            }
        }
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
        form.card.pad method="get" action=(format!("{}/warnings", path_to(rotation))) {
            div.inline {
                (filled.select("days", "Look ahead", "", &spans))
                button.btn type="submit" { "Show" }
            }
        }
    }
}

/// Warnings that say the same of the same place: what comes back with every turn takes one line.
struct WarningRow<'w> {
    first: &'w Warning,
    /// How many follow it.
    more: usize,
    last: &'w Warning,
}

/// The warnings of one severity in lines, by their first ones.
fn lines(all: &[Warning], severity: Severity) -> Vec<WarningRow<'_>> {
    let mut lines: Vec<WarningRow> = Vec::new();
    let mut known = HashMap::new();
    for warning in all.iter().filter(|one| one.severity() == severity) {
        let says = (warning.kind, &warning.cell, &warning.text);
        let line = *known.entry(says).or_insert(lines.len());
        match lines.get_mut(line) {
            Some(line) => {
                line.more += 1;
                line.last = warning;
            }
            None => lines.push(WarningRow {
                first: warning,
                more: 0,
                last: warning,
            }),
        }
    }
    lines
}

fn list(
    rotation: &Rotation,
    all: &[Warning],
    (severity, days, from): (Severity, u32, usize),
    (people, times): (&People, &Times),
) -> Markup {
    let lines = lines(all, severity);
    let from = from.min(lines.len());
    let count: usize = lines.iter().map(|line| 1 + line.more).sum();
    let left = lines.len().saturating_sub(from + MOST);
    let id = format!("severity-{}", severity.name());
    let day = |at| times.day_text(times.date(at));
    html! {
        @if !lines.is_empty() {
            section.card.flush aria-labelledby=(id) {
                h2 id=(id) { (warned::severity(severity)) " " (count) }
                table.rows {
                    caption.sr { "Warnings that matter " (severity.name()) ", by where they begin" }
                    thead { tr { th scope="col" { "What" } th scope="col" { "When" } th scope="col" { "Where" } th scope="col" { "Why" } } }
                    tbody {
                        @for WarningRow { first, more, last } in lines.iter().skip(from).take(MOST) {
                            tr data-kind=(first.kind.name()) {
                                th scope="row" { (warned::name(first.kind)) }
                                td data-label="When" {
                                    (times.period(first.period.from, Some(first.period.until)))
                                    @match more {
                                        0 => {}
                                        1 => p.muted { "and once more, on " (day(last.period.from)) },
                                        _ => p.muted { "and " (more) " more times, the last on " (day(last.period.from)) },
                                    }
                                }
                                td data-label="Where" {
                                    @let slot = first.cell.as_ref().and_then(|cell| rotation.slot_of(cell));
                                    @if let Some(slot) = slot { bdi { (slot_label(rotation, &rotation.cells[slot])) } } @else { span.muted { "The rotation" } }
                                }
                                td data-label="Why" { bdi { (warned::text(first, people, times)) } }
                            }
                        }
                    }
                }
                @if left > 0 {
                    div.pad {
                        a href=(format!("{}/warnings?days={days}&severity={}&from={}", path_to(rotation), severity.name(), from + MOST)) { "And " (left) " more" }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Interval;
    use crate::domain::warning_kinds::WarningKind;

    #[test]
    fn what_comes_back_takes_one_line() {
        let warning = |hour: i64, cell: &str, text: &str| Warning {
            kind: WarningKind::DoubleDuty,
            period: Interval {
                from: jiff::Timestamp::from_second(hour * 3600).expect("an instant"),
                until: jiff::Timestamp::from_second(hour * 3600 + 60).expect("an instant"),
            },
            cell: Some(cell.into()),
            users: Vec::new(),
            text: text.to_owned(),
            since: None,
        };
        let all = [
            warning(0, "cel_1", "a"),
            warning(1, "cel_2", "a"),
            warning(2, "cel_1", "b"),
            warning(3, "cel_1", "a"),
            warning(5, "cel_1", "a"),
        ];
        let lines = lines(&all, Severity::High);
        let shown = lines.iter().map(|line| {
            let (first, last) = (line.first.period.from, line.last.period.from);
            (first.as_second() / 3600, line.more, last.as_second() / 3600)
        });
        assert_eq!(shown.collect::<Vec<_>>(), [(0, 2, 5), (1, 0, 1), (2, 0, 2)]);
        assert!(super::lines(&all, Severity::Low).is_empty());
    }
}
