//! The API key's view of itself (rules.md 12.1).

use super::moment::Moment;
use schemars::JsonSchema;
use serde::Serialize;

/// The API key that made the request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeySelf {
    pub id: String,
    pub name: String,
    /// The chat workspace.
    pub team_id: String,
    /// The scopes of the key.
    pub scopes: Vec<String>,
    /// The rotations that the key is limited to; null means all.
    pub selector: Option<Selector>,
    pub created_at: Moment,
    /// Null if the key does not expire.
    pub expires_at: Option<Moment>,
}

/// The rotations that a key is limited to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selector {
    pub rotation_ids: Vec<String>,
}
