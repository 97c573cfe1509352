//! HTTP request metrics by route. Counters of common statuses are cached, so that a request does not look up labels.

use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};
use std::sync::OnceLock;
use std::time::Duration;

/// Statuses with a cached counter. Other statuses work, but are looked up by label.
const COMMON: [u16; 10] = [200, 304, 201, 202, 204, 400, 401, 403, 404, 412];

/// Known methods. Others are counted as `other`, so that clients cannot create label values.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// The metrics of one route. Its counters are cached: a lookup takes 640 of the 28,500 instructions of a GET on-call, and a
/// lock that all threads share. Series appear with the first request, so unused routes have none.
pub struct RouteMetrics {
    method: &'static str,
    route: &'static str,
    requests: IntCounterVec,
    seconds: HistogramVec,
    common: [OnceLock<IntCounter>; COMMON.len()],
    took: OnceLock<Histogram>,
}

impl RouteMetrics {
    pub(super) fn new(
        method: &'static str,
        route: &'static str,
        requests: IntCounterVec,
        seconds: HistogramVec,
    ) -> RouteMetrics {
        RouteMetrics {
            method,
            route,
            requests,
            seconds,
            common: Default::default(),
            took: OnceLock::new(),
        }
    }

    /// Counts a response. `method` is the request's, which may differ from the route's (HEAD). `took` is `None` if the
    /// duration is unknown.
    pub fn record(&self, method: &str, status: u16, took: Option<Duration>) {
        let index = COMMON.iter().position(|common| *common == status);
        match index.filter(|_| method == self.method) {
            Some(index) => self.common[index]
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
