//! Puts another service in the place of the one that answers. A request that has begun is answered to its end by the one that it
//! began with.

use super::exchange::Request;
use super::response::Response;
use super::{Malformed, Service};
use jiff::Timestamp;
use std::sync::{Arc, PoisonError, RwLock};

/// A service that stands for the current one of several.
pub struct Switch(RwLock<Arc<dyn Service>>);

impl Switch {
    /// Begins with a service.
    pub fn new(first: Arc<dyn Service>) -> Switch {
        Switch(RwLock::new(first))
    }

    /// Has requests from now on answered by another one.
    pub fn set(&self, next: Arc<dyn Service>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut *current, next);
        drop(current);
        // It may be the last holder, and closes a database then.
        drop(last);
    }

    fn current(&self) -> Arc<dyn Service> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }
}

impl Service for Switch {
    fn handle(&self, request: &Request) -> Response {
        self.current().handle(request)
    }

    fn malformed(&self, problem: Malformed) -> Response {
        self.current().malformed(problem)
    }

    fn too_large(&self, request: &Request, problem: Malformed) -> Response {
        self.current().too_large(request, problem)
    }

    fn account(&self, request: &Request) -> Option<String> {
        self.current().account(request)
    }

    fn panicked(&self, request: &Request, panic: &str) -> Response {
        self.current().panicked(request, panic)
    }

    fn date(&self) -> Timestamp {
        self.current().date()
    }
}
