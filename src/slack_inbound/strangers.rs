//! Answers without the handler: to people whom the directory does not have, and when something fails here.

use super::arrival::note;
use super::incoming::{Actions, Event, Incoming, Kind, Place};
use super::reply::{Later, Reply};
use serde_json::{Value, json};

/// To somebody whom the directory does not have, or no longer.
pub const UNKNOWN: &str = "This app does not know you: you are not in its directory, or your account is deactivated. \
     If you are new here, try again in a few minutes.";

/// To somebody in another workspace than the database's.
pub const OTHER_TEAM: &str = "This app belongs to another workspace, and nothing was changed.";

/// To somebody whose request failed here.
pub const FAILED: &str = "Something went wrong, and nothing was changed. Try again in a moment.";

/// To somebody whose form Slack did not open.
const NOT_OPENED: &str =
    "Slack did not open the form, and nothing was changed. Try again in a moment.";

/// Tells somebody at a response URL that Slack did not open their form.
pub fn not_opened(url: &str) -> Later {
    let mut message = message(NOT_OPENED);
    message["replace_original"] = json!(false);
    Later::Respond {
        url: url.to_owned(),
        message,
    }
}

/// Tells somebody something in the way that fits what they did.
pub fn told(incoming: &Incoming, text: &str) -> Reply {
    match &incoming.kind {
        Kind::Command(_) => Reply::body(message(text)),
        Kind::Actions(Actions {
            place: Place::Message { .. },
            ..
        }) => {
            let mut message = message(text);
            // Otherwise the message with the button would be gone for everybody.
            message["replace_original"] = json!(false);
            Reply::body(message)
        }
        Kind::Actions(Actions {
            place: Place::View(view),
            trigger_id: Some(trigger_id),
            ..
        }) => Reply::later(Later::OpenView {
            trigger_id: trigger_id.clone(),
            view: note(view, text),
        }),
        Kind::ViewSubmission(view) => {
            Reply::body(json!({ "response_action": "update", "view": note(view, text) }))
        }
        Kind::Event(Event::AppHomeOpened) => match &incoming.user {
            Some(user) => Reply::later(Later::PublishHome {
                user: user.clone(),
                hash: None,
                view: json!({ "type": "home", "blocks": [section(text)] }),
            }),
            None => Reply::nothing(),
        },
        Kind::Event(Event::AppMention(mention)) => match &incoming.user {
            Some(user) => Reply::later(Later::PostEphemeral {
                channel: mention.channel.clone(),
                user: user.clone(),
                thread_ts: mention.thread_ts.clone(),
                message: json!({ "text": text }),
            }),
            None => Reply::nothing(),
        },
        _ => Reply::nothing(),
    }
}

fn message(text: &str) -> Value {
    json!({ "response_type": "ephemeral", "text": text })
}

fn section(text: &str) -> Value {
    json!({ "type": "section", "text": { "type": "plain_text", "text": text } })
}
