//! A planned hand-over to a standby.

use super::body;
use super::strict::strict;
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(ReplicaHandOverRequest);

/// A hand-over: to begin it, or with `epoch` to end it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaHandOverRequest {
    /// The standby that takes over, as it names itself at `GET /v1/epoch`.
    pub instance: String,
    /// The epoch in which the standby goes on, once it has the last copy.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub epoch: Option<u64>,
}

/// Reads a hand-over.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn hand_over(bytes: &[u8]) -> Result<ReplicaHandOverRequest, Refusal> {
    body::parse(bytes)
}

/// How far a hand-over is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaHandOver {
    /// `waiting` while writes have ended for the standby, `ended` once the standby goes on.
    state: &'static str,
    /// The epoch of the server that writes the database: this one while it waits, then the standby.
    epoch: u64,
}

impl ReplicaHandOver {
    /// Writes have ended, in this epoch.
    pub fn waits(epoch: u64) -> ReplicaHandOver {
        ReplicaHandOver {
            state: "waiting",
            epoch,
        }
    }

    /// The standby goes on in this epoch.
    pub fn over(epoch: u64) -> ReplicaHandOver {
        ReplicaHandOver {
            state: "ended",
            epoch,
        }
    }
}
