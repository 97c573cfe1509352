//! Warnings as pages word them.

use crate::domain::warning_kinds::{Severity, WarningKind};
use maud::{Markup, html};

/// The name of a kind.
pub fn name(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Nobody => "Nobody on call",
        WarningKind::NoFallback => "Nobody to fall back on",
        WarningKind::BackToBack => "Two turns without a free day",
        WarningKind::ShortRest => "Too little rest",
        WarningKind::DoubleDuty => "On call twice at once",
        WarningKind::Unreachable => "Cannot be reached",
        WarningKind::AbsentOnDuty => "On call while absent",
        WarningKind::Uncovered => "Hours left out",
        WarningKind::NightWork => "Nights that are day for others",
        WarningKind::Unfair => "Unfair share",
        WarningKind::ClockChange => "Clocks change at a hand-over",
        WarningKind::HolidayDuty => "On call on a holiday",
        WarningKind::ChangeWillFail => "Planned change that will fail",
        WarningKind::StaleSource => "Calendar or schedule not read lately",
        WarningKind::EmptyRoster => "Nobody in the list",
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
