//! The HTTP API: who asks, for what, and the answer.
//!
//! | File | Part |
//! |---|---|
//! | `routes` | every operation: method, path, scope, precondition, handler, description |
//! | `auth`, `rate` | who asks; how often |
//! | `extract` | path, query and headers as values |
//! | `answer` | what goes back |
//! | `room`, `collection` | what an operation may hold in memory; long collections, rendered while they are sent |
//! | `openapi` | the document, made of the routes |
//! | `on_call_cache` | who is on call, ready to send |
//! | `once` | writes that carry an `operationId` |
//! | `request_metrics` | what is counted of the answers |
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

use crate::actions::App;
use crate::domain::access::Principal;
use crate::domain::refusal::Refusal;
use crate::metrics::RouteMetrics;
use crate::runtime::clock;
use crate::server::room::{self as memory, RequestBudget};
use crate::server::{Edge, Malformed, Problem, Request};
use crate::wire::etag::Precondition;
use crate::wire::url;
use answer::Outcome;
use auth::{AuthError, Authenticator, Credential};
use extract::{Call, Path, Query};
use jiff::Timestamp;
use on_call_cache::OnCallCache;
use operation::Body;
use rate::Rates;
use request_metrics::RequestMetrics;
use routes::{Found, Handler, Needs, ROUTES, Row};
use std::sync::{Arc, Mutex};
use watch::{Detail, Remembered};

/// The longest `Idempotency-Key`, in bytes.
const LONGEST_KEY: usize = 255;

/// The edge of the API.
pub struct Api {
    app: App,
    authenticator: Authenticator,
    rates: Rates,
    budget: RequestBudget,
    on_call_cache: OnCallCache,
    /// Who may read the metrics.
    access: Access,
    page: Mutex<Remembered>,
    request_metrics: RequestMetrics,
    started_at: Timestamp,
}

impl Api {
    /// The API of a workspace. Its requests take room from the budget that all edges share.
    pub fn new(app: App, limits: Limits, access: Access, budget: RequestBudget) -> Api {
        Api {
            authenticator: Authenticator::default(),
            rates: Rates::new(limits),
            budget,
            on_call_cache: OnCallCache::default(),
            access,
            page: Mutex::default(),
            request_metrics: RequestMetrics::new(app.metrics()),
            started_at: app.clock().now(),
            app,
        }
    }

    /// Whether the path leads anywhere is checked first, then who asks, how often and for what, then the headers, the query and
    /// the body.
    fn answer<'a>(&'a self, request: &Request, counted: &mut &'a RouteMetrics) -> Outcome {
        let (place, path, query) = find(request)?;
        *counted = self.request_metrics.route(place);
        let row = &ROUTES[place];
        match row.handler {
            Handler::Open(run) => {
                let share = self.budget.room(request, None);
                let share = share.take(room::needed(row, 0))?;
                return Ok(memory::hold(run(self, request)?, share));
            }
            Handler::Watched(run) => {
                let (detail, caller) = self.detail(request, row, &path)?;
                let credential = caller.as_ref().map(|caller| caller.of().credential());
                let share = self.budget.room(request, credential);
                let share = share.take(room::needed(row, 0))?;
                return Ok(memory::hold(run(self, detail)?, share));
            }
            _ => {}
        }
        let caller = self.admit(request, row, &path)?;
        let body = read_body(row, request)?;
        if !body.is_empty() {
            extract::check_media_type(request)?;
        }
        let guard = Guard::read(row, request)?;
        let credential = caller.of().credential();
        let room = self.budget.room(request, Some(credential));
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
        let response = guard.run(self, request, &call)?;
        Ok(memory::hold(response, share))
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
    fn detail(
        &self,
        request: &Request,
        row: &Row,
        path: &Path,
    ) -> Result<(Detail, Option<Admitted>), Problem> {
        let header = extract::single(request, "Authorization")?;
        match self.access {
            Access::Open => return Ok((Detail::Whole, None)),
            Access::Limited if !auth::presents(header) => return Ok((Detail::WithoutNames, None)),
            Access::Limited | Access::Key => {}
        }
        let caller = self.admit(request, row, path)?;
        Ok((Detail::Whole, Some(caller)))
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
                let address = request.peer().ip();
                match self.rates.fail(address, clock::monotonic()) {
                    Ok(()) => problem,
                    Err(seconds) => Problem::rate_limited(seconds),
                }
            }
        }
    }
}

impl Edge for Api {
    fn prefixes(&self) -> &'static [&'static str] {
        &["/v1", "/webhook", "/healthz", "/readyz", "/metrics"]
    }

    fn log_target(&self) -> &'static str {
        "rota::api"
    }

    fn handle<'a>(&'a self, request: &Request, counted: &mut &'a RouteMetrics) -> Outcome {
        self.answer(request, counted)
    }

    fn counted(&self, request: &Request) -> Option<&RouteMetrics> {
        let (place, ..) = find(request).ok()?;
        Some(self.request_metrics.route(place))
    }

    fn account(&self, request: &Request) -> Option<String> {
        let header = extract::single(request, "Authorization").ok()?;
        let known = self.authenticator.open(&self.app, header).ok()?;
        Some(known.caller.credential().to_owned())
    }

    /// Whoever may not make the request at all is told so instead.
    fn too_large(&self, request: &Request, malformed: Malformed) -> Problem {
        match self.check_entitled(request) {
            // Where the path leads nowhere it is the size that is told.
            Err(problem) if problem.status != 404 => problem,
            _ => malformed.into(),
        }
    }
}

/// The place among the routes that a request's path and method lead to, with its parameters and the raw query.
fn find(request: &Request) -> Result<(usize, Path<'_>, &str), Problem> {
    let (path, query) = url::split(request.target());
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

fn read_body(row: &Row, request: &Request) -> Result<Vec<u8>, Problem> {
    if matches!(row.operation.body, Body::None) {
        return Ok(Vec::new());
    }
    let unread = |error| Problem::internal(format!("cannot read the body: {error}"));
    request.take_body().map_err(unread)
}

/// A handler with the header that it asks for.
enum Guard {
    Plain(fn(&Api, &Call) -> Outcome),
    IfMatch(fn(&Api, &Call, &Precondition) -> Outcome, Precondition),
    Keyed(fn(&Api, &Call, &str) -> Outcome, String),
    Open(fn(&Api, &Request) -> Outcome),
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

    fn run(self, api: &Api, request: &Request, call: &Call) -> Outcome {
        match self {
            Guard::Open(run) => run(api, request),
            Guard::Watched(run) => run(api, Detail::WithoutNames),
            Guard::Plain(run) => run(api, call),
            Guard::IfMatch(run, precondition) => run(api, call, &precondition),
            Guard::Keyed(run, key) => run(api, call, &key),
        }
    }
}
