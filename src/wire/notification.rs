//! What people choose of how and when they are told (rules.md 19).

use super::body::{self, clearable, clearable_object};
use super::strict::strict;
use super::weekly::Weekly;
use crate::domain::lead::{Lead, Leads};
use crate::domain::message::MessageKind;
use crate::domain::notification::{NotificationChange, Notifications};
use crate::domain::refusal::Refusal;
use crate::domain::relay;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(NotificationSettingsRequest => NotificationSettings);

/// How and when a person is told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationSettings {
    /// Whether they are mailed at all.
    pub mail: bool,
    /// The kinds of direct messages that are mailed.
    pub kinds: Vec<MessageKind>,
    /// How long before their turns they are reminded, such as `15m`, `24h` or `7d`. Empty for never; null for when the server
    /// reminds everybody.
    pub remind_before: Option<Vec<String>>,
    /// When they get the summary of their next 14 days; null for never.
    pub summary: Option<Weekly>,
}

/// Renders settings.
pub fn render(settings: &Notifications) -> NotificationSettings {
    NotificationSettings {
        mail: settings.messages.mail,
        kinds: settings.messages.kinds.clone(),
        remind_before: settings.remind_before.as_ref().map(Leads::texts),
        summary: settings.summary.map(Weekly::from),
    }
}

/// How and when a person is to be told. `mail` and `kinds` are required; other members that are omitted stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationSettingsRequest {
    /// Whether they are mailed at all.
    mail: bool,
    /// The kinds of direct messages that are mailed: `onDuty`, `offDuty`, `comingUp`, `nobody`, `coverAsked`,
    /// `coverAnswered`, `swapAsked`, `swapAnswered`, `mention`, `mentionAnswered`, `handOver`, `shiftsMoved`,
    /// `summary`, `weekAhead`, `changeFailed`.
    kinds: Vec<String>,
    /// How long before each turn they are reminded: at most 5 durations from `5m` to `30d`. An empty list reminds never, null
    /// when the server reminds everybody. Of reminders that are within 5 minutes of an earlier one only that one is sent.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Vec<String>>")]
    remind_before: Option<Option<Vec<Lead>>>,
    /// When they get the summary of their next 14 days, in their time zone: their shifts in all rotations, who covers them,
    /// requests that wait for them, and when they are away. Null for never.
    #[serde(default, deserialize_with = "clearable_object")]
    #[schemars(with = "Option<Weekly>")]
    summary: Option<Option<Weekly>>,
}

/// Reads a change of settings.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn read(bytes: &[u8]) -> Result<NotificationChange, Refusal> {
    let request: NotificationSettingsRequest = body::parse(bytes)?;
    let leads = |sent: Option<Vec<Lead>>| sent.map(Leads::new).transpose();
    Ok(NotificationChange {
        messages: relay::NotificationSettings::parse(request.mail, &request.kinds)?,
        remind_before: request.remind_before.map(leads).transpose()?,
        summary: request.summary.map(|summary| summary.map(Into::into)),
    })
}
