//! Webhook endpoints (api.md "Webhook endpoint", "POST /v1/webhooks"; contract section 16, "Registration").

#[cfg(test)]
mod tests;

use super::body::{self, check_length, invalid, present};
use super::int32::Int32;
use super::moment::Moment;
use super::words::{names, words};
use crate::domain::refusal::Refusal;
use crate::domain::webhook::{self as domain, DisabledReason, PreviousSecret, Webhook};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The longest name, in characters (api.md "Limits").
const NAME: usize = 100;

/// The grace of a rotated-out secret in seconds: a day unless it is said, a week at most.
const GRACE: i32 = 24 * 60 * 60;
const LONGEST_GRACE: i32 = 7 * GRACE;

names! {
    /// A type of event that endpoints subscribe to.
    SubscribableEventType(domain::EventType) of domain::EventType::SUBSCRIBABLE
}

names! {
    /// Why an endpoint is disabled.
    WebhookDisabledReason(DisabledReason) of [
        DisabledReason::Manual,
        DisabledReason::DeliveryFailures,
        DisabledReason::TierDowngrade,
    ]
}

words! {
    /// Whether events are sent to an endpoint.
    WebhookState {
        Enabled = "enabled",
        /// Nothing is sent, and new events are not queued.
        Disabled = "disabled",
    }
}

/// A destination for the events of every rotation in the workspace, later ones included. The signing secret is never
/// part of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEndpoint {
    pub id: String,
    /// Label of the receiving system; never used for lookup.
    pub name: String,
    /// Where events are posted, as it is dialled.
    pub url: String,
    /// Those that are sent; empty means none but test events.
    pub event_types: Vec<SubscribableEventType>,
    pub state: WebhookState,
    /// Absent while enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<WebhookDisabledReason>,
    /// The secret that signs now.
    pub current_secret_id: Option<String>,
    pub current_secret_created_at: Option<Moment>,
    /// The outgoing secret, which signs as well; absent outside the grace of a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_secret_id: Option<String>,
    /// When the outgoing secret stops signing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_secret_expires_at: Option<Moment>,
    pub created_at: Moment,
    /// Null until the first change.
    pub updated_at: Option<Moment>,
}

/// An endpoint and the secret that it signs with. Not `Debug`: the secret stays out of logs.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookWithSecret")]
pub struct WithSecret {
    pub endpoint: WebhookEndpoint,
    /// `svc_whsec_...`, whole as deliveries are signed with it. It is shown this once; a lost one is rotated.
    pub signing_secret: String,
}

/// Renders an endpoint as it stands at an instant.
pub fn render(webhook: &Webhook, now: Timestamp) -> WebhookEndpoint {
    let previous = webhook.previous_at(now);
    let disabled = webhook.disabled.as_ref();
    WebhookEndpoint {
        id: webhook.id.to_string(),
        name: webhook.name.clone(),
        url: webhook.url.clone(),
        event_types: webhook
            .event_types
            .iter()
            .map(|kind| SubscribableEventType(*kind))
            .collect(),
        state: match disabled {
            Some(_) => WebhookState::Disabled,
            None => WebhookState::Enabled,
        },
        disabled_reason: disabled.map(|disabled| WebhookDisabledReason(disabled.reason)),
        current_secret_id: Some(webhook.current.id.to_string()),
        current_secret_created_at: Some(webhook.current.created_at.into()),
        previous_secret_id: previous.map(|previous| previous.id.to_string()),
        previous_secret_expires_at: previous
            .map(|PreviousSecret { expires_at, .. }| Moment(*expires_at)),
        created_at: webhook.created_at.into(),
        updated_at: webhook.updated_at.map(Moment),
    }
}

/// Renders an endpoint with the secret that was just made.
pub fn with_secret(webhook: &Webhook, now: Timestamp) -> WithSecret {
    WithSecret {
        endpoint: render(webhook, now),
        signing_secret: webhook.current.secret.0.clone(),
    }
}

/// An endpoint to register.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRequest {
    /// 1 to 100 characters, not blank and none of them a control character.
    name: String,
    /// An https URL that resolves to public addresses. Credentials and a fragment in it are removed.
    url: String,
    /// Those to be sent, duplicates count once. Omitted: none.
    #[serde(default)]
    #[schemars(with = "Vec<SubscribableEventType>")]
    event_types: Vec<String>,
}

/// What replaces name, URL and event types of an endpoint together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookReplaceRequest {
    /// 1 to 100 characters, not blank and none of them a control character.
    name: String,
    /// An https URL that resolves to public addresses. Credentials and a fragment in it are removed.
    url: String,
    /// Those to be sent, duplicates count once; empty unsubscribes from everything.
    #[schemars(with = "Vec<SubscribableEventType>")]
    event_types: Vec<String>,
}

/// Reads an endpoint to register. `target` makes the URL that is dialled of the one sent, or refuses it.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member, [`Refusal::EventTypeUnknown`], [`Refusal::EventTypeNotSubscribable`] and
/// what `target` refuses.
pub fn new_webhook(bytes: &[u8], target: impl FnOnce(&str) -> Target) -> Spec {
    let request: WebhookRequest = body::parse(bytes)?;
    spec(request.name, &request.url, &request.event_types, target)
}

/// Reads what replaces an endpoint.
///
/// # Errors
/// As [`new_webhook`].
pub fn replacement(bytes: &[u8], target: impl FnOnce(&str) -> Target) -> Spec {
    let request: WebhookReplaceRequest = body::parse(bytes)?;
    spec(request.name, &request.url, &request.event_types, target)
}

/// A URL as it is dialled, or why it cannot be.
pub type Target = Result<String, Refusal>;

/// What a body asks for, or why it cannot be.
pub type Spec = Result<domain::WebhookSpec, Refusal>;

fn spec(name: String, url: &str, types: &[String], target: impl FnOnce(&str) -> Target) -> Spec {
    if name.trim().is_empty() {
        return invalid(format!(
            "name: send 1 to {NAME} characters that are not all blank"
        ));
    }
    check_length("name", Some(&name), NAME)?;
    body::check_name("name", Some(&name))?;
    Ok(domain::WebhookSpec {
        name,
        url: target(url)?,
        event_types: event_types(types)?,
    })
}

/// Each once, in the order of the domain.
fn event_types(names: &[String]) -> Result<Vec<domain::EventType>, Refusal> {
    let mut types = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        match domain::EventType::parse(name) {
            Some(domain::EventType::WebhookTest) => {
                return Err(Refusal::EventTypeNotSubscribable(format!(
                    "eventTypes[{index}]: `{name}` is sent on request alone; leave it out"
                )));
            }
            Some(kind) => types.insert(kind),
            None => {
                let known = domain::EventType::SUBSCRIBABLE.map(domain::EventType::name);
                return Err(Refusal::EventTypeUnknown(format!(
                    "eventTypes[{index}]: send one of `{}`",
                    known.join("` `")
                )));
            }
        };
    }
    Ok(types.into_iter().collect())
}

/// How the signing secret is to be rotated.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotateSecretRequest {
    /// How long the outgoing secret signs beside the new one, in seconds: 0 to 604800, by default 86400.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    grace_seconds: Option<Int32>,
}

/// Reads how long the outgoing secret goes on signing; no body is a day.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn grace(bytes: &[u8]) -> Result<SignedDuration, Refusal> {
    let request: RotateSecretRequest = body::parse_optional(bytes)?;
    match request.grace_seconds.map_or(GRACE, |seconds| seconds.0) {
        seconds @ 0..=LONGEST_GRACE => Ok(SignedDuration::from_secs(seconds.into())),
        seconds => invalid(format!(
            "graceSeconds: send a whole number from 0 to {LONGEST_GRACE}, not {seconds}"
        )),
    }
}
