//! What an operator counts: the rotations, and who is on call in each of their slots.

use super::ids::{CellId, DeliveryId, LaneId, RotationId, UserId, WindowId};
use jiff::Timestamp;

/// A slot that counts: its lane runs and its window is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    pub rotation: RotationId,
    pub cell: CellId,
    pub lane: LaneId,
    pub window: WindowId,
    /// `None` where nobody is on call.
    pub user: Option<UserId>,
    /// Since when they are, or nobody is.
    pub since: Timestamp,
    /// Whether the rotation is enabled; a disabled one stays as it was.
    pub enabled: bool,
}

/// A rotation by its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: RotationId,
    pub code: Option<String>,
    pub name: String,
    pub enabled: bool,
}

/// What waits to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// Deliveries that have not finished, also those held for a disabled endpoint.
    pub pending: u64,
    /// Of those to enabled endpoints, the one whose event is the oldest.
    pub oldest: Option<Undelivered>,
    /// Messages of chat.
    pub messages: u64,
    /// Webhook endpoints that are enabled.
    pub enabled_endpoints: u64,
    /// Webhook endpoints that are not.
    pub disabled_endpoints: u64,
}

/// An event that an endpoint has not taken yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    pub id: DeliveryId,
    pub event_type: String,
    pub created_at: Timestamp,
}
