//! Answers to people: notices in reply, the reactions that answer for buttons, and calls for whoever is on call.

use super::api::{Call, Matrix};
use super::content::{self, Place};
use super::power::Deed;
use super::writes::Rank;
use crate::chat::CallError;
use crate::domain::chat::ChatError;
use crate::domain::ids::UserId;
use crate::domain::message::OfferedAnswer;
use serde_json::{Value, json};

/// Accepts or acknowledges.
pub const YES: &str = "✅";

/// Declines or passes.
pub const NO: &str = "❌";

/// Something that was posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    pub room: String,
    pub event: String,
    /// Our reactions below it.
    pub reactions: Vec<String>,
}

/// The reaction that gives an answer.
pub fn reaction_of(answer: OfferedAnswer) -> &'static str {
    match answer {
        OfferedAnswer::Accept | OfferedAnswer::Acknowledge => YES,
        OfferedAnswer::Decline | OfferedAnswer::Pass => NO,
    }
}

impl Matrix {
    /// Answers in HTML where something was said, once by its key. With `asks` both reactions stand below it.
    ///
    /// # Errors
    /// Those of every message.
    pub fn answer(
        &self,
        place: Place,
        html: &str,
        key: &str,
        asks: bool,
    ) -> Result<Posted, ChatError> {
        let content = content::notice(html, Some(place));
        self.post_notice(place.room, &content, key, asks)
    }

    /// Answers in HTML in a person's direct room, which is made if there is none.
    ///
    /// # Errors
    /// Those of every message.
    pub fn answer_directly(
        &self,
        user: &UserId,
        html: &str,
        key: &str,
        asks: bool,
    ) -> Result<Posted, ChatError> {
        let room = self.direct_room(user)?;
        self.post_notice(&room, &content::notice(html, None), key, asks)
    }

    fn post_notice(
        &self,
        room: &str,
        content: &Value,
        key: &str,
        asks: bool,
    ) -> Result<Posted, ChatError> {
        let event = self.put_message(room, key, content, Rank::Answer)?;
        let reactions = match asks {
            true => self.react(room, &event, &[YES, NO])?,
            false => Vec::new(),
        };
        Ok(Posted {
            room: room.to_owned(),
            event,
            reactions,
        })
    }

    /// Mentions whoever is on call, in the thread of what called them, and rings for them.
    ///
    /// # Errors
    /// Those of every message.
    pub fn ring(
        &self,
        place: Place,
        html: &str,
        people: &[UserId],
        key: &str,
    ) -> Result<(), ChatError> {
        let content = content::ringing(html, place, people);
        self.put_message(place.room, key, &content, Rank::Answer)
            .map(drop)
    }

    /// Tells a person in HTML in their direct room, and rings for them.
    ///
    /// # Errors
    /// Those of every message.
    pub fn ring_directly(&self, user: &UserId, html: &str, key: &str) -> Result<(), ChatError> {
        let room = self.direct_room(user)?;
        let content = content::rung(html, std::slice::from_ref(user));
        self.put_message(&room, key, &content, Rank::Answer)
            .map(drop)
    }

    /// Puts our reactions below a message. Where the room does not permit them, people answer in words.
    pub(super) fn react(
        &self,
        room: &str,
        event: &str,
        keys: &[&str],
    ) -> Result<Vec<String>, ChatError> {
        let mut reactions = Vec::new();
        for key in keys {
            let body = json!({
                "m.relates_to": { "rel_type": "m.annotation", "event_id": event, "key": key },
            });
            let name = if *key == YES { "yes" } else { "no" };
            let transaction = format!("rota.{name}.{event}");
            let segments = ["v3", "rooms", room, "send", "m.reaction", &transaction];
            match self.call(&Call::put("send", &segments, &body).rank(Rank::Message)) {
                Ok(sent) => reactions.extend(sent["event_id"].as_str().map(str::to_owned)),
                // It stands there already, or the room does not permit it.
                Err(CallError::Refused(refusal)) => {
                    log::info!("matrix: {room}: no reaction: {refusal}");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(reactions)
    }

    /// Takes our reactions away.
    ///
    /// # Errors
    /// Those of every message, save refusals: what cannot be taken away stays.
    pub fn take_away<'a>(
        &self,
        room: &str,
        reactions: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ChatError> {
        for reaction in reactions {
            let body = json!({});
            let transaction = format!("rota.away.{reaction}");
            let segments = ["v3", "rooms", room, "redact", reaction, &transaction];
            match self.call(&Call::put("redact", &segments, &body).rank(Rank::Message)) {
                Ok(_) => {}
                Err(CallError::Refused(refusal)) => {
                    log::info!("matrix: {room}: a reaction stays: {refusal}");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// How many are in a room, ourselves included.
    ///
    /// # Errors
    /// Those of every call.
    pub fn count_members(&self, room: &str) -> Result<usize, ChatError> {
        Ok(self.joined_of(room)?.len())
    }

    /// Whether nobody else is in the direct room of a person, which is made if there is none.
    ///
    /// # Errors
    /// Those of every message.
    pub fn is_alone_with(&self, user: &UserId) -> Result<bool, ChatError> {
        let room = self.direct_room(user)?;
        Ok(self.count_members(&room)? <= 2)
    }

    /// What a room is called.
    pub fn called(&self, room: &str) -> String {
        self.seen().called(room)
    }

    /// Which of these people are not in a room.
    ///
    /// # Errors
    /// Those of every call.
    pub fn not_in(&self, room: &str, people: &[UserId]) -> Result<Vec<UserId>, ChatError> {
        let joined = self.joined_of(room)?;
        let missing = people.iter().filter(|user| !joined.contains(user.as_str()));
        Ok(missing.cloned().collect())
    }

    fn joined_of(&self, room: &str) -> Result<std::collections::BTreeSet<String>, ChatError> {
        let call = Call::get("joined_members", &["v3", "rooms", room, "joined_members"]);
        let answer = self.call(&call);
        let answer = answer.map_err(|error| self.refused(error, room, Deed::Write))?;
        let joined = answer["joined"].as_object().into_iter().flatten();
        Ok(joined.map(|(user, _)| user.clone()).collect())
    }

    /// Whether a room is a direct one of ours.
    pub fn is_direct(&self, room: &str) -> bool {
        let seen = self.seen();
        seen.direct_rooms.contains(room) || seen.direct.values().any(|one| one.room == room)
    }

    /// The account's id and display name.
    ///
    /// # Errors
    /// Those of every call, before the homeserver has named it.
    pub fn own_names(&self) -> Result<(String, Option<String>), CallError> {
        let me = self.me()?;
        Ok((me, self.seen().own_name.clone()))
    }
}
