//! The people, user groups and channels of the chat workspace. Serialized they are as the API shows them.

use super::ids::{ChannelId, GroupId, UserId};
use super::zones::ZoneName;
use schemars::JsonSchema;
use serde::Serialize;

/// A person of the chat workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "User")]
pub struct Person {
    pub id: UserId,
    /// The owning workspace. It can differ under Slack's Enterprise Grid.
    pub team_id: String,
    pub display_name: Option<String>,
    pub real_name: Option<String>,
    /// Null if unknown, or if the installation may not read it.
    pub email: Option<String>,
    pub is_guest: bool,
    /// A person from a shared channel, who is never a workspace member.
    pub is_external: bool,
    /// Deactivated or missing from the last import. Still returned, so that ids resolve.
    pub is_deleted: bool,
    /// Whether they administer the workspace.
    #[serde(skip)]
    pub is_admin: bool,
    /// 192 pixels wide.
    pub avatar_url: Option<String>,
    /// An IANA zone name; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
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
}

/// A chat user group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub id: GroupId,
    /// The owning workspace.
    pub team_id: String,
    pub name: Option<String>,
    /// The @handle, without the sign.
    pub handle: Option<String>,
    /// Its people in order. Loaded only with the whole [`Directory`]; otherwise empty.
    #[serde(skip)]
    pub users: Vec<UserId>,
}

/// A chat channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    pub id: ChannelId,
    /// The owning workspace.
    pub team_id: String,
    pub name: Option<String>,
    pub is_private: bool,
    /// Whether rota is a member, so that it can post.
    #[serde(skip)]
    pub app_is_member: bool,
    /// In an imported directory, `None` keeps the topic.
    #[serde(skip)]
    pub topic: Option<String>,
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
