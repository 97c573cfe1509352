//! Conflicts that prevent a person from holding a cell for an interval (rules.md 8.2).

use super::ids::{CellId, UserId};
use super::time::Interval;
use crate::domain::words::words;

/// A person and the interval for which they are to hold a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub cell: CellId,
    pub user: UserId,
    /// As requested.
    pub asked: Interval,
    /// The future part of it.
    pub period: Interval,
}

/// A conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Identifies the conflict and the terms: equal for the same two, different otherwise.
    pub id: String,
    pub kind: ConflictKind,
    pub source: ConflictSource,
    /// The absent person, or the current holder of the cell.
    pub user: UserId,
    /// The overlap with the interval.
    pub period: Interval,
}

words! {
    /// The kind of conflict: `absence`, the person is away; `sameCellArrangement`, another arrangement covers the cell;
    /// `unknownAvailability`, a calendar of the person cannot be read.
    pub enum ConflictKind as ConflictType {
        Absence = "absence",
        SameCellArrangement = "sameCellArrangement",
        UnknownAvailability = "unknownAvailability",
    }
}

words! {
    /// The record that causes the conflict: `arrangement`; `manualAvailability`, an absence stored by rota; `externalCalendar`, a
    /// calendar of the person; `chatStatus`, the person's status in chat.
    pub enum ConflictSource {
        Arrangement = "arrangement",
        ManualAvailability = "manualAvailability",
        ExternalCalendar = "externalCalendar",
        ChatStatus = "chatStatus",
    }
}

impl ConflictKind {
    /// Whether a caller may acknowledge it and proceed.
    pub fn can_acknowledge(self) -> bool {
        match self {
            ConflictKind::Absence | ConflictKind::UnknownAvailability => true,
            ConflictKind::SameCellArrangement => false,
        }
    }
}

/// Whether any conflict blocks regardless of acknowledgement.
pub fn blocks(conflicts: &[Conflict]) -> bool {
    conflicts
        .iter()
        .any(|conflict| !conflict.kind.can_acknowledge())
}

/// Whether all conflicts are acknowledged.
pub fn acknowledged(conflicts: &[Conflict], ids: &[String]) -> bool {
    conflicts.iter().all(|conflict| ids.contains(&conflict.id))
}
