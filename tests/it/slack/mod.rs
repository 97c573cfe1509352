//! Slack: what rota sends to it, what follows from its answers, and what comes in.

mod directory;
mod groups;
mod incoming;
pub mod interactions;
mod manifest;
pub mod outgoing;
mod pausing;
mod proxied;
pub mod starting;
pub mod team_scenario;
mod topics;

use crate::support::slack::Slack;
use crate::support::*;
use serde_json::Value;

/// A server on a workspace with four people that sends no reminders.
#[track_caller]
fn unreminded(slack: &Slack) -> Rota {
    let rota = slack.start().env("ROTA_CHAT_REMINDER_BEFORE", "0s").go();
    slack.read_directory(&rota);
    rota
}

/// The state of a rotation in chat.
#[track_caller]
fn status(rotation: &Rot) -> Value {
    rotation.get("/chat").is(200).json()
}

/// The texts of the messages to a channel or a person.
fn texts(slack: &Slack, to: &str) -> Vec<String> {
    let posted = slack.posted(to).into_iter();
    posted.map(|posted| posted.text).collect()
}
