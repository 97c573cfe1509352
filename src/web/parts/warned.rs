//! Warnings as pages word them.

use crate::domain::warning_kinds::{Severity, WarningKind};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The name of a kind.
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
            Severity::Medium => span.tag.warn { "Medium" },
            Severity::Low => span.tag { "Low" },
        }
    }
}

/// How many there are, in the colour of the most serious, as a link: nothing where there are none. Of several kinds, how many kinds
/// too: what is wrong with every turn makes any number large.
pub fn count(base: &str, kinds: Option<&BTreeMap<WarningKind, u64>>) -> Markup {
    let kinds = kinds.into_iter().flatten();
    let worst = kinds.clone().map(|(kind, _)| kind.severity()).min();
    let counts: Vec<u64> = kinds.map(|(_, count)| *count).collect();
    html! {
        @if let Some(worst) = worst {
            a.tag.bad[worst == Severity::High].warn[worst == Severity::Medium] href=(format!("{base}/warnings")) {
                @match counts[..] {
                    [1] => "1 warning",
                    [only] => { (only) " warnings" }
                    _ => { (counts.len()) " kinds, " (counts.iter().sum::<u64>()) " warnings" }
                }
            }
        }
    }
}
