//! What Slack sends: commands, clicks, modals and events, over a socket that this server opens or to its request URLs.
//!
//! [`incoming`] makes values of what arrives, whichever way it came. The [`Desk`] answers it as the person who sent it, with a
//! [`Reply`]. It renders what actions return and decides nothing itself.

pub mod desk;
pub mod incoming;
pub mod reply;

pub use incoming::Incoming;
pub use reply::{Desk, Later, Reply};
