//! Weekly summaries: when people get theirs, and when and where channels do.

use super::coverage::Weekday;
use super::strict::strict;
use crate::domain::ids::ChannelId;
use crate::domain::refusal::Refusal;
use crate::domain::time::HhMm;
use crate::domain::weekly as domain;
use crate::domain::zones::ZoneName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict! {
    Weekly,
    ChannelSummary,
}

/// When a person gets the summary of their next days, in their time zone.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WeeklySummary")]
pub struct Weekly {
    pub day: Weekday,
    pub time: HhMm,
}

impl From<domain::Weekly> for Weekly {
    fn from(weekly: domain::Weekly) -> Weekly {
        Weekly {
            day: weekly.day.into(),
            time: weekly.time,
        }
    }
}

impl From<Weekly> for domain::Weekly {
    fn from(weekly: Weekly) -> domain::Weekly {
        domain::Weekly {
            day: weekly.day.into(),
            time: weekly.time,
        }
    }
}

/// When, and in which of its channels, the rotation's coming week is posted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelSummary {
    pub day: Weekday,
    /// Local time in `timeZone`.
    pub time: HhMm,
    /// A city such as `Europe/Oslo`, or `UTC`.
    #[schemars(with = "String")]
    pub time_zone: ZoneName,
    /// 1 to 50 of the rotation's channels.
    pub channel_ids: Vec<String>,
}

/// Renders the summary of a rotation.
pub fn render(summary: &domain::ChannelSummary) -> ChannelSummary {
    ChannelSummary {
        day: summary.weekly.day.into(),
        time: summary.weekly.time,
        time_zone: summary.zone,
        channel_ids: summary.channels.iter().map(ToString::to_string).collect(),
    }
}

impl ChannelSummary {
    /// Reads a summary.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn read(self) -> Result<domain::ChannelSummary, Refusal> {
        let summary = domain::ChannelSummary {
            weekly: domain::Weekly {
                day: self.day.into(),
                time: self.time,
            },
            zone: self.time_zone,
            channels: self.channel_ids.into_iter().map(ChannelId::from).collect(),
        };
        summary.checked()
    }
}
