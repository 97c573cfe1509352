//! Webhook endpoints, deliveries to them, and the attempts of each delivery (rules.md 16).

use super::ids::{DeliveryId, RotationId, SecretId, WebhookId};
use super::limits::check_title;
use super::refusal::{Refusal, invalid};
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// The maximum number of endpoints of a workspace.
pub const MAX_WEBHOOKS: usize = 10;

/// A delivery with this many attempts cannot be sent again by hand: its log is one page, with the whole body in each attempt.
/// The last retry schedule adds a bounded number.
pub const MAX_ATTEMPTS: u32 = 200;

words! {
    /// The type of event. Receivers must accept types that they do not know.
    pub enum EventType {
        DutyChanged = "duty.changed",
        NobodyOnCall = "nobody.on_call",
        RotationCreated = "rotation.created",
        RotationUpdated = "rotation.updated",
        RotationDeleted = "rotation.deleted",
        WebhookTest = "webhook.test",
    }
}

impl EventType {
    /// The types that an endpoint may subscribe to.
    pub const SUBSCRIBABLE: [EventType; 5] = [
        EventType::DutyChanged,
        EventType::NobodyOnCall,
        EventType::RotationCreated,
        EventType::RotationUpdated,
        EventType::RotationDeleted,
    ];
}

words! {
    /// Why an endpoint is disabled.
    pub enum DisabledReason as WebhookDisabledReason {
        Manual = "manual",
        DeliveryFailures = "delivery_failures",
        TierDowngrade = "plan_downgrade",
    }
}

/// A whole signing secret: `svc_whsec_...`. Never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(pub String);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("svc_whsec_...")
    }
}

/// The current signing secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentSecret {
    pub id: SecretId,
    pub secret: SigningSecret,
    pub created_at: Timestamp,
}

/// A rotated-out secret, which signs in addition to the current one until it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    pub id: SecretId,
    pub secret: SigningSecret,
    pub expires_at: Timestamp,
}

/// An endpoint, to which the events of all rotations in the workspace are posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub name: String,
    /// As it is requested: without credentials and fragment.
    pub url: String,
    /// Each once, in the order of [`EventType`].
    pub event_types: Vec<EventType>,
    /// `None` while enabled.
    pub disabled: Option<Disabled>,
    pub current: CurrentSecret,
    /// May have expired; see [`Webhook::previous_at`].
    pub previous: Option<PreviousSecret>,
    /// Starts at 1 and rises with every visible change.
    pub version: u64,
    pub created_at: Timestamp,
    /// `None` until the first change.
    pub updated_at: Option<Timestamp>,
}

/// Why an endpoint is disabled, and since when its deliveries are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disabled {
    pub reason: DisabledReason,
    pub since: Timestamp,
}

impl Webhook {
    /// The previous secret while it still signs.
    pub fn previous_at(&self, now: Timestamp) -> Option<&PreviousSecret> {
        self.previous
            .as_ref()
            .filter(|previous| now < previous.expires_at)
    }

    /// The secrets that sign at an instant, the current one first.
    pub fn secrets_at(&self, now: Timestamp) -> Vec<SigningSecret> {
        let previous = self.previous_at(now).map(|previous| &previous.secret);
        std::iter::once(&self.current.secret)
            .chain(previous)
            .cloned()
            .collect()
    }
}

/// The longest name of an endpoint, in characters.
const NAME: usize = 100;
/// How long the previous secret signs, in seconds.
const GRACE: i32 = 24 * 60 * 60;
const LONGEST_GRACE: i32 = 7 * GRACE;

/// The parameters of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookSpec {
    /// 1 to 100 characters, not blank.
    pub name: String,
    /// As it will be requested.
    pub url: String,
    /// Each once, in the order of [`EventType`].
    pub event_types: Vec<EventType>,
}

impl WebhookSpec {
    /// The parameters, if they keep the limits. `target` validates the URL and returns its normal form.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member, [`Refusal::EventTypeUnknown`], [`Refusal::EventTypeNotSubscribable`], or the
    /// refusal of `target`.
    pub fn new(
        name: String,
        url: &str,
        types: &[String],
        target: impl FnOnce(&str) -> Result<String, Refusal>,
    ) -> Result<WebhookSpec, Refusal> {
        check_title("name", &name, NAME)?;
        Ok(WebhookSpec {
            name,
            url: target(url)?,
            event_types: event_types(types)?,
        })
    }
}

/// Parses event types, without duplicates and in the order of the domain.
fn event_types(names: &[String]) -> Result<Vec<EventType>, Refusal> {
    let mut types = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        match EventType::parse(name) {
            Some(EventType::WebhookTest) => {
                return Err(Refusal::EventTypeNotSubscribable(
                    format!("eventTypes[{index}]").into(),
                    format!("`{name}` is only sent on request; omit it").into(),
                ));
            }
            Some(kind) => types.insert(kind),
            None => {
                let known = EventType::SUBSCRIBABLE.map(EventType::name);
                return Err(Refusal::EventTypeUnknown(
                    format!("eventTypes[{index}]").into(),
                    format!("send one of `{}`", known.join("` `")).into(),
                ));
            }
        };
    }
    Ok(types.into_iter().collect())
}

/// How long the previous secret goes on signing, in seconds; a day unless it is said.
///
/// # Errors
/// [`Refusal::Invalid`] where it is negative or longer than a week.
pub fn grace(seconds: Option<i32>) -> Result<SignedDuration, Refusal> {
    match seconds.unwrap_or(GRACE) {
        seconds @ 0..=LONGEST_GRACE => Ok(SignedDuration::from_secs(seconds.into())),
        seconds => invalid(
            "graceSeconds",
            format!("send a whole number from 0 to {LONGEST_GRACE}, not {seconds}"),
        ),
    }
}

words! {
    /// The state of a delivery: `pending` will be tried again, `exhausted` failed in every round.
    pub enum DeliveryState {
        Pending = "pending",
        Delivered = "delivered",
        Exhausted = "exhausted",
        Cancelled = "cancelled",
    }
}

/// The delivery of one event to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub event_type: EventType,
    pub rotation: RotationId,
    pub state: DeliveryState,
    pub created_at: Timestamp,
    /// Attempts started so far.
    pub attempts: u32,
    /// When the next attempt is due; `None` once finished.
    pub due_at: Option<Timestamp>,
}

/// A finished attempt of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    pub at: Timestamp,
    /// From 1.
    pub round: u32,
    /// Rounds of the retry schedule at that time.
    pub total_rounds: u32,
    /// As sent, in order.
    pub request_headers: Vec<(String, String)>,
    pub result: AttemptResult,
}

/// The outcome of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptResult {
    pub outcome: Outcome,
    /// `None` without a response.
    pub status: Option<u16>,
    pub error: Option<SendError>,
    /// Real time; `None` if no request was made.
    pub duration: Option<Duration>,
    /// The beginning of the response body; `None` if it is empty.
    pub snippet: Option<Snippet>,
    /// The Retry-After of a 429 or 503, as sent.
    pub retry_after_seconds: Option<i64>,
}

/// The beginning of a response body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub truncated: bool,
}

words! {
    /// The result of an attempt: `failed` got a response whose status is not 2xx.
    pub enum Outcome as AttemptOutcome {
        Delivered = "delivered",
        Failed = "failed",
        NoResponse = "no_response",
    }
}

words! {
    /// Why an attempt failed without a status that explains it. `interrupted`: the server stopped while the request was
    /// being sent.
    pub enum SendError as AttemptError {
        Timeout = "timeout",
        Connection = "connection",
        SecureConnection = "secure_connection",
        NameResolution = "name_resolution",
        RedirectNotFollowed = "redirect_not_followed",
        PrivateAddress = "private_address",
        InvalidResponse = "invalid_response",
        InvalidUrl = "invalid_url",
        Interrupted = "interrupted",
        Internal = "internal",
    }
}
