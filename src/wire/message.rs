//! Messages, and what people are mailed (rules.md 19).

use super::body;
use super::moment::Moment;
use super::notice::Moved;
use super::strict::strict;
use crate::domain::message::MessageKind;
use crate::domain::refusal::Refusal;
use crate::domain::relay::{self, MessageState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(NotificationSettingsRequest => NotificationSettings);

/// How a message reached its recipient.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reached {
    /// `inbox`, `mail`, `incomingWebhook`, or `platform` for a chat platform such as Slack.
    #[schemars(extend("enum" = ["inbox", "mail", "incomingWebhook", "platform"]))]
    pub by: &'static str,
    pub at: Moment,
}

/// A message to a channel or a person. It has either `channelId` or `userId`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// `msg_...`.
    pub id: String,
    /// When it was queued.
    pub at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// The person of a direct message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// It may have been deleted since.
    pub rotation_id: String,
    /// Null for a message of an earlier version.
    pub kind: Option<MessageKind>,
    pub text: String,
    pub state: MessageState,
    pub reached: Vec<Reached>,
    /// Why it waits for a retry, or was dropped.
    pub error: Option<String>,
    /// What moved, in messages of kind `shiftsMoved` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}

/// What a person is mailed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationSettings {
    /// Whether they are mailed at all.
    pub mail: bool,
    /// The kinds of direct messages that are mailed.
    pub kinds: Vec<MessageKind>,
}

/// Renders settings.
pub fn notifications(settings: &relay::NotificationSettings) -> NotificationSettings {
    NotificationSettings {
        mail: settings.mail,
        kinds: settings.kinds.to_vec(),
    }
}

/// What a person is to be mailed. Replaces both settings.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationSettingsRequest {
    /// Whether they are mailed at all.
    mail: bool,
    /// The kinds of direct messages that are mailed: `onDuty`, `offDuty`, `comingUp`, `nobody`, `coverAsked`,
    /// `coverAnswered`, `swapAsked`, `swapAnswered`, `mention`, `mentionAnswered`, `handOver`, `shiftsMoved`,
    /// `summary`, `weekAhead`, `changeFailed`.
    kinds: Vec<String>,
}

/// Reads settings.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn read_notifications(bytes: &[u8]) -> Result<relay::NotificationSettings, Refusal> {
    let request: NotificationSettingsRequest = body::parse(bytes)?;
    relay::NotificationSettings::parse(request.mail, &request.kinds)
}
