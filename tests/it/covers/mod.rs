//! Cover requests.

mod accepting;
mod across;
mod answering;
mod asking;
mod callers;
mod conflicts;
mod ending;
mod events;
mod expiry;
mod hours;
mod listing;
mod retries;
