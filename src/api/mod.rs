//! The HTTP API: who asks, for what, and the answer.
//!
//! | File | Part |
//! |---|---|
//! | `routes` | every operation: method, path, scope, precondition, handler, description |
//! | `auth`, `rate` | who asks; how often |
//! | `extract` | path, query and headers as values |
//! | `answer`, `problem` | what goes back; the only place that gives refusals a status |
//! | `room`, `collection` | what a request may hold in memory; long collections, rendered while they are sent |
//! | `openapi` | the document, made of the routes |
//! | `on_call_cache` | who is on call, ready to send |
//! | `once` | writes that carry an `operationId` |
//! | `request_metrics` | what is counted of the answers; names of requests |
//! | `watch` | for whoever watches over the server |
//! | the others | handlers, one file a resource |

mod absences;
mod answer;
mod arrangements;
mod auth;
mod chat;
mod collection;
mod covers;
mod deliveries;
mod directory;
mod extract;
mod grid;
mod inbound;
mod keys;
mod mentions;
mod on_call;
mod on_call_cache;
mod once;
pub mod openapi;
mod operation;
mod problem;
mod rate;
mod record;
mod request_metrics;
mod requests;
mod room;
mod rotations;
mod routes;
mod service;
mod swaps;
mod watch;
mod webhooks;

pub use rate::Limits;
pub use watch::Access;

use crate::actions::{App, Stop};
use crate::clock;
use crate::domain::access::Principal;
use crate::domain::refusal::Refusal;
use crate::fault;
use crate::http::{Malformed, Service};
use crate::memory::{Budget, Share};
use crate::metrics::RouteMetrics;
use crate::wire::etag::Precondition;
use crate::wire::url;
use answer::Outcome;
use auth::{AuthError, Authenticator, Credential};
use extract::{Call, Path, Query};
use jiff::Timestamp;
use on_call_cache::OnCallCache;
use operation::Body;
use problem::Problem;
use rate::Rates;
use request_metrics::{Names, REQUEST_ID, RequestMetrics};
use room::Room;
use rouille::{Request, Response};
use routes::{Found, Handler, Needs, ROUTES, Row};
use std::fmt;
use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use watch::{Detail, Remembered};

/// Routes of another edge, asked first: `None` leaves the request to the API. They need no credential, and what they
/// refuse is rendered here.
pub type Other = Box<dyn Fn(&Request) -> Option<Result<Response, Stop>> + Send + Sync>;

/// The longest `Idempotency-Key`, in bytes.
const LONGEST_KEY: usize = 255;

/// Answers every request of the server.
pub struct Api {
    app: App,
    authenticator: Authenticator,
    rates: Rates,
    budget: Arc<Budget>,
    on_call_cache: OnCallCache,
    /// Who may read the metrics.
    access: Access,
    page: Mutex<Remembered>,
    other: Option<Other>,
    request_metrics: RequestMetrics,
    names: Names,
    started_at: Timestamp,
}

impl Api {
    /// The API of a workspace, with the routes of another edge before it where there is one.
    pub fn new(app: App, limits: Limits, access: Access, other: Option<Other>) -> Api {
        Api {
            authenticator: Authenticator::default(),
            rates: Rates::new(limits),
            budget: Budget::new(room::limits()),
            on_call_cache: OnCallCache::default(),
            access,
            page: Mutex::default(),
            other,
            request_metrics: RequestMetrics::new(app.metrics()),
            names: Names::default(),
            started_at: app.clock().now(),
            app,
        }
    }

    /// The order of checks is contract section 2. `counted` becomes what counts the answer.
    fn answer<'a>(&'a self, request: &Request, counted: &mut &'a RouteMetrics) -> Outcome {
        if let Some(other) = &self.other {
            let share = self.room_of_other(request)?;
            if let Some(outcome) = other(request) {
                *counted = &self.request_metrics.dev;
                let outcome = outcome.map(|response| room::hold(response, share));
                return outcome.map(without_own_name).map_err(Problem::from);
            }
        }
        let (place, path, query) = find(request)?;
        *counted = self.request_metrics.route(place);
        let row = &ROUTES[place];
        match row.handler {
            Handler::Open(run) => {
                let share = self.room(request, None).take(room::needed(row, 0))?;
                return Ok(room::hold(run(self)?, share));
            }
            Handler::Watched(run) => {
                let detail = self.detail(request, row, &path)?;
                let share = self.room(request, None).take(room::needed(row, 0))?;
                return Ok(room::hold(run(self, detail)?, share));
            }
            _ => {}
        }
        let caller = self.admit(request, row, &path)?;
        let body = read_body(row, request)?;
        if !body.is_empty() {
            extract::check_media_type(request)?;
        }
        let guard = Guard::read(row, request)?;
        let room = self.room(request, Some(caller.of().credential()));
        let share = room.take(room::needed(row, body.len()))?;
        let call = Call {
            app: &self.app,
            caller: caller.of(),
            body,
            if_none_match: extract::header(request, "If-None-Match"),
            path,
            query: Query::parse(query, row.operation.query)?,
            room,
        };
        let response = guard.run(self, &call)?;
        Ok(room::hold(response, share))
    }

    /// Room for what another edge shows, which asks for no credential.
    fn room_of_other(&self, request: &Request) -> Result<Option<Share>, Problem> {
        let reads = matches!(request.method(), "GET" | "HEAD");
        if !reads || !request.raw_url().starts_with("/dev/") {
            return Ok(None);
        }
        self.room(request, None).take(room::LIMITS.credential)
    }

    fn room<'a>(&'a self, request: &Request, credential: Option<&'a str>) -> Room<'a> {
        Room {
            budget: &self.budget,
            address: request.remote_addr().ip(),
            credential,
        }
    }

    /// What comes before the size of a body.
    fn check_entitled(&self, request: &Request) -> Result<(), Problem> {
        let (place, path, _) = find(request)?;
        let row = &ROUTES[place];
        match row.handler {
            Handler::Open(_) => {}
            Handler::Watched(_) => drop(self.detail(request, row, &path)?),
            _ => drop(self.admit(request, row, &path)?),
        }
        match row.operation.body {
            Body::None => Ok(()),
            _ => extract::check_media_type(request),
        }
    }

    /// How much of the metrics the request may see, by the operator's setting and the credential that it carries.
    fn detail(&self, request: &Request, row: &Row, path: &Path) -> Result<Detail, Problem> {
        let header = extract::single(request, "Authorization")?;
        match self.access {
            Access::Open => return Ok(Detail::Whole),
            Access::Limited if !auth::presents(header) => return Ok(Detail::WithoutNames),
            Access::Limited | Access::Key => {}
        }
        self.admit(request, row, path)?;
        Ok(Detail::Whole)
    }

    /// Whoever makes the request, if their credential opens the operation.
    fn admit(&self, request: &Request, row: &Row, path: &Path) -> Result<Admitted, Problem> {
        let limited = |waits: Result<(), u64>| waits.map_err(Problem::rate_limited);
        let closed = |closed| self.turn_away(request, closed);
        if row.needs == Needs::AccessCode {
            let caller = auth::enter(&self.app, request, path).map_err(closed)?;
            limited(self.rates.ask(caller.rate_key(), clock::monotonic()))?;
            return Ok(Admitted::Entered(caller));
        }
        let header = extract::single(request, "Authorization")?;
        let known = self.authenticator.open(&self.app, header).map_err(closed)?;
        limited(self.rates.ask(known.caller.rate_key(), clock::monotonic()))?;
        match row.needs {
            Needs::Nothing | Needs::AccessCode => {}
            Needs::Scoped(scope) => known.caller.check_scope(scope)?,
            Needs::Person => known.caller.person().map(drop)?,
            Needs::Watching => known.caller.check_watch()?,
        }
        Ok(Admitted::Credential(known))
    }

    /// What whoever is not let in is told; who fails again and again from one address is slowed down.
    fn turn_away(&self, request: &Request, closed: AuthError) -> Problem {
        match closed {
            AuthError::Missing => Problem::missing_credential(),
            AuthError::Refused(problem) => problem,
            AuthError::Fault(fault) => fault.into(),
            AuthError::Failed(problem) => {
                let address = request.remote_addr().ip();
                match self.rates.fail(address, clock::monotonic()) {
                    Ok(()) => problem,
                    Err(seconds) => Problem::rate_limited(seconds),
                }
            }
        }
    }

    /// What counts the answer to a request that was not carried out.
    fn counted(&self, request: &Request) -> &RouteMetrics {
        match find(request) {
            Ok((place, ..)) => self.request_metrics.route(place),
            Err(_) if self.other.is_some() && request.raw_url().starts_with("/dev/") => {
                &self.request_metrics.dev
            }
            Err(_) => &self.request_metrics.other,
        }
    }

    /// Renders the problem of a request that was not carried out, and counts it.
    fn turn_down(&self, request: &Request, problem: &Problem) -> Response {
        let counted = self.counted(request);
        counted.record(request.method(), problem.status, None);
        let name = self.names.next();
        let response = refuse(problem, format_args!("{}", Line(request)), &name);
        named(response, name)
    }
}

/// Renders a problem under the name of its request, and logs it under the same.
fn refuse(problem: &Problem, what: fmt::Arguments, instance: &str) -> Response {
    let (status, code) = (problem.status, problem.code.unwrap_or("-"));
    match &problem.inside {
        Some(inside) if status == 503 => {
            log::warn!("{what} {status} {code} {instance}: {inside}")
        }
        Some(inside) => log::error!("{what} {status} {code} {instance}: {inside}"),
        None => log::debug!("{what} {status} {code} {instance}"),
    }
    problem.render(instance)
}

/// The answer with the name of its request.
fn named(response: Response, name: String) -> Response {
    answer::with(response, REQUEST_ID, name)
}

/// An answer that a test made up, without a name of its own.
fn without_own_name(mut response: Response) -> Response {
    let headers = &mut response.headers;
    headers.retain(|(name, _)| !name.eq_ignore_ascii_case(REQUEST_ID));
    response
}

impl Service for Api {
    fn handle(&self, request: &Request) -> Response {
        fault::point("request");
        let (name, began) = (self.names.next(), clock::monotonic());
        let mut counted = &self.request_metrics.other;
        let outcome = self.answer(request, &mut counted);
        let took = clock::monotonic().saturating_duration_since(began);
        let response = match outcome {
            Ok(response) => {
                log_answer(request, &response, took, &name);
                response
            }
            Err(problem) => refuse(&problem, format_args!("{}", Line(request)), &name),
        };
        counted.record(request.method(), response.status_code, Some(took));
        named(response, name)
    }

    fn malformed(&self, malformed: Malformed) -> Response {
        let (problem, name) = (Problem::from(malformed), self.names.next());
        self.request_metrics.other.record("", problem.status, None);
        named(
            refuse(&problem, format_args!("unreadable request:"), &name),
            name,
        )
    }

    fn too_large(&self, request: &Request, malformed: Malformed) -> Response {
        let problem = match self.check_entitled(request) {
            // The path may be another edge's, and that is not asked.
            Err(problem) if problem.status != 404 => problem,
            _ => malformed.into(),
        };
        self.turn_down(request, &problem)
    }

    fn panicked(&self, request: &Request, panic: &str) -> Response {
        let problem = Problem::internal(format!("panicked: {panic}"));
        self.turn_down(request, &problem)
    }

    fn date(&self) -> Timestamp {
        self.app.now()
    }
}

/// The place among the routes that a request's path and method lead to, with its parameters and the raw query.
fn find(request: &Request) -> Result<(usize, Path<'_>, &str), Problem> {
    let (path, query) = url::split(request.raw_url());
    let segments = url::segments(path).ok_or_else(Problem::unknown_route)?;
    match routes::find(request.method(), &segments) {
        Found::Route(place, path) => Ok((place, path, query)),
        Found::Methods(allowed) => Err(Problem::wrong_method(&allowed)),
        Found::Nothing => Err(Problem::unknown_route()),
    }
}

/// Whoever was let in.
enum Admitted {
    /// By a credential of ours.
    Credential(Arc<Credential>),
    /// By the key of an inbound webhook.
    Entered(Principal),
}

impl Admitted {
    fn of(&self) -> &Principal {
        match self {
            Admitted::Credential(known) => &known.caller,
            Admitted::Entered(caller) => caller,
        }
    }
}

/// A request as the log has it: without the query, where people's addresses may stand.
struct Line<'a>(&'a Request);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, _) = url::split(self.0.raw_url());
        write!(f, "{} {path}", self.0.method())
    }
}

fn log_answer(request: &Request, response: &Response, took: Duration, name: &str) {
    let status = response.status_code;
    let took = took.as_micros();
    log::debug!("{} {status} in {took} us {name}", Line(request));
}

fn read_body(row: &Row, request: &Request) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    if !matches!(row.operation.body, Body::None)
        && let Some(mut data) = request.data()
    {
        let read = data.read_to_end(&mut body);
        read.map_err(|error| Problem::internal(format!("cannot read the body: {error}")))?;
    }
    Ok(body)
}

/// A handler with the header that it asks for.
enum Guard {
    Plain(fn(&Api, &Call) -> Outcome),
    IfMatch(fn(&Api, &Call, &Precondition) -> Outcome, Precondition),
    Keyed(fn(&Api, &Call, &str) -> Outcome, String),
    Open(fn(&Api) -> Outcome),
    Watched(fn(&Api, Detail) -> Outcome),
}

impl Guard {
    fn read(row: &Row, request: &Request) -> Result<Guard, Problem> {
        Ok(match row.handler {
            Handler::Open(run) => Guard::Open(run),
            Handler::Watched(run) => Guard::Watched(run),
            Handler::Plain(run) => Guard::Plain(run),
            Handler::IfMatch(run) => {
                let Some(header) = extract::header(request, "If-Match") else {
                    return Err(Problem::missing_precondition(
                        "If-Match: missing; send the ETag of the last read with its quotes, or * on purpose",
                    ));
                };
                Guard::IfMatch(run, Precondition::parse(&header))
            }
            Handler::Keyed(run) => {
                let key = extract::single(request, "Idempotency-Key")?
                    .map(str::trim)
                    .unwrap_or_default();
                if key.is_empty() {
                    return Err(Problem::missing_precondition(
                        "Idempotency-Key: missing; send a value made for this creation, the same on every retry",
                    ));
                }
                if key.len() > LONGEST_KEY {
                    let detail = format!("Idempotency-Key: send at most {LONGEST_KEY} bytes");
                    return Err(Refusal::Invalid(detail).into());
                }
                Guard::Keyed(run, key.to_owned())
            }
        })
    }

    fn run(self, api: &Api, call: &Call) -> Outcome {
        match self {
            Guard::Open(run) => run(api),
            Guard::Watched(run) => run(api, Detail::WithoutNames),
            Guard::Plain(run) => run(api, call),
            Guard::IfMatch(run, precondition) => run(api, call, &precondition),
            Guard::Keyed(run, key) => run(api, call, &key),
        }
    }
}
