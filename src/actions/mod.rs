//! One file a use case. Whoever asks (a request, the timer, a command), the same action runs, so a rule exists once.

pub mod absences;
mod acceptance;
pub mod answering;
pub mod arrangements;
pub mod assignments;
pub mod channels;
pub mod chat_status;
pub mod chat_sync;
pub mod covers;
pub mod creation;
pub mod deliveries;
pub mod dev_clock;
pub mod development;
pub mod directory;
mod draft;
pub mod due;
pub mod duty;
pub mod duty_group;
pub mod grid;
pub mod inbound;
pub mod keys;
mod membership;
pub mod mentions;
pub mod mutation;
mod notifications;
pub mod once;
mod outbox;
pub mod reads;
pub mod reminders;
mod request_writes;
pub mod requests;
pub mod retention;
pub mod rotations;
pub mod sending;
pub mod swaps;
pub mod tier;
pub mod webhooks;

use crate::chat::{Chat, Local};
use crate::client::guard::{GuardedClient, Rules};
use crate::client::{Tls, Trust};
use crate::domain::holidays::Calendar;
use crate::domain::ladder::Ladder;
use crate::domain::tiers::TierLimits;
use crate::metrics::Metrics;
use crate::runtime::background::{Runtime, Watch};
use crate::runtime::clock::Clock;
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, PoisonError, RwLock};

pub use crate::store::{Fault, Stop};

/// The loop that hands over on time.
pub const TIMER: &str = "timer";

/// The loop that starts the lanes of webhook endpoints.
pub const DELIVERY: &str = "delivery";

/// What every use case works on. Cheap to clone; all clones are the same workspace.
#[derive(Clone)]
pub struct App {
    store: Arc<Store>,
    calendar: Arc<Calendar>,
    clock: Arc<Clock>,
    limits: Arc<RwLock<TierLimits>>,
    outward: Arc<Outward>,
    chat: Arc<dyn Chat>,
    metrics: Arc<Metrics>,
    runtime: Arc<Runtime>,
}

/// What concerns receivers outside.
pub struct Outward {
    /// Where others reach this service, without a slash at its end.
    pub base_url: String,
    /// When deliveries are tried again.
    pub ladder: Ladder,
    /// Posts deliveries.
    pub webhook_client: GuardedClient,
    /// How long before they come on people are reminded; zero is never.
    pub reminder_before: SignedDuration,
}

/// How long before they come on people are reminded, where nothing else is set.
pub const REMINDER_BEFORE: SignedDuration = SignedDuration::from_hours(1);

impl Outward {
    /// With what applies where nothing is set: public receivers over https, the usual ladder.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn usual(base_url: &str) -> Result<Outward, String> {
        Ok(Outward {
            base_url: base_url.to_owned(),
            ladder: Ladder::default(),
            webhook_client: GuardedClient::new(&Tls::load(Trust::Bundled, None)?, Rules::default()),
            reminder_before: REMINDER_BEFORE,
        })
    }
}

impl App {
    /// Brings the parts together, with the embedded chat platform.
    pub fn new(
        store: Store,
        calendar: Calendar,
        clock: Arc<Clock>,
        limits: TierLimits,
        outward: Outward,
    ) -> App {
        let store = Arc::new(store);
        let runtime = Runtime::default();
        runtime.watch(store.heartbeat().clone(), Watch::Readiness);
        App {
            chat: Arc::new(Local::new(Arc::clone(&store))),
            store,
            calendar: Arc::new(calendar),
            clock,
            limits: Arc::new(RwLock::new(limits)),
            outward: Arc::new(outward),
            metrics: Arc::default(),
            runtime: Arc::new(runtime),
        }
    }

    /// The same with another chat platform, or something around the one that it has.
    pub fn with_chat(self, put: impl FnOnce(Arc<dyn Chat>) -> Arc<dyn Chat>) -> App {
        App {
            chat: put(Arc::clone(&self.chat)),
            ..self
        }
    }

    /// The chat platform.
    pub fn chat(&self) -> &dyn Chat {
        &*self.chat
    }

    /// How long before they come on people are reminded.
    pub fn reminder_before(&self) -> SignedDuration {
        self.outward.reminder_before
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Weekends and holidays.
    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The one clock.
    pub fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// The present instant, never before that of a write.
    pub fn now(&self) -> Timestamp {
        self.store.now()
    }

    /// The workspace's tier.
    pub fn tier_limits(&self) -> TierLimits {
        *self.limits.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where others reach this service, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.outward.base_url
    }

    /// When deliveries are tried again.
    pub fn ladder(&self) -> &Ladder {
        &self.outward.ladder
    }

    /// Posts deliveries.
    pub fn webhook_client(&self) -> &GuardedClient {
        &self.outward.webhook_client
    }

    /// What the program counts of itself.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The background threads, among them the storage.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    pub(in crate::actions) fn set_tier_limits(&self, limits: TierLimits) {
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = limits;
    }
}

#[cfg(test)]
mod tests;
