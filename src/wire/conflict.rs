//! Conflicts with an arrangement (rules.md 8.2).

use super::moment::Moment;
use crate::domain::conflict::{self as domain, ConflictKind};
use schemars::JsonSchema;
use serde::Serialize;

/// One conflict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// Identifies the conflict and its terms. Send it to acknowledge the conflict.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ConflictKind,
    /// The person who is away, or who holds the cell.
    pub user_id: String,
    /// Start of the overlap with the interval.
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    pub source: domain::ConflictSource,
    /// False if the conflict blocks the write.
    pub can_acknowledge: bool,
}

/// Renders a conflict.
pub fn render(conflict: &domain::Conflict) -> Conflict {
    Conflict {
        id: conflict.id.clone(),
        kind: conflict.kind,
        user_id: conflict.user.to_string(),
        from: conflict.period.from.into(),
        to: conflict.period.until.into(),
        source: conflict.source,
        can_acknowledge: conflict.kind.can_acknowledge(),
    }
}

/// Renders a list of conflicts.
pub fn render_all(conflicts: &[domain::Conflict]) -> Vec<Conflict> {
    conflicts.iter().map(render).collect()
}
