//! Conflicts with an arrangement (rules.md 8.2).

use super::moment::Moment;
use super::words::names;
use crate::domain::conflict::{self as domain, ConflictKind};
use schemars::JsonSchema;
use serde::Serialize;

names! {
    /// The kind of conflict: `absence`, the person is away; `sameCellArrangement`, another arrangement covers the cell;
    /// `unknownAvailability`, a calendar of the person cannot be read.
    ConflictType(ConflictKind) of ConflictKind::ALL
}

names! {
    /// The record that causes the conflict: `arrangement`; `manualAvailability`, an absence stored by rota; `externalCalendar`, a
    /// calendar of the person; `chatStatus`, the person's status in chat.
    ConflictSource(domain::ConflictSource) of domain::ConflictSource::ALL
}

/// One conflict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// Identifies the conflict and its terms. Send it to acknowledge the conflict.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ConflictType,
    /// The person who is away, or who holds the cell.
    pub user_id: String,
    /// Start of the overlap with the interval.
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    pub source: ConflictSource,
    /// False if the conflict blocks the write.
    pub can_acknowledge: bool,
}

/// Renders a conflict.
pub fn render(conflict: &domain::Conflict) -> Conflict {
    Conflict {
        id: conflict.id.clone(),
        kind: ConflictType(conflict.kind),
        user_id: conflict.user.to_string(),
        from: conflict.period.from.into(),
        to: conflict.period.until.into(),
        source: ConflictSource(conflict.source),
        can_acknowledge: conflict.kind.can_acknowledge(),
    }
}

/// Renders a list of conflicts.
pub fn render_all(conflicts: &[domain::Conflict]) -> Vec<Conflict> {
    conflicts.iter().map(render).collect()
}
