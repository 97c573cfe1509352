//! The HTTP API: routes, authentication, handlers and responses.
//!
//! | File | Part |
//! |---|---|
//! | `routes` | every operation: method, path, scope, precondition, handler, description |
//! | `access_code` | authentication by the key of an inbound webhook |
//! | `extract` | path, query and headers as values |
//! | `answer` | responses |
//! | `room`, `collection` | memory budget of operations; streamed collections |
//! | `openapi` | the OpenAPI document, built from the routes |
//! | `on_call_cache` | cached on-call responses |
//! | `once` | writes with an `operationId` |
//! | `watch` | health and metrics |
//! | `readiness` | readiness |
//! | the others | handlers, one file per resource |

mod absences;
mod access_code;
mod answer;
mod arrangements;
mod audit;
mod calendar_feeds;
mod calendars;
mod changes;
mod chat;
mod collection;
mod covers_and_swaps;
mod deliveries;
mod directory;
mod directory_writes;
mod explain;
mod external;
mod extract;
mod grid;
mod inbound;
mod keys;
mod mentions;
mod messages;
mod notices;
mod on_call;
mod on_call_cache;
mod once;
pub mod openapi;
mod operation;
mod plan;
mod preview;
mod readiness;
mod record;
mod replica;
mod reports;
mod requests;
mod room;
mod rotations;
mod routes;
mod service;
mod trades;
mod warnings;
mod watch;
mod webhooks;

pub use crate::server::rate::Limits;
pub use watch::Access;

use crate::actions::{App, Error};
use crate::admission::{self, Admission, Credential};
use crate::domain::access::Principal;
use crate::domain::refusal::invalid;
use crate::metrics::RouteMetrics;
use crate::server::room::{self as memory, RequestBudget};
use crate::server::{Edge, Malformed, Problem, Request, Response, Scheme};
use crate::wire::etag::{self, Precondition};
use crate::wire::url::{self, RouteMatch};
use answer::Outcome;
use extract::{Call, Path, Query};
use jiff::Timestamp;
use on_call_cache::OnCallCache;
use operation::Body;
use routes::{Handler, Needs, ROUTES, Row};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock};
use watch::{Detail, MetricsCache};

/// The longest `Idempotency-Key`, in bytes.
const LONGEST_KEY: usize = 255;

/// The edge of the API.
pub struct Api {
    app: App,
    admission: Arc<Admission>,
    budget: RequestBudget,
    /// The operator's setting. Without one, a trusted proxy may provide the URL that the client used.
    base_url: Option<String>,
    on_call_cache: OnCallCache,
    /// Who may read metrics.
    access: Access,
    page: Mutex<MetricsCache>,
    /// The metrics of each route, in the order of [`ROUTES`].
    metrics: Vec<RouteMetrics>,
    started_at: Timestamp,
    /// Makes the OpenAPI document, which lists the route that serves it too.
    document: fn() -> Value,
    rendered: OnceLock<Arc<[u8]>>,
}

impl Api {
    /// The API of a workspace. Its requests share the memory budget of all edges. `base_url` is the public URL, if the
    /// operator has set one, and `document` makes the OpenAPI document.
    pub fn new(
        app: App,
        admission: Arc<Admission>,
        access: Access,
        budget: RequestBudget,
        base_url: Option<String>,
        document: fn() -> Value,
    ) -> Api {
        let metrics = |row: &Row| app.metrics().route(row.method, row.pattern);
        Api {
            base_url,
            admission,
            budget,
            on_call_cache: OnCallCache::default(),
            access,
            page: Mutex::default(),
            metrics: ROUTES.iter().map(metrics).collect(),
            started_at: app.clock().now(),
            document,
            rendered: OnceLock::new(),
            app,
        }
    }

    /// The public URL for links in a response, without a trailing slash. If a trusted proxy sends the scheme that the client
    /// used, the URL has that scheme, with `Host` unless the operator has set a URL.
    fn base_url(&self, request: &Request) -> Cow<'_, str> {
        let own = self.app.base_url();
        let Some(scheme) = request.forwarded_scheme() else {
            return own.into();
        };
        match (&self.base_url, request.header("Host")) {
            // A proxy in front of this one may have terminated TLS, so a configured https stays https.
            (Some(set), _) => match (set.strip_prefix("http://"), scheme) {
                (Some(rest), Scheme::Https) => format!("{scheme}://{rest}").into(),
                _ => own.into(),
            },
            (None, Some(host)) => format!("{scheme}://{host}").into(),
            (None, None) => own.into(),
        }
    }

    /// The checks that precede the size of a body.
    fn check_entitled(&self, request: &Request, id: &str) -> Result<(), Problem> {
        let (index, path, _) = find(request)?;
        let row = &ROUTES[index];
        match row.handler {
            Handler::Open(_) => {}
            Handler::Watched(_) => drop(self.detail(request, id, row, &path)?),
            _ => drop(self.admit(request, id, row, &path)?),
        }
        match row.operation.body {
            Body::None => Ok(()),
            _ => extract::check_media_type(request),
        }
    }

    /// The detail of metrics for a request, by the operator's setting and its credential.
    fn detail(
        &self,
        request: &Request,
        id: &str,
        row: &Row,
        path: &Path,
    ) -> Result<(Detail, Option<Admitted>), Problem> {
        let header = request.single("Authorization")?;
        match self.access {
            Access::Open => return Ok((Detail::Whole, None)),
            Access::Limited if !admission::presents(header) => {
                return Ok((Detail::WithoutNames, None));
            }
            Access::Limited | Access::Key => {}
        }
        let caller = self.admit(request, id, row, path)?;
        Ok((Detail::Whole, Some(caller)))
    }

    /// The validators that a request knows, as handlers compare them.
    fn validators<'r>(&self, request: &'r Request) -> Option<Cow<'r, str>> {
        let header = extract::header(request, "If-None-Match")?;
        Some(match self.app.standby() {
            Some(_) => etag::standby_validators(&header).into(),
            None => header,
        })
    }

    /// The response with the validator that this server shows.
    fn tagged(&self, mut response: Response) -> Response {
        if self.app.standby().is_some() {
            for (name, value) in &mut response.headers {
                if *name == "ETag" {
                    *value = etag::standby_tag(value).into();
                }
            }
        }
        response
    }

    /// Refuses what only the server answers that writes the database, anywhere else.
    fn check_written_here(&self, row: &Row) -> Result<(), Error> {
        match self.app.store().check_written_here() {
            Err(Error::HandingOver) if row.is_answered_while_handing_over() => Ok(()),
            Err(error) if !row.is_answered_by_standbys() => Err(error),
            _ => Ok(()),
        }
    }

    /// Authenticates a request and checks the scope.
    fn admit(
        &self,
        request: &Request,
        id: &str,
        row: &Row,
        path: &Path,
    ) -> Result<Admitted, Problem> {
        if row.needs == Needs::AccessCode {
            let caller = access_code::enter(&self.app, request, path)
                .map_err(|refused| self.admission.refuse(&self.app, request, id, refused))?;
            self.admission.ask(&caller)?;
            return Ok(Admitted::Entered(caller));
        }
        let credential = self.admission.admit(&self.app, request, id)?;
        match row.needs {
            Needs::Nothing | Needs::AccessCode => {}
            Needs::Scoped(scope) => credential.caller.check_scope(scope)?,
            Needs::Person => credential.caller.person().map(drop)?,
            Needs::Watching => credential.caller.check_watch()?,
        }
        Ok(Admitted::Credential(credential))
    }
}

impl Edge for Api {
    fn prefixes(&self) -> &'static [&'static str] {
        &["/v1", "/webhook", "/healthz", "/readyz", "/metrics"]
    }

    fn log_target(&self) -> &'static str {
        "rota::api"
    }

    /// Checks the route first, then the credential, the rate and the scope, then the headers, the query and the
    /// body.
    fn handle<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        let (index, path, query) = find(request)?;
        *counted = &self.metrics[index];
        let row = &ROUTES[index];
        // One that takes no call has a constant need of memory.
        let within = |credential: Option<&str>, run: &dyn Fn() -> Outcome| {
            Query::parse(query, row.operation)?;
            let share = self.budget.room(request, credential);
            let share = share.take(room::needed(row, 0))?;
            Ok(memory::hold(run()?, share))
        };
        match row.handler {
            Handler::Open(run) => return within(None, &|| run(self, request)),
            Handler::Watched(run) => {
                let (detail, caller) = self.detail(request, id, row, &path)?;
                let credential = caller.as_ref().map(|caller| caller.of().credential());
                return within(credential, &|| run(self, detail));
            }
            _ => {}
        }
        let caller = self.admit(request, id, row, &path)?;
        self.check_written_here(row)?;
        let body = read_body(row, request)?;
        if !body.is_empty() {
            extract::check_media_type(request)?;
        }
        let run = ready(row, request)?;
        let credential = caller.of().credential();
        let room = self.budget.room(request, Some(credential));
        let share = room.take(room::needed(row, body.len()))?;
        let path = path.named(row.pattern, caller.of());
        let call = Call {
            api: self,
            app: &self.app,
            caller: caller.of(),
            action: row.operation.id,
            request_id: id,
            client_request_id: request.client_request_id(),
            address: request.client_address(),
            body,
            if_none_match: self.validators(request),
            accept: extract::header(request, "Accept"),
            path,
            query: Query::parse(query, row.operation)?,
            base_url: self.base_url(request),
            room,
            will_fail: RefCell::default(),
        };
        let mut answer = run(&call)?;
        for id in call.will_fail.take() {
            answer = answer.with("X-Rota-Warning", format!("changeWillFail {id}"));
        }
        Ok(memory::hold(self.tagged(answer), share))
    }

    fn counted(&self, request: &Request) -> Option<&RouteMetrics> {
        let (index, ..) = find(request).ok()?;
        Some(&self.metrics[index])
    }

    fn account(&self, request: &Request) -> Option<String> {
        self.admission.account(&self.app, request)
    }

    /// Earlier refusals take precedence over the size.
    fn too_large(&self, request: &Request, id: &str, malformed: Malformed) -> Problem {
        match self.check_entitled(request, id) {
            // For an unknown path the size is reported.
            Err(problem) if problem.status != 404 => problem,
            _ => malformed.into(),
        }
    }
}

/// The index of a request's route, with its parameters and the raw query.
fn find(request: &Request) -> Result<(usize, Path<'_>, &str), Problem> {
    let (path, query) = url::split(request.target());
    let segments = url::segments(path).ok_or_else(Problem::unknown_route)?;
    match routes::find(request.method(), &segments) {
        RouteMatch::Row(index, parts) => Ok((index, Path(parts), query)),
        RouteMatch::OtherMethod(allowed) => Err(Problem::wrong_method(&allowed)),
        RouteMatch::Nothing => Err(Problem::unknown_route()),
    }
}

/// An authenticated caller.
enum Admitted {
    /// A key or a member token.
    Credential(Arc<Credential>),
    /// The key of an inbound webhook.
    Entered(Principal),
}

impl Admitted {
    fn of(&self) -> &Principal {
        match self {
            Admitted::Credential(credential) => &credential.caller,
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

/// A handler that has what it needs beside the call.
type Ready = Box<dyn FnOnce(&Call) -> Outcome>;

/// The handler of a route that takes a credential, with the header that it requires.
fn ready(row: &Row, request: &Request) -> Result<Ready, Problem> {
    match row.handler {
        Handler::Open(_) | Handler::Watched(_) => Err(Problem::unknown_route()),
        Handler::Plain(run) => Ok(Box::new(run)),
        Handler::IfMatch(run) => {
            let Some(header) = extract::header(request, "If-Match") else {
                return Err(Problem::missing_precondition(
                    "If-Match: missing; send the ETag of the last read with its quotes, or * to overwrite any version",
                ));
            };
            let precondition = Precondition::parse(&header);
            Ok(Box::new(move |call| run(call, &precondition)))
        }
        Handler::Keyed(run) => {
            let key = request.single("Idempotency-Key")?;
            let key = key.map(str::trim).unwrap_or_default().to_owned();
            if key.is_empty() {
                return Err(Problem::missing_precondition(
                    "Idempotency-Key: missing; send a value that is unique to this creation, the same on every retry",
                ));
            }
            if key.len() > LONGEST_KEY {
                let most = format!("send at most {LONGEST_KEY} bytes");
                return Ok(invalid("Idempotency-Key", most)?);
            }
            Ok(Box::new(move |call| run(call, &key)))
        }
    }
}
