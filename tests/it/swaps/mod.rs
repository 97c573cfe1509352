//! Swap requests.

mod accepting;
mod answering;
mod callers;
mod expiry;
mod offering;
mod started;
mod worlds;
