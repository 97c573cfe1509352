//! The state of a room, as its events say it.

use super::power::Powers;
use crate::domain::wording::one_line;
use serde_json::Value;
use std::collections::BTreeMap;

/// The state event by which a direct room that was made here is found again, should the answer to its making be lost.
pub(super) const DIRECT: &str = "org.rota.direct";

/// Somebody's part in a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// `join`, `invite`, `leave`, `ban` or `knock`.
    pub membership: String,
    /// Whether they changed it themselves.
    pub by_themselves: bool,
}

/// The state of a room, as far as it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    pub id: String,
    pub name: Option<String>,
    /// The canonical alias.
    pub alias: Option<String>,
    pub is_space: bool,
    pub is_public: bool,
    /// The rooms whose members may join.
    pub allows: Vec<String>,
    pub is_encrypted: bool,
    /// The room that took its place.
    pub replaced_by: Option<String>,
    /// Who said so.
    pub replaced_by_whom: Option<String>,
    /// The room whose place it took.
    pub predecessor: Option<String>,
    pub creator: String,
    pub powers: Powers,
    /// For whom it was made as a direct room.
    pub direct_with: Option<String>,
    /// As far as they are read.
    pub members: BTreeMap<String, Member>,
    /// How many joined, where that is said.
    pub joined: u64,
}

impl Room {
    /// Reads state events, whole or stripped.
    pub(super) fn read<'a>(id: &str, events: impl IntoIterator<Item = &'a Value>) -> Room {
        let mut room = Room {
            id: id.to_owned(),
            ..Room::default()
        };
        let (mut levels, mut create) = (Value::Null, Value::Null);
        let text = |value: &Value| {
            let text = one_line(value.as_str()?);
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        for event in events {
            let Some(key) = event["state_key"].as_str() else {
                continue;
            };
            let content = &event["content"];
            let sender = event["sender"].as_str().unwrap_or_default();
            match (event["type"].as_str().unwrap_or_default(), key) {
                ("m.room.create", "") => {
                    room.creator = sender.to_owned();
                    room.is_space = content["type"] == "m.space";
                    room.predecessor = text(&content["predecessor"]["room_id"]);
                    create = content.clone();
                }
                ("m.room.name", "") => room.name = text(&content["name"]),
                ("m.room.canonical_alias", "") => room.alias = text(&content["alias"]),
                ("m.room.encryption", "") => room.is_encrypted = true,
                ("m.room.tombstone", "") => {
                    room.replaced_by = text(&content["replacement_room"]);
                    room.replaced_by_whom = Some(sender.to_owned());
                }
                ("m.room.power_levels", "") => levels = content.clone(),
                ("m.room.join_rules", "") => {
                    room.is_public = content["join_rule"] == "public";
                    let allow = content["allow"].as_array().into_iter().flatten();
                    let allow = allow.filter_map(|one| one["room_id"].as_str());
                    room.allows = allow.map(str::to_owned).collect();
                }
                (DIRECT, "") => room.direct_with = text(&content["user_id"]),
                ("m.room.member", user) => {
                    let membership = content["membership"].as_str().unwrap_or("leave");
                    let member = Member {
                        membership: membership.to_owned(),
                        by_themselves: sender == user,
                    };
                    room.members.insert(user.to_owned(), member);
                }
                _ => {}
            }
        }
        let creator = room.creator.clone();
        room.powers = Powers::new(levels, &create, &creator);
        room
    }

    /// What it is called: the name, else the alias, else the id.
    pub(super) fn called(&self) -> &str {
        self.name
            .as_deref()
            .or(self.alias.as_deref())
            .unwrap_or(&self.id)
    }

    /// Somebody's membership; `leave` of whoever was never in it.
    pub(super) fn membership(&self, user: &str) -> &str {
        self.members
            .get(user)
            .map_or("leave", |member| &member.membership)
    }

    /// The local part of the alias, if it is on a server.
    pub(super) fn handle_on(&self, server: &str) -> Option<&str> {
        let (local, on) = self.alias.as_deref()?.strip_prefix('#')?.split_once(':')?;
        (on == server && !local.is_empty()).then_some(local)
    }
}

/// The server of an id such as `@ana:example.org`.
pub(super) fn server_of(id: &str) -> &str {
    id.split_once(':').map_or("", |(_, server)| server)
}

/// The local part of an id such as `@ana:example.org`.
pub(super) fn local_part(id: &str) -> &str {
    let id = id.strip_prefix('@').unwrap_or(id);
    id.split(':').next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn state_is_read() {
        let event = |name: &str, key: &str, content: Value| json!({ "type": name, "state_key": key, "sender": "@ana:a.org", "content": content });
        let events = [
            event(
                "m.room.create",
                "",
                json!({ "type": "m.space", "predecessor": { "room_id": "!old" } }),
            ),
            event("m.room.name", "", json!({ "name": " On\ncall " })),
            event(
                "m.room.canonical_alias",
                "",
                json!({ "alias": "#duty:a.org:8448" }),
            ),
            event(
                "m.room.join_rules",
                "",
                json!({ "join_rule": "restricted", "allow": [{ "room_id": "!space" }] }),
            ),
            event("m.room.encryption", "", json!({})),
            event(
                "m.room.tombstone",
                "",
                json!({ "replacement_room": "!new" }),
            ),
            event(
                "m.room.member",
                "@ana:a.org",
                json!({ "membership": "leave" }),
            ),
            event(
                "m.room.member",
                "@bo:a.org",
                json!({ "membership": "invite" }),
            ),
            event("m.room.topic", "", json!({ "topic": "x" })),
            json!({ "type": "m.room.name", "content": { "name": "no state" } }),
        ];
        let room = Room::read("!r", &events);
        assert_eq!(room.called(), "On call");
        assert!(room.is_space && room.is_encrypted && !room.is_public);
        assert_eq!(room.allows, ["!space"]);
        assert_eq!(
            (room.predecessor.as_deref(), room.replaced_by.as_deref()),
            (Some("!old"), Some("!new"))
        );
        assert_eq!(room.handle_on("a.org:8448"), Some("duty"));
        assert_eq!(room.handle_on("b.org"), None);
        assert_eq!(room.membership("@bo:a.org"), "invite");
        assert_eq!(room.membership("@cyd:a.org"), "leave");
        assert!(
            room.members["@ana:a.org"].by_themselves && !room.members["@bo:a.org"].by_themselves
        );
        let bare = Room::read("!r", &[]);
        assert_eq!(bare.called(), "!r");
    }

    #[test]
    fn ids_have_parts() {
        for (id, local, server) in [
            ("@ana:example.org", "ana", "example.org"),
            ("@ana:example.org:8448", "ana", "example.org:8448"),
            ("@ana", "ana", ""),
        ] {
            assert_eq!((local_part(id), server_of(id)), (local, server), "{id}");
        }
    }
}
