//! Dispatch of requests to edges by the prefix of their path. Around each edge stands what all of them need: an id for every
//! request, its line in the log, its count in the metrics, and the problem where an edge refuses, panics, or none is there.

use super::exchange::{Request, Response};
use super::problem::Problem;
use super::{Malformed, Service};
use crate::fault;
use crate::metrics::{Metrics, RouteMetrics};
use crate::runtime::clock;
use crate::wire::url;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// The response header that names the request.
pub const REQUEST_ID: &str = "X-Request-Id";

/// What an edge answers; the dispatch renders the problem.
pub type Outcome = Result<Response, Problem>;

/// One way into the program: the API, the development routes. Called from many threads at once.
pub trait Edge: Send + Sync + 'static {
    /// The paths that are this edge's, each with all below it: `/v1` is `/v1`, `/v1/` and `/v1/x`, not `/v1x`. Compared
    /// byte for byte, before any decoding.
    fn prefixes(&self) -> &'static [&'static str];

    /// The module that its requests are logged under.
    fn log_target(&self) -> &'static str;

    /// Answers one request. It sees all of it: headers, cookies, and the body of any media type as it was sent. Whoever
    /// counts the answers is put into `counted` as soon as that is known; before, they count as `other`.
    fn handle<'a>(&'a self, request: &Request, counted: &mut &'a RouteMetrics) -> Outcome;

    /// Whoever counts the answers to a request that was not carried out; `None` where it leads nowhere.
    fn counted(&self, request: &Request) -> Option<&RouteMetrics>;

    /// The problem of a request whose body is over the limit and was left out: `problem`, or why the request is refused
    /// whatever its body.
    fn too_large(&self, request: &Request, problem: Malformed) -> Problem {
        let _ = request;
        problem.into()
    }

    /// The caller that a large body is counted for; see [`Service::account`].
    fn account(&self, request: &Request) -> Option<String> {
        let _ = request;
        None
    }

    /// Renders a problem with a request of this edge. `id` names the request.
    fn render(&self, request: &Request, problem: &Problem, id: &str) -> Response {
        let _ = request;
        problem.render(id)
    }
}

/// Hands each request to the edge that has its path. `now` is the time for the `Date` header.
pub struct Dispatch<N> {
    edges: Vec<Box<dyn Edge>>,
    /// Each prefix with the index of its edge, the longest first.
    by_prefix: Vec<(&'static str, usize)>,
    /// Counts what leads nowhere or could not be read.
    other: RouteMetrics,
    ids: RequestIds,
    now: N,
}

impl<N: Fn() -> Timestamp> Dispatch<N> {
    /// Dispatch to these edges. Where the prefix of one is below that of another, the longer one has the path.
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
        }
    }

    fn edge(&self, request: &Request) -> Option<&dyn Edge> {
        let mut all = self.by_prefix.iter();
        let (_, at) = all.find(|(prefix, _)| is_below(request.target(), prefix))?;
        Some(&*self.edges[*at])
    }

    /// Renders and counts the problem of a request that was not carried out.
    fn turn_down(&self, request: &Request, edge: Option<&dyn Edge>, problem: &Problem) -> Response {
        let counted = edge.and_then(|edge| edge.counted(request));
        let counted = counted.unwrap_or(&self.other);
        counted.record(request.method(), problem.status, None);
        let id = self.ids.next();
        refuse(request, edge, problem, &id).with(REQUEST_ID, id)
    }
}

impl<N: Fn() -> Timestamp + Send + Sync + 'static> Service for Dispatch<N> {
    fn handle(&self, request: &Request) -> Response {
        fault::point("request");
        let (id, began) = (self.ids.next(), clock::monotonic());
        let edge = self.edge(request);
        let mut counted = &self.other;
        let outcome = match edge {
            Some(edge) => edge.handle(request, &mut counted),
            None => Err(Problem::unknown_route()),
        };
        let took = clock::monotonic().saturating_duration_since(began);
        let response = match outcome {
            Ok(response) => {
                let (line, status, took) = (Line(request), response.status, took.as_micros());
                log::debug!(target: target(edge), "{line} {status} in {took} us {id}");
                response
            }
            Err(problem) => refuse(request, edge, &problem, &id),
        };
        counted.record(request.method(), response.status, Some(took));
        response.with(REQUEST_ID, id)
    }

    fn malformed(&self, malformed: Malformed) -> Response {
        let (problem, id) = (Problem::from(malformed), self.ids.next());
        self.other.record("", problem.status, None);
        log_problem(LOG_TARGET, &"unreadable request:", &problem, &id);
        problem.render(&id).with(REQUEST_ID, id)
    }

    fn too_large(&self, request: &Request, malformed: Malformed) -> Response {
        let edge = self.edge(request);
        let problem = match edge {
            Some(edge) => edge.too_large(request, malformed),
            None => malformed.into(),
        };
        self.turn_down(request, edge, &problem)
    }

    fn account(&self, request: &Request) -> Option<String> {
        self.edge(request)?.account(request)
    }

    fn panicked(&self, request: &Request, panic: &str) -> Response {
        let problem = Problem::internal(format!("panicked: {panic}"));
        self.turn_down(request, self.edge(request), &problem)
    }

    fn date(&self) -> Timestamp {
        (self.now)()
    }
}

/// Whether the path of a target is the prefix, or below it.
fn is_below(target: &str, prefix: &str) -> bool {
    let rest = target.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

/// What is logged of requests that no edge has.
const LOG_TARGET: &str = "rota::server";

fn target(edge: Option<&dyn Edge>) -> &'static str {
    edge.map_or(LOG_TARGET, Edge::log_target)
}

/// Renders a problem under the id of its request, and logs it under the same.
fn refuse(request: &Request, edge: Option<&dyn Edge>, problem: &Problem, id: &str) -> Response {
    log_problem(target(edge), &Line(request), problem, id);
    match edge {
        Some(edge) => edge.render(request, problem, id),
        None => problem.render(id),
    }
}

fn log_problem(target: &str, what: &dyn fmt::Display, problem: &Problem, id: &str) {
    let (status, code) = (problem.status, problem.code.unwrap_or("-"));
    match &problem.inside {
        Some(inside) if status == 503 => {
            log::warn!(target: target, "{what} {status} {code} {id}: {inside}");
        }
        Some(inside) => log::error!(target: target, "{what} {status} {code} {id}: {inside}"),
        None => log::debug!(target: target, "{what} {status} {code} {id}"),
    }
}

/// A request as the log has it: without the query, where people's addresses may stand.
struct Line<'a>(&'a Request);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, _) = url::split(self.0.target());
        write!(f, "{} {path}", self.0.method())
    }
}

/// Room for any number.
const DIGITS: usize = 20;

/// Ids of requests: `req_`, eight digits for this run of the server, and how many came before.
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
        // Writing to a string does not fail.
        let _ = write!(id, "{number}");
        id
    }
}
