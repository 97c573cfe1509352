//! A wrapper around a platform that fails on request. `rota dev` wraps the local platform in it to show that hand-overs
//! continue while chat is down.

use super::{Chat, ListedGroup};
use crate::domain::chat::{Capabilities, ChatError, FailureMode};
use crate::domain::ids::{ChannelId, GroupId, MessageReference, UserId};
use crate::domain::message::{Message, Recipient};
use crate::domain::zones::ZoneName;
use std::sync::{Arc, Mutex, PoisonError};

/// Changes the failure mode at run time. Clones share the mode.
#[derive(Clone, Default)]
pub struct FailureControl(Arc<Mutex<FailureMode>>);

impl FailureControl {
    /// The current failure mode.
    pub fn mode(&self) -> FailureMode {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sets the failure mode.
    pub fn set(&self, mode: FailureMode) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }
}

/// A platform that fails according to a failure mode.
pub struct FaultyChat {
    inner: Arc<dyn Chat>,
    control: FailureControl,
}

impl FaultyChat {
    /// Wraps a platform.
    pub fn new(inner: Arc<dyn Chat>, control: FailureControl) -> FaultyChat {
        FaultyChat { inner, control }
    }

    /// Waits and fails according to the mode. `id` is the channel, person or user group of the call.
    fn fail(&self, id: &str) -> Result<(), ChatError> {
        let mode = self.control.mode();
        if !mode.delay.is_zero() {
            std::thread::sleep(mode.delay);
        }
        if let Some(failure) = mode.failure {
            return Err(failure);
        }
        match mode.forgotten.iter().any(|forgotten| forgotten == id) {
            true => Err(ChatError::NotFound(format!("there is no `{id}`"))),
            false => Ok(()),
        }
    }

    fn fail_group(&self, id: &str) -> Result<(), ChatError> {
        self.fail(id)?;
        match self.control.mode().no_groups {
            Some(why) => Err(ChatError::Refused(why)),
            None => Ok(()),
        }
    }
}

impl Chat for FaultyChat {
    fn capabilities(&self) -> Capabilities {
        let (mode, inner) = (self.control.mode(), self.inner.capabilities());
        Capabilities {
            no_binding: mode.no_groups.clone().or(inner.no_binding),
            no_creating: mode.no_groups.or(inner.no_creating),
            holds_empty_groups: mode.holds_empty_groups && inner.holds_empty_groups,
            ..inner
        }
    }

    fn is_embedded(&self) -> bool {
        self.inner.is_embedded()
    }

    fn name(&self, user: &UserId, name: &str) -> String {
        self.inner.name(user, name)
    }

    fn posts_by_storing(&self) -> bool {
        let mode = self.control.mode();
        let posts = mode.failure.is_none() && mode.delay.is_zero() && mode.forgotten.is_empty();
        posts && self.inner.posts_by_storing()
    }

    fn handle(&self, user: &UserId, name: &str) -> String {
        self.inner.handle(user, name)
    }

    fn plain(&self, text: &str) -> String {
        self.inner.plain(text)
    }

    fn post(
        &self,
        message: &Message,
        key: &str,
        reader: Option<ZoneName>,
    ) -> Result<MessageReference, ChatError> {
        self.fail(match &message.to {
            Recipient::Channel(id) => id.as_str(),
            Recipient::Person(id) => id.as_str(),
        })?;
        self.inner.post(message, key, reader)
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError> {
        self.fail(channel.as_str())?;
        self.inner.topic(channel)
    }

    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), ChatError> {
        self.fail(channel.as_str())?;
        self.inner.set_topic(channel, topic)
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError> {
        self.fail_group("")?;
        self.inner.find_group(handle)
    }

    fn create_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError> {
        self.fail_group("")?;
        self.inner.create_group(handle, name)
    }

    fn people(&self, group: &GroupId) -> Result<ListedGroup, ChatError> {
        self.fail_group(group.as_str())?;
        self.inner.people(group)
    }

    fn set_people(
        &self,
        group: &GroupId,
        present: &[UserId],
        people: &[UserId],
    ) -> Result<(), ChatError> {
        self.fail_group(group.as_str())?;
        if people.is_empty() && !self.control.mode().holds_empty_groups {
            return Err(ChatError::Refused("a user group cannot be empty".into()));
        }
        self.inner.set_people(group, present, people)
    }

    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), ChatError> {
        self.fail_group(group.as_str())?;
        self.inner.set_disabled(group, disabled)
    }
}
