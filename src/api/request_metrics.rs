//! Request metrics by route.

use super::routes::{ROUTES, Row};
use crate::metrics::{Metrics, RouteMetrics};

/// The metrics of each route, in the order of [`ROUTES`].
pub struct RequestMetrics(Vec<RouteMetrics>);

impl RequestMetrics {
    pub fn new(metrics: &Metrics) -> RequestMetrics {
        let route = |row: &Row| metrics.route(row.method, row.pattern);
        RequestMetrics(ROUTES.iter().map(route).collect())
    }

    /// The metrics of the route with this index.
    pub fn route(&self, index: usize) -> &RouteMetrics {
        &self.0[index]
    }
}
