//! Mentions, their settings, and the inbound webhook (rules.md 15).

use super::body::{self, clearable, invalid, present};
use super::chat::ids;
use super::int32::Int32;
use super::moment::Moment;
use super::strict::strict;
use crate::domain::edit::SettingsChange;
use crate::domain::fault::Fault;
use crate::domain::ids::UserId;
use crate::domain::mention as domain;
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(MentionSettingsRequest => MentionSettings);

/// A mention of whoever is on call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mention {
    pub id: String,
    pub rotation_id: String,
    /// The channel of the notices.
    pub channel_id: String,
    /// The person who mentioned the rotation.
    pub user_id: String,
    pub message: Option<String>,
    pub state: domain::MentionState,
    /// In the order in which they were notified.
    pub notified_user_ids: Vec<String>,
    /// The people who passed.
    pub passed_user_ids: Vec<String>,
    pub acknowledged_user_id: Option<String>,
    pub opened_at: Moment,
    /// When the mention expires without an answer.
    pub expires_at: Moment,
    /// Null while the mention is open.
    pub closed_at: Option<Moment>,
}

/// Renders a mention.
pub fn render(mention: &domain::Mention) -> Mention {
    Mention {
        id: mention.id.to_string(),
        rotation_id: mention.rotation.to_string(),
        channel_id: mention.channel.to_string(),
        user_id: mention.asker.to_string(),
        message: mention.message.clone(),
        state: mention.state,
        notified_user_ids: ids(&mention.notified),
        passed_user_ids: ids(&mention.passed),
        acknowledged_user_id: mention.acknowledged_by.as_ref().map(UserId::to_string),
        opened_at: mention.opened_at.into(),
        expires_at: mention.expires_at.into(),
        closed_at: mention.closed_at.map(Moment),
    }
}

/// The response to a mention opened through the inbound webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionOpened {
    pub mention_id: String,
    /// `nobody` if nobody is on call.
    pub state: domain::MentionState,
    pub notified_user_ids: Vec<String>,
}

/// Renders the response to an opened mention.
pub fn opened(mention: &domain::Mention) -> MentionOpened {
    MentionOpened {
        mention_id: mention.id.to_string(),
        state: mention.state,
        notified_user_ids: ids(&mention.notified),
    }
}

/// Reads a mention from query parameters.
///
/// # Errors
/// [`Refusal::Invalid`] naming the parameter.
pub fn new_mention(
    user: Option<&str>,
    channel: Option<&str>,
    message: Option<&str>,
) -> Result<domain::NewMention, Refusal> {
    let needed = |name: &str, what: &str, value: Option<&str>| match value {
        Some(value) if !value.is_empty() => Ok(value.to_owned()),
        _ => invalid(
            name,
            Fault::Missing(format!("send the id of {what}").into()),
        ),
    };
    let new = domain::NewMention {
        asker: needed("userId", "the person who asks", user)?.into(),
        channel: needed("channelId", "the channel to ask in", channel)?.into(),
        thread: None,
        message: message.map(str::to_owned),
    };
    new.checked()
}

/// How a rotation handles mentions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionSettings {
    /// Minutes until a mention without an answer expires.
    pub expires_after_minutes: i32,
    /// Minutes between notices; null sends one notice.
    pub remind_after_minutes: Option<i32>,
    /// Whether people on call are notified one after the other instead of all at once.
    pub one_at_a_time: bool,
    /// Whether an acknowledgement hands over to the next person.
    pub rotate_after_acknowledgement: bool,
}

/// Renders the settings.
pub fn settings(settings: &domain::MentionSettings) -> MentionSettings {
    let minutes = |minutes: u32| i32::try_from(minutes).unwrap_or(i32::MAX);
    MentionSettings {
        expires_after_minutes: minutes(settings.expires_after_minutes),
        remind_after_minutes: settings.remind_after_minutes.map(minutes),
        one_at_a_time: settings.one_at_a_time,
        rotate_after_acknowledgement: settings.rotate_after_acknowledgement,
    }
}

/// Changes to the mention settings. Omitted members stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionSettingsRequest {
    /// Minutes, 1 to 10,080 (a week).
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    expires_after_minutes: Option<Int32>,
    /// Minutes, 1 to 10,080; null sends one notice.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Int32>")]
    remind_after_minutes: Option<Option<Int32>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    one_at_a_time: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    rotate_after_acknowledgement: Option<bool>,
}

/// Reads changes to the mention settings.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn settings_change(bytes: &[u8]) -> Result<SettingsChange, Refusal> {
    body::parse::<MentionSettingsRequest>(bytes)?.read()
}

impl MentionSettingsRequest {
    pub(super) fn read(self) -> Result<SettingsChange, Refusal> {
        let change = SettingsChange {
            one_at_a_time: self.one_at_a_time,
            rotate_after_acknowledgement: self.rotate_after_acknowledgement,
            ..SettingsChange::default()
        };
        let reminds = self.remind_after_minutes;
        change.with_minutes(
            self.expires_after_minutes.map(|sent| sent.0),
            reminds.map(|sent| sent.map(|sent| sent.0)),
        )
    }
}

/// The inbound webhook of a rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboundWebhook {
    /// The base of the URL. Append `/rotate`, `/setonduty` or `/mention`.
    pub url: String,
    /// The value of the header `webhook-key`.
    pub key: String,
    /// When the key was created.
    pub created_at: Moment,
}
