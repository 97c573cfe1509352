//! Messages (rules.md 19).

use super::moment::Moment;
use super::notice::Moved;
use crate::domain::message::MessageKind;
use crate::domain::relay::MessageState;
use schemars::JsonSchema;
use serde::Serialize;

/// How a message reached its recipient.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reached {
    /// `inbox`, `mail`, `push`, `incomingWebhook`, or `platform` for a chat platform such as Slack.
    #[schemars(extend("enum" = ["inbox", "mail", "push", "incomingWebhook", "platform"]))]
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
    /// It may have been deleted since. Null for a message about all rotations.
    pub rotation_id: Option<String>,
    /// Null for a test, and for a message of an earlier version.
    pub kind: Option<MessageKind>,
    pub text: String,
    pub state: MessageState,
    pub reached: Vec<Reached>,
    /// Why it waits for a retry, or was dropped, on the way that failed last.
    pub error: Option<String>,
    /// What moved, in messages of kind `shiftsMoved` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}
