//! Slack: what rota sends to it, what follows from its answers, and what comes in.

mod desk;
mod directory;
mod incoming;
mod starting;
