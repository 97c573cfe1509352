//! Asks the homeserver whether everything is set up as rota needs it.

use super::api::{Call, Matrix};
use super::directory;
use super::error::{SERVER, read};
use super::power::Deed;
use super::room::Room;
use crate::chat::Finding;
use crate::chat::call_error::Class;
use crate::chat::finding::why;
use crate::client::HttpResponse;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;

/// For what a rotation uses a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoomUse {
    pub posts: bool,
    pub sets_topic: bool,
    pub fills: bool,
}

/// A room that rotations use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedRoom {
    pub id: String,
    pub used: RoomUse,
}

impl RoomUse {
    fn deeds(self) -> impl Iterator<Item = Deed> {
        let deeds = [
            (self.posts, Deed::Write),
            (self.sets_topic, Deed::SetTopic),
            (self.fills, Deed::Invite),
            (self.fills, Deed::Kick),
        ];
        deeds
            .into_iter()
            .filter_map(|(is_needed, deed)| is_needed.then_some(deed))
    }
}

impl Matrix {
    /// Looks at the token, the versions, the space, its admins and the clock, then at each room of the space that the account is
    /// in, and at each that is used. Nothing is changed.
    pub fn check(&self, now: Timestamp, used: &[UsedRoom]) -> Vec<Finding> {
        let who = self.request(
            &self.client,
            &Call::get("whoami", &["v3", "account", "whoami"]),
        );
        let date = who
            .as_ref()
            .ok()
            .and_then(|answer| answer.header("date").map(str::to_owned));
        let account = who.and_then(|answer| read(&answer));
        let me = account
            .as_ref()
            .ok()
            .and_then(|account| account["user_id"].as_str());
        let me = me.unwrap_or_default().to_owned();
        let mut findings = vec![match &account {
            Ok(_) => Finding::right(format!("account: {me}; {SERVER} takes the token")),
            Err(class) => Finding::wrong(format!("account: {}", why(class.clone(), SERVER))),
        }];
        findings.push(
            match self.ask_plainly(&Call::get("versions", &["versions"])) {
                Ok(versions) => said_versions(&versions),
                Err(class) => Finding::wrong(format!("versions: {}", why(class, SERVER))),
            },
        );
        let space = self.check_space(&me);
        match &space {
            Ok(space) => {
                let called = space.called();
                findings.push(Finding::right(format!(
                    "space: {called} ({}), joined",
                    space.id
                )));
                findings.push(admins(space));
            }
            Err(finding) => {
                findings.push(finding.clone());
                findings.push(Finding::wrong(
                    "admins: they are not known without the space",
                ));
            }
        }
        findings.push(Finding::clock(date.as_deref(), now, SERVER));
        if !me.is_empty() {
            findings.extend(self.check_rooms(&me, space.as_ref().ok(), used));
        }
        findings
    }

    fn ask_plainly(&self, call: &Call) -> Result<Value, Class> {
        let answer: HttpResponse = self.request(&self.client, call)?;
        read(&answer)
    }

    fn check_space(&self, me: &str) -> Result<Room, Finding> {
        let space = &self.settings.space;
        let wrong = |why: String| Finding::wrong(format!("space: {space}: {why}"));
        let id = self.space_id().map_err(|error| wrong(error.to_string()))?;
        let state = self.ask_plainly(&Call::get("state", &["v3", "rooms", &id, "state"]));
        let state = state.map_err(|class| {
            wrong(format!(
                "{}; rota joins it when the server starts, if it is public or rota is invited",
                why(class, SERVER)
            ))
        })?;
        let room = Room::read(&id, state.as_array().into_iter().flatten());
        match () {
            () if !room.is_space => Err(wrong("it is a room, not a space".into())),
            () if room.membership(me) != "join" => {
                Err(wrong("rota is not in it; invite it".into()))
            }
            () => Ok(room),
        }
    }

    /// A line for each room of the space that the account is in, and for each that is used.
    fn check_rooms(&self, me: &str, space: Option<&Room>, used: &[UsedRoom]) -> Vec<Finding> {
        let of_space = space.map(|space| {
            let rooms = self.rooms()?;
            directory::channels(self, &space.id, &rooms)
        });
        let listed = match of_space.transpose() {
            Ok(channels) => channels.unwrap_or_default(),
            Err(error) => return vec![Finding::wrong(format!("rooms: {error}"))],
        };
        let listed = listed.iter().filter(|channel| channel.app_is_member);
        let mut ids: BTreeSet<String> = listed.map(|channel| channel.id.to_string()).collect();
        ids.extend(used.iter().map(|used| used.id.clone()));
        let line = |id: String| {
            let of = used.iter().find(|used| used.id == id);
            let of = of.map_or(RoomUse::default(), |used| used.used);
            let state = self.ask_plainly(&Call::get("state", &["v3", "rooms", &id, "state"]));
            match state {
                Ok(state) => {
                    let room = Room::read(&id, state.as_array().into_iter().flatten());
                    about(&room, me, of)
                }
                Err(class) => Finding::wrong(format!("room {id}: {}", why(class, SERVER))),
            }
        };
        ids.into_iter().map(line).collect()
    }
}

/// The versions of the API, of which 1.11 is needed.
fn said_versions(answer: &Value) -> Finding {
    let listed = answer["versions"].as_array().into_iter().flatten();
    let number =
        |version: &Value| -> Option<u32> { version.as_str()?.strip_prefix("v1.")?.parse().ok() };
    match listed.filter_map(number).max() {
        Some(newest) if newest >= 11 => Finding::right(format!("versions: up to v1.{newest}")),
        Some(newest) => Finding::wrong(format!("versions: up to v1.{newest}, and v1.11 is needed")),
        None => Finding::wrong("versions: v1.11 is needed, and the homeserver names none such"),
    }
}

/// Who administers the workspace.
fn admins(space: &Room) -> Finding {
    let joined = space
        .members
        .iter()
        .filter(|(_, member)| member.membership == "join");
    let admins = joined.filter(|(user, _)| space.powers.allow(user, Deed::Administer));
    let admins: Vec<&str> = admins.map(|(user, _)| user.as_str()).collect();
    match admins.is_empty() {
        true => Finding::wrong("admins: nobody in the space may change who may do what"),
        false => Finding::right(format!("admins: {}", admins.join(", "))),
    }
}

/// What is to be known of a room.
fn about(room: &Room, me: &str, used: RoomUse) -> Finding {
    let may = |deed: Deed| match room.powers.allow(me, deed) {
        true => format!("may {}", deed.text()),
        false => format!(
            "may not {} (power {}, needed {})",
            deed.text(),
            room.powers.of(me),
            room.powers.needed(deed)
        ),
    };
    let deeds = [Deed::Write, Deed::SetTopic, Deed::Invite, Deed::Kick].map(may);
    let encrypted = match room.is_encrypted {
        true => "encrypted, so nothing can be written or read",
        false => "not encrypted",
    };
    let text = format!(
        "room {} ({}): {encrypted}; {}",
        room.called(),
        room.id,
        deeds.join(", ")
    );
    let mut needed = used.deeds().peekable();
    let lacks = needed.peek().is_some()
        && (room.is_encrypted || needed.any(|deed| !room.powers.allow(me, deed)));
    match lacks {
        true => Finding::wrong(text),
        false => Finding::right(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_use_needs_is_looked_at() {
        let event = |name: &str, content: Value| json!({ "type": name, "state_key": "", "sender": "@ana", "content": content });
        let levels =
            json!({ "users": { "@rota": 50 }, "invite": 50, "kick": 60, "state_default": 50 });
        let plain = Room::read("!r", &[event("m.room.power_levels", levels.clone())]);
        let secret = [
            event("m.room.power_levels", levels),
            event("m.room.encryption", json!({})),
        ];
        let secret = Room::read("!r", &secret);
        let used = |posts, sets_topic, fills| RoomUse {
            posts,
            sets_topic,
            fills,
        };
        for (room, used, is_right) in [
            (&plain, used(false, false, false), true),
            (&plain, used(true, true, false), true),
            (&plain, used(false, false, true), false),
            (&secret, used(false, false, false), true),
            (&secret, used(true, false, false), false),
        ] {
            let found = about(room, "@rota", used);
            assert_eq!(found.is_right, is_right, "{used:?}: {}", found.text);
        }
        assert_eq!(
            about(&plain, "@rota", used(false, false, true)).text,
            "room !r (!r): not encrypted; may write, may set the topic, may invite, may not kick (power 50, needed 60)"
        );
    }

    #[test]
    fn versions_are_read() {
        for (versions, is_right) in [
            (json!(["r0.6.1", "v1.1", "v1.11"]), true),
            (json!(["v1.12", "v1.2"]), true),
            (json!(["v1.10", "v1.9"]), false),
            (json!(["r0.6.1"]), false),
        ] {
            let found = said_versions(&json!({ "versions": versions }));
            assert_eq!(found.is_right, is_right, "{}", found.text);
        }
    }
}
