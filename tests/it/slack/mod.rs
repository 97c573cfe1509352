//! Slack: what rota sends to it, and what follows from its answers.

mod starting;
