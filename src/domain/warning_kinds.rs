//! The kinds of warnings, and which of them a rotation wants (rules.md 27).

use crate::domain::words::words;
use std::collections::BTreeSet;

words! {
    /// How much it matters.
    pub enum Severity as WarningSeverity {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

words! {
    /// What is wrong: `nobody`, a window is open and nobody is on call; `noFallback`, one absence more and nobody is left;
    /// `backToBack`, turns of one person on end; `shortRest`, too little rest between two turns of one person anywhere in the
    /// workspace; `doubleDuty`, one person in two rotations at once; `unreachable`, somebody on call or next is deactivated or, on a
    /// partner's schedule, unknown here; `absentOnDuty`, somebody is on call while absent; `uncovered`, the windows cover at least
    /// 160 of 168 hours of the week, and not all; `nightWork`, somebody is on call in their night, which is day for another member;
    /// `unfair`, somebody carries more than 1.5 times the mean; `clockChange`, a hand-over is moved or doubled by daylight saving
    /// time; `holidayDuty`, somebody is on call on a holiday; `staleSource`, a calendar or partner cannot be read; `emptyRoster`, a
    /// roster has nobody in it; `endsSoon`, holiday data end; `changeWillFail`, a planned change would be refused when its time comes.
    pub enum WarningKind {
        Nobody = "nobody",
        NoFallback = "noFallback",
        BackToBack = "backToBack",
        ShortRest = "shortRest",
        DoubleDuty = "doubleDuty",
        Unreachable = "unreachable",
        AbsentOnDuty = "absentOnDuty",
        Uncovered = "uncovered",
        NightWork = "nightWork",
        Unfair = "unfair",
        ClockChange = "clockChange",
        HolidayDuty = "holidayDuty",
        StaleSource = "staleSource",
        EmptyRoster = "emptyRoster",
        EndsSoon = "endsSoon",
        ChangeWillFail = "changeWillFail",
    }
}

impl WarningKind {
    /// How much it matters.
    pub fn severity(self) -> Severity {
        match self {
            WarningKind::Nobody
            | WarningKind::Unreachable
            | WarningKind::AbsentOnDuty
            | WarningKind::DoubleDuty
            | WarningKind::EmptyRoster
            | WarningKind::StaleSource
            | WarningKind::ChangeWillFail => Severity::High,
            WarningKind::NoFallback
            | WarningKind::Uncovered
            | WarningKind::ShortRest
            | WarningKind::BackToBack
            | WarningKind::EndsSoon => Severity::Medium,
            WarningKind::NightWork
            | WarningKind::Unfair
            | WarningKind::ClockChange
            | WarningKind::HolidayDuty => Severity::Low,
        }
    }
}

/// The hours of rest between two turns unless a rotation sets others.
pub const SHORT_REST_HOURS: u32 = 11;

/// The most hours of rest that can be set: a week.
pub const MOST_REST_HOURS: u32 = 168;

/// Which warnings a rotation wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarningSettings {
    /// The kinds that are switched off.
    pub off: BTreeSet<WarningKind>,
    /// Less rest than this between two turns is a warning.
    pub short_rest_hours: u32,
}

impl Default for WarningSettings {
    fn default() -> WarningSettings {
        WarningSettings {
            off: BTreeSet::new(),
            short_rest_hours: SHORT_REST_HOURS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_and_severities() {
        for kind in WarningKind::ALL {
            assert_eq!(WarningKind::parse(kind.name()), Some(kind));
        }
        let named = |severity: Severity| {
            let kinds = WarningKind::ALL.into_iter();
            let kinds = kinds.filter(|kind| kind.severity() == severity);
            kinds.map(WarningKind::name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            Severity::ALL.map(named),
            [
                "nobody doubleDuty unreachable absentOnDuty staleSource emptyRoster changeWillFail",
                "noFallback backToBack shortRest uncovered endsSoon",
                "nightWork unfair clockChange holidayDuty",
            ]
        );
    }
}
