//! Events of rooms, as values.

use super::text::{self, Listener};
use crate::chat::matrix::{NO, YES};
use crate::domain::ids::UserId;
use serde_json::{Value, json};

/// Something that somebody said or clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: String,
    pub room: String,
    pub sender: UserId,
    /// In milliseconds, as the sender's server says.
    pub sent_at: i64,
    pub what: What,
}

/// What it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Message {
        /// With links to people as `<@ID|name>`.
        text: String,
        /// The event that it is a reply to.
        replied: Option<String>,
        /// The thread that it is in.
        thread: Option<String>,
    },
    Reaction {
        /// The event that it is below.
        to: String,
        is_yes: bool,
    },
}

impl Event {
    /// Reads an event of a room; `None` where it is nothing that is answered: notices, edits, what was redacted, other reactions.
    pub fn read(room: &str, event: &Value) -> Option<Event> {
        let string = |value: &Value| value.as_str().map(str::to_owned);
        let content = &event["content"];
        let relation = &content["m.relates_to"];
        let related = string(&relation["event_id"]);
        let what = match (event["type"].as_str()?, relation["rel_type"].as_str()) {
            ("m.room.message", Some("m.replace")) => return None,
            ("m.room.message", kind) => {
                let replied = string(&relation["m.in_reply_to"]["event_id"]);
                // Clients without threads are given a reply to the newest message, which nobody has chosen.
                let replied = replied.filter(|_| relation["is_falling_back"] != true);
                What::Message {
                    text: text::written(content)?,
                    replied,
                    thread: related.filter(|_| kind == Some("m.thread")),
                }
            }
            ("m.reaction", Some("m.annotation")) => {
                let key = relation["key"].as_str()?.replace('\u{fe0f}', "");
                What::Reaction {
                    to: related?,
                    is_yes: match key.as_str() {
                        YES => true,
                        NO => false,
                        _ => return None,
                    },
                }
            }
            _ => return None,
        };
        Some(Event {
            id: string(&event["event_id"])?,
            room: room.to_owned(),
            sender: UserId::from(event["sender"].as_str()?),
            sent_at: event["origin_server_ts"].as_i64()?,
            what,
        })
    }

    /// As it is stored.
    pub fn stored(room: &str, event: &Value) -> String {
        json!({ "room": room, "event": event }).to_string()
    }

    /// Reads what was stored.
    pub fn of_stored(stored: &str) -> Option<Event> {
        let stored: Value = serde_json::from_str(stored).ok()?;
        Event::read(stored["room"].as_str()?, &stored["event"])
    }

    /// Whether it may be meant for rota.
    pub fn concerns(&self, listener: &Listener, is_direct: bool) -> bool {
        match &self.what {
            What::Reaction { .. } => true,
            What::Message { text, .. } => {
                is_direct
                    || listener.command_in(text).is_some()
                    || listener.mention_in(text).is_some()
                    || text.contains('@')
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: &str, content: Value) -> Option<What> {
        let event = json!({
            "event_id": "$1", "sender": "@ana:a", "origin_server_ts": 5, "type": kind, "content": content,
        });
        let read = Event::read("!r", &event)?;
        assert_eq!((read.id.as_str(), read.room.as_str()), ("$1", "!r"));
        assert_eq!(
            Event::of_stored(&Event::stored("!r", &event)),
            Some(read.clone())
        );
        Some(read.what)
    }

    #[test]
    fn messages_are_read() {
        let said = |extra: Value| {
            let mut content = json!({ "msgtype": "m.text", "body": "!rota" });
            content["m.relates_to"] = extra;
            read("m.room.message", content)
        };
        let message = |replied: Option<&str>, thread: Option<&str>| {
            Some(What::Message {
                text: "!rota".into(),
                replied: replied.map(str::to_owned),
                thread: thread.map(str::to_owned),
            })
        };
        assert_eq!(said(Value::Null), message(None, None));
        assert_eq!(
            said(json!({ "m.in_reply_to": { "event_id": "$0" } })),
            message(Some("$0"), None)
        );
        assert_eq!(
            said(json!({
                "rel_type": "m.thread", "event_id": "$t", "is_falling_back": true, "m.in_reply_to": { "event_id": "$0" },
            })),
            message(None, Some("$t"))
        );
        assert_eq!(
            said(json!({ "rel_type": "m.replace", "event_id": "$0" })),
            None
        );
        for content in [
            json!({}),
            json!({ "msgtype": "m.notice", "body": "!rota" }),
            json!({ "msgtype": "m.text", "body": 5 }),
        ] {
            assert_eq!(read("m.room.message", content), None);
        }
    }

    #[test]
    fn reactions_are_read() {
        for (key, expected) in [
            ("✅", Some(true)),
            ("✅\u{fe0f}", Some(true)),
            ("❌", Some(false)),
            ("❌\u{fe0f}", Some(false)),
            ("👍", None),
        ] {
            let relation = json!({ "rel_type": "m.annotation", "event_id": "$0", "key": key });
            let found = read("m.reaction", json!({ "m.relates_to": relation }));
            let expected = expected.map(|is_yes| What::Reaction {
                to: "$0".into(),
                is_yes,
            });
            assert_eq!(found, expected, "{key}");
        }
        assert_eq!(read("m.reaction", json!({})), None);
        assert_eq!(read("m.room.member", json!({})), None);
    }
}
