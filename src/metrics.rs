//! Metrics of the process. All metric names are defined in this module.
//!
//! Counters and histograms are updated as events happen. State (who is on call, what is queued) is read from the database
//! for each scrape, and rendered by `snapshot`. Each server has its own registry, so two servers in one process do not
//! count together.

mod route;
mod snapshot;

pub use route::RouteMetrics;
pub use snapshot::{ChatHealth, CopyHealth, Snapshot, StorageHealth, on_call};

use crate::domain::partner::Partner;
use crate::domain::relay::Way;
use crate::domain::webhook::{DeliveryState, Outcome};
use prometheus::core::Collector;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder,
};
use std::time::Duration;

/// The content type of the metrics page.
pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Bucket bounds of the request duration, in seconds.
const REQUEST_SECONDS: [f64; 11] = [
    0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0,
];

/// Bucket bounds of the timer's lateness, in seconds: from on time to a day of downtime.
const LATENESS_SECONDS: [f64; 13] = [
    0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 300.0, 3600.0, 21_600.0, 86_400.0,
];

/// The counters and histograms of one server.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    request_seconds: HistogramVec,
    lateness: Histogram,
    attempts: IntCounterVec,
    finished: IntCounterVec,
    relayed: IntCounterVec,
    notices: IntCounterVec,
    calendar_readings: IntCounterVec,
    partner_reads: IntCounterVec,
    chat_requests: IntCounterVec,
    chat_rate_limited: IntCounterVec,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let registry = Registry::new();
        let attempts = counters(
            "rota_delivery_attempts_total",
            "Completed webhook delivery attempts, by outcome.",
            &["outcome"],
        );
        let finished = counters(
            "rota_deliveries_finished_total",
            "Finished webhook deliveries, by final state.",
            &["state"],
        );
        let partner_reads = counters(
            "rota_partner_reads_total",
            "Readings of partners' schedules, by outcome: success, or why they failed.",
            &["partner", "outcome"],
        );
        let relayed = counters(
            "rota_message_relays_total",
            "Messages sent on by mail, by push or to an incoming webhook, by result of the try.",
            &["way", "result"],
        );
        let notices = counters(
            "rota_notices_total",
            "Telling people that shifts moved: plans compared, and people told.",
            &["what"],
        );
        for what in ["compared", "told"] {
            notices.with_label_values(&[what]);
        }
        let calendar_readings = counters(
            "rota_calendar_readings_total",
            "Readings of people's calendars, by result.",
            &["result"],
        );
        for result in CALENDAR_RESULTS {
            calendar_readings.with_label_values(&[result]);
        }
        // Initializes all series: `rate()` needs the zero before the first increment.
        for outcome in [Outcome::Delivered, Outcome::Failed, Outcome::NoResponse] {
            attempts.with_label_values(&[outcome.name()]);
        }
        for state in [
            DeliveryState::Delivered,
            DeliveryState::Exhausted,
            DeliveryState::Cancelled,
        ] {
            finished.with_label_values(&[state.name()]);
        }
        for way in Way::ALL {
            for result in ["sent", "failed", "dropped"] {
                relayed.with_label_values(&[way.name(), result]);
            }
        }
        let metrics = Metrics {
            requests: counters(
                "rota_http_requests_total",
                "HTTP requests, by route pattern.",
                &["method", "route", "status"],
            ),
            request_seconds: HistogramVec::new(
                HistogramOpts::new(
                    "rota_http_request_duration_seconds",
                    "Time to compute the response, by route pattern.",
                )
                .buckets(REQUEST_SECONDS.to_vec()),
                &["route"],
            )
            .expect(VALID),
            lateness: Histogram::with_opts(
                HistogramOpts::new(
                    "rota_timer_lateness_seconds",
                    "Delay between the due instant of a rotation and its processing.",
                )
                .buckets(LATENESS_SECONDS.to_vec()),
            )
            .expect(VALID),
            attempts,
            finished,
            relayed,
            notices,
            calendar_readings,
            partner_reads,
            chat_requests: counters(
                "rota_chat_requests_total",
                "Calls of the chat platform, by method and outcome.",
                &["method", "outcome"],
            ),
            chat_rate_limited: counters(
                "rota_chat_rate_limited_total",
                "Calls that the chat platform refused because there were too many, by method.",
                &["method"],
            ),
            registry,
        };
        metrics.register(&metrics.attempts);
        metrics.register(&metrics.finished);
        metrics.register(&metrics.relayed);
        metrics.register(&metrics.notices);
        metrics.register(&metrics.calendar_readings);
        metrics.register(&metrics.partner_reads);
        metrics.register(&metrics.chat_requests);
        metrics.register(&metrics.chat_rate_limited);
        metrics.register(&metrics.requests);
        metrics.register(&metrics.request_seconds);
        metrics.register(&metrics.lateness);
        metrics
    }
}

/// Results of readings of calendars.
const CALENDAR_RESULTS: [&str; 2] = ["read", "failed"];

/// Names, labels and bounds are constants of this module, and tests render all of them.
const VALID: &str = "a valid name that is used once";

fn counters(name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    IntCounterVec::new(Opts::new(name, help), labels).expect(VALID)
}

impl Metrics {
    fn register(&self, instrument: &(impl Collector + Clone + 'static)) {
        self.registry
            .register(Box::new(instrument.clone()))
            .expect(VALID);
    }

    /// The metrics of one route, by method and path pattern.
    pub fn route(&self, method: &'static str, route: &'static str) -> RouteMetrics {
        RouteMetrics::new(
            method,
            route,
            self.requests.clone(),
            self.request_seconds.clone(),
        )
    }

    /// Records how late a rotation was processed.
    pub fn observe_lateness(&self, late: Duration) {
        self.lateness.observe(late.as_secs_f64());
    }

    /// Counts a completed delivery attempt.
    pub fn attempted(&self, outcome: Outcome) {
        self.attempts.with_label_values(&[outcome.name()]).inc();
    }

    /// Counts finished deliveries.
    pub fn finished(&self, state: DeliveryState, count: u64) {
        self.finished
            .with_label_values(&[state.name()])
            .inc_by(count);
    }

    /// Counts a try to send a message on: `sent`, `failed` if it is tried again, or `dropped`.
    pub fn relayed(&self, way: Way, result: &'static str) {
        self.relayed.with_label_values(&[way.name(), result]).inc();
    }

    /// Counts plans that were compared, and people who were told of moved shifts.
    pub fn noticed(&self, compared: usize, told: usize) {
        for (what, count) in [("compared", compared), ("told", told)] {
            self.notices.with_label_values(&[what]).inc_by(count as u64);
        }
    }

    /// Counts a reading of a person's calendar.
    pub fn calendar_read(&self, is_read: bool) {
        let [read, failed] = CALENDAR_RESULTS;
        let result = if is_read { read } else { failed };
        self.calendar_readings.with_label_values(&[result]).inc();
    }

    /// Counts a reading of a partner's schedule: `success`, or why it failed.
    pub fn partner_read(&self, partner: Partner, outcome: &'static str) {
        let labels = [partner.name(), outcome];
        self.partner_reads.with_label_values(&labels).inc();
    }

    /// Begins the series of a method of the chat platform: `rate()` needs the zero before the first increment.
    pub fn expect_chat_method(&self, method: &'static str) {
        for outcome in ["ok", "rate_limited", "failed", "refused", "paused"] {
            self.chat_requests.with_label_values(&[method, outcome]);
        }
        self.chat_rate_limited.with_label_values(&[method]);
    }

    /// Counts a call of the chat platform: `ok`, `rate_limited`, `failed`, `refused` or `paused`.
    pub fn chat_requested(&self, method: &'static str, outcome: &'static str) {
        self.chat_requests
            .with_label_values(&[method, outcome])
            .inc();
    }

    /// Counts a call that the chat platform refused because there were too many.
    pub fn chat_rate_limited(&self, method: &'static str) {
        self.chat_rate_limited.with_label_values(&[method]).inc();
    }

    /// Renders the metrics page.
    pub fn render(&self, snapshot: &Snapshot) -> String {
        let mut text = String::new();
        // Fails only for a family without samples, which `gather` leaves out.
        let encoded = TextEncoder::new().encode_utf8(&self.registry.gather(), &mut text);
        if let Err(error) = encoded {
            log::error!("metrics: {error}");
        }
        text + &snapshot.render()
    }
}
