//! The HTTP API: who asks, for what, and the answer (api.md; contract sections 2 to 4).
//!
//! | File | Part |
//! |---|---|
//! | `routes` | every operation: method, path, scope, precondition, handler, description |
//! | `auth`, `rate` | who asks; how often |
//! | `extract` | path, query and headers as values |
//! | `answer`, `problem` | what goes back; the only place that gives refusals a status |
//! | `openapi` | the document, made of the routes |
//! | `shelf` | who is on call, ready to send |
//! | the others | handlers, one file a resource |

mod absences;
mod answer;
mod arrangements;
mod auth;
mod chat;
mod covers;
mod deliveries;
mod directory;
mod extract;
mod grid;
mod inbound;
mod keys;
mod mentions;
mod on_call;
pub mod openapi;
mod operation;
mod problem;
mod rate;
mod record;
mod requests;
mod rotations;
mod routes;
mod service;
mod shelf;
mod swaps;
mod webhooks;

pub use rate::Limits;

use crate::actions::{Desk, Stop};
use crate::clock;
use crate::domain::access::Caller;
use crate::domain::refusal::Refusal;
use crate::fault;
use crate::http::{Malformed, Service};
use crate::wire::etag::Precondition;
use crate::wire::url;
use answer::Outcome;
use auth::{Closed, Doors, Known};
use extract::{Call, Path, Query};
use jiff::Timestamp;
use operation::Body;
use problem::Problem;
use rate::Rates;
use rouille::{Request, Response};
use routes::{Found, Handler, Needs, Row};
use shelf::Shelf;
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Routes of another edge, asked first: `None` leaves the request to the API. They need no credential, and what they
/// refuse is rendered here.
pub type Other = Box<dyn Fn(&Request) -> Option<Result<Response, Stop>> + Send + Sync>;

/// The longest `Idempotency-Key`, in bytes.
const LONGEST_KEY: usize = 255;

/// Answers every request of the server.
pub struct Api {
    desk: Desk,
    doors: Doors,
    rates: Rates,
    shelf: Shelf,
    other: Option<Other>,
    /// Names this run of the server in the `instance` of its problems.
    run: u32,
    problems: AtomicU64,
}

impl Api {
    /// The API of a workspace, with the routes of another edge before it where there is one.
    pub fn new(desk: Desk, limits: Limits, other: Option<Other>) -> Api {
        Api {
            desk,
            doors: Doors::default(),
            rates: Rates::new(limits),
            shelf: Shelf::default(),
            other,
            run: rand::random(),
            problems: AtomicU64::new(1),
        }
    }

    /// The order of checks is contract section 2.
    fn answer(&self, request: &Request) -> Outcome {
        if let Some(outcome) = self.other.as_ref().and_then(|other| other(request)) {
            return outcome.map_err(Problem::from);
        }
        let (row, path, query) = find(request)?;
        if let Handler::Open(run) = row.handler {
            return run(self);
        }
        let caller = self.admit(request, row, &path)?;
        let body = read_body(row, request)?;
        if !body.is_empty() {
            extract::check_media_type(request)?;
        }
        let guard = Guard::read(row, request)?;
        let call = Call {
            desk: &self.desk,
            caller: caller.of(),
            body,
            if_none_match: extract::header(request, "If-None-Match"),
            path,
            query: Query::parse(query, row)?,
        };
        guard.run(self, &call)
    }

    /// What comes before the size of a body.
    fn check_entitled(&self, request: &Request) -> Result<(), Problem> {
        let (row, path, _) = find(request)?;
        if !matches!(row.handler, Handler::Open(_)) {
            self.admit(request, row, &path)?;
        }
        match row.operation.body {
            Body::None => Ok(()),
            _ => extract::check_media_type(request),
        }
    }

    /// Whoever makes the request, if their credential opens the operation.
    fn admit(&self, request: &Request, row: &Row, path: &Path) -> Result<Admitted, Problem> {
        let limited = |waits: Result<(), u64>| waits.map_err(Problem::rate_limited);
        let closed = |closed| self.turn_away(request, closed);
        if row.needs == Needs::AccessCode {
            let caller = auth::enter(&self.desk, request, path).map_err(closed)?;
            limited(self.rates.ask(caller.credential(), clock::monotonic()))?;
            return Ok(Admitted::Entered(caller));
        }
        let header = extract::single(request, "Authorization")?;
        let known = self.doors.open(&self.desk, header).map_err(closed)?;
        limited(self.rates.ask(known.id(), clock::monotonic()))?;
        match row.needs {
            Needs::Nothing | Needs::AccessCode => {}
            Needs::Scoped(scope) => known.caller.check_scope(scope)?,
            Needs::Person => known.caller.person().map(drop)?,
        }
        Ok(Admitted::Known(known))
    }

    /// What whoever is not let in is told; who fails again and again from one address is slowed down.
    fn turn_away(&self, request: &Request, closed: Closed) -> Problem {
        match closed {
            Closed::Missing => Problem::missing_credential(),
            Closed::Refused(problem) => problem,
            Closed::Fault(fault) => fault.into(),
            Closed::Failed(problem) => {
                let address = request.remote_addr().ip();
                match self.rates.fail(address, clock::monotonic()) {
                    Ok(()) => problem,
                    Err(seconds) => Problem::rate_limited(seconds),
                }
            }
        }
    }

    /// Renders a problem under a name of its own, and logs it under the same.
    fn refuse(&self, problem: &Problem, what: std::fmt::Arguments) -> Response {
        let number = self.problems.fetch_add(1, Ordering::Relaxed);
        let instance = format!("req_{:08x}_{number}", self.run);
        let (status, code) = (problem.status, problem.code.unwrap_or("-"));
        match &problem.inside {
            Some(inside) if status == 503 => {
                log::warn!("{what} {status} {code} {instance}: {inside}")
            }
            Some(inside) => log::error!("{what} {status} {code} {instance}: {inside}"),
            None => log::debug!("{what} {status} {code} {instance}"),
        }
        problem.render(&instance)
    }
}

impl Service for Api {
    fn handle(&self, request: &Request) -> Response {
        fault::point("request");
        let began = log::log_enabled!(log::Level::Debug).then(clock::monotonic);
        match self.answer(request) {
            Ok(response) => {
                if let Some(began) = began {
                    log_answer(request, &response, began);
                }
                response
            }
            Err(problem) => self.refuse(&problem, format_args!("{}", Line(request))),
        }
    }

    fn malformed(&self, malformed: Malformed) -> Response {
        self.refuse(&malformed.into(), format_args!("unreadable request:"))
    }

    fn too_large(&self, request: &Request, malformed: Malformed) -> Response {
        let problem = match self.check_entitled(request) {
            // The path may be another edge's, and that is not asked.
            Err(problem) if problem.status != 404 => problem,
            _ => malformed.into(),
        };
        self.refuse(&problem, format_args!("{}", Line(request)))
    }

    fn panicked(&self, request: &Request, panic: &str) -> Response {
        let problem = Problem::internal(format!("panicked: {panic}"));
        self.refuse(&problem, format_args!("{}", Line(request)))
    }

    fn date(&self) -> Timestamp {
        self.desk.now()
    }
}

/// The operation that a request's path and method lead to, with its parameters and the raw query.
fn find(request: &Request) -> Result<(&'static Row, Path<'_>, &str), Problem> {
    let (path, query) = url::split(request.raw_url());
    let segments = url::segments(path).ok_or_else(Problem::unknown_route)?;
    match routes::find(request.method(), &segments) {
        Found::Route(row, path) => Ok((row, path, query)),
        Found::Methods(allowed) => Err(Problem::wrong_method(&allowed)),
        Found::Nothing => Err(Problem::unknown_route()),
    }
}

/// Whoever was let in.
enum Admitted {
    /// By a credential of ours.
    Known(Arc<Known>),
    /// By the key of an inbound webhook.
    Entered(Caller),
}

impl Admitted {
    fn of(&self) -> &Caller {
        match self {
            Admitted::Known(known) => &known.caller,
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

fn log_answer(request: &Request, response: &Response, began: Instant) {
    let took = clock::monotonic().saturating_duration_since(began);
    let status = response.status_code;
    log::debug!("{} {status} in {} us", Line(request), took.as_micros());
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
}

impl Guard {
    fn read(row: &Row, request: &Request) -> Result<Guard, Problem> {
        Ok(match row.handler {
            Handler::Open(run) => Guard::Open(run),
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
            Guard::Plain(run) => run(api, call),
            Guard::IfMatch(run, precondition) => run(api, call, &precondition),
            Guard::Keyed(run, key) => run(api, call, &key),
        }
    }
}
