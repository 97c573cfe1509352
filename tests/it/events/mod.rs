//! The events of a change, by a write or as scheduled.

mod clock;
mod writes;

pub use writes::{Reader, word};
