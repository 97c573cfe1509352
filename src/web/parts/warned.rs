//! Warnings as pages word them.

use crate::domain::warning_kinds::{Severity, WarningKind};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// What a kind is called.
pub fn name(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Nobody => "Nobody on call",
        WarningKind::NoFallback => "Nobody to fall back on",
        WarningKind::BackToBack => "Turns on end",
        WarningKind::ShortRest => "Too little rest",
        WarningKind::DoubleDuty => "On call twice at once",
        WarningKind::Unreachable => "Cannot be reached",
        WarningKind::AbsentOnDuty => "On call while absent",
        WarningKind::Uncovered => "Hours left out",
        WarningKind::NightWork => "Nights that are day for others",
        WarningKind::Unfair => "Unfair share",
        WarningKind::ClockChange => "Clocks change at a hand-over",
        WarningKind::HolidayDuty => "On call on a holiday",
        WarningKind::StaleSource => "Source cannot be read",
        WarningKind::EmptyRoster => "Roster without people",
        WarningKind::EndsSoon => "Holidays not known",
    }
}

/// How much it matters, in words that stand beside a colour.
pub fn severity(severity: Severity) -> Markup {
    html! {
        @match severity {
            Severity::High => span.tag.bad { "High" },
            Severity::Medium => span.tag.warning { "Medium" },
            Severity::Low => span.tag { "Low" },
        }
    }
}

/// How many there are, most serious first, as a link: nothing where there are none.
pub fn count(base: &str, kinds: Option<&BTreeMap<WarningKind, u64>>) -> Markup {
    let kinds = kinds.into_iter().flatten();
    let of = |severity: Severity| -> u64 {
        let counts = kinds
            .clone()
            .filter(|(kind, _)| kind.severity() == severity);
        counts.map(|(_, count)| *count).sum()
    };
    let counts = Severity::ALL.map(of);
    let total: u64 = counts.iter().sum();
    let worst = Severity::ALL
        .into_iter()
        .zip(counts)
        .find(|(_, count)| *count > 0);
    html! {
        @if let Some((worst, _)) = worst {
            a.tag.bad[worst == Severity::High].warning[worst == Severity::Medium] href=(format!("{base}/warnings")) {
                (total) @if total == 1 { " warning" } @else { " warnings" }
            }
        }
    }
}
