//! A platform that misbehaves on command, around another one: what `rota dev` puts before the embedded platform, so that
//! people can see what becomes of duty when chat is down.

use super::Chat;
use crate::domain::chat::{Manners, Mood, Recipient, Trouble};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use std::sync::{Arc, Mutex, PoisonError};

/// A mood to be set while the platform is in use.
#[derive(Clone, Default)]
pub struct Temper(Arc<Mutex<Mood>>);

impl Temper {
    /// How the platform behaves now.
    pub fn mood(&self) -> Mood {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How it behaves from now on.
    pub fn set(&self, mood: Mood) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = mood;
    }
}

/// The platform around which the moods are.
pub struct Moody {
    inner: Arc<dyn Chat>,
    temper: Temper,
}

impl Moody {
    /// Puts moods around a platform.
    pub fn around(inner: Arc<dyn Chat>, temper: Temper) -> Moody {
        Moody { inner, temper }
    }

    /// The mood, endured: what it answers about something of that id.
    fn endure(&self, id: &str) -> Result<(), Trouble> {
        let mood = self.temper.mood();
        if !mood.delay.is_zero() {
            std::thread::sleep(mood.delay);
        }
        if let Some(failure) = mood.failure {
            return Err(failure);
        }
        match mood.forgotten.iter().any(|forgotten| forgotten == id) {
            true => Err(Trouble::Gone(format!("there is no `{id}`"))),
            false => Ok(()),
        }
    }

    fn endure_group(&self, id: &str) -> Result<(), Trouble> {
        self.endure(id)?;
        match self.temper.mood().no_groups {
            Some(why) => Err(Trouble::Refused(why)),
            None => Ok(()),
        }
    }
}

impl Chat for Moody {
    fn manners(&self) -> Manners {
        let (mood, inner) = (self.temper.mood(), self.inner.manners());
        Manners {
            no_binding: mood.no_groups.clone().or(inner.no_binding),
            no_creating: mood.no_groups.or(inner.no_creating),
            holds_empty_groups: mood.holds_empty_groups && inner.holds_empty_groups,
            ..inner
        }
    }

    fn handle(&self, user: &UserId, name: &str) -> String {
        self.inner.handle(user, name)
    }

    fn plain(&self, text: &str) -> String {
        self.inner.plain(text)
    }

    fn post(&self, to: &Recipient, text: &str, key: &str) -> Result<(), Trouble> {
        self.endure(match to {
            Recipient::Channel(id) => id.as_str(),
            Recipient::Person(id) => id.as_str(),
        })?;
        self.inner.post(to, text, key)
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, Trouble> {
        self.endure(channel.as_str())?;
        self.inner.topic(channel)
    }

    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), Trouble> {
        self.endure(channel.as_str())?;
        self.inner.set_topic(channel, topic)
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, Trouble> {
        self.endure_group("")?;
        self.inner.find_group(handle)
    }

    fn make_group(&self, handle: &str, name: &str) -> Result<GroupId, Trouble> {
        self.endure_group("")?;
        self.inner.make_group(handle, name)
    }

    fn people(&self, group: &GroupId) -> Result<Vec<UserId>, Trouble> {
        self.endure_group(group.as_str())?;
        self.inner.people(group)
    }

    fn set_people(&self, group: &GroupId, people: &[UserId]) -> Result<(), Trouble> {
        self.endure_group(group.as_str())?;
        if people.is_empty() && !self.temper.mood().holds_empty_groups {
            return Err(Trouble::Refused("a user group cannot be empty".into()));
        }
        self.inner.set_people(group, people)
    }

    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), Trouble> {
        self.endure_group(group.as_str())?;
        self.inner.set_disabled(group, disabled)
    }
}
