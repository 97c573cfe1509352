//! Slack: what rota sends to it, what follows from its answers, and what comes in.

pub mod desk;
mod directory;
mod incoming;
mod starting;
mod week;
