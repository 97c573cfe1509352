//! The people, user groups and channels of the chat workspace.

use super::ids::{ChannelId, GroupId, UserId};
use super::zones::ZoneName;
use crate::domain::words::words;
use std::collections::BTreeMap;

words! {
    /// Where the record of a person, a user group or a channel comes from.
    pub enum Source {
        /// A directory file.
        File = "file",
        /// A page or the API.
        Page = "page",
        /// Provisioning by SCIM.
        Scim = "scim",
        /// The first sign-in at the identity provider.
        SignIn = "signIn",
        Slack = "slack",
        Matrix = "matrix",
    }
}

/// A person of the chat workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub id: UserId,
    pub team_id: String,
    pub display_name: Option<String>,
    pub real_name: Option<String>,
    pub email: Option<String>,
    pub is_guest: bool,
    pub is_external: bool,
    /// Deactivated, or removed from the platform. The row is kept so that the id resolves.
    pub is_deleted: bool,
    /// Whether they administer the workspace.
    pub is_admin: bool,
    pub avatar_url: Option<String>,
    pub time_zone: Option<String>,
    /// What they are called in channels: letters, digits, `.`, `-` and `_`.
    pub handle: Option<String>,
    pub source: Source,
    /// Whether the time zone was set here, so that what the chat platform says of it no longer counts.
    pub zone_is_own: bool,
}

impl Person {
    /// The name for display: the display name, otherwise the real name, otherwise the id.
    pub fn name(&self) -> &str {
        let named = self.display_name.as_deref().or(self.real_name.as_deref());
        named.unwrap_or(self.id.as_str())
    }

    /// Their time zone, unless the platform does not say it or says one that is not known here.
    pub fn zone(&self) -> Option<ZoneName> {
        ZoneName::parse(self.time_zone.as_deref()?).ok()
    }

    /// Whether they count in the workspace: not deactivated, and not from outside.
    pub fn is_active(&self) -> bool {
        !self.is_deleted && !self.is_external
    }

    /// As the chat platform has them, with what was set here: it wins over what is read.
    pub fn keeping(self, before: &Person) -> Person {
        Person {
            handle: before.handle.clone(),
            time_zone: match before.zone_is_own {
                true => before.time_zone.clone(),
                false => self.time_zone,
            },
            zone_is_own: before.zone_is_own,
            ..self
        }
    }
}

/// A chat user group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: GroupId,
    pub team_id: String,
    pub name: Option<String>,
    pub handle: Option<String>,
    /// Its people in order. Loaded only with the whole [`Directory`]; otherwise empty.
    pub users: Vec<UserId>,
    pub source: Source,
}

/// A chat channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    pub team_id: String,
    pub name: Option<String>,
    pub is_private: bool,
    /// Whether rota is a member, so that it can post.
    pub app_is_member: bool,
    /// In an imported directory, `None` keeps the topic.
    pub topic: Option<String>,
    pub source: Source,
}

impl Channel {
    /// Whether rota can see the channel: not if it is private and rota is not a member.
    pub fn is_reachable(&self) -> bool {
        self.app_is_member || !self.is_private
    }
}

/// The content of an import or export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    pub team: Team,
    pub people: Vec<Person>,
    pub groups: Vec<Group>,
    pub channels: Vec<Channel>,
    /// The handles of people behind the incoming webhooks of channels, by person and channel.
    pub handles: Vec<Handle>,
    /// Telephone numbers. They are no part of a [`Person`], so that nothing that shows people shows them.
    pub phones: BTreeMap<UserId, String>,
}

/// The handle of a person behind the incoming webhook of a channel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    pub user: UserId,
    pub channel: ChannelId,
    /// Without the `@`: letters, digits, `.`, `-` and `_`.
    pub handle: String,
}

/// The chat workspace of this installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    pub id: String,
    pub name: Option<String>,
    pub domain: Option<String>,
}
