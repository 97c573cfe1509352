//! What absences mean for a rotation, as the API shows and takes it.

use super::body::present;
use super::int32::Int32;
use super::strict::strict;
use super::words::words;
use crate::domain::absence_policy as domain;
use crate::domain::absence_policy::{CalendarsCount, CountChange, MOST_HOURS, PolicyChange};
use crate::domain::fault::Fault;
use crate::domain::refusal::{Refusal, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(PolicyRequest => AbsencePolicy);

words! {
    /// Which absences from people's calendars count. Those stored here always do.
    Calendars {
        /// None.
        Never = "never",
        /// All.
        Always = "always",
        /// Those that last at least `minimumHours` on end.
        Long = "long",
    }
}

words! {
    /// Who is passed over when a turn is dealt.
    PassOver {
        /// Whoever is absent at that instant.
        AtHandOver = "atHandOver",
        /// Whoever is absent in a covered part of the turn. If everybody is, the person who misses the least of it is chosen.
        DuringTurn = "duringTurn",
    }
}

words! {
    /// What happens when an absence of somebody on duty begins.
    WhileOnDuty {
        /// They stay on duty.
        Keep = "keep",
        /// The next person takes over at once.
        HandOver = "handOver",
    }
}

/// What absences mean for the rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsencePolicy {
    pub calendars: Calendars,
    /// 1 to 720. Absent unless `calendars` is `long`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_hours: Option<i32>,
    pub pass_over: PassOver,
    pub while_on_duty: WhileOnDuty,
}

/// Renders a policy.
pub fn render(policy: domain::AbsencePolicy) -> AbsencePolicy {
    AbsencePolicy {
        calendars: match policy.calendars {
            CalendarsCount::Never => Calendars::Never,
            CalendarsCount::Always => Calendars::Always,
            CalendarsCount::Long(_) => Calendars::Long,
        },
        minimum_hours: policy.calendars.minimum_hours().map(i32::from),
        pass_over: match policy.pass_over {
            domain::PassOver::AtHandOver => PassOver::AtHandOver,
            domain::PassOver::DuringTurn => PassOver::DuringTurn,
        },
        while_on_duty: match policy.while_on_duty {
            domain::WhileOnDuty::Keep => WhileOnDuty::Keep,
            domain::WhileOnDuty::HandOver => WhileOnDuty::HandOver,
        },
    }
}

/// Members of the policy to change. Omitted members stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AbsencePolicyRequest")]
pub struct PolicyRequest {
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Calendars")]
    calendars: Option<Calendars>,
    /// 1 to 720. Required when `calendars` becomes `long`, and only taken with it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    minimum_hours: Option<Int32>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "PassOver")]
    pass_over: Option<PassOver>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "WhileOnDuty")]
    while_on_duty: Option<WhileOnDuty>,
}

impl PolicyRequest {
    /// Reads a change of the policy.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn read(&self) -> Result<PolicyChange, Refusal> {
        let hours = |hours: &Int32| match u16::try_from(hours.0) {
            Ok(hours) if (1..=MOST_HOURS).contains(&hours) => Ok(hours),
            _ => invalid(
                "absencePolicy.minimumHours",
                Fault::OutOfRange {
                    least: 1,
                    most: MOST_HOURS.into(),
                    sent: hours.0.into(),
                },
            ),
        };
        Ok(PolicyChange {
            calendars: self.calendars.map(|calendars| match calendars {
                Calendars::Never => CountChange::Never,
                Calendars::Always => CountChange::Always,
                Calendars::Long => CountChange::Long,
            }),
            minimum_hours: self.minimum_hours.as_ref().map(hours).transpose()?,
            pass_over: self.pass_over.map(|over| match over {
                PassOver::AtHandOver => domain::PassOver::AtHandOver,
                PassOver::DuringTurn => domain::PassOver::DuringTurn,
            }),
            while_on_duty: self.while_on_duty.map(|duty| match duty {
                WhileOnDuty::Keep => domain::WhileOnDuty::Keep,
                WhileOnDuty::HandOver => domain::WhileOnDuty::HandOver,
            }),
        })
    }
}
