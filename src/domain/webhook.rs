//! Webhook endpoints, deliveries to them, and the attempts of each delivery (rules.md 16).

use super::ids::{DeliveryId, RotationId, SecretId, WebhookId};
use jiff::Timestamp;
use std::fmt;
use std::time::Duration;

/// Endpoints that a workspace may hold.
pub const MAX_WEBHOOKS: usize = 10;

/// A delivery with so many attempts is not sent again by hand: they are answered on one page, each with the whole body.
/// What its last ladder adds to them is bounded as well.
pub const MAX_ATTEMPTS: u32 = 200;

/// What a delivery tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventType {
    DutyChanged,
    NobodyOnCall,
    RotationCreated,
    RotationUpdated,
    RotationDeleted,
    /// Sent on request; nobody subscribes to it.
    WebhookTest,
}

impl EventType {
    /// Those that an endpoint may subscribe to.
    pub const SUBSCRIBABLE: [EventType; 5] = [
        EventType::DutyChanged,
        EventType::NobodyOnCall,
        EventType::RotationCreated,
        EventType::RotationUpdated,
        EventType::RotationDeleted,
    ];

    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            EventType::DutyChanged => "duty.changed",
            EventType::NobodyOnCall => "nobody.on_call",
            EventType::RotationCreated => "rotation.created",
            EventType::RotationUpdated => "rotation.updated",
            EventType::RotationDeleted => "rotation.deleted",
            EventType::WebhookTest => "webhook.test",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<EventType> {
        let mut all = EventType::SUBSCRIBABLE
            .into_iter()
            .chain([EventType::WebhookTest]);
        all.find(|kind| kind.name() == name)
    }
}

/// Why an endpoint is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledReason {
    Manual,
    DeliveryFailures,
    TierDowngrade,
}

impl DisabledReason {
    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            DisabledReason::Manual => "manual",
            DisabledReason::DeliveryFailures => "delivery_failures",
            DisabledReason::TierDowngrade => "plan_downgrade",
        }
    }

    /// The reason of that name.
    pub fn parse(name: &str) -> Option<DisabledReason> {
        use DisabledReason::{DeliveryFailures, Manual, TierDowngrade};
        [Manual, DeliveryFailures, TierDowngrade]
            .into_iter()
            .find(|reason| reason.name() == name)
    }
}

/// A signing secret, whole: `svc_whsec_...`. Never written to a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(pub String);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("svc_whsec_...")
    }
}

/// The secret that signs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentSecret {
    pub id: SecretId,
    pub secret: SigningSecret,
    pub created_at: Timestamp,
}

/// A rotated-out secret, which signs beside the current one until it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    pub id: SecretId,
    pub secret: SigningSecret,
    pub expires_at: Timestamp,
}

/// An endpoint: where events of every rotation in the workspace are posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub name: String,
    /// As it is dialled: without credentials and fragment.
    pub url: String,
    /// Each once, in the order of [`EventType`].
    pub event_types: Vec<EventType>,
    /// `None` while enabled.
    pub disabled: Option<Disabled>,
    pub current: CurrentSecret,
    /// Also one that has expired; see [`Webhook::previous_at`].
    pub previous: Option<PreviousSecret>,
    /// Starts at 1, rises with every change that is shown.
    pub version: u64,
    pub created_at: Timestamp,
    /// `None` until the first change.
    pub updated_at: Option<Timestamp>,
}

/// That an endpoint is disabled: why, and since when its deliveries are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disabled {
    pub reason: DisabledReason,
    pub since: Timestamp,
}

impl Webhook {
    /// The outgoing secret while it still signs.
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

/// An endpoint as a caller wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookSpec {
    /// 1 to 100 characters, not blank.
    pub name: String,
    /// As it will be dialled.
    pub url: String,
    /// Each once, in the order of [`EventType`].
    pub event_types: Vec<EventType>,
}

/// How far a delivery has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    Pending,
    Delivered,
    /// The ladder ended without a 2xx.
    Exhausted,
    Cancelled,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [DeliveryState; 4] = [
        DeliveryState::Pending,
        DeliveryState::Delivered,
        DeliveryState::Exhausted,
        DeliveryState::Cancelled,
    ];

    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryState::Pending => "pending",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Exhausted => "exhausted",
            DeliveryState::Cancelled => "cancelled",
        }
    }

    /// The state of that name.
    pub fn parse(name: &str) -> Option<DeliveryState> {
        DeliveryState::ALL
            .into_iter()
            .find(|state| state.name() == name)
    }
}

/// One event on its way to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub event_type: EventType,
    pub rotation: RotationId,
    pub state: DeliveryState,
    pub created_at: Timestamp,
    /// Attempts begun so far.
    pub attempts: u32,
    /// When the next one falls due; `None` once finished.
    pub due_at: Option<Timestamp>,
}

/// One send of a delivery, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    pub at: Timestamp,
    /// From 1.
    pub round: u32,
    /// Rounds of the ladder at that time.
    pub total_rounds: u32,
    /// As sent, in order.
    pub request_headers: Vec<(String, String)>,
    pub result: AttemptResult,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptResult {
    pub outcome: Outcome,
    /// `None` when nothing answered.
    pub status: Option<u16>,
    pub error: Option<SendError>,
    /// Real time; `None` when no request was made.
    pub duration: Option<Duration>,
    /// What the receiver sent, bounded; `None` when it sent nothing.
    pub snippet: Option<Snippet>,
    /// What the receiver asked for on 429 or 503, as it asked.
    pub retry_after_seconds: Option<i64>,
}

/// The beginning of an answer's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub truncated: bool,
}

/// What an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// Answered, but not 2xx.
    Failed,
    NoResponse,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 3] = [Outcome::Delivered, Outcome::Failed, Outcome::NoResponse];

    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Delivered => "delivered",
            Outcome::Failed => "failed",
            Outcome::NoResponse => "no_response",
        }
    }

    /// The outcome of that name.
    pub fn parse(name: &str) -> Option<Outcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }
}

/// Why an attempt ended, where no status explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    Timeout,
    Connection,
    SecureConnection,
    NameResolution,
    /// The status says where the receiver wanted it; redirects are not followed.
    RedirectNotFollowed,
    PrivateAddress,
    InvalidResponse,
    InvalidUrl,
    /// The process ended while the attempt was on the wire.
    Interrupted,
    Internal,
}

impl SendError {
    /// Every error.
    pub const ALL: [SendError; 10] = [
        SendError::Timeout,
        SendError::Connection,
        SendError::SecureConnection,
        SendError::NameResolution,
        SendError::RedirectNotFollowed,
        SendError::PrivateAddress,
        SendError::InvalidResponse,
        SendError::InvalidUrl,
        SendError::Interrupted,
        SendError::Internal,
    ];

    /// The name on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            SendError::Timeout => "timeout",
            SendError::Connection => "connection",
            SendError::SecureConnection => "secure_connection",
            SendError::NameResolution => "name_resolution",
            SendError::RedirectNotFollowed => "redirect_not_followed",
            SendError::PrivateAddress => "private_address",
            SendError::InvalidResponse => "invalid_response",
            SendError::InvalidUrl => "invalid_url",
            SendError::Interrupted => "interrupted",
            SendError::Internal => "internal",
        }
    }

    /// The error of that name.
    pub fn parse(name: &str) -> Option<SendError> {
        SendError::ALL
            .into_iter()
            .find(|error| error.name() == name)
    }
}
