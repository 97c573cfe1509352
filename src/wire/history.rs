//! The record: turns as they were held (api.md "History entry").

use super::coverage::{self, Stretch};
use super::moment::Moment;
use super::words::names;
use crate::domain::rotation;
use schemars::JsonSchema;
use serde::Serialize;

/// A turn held, or a stretch that nobody covered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    pub start: Moment,
    /// Exclusive; absent on the running entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    /// Absent when nobody covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    pub nobody_was_on_call: bool,
    /// The person's place in the order when the entry began; absent when nobody covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub lane_id: String,
    /// As named at the time.
    pub lane_name: Option<String>,
    pub window_id: String,
    /// As named at the time.
    pub window_name: Option<String>,
    /// Why the entry began.
    pub reason: HistoryReason,
    /// The hours that it was held under; later edits do not rewrite them. Absent when there is no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours_as_held: Option<HoursAsHeld>,
}

names! {
    /// Why an entry began.
    HistoryReason(rotation::Reason) of rotation::Reason::ALL
}

/// A window's hours at the time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HoursAsHeld {
    /// Empty on a rotation with no cadence.
    pub time_zone: String,
    pub always_open: bool,
    pub coverage: Vec<Stretch>,
}

impl From<&rotation::HoursHeld> for HoursAsHeld {
    fn from(hours: &rotation::HoursHeld) -> HoursAsHeld {
        HoursAsHeld {
            time_zone: hours.zone.map(|zone| zone.to_string()).unwrap_or_default(),
            always_open: hours.always_open,
            coverage: coverage::stretches(&hours.coverage),
        }
    }
}
