//! A planned turn of one person, away from the rotation that it is of.

use super::PlannedTurn;
use crate::domain::absence::Away;
use crate::domain::ids::{CellId, LaneId, RotationId, WindowId};
use crate::domain::time::Interval;
use std::sync::Arc;

/// A rotation as a list of shifts names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShiftRotation {
    pub id: RotationId,
    pub name: String,
    pub code: Option<String>,
}

/// A planned turn of one person in one of their rotations.
#[derive(Clone, Debug)]
pub struct Shift {
    pub rotation: Arc<ShiftRotation>,
    pub cell: CellId,
    pub lane: LaneId,
    pub window: WindowId,
    pub turn: PlannedTurn,
    /// The part of it that lies in the range asked for. A turn is split where its window shuts, so all of it is covered.
    pub covered: Interval,
    /// Their absences that fall in it.
    pub absences: Vec<Away>,
}
