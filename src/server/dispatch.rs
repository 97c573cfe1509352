//! Dispatches requests to edges by path prefix. Adds what all edges need: request ids, log lines, metrics, and the problem
//! responses for refusals, panics and unknown paths.

use super::exchange::Request;
use super::problem::Problem;
use super::proxies::REQUEST_ID;
use super::response::{Header, Response};
use super::{Malformed, Service};
use crate::failpoint;
use crate::metrics::{Metrics, RouteMetrics};
use crate::runtime::clock;
use crate::wire::url;
use jiff::Timestamp;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// The result of an edge. Dispatch renders the problem.
pub type Outcome = Result<Response, Problem>;

/// A set of paths with their own handler, such as the API or the development routes. Called from many threads concurrently.
pub trait Edge: Send + Sync + 'static {
    /// The path prefixes of this edge. `/v1` covers `/v1`, `/v1/` and `/v1/x`, not `/v1x`. Compared byte for byte, before
    /// any decoding.
    fn prefixes(&self) -> &'static [&'static str];

    /// The log target of its requests.
    fn log_target(&self) -> &'static str;

    /// Answers one request, with its headers, cookies and raw body of any media type. `id` is the request id. Sets `counted` to
    /// the metrics of the route as soon as the route is known; until then the response is counted as `other`.
    fn handle<'a>(&'a self, request: &Request, id: &str, counted: &mut &'a RouteMetrics)
    -> Outcome;

    /// The route metrics for a request that was not handled. `None` if no route matches.
    fn counted(&self, request: &Request) -> Option<&RouteMetrics>;

    /// The problem for a request whose body exceeds the limit: `problem`, or an earlier refusal that does not depend on the
    /// body.
    fn too_large(&self, request: &Request, id: &str, problem: Malformed) -> Problem {
        let _ = (request, id);
        problem.into()
    }

    /// The caller that a large body is counted for; see [`Service::account`].
    fn account(&self, request: &Request) -> Option<String> {
        let _ = request;
        None
    }

    /// A path as the log shows it: without a secret that is part of it.
    fn logged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        path.into()
    }

    /// Renders a problem for a request of this edge. `id` is the request id.
    fn render(&self, request: &Request, problem: &Problem, id: &str) -> Response {
        let _ = request;
        problem.render(id)
    }
}

/// What holds for every request of a server, whatever its edge.
pub trait Gate: Send + Sync + 'static {
    /// Refuses a request that no edge is to see.
    ///
    /// # Errors
    /// The problem that it is answered with.
    fn admit(&self, request: &Request) -> Result<(), Problem>;

    /// A header of every answer.
    fn stamp(&self) -> Option<Header>;
}

/// Dispatches each request to the edge with its path. `now` provides the time for the `Date` header.
pub struct Dispatch<N> {
    edges: Vec<Box<dyn Edge>>,
    /// Each prefix with the index of its edge, longest first.
    by_prefix: Vec<(&'static str, usize)>,
    /// The metrics of requests without a route and of unreadable ones.
    other: RouteMetrics,
    ids: RequestIds,
    now: N,
    gate: Option<Box<dyn Gate>>,
}

impl<N: Fn() -> Timestamp> Dispatch<N> {
    /// Creates the dispatch. A longer prefix takes precedence over a shorter one.
    pub fn new(metrics: &Metrics, edges: Vec<Box<dyn Edge>>, now: N) -> Dispatch<N> {
        let mut by_prefix = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            by_prefix.extend(edge.prefixes().iter().map(|prefix| (*prefix, at)));
        }
        by_prefix.sort_by_key(|(prefix, _)| Reverse(prefix.len()));
        Dispatch {
            by_prefix,
            edges,
            other: metrics.route("GET", "other"),
            ids: RequestIds::default(),
            now,
            gate: None,
        }
    }

    /// With a gate before the edges.
    pub fn behind(self, gate: Box<dyn Gate>) -> Dispatch<N> {
        Dispatch {
            gate: Some(gate),
            ..self
        }
    }

    fn edge(&self, request: &Request) -> Option<&dyn Edge> {
        let mut all = self.by_prefix.iter();
        let (_, at) = all.find(|(prefix, _)| is_below(request.target(), prefix))?;
        Some(&*self.edges[*at])
    }

    /// Renders and counts the problem of a request that was not handled.
    fn reject(
        &self,
        request: &Request,
        id: String,
        edge: Option<&dyn Edge>,
        problem: &Problem,
    ) -> Response {
        let counted = edge.and_then(|edge| edge.counted(request));
        let counted = counted.unwrap_or(&self.other);
        counted.record(request.method(), problem.status, None);
        refuse(request, edge, problem, &id).with(REQUEST_ID, id)
    }
}

impl<N: Fn() -> Timestamp + Send + Sync + 'static> Service for Dispatch<N> {
    fn handle(&self, request: &Request) -> Response {
        failpoint::point("request");
        let (id, began) = (self.ids.next(), clock::monotonic());
        let edge = self.edge(request);
        let mut counted = &self.other;
        let admitted = self
            .gate
            .as_ref()
            .map_or(Ok(()), |gate| gate.admit(request));
        let outcome = admitted.and_then(|()| match edge {
            Some(edge) => edge.handle(request, &id, &mut counted),
            None => Err(Problem::unknown_route()),
        });
        let elapsed = clock::monotonic().saturating_duration_since(began);
        let response = match outcome {
            Ok(response) => {
                let (line, status, elapsed) = (
                    RequestLine(request, edge),
                    response.status,
                    elapsed.as_micros(),
                );
                let ids = Ids(request, &id);
                log::debug!(target: target(edge), "{line} {status} in {elapsed} us {ids}");
                response
            }
            Err(problem) => refuse(request, edge, &problem, &id),
        };
        counted.record(request.method(), response.status, Some(elapsed));
        let mut response = response.with(REQUEST_ID, id);
        response
            .headers
            .extend(self.gate.as_ref().and_then(|gate| gate.stamp()));
        response
    }

    fn malformed(&self, malformed: Malformed) -> Response {
        let (problem, id) = (Problem::from(malformed), self.ids.next());
        self.other.record("", problem.status, None);
        log_problem(LOG_TARGET, &"unreadable request:", &problem, &id);
        problem.render(&id).with(REQUEST_ID, id)
    }

    fn too_large(&self, request: &Request, malformed: Malformed) -> Response {
        let (edge, id) = (self.edge(request), self.ids.next());
        let problem = match edge {
            Some(edge) => edge.too_large(request, &id, malformed),
            None => malformed.into(),
        };
        self.reject(request, id, edge, &problem)
    }

    fn account(&self, request: &Request) -> Option<String> {
        self.edge(request)?.account(request)
    }

    fn panicked(&self, request: &Request, panic: &str) -> Response {
        let problem = Problem::internal(format!("panicked: {panic}"));
        self.reject(request, self.ids.next(), self.edge(request), &problem)
    }

    fn date(&self) -> Timestamp {
        (self.now)()
    }
}

/// Whether the path of a target is the prefix or below it.
fn is_below(target: &str, prefix: &str) -> bool {
    let rest = target.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

/// The log target of requests that no edge handles.
const LOG_TARGET: &str = "rota::server";

fn target(edge: Option<&dyn Edge>) -> &'static str {
    edge.map_or(LOG_TARGET, Edge::log_target)
}

/// Renders a problem and logs it under the request id.
fn refuse(request: &Request, edge: Option<&dyn Edge>, problem: &Problem, id: &str) -> Response {
    log_problem(
        target(edge),
        &RequestLine(request, edge),
        problem,
        &Ids(request, id),
    );
    match edge {
        Some(edge) => edge.render(request, problem, id),
        None => problem.render(id),
    }
}

fn log_problem(target: &str, what: &dyn fmt::Display, problem: &Problem, id: &dyn fmt::Display) {
    let (status, code) = (problem.status, problem.code);
    match &problem.inside {
        Some(inside) if status == 503 => {
            log::warn!(target: target, "{what} {status} {code} {id}: {inside}");
        }
        Some(inside) => log::error!(target: target, "{what} {status} {code} {id}: {inside}"),
        None => log::debug!(target: target, "{what} {status} {code} {id}"),
    }
}

/// A request in the log: where it is from, and what it asks, without its query, which may contain email addresses.
struct RequestLine<'a>(&'a Request, Option<&'a dyn Edge>);

impl fmt::Display for RequestLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, _) = url::split(self.0.target());
        let path = self.1.map_or(path.into(), |edge| edge.logged(path));
        let (client, method) = (self.0.client_address(), self.0.method());
        write!(f, "{client} {method} {path}")
    }
}

/// The ids of a request in the log: the client's own, where it sent one, and ours.
struct Ids<'a>(&'a Request, &'a str);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(theirs) = self.0.client_request_id() {
            write!(f, "({theirs}) ")?;
        }
        f.write_str(self.1)
    }
}

/// The digits of the largest number.
const DIGITS: usize = 20;

/// Generates request ids: `req_`, eight digits for this run of the server, and a counter.
struct RequestIds {
    run: String,
    next: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> RequestIds {
        RequestIds {
            run: format!("req_{:08x}_", rand::random::<u32>()),
            next: AtomicU64::new(1),
        }
    }
}

impl RequestIds {
    fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = String::with_capacity(self.run.len() + DIGITS);
        id.push_str(&self.run);
        // Writing to a string never fails.
        let _ = write!(id, "{number}");
        id
    }
}
