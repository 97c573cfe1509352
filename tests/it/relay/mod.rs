//! How messages reach people without a chat platform: the list, the inbox, mail and incoming webhooks.

mod commands;
mod faults;
mod inbox;
mod incoming;
mod invitations;
mod mail;
mod ntfy;
mod push;
mod reader;
mod refusing;
mod settings;
mod smtp;
mod turns;

use crate::support::*;
use serde_json::Value;
use smtp::Smtp;

/// A development server without reminders that mails by a server.
fn mailing(smtp: &Smtp) -> Start {
    let ca = format!("{CERTS}/ca.pem");
    Start::default()
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
        .env("ROTA_MAIL_SERVER", smtp.url())
        .env("ROTA_MAIL_FROM", "rota <rota@example.org>")
        .env("ROTA_WEBHOOKS_EXTRA_CA_FILE", ca)
}

/// The messages that a credential lists, newest first, but those about moved shifts.
#[track_caller]
fn listed(by: &Caller, query: &str) -> Vec<Value> {
    let list = by.get(&format!("/v1/messages?{query}")).is(200).json();
    let mut listed = list["data"].as_array().expect("messages").clone();
    listed.retain(|message| message["kind"] != "shiftsMoved");
    listed
}

/// `U1 onDuty sent inbox,mail` of each message, newest first.
fn lines(messages: &[Value]) -> Vec<String> {
    let line = |message: &Value| {
        let ways = message["reached"].as_array().expect("ways").iter();
        let ways: Vec<&str> = ways.map(|way| text(&way["by"])).collect();
        let (kind, state) = (text(&message["kind"]), text(&message["state"]));
        format!("{} {kind} {state} {}", recipient(message), ways.join(","))
    };
    messages.iter().map(line).collect()
}
