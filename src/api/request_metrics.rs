//! Counts answers by the operation that gave them.

use super::routes::{ROUTES, Row};
use crate::metrics::{Metrics, RouteMetrics};

/// What counts the answers, in the order of [`ROUTES`].
pub struct RequestMetrics(Vec<RouteMetrics>);

impl RequestMetrics {
    pub fn new(metrics: &Metrics) -> RequestMetrics {
        let route = |row: &Row| metrics.route(row.method, row.pattern);
        RequestMetrics(ROUTES.iter().map(route).collect())
    }

    /// What counts the answers of the route at this place of the table.
    pub fn route(&self, place: usize) -> &RouteMetrics {
        &self.0[place]
    }
}
