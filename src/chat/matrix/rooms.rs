//! The rooms of the account, and invitations to others: one call tells of all of them.

use super::api::{Call, Matrix};
use super::room::{DIRECT, Room};
use crate::chat::CallError;
use crate::client::encode_fields;
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

/// The filter of [`Matrix::rooms`]; of a wait for changes with the changes of members.
fn filter(follows: bool) -> Value {
    let mut types: Vec<&str> = STATE.to_vec();
    types.push("m.space.child");
    types.push("m.room.member");
    let timeline = match follows {
        true => json!({ "types": types, "limit": 10 }),
        false => json!({ "types": [], "limit": 1 }),
    };
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

impl Matrix {
    /// Reads the rooms of the account.
    ///
    /// # Errors
    /// Those of every call.
    pub(super) fn rooms(&self) -> Result<Rooms, CallError> {
        let filter = filter(false).to_string();
        let query = encode_fields(&[("filter", &filter), ("timeout", "0")]);
        let call = Call::get("sync", &["v3", "sync"]).query(&query);
        let me = self.me()?;
        let answer = self.call(&call.patience(Duration::from_secs(60)))?;
        Ok(read(&answer, &me))
    }

    /// Waits for changes since `since`; without it, asks from when on. Returns from when on to wait next, and whether something
    /// has changed.
    ///
    /// # Errors
    /// Those of every call.
    pub(super) fn await_changes(
        &self,
        since: Option<&str>,
        wait: Duration,
    ) -> Result<(String, bool), CallError> {
        let filter = filter(true).to_string();
        let wait_ms = wait.as_millis().to_string();
        let mut fields = vec![("filter", filter.as_str()), ("set_presence", "offline")];
        match since {
            Some(since) => fields.extend([("since", since), ("timeout", &wait_ms)]),
            None => fields.push(("timeout", "0")),
        }
        let call = Call::get("sync", &["v3", "sync"]).query(&encode_fields(&fields));
        let call = call.patience(wait + Duration::from_secs(30));
        let answer = self.send_by(&self.waiting, &call)?;
        let next = answer["next_batch"].as_str().map(str::to_owned);
        let next = next.ok_or_else(|| CallError::Transient("a sync without next_batch".into()))?;
        Ok((next, since.is_none() || has_changes(&answer)))
    }
}

/// Whether a sync says something of the directory.
fn has_changes(answer: &Value) -> bool {
    let any = |value: &Value| value.as_object().is_some_and(|rooms| !rooms.is_empty());
    let events = |value: &Value| {
        value["events"]
            .as_array()
            .is_some_and(|events| !events.is_empty())
    };
    let rooms = &answer["rooms"];
    let joined = rooms["join"].as_object().into_iter().flatten();
    let mut joined = joined.map(|(_, room)| room);
    any(&rooms["invite"])
        || any(&rooms["leave"])
        || joined.any(|room| events(&room["state"]) || events(&room["timeline"]))
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
        assert!(has_changes(&answer));
    }

    #[test]
    fn what_says_nothing_is_no_change() {
        for answer in [
            json!({}),
            json!({ "rooms": { "join": { "!r": { "state": { "events": [] }, "timeline": { "events": [] } } } } }),
            json!({ "rooms": { "invite": {}, "leave": null } }),
        ] {
            assert!(!has_changes(&answer), "{answer}");
        }
        let left = json!({ "rooms": { "leave": { "!r": {} } } });
        assert!(has_changes(&left));
    }
}
