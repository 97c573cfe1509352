//! Invitations: which are accepted, and by what right.

use super::api::{Call, Matrix};
use super::power::Deed;
use super::room::Room;
use super::rooms::{Invitation, Rooms};
use super::seen::not_in;
use super::writes::Rank;
use crate::chat::CallError;
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use serde_json::json;
use std::sync::PoisonError;

/// What is done with an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accept,
    AcceptDirect,
    Decline,
    /// The room is encrypted; the inviter is told.
    Encrypted,
}

/// The verdict on an invitation.
fn judge(invitation: &Invitation, people: &[Person], rooms: &Rooms, space: &str) -> Verdict {
    let inviter = people
        .iter()
        .find(|person| person.id.as_str() == invitation.inviter);
    let upgraded = rooms.joined.values().any(|old| {
        old.replaced_by.as_deref() == Some(&invitation.room.id)
            && old.replaced_by_whom.as_deref() == Some(&invitation.inviter)
    });
    let is_welcome = match invitation.is_direct {
        true => inviter.is_some(),
        false => inviter.is_some_and(|person| person.is_admin) || upgraded,
    };
    match () {
        () if invitation.room.id == space => Verdict::Accept,
        () if !is_welcome => Verdict::Decline,
        () if invitation.room.is_encrypted => Verdict::Encrypted,
        () if invitation.is_direct => Verdict::AcceptDirect,
        () => Verdict::Accept,
    }
}

impl Matrix {
    /// Answers invitations, and follows rooms that were upgraded. Returns whether the account is in another room now.
    ///
    /// # Errors
    /// If nothing was answered at all, or the homeserver asks to wait.
    pub(super) fn answer_invitations(
        &self,
        rooms: &Rooms,
        people: &[Person],
        space: &str,
    ) -> Result<bool, CallError> {
        let mut joins = false;
        for invitation in &rooms.invitations {
            let room = &invitation.room.id;
            let verdict = judge(invitation, people, rooms, space);
            log::info!(
                "matrix: invitation to {room} by {}: {verdict:?}",
                invitation.inviter
            );
            match verdict {
                Verdict::Accept => joins |= self.join(room)?,
                Verdict::AcceptDirect => {
                    // Whoever looks for this person's room meanwhile must not make another one.
                    let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
                    if self.join(room)? {
                        joins = true;
                        self.note_direct(&UserId::from(invitation.inviter.as_str()), room)?;
                    }
                }
                Verdict::Decline => self.leave(room)?,
                Verdict::Encrypted => {
                    self.leave(room)?;
                    let user = UserId::from(invitation.inviter.as_str());
                    let text =
                        "I cannot work in encrypted rooms. Invite me to one that is not encrypted.";
                    if let Err(error) = self.tell(&user, text, &format!("encrypted.{room}")) {
                        log::warn!("matrix: {user} is not told: {}", error.detail());
                    }
                }
            }
        }
        Ok(joins | self.follow_upgrades(rooms)?)
    }

    /// Accepts an invitation to the space. Returns whether there was one.
    pub(super) fn accept_space(&self, space: &str) -> Result<bool, CallError> {
        let invitations = self.rooms()?.invitations;
        let is_invited = invitations
            .iter()
            .any(|invitation| invitation.room.id == space);
        Ok(is_invited && self.join(space)?)
    }

    /// Joins the rooms that took the place of ours, where that is permitted.
    fn follow_upgrades(&self, rooms: &Rooms) -> Result<bool, CallError> {
        let mut joins = false;
        for old in rooms.joined.values() {
            let Some(new) = &old.replaced_by else {
                continue;
            };
            if rooms.joined.contains_key(new) || !self.join(new)? {
                continue;
            }
            match self.room(new)?.predecessor.as_deref() == Some(&old.id) {
                true => joins = true,
                // Anybody may write that a room replaces another one.
                false => self.leave(new)?,
            }
        }
        Ok(joins)
    }

    /// Joins a room. Returns whether that was permitted.
    fn join(&self, room: &str) -> Result<bool, CallError> {
        let body = json!({});
        let call = Call::post("join", &["v3", "rooms", room, "join"], &body);
        is_permitted(room, self.call(&call.rank(Rank::Answer)).map(drop))
    }

    fn leave(&self, room: &str) -> Result<(), CallError> {
        let body = json!({});
        let call = Call::post("leave", &["v3", "rooms", room, "leave"], &body);
        is_permitted(room, self.call(&call.rank(Rank::Answer)).map(drop)).map(drop)
    }

    /// Why something is not permitted in a room: what it takes, and what the account has.
    pub(super) fn why_not(&self, id: &str, deed: Deed) -> String {
        let (Ok(me), Ok(room)) = (self.me(), self.room(id)) else {
            return not_in(&self.seen().called(id));
        };
        // Homeservers show the state of a room as it was when the account left it.
        match room.membership(&me) {
            "join" => lacks(&room, &me, deed),
            _ => not_in(room.called()),
        }
    }
}

/// What the account lacks in a room.
pub(super) fn lacks(room: &Room, me: &str, deed: Deed) -> String {
    format!(
        "in the room {} rota has the power {}, and {} is needed to {}",
        room.called(),
        room.powers.of(me),
        room.powers.needed(deed),
        deed.text()
    )
}

fn is_permitted(room: &str, made: Result<(), CallError>) -> Result<bool, CallError> {
    match made {
        Ok(()) => Ok(true),
        Err(CallError::Refused(refusal)) => {
            log::info!("matrix: {room}: {refusal}");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::directory::Source;
    use serde_json::{Value, json};

    fn person(id: &str, is_admin: bool) -> Person {
        Person {
            id: id.into(),
            team_id: "!space".into(),
            display_name: None,
            real_name: None,
            email: None,
            is_guest: false,
            is_external: false,
            is_deleted: false,
            is_admin,
            avatar_url: None,
            time_zone: None,
            handle: None,
            source: Source::Matrix,
            zone_is_own: false,
        }
    }

    #[test]
    fn invitations_are_judged() {
        let people = [person("@ana:a", true), person("@bo:a", false)];
        let tombstone = json!({
            "type": "m.room.tombstone", "state_key": "", "sender": "@bo:a", "content": { "replacement_room": "!new" },
        });
        let mut rooms = Rooms::default();
        rooms
            .joined
            .insert("!old".into(), Room::read("!old", [&tombstone]));
        let encryption = json!({ "type": "m.room.encryption", "state_key": "", "content": {} });
        let none: [Value; 0] = [];
        for (room, inviter, is_direct, state, expected) in [
            ("!r", "@ana:a", false, &none[..], Verdict::Accept),
            ("!r", "@bo:a", false, &none, Verdict::Decline),
            ("!r", "@bo:a", true, &none, Verdict::AcceptDirect),
            ("!r", "@eve:b", true, &none, Verdict::Decline),
            ("!new", "@bo:a", false, &none, Verdict::Accept),
            ("!new", "@eve:b", false, &none, Verdict::Decline),
            ("!space", "@eve:b", false, &none, Verdict::Accept),
            (
                "!r",
                "@ana:a",
                false,
                std::slice::from_ref(&encryption),
                Verdict::Encrypted,
            ),
            (
                "!r",
                "@bo:a",
                true,
                std::slice::from_ref(&encryption),
                Verdict::Encrypted,
            ),
            (
                "!r",
                "@eve:b",
                true,
                std::slice::from_ref(&encryption),
                Verdict::Decline,
            ),
        ] {
            let invitation = Invitation {
                room: Room::read(room, state),
                inviter: inviter.into(),
                is_direct,
            };
            let found = judge(&invitation, &people, &rooms, "!space");
            assert_eq!(found, expected, "{room} {inviter} {is_direct}");
        }
    }
}
