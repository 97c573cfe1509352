//! What is counted of the answers, and how each request is named.

use super::routes::ROUTES;
use crate::metrics::{Metrics, RouteMetrics};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// The header that names a request.
pub const REQUEST_ID: &str = "X-Request-Id";

/// Counts answers by the route that gave them.
pub struct RequestMetrics {
    /// In the order of [`ROUTES`].
    routes: Vec<RouteMetrics>,
    /// The development routes, which nobody watches one by one.
    pub dev: RouteMetrics,
    /// No route, or a request that could not be read.
    pub other: RouteMetrics,
}

impl RequestMetrics {
    pub fn new(metrics: &Metrics) -> RequestMetrics {
        let route = |row: &super::routes::Row| metrics.route(row.method, row.pattern);
        RequestMetrics {
            routes: ROUTES.iter().map(route).collect(),
            dev: metrics.route("POST", "/dev"),
            other: metrics.route("GET", "other"),
        }
    }

    /// What counts the answers of the route at this place of the table.
    pub fn route(&self, place: usize) -> &RouteMetrics {
        &self.routes[place]
    }
}

/// Room for any number.
const DIGITS: usize = 20;

/// Names requests, each by its own name: `req_`, eight digits for this run of the server, and how many came before.
pub struct Names {
    run: String,
    next: AtomicU64,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            run: format!("req_{:08x}_", rand::random::<u32>()),
            next: AtomicU64::new(1),
        }
    }
}

impl Names {
    /// The name of one more request.
    pub fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut name = String::with_capacity(self.run.len() + DIGITS);
        name.push_str(&self.run);
        // Writing to a string does not fail.
        let _ = write!(name, "{number}");
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count() {
        for number in [0, 1, 9, 10, 12_345, u64::MAX] {
            let names = Names {
                next: AtomicU64::new(number),
                ..Names::default()
            };
            assert_eq!(names.next(), format!("{}{number}", names.run));
        }
    }
}
