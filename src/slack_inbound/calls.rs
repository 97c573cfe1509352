//! Makes the calls that follow an acknowledgement.

use super::address;
use super::reply::Later;
use crate::chat::CallError;
use crate::chat::slack::Slack;
use crate::chat::slack::method::{
    CHAT_POST_EPHEMERAL, CHAT_POST_MESSAGE, Method, VIEWS_OPEN, VIEWS_PUBLISH, VIEWS_UPDATE,
};
use crate::client::{Limits, Request};
use crate::runtime::clock::monotonic;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Why a call was not made.
#[derive(Debug, PartialEq, Eq)]
pub enum Failed {
    /// Slack asks to wait until then.
    NotBefore(Instant),
    /// It may succeed later.
    ForNow(String),
    /// It will not succeed.
    ForGood(String),
}

/// The limits of a message to a response URL.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(10),
    body: Duration::ZERO,
    body_bytes: 64 * 1024,
};

/// How long to wait after a 429 that does not say.
const WAIT: u64 = 30;

/// Makes a call.
///
/// # Errors
/// [`Failed`], by what follows from it.
pub fn make(slack: &Slack, call: &Later) -> Result<(), Failed> {
    let (method, arguments) = match call {
        Later::OpenView { trigger_id, view } => {
            let opened = json!({ "trigger_id": trigger_id, "view": view });
            // A trigger id does not live long enough for a second try.
            return web(slack, &VIEWS_OPEN, opened).map_err(|failed| match failed {
                Failed::NotBefore(_) => Failed::ForGood("Slack asks to wait".into()),
                Failed::ForNow(why) | Failed::ForGood(why) => Failed::ForGood(why),
            });
        }
        Later::UpdateView {
            view_id,
            hash,
            view,
        } => {
            let view = json!({ "view_id": view_id, "view": view });
            (&VIEWS_UPDATE, with(view, "hash", hash.as_deref()))
        }
        Later::PublishHome { user, hash, view } => {
            let view = json!({ "user_id": user.as_str(), "view": view });
            (&VIEWS_PUBLISH, with(view, "hash", hash.as_deref()))
        }
        Later::Respond { url, message } => return respond(slack, url, message),
        Later::Post {
            channel,
            thread_ts,
            message,
        } => {
            let mut message = with(message.clone(), "thread_ts", thread_ts.as_deref());
            message["channel"] = json!(channel.as_str());
            message["unfurl_links"] = json!(false);
            message["unfurl_media"] = json!(false);
            (&CHAT_POST_MESSAGE, message)
        }
        Later::PostEphemeral {
            channel,
            user,
            thread_ts,
            message,
        } => {
            let mut message = with(message.clone(), "thread_ts", thread_ts.as_deref());
            message["channel"] = json!(channel.as_str());
            message["user"] = json!(user.as_str());
            (&CHAT_POST_EPHEMERAL, message)
        }
    };
    web(slack, method, arguments)
}

/// The name of a call in the log.
pub fn name(call: &Later) -> &'static str {
    match call {
        Later::OpenView { .. } => VIEWS_OPEN.name,
        Later::UpdateView { .. } => VIEWS_UPDATE.name,
        Later::PublishHome { .. } => VIEWS_PUBLISH.name,
        Later::Respond { .. } => "response URL",
        Later::Post { .. } => CHAT_POST_MESSAGE.name,
        Later::PostEphemeral { .. } => CHAT_POST_EPHEMERAL.name,
    }
}

/// An object with another member, where there is one.
fn with(mut object: Value, name: &str, value: Option<&str>) -> Value {
    if let Some(value) = value {
        object[name] = json!(value);
    }
    object
}

fn web(slack: &Slack, method: &Method, arguments: Value) -> Result<(), Failed> {
    slack
        .call(method, &arguments)
        .map(drop)
        .map_err(|error| match error {
            CallError::NotBefore(until) => Failed::NotBefore(until),
            CallError::Transient(why) => Failed::ForNow(why),
            CallError::Paused(pause) => Failed::ForNow(pause.to_string()),
            CallError::Refused(refusal) => Failed::ForGood(refusal.to_string()),
        })
}

fn respond(slack: &Slack, url: &str, message: &Value) -> Result<(), Failed> {
    let client = slack.client();
    let url = address::checked(client, &slack.settings().api_url, url);
    let url = url.map_err(Failed::ForGood)?;
    let request = Request::post(url.as_str()).json(message).within(LIMITS);
    let answer = client.send(&request);
    let answer = answer.map_err(|error| Failed::ForNow(error.to_string()))?;
    match answer.status {
        200..=299 => Ok(()),
        429 => {
            let wait = answer
                .header("retry-after")
                .and_then(|wait| wait.parse().ok());
            let wait = Duration::from_secs(wait.unwrap_or(WAIT));
            Err(Failed::NotBefore(monotonic() + wait))
        }
        status @ 500..=599 => Err(Failed::ForNow(format!("Slack answers {status}"))),
        status => Err(Failed::ForGood(format!("Slack answers {status}"))),
    }
}
