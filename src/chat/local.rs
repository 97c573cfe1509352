//! The local platform: the directory in the database, with its topics and user groups. Its messages are the rows of the
//! message queue, rendered when they are read.

use super::{Chat, ListedGroup};
use crate::domain::chat::{Capabilities, ChatError};
use crate::domain::ids::{ChannelId, GroupId, MessageReference, UserId};
use crate::domain::message::{Message, Recipient};
use crate::domain::wording::one_line;
use crate::domain::zones::ZoneName;
use crate::store::{self, Error, ReadTx, Store};
use std::sync::Arc;

/// The limit of Slack, so that topics look the same on both platforms.
const LONGEST_TOPIC: usize = 250;

/// A generous limit: no message of rota comes near it.
const LONGEST_MESSAGE: usize = 4_000;

/// The local platform of one database.
pub struct Local(Arc<Store>);

impl Local {
    /// Creates the platform for a database.
    pub fn new(store: Arc<Store>) -> Local {
        Local(store)
    }

    fn read<T>(
        &self,
        act: impl FnOnce(&ReadTx) -> Result<Result<T, ChatError>, Error>,
    ) -> Result<T, ChatError> {
        let read = self.0.read(act);
        read.unwrap_or_else(|error| Err(ChatError::Unavailable(error.to_string())))
    }

    fn channel(&self, id: &ChannelId) -> Result<store::Channel, ChatError> {
        self.read(|tx| {
            let found = store::load_channel(tx, id)?;
            Ok(match found {
                Some(channel) if channel.app_is_member => Ok(channel),
                Some(_) => Err(ChatError::NotFound(format!(
                    "the app is not in the channel `{id}`"
                ))),
                None => Err(ChatError::NotFound(format!("there is no channel `{id}`"))),
            })
        })
    }

    fn group(&self, id: &GroupId) -> Result<store::Group, ChatError> {
        self.read(|tx| {
            let gone = || ChatError::NotFound(format!("there is no user group `{id}`"));
            Ok(store::load_group(tx, id)?.ok_or_else(gone))
        })
    }
}

impl Chat for Local {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            no_binding: None,
            no_creating: None,
            holds_empty_groups: true,
            longest_topic: LONGEST_TOPIC,
            longest_message: LONGEST_MESSAGE,
        }
    }

    fn is_embedded(&self) -> bool {
        true
    }

    fn posts_by_storing(&self) -> bool {
        true
    }

    fn handle(&self, _: &UserId, name: &str) -> String {
        format!("@{}", one_line(name))
    }

    fn plain(&self, text: &str) -> String {
        one_line(text)
    }

    fn post(
        &self,
        message: &Message,
        key: &str,
        _: Option<ZoneName>,
    ) -> Result<MessageReference, ChatError> {
        match &message.to {
            Recipient::Channel(channel) => self.channel(channel).map(drop),
            Recipient::Person(user) => self.read(|tx| {
                let gone =
                    || ChatError::NotFound(format!("nobody in the workspace has the id `{user}`"));
                Ok(store::is_present(tx, user)?.then_some(()).ok_or_else(gone))
            }),
        }?;
        Ok(MessageReference::from(key))
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError> {
        Ok(self.channel(channel)?.topic.unwrap_or_default())
    }

    fn set_topic(&self, channel: &ChannelId, _: &str) -> Result<(), ChatError> {
        self.channel(channel).map(drop)
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError> {
        self.read(|tx| Ok(Ok(store::find_group(tx, handle)?)))
    }

    fn create_group(&self, _: &str, _: &str) -> Result<GroupId, ChatError> {
        Ok(GroupId::from(format!(
            "grp_{:024x}",
            rand::random::<u128>() >> 32
        )))
    }

    fn people(&self, group: &GroupId) -> Result<ListedGroup, ChatError> {
        self.group(group)?;
        let people = self.read(|tx| Ok(Ok(store::list_group_people(tx, group)?)))?;
        Ok(ListedGroup {
            people,
            ..ListedGroup::default()
        })
    }

    fn set_people(&self, group: &GroupId, _: &[UserId], _: &[UserId]) -> Result<(), ChatError> {
        self.group(group).map(drop)
    }

    fn set_disabled(&self, group: &GroupId, _: bool) -> Result<(), ChatError> {
        self.group(group).map(drop)
    }
}
