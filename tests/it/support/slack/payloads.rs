//! What Slack sends, as payloads; and requests to the request URLs, with their signatures.

use super::SIGNING_SECRET;
use crate::support::{Answer, Rota, unique};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::time::{SystemTime, UNIX_EPOCH};

/// `/rota TEXT`, as a person types it.
pub fn command(user: &str, text: &str, response_url: &str) -> Value {
    json!({
        "token": "verification", "team_id": "T1", "team_domain": "acme", "channel_id": "C1", "channel_name": "ops",
        "user_id": user, "user_name": user.to_lowercase(), "command": "/rota", "text": text, "api_app_id": "A1",
        "is_enterprise_install": "false", "response_url": response_url, "trigger_id": unique("trigger"),
    })
}

/// A click on a button of a message.
pub fn click(
    user: &str,
    (channel, ts): (&str, &str),
    (action, value): (&str, &str),
    response_url: &str,
) -> Value {
    json!({
        "type": "block_actions", "token": "verification", "api_app_id": "A1", "trigger_id": unique("trigger"),
        "team": { "id": "T1", "domain": "acme" }, "user": { "id": user, "username": user, "team_id": "T1" },
        "container": { "type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": false },
        "channel": { "id": channel, "name": "ops" }, "message": { "type": "message", "ts": ts, "text": "" },
        "response_url": response_url,
        "actions": [{ "type": "button", "action_id": action, "block_id": "answer", "value": value, "action_ts": unique("1.") }],
    })
}

/// A modal that a person sends, with the values of its state.
pub fn submission(user: &str, view: Value, values: Value) -> Value {
    let mut view = view;
    view["state"] = json!({ "values": values });
    json!({
        "type": "view_submission", "token": "verification", "api_app_id": "A1", "trigger_id": unique("trigger"),
        "team": { "id": "T1", "domain": "acme" }, "user": { "id": user, "username": user, "team_id": "T1" },
        "view": view, "response_urls": [],
    })
}

/// An event.
pub fn event(event: Value) -> Value {
    json!({
        "token": "verification", "team_id": "T1", "api_app_id": "A1", "type": "event_callback", "event_id": unique("Ev"),
        "event_time": 1, "event": event,
    })
}

/// A message that mentions the app.
pub fn mention(user: &str, channel: &str, text: &str) -> Value {
    event(json!({
        "type": "app_mention", "user": user, "text": text, "ts": unique("1700000000."), "channel": channel,
        "event_ts": "1700000000.000100",
    }))
}

/// Now, as Slack's clock has it.
pub fn seconds() -> i64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    i64::try_from(now.as_secs()).expect("a number of seconds")
}

/// The signature of a body at a time.
pub fn signature(secret: &str, at: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(format!("v0:{at}:").as_bytes());
    mac.update(body);
    let digits = mac.finalize().into_bytes();
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v0={digits}")
}

/// A payload as the body of a request to a path, and its media type.
pub fn body(path: &str, payload: &Value) -> (String, &'static str) {
    const FORM: &str = "application/x-www-form-urlencoded";
    match path {
        "/slack/commands" => {
            let fields = payload.as_object().expect("an object").iter();
            let fields = fields.map(|(name, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                format!("{name}={}", encoded(&value))
            });
            (fields.collect::<Vec<_>>().join("&"), FORM)
        }
        "/slack/interactivity" => (format!("payload={}", encoded(&payload.to_string())), FORM),
        _ => (payload.to_string(), "application/json"),
    }
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Sends a payload to a request URL of a server, signed now.
pub fn posted(rota: &Rota, path: &str, payload: &Value) -> Answer {
    let (body, kind) = body(path, payload);
    let at = seconds().to_string();
    rota.anyone()
        .request("POST", path)
        .header("Content-Type", kind)
        .header("X-Slack-Request-Timestamp", &at)
        .header(
            "X-Slack-Signature",
            &signature(SIGNING_SECRET, &at, body.as_bytes()),
        )
        .body(body)
        .send()
}
