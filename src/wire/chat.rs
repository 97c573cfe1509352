//! On-duty groups and the chat state of a rotation (rules.md 14).

use super::body::{self, invalid};
use super::moment::Moment;
use super::strict::strict;
use crate::domain::edit::DutyGroupChoice;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(OnDutyGroupRequest => GroupStatus);

/// The chat user group that holds whoever is on call. Send exactly one member.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnDutyGroupRequest {
    /// The id of an existing user group to adopt.
    #[serde(default)]
    user_group_id: Option<String>,
    /// The handle of a user group: 1 to 80 letters, digits, `.`, `-` and `_`. The group is created if it does not exist.
    #[serde(default)]
    handle: Option<String>,
}

/// Reads an on-duty group.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn on_duty_group(bytes: &[u8]) -> Result<DutyGroupChoice, Refusal> {
    body::parse::<OnDutyGroupRequest>(bytes)?.read()
}

impl OnDutyGroupRequest {
    pub(super) fn read(self) -> Result<DutyGroupChoice, Refusal> {
        match (self.user_group_id, self.handle) {
            (Some(id), None) => DutyGroupChoice::group(&id),
            (None, Some(handle)) => DutyGroupChoice::handle(&handle),
            (Some(_), Some(_)) => {
                invalid("handle", "send either `userGroupId` or `handle`, not both")
            }
            (None, None) => invalid("userGroupId", "send either `userGroupId` or `handle`"),
        }
    }
}

/// Whether the platform can sync user groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Whether an existing user group can be adopted.
    pub can_bind: bool,
    /// Whether a user group can be created.
    pub can_create: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// The chat platform of the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatPlatform {
    /// `local`, `slack` or `matrix`.
    pub platform: &'static str,
    /// `up`; `down` while it does not answer; `paused` while it does not take the token.
    pub state: &'static str,
    /// Why it is not up, or why people, groups and channels could not be read; null without an error.
    pub last_error: Option<String>,
    /// When people, groups and channels were last read in full; null before, and on the local platform.
    pub last_sync_at: Option<Moment>,
    /// Whether what people say and click arrives now: over a socket, or on Matrix by waiting for it. Always false where it
    /// arrives at request URLs.
    pub socket_connected: bool,
}

/// The chat state of a rotation: desired state, last known state, and last error.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStatus {
    /// Null without an on-duty group.
    pub on_duty_group: Option<GroupStatus>,
    /// The channels whose topic names whoever is on call.
    pub topics: Vec<TopicStatus>,
    pub messages: MessageStatus,
    pub inbox_only: InboxOnly,
    /// On Matrix: channels in which nothing can be done, because rota is not in them, they are encrypted, or they were upgraded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_errors: Option<Vec<ChannelError>>,
    /// On Matrix: members and owners who have not joined their direct room. Messages wait there, and do not ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_joined: Option<Vec<String>>,
}

/// A channel in which nothing can be done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelError {
    pub channel_id: String,
    /// Why.
    pub error: String,
}

/// Whom messages of the rotation reach by the inbox and the list of messages alone. Empty on a chat platform.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboxOnly {
    /// Members and owners without mail.
    pub user_ids: Vec<String>,
    /// Channels without an incoming webhook.
    pub channel_ids: Vec<String>,
}

/// The on-duty group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupStatus {
    pub user_group_id: String,
    pub handle: Option<String>,
    /// Whether rota created the group. An adopted group keeps its name and owner.
    pub owned: bool,
    /// The people who should be in the group.
    pub wanted_user_ids: Vec<String>,
    /// The people who are in the group.
    pub user_ids: Vec<String>,
    /// On Matrix: those of them who are invited and have not accepted yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invited_user_ids: Option<Vec<String>>,
    /// Whether the group is disabled. Platforms without empty user groups disable it while nobody is on call.
    pub disabled: bool,
    pub in_step: bool,
    /// The last error since the group was in sync; null without one.
    pub last_error: Option<String>,
    /// When the next sync, or its retry, is due; null if none is.
    pub next_attempt_at: Option<Moment>,
}

/// The topic of one channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopicStatus {
    pub channel_id: String,
    /// The desired topic.
    pub wanted: Option<String>,
    /// The last known topic.
    pub topic: Option<String>,
    pub in_step: bool,
    /// The last error since the topic was in sync; null without one.
    pub last_error: Option<String>,
    /// When the next sync, or its retry, is due; null if none is.
    pub next_attempt_at: Option<Moment>,
}

/// The messages of the rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageStatus {
    /// Messages that failed at least once and will be retried.
    pub pending: i32,
    /// The error of the last message that was not sent or is being retried.
    pub last_error: Option<String>,
}

/// Converts ids to strings.
pub fn ids(people: &[UserId]) -> Vec<String> {
    people.iter().map(UserId::to_string).collect()
}
