//! Which events a change emits, by a write and by the clock.

mod clock;
mod writes;

pub use writes::{Reader, word};
