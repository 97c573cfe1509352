//! Webhook endpoints (rules.md 16).

#[cfg(test)]
mod tests;

use super::body::{self, check_length, invalid, present};
use super::int32::Int32;
use super::moment::Moment;
use super::schema::shown;
use super::strict::strict;
use crate::domain::fault::Fault;
use crate::domain::refusal::Refusal;
use crate::domain::webhook::{self as domain, DisabledReason, PreviousSecret, Webhook};
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

strict! {
    WebhookRequest => WebhookEndpoint,
    WebhookReplaceRequest => WebhookEndpoint,
    RotateSecretRequest => WebhookEndpoint,
}

/// The longest name, in characters.
const NAME: usize = 100;

/// The default grace period of a previous secret: one day, in seconds. At most a week.
const GRACE: i32 = 24 * 60 * 60;
const LONGEST_GRACE: i32 = 7 * GRACE;

shown! {
    /// A type of event that endpoints can subscribe to.
    SubscribableEventType of domain::EventType::SUBSCRIBABLE
}

words! {
    /// Whether events are sent to an endpoint.
    pub enum WebhookState {
        Enabled = "enabled",
        /// Nothing is sent, and new events are not queued.
        Disabled = "disabled",
    }
}

/// A destination for events of every rotation in the workspace, including future ones. The signing secret is never
/// included.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEndpoint {
    pub id: String,
    /// A label for the receiving system; never used for lookup.
    pub name: String,
    /// The URL that events are posted to.
    pub url: String,
    /// The event types that are sent. If empty, only test events are sent.
    #[schemars(with = "Vec<SubscribableEventType>")]
    pub event_types: Vec<domain::EventType>,
    pub state: WebhookState,
    /// Absent while enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<DisabledReason>,
    /// The secret that signs deliveries.
    pub current_secret_id: Option<String>,
    pub current_secret_created_at: Option<Moment>,
    /// The previous secret, which also signs during the grace period. Absent outside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_secret_id: Option<String>,
    /// When the previous secret stops signing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_secret_expires_at: Option<Moment>,
    pub created_at: Moment,
    /// Null until the first change.
    pub updated_at: Option<Moment>,
}

/// An endpoint and its signing secret. Does not implement `Debug`, so that the secret stays out of logs.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookWithSecret")]
pub struct WithSecret {
    pub endpoint: WebhookEndpoint,
    /// The complete secret, `svc_whsec_...`. It is shown only once; rotate a lost secret.
    pub signing_secret: String,
}

/// Renders an endpoint as of an instant.
pub fn render(webhook: &Webhook, now: Timestamp) -> WebhookEndpoint {
    let previous = webhook.previous_at(now);
    let disabled = webhook.disabled.as_ref();
    WebhookEndpoint {
        id: webhook.id.to_string(),
        name: webhook.name.clone(),
        url: webhook.url.clone(),
        event_types: webhook.event_types.clone(),
        state: match disabled {
            Some(_) => WebhookState::Disabled,
            None => WebhookState::Enabled,
        },
        disabled_reason: disabled.map(|disabled| disabled.reason),
        current_secret_id: Some(webhook.current.id.to_string()),
        current_secret_created_at: Some(webhook.current.created_at.into()),
        previous_secret_id: previous.map(|previous| previous.id.to_string()),
        previous_secret_expires_at: previous
            .map(|PreviousSecret { expires_at, .. }| Moment(*expires_at)),
        created_at: webhook.created_at.into(),
        updated_at: webhook.updated_at.map(Moment),
    }
}

/// Renders an endpoint with a newly created secret.
pub fn with_secret(webhook: &Webhook, now: Timestamp) -> WithSecret {
    WithSecret {
        endpoint: render(webhook, now),
        signing_secret: webhook.current.secret.0.clone(),
    }
}

/// An endpoint to create.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRequest {
    /// 1 to 100 characters, not blank, without control characters.
    name: String,
    /// An https URL that resolves to public addresses. Credentials and fragments are removed.
    url: String,
    /// Event types to send; duplicates are ignored. Defaults to none.
    #[serde(default)]
    #[schemars(with = "Vec<SubscribableEventType>")]
    event_types: Vec<String>,
}

/// Replaces the name, URL and event types of an endpoint together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookReplaceRequest {
    /// 1 to 100 characters, not blank, without control characters.
    name: String,
    /// An https URL that resolves to public addresses. Credentials and fragments are removed.
    url: String,
    /// Event types to send; duplicates are ignored. Empty unsubscribes from all.
    #[schemars(with = "Vec<SubscribableEventType>")]
    event_types: Vec<String>,
}

/// Reads an endpoint to create. `target` validates the URL and returns its normal form.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member, [`Refusal::EventTypeUnknown`], [`Refusal::EventTypeNotSubscribable`], or the
/// refusal of `target`.
pub fn new_webhook(bytes: &[u8], target: impl FnOnce(&str) -> Target) -> Spec {
    let request: WebhookRequest = body::parse(bytes)?;
    spec(request.name, &request.url, &request.event_types, target)
}

/// Reads a replacement of an endpoint.
///
/// # Errors
/// As [`new_webhook`].
pub fn replacement(bytes: &[u8], target: impl FnOnce(&str) -> Target) -> Spec {
    let request: WebhookReplaceRequest = body::parse(bytes)?;
    spec(request.name, &request.url, &request.event_types, target)
}

/// The normal form of a URL, or the refusal.
pub type Target = Result<String, Refusal>;

/// A parsed endpoint, or the refusal.
pub type Spec = Result<domain::WebhookSpec, Refusal>;

fn spec(name: String, url: &str, types: &[String], target: impl FnOnce(&str) -> Target) -> Spec {
    if name.trim().is_empty() {
        return invalid("name", Fault::Blank { most: NAME });
    }
    check_length("name", Some(&name), NAME)?;
    body::check_name("name", Some(&name))?;
    Ok(domain::WebhookSpec {
        name,
        url: target(url)?,
        event_types: event_types(types)?,
    })
}

/// Parses event types, without duplicates and in the order of the domain.
fn event_types(names: &[String]) -> Result<Vec<domain::EventType>, Refusal> {
    let mut types = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        match domain::EventType::parse(name) {
            Some(domain::EventType::WebhookTest) => {
                return Err(Refusal::EventTypeNotSubscribable(
                    format!("eventTypes[{index}]").into(),
                    format!("`{name}` is only sent on request; omit it").into(),
                ));
            }
            Some(kind) => types.insert(kind),
            None => {
                let known = domain::EventType::SUBSCRIBABLE.map(domain::EventType::name);
                return Err(Refusal::EventTypeUnknown(
                    format!("eventTypes[{index}]").into(),
                    format!("send one of `{}`", known.join("` `")).into(),
                ));
            }
        };
    }
    Ok(types.into_iter().collect())
}

/// How to rotate the signing secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotateSecretRequest {
    /// How long the previous secret also signs, in seconds: 0 to 604800; defaults to 86400.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    grace_seconds: Option<Int32>,
}

/// Reads the grace period. An absent body means a day.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn grace(bytes: &[u8]) -> Result<SignedDuration, Refusal> {
    let request: RotateSecretRequest = body::parse_optional(bytes)?;
    match request.grace_seconds.map_or(GRACE, |seconds| seconds.0) {
        seconds @ 0..=LONGEST_GRACE => Ok(SignedDuration::from_secs(seconds.into())),
        seconds => invalid(
            "graceSeconds",
            format!("send a whole number from 0 to {LONGEST_GRACE}, not {seconds}"),
        ),
    }
}
