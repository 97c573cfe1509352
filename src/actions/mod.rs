//! Use cases, one per file. Requests, the timer and commands run the same action, so each rule exists once.

pub mod absences;
pub mod acceptance;
mod agenda;
pub mod answering;
pub mod arrangements;
pub mod assignments;
pub mod audit;
pub mod backup;
pub mod boards;
pub mod calendar_feeds;
pub mod calendars;
pub mod changes;
pub mod channels;
pub mod chat_envelopes;
pub mod chat_ids;
pub mod chat_status;
pub mod chat_sync;
pub mod covers;
pub mod creation;
pub mod deliveries;
pub mod dev_clock;
pub mod development;
pub mod directory;
pub mod directory_edit;
pub mod directory_sync;
mod draft;
pub mod due;
pub mod duties;
pub mod duty;
pub mod duty_group;
mod duty_log;
mod edits;
pub mod explain;
pub mod first_run;
pub mod first_weeks;
pub mod grid;
pub mod identities;
pub mod import_schedule;
pub mod inbound;
pub mod inbox_only;
pub mod keys;
pub mod matrix_talk;
mod membership;
pub mod mentions;
pub mod messages;
pub mod mutation;
pub mod notification_settings;
pub mod notification_test;
mod notifications;
pub mod on_call_at;
pub mod once;
mod outbox;
pub mod overview;
pub mod partners;
pub mod people;
pub mod plan;
pub mod platform;
pub mod polling;
pub mod preview;
pub mod proposals;
pub mod provisioning;
pub mod reads;
pub mod relays;
pub mod reminders;
pub mod report;
mod request_writes;
pub mod requests;
pub mod retention;
pub mod rotations;
pub mod sending;
pub mod sessions;
pub mod shifts;
pub mod sign_ups;
pub mod slack_home;
pub mod status;
pub mod swaps;
pub mod tier;
pub mod told_plan;
pub mod trades;
pub mod warnings;
pub mod webhooks;
pub mod whole_turns;
mod workspace;

use crate::chat::matrix::{Matrix, MatrixSettings};
use crate::chat::slack::{Slack, SlackSettings};
use crate::chat::{Chat, Local, Remote};
use crate::client::guard::{GuardedClient, Rules};
use crate::client::{Tls, Trust};
use crate::domain::external::AsOf;
use crate::domain::holidays::Calendar;
use crate::domain::personal_calendar::READ_EVERY;
use crate::domain::retry_schedule::RetrySchedule;
use crate::domain::tiers::TierLimits;
use crate::metrics::Metrics;
use crate::relays::Relays;
use crate::runtime::background::{Runtime, Watch};
use crate::runtime::clock::Clock;
use crate::store::Store;
use calendars::InProgress;
use jiff::{SignedDuration, Timestamp};
use notification_test::RecentTests;
use partners::Partners;
use sign_ups::SignUps;
use std::sync::{Arc, PoisonError, RwLock};
use told_plan::{NoticeSettings, Notices};
use warnings::Warned;

pub use crate::store::{ActionError, Error};

/// The result of a use case.
pub type Result<T, E = ActionError> = std::result::Result<T, E>;

/// The loop that makes hand-overs on time.
pub const TIMER: &str = "timer";

/// The loop that starts the queues of webhook endpoints.
pub const DELIVERY: &str = "delivery";

/// The dependencies of every use case. Cheap to clone; all clones share one workspace.
#[derive(Clone)]
pub struct App {
    store: Arc<Store>,
    calendar: Arc<Calendar>,
    clock: Arc<Clock>,
    limits: Arc<RwLock<TierLimits>>,
    outward: Arc<Outward>,
    chat: Arc<dyn Chat>,
    remote: Option<Arc<dyn Remote>>,
    slack: Option<Arc<Slack>>,
    matrix: Option<Arc<Matrix>>,
    metrics: Arc<Metrics>,
    runtime: Arc<Runtime>,
    audit_kept: SignedDuration,
    partners: Arc<Partners>,
    warned: Arc<Warned>,
    calendar_readings: InProgress,
    recent_tests: Arc<RecentTests>,
    sign_ups: Arc<SignUps>,
    notices: Arc<Notices>,
}

/// Settings for outgoing messages and URLs.
pub struct Outward {
    /// The public URL of this server, without a trailing slash.
    pub base_url: String,
    /// The retry schedule of deliveries.
    pub retry_schedule: RetrySchedule,
    /// The client for deliveries.
    pub webhook_client: GuardedClient,
    /// How long before coming on duty people are reminded; zero never reminds.
    pub reminder_before: SignedDuration,
    /// Mail and incoming webhooks.
    pub relays: Relays,
    /// The client for calendars of people. Its lookups never delay a delivery.
    pub calendar_client: GuardedClient,
    /// How often calendars are read.
    pub calendars_read_every: SignedDuration,
}

/// The default of [`Outward::reminder_before`].
pub const REMINDER_BEFORE: SignedDuration = SignedDuration::from_hours(1);

/// How long audit entries are kept, where nothing else is set: a year, and time to look back at it.
pub const AUDIT_KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);

impl Outward {
    /// The defaults: public receivers over https, the default retry schedule.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn usual(base_url: &str) -> Result<Outward, String> {
        let tls = Tls::load(Trust::Bundled, None)?;
        Ok(Outward {
            base_url: base_url.to_owned(),
            retry_schedule: RetrySchedule::default(),
            webhook_client: GuardedClient::new(&tls, Rules::default()),
            reminder_before: REMINDER_BEFORE,
            relays: Relays::default(),
            calendar_client: GuardedClient::new(&tls, Rules::default()),
            calendars_read_every: READ_EVERY,
        })
    }
}

impl App {
    /// Creates the app with the embedded chat platform.
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
            remote: None,
            slack: None,
            matrix: None,
            store,
            calendar: Arc::new(calendar),
            clock,
            limits: Arc::new(RwLock::new(limits)),
            outward: Arc::new(outward),
            metrics: Arc::default(),
            runtime: Arc::new(runtime),
            audit_kept: AUDIT_KEPT,
            partners: Arc::default(),
            warned: Arc::default(),
            calendar_readings: InProgress::default(),
            recent_tests: Arc::default(),
            sign_ups: Arc::default(),
            notices: Arc::default(),
        }
    }

    /// Replaces or wraps the chat platform.
    pub fn with_chat(self, put: impl FnOnce(Arc<dyn Chat>) -> Arc<dyn Chat>) -> App {
        App {
            chat: put(Arc::clone(&self.chat)),
            ..self
        }
    }

    /// Uses Slack in place of the embedded chat platform.
    pub fn with_slack(self, settings: SlackSettings, tls: &Tls) -> App {
        let (clock, metrics) = (Arc::clone(&self.clock), Arc::clone(&self.metrics));
        let slack = Arc::new(Slack::new(settings, tls, clock, metrics));
        App {
            chat: Arc::clone(&slack) as Arc<dyn Chat>,
            remote: Some(Arc::clone(&slack) as Arc<dyn Remote>),
            slack: Some(slack),
            ..self
        }
    }

    /// Uses Matrix in place of the embedded chat platform.
    pub fn with_matrix(self, settings: MatrixSettings, tls: &Tls) -> App {
        let (clock, metrics) = (Arc::clone(&self.clock), Arc::clone(&self.metrics));
        let matrix = Arc::new(Matrix::new(settings, tls, clock, metrics));
        App {
            chat: Arc::clone(&matrix) as Arc<dyn Chat>,
            remote: Some(Arc::clone(&matrix) as Arc<dyn Remote>),
            matrix: Some(matrix),
            ..self
        }
    }

    /// Matrix, where it is the chat platform.
    pub fn matrix(&self) -> Option<&Arc<Matrix>> {
        self.matrix.as_ref()
    }

    /// The chat platform, where it has a directory of its own: Slack or Matrix.
    pub fn remote(&self) -> Option<&Arc<dyn Remote>> {
        self.remote.as_ref()
    }

    /// Slack, where it is the chat platform.
    pub fn slack(&self) -> Option<&Arc<Slack>> {
        self.slack.as_ref()
    }

    /// Keeps audit entries for another time, where one is given.
    pub fn with_audit_kept(self, kept: Option<SignedDuration>) -> App {
        App {
            audit_kept: kept.unwrap_or(self.audit_kept),
            ..self
        }
    }

    /// How long audit entries are kept.
    pub fn audit_kept(&self) -> SignedDuration {
        self.audit_kept
    }

    /// Tells people of what moved in their own plan by these settings.
    pub fn with_notices(self, settings: NoticeSettings) -> App {
        App {
            notices: Arc::new(Notices::new(settings)),
            ..self
        }
    }

    /// How people are told of what moved in their own plan.
    pub fn notices(&self) -> &Notices {
        &self.notices
    }

    /// The chat platform.
    pub fn chat(&self) -> &dyn Chat {
        &*self.chat
    }

    /// How long before coming on duty people are reminded.
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

    /// The clock.
    pub fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// The current instant, never before that of a write.
    pub fn now(&self) -> Timestamp {
        self.store.now()
    }

    /// The instant that an answer is for, with the settings that count in it.
    pub fn as_of(&self, now: Timestamp) -> AsOf {
        AsOf {
            now,
            poll_every: self.partners.poll_every(),
            connected: self.partners.connected().collect(),
        }
    }

    /// The partners whose schedules are read.
    pub fn partners(&self) -> &Arc<Partners> {
        &self.partners
    }

    /// Reads schedules of these partners.
    pub fn with_partners(self, partners: Partners) -> App {
        App {
            partners: Arc::new(partners),
            ..self
        }
    }

    /// The workspace's tier.
    pub fn tier_limits(&self) -> TierLimits {
        *self.limits.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The public URL of this server, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.outward.base_url
    }

    /// The retry schedule of deliveries.
    pub fn retry_schedule(&self) -> &RetrySchedule {
        &self.outward.retry_schedule
    }

    /// The client for deliveries.
    pub fn webhook_client(&self) -> &GuardedClient {
        &self.outward.webhook_client
    }

    /// The client for calendars of people.
    pub fn calendar_client(&self) -> &GuardedClient {
        &self.outward.calendar_client
    }

    /// How often calendars are read.
    pub fn calendars_read_every(&self) -> SignedDuration {
        self.outward.calendars_read_every
    }

    /// The readings of calendars of people that run now.
    pub(in crate::actions) fn calendar_readings(&self) -> &InProgress {
        &self.calendar_readings
    }

    /// When people were sent tests.
    pub(in crate::actions) fn recent_tests(&self) -> &RecentTests {
        &self.recent_tests
    }

    /// Who became a person by signing in of late.
    pub(in crate::actions) fn sign_ups(&self) -> &SignUps {
        &self.sign_ups
    }

    /// Mail and incoming webhooks.
    pub fn relays(&self) -> &Relays {
        &self.outward.relays
    }

    /// The counters and histograms of the server.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The warnings of all rotations, as they were last counted.
    pub fn warned(&self) -> &Warned {
        &self.warned
    }

    /// The background threads, including the storage thread.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    pub(in crate::actions) fn set_tier_limits(&self, limits: TierLimits) {
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = limits;
    }
}

#[cfg(test)]
mod tests;
