//! Asking others to cover a duty.

mod accepting;
mod answering;
mod asking;
mod callers;
mod conflicts;
mod ending;
mod events;
mod expiry;
mod listing;
mod retries;
