//! What people choose of how and when they are told (rules.md 19).

use super::body::{self, clearable, clearable_object, present};
use super::moment::Moment;
use super::strict::strict;
use super::weekly::Weekly;
use crate::domain::lead::{Lead, Leads};
use crate::domain::message::MessageKind;
use crate::domain::notification::{
    self as domain, FailedWay, NotificationChange, Notifications, TestedWay,
};
use crate::domain::push::PushChange;
use crate::domain::refusal::Refusal;
use crate::domain::relay;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict! {
    NotificationSettingsRequest => NotificationSettings,
    PushRequest => Push,
}

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
    /// Where their messages are published as push; null for nowhere.
    pub push: Option<Push>,
    /// Whether their turns are mailed to them as invitations.
    pub invitations: bool,
    /// What failed last of what was sent to them; null if nothing did.
    pub last_failure: Option<LastFailure>,
}

/// A topic of an ntfy server. Nobody is shown its token.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Push {
    /// The address of the topic, shown to the person alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The host, shown to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// Something that could not be sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastFailure {
    pub by: FailedWay,
    pub at: Moment,
    pub error: String,
}

/// Renders settings, for the person themselves or for somebody else.
pub fn render(settings: &Notifications, is_own: bool) -> NotificationSettings {
    let push = settings.push.as_ref().map(|push| Push {
        url: is_own.then(|| push.url().to_owned()),
        host: (!is_own).then(|| push.host().to_owned()),
    });
    let failure = settings.last_failure.as_ref();
    let last_failure = failure.map(|failure| LastFailure {
        by: failure.by,
        at: failure.at.into(),
        error: failure.error.clone(),
    });
    NotificationSettings {
        mail: settings.messages.mail,
        kinds: settings.messages.kinds.clone(),
        remind_before: settings.remind_before.as_ref().map(Leads::texts),
        summary: settings.summary.map(Weekly::from),
        push,
        invitations: settings.invitations,
        last_failure,
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
    /// Where messages of the chosen kinds are published as push; null for nowhere. Only the person themselves may set it.
    #[serde(default, deserialize_with = "clearable_object")]
    #[schemars(with = "Option<PushRequest>")]
    push: Option<Option<PushRequest>>,
    /// Whether their turns are mailed to them as invitations (RFC 5546 and 6047), whatever `mail` says.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    invitations: Option<bool>,
}

/// A topic of an ntfy server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushRequest {
    /// `https://HOST/TOPIC`, or `https://HOST:PORT/TOPIC`, where the host has only public addresses. Omitted, the address stays.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    url: Option<String>,
    /// The access token, for a topic that needs one; null for none. Omitted, it stays as long as the address does.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    token: Option<Option<String>>,
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
        push: request
            .push
            .map(|push| push.map(|PushRequest { url, token }| PushChange { url, token })),
        invitations: request.invitations,
    })
}

/// What became of a test.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationTest {
    /// Every way that the person has.
    pub ways: Vec<WayTest>,
}

/// What became of a test on one way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WayTest {
    pub by: TestedWay,
    pub ok: bool,
    /// Why it was not sent.
    pub error: Option<String>,
}

/// Renders what became of a test.
pub fn tested(ways: Vec<domain::WayTest>) -> NotificationTest {
    let ways = ways.into_iter().map(|way| WayTest {
        by: way.by,
        ok: way.error.is_none(),
        error: way.error,
    });
    NotificationTest {
        ways: ways.collect(),
    }
}
