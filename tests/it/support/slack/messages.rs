//! Messages, their updates, and topics.

use super::methods::{Answer, Arguments, text};
use super::state::{Posted, Team, escape};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Instant;

pub(super) fn post(team: &mut Team, arguments: &Arguments) -> Answer {
    let (to, body) = (text(arguments, "channel"), text(arguments, "text"));
    let channel = conversation(team, to)?;
    check(team, arguments)?;
    let number = team.number();
    let ts = format!("1700000000.{number:06}");
    team.posted.push(Posted {
        to: to.to_owned(),
        channel: channel.clone(),
        ts: ts.clone(),
        text: body.to_owned(),
        blocks: arguments.get("blocks").cloned().unwrap_or(Value::Null),
        thread_ts: arguments
            .get("thread_ts")
            .and_then(Value::as_str)
            .map(str::to_owned),
        updates: 0,
        at: Instant::now(),
    });
    Ok(
        json!({ "channel": channel, "ts": ts, "message": { "text": body, "ts": ts, "bot_id": "B1" } }),
    )
}

pub(super) fn post_ephemeral(team: &mut Team, arguments: &Arguments) -> Answer {
    conversation(team, text(arguments, "channel"))?;
    check(team, arguments)?;
    let number = team.number();
    Ok(json!({ "message_ts": format!("1700000000.{number:06}") }))
}

pub(super) fn update(team: &mut Team, arguments: &Arguments) -> Answer {
    check(team, arguments)?;
    let (channel, ts) = (text(arguments, "channel"), text(arguments, "ts"));
    let mut posted = team.posted.iter_mut();
    let found = posted.find(|posted| posted.ts == ts);
    let posted = found.ok_or("message_not_found")?;
    if posted.channel != channel {
        // A user id does not name the conversation.
        return Err("channel_not_found");
    }
    posted.text = text(arguments, "text").to_owned();
    if let Some(blocks) = arguments.get("blocks") {
        posted.blocks = blocks.clone();
    }
    posted.updates += 1;
    Ok(json!({ "channel": channel, "ts": ts, "text": posted.text }))
}

pub(super) fn set_topic(team: &mut Team, arguments: &Arguments) -> Answer {
    let (id, topic) = (text(arguments, "channel"), text(arguments, "topic"));
    conversation(team, id)?;
    if topic.chars().count() > 250 {
        return Err("too_long");
    }
    *team.topics_set.entry(id.to_owned()).or_default() += 1;
    team.channel(id, json!({ "topic": { "value": escape(topic) } }));
    let channel = team.channels.iter().find(|channel| channel["id"] == id);
    let channel = channel.cloned();
    Ok(json!({ "channel": channel }))
}

/// The conversation that a channel or user id names, if the app may post there.
fn conversation(team: &Team, id: &str) -> Result<String, &'static str> {
    if let Some(user) = team.users.iter().find(|user| user["id"] == id) {
        return match (user["is_bot"] == true, user["deleted"] == true) {
            (true, _) => Err("cannot_dm_bot"),
            (_, true) => Err("user_not_found"),
            _ => Ok(format!("D{id}")),
        };
    }
    if team.posted.iter().any(|posted| posted.channel == id) && id.starts_with('D') {
        return Ok(id.to_owned());
    }
    let channel = team.channels.iter().find(|channel| channel["id"] == id);
    let channel = channel.ok_or("channel_not_found")?;
    if channel["is_archived"] == true {
        return Err("is_archived");
    }
    match (channel["is_member"] == true, channel["is_private"] == true) {
        (true, _) => Ok(id.to_owned()),
        (false, true) => Err("channel_not_found"),
        (false, false) => Err("not_in_channel"),
    }
}

/// Checks text and blocks by Slack's limits. What breaks them fails the test.
fn check(team: &mut Team, arguments: &Arguments) -> Result<(), &'static str> {
    let body = text(arguments, "text");
    let why = match body.chars().count() {
        0 => Some("a message has no text".to_owned()),
        length if length > 40_000 => return Err("msg_too_long"),
        _ => None,
    };
    let why = why.or_else(|| markup(body));
    let why = why.or_else(|| blocks(arguments.get("blocks")?));
    match why {
        None => Ok(()),
        Some(why) => {
            team.violations.push(format!("{why}: {arguments:?}"));
            Err("invalid_blocks")
        }
    }
}

/// What is wrong with the markup of a text.
pub(super) fn markup(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find(['<', '>']) {
        if rest[at..].starts_with('>') {
            return Some("a > that is not escaped".into());
        }
        let inner = rest[at + 1..].split('>').next().unwrap_or_default();
        let known = [
            "@U",
            "@W",
            "!subteam^S",
            "!date^",
            "#C",
            "https://",
            "http://",
        ];
        if !known.iter().any(|begin| inner.starts_with(begin)) || inner.contains('<') {
            return Some(format!("<{inner}> is no markup of ours"));
        }
        rest = rest[at + 1..].get(inner.len() + 1..).unwrap_or_default();
    }
    None
}

/// What is wrong with blocks.
pub(super) fn blocks(blocks: &Value) -> Option<String> {
    let Some(blocks) = blocks.as_array() else {
        return Some("blocks are no list".into());
    };
    if blocks.len() > 50 {
        return Some("more than 50 blocks".into());
    }
    for block in blocks {
        // Unique in its block.
        let mut ids = BTreeSet::new();
        let text = block["text"]["text"].as_str().unwrap_or_default();
        match block["type"].as_str() {
            Some("section") if text.is_empty() && block["fields"].is_null() => {
                return Some("a section without text".into());
            }
            Some("section") if text.chars().count() > 3_000 => {
                return Some("a section with too much text".into());
            }
            Some("section") if block["text"]["type"] == "mrkdwn" => {
                if let Some(why) = markup(text) {
                    return Some(why);
                }
            }
            Some("actions") => {
                let elements = block["elements"].as_array().cloned().unwrap_or_default();
                if elements.is_empty() || elements.len() > 25 {
                    return Some("actions with no element or too many".into());
                }
                for element in elements {
                    let label = element["text"]["text"].as_str().unwrap_or_default();
                    if element["type"] == "button" && !(1..=75).contains(&label.chars().count()) {
                        return Some("a button without a label, or with a long one".into());
                    }
                    let id = element["action_id"].as_str().unwrap_or_default().to_owned();
                    if id.len() > 255 || !ids.insert(id) {
                        return Some("an action_id twice, or too long".into());
                    }
                }
            }
            Some(
                "section" | "divider" | "header" | "context" | "input" | "image" | "rich_text",
            ) => {}
            other => return Some(format!("{other:?} is no block")),
        }
    }
    None
}
