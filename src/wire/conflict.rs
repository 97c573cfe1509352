//! What stands against an agreement (api.md "Conflict").

use super::moment::Moment;
use super::words::{names, words};
use crate::domain::conflict::{self as domain, ConflictKind};
use schemars::JsonSchema;
use serde::Serialize;

names! {
    /// What is in the way: `absence`, the person is away; `sameCellArrangement`, another arrangement lies over the cell.
    ConflictType(ConflictKind) of ConflictKind::ALL
}

words! {
    /// Where a conflict is known from.
    ConflictSource {
        /// Another arrangement.
        Arrangement = "arrangement",
        /// An absence stored here.
        ManualAvailability = "manualAvailability",
    }
}

/// One thing in the way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// Names the conflict together with the terms: send it to acknowledge it.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ConflictType,
    /// Who is away, or who holds the cell already.
    pub user_id: String,
    /// Where it meets the interval.
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    pub source: ConflictSource,
    /// False where it blocks the write.
    pub can_acknowledge: bool,
}

/// Renders one conflict.
pub fn render(conflict: &domain::Conflict) -> Conflict {
    Conflict {
        id: conflict.id.clone(),
        kind: ConflictType(conflict.kind),
        user_id: conflict.user.to_string(),
        from: conflict.period.from.into(),
        to: conflict.period.until.into(),
        source: match conflict.kind {
            ConflictKind::Absence => ConflictSource::ManualAvailability,
            ConflictKind::SameCellArrangement => ConflictSource::Arrangement,
        },
        can_acknowledge: conflict.kind.can_acknowledge(),
    }
}

/// Renders a list of them.
pub fn render_all(conflicts: &[domain::Conflict]) -> Vec<Conflict> {
    conflicts.iter().map(render).collect()
}
