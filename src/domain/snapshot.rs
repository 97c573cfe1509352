//! Operational state: the rotations, and who is on call in each of their slots.

use super::ids::{CellId, DeliveryId, LaneId, RotationId, UserId, WindowId};
use jiff::Timestamp;

/// A slot whose lane runs and whose window is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSlot {
    pub rotation: RotationId,
    pub cell: CellId,
    pub lane: LaneId,
    pub window: WindowId,
    /// `None` if nobody is on call.
    pub user: Option<UserId>,
    /// Since when they are on call, or nobody is.
    pub since: Timestamp,
    /// Whether the rotation is enabled; a disabled one does not change.
    pub enabled: bool,
}

/// The names of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: RotationId,
    pub code: Option<String>,
    pub name: String,
    pub enabled: bool,
}

/// The queues of what is to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// Unfinished deliveries, including those held for a disabled endpoint.
    pub pending: u64,
    /// The one with the oldest event, of those to enabled endpoints.
    pub oldest: Option<Undelivered>,
    /// Chat messages.
    pub messages: u64,
    /// Messages to be sent on, in the order of [`Way::ALL`](super::relay::Way::ALL).
    pub relays: [u64; 3],
    /// Webhook endpoints that are enabled.
    pub enabled_endpoints: u64,
    /// Webhook endpoints that are not.
    pub disabled_endpoints: u64,
}

/// An event with an unfinished delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    pub id: DeliveryId,
    pub event_type: String,
    pub created_at: Timestamp,
}
