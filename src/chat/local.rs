//! The embedded platform: the directory in the database, with its messages, topics and user groups.

use super::Chat;
use crate::domain::chat::{Manners, Recipient, Trouble};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::domain::wording::one_line;
use crate::store::{self, Fault, ReadTx, Store};
use std::sync::Arc;

/// As long as Slack lets a topic be, so that what is tried here looks the same there.
const LONGEST_TOPIC: usize = 250;

/// As long as people read.
const LONGEST_MESSAGE: usize = 4_000;

/// The platform of one database.
pub struct Local(Arc<Store>);

impl Local {
    /// The platform whose directory a database holds.
    pub fn new(store: Arc<Store>) -> Local {
        Local(store)
    }

    fn read<T>(
        &self,
        act: impl FnOnce(&ReadTx) -> Result<Result<T, Trouble>, Fault>,
    ) -> Result<T, Trouble> {
        let read = self.0.read(act);
        read.unwrap_or_else(|fault| Err(Trouble::Later(fault.to_string())))
    }

    fn channel(&self, id: &ChannelId) -> Result<store::Channel, Trouble> {
        self.read(|tx| {
            let found = store::load_channel(tx, id)?;
            Ok(match found {
                Some(channel) if channel.app_is_member => Ok(channel),
                Some(_) => Err(Trouble::Gone(format!(
                    "the app is not in the channel `{id}`"
                ))),
                None => Err(Trouble::Gone(format!("there is no channel `{id}`"))),
            })
        })
    }

    fn group(&self, id: &GroupId) -> Result<store::Group, Trouble> {
        self.read(|tx| {
            let gone = || Trouble::Gone(format!("there is no user group `{id}`"));
            Ok(store::load_group(tx, id)?.ok_or_else(gone))
        })
    }
}

impl Chat for Local {
    fn manners(&self) -> Manners {
        Manners {
            no_binding: None,
            no_creating: None,
            holds_empty_groups: true,
            longest_topic: LONGEST_TOPIC,
            longest_message: LONGEST_MESSAGE,
        }
    }

    fn handle(&self, _: &UserId, name: &str) -> String {
        format!("@{}", one_line(name))
    }

    fn plain(&self, text: &str) -> String {
        one_line(text)
    }

    fn post(&self, to: &Recipient, _: &str, _: &str) -> Result<(), Trouble> {
        match to {
            Recipient::Channel(channel) => self.channel(channel).map(drop),
            Recipient::Person(user) => self.read(|tx| {
                let gone = || Trouble::Gone(format!("nobody in the workspace has the id `{user}`"));
                Ok(store::is_present(tx, user)?.then_some(()).ok_or_else(gone))
            }),
        }
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, Trouble> {
        Ok(self.channel(channel)?.topic.unwrap_or_default())
    }

    fn set_topic(&self, channel: &ChannelId, _: &str) -> Result<(), Trouble> {
        self.channel(channel).map(drop)
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, Trouble> {
        self.read(|tx| Ok(Ok(store::find_group(tx, handle)?)))
    }

    fn make_group(&self, _: &str, _: &str) -> Result<GroupId, Trouble> {
        Ok(GroupId::from(format!(
            "grp_{:024x}",
            rand::random::<u128>() >> 32
        )))
    }

    fn people(&self, group: &GroupId) -> Result<Vec<UserId>, Trouble> {
        self.group(group)?;
        self.read(|tx| Ok(Ok(store::list_group_people(tx, group)?)))
    }

    fn set_people(&self, group: &GroupId, _: &[UserId]) -> Result<(), Trouble> {
        self.group(group).map(drop)
    }

    fn set_disabled(&self, group: &GroupId, _: bool) -> Result<(), Trouble> {
        self.group(group).map(drop)
    }
}
