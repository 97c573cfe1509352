//! The inbound webhook: its key, its three actions, and its refusals.

mod actions;
mod addresses;
mod key;
mod refusals;
mod secrecy;
