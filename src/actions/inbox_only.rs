//! Who is reached by nothing but the inbox.

use super::{App, Error};
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::rotation::Rotation;
use crate::relays::Relays;
use crate::store::{self, ReadTx};

/// People and channels that messages reach by the inbox alone, each once and in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxOnly {
    pub users: Vec<UserId>,
    /// Channels of which the messages are seen nowhere but in the list of messages.
    pub channels: Vec<ChannelId>,
}

impl InboxOnly {
    /// Whether everybody is reached.
    pub fn is_empty(&self) -> bool {
        self.users.is_empty() && self.channels.is_empty()
    }

    /// Adds those of another rotation.
    pub fn add(&mut self, other: InboxOnly) {
        self.users.extend(other.users);
        self.channels.extend(other.channels);
        self.users.sort();
        self.users.dedup();
        self.channels.sort();
        self.channels.dedup();
    }
}

/// Those of a rotation: its members and owners without mail and push, and its channels without an incoming webhook. Empty on a chat
/// platform, which people see.
pub fn of_rotation(tx: &ReadTx, app: &App, rotation: &Rotation) -> Result<InboxOnly, Error> {
    match app.chat().is_embedded() {
        true => with_relays(tx, app.relays(), rotation),
        false => Ok(InboxOnly::default()),
    }
}

/// As [`of_rotation`], on the local platform.
pub fn with_relays(tx: &ReadTx, relays: &Relays, rotation: &Rotation) -> Result<InboxOnly, Error> {
    let (profile, members) = (&rotation.profile, &rotation.members);
    let groups = members.groups.iter().flat_map(|group| &group.users);
    let mut users: Vec<UserId> = (members.users.iter().chain(groups))
        .chain(&profile.owners)
        .cloned()
        .collect();
    users.sort();
    users.dedup();
    let mut found = InboxOnly::default();
    for user in users {
        let Some(person) = store::load_person(tx, &user)?.filter(|person| !person.is_deleted)
        else {
            continue;
        };
        let settings = store::load_notification_settings(tx, &user)?;
        let has_address = person.email.is_some_and(|email| !email.trim().is_empty());
        let mailed = relays.mail.is_some() && settings.mail && !settings.kinds.is_empty();
        let pushed = store::load_push(tx, &user)?.is_some() && !settings.kinds.is_empty();
        if (!mailed || !has_address) && !pushed {
            found.users.push(user);
        }
    }
    let posting = profile
        .channels
        .iter()
        .filter(|channel| channel.posts_messages);
    let unseen = posting.filter(|channel| relays.webhook(&channel.channel).is_none());
    found.channels = unseen.map(|channel| channel.channel.clone()).collect();
    found.channels.sort();
    found.channels.dedup();
    Ok(found)
}
