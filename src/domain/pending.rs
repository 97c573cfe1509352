//! Pending requests as a rotation holds them.

use super::ids::{ArrangementId, CellId, RequestId, UserId};
use super::time::Interval;
use serde::{Deserialize, Serialize};

/// A pending request with the fields that decide whether it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub id: RequestId,
    pub requester: UserId,
    pub legs: Vec<Leg>,
}

/// A duty that changes hands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// The requester's name for it; a cover has none.
    pub key: Option<String>,
    pub cell: CellId,
    /// The planned holder.
    pub holder: UserId,
    /// The new holder; for a cover, once it is accepted.
    pub assignee: Option<UserId>,
    #[serde(flatten)]
    pub period: Interval,
    /// The arrangement created by accepting.
    pub arrangement: Option<ArrangementId>,
}
