//! The kinds of warnings, and which of them a rotation wants (rules.md 27).

use std::collections::BTreeSet;

/// How much a warning matters, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    High,
    Medium,
    Low,
}

impl Severity {
    /// Every severity.
    pub const ALL: [Severity; 3] = [Severity::High, Severity::Medium, Severity::Low];

    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        }
    }

    /// The severity of that name.
    pub fn parse(name: &str) -> Option<Severity> {
        let mut all = Severity::ALL.into_iter();
        all.find(|severity| severity.name() == name)
    }
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// A window is open and nobody is on call.
    Nobody,
    /// Nobody else is left to take over.
    NoFallback,
    /// Turns of one person in one rotation that follow each other directly.
    BackToBack,
    /// Too little rest between two turns of one person.
    ShortRest,
    /// One person is on call in two rotations at once.
    DoubleDuty,
    /// Somebody on call, or next, cannot be reached.
    Unreachable,
    /// Somebody is on call while they are absent.
    AbsentOnDuty,
    /// The windows cover nearly the whole week, but not all of it.
    Uncovered,
    /// Somebody is on call at night while it is day for another member.
    NightWork,
    /// Somebody carries far more than the others.
    Unfair,
    /// A hand-over falls into a change of the clocks.
    ClockChange,
    /// Somebody is on call on a holiday.
    HolidayDuty,
    /// A calendar or a partner's schedule cannot be read.
    StaleSource,
    /// A roster has nobody in it.
    EmptyRoster,
    /// The holiday data of a country end.
    EndsSoon,
}

impl WarningKind {
    /// Every kind.
    pub const ALL: [WarningKind; 15] = [
        WarningKind::Nobody,
        WarningKind::NoFallback,
        WarningKind::BackToBack,
        WarningKind::ShortRest,
        WarningKind::DoubleDuty,
        WarningKind::Unreachable,
        WarningKind::AbsentOnDuty,
        WarningKind::Uncovered,
        WarningKind::NightWork,
        WarningKind::Unfair,
        WarningKind::ClockChange,
        WarningKind::HolidayDuty,
        WarningKind::StaleSource,
        WarningKind::EmptyRoster,
        WarningKind::EndsSoon,
    ];

    /// The name in the API and the database.
    pub fn name(self) -> &'static str {
        match self {
            WarningKind::Nobody => "nobody",
            WarningKind::NoFallback => "noFallback",
            WarningKind::BackToBack => "backToBack",
            WarningKind::ShortRest => "shortRest",
            WarningKind::DoubleDuty => "doubleDuty",
            WarningKind::Unreachable => "unreachable",
            WarningKind::AbsentOnDuty => "absentOnDuty",
            WarningKind::Uncovered => "uncovered",
            WarningKind::NightWork => "nightWork",
            WarningKind::Unfair => "unfair",
            WarningKind::ClockChange => "clockChange",
            WarningKind::HolidayDuty => "holidayDuty",
            WarningKind::StaleSource => "staleSource",
            WarningKind::EmptyRoster => "emptyRoster",
            WarningKind::EndsSoon => "endsSoon",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<WarningKind> {
        WarningKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// How much it matters.
    pub fn severity(self) -> Severity {
        match self {
            WarningKind::Nobody
            | WarningKind::Unreachable
            | WarningKind::AbsentOnDuty
            | WarningKind::DoubleDuty
            | WarningKind::EmptyRoster
            | WarningKind::StaleSource => Severity::High,
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
                "nobody doubleDuty unreachable absentOnDuty staleSource emptyRoster",
                "noFallback backToBack shortRest uncovered endsSoon",
                "nightWork unfair clockChange holidayDuty",
            ]
        );
    }
}
