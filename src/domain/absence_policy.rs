//! What absences mean for one rotation: which of people's calendars count, who is passed over, and whether somebody who goes away
//! while on duty hands over (rules.md 10.5 to 10.7).

use super::absence::{AbsenceSource, Absences, Away};
use super::fault::Fault;
use super::limits::within;
use super::refusal::Refusal;
use crate::domain::words::words;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

/// The policy of a rotation. The default is what dealing does where nobody has chosen anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AbsencePolicy {
    #[serde(flatten)]
    pub calendars: CalendarsCount,
    pub pass_over: PassOver,
    pub while_on_duty: WhileOnDuty,
}

/// Which absences from calendars count. Stored ones always do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "calendars", content = "minimumHours", rename_all = "camelCase")]
pub enum CalendarsCount {
    Never,
    #[default]
    Always,
    /// Those that last so many hours on end: 1 to [`MOST_HOURS`].
    Long(u16),
}

/// The most hours that absences from calendars may have to last in order to count.
pub const MOST_HOURS: u16 = 720;

words! {
    /// Who is passed over when a turn is dealt.
    pub enum PassOver default AtHandOver {
        /// Whoever is absent at that instant.
        AtHandOver = "atHandOver",
        /// Whoever is absent in a covered part of the turn. If everybody is, the person who misses the least of it is chosen.
        DuringTurn = "duringTurn",
    }
}

words! {
    /// What happens when an absence of somebody on duty begins.
    pub enum WhileOnDuty default Keep {
        /// They stay on duty.
        Keep = "keep",
        /// The next person takes over at once.
        HandOver = "handOver",
    }
}

impl CalendarsCount {
    /// Drops the absences that do not count by this.
    pub fn count_in(self, absences: Absences) -> Absences {
        absences.counting(|away| self.counts(away))
    }

    fn counts(self, away: &Away) -> bool {
        match (away.source, self) {
            (AbsenceSource::Stored, _) | (_, CalendarsCount::Always) => true,
            (_, CalendarsCount::Never) => false,
            (_, CalendarsCount::Long(hours)) => {
                let long = SignedDuration::from_hours(i64::from(hours));
                away.period.length() >= long
            }
        }
    }

    /// How far before an instant absences have to be known, so that those after it are known to be as long as they are.
    pub fn looks_back(self) -> SignedDuration {
        match self {
            CalendarsCount::Never | CalendarsCount::Always => SignedDuration::ZERO,
            CalendarsCount::Long(hours) => SignedDuration::from_hours(i64::from(hours)),
        }
    }

    /// The name that the wire and the database use.
    pub fn name(self) -> &'static str {
        match self {
            CalendarsCount::Never => "never",
            CalendarsCount::Always => "always",
            CalendarsCount::Long(_) => "long",
        }
    }

    /// The hours that an absence has to last, where that matters.
    pub fn minimum_hours(self) -> Option<u16> {
        match self {
            CalendarsCount::Long(hours) => Some(hours),
            CalendarsCount::Never | CalendarsCount::Always => None,
        }
    }
}

/// Changes to a policy. `None` keeps a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyChange {
    pub calendars: Option<CountChange>,
    /// The hours for [`CountChange::Long`], which may be sent alone where they count already.
    pub minimum_hours: Option<u16>,
    pub pass_over: Option<PassOver>,
    pub while_on_duty: Option<WhileOnDuty>,
}

impl PolicyChange {
    /// The hours that absences have to last, if that is within the limits.
    pub fn hours(hours: i32) -> Result<u16, Refusal> {
        let most = u32::from(MOST_HOURS);
        let hours = within("absencePolicy.minimumHours", hours, 1..=most)?;
        Ok(u16::try_from(hours).unwrap_or(MOST_HOURS))
    }
}

/// The kind of absences from calendars that are to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountChange {
    Never,
    Always,
    Long,
}

impl AbsencePolicy {
    /// The policy that a new rotation begins with. Those that were there before deal by the default.
    pub fn of_new() -> AbsencePolicy {
        AbsencePolicy {
            pass_over: PassOver::DuringTurn,
            ..AbsencePolicy::default()
        }
    }

    /// The policy after a change.
    ///
    /// # Errors
    /// Applies a change. Fails on a `minimumHours` that is missing, or that is sent where it means nothing.
    pub fn changed(self, change: &PolicyChange) -> Result<AbsencePolicy, Fault> {
        let hours = change.minimum_hours;
        let calendars = match (change.calendars, hours) {
            (Some(CountChange::Long), None) => match self.calendars {
                CalendarsCount::Long(hours) => CalendarsCount::Long(hours),
                _ => return Err(format!("send 1 to {MOST_HOURS} with `long`").into()),
            },
            (Some(CountChange::Long), Some(hours)) => CalendarsCount::Long(hours),
            (None, Some(hours)) if self.calendars.minimum_hours().is_some() => {
                CalendarsCount::Long(hours)
            }
            (_, Some(_)) => return Err("send it only with `long`".into()),
            (Some(CountChange::Never), None) => CalendarsCount::Never,
            (Some(CountChange::Always), None) => CalendarsCount::Always,
            (None, None) => self.calendars,
        };
        Ok(AbsencePolicy {
            calendars,
            pass_over: change.pass_over.unwrap_or(self.pass_over),
            while_on_duty: change.while_on_duty.unwrap_or(self.while_on_duty),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_keep_what_they_do_not_name() {
        let always = AbsencePolicy::default();
        let long = AbsencePolicy {
            calendars: CalendarsCount::Long(48),
            pass_over: PassOver::DuringTurn,
            ..always
        };
        let shown = |policy: AbsencePolicy| {
            let hours = policy.calendars.minimum_hours();
            let (calendars, hours) = (policy.calendars.name(), hours.unwrap_or_default());
            let (over, duty) = (policy.pass_over.name(), policy.while_on_duty.name());
            format!("{calendars} {hours} {over} {duty}")
        };
        let (all, hours) = (Some(CountChange::Long), Some(8));
        for (from, calendars, minimum_hours, expected) in [
            (always, None, None, Ok("always 0 atHandOver keep")),
            (
                always,
                Some(CountChange::Never),
                None,
                Ok("never 0 atHandOver keep"),
            ),
            (always, all, hours, Ok("long 8 atHandOver keep")),
            (always, all, None, Err("send 1 to 720")),
            (always, None, hours, Err("only with `long`")),
            (
                always,
                Some(CountChange::Never),
                hours,
                Err("only with `long`"),
            ),
            (long, None, hours, Ok("long 8 duringTurn keep")),
            (long, all, None, Ok("long 48 duringTurn keep")),
            (
                long,
                Some(CountChange::Always),
                None,
                Ok("always 0 duringTurn keep"),
            ),
            (
                long,
                Some(CountChange::Always),
                hours,
                Err("only with `long`"),
            ),
        ] {
            let change = PolicyChange {
                calendars,
                minimum_hours,
                ..PolicyChange::default()
            };
            match (from.changed(&change), expected) {
                (Ok(policy), Ok(expected)) => assert_eq!(shown(policy), expected),
                (Err(Fault::Other(detail)), Err(words)) => assert!(detail.contains(words)),
                (found, expected) => panic!("{found:?}, not {expected:?}"),
            }
        }
    }
}
