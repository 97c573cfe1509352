//! The forecast as the API shows it (rules.md 6).

use super::moment::Moment;
use super::on_call::{self, SkippedMember};
use super::to_i32;
use super::words::words;
use crate::domain::forecast;
use crate::domain::rotation::Rotation;
use schemars::JsonSchema;
use serde::Serialize;

words! {
    /// The kind of a planned turn.
    PlannedKind {
        /// A dealt turn.
        Turn = "turn",
        /// An arrangement.
        Arrangement = "arrangement",
        /// Nobody is on call: the slot is empty, or the window is shut.
        Nobody = "nobody",
    }
}

/// A planned turn, if nothing changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedTurn {
    pub start: Moment,
    /// Exclusive; may lie after the requested range. Absent if open-ended or beyond the forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    pub cell_id: String,
    pub lane_id: String,
    pub lane_name: Option<String>,
    pub window_id: String,
    pub window_name: Option<String>,
    /// Absent if nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The person's position in the roster. Absent if nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub kind: PlannedKind,
    /// The arrangement that gives the slot to the person; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrangement_id: Option<String>,
    /// Absent people who are skipped for this turn.
    pub skipped_for_absence: Vec<SkippedMember>,
}

/// Renders a planned turn. `rotation` is the rotation that was forecast.
pub fn render(rotation: &Rotation, planned: &forecast::PlannedTurn) -> PlannedTurn {
    let cell = &rotation.cells[planned.cell];
    let entry = &planned.entry;
    PlannedTurn {
        start: entry.start.into(),
        end: planned.end.map(Moment),
        cell_id: cell.id.to_string(),
        lane_id: rotation.lanes[cell.lane].id.to_string(),
        lane_name: entry.lane_name.clone(),
        window_id: rotation.windows[cell.window].id.to_string(),
        window_name: entry.window_name.clone(),
        user_id: entry.user.as_ref().map(|user| user.to_string()),
        turn: entry.turn.filter(|_| entry.user.is_some()).map(to_i32),
        kind: match (&entry.user, &entry.arrangement) {
            (Some(_), Some(_)) => PlannedKind::Arrangement,
            (Some(_), None) => PlannedKind::Turn,
            (None, _) => PlannedKind::Nobody,
        },
        arrangement_id: entry.arrangement.as_ref().map(|id| id.to_string()),
        skipped_for_absence: on_call::skipped(&entry.skipped),
    }
}
