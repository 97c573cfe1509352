//! Warnings as pages word them.

use super::people::People;
use super::time::Times;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::{Severity, WarningKind};
use jiff::civil::Date;
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

/// What a warning says, with days as people write them.
pub fn text(warning: &Warning, people: &People, times: &Times) -> String {
    if warning.kind != WarningKind::StaleSource {
        return dated(&warning.text, times);
    }
    let whose = match warning.users.first() {
        Some(user) => format!("The calendar of {}", people.name(user)),
        None => "The partner’s schedule".to_owned(),
    };
    match warning.since {
        Some(at) => format!("{whose} was last read on {}.", times.text(at)),
        None => format!("{whose} has not been read."),
    }
}

/// A text whose dates are in words: "2026-12-25" is "25 Dec".
fn dated(text: &str, times: &Times) -> String {
    const LENGTH: usize = "2026-12-25".len();
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let date = rest
            .get(..LENGTH)
            .and_then(|part| part.parse::<Date>().ok());
        let step = match date {
            Some(date) => {
                said.push_str(&times.day_text(date));
                LENGTH
            }
            None => {
                said.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[step..];
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::zones::ZoneName;

    #[test]
    fn dates_are_in_words() {
        let times = Times {
            zone: ZoneName::utc(),
            now: "2026-11-24T13:20:00Z".parse().expect("an instant"),
        };
        for (text, said) in [
            (
                "Ada is on call on 2026-12-25, a holiday in Norway.",
                "Ada is on call on Fri 25 Dec, a holiday in Norway.",
            ),
            ("Nothing é of 2026-13-25", "Nothing é of 2026-13-25"),
            ("", ""),
        ] {
            assert_eq!(dated(text, &times), said);
        }
    }
}
