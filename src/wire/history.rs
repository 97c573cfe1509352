//! The record of past turns (rules.md 7).

use super::coverage::{self, Stretch};
use super::moment::Moment;
use crate::domain::books::Dealt;
use crate::domain::rotation;
use schemars::JsonSchema;
use serde::Serialize;

/// A turn that was held, or a period without a holder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    pub start: Moment,
    /// Exclusive. Absent on the running entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    /// Absent if nobody was on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    pub nobody_was_on_call: bool,
    /// The person's position in the roster when the entry began. Absent if nobody was on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub lane_id: String,
    /// The name at the time.
    pub lane_name: Option<String>,
    pub window_id: String,
    /// The name at the time.
    pub window_name: Option<String>,
    /// Whose own turn it was. Null where missed turns were lost when it was dealt, for an arrangement, and where nobody was on call.
    pub turn_of: Option<String>,
    /// Why whoever had it did. Null with `turnOf`.
    pub dealt: Option<Dealt>,
    /// Why the entry began.
    pub reason: rotation::Reason,
    /// The window's hours at the time. Later edits do not change them. Absent if they were not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours_as_held: Option<HoursAsHeld>,
    /// True on a standby, if it began after the copy that it answers from: it is what the plan says. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<bool>,
}

/// The hours of a window at the time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HoursAsHeld {
    /// Empty on a rotation without a cadence.
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
