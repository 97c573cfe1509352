//! The error body.

use super::conflict::Conflict;
use schemars::JsonSchema;
use serde::Serialize;

/// Why a request failed, as `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// Always `about:blank`; `code` identifies the problem.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The same for every problem with the same status or code.
    pub title: Option<String>,
    /// The HTTP status.
    pub status: Option<i32>,
    /// What is wrong with this request, and what to send instead.
    pub detail: Option<String>,
    /// The request id, which is also in the server's log.
    pub instance: Option<String>,
    /// Machine-readable: choose what to do by it.
    pub code: String,
    /// Conflicts that prevent the write. Present with the codes `conflictsNotAcknowledged` and `conflictBlocks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<Conflict>>,
}
