//! Rooms with whoever is on call: people are invited, and removed.

use super::api::{Call, Matrix};
use super::invitations::lacks;
use super::power::Deed;
use super::room::{Member, Room, server_of};
use super::seen::{encrypted, not_in, replaced};
use crate::chat::{CallError, ListedGroup};
use crate::domain::chat::ChatError;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::wording::one_line;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Matrix {
    /// The members of a room, former ones included.
    ///
    /// # Errors
    /// Those of every call.
    pub(super) fn members(&self, room: &str) -> Result<BTreeMap<String, Member>, CallError> {
        let answer = self.call(&Call::get("members", &["v3", "rooms", room, "members"]))?;
        let Some(events) = answer["chunk"].as_array() else {
            return Err(CallError::Transient("members answers without chunk".into()));
        };
        Ok(Room::read(room, events).members)
    }

    /// A room that is to be filled.
    ///
    /// # Errors
    /// [`ChatError::Refused`] where the account may not fill it.
    fn fillable(&self, id: &GroupId) -> Result<Room, ChatError> {
        let me = self.me()?;
        let room = match self.room(id.as_str()) {
            Err(CallError::Refused(_)) => {
                let called = self.seen().called(id.as_str());
                return Err(ChatError::NotFound(not_in(&called)));
            }
            room => room?,
        };
        if room.membership(&me) != "join" {
            return Err(ChatError::NotFound(not_in(room.called())));
        }
        if room.is_encrypted {
            return Err(ChatError::Refused(encrypted(room.called())));
        }
        if room.replaced_by.is_some() {
            return Err(ChatError::Refused(replaced(room.called())));
        }
        for deed in [Deed::Invite, Deed::Kick] {
            if !room.powers.allow(&me, deed) {
                return Err(ChatError::Refused(lacks(&room, &me, deed)));
            }
        }
        Ok(room)
    }

    /// The people of a group, invited ones included.
    pub(super) fn list_group(&self, id: &GroupId) -> Result<ListedGroup, ChatError> {
        let (room, me) = (self.fillable(id)?, self.me()?);
        let mut listed = ListedGroup::default();
        let seen = self.seen();
        let is_person = |user: &UserId| user.as_str() != me && seen.is_person(user);
        for (id, member) in &room.members {
            let user = UserId::from(id.as_str());
            match member.membership.as_str() {
                "ban" => listed.barred.push(user),
                "leave" if member.by_themselves => listed.left.push(user),
                "join" | "invite" if is_person(&user) => {
                    if !room.powers.allow_kick(&me, id) {
                        listed.stuck.push(user.clone());
                    }
                    listed.people.push(user);
                }
                _ => {}
            }
        }
        Ok(listed)
    }

    /// Invites those who are new, and removes those who are not wanted any more.
    pub(super) fn fill_group(
        &self,
        id: &GroupId,
        present: &[UserId],
        wanted: &[UserId],
    ) -> Result<(), ChatError> {
        let (room, me) = (self.fillable(id)?, self.me()?);
        let is_in = |user: &UserId| matches!(room.membership(user.as_str()), "join" | "invite");
        for user in wanted.iter().filter(|user| !present.contains(user)) {
            if !is_in(user) && room.membership(user.as_str()) != "ban" {
                self.change(id, "invite", user, Deed::Invite)?;
            }
        }
        for user in present.iter().filter(|user| !wanted.contains(user)) {
            if is_in(user) && room.powers.allow_kick(&me, user.as_str()) {
                self.change(id, "kick", user, Deed::Kick)?;
            }
        }
        Ok(())
    }

    fn change(
        &self,
        id: &GroupId,
        name: &'static str,
        user: &UserId,
        deed: Deed,
    ) -> Result<(), ChatError> {
        let body = json!({ "user_id": user.as_str() });
        let made = self.call(&Call::post(
            name,
            &["v3", "rooms", id.as_str(), name],
            &body,
        ));
        match made {
            Ok(_) => Ok(()),
            Err(error) => Err(self.refused(error, id.as_str(), deed)),
        }
    }

    /// The error of a write in a room, with what it takes where it is forbidden.
    pub(super) fn refused(&self, error: CallError, room: &str, deed: Deed) -> ChatError {
        match error.code() {
            Some("M_FORBIDDEN") => ChatError::Refused(self.why_not(room, deed)),
            _ => error.into(),
        }
    }

    /// The alias of a handle.
    fn alias(&self, handle: &str) -> Result<String, ChatError> {
        Ok(format!("#{handle}:{}", server_of(&self.me()?)))
    }

    /// The room of a handle.
    pub(super) fn find_by_handle(&self, handle: &str) -> Result<Option<GroupId>, ChatError> {
        let alias = self.alias(handle)?;
        let call = Call::get("room", &["v3", "directory", "room", &alias]);
        match self.call(&call) {
            Ok(found) => Ok(found["room_id"].as_str().map(GroupId::from)),
            Err(CallError::Refused(refusal)) if refusal.code == "M_NOT_FOUND" => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a private room whose people only rota changes. If the answer to an earlier try was lost, it is there.
    pub(super) fn make_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError> {
        let body = json!({
            "preset": "private_chat",
            "visibility": "private",
            "room_alias_name": handle,
            "name": one_line(name),
            "power_level_content_override": { "invite": 50, "notifications": { "room": 0 } },
        });
        let made = self.call(&Call::post("createRoom", &["v3", "createRoom"], &body));
        if let Err(error) = &made
            && error.code() == Some("M_ROOM_IN_USE")
            && let Some(found) = self.find_by_handle(handle)?
        {
            let creator = match self.room(found.as_str()) {
                Ok(room) => room.creator,
                Err(CallError::Refused(_)) => String::new(),
                Err(error) => return Err(error.into()),
            };
            if creator == self.me()? {
                return Ok(found);
            }
        }
        let made: Value = made?;
        let id = made["room_id"].as_str().map(GroupId::from);
        id.ok_or_else(|| ChatError::Unavailable("createRoom names no room".into()))
    }
}
