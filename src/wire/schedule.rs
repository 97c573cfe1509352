//! The schedule.

use super::moment::Moment;
use super::on_call::{self, SkippedMember};
use super::small;
use super::words::words;
use crate::domain::forecast;
use crate::domain::rotation::Rotation;
use schemars::JsonSchema;
use serde::Serialize;

words! {
    /// What a planned turn is.
    PlannedKind {
        /// A dealt turn.
        Turn = "turn",
        /// Somebody holds the place by an arrangement.
        Arrangement = "arrangement",
        /// Nobody covers: the place is empty or the window shut.
        Nobody = "nobody",
    }
}

/// A turn as it will come if nothing changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedTurn {
    pub start: Moment,
    /// Exclusive, also where it lies after the range; absent when open-ended, or too far ahead to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    pub cell_id: String,
    pub lane_id: String,
    pub lane_name: Option<String>,
    pub window_id: String,
    pub window_name: Option<String>,
    /// Absent when nobody covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The person's place in the roster's order; absent when nobody covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub kind: PlannedKind,
    /// The arrangement that the place is held by; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrangement_id: Option<String>,
    /// Absent people passed over for this turn.
    pub skipped_for_absence: Vec<SkippedMember>,
}

/// Renders one planned turn of the rotation that it was computed from.
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
        turn: entry.turn.filter(|_| entry.user.is_some()).map(small),
        kind: match (&entry.user, &entry.arrangement) {
            (Some(_), Some(_)) => PlannedKind::Arrangement,
            (Some(_), None) => PlannedKind::Turn,
            (None, _) => PlannedKind::Nobody,
        },
        arrangement_id: entry.arrangement.as_ref().map(|id| id.to_string()),
        skipped_for_absence: on_call::skipped(&entry.skipped),
    }
}
