//! Matrix behind the trait of chat platforms.

use super::answering::reaction_of;
use super::api::{Call, Matrix};
use super::content;
use super::power::Deed;
use super::seen::{encrypted, not_in, replaced};
use super::writes::Rank;
use crate::chat::{CallError, Chat, ListedGroup};
use crate::domain::chat::{Capabilities, ChatError};
use crate::domain::ids::{ChannelId, GroupId, MessageReference, UserId};
use crate::domain::message::{Message, QuestionOutcome, Recipient};
use crate::domain::wording::one_line;
use crate::domain::zones::ZoneName;
use serde_json::json;
use sha2::{Digest, Sha256};

/// As on Slack, so that a rotation shows the same on both.
const LONGEST_TOPIC: usize = 250;

impl Chat for Matrix {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            no_binding: None,
            no_creating: None,
            holds_empty_groups: true,
            longest_topic: LONGEST_TOPIC,
            longest_message: content::LONGEST,
        }
    }

    fn handle(&self, _: &UserId, name: &str) -> String {
        format!("@{}", one_line(name))
    }

    fn plain(&self, text: &str) -> String {
        one_line(text)
    }

    fn retries_refusals(&self) -> bool {
        false
    }

    fn post(
        &self,
        message: &Message,
        key: &str,
        reader: Option<ZoneName>,
    ) -> Result<MessageReference, ChatError> {
        let room = match &message.to {
            Recipient::Channel(id) => id.to_string(),
            Recipient::Person(user) => self.direct_room(user)?,
        };
        let content = content::message(message, reader);
        let event = self.put_message(&room, key, &content, Rank::Message)?;
        let keys: Vec<&str> = message.answers.iter().copied().map(reaction_of).collect();
        let reactions = self.react(&room, &event, &keys)?;
        let reference = [&[room, event][..], &reactions].concat();
        Ok(MessageReference::from(reference.join(" ")))
    }

    fn update(
        &self,
        reference: &MessageReference,
        message: &Message,
        standing: &QuestionOutcome,
        reader: Option<ZoneName>,
    ) -> Result<(), ChatError> {
        let mut parts = reference.as_str().split(' ');
        let (room, event) = (parts.next().unwrap_or_default(), parts.next());
        let event = event.unwrap_or_default();
        let content = content::answered(event, message, standing, reader);
        // Another outcome is another edit.
        let digest = Sha256::digest(content.to_string());
        let digest: String = digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let key = format!("edit.{event}.{digest}");
        self.put_message(room, &key, &content, Rank::Message)?;
        self.take_away(room, parts)
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError> {
        self.check_writable(channel.as_str())?;
        let found = self.state_of(channel.as_str(), "m.room.topic")?;
        let topic = found.and_then(|found| found["topic"].as_str().map(str::to_owned));
        Ok(topic.unwrap_or_default())
    }

    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), ChatError> {
        let room = channel.as_str();
        let body = json!({ "topic": topic });
        let call = Call::put(
            "state",
            &["v3", "rooms", room, "state", "m.room.topic", ""],
            &body,
        );
        let set = self.call(&call).map(drop);
        set.map_err(|error| self.refused(error, room, Deed::SetTopic))
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError> {
        self.find_by_handle(handle)
    }

    fn create_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError> {
        self.make_group(handle, name)
    }

    fn people(&self, group: &GroupId) -> Result<ListedGroup, ChatError> {
        self.list_group(group)
    }

    fn set_people(
        &self,
        group: &GroupId,
        present: &[UserId],
        people: &[UserId],
    ) -> Result<(), ChatError> {
        self.fill_group(group, present, people)
    }

    fn set_disabled(&self, _: &GroupId, _: bool) -> Result<(), ChatError> {
        // A room can be empty, so it never has to be disabled.
        Ok(())
    }
}

impl Matrix {
    /// Refuses a room that the account is not in, that is encrypted, or that was upgraded. Homeservers do not look inside: they
    /// would take a plain message in an encrypted room.
    pub(super) fn check_writable(&self, room: &str) -> Result<(), ChatError> {
        let called = || self.seen().called(room);
        match self.state_of(room, "m.room.encryption") {
            Ok(None) => {}
            Ok(Some(_)) => return Err(ChatError::Refused(encrypted(&called()))),
            Err(CallError::Refused(_)) => return Err(ChatError::NotFound(not_in(&called()))),
            Err(error) => return Err(error.into()),
        }
        match self.state_of(room, "m.room.tombstone")? {
            None => Ok(()),
            Some(_) => Err(ChatError::Refused(replaced(&called()))),
        }
    }
}
