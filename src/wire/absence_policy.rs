//! What absences mean for a rotation, as the API shows and takes it.

use super::body::present;
use super::int32::Int32;
use super::strict::strict;
use crate::domain::absence_policy as domain;
use crate::domain::absence_policy::{
    CalendarsCount, CountChange, MOST_HOURS, PassOver, PolicyChange, WhileOnDuty,
};
use crate::domain::fault::Fault;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::words::words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(PolicyRequest => AbsencePolicy);

words! {
    /// Which absences from people's calendars count. Those stored here always do.
    pub enum Calendars {
        /// None.
        Never = "never",
        /// All.
        Always = "always",
        /// Those that last at least `minimumHours` on end.
        Long = "long",
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
        pass_over: policy.pass_over,
        while_on_duty: policy.while_on_duty,
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
            pass_over: self.pass_over,
            while_on_duty: self.while_on_duty,
        })
    }
}
