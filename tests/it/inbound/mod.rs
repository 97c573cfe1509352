//! The way into a rotation for other programs: its key, its three actions, and what it refuses.

mod actions;
mod addresses;
mod key;
mod refusals;
mod secrecy;
