//! Answers of the HTTP API, counted on the way out of every request: so what a count needs is found by a number, not by its
//! labels.

use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};
use std::sync::OnceLock;
use std::time::Duration;

/// The statuses that are answered most; others are counted as well, a little slower.
const USUAL: [u16; 10] = [200, 304, 201, 202, 204, 400, 401, 403, 404, 412];

/// Methods by their name; the label is never what a stranger made up.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Counts the answers of one operation. Its counters are kept: to look one up takes 640 of the 28,500 instructions of a
/// GET on-call, and a lock that all threads share. Series appear with the first answer, so that what nobody asks for is not shown.
pub struct Answers {
    method: &'static str,
    route: &'static str,
    requests: IntCounterVec,
    seconds: HistogramVec,
    usual: [OnceLock<IntCounter>; USUAL.len()],
    took: OnceLock<Histogram>,
}

impl Answers {
    pub(super) fn new(
        method: &'static str,
        route: &'static str,
        requests: IntCounterVec,
        seconds: HistogramVec,
    ) -> Answers {
        Answers {
            method,
            route,
            requests,
            seconds,
            usual: Default::default(),
            took: OnceLock::new(),
        }
    }

    /// A request of this method, which may be another than the operation's, was answered; `took` is `None` where none could be
    /// read.
    pub fn note(&self, method: &str, status: u16, took: Option<Duration>) {
        let place = USUAL.iter().position(|usual| *usual == status);
        match place.filter(|_| method == self.method) {
            Some(place) => self.usual[place]
                .get_or_init(|| self.counter(method, status))
                .inc(),
            None => self.counter(method, status).inc(),
        }
        if let Some(took) = took {
            self.took
                .get_or_init(|| self.seconds.with_label_values(&[self.route]))
                .observe(took.as_secs_f64());
        }
    }

    fn counter(&self, method: &str, status: u16) -> IntCounter {
        let known = METHODS.iter().find(|known| **known == method);
        let method = known.copied().unwrap_or("other");
        self.requests
            .with_label_values(&[method, self.route, &status.to_string()])
    }
}
