//! Which warnings are problems that matter now, and to whom; all others are smaller notes.

use super::Warning;
use crate::domain::warning_kinds::WarningKind;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

/// So soon a problem begins that matters now.
pub const MATTERS_WITHIN: SignedDuration = SignedDuration::from_hours(14 * 24);

/// A calendar or schedule matters once it has not been read for so long: most of them can be read again the next time.
const STALE_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Whom problems of a kind concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Owners, members and workspace admins: any of them can do something about it.
    Team,
    /// Those who may change the rotation.
    Editors,
}

impl WarningKind {
    /// Whom it concerns where it begins soon; `None` where it is a smaller note whenever it begins.
    pub fn concern(self) -> Option<Concern> {
        match self {
            WarningKind::Nobody | WarningKind::AbsentOnDuty => Some(Concern::Team),
            WarningKind::EmptyRoster
            | WarningKind::Unreachable
            | WarningKind::StaleSource
            | WarningKind::ChangeWillFail => Some(Concern::Editors),
            WarningKind::NoFallback
            | WarningKind::BackToBack
            | WarningKind::ShortRest
            | WarningKind::DoubleDuty
            | WarningKind::Uncovered
            | WarningKind::NightWork
            | WarningKind::Unfair
            | WarningKind::ClockChange
            | WarningKind::HolidayDuty
            | WarningKind::EndsSoon => None,
        }
    }
}

impl Warning {
    /// Whether it is a problem that matters at an instant to a reader of the rotation; `edits` says whether they may change it.
    pub fn matters(&self, now: Timestamp, edits: bool) -> bool {
        let concerns = match self.kind.concern() {
            Some(Concern::Team) => true,
            Some(Concern::Editors) => edits,
            None => false,
        };
        let is_soon = self.period.from.duration_since(now) < MATTERS_WITHIN;
        let is_stale = self.kind != WarningKind::StaleSource
            || self
                .since
                .is_none_or(|since| now.duration_since(since) >= STALE_AFTER);
        concerns && is_soon && is_stale
    }
}

/// The warnings, with those that say of one cell and day that nobody is on call as one: from the first instant to the last.
pub fn by_day(warnings: Vec<Warning>, day: impl Fn(Timestamp) -> Date) -> Vec<Warning> {
    let mut lines: Vec<Warning> = Vec::with_capacity(warnings.len());
    for warning in warnings {
        let is_same = |line: &&mut Warning| {
            line.kind == WarningKind::Nobody
                && warning.kind == WarningKind::Nobody
                && line.cell == warning.cell
                && day(line.period.from) == day(warning.period.from)
        };
        match lines.iter_mut().rev().find(is_same) {
            Some(line) => line.period.until = line.period.until.max(warning.period.until),
            None => lines.push(warning),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Interval;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_second(hours * 3600).expect("an instant")
    }

    fn warning(kind: WarningKind, from: i64, until: i64) -> Warning {
        Warning {
            kind,
            period: Interval::new(at(from), at(until)),
            cell: Some("cel_1".into()),
            users: Vec::new(),
            text: String::new(),
            since: None,
        }
    }

    /// rules.md 27.12.
    #[test]
    fn what_matters_begins_soon_and_concerns_the_reader() {
        for (kind, team, editors) in [
            (WarningKind::Nobody, true, true),
            (WarningKind::AbsentOnDuty, true, true),
            (WarningKind::EmptyRoster, false, true),
            (WarningKind::Unreachable, false, true),
            (WarningKind::DoubleDuty, false, false),
            (WarningKind::NoFallback, false, false),
        ] {
            let (soon, late) = (warning(kind, 14 * 24 - 1, 500), warning(kind, 14 * 24, 500));
            let found = [false, true].map(|edits| soon.matters(at(0), edits));
            assert_eq!(found, [team, editors], "{kind:?}");
            assert!(!late.matters(at(0), true), "{kind:?}");
        }
        let stale = |hours: i64| Warning {
            since: Some(at(-hours)),
            ..warning(WarningKind::StaleSource, 0, 500)
        };
        assert!(!stale(23).matters(at(0), true));
        assert!(stale(24).matters(at(0), true) && !stale(24).matters(at(0), false));
    }

    /// rules.md 27.12.
    #[test]
    fn stretches_of_one_cell_and_day_are_one_line() {
        let mut other = warning(WarningKind::Nobody, 3, 4);
        other.cell = Some("cel_2".into());
        let all = vec![
            warning(WarningKind::Nobody, 1, 2),
            other,
            warning(WarningKind::AbsentOnDuty, 3, 4),
            warning(WarningKind::Nobody, 5, 6),
            warning(WarningKind::Nobody, 25, 26),
        ];
        let day = |at: Timestamp| at.to_zoned(jiff::tz::TimeZone::UTC).date();
        let lines = by_day(all, day).into_iter();
        let hours = |at: Timestamp| at.as_second() / 3600;
        let shown: Vec<_> = lines
            .map(|one| (hours(one.period.from), hours(one.period.until)))
            .collect();
        assert_eq!(shown, [(1, 6), (3, 4), (3, 4), (25, 26)]);
    }
}
