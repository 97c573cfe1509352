//! One person's turns in several rotations.

use crate::domain::absence::Away;
use crate::domain::duty::Duty;
use crate::domain::ids::RotationId;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use std::sync::Arc;

/// A rotation as a list of many names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShiftRotation {
    pub id: RotationId,
    pub name: String,
    pub code: Option<String>,
}

impl ShiftRotation {
    /// How a rotation is named.
    pub fn of(rotation: &Rotation) -> ShiftRotation {
        ShiftRotation {
            id: rotation.id.clone(),
            name: rotation.profile.name.clone(),
            code: rotation.profile.code.clone(),
        }
    }
}

/// Duty of one person in one of their rotations.
#[derive(Clone, Debug)]
pub struct Shift {
    pub rotation: Arc<ShiftRotation>,
    /// The name of the slot, where the rotation has several.
    pub slot: Vec<String>,
    /// The zone of its window.
    pub zone: Option<ZoneName>,
    pub duty: Duty,
    /// The part of it that lies in the range asked for. Duty is split where its window shuts, so all of it is covered.
    pub covered: Interval,
    /// Their absences that fall in it.
    pub absences: Vec<Away>,
}

impl Shift {
    /// The order of shifts of several rotations; those of one stay as they are.
    pub fn order(&self) -> (Timestamp, &str, &RotationId) {
        let rotation = &self.rotation;
        (self.duty.entry.start, &rotation.name, &rotation.id)
    }
}
