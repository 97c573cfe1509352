//! The rooms of the account, and invitations to others: one call tells of all of them.

use super::api::{Call, Matrix};
use super::room::{DIRECT, Room};
use crate::chat::CallError;
use crate::client::encode_fields;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// An invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invitation {
    /// By its stripped state.
    pub room: Room,
    pub inviter: String,
    pub is_direct: bool,
}

/// What the account is in, and invited to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rooms {
    /// By id.
    pub joined: BTreeMap<String, Room>,
    pub invitations: Vec<Invitation>,
    /// The rooms that the account calls direct, by person.
    pub direct: BTreeMap<String, Vec<String>>,
}

/// The state that is read of each room. Members are asked for by room, because some rooms have many.
const STATE: [&str; 8] = [
    "m.room.create",
    "m.room.name",
    "m.room.canonical_alias",
    "m.room.join_rules",
    "m.room.encryption",
    "m.room.tombstone",
    "m.room.power_levels",
    DIRECT,
];

/// The events of timelines that are listened to.
pub(super) const HEARD: [&str; 12] = [
    "m.room.create",
    "m.room.name",
    "m.room.canonical_alias",
    "m.room.join_rules",
    "m.room.encryption",
    "m.room.tombstone",
    "m.room.power_levels",
    DIRECT,
    "m.space.child",
    "m.room.member",
    "m.room.message",
    "m.reaction",
];

/// A filter that leaves out what is not read here.
fn filter(timeline: &Value) -> Value {
    json!({
        "presence": { "types": [] },
        "account_data": { "types": ["m.direct"] },
        "room": {
            "ephemeral": { "types": [] },
            "account_data": { "types": [] },
            "timeline": timeline,
            "state": { "types": STATE, "lazy_load_members": true },
        },
    })
}

/// The filter for listening.
pub(super) fn listening() -> Value {
    filter(&json!({ "types": HEARD, "limit": 50 }))
}

impl Matrix {
    /// Reads the rooms of the account.
    ///
    /// # Errors
    /// Those of every call.
    pub(super) fn rooms(&self) -> Result<Rooms, CallError> {
        let mut filter = filter(&json!({ "types": [], "limit": 1 }));
        // Homeservers repeat the answer to the same question for some minutes: a room that does not exist makes it another one.
        let number = self.readings.fetch_add(1, Ordering::Relaxed);
        filter["room"]["not_rooms"] = json!([format!("!{number}:invalid")]);
        let filter = filter.to_string();
        let query = encode_fields(&[("filter", &filter), ("timeout", "0")]);
        let call = Call::get("sync", &["v3", "sync"]).query(&query);
        let me = self.me()?;
        let answer = self.call(&call.patience(Duration::from_secs(60)))?;
        Ok(read(&answer, &me))
    }
}

/// Whether a sync says something of the directory.
pub(super) fn has_news(answer: &Value) -> bool {
    let any = |value: &Value| value.as_object().is_some_and(|rooms| !rooms.is_empty());
    let events = |value: &Value| {
        value["events"]
            .as_array()
            .is_some_and(|events| !events.is_empty())
    };
    let changes_state = |timeline: &Value| {
        let events = timeline["events"].as_array().into_iter().flatten();
        events
            .into_iter()
            .any(|event| event["state_key"].is_string())
    };
    let rooms = &answer["rooms"];
    let joined = rooms["join"].as_object().into_iter().flatten();
    let mut joined = joined.map(|(_, room)| room);
    any(&rooms["invite"])
        || any(&rooms["leave"])
        || joined.any(|room| events(&room["state"]) || changes_state(&room["timeline"]))
}

fn read(answer: &Value, me: &str) -> Rooms {
    let entries = |list: &str| answer["rooms"][list].as_object().into_iter().flatten();
    let events = |value: &Value| value["events"].as_array().cloned().unwrap_or_default();
    let mut rooms = Rooms::default();
    for (id, entry) in entries("join") {
        let mut room = Room::read(id, &events(&entry["state"]));
        room.joined = entry["summary"]["m.joined_member_count"]
            .as_u64()
            .unwrap_or(1);
        rooms.joined.insert(id.clone(), room);
    }
    for (id, entry) in entries("invite") {
        let state = events(&entry["invite_state"]);
        let own = state
            .iter()
            .rev()
            .find(|event| event["type"] == "m.room.member" && event["state_key"] == me);
        let inviter = own.and_then(|own| own["sender"].as_str());
        rooms.invitations.push(Invitation {
            room: Room::read(id, &state),
            inviter: inviter.unwrap_or_default().to_owned(),
            is_direct: own.is_some_and(|own| own["content"]["is_direct"] == true),
        });
    }
    for event in events(&answer["account_data"]) {
        if event["type"] == "m.direct" {
            rooms.direct = direct(&event["content"]);
        }
    }
    rooms
}

/// The content of `m.direct`.
pub(super) fn direct(content: &Value) -> BTreeMap<String, Vec<String>> {
    let people = content.as_object().into_iter().flatten();
    let ids = |value: &Value| -> Vec<String> {
        let ids = value.as_array().into_iter().flatten();
        ids.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    people
        .map(|(user, rooms)| (user.clone(), ids(rooms)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_and_invitations_are_read() {
        let member = |sender: &str, direct: bool| {
            json!({
                "type": "m.room.member", "state_key": "@rota:a", "sender": sender,
                "content": { "membership": "invite", "is_direct": direct },
            })
        };
        let name = json!({ "type": "m.room.name", "state_key": "", "sender": "@ana:a", "content": { "name": "Duty" } });
        let answer = json!({
            "next_batch": "s1",
            "account_data": { "events": [{ "type": "m.direct", "content": { "@ana:a": ["!d"], "@bo:a": 5 } }] },
            "rooms": {
                "join": { "!r": { "state": { "events": [name] }, "summary": { "m.joined_member_count": 2 } } },
                "invite": {
                    "!i": { "invite_state": { "events": [member("@ana:a", true)] } },
                    "!j": { "invite_state": { "events": [member("@bo:a", false)] } },
                },
            },
        });
        let rooms = read(&answer, "@rota:a");
        assert_eq!(rooms.joined["!r"].called(), "Duty");
        assert_eq!(rooms.joined["!r"].joined, 2);
        let invitations = rooms.invitations.iter();
        let invitations: Vec<_> = invitations
            .map(|one| (one.room.id.as_str(), one.inviter.as_str(), one.is_direct))
            .collect();
        assert_eq!(
            invitations,
            [("!i", "@ana:a", true), ("!j", "@bo:a", false)]
        );
        assert_eq!(rooms.direct["@ana:a"], ["!d"]);
        assert!(rooms.direct["@bo:a"].is_empty());
        assert!(has_news(&answer));
    }

    #[test]
    fn what_says_nothing_is_no_change() {
        for answer in [
            json!({}),
            json!({ "rooms": { "join": { "!r": { "state": { "events": [] }, "timeline": { "events": [] } } } } }),
            json!({ "rooms": { "invite": {}, "leave": null } }),
            json!({ "rooms": { "join": { "!r": { "timeline": { "events": [{ "type": "m.room.message" }] } } } } }),
        ] {
            assert!(!has_news(&answer), "{answer}");
        }
        let left = json!({ "rooms": { "leave": { "!r": {} } } });
        assert!(has_news(&left));
    }
}
