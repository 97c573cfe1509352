//! Rooms of two: with everybody whom something is told directly.

use super::api::{Call, Matrix};
use super::content;
use super::power::Deed;
use super::room::DIRECT;
use super::rooms;
use super::seen::Direct;
use super::writes::Rank;
use crate::chat::CallError;
use crate::domain::chat::ChatError;
use crate::domain::ids::UserId;
use serde_json::{Value, json};
use std::sync::PoisonError;

impl Matrix {
    /// The direct room of a person, which is made if there is none. Whoever has left it is invited anew.
    pub(super) fn direct_room(&self, user: &UserId) -> Result<String, ChatError> {
        // One at a time, so that nobody gets two.
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.seen().direct.get(user).map(|known| known.room.clone());
        if let Some(room) = known {
            match self.invite_anew(&room, user) {
                // The account has left it.
                Err(ChatError::NotFound(_)) => {
                    self.seen().direct.remove(user);
                }
                invited => return invited.map(|()| room),
            }
        }
        let rooms = self.rooms()?;
        let called = rooms.direct.get(user.as_str()).into_iter().flatten();
        let mut called = called.filter(|id| rooms.joined.contains_key(*id));
        let made = || {
            let mut joined = rooms.joined.values();
            joined.find(|room| room.direct_with.as_deref() == Some(user.as_str()))
        };
        let room = match (called.next(), made()) {
            (Some(room), _) => room.clone(),
            (None, Some(room)) => {
                self.note_direct(user, &room.id)?;
                room.id.clone()
            }
            (None, None) => {
                let room = self.make_direct(user)?;
                self.note_direct(user, &room)?;
                self.keep_direct(user, &room, false);
                return Ok(room);
            }
        };
        self.invite_anew(&room, user)?;
        Ok(room)
    }

    fn keep_direct(&self, user: &UserId, room: &str, is_joined: bool) {
        let room = room.to_owned();
        self.seen()
            .direct
            .insert(user.clone(), Direct { room, is_joined });
    }

    fn make_direct(&self, user: &UserId) -> Result<String, ChatError> {
        let body = json!({
            "preset": "private_chat",
            "is_direct": true,
            "invite": [user.as_str()],
            "initial_state": [
                { "type": DIRECT, "state_key": "", "content": { "user_id": user.as_str() } },
            ],
        });
        let call = Call::post("createRoom", &["v3", "createRoom"], &body).rank(Rank::Message);
        let made = self.call(&call)?;
        let room = made["room_id"].as_str().map(str::to_owned);
        room.ok_or_else(|| ChatError::Unavailable("createRoom names no room".into()))
    }

    /// Invites a person who is not in the room and not invited.
    fn invite_anew(&self, room: &str, user: &UserId) -> Result<(), ChatError> {
        let segments = ["v3", "rooms", room, "state", "m.room.member", user.as_str()];
        let membership = match self.call(&Call::get("state", &segments)) {
            Ok(member) => member["membership"].as_str().unwrap_or_default().to_owned(),
            Err(error) if error.code() == Some("M_NOT_FOUND") => String::new(),
            Err(error) if error.code() == Some("M_FORBIDDEN") => {
                return Err(ChatError::NotFound(format!(
                    "rota has left its room with {user}"
                )));
            }
            Err(error) => return Err(error.into()),
        };
        self.keep_direct(user, room, membership == "join");
        match membership.as_str() {
            "join" | "invite" => Ok(()),
            "ban" => Err(ChatError::Refused(format!(
                "{user} is banned from their direct room"
            ))),
            _ => {
                let body = json!({ "user_id": user.as_str() });
                let call = Call::post("invite", &["v3", "rooms", room, "invite"], &body);
                let made = self.call(&call.rank(Rank::Message));
                made.map(drop)
                    .map_err(|error| self.refused(error, room, Deed::Invite))
            }
        }
    }

    /// Adds a room to those that the account calls direct.
    ///
    /// # Errors
    /// Those of every call.
    pub(super) fn note_direct(&self, user: &UserId, room: &str) -> Result<(), CallError> {
        let me = self.me()?;
        let segments = ["v3", "user", &me, "account_data", "m.direct"];
        let mut direct = match self.call(&Call::get("account_data", &segments)) {
            Ok(direct) => direct,
            Err(error) if error.code() == Some("M_NOT_FOUND") => json!({}),
            Err(error) => return Err(error),
        };
        let mut ids = rooms::direct(&direct)
            .remove(user.as_str())
            .unwrap_or_default();
        if ids.iter().any(|id| id == room) {
            return Ok(());
        }
        ids.insert(0, room.to_owned());
        direct[user.as_str()] = Value::from(ids);
        let call = Call::put("account_data", &segments, &direct).rank(Rank::Message);
        self.call(&call).map(drop)
    }

    /// Tells a person something in their direct room, once by its key.
    pub(super) fn tell(&self, user: &UserId, text: &str, key: &str) -> Result<(), ChatError> {
        let room = self.direct_room(user)?;
        let content = content::plain(text, std::slice::from_ref(user));
        self.put_message(&room, key, &content, Rank::Answer)
            .map(drop)
    }

    /// Sends a message, once by its key, to a room that may be written to. Returns the id of its event.
    pub(super) fn put_message(
        &self,
        room: &str,
        key: &str,
        content: &Value,
        rank: Rank,
    ) -> Result<String, ChatError> {
        self.check_writable(room)?;
        let segments = [
            "v3",
            "rooms",
            room,
            "send",
            "m.room.message",
            &format!("rota.{key}"),
        ];
        let call = Call::put("send", &segments, content).rank(rank);
        let sent = self
            .call(&call)
            .map_err(|error| self.refused(error, room, Deed::Write))?;
        let event = sent["event_id"].as_str().map(str::to_owned);
        event.ok_or_else(|| ChatError::Unavailable("a message was sent and has no id".into()))
    }
}
