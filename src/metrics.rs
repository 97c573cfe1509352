//! What the program counts of itself, and the names that operators know it by: nobody else names a metric.
//!
//! What happens is counted as it happens, by the instruments here. How things stand (who is on call, what waits to be
//! sent) is asked of the database when somebody looks, and rendered by `page`. The registry is the server's own, so that two
//! of them in one process do not count for one another.

mod answers;
mod page;

pub use answers::Answers;
pub use page::{Standing, on_call};

use crate::domain::webhook::{DeliveryState, Outcome};
use prometheus::core::Collector;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder,
};
use std::time::Duration;

/// The content type of a page of metrics.
pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of how long answers take, in seconds.
const ANSWER_SECONDS: [f64; 11] = [
    0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0,
];

/// Upper bounds of how late a rotation moves on, in seconds: from a timer that is on time to a server that was down for a day.
const LATE_SECONDS: [f64; 13] = [
    0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 300.0, 3600.0, 21_600.0, 86_400.0,
];

/// The instruments of one server.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    request_seconds: HistogramVec,
    lateness: Histogram,
    attempts: IntCounterVec,
    finished: IntCounterVec,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let registry = Registry::new();
        let attempts = counters(
            "rota_delivery_attempts_total",
            "Attempts to deliver an event to a webhook endpoint that have ended, by their outcome.",
            &["outcome"],
        );
        let finished = counters(
            "rota_deliveries_finished_total",
            "Deliveries of an event to a webhook endpoint that have finished, by the state that they ended in.",
            &["state"],
        );
        // All of them from the start: a rate needs the zero before the one.
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
        let metrics = Metrics {
            requests: counters(
                "rota_http_requests_total",
                "Requests answered, by the pattern of their path.",
                &["method", "route", "status"],
            ),
            request_seconds: HistogramVec::new(
                HistogramOpts::new(
                    "rota_http_request_duration_seconds",
                    "How long it took to work out an answer, by the pattern of the path.",
                )
                .buckets(ANSWER_SECONDS.to_vec()),
                &["route"],
            )
            .expect(SOUND),
            lateness: Histogram::with_opts(
                HistogramOpts::new(
                    "rota_timer_lateness_seconds",
                    "How long after it fell due a rotation moved on.",
                )
                .buckets(LATE_SECONDS.to_vec()),
            )
            .expect(SOUND),
            attempts,
            finished,
            registry,
        };
        metrics.register(&metrics.attempts);
        metrics.register(&metrics.finished);
        metrics.register(&metrics.requests);
        metrics.register(&metrics.request_seconds);
        metrics.register(&metrics.lateness);
        metrics
    }
}

/// Names, labels and bounds are written here, and tests render all of them.
const SOUND: &str = "a sound name that is not taken";

fn counters(name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    IntCounterVec::new(Opts::new(name, help), labels).expect(SOUND)
}

impl Metrics {
    fn register(&self, instrument: &(impl Collector + Clone + 'static)) {
        self.registry
            .register(Box::new(instrument.clone()))
            .expect(SOUND);
    }

    /// What counts the answers of one operation, by its method and the pattern of its path.
    pub fn answers(&self, method: &'static str, route: &'static str) -> Answers {
        Answers::new(
            method,
            route,
            self.requests.clone(),
            self.request_seconds.clone(),
        )
    }

    /// A rotation moved on, so long after it fell due.
    pub fn moved_on(&self, late: Duration) {
        self.lateness.observe(late.as_secs_f64());
    }

    /// An attempt to deliver has ended.
    pub fn attempted(&self, outcome: Outcome) {
        self.attempts.with_label_values(&[outcome.name()]).inc();
    }

    /// So many deliveries have finished.
    pub fn finished(&self, state: DeliveryState, count: u64) {
        self.finished
            .with_label_values(&[state.name()])
            .inc_by(count);
    }

    /// What was counted so far, and how things stand.
    pub fn render(&self, standing: &Standing) -> String {
        let mut text = String::new();
        // Fails for a family without samples only, and those are left out of what is gathered.
        let encoded = TextEncoder::new().encode_utf8(&self.registry.gather(), &mut text);
        if let Err(error) = encoded {
            log::error!("metrics: {error}");
        }
        text + &standing.render()
    }
}
