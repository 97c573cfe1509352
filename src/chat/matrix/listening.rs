//! Listens to what happens in the rooms of the account.

use super::api::{Call, Matrix};
use super::rooms::{self, has_news};
use crate::chat::CallError;
use crate::client::encode_fields;
use crate::runtime::clock::monotonic;
use serde_json::{Value, json};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long the homeserver may keep an answer open.
const WAIT: Duration = Duration::from_secs(30);

/// How long an answer may take beyond that.
const PATIENCE: Duration = Duration::from_secs(30);

/// Events of a page, and the most pages, when what a sync left out is asked for.
const PAGE: &str = "100";
const MOST_PAGES: usize = 20;

/// From where on is listened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// From now on; what was said before does not count.
    Now,
    /// From where a sync ended.
    Since(&'a str),
    /// The homeserver does not know any more where the last sync ended: what was said since an instant, in milliseconds.
    Anew,
}

/// What was heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// Where the next sync goes on.
    pub next: String,
    /// What happened in rooms while the account was in them, by room, oldest first.
    pub events: Vec<(String, Value)>,
}

impl Matrix {
    /// Waits until something happens, and returns it. Events before `oldest`, in milliseconds, need not be looked for.
    ///
    /// # Errors
    /// Those of every call; [`CallError::Refused`] where the homeserver does not know where to go on.
    pub fn listen(&self, from: Start, oldest: i64) -> Result<Heard, CallError> {
        let filter = rooms::listening().to_string();
        let wait = WAIT.as_millis().to_string();
        let mut fields = vec![("filter", filter.as_str()), ("set_presence", "offline")];
        match from {
            Start::Since(since) => fields.extend([("since", since), ("timeout", &wait)]),
            Start::Now | Start::Anew => fields.push(("timeout", "0")),
        }
        let call = Call::get("sync", &["v3", "sync"]).query(&encode_fields(&fields));
        let answer = self.send_by(&self.waiting, &call.patience(WAIT + PATIENCE))?;
        let next = answer["next_batch"].as_str().map(str::to_owned);
        let next = next.ok_or_else(|| CallError::Transient("a sync without next_batch".into()))?;
        let mut events = Vec::new();
        if from != Start::Now {
            let me = self.me()?;
            for (room, entry) in answer["rooms"]["join"].as_object().into_iter().flatten() {
                let heard = self.timeline(room, entry, from, oldest)?;
                let heard = since_joining(heard, &me);
                events.extend(heard.into_iter().map(|event| (room.clone(), event)));
            }
        }
        *self
            .followed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(monotonic());
        if !matches!(from, Start::Since(_)) || has_news(&answer) {
            self.has_news.store(true, Ordering::Release);
            self.news.wake();
        }
        Ok(Heard { next, events })
    }

    /// The timeline of a room, with what a sync left out.
    fn timeline(
        &self,
        room: &str,
        entry: &Value,
        from: Start,
        oldest: i64,
    ) -> Result<Vec<Value>, CallError> {
        let timeline = &entry["timeline"];
        let mut events = timeline["events"].as_array().cloned().unwrap_or_default();
        let before = timeline["prev_batch"].as_str();
        if timeline["limited"] == true
            && let Some(before) = before
            && events.first().is_none_or(|first| at(first) >= oldest)
        {
            let mut left_out = match self.left_out(room, before, from, oldest) {
                Err(CallError::Refused(refusal)) => {
                    log::info!("matrix: {room}: what a sync left out cannot be read: {refusal}");
                    Vec::new()
                }
                left_out => left_out?,
            };
            left_out.reverse();
            left_out.append(&mut events);
            events = left_out;
        }
        Ok(events)
    }

    /// What stands before a timeline, newest first.
    fn left_out(
        &self,
        room: &str,
        before: &str,
        from: Start,
        oldest: i64,
    ) -> Result<Vec<Value>, CallError> {
        let filter = json!({ "types": rooms::HEARD }).to_string();
        let mut found: Vec<Value> = Vec::new();
        let mut page = before.to_owned();
        for _ in 0..MOST_PAGES {
            let mut fields = vec![
                ("dir", "b"),
                ("from", page.as_str()),
                ("limit", PAGE),
                ("filter", &filter),
            ];
            if let Start::Since(since) = from {
                fields.push(("to", since));
            }
            let call = Call::get("messages", &["v3", "rooms", room, "messages"]);
            let answer = self.call(&call.query(&encode_fields(&fields)))?;
            let chunk = answer["chunk"].as_array().cloned().unwrap_or_default();
            let is_old = chunk.last().is_some_and(|last| at(last) < oldest);
            let is_last = chunk.is_empty() || is_old;
            found.extend(chunk);
            match answer["end"].as_str() {
                Some(end) if !is_last && end != page => page = end.to_owned(),
                _ => break,
            }
        }
        Ok(found)
    }
}

/// When an event was sent, in milliseconds, as its server says.
fn at(event: &Value) -> i64 {
    event["origin_server_ts"].as_i64().unwrap_or_default()
}

/// The events from the last joining of the account on. What was said before was not said to it.
fn since_joining(mut events: Vec<Value>, me: &str) -> Vec<Value> {
    let joins = |event: &Value| {
        let before = match &event["unsigned"]["prev_content"] {
            Value::Null => &event["prev_content"],
            before => before,
        };
        event["type"] == "m.room.member"
            && event["state_key"] == me
            && event["content"]["membership"] == "join"
            && before["membership"] != "join"
    };
    match events.iter().rposition(joins) {
        Some(joined) => events.split_off(joined + 1),
        None => events,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_joining_is_not_heard() {
        let text = |body: &str| json!({ "type": "m.room.message", "content": { "body": body } });
        let member = |user: &str, before: &str| {
            json!({
                "type": "m.room.member", "state_key": user, "content": { "membership": "join" },
                "unsigned": { "prev_content": { "membership": before } },
            })
        };
        let heard = |events: Vec<Value>| -> Vec<String> {
            let heard = since_joining(events, "@rota:a").into_iter();
            let bodies = heard.filter_map(|one| one["content"]["body"].as_str().map(str::to_owned));
            bodies.collect()
        };
        let all = |member: Value| vec![text("a"), member, text("b")];
        assert_eq!(heard(all(member("@rota:a", "invite"))), ["b"]);
        // A new display name is no joining.
        assert_eq!(heard(all(member("@rota:a", "join"))), ["a", "b"]);
        assert_eq!(heard(all(member("@ana:a", "invite"))), ["a", "b"]);
    }
}
