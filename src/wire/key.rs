//! A key's view of itself (contract section 4).

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
    /// What the key may be used for.
    pub scopes: Vec<String>,
    /// The rotations that the key is limited to; null is all.
    pub selector: Option<Selector>,
    pub created_at: Moment,
    /// Null when it does not expire.
    pub expires_at: Option<Moment>,
}

/// What a key is limited to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selector {
    pub rotation_ids: Vec<String>,
}
