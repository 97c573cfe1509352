//! Pending requests as a rotation holds them.

use super::ids::{CellId, RequestId, UserId};
use super::time::Interval;

/// A pending request with the fields that decide whether it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub id: RequestId,
    pub requester: UserId,
    pub duties: Vec<Duty>,
}

/// A cell that a person holds for an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duty {
    pub cell: CellId,
    pub holder: UserId,
    pub period: Interval,
}
