//! Slack: what rota sends to it, what follows from its answers, and what comes in.

mod desk;
mod incoming;
mod starting;
