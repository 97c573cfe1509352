//! What threads run on: the clock, wakeups and heartbeats.

pub mod clock;
pub mod heartbeat;
pub mod wakeup;
