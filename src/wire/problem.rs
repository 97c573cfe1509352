//! The error body (api.md "Collection envelope and error body").

use super::conflict::Conflict;
use schemars::JsonSchema;
use serde::Serialize;

/// Why a request was not carried out, as `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// Always `about:blank`: `code` tells problems apart.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The same for every problem of one status or code.
    pub title: Option<String>,
    /// The HTTP status.
    pub status: Option<i32>,
    /// For people: what is wrong with this request and what to send instead.
    pub detail: Option<String>,
    /// Names this answer; the server's log has the same.
    pub instance: Option<String>,
    /// Machine-readable; absent where the status says it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What stands against an agreement; there with the codes `conflictsNotAcknowledged` and `conflictBlocks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<Conflict>>,
}
