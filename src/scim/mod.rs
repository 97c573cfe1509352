//! `/scim/v2`: providers of identities write people and user groups by SCIM 2.0 (RFC 7643 and 7644).
//!
//! A request is admitted as one of the API is. What it sends becomes an image of a person or a user group, which an action stores; the
//! attributes themselves are kept as they were sent. Everything that is refused is refused in SCIM's own form.
//!
//! | File | Part |
//! |---|---|
//! | `schema` | the attributes, and what describes them |
//! | `filter` | filters (pure) |
//! | `patch` | PATCH (pure) |
//! | `values` | values as they are sent (pure) |
//! | `query` | pages, selections of attributes, preconditions |
//! | `people`, `groups` | Users and Groups, and their records |
//! | `following` | the loop by which rotations follow |

mod filter;
mod following;
mod groups;
mod patch;
mod people;
mod query;
mod routes;
mod schema;
mod values;

pub use following::start;

use crate::actions::App;
use crate::actions::provisioning;
use crate::admission::Admission;
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::domain::provisioning::ScimFault;
use crate::domain::refusal::Refusal;
use crate::metrics::RouteMetrics;
use crate::server::room::{self, RequestBudget};
use crate::server::{Body, Edge, Malformed, Outcome, Problem, Request, Response};
use crate::wire::url;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The path of the edge.
const PATH: &str = "/scim/v2";

const MEDIA_TYPE: &str = "application/scim+json";

/// Room for reading the directory and making a page of it, in bytes.
const ROOM: usize = 8 * 1024 * 1024;

/// The edge of SCIM.
pub struct Scim {
    app: App,
    admission: Arc<Admission>,
    budget: RequestBudget,
    /// One counter for all routes.
    metrics: RouteMetrics,
}

/// A request of somebody who may.
struct Call<'a> {
    app: &'a App,
    caller: &'a Principal,
    request: &'a Request,
    request_id: &'a str,
    /// The address of the edge.
    base: String,
    query: &'a str,
}

impl Call<'_> {
    /// Who writes by this request.
    fn author(&self, action: &'static str) -> Author {
        Author {
            principal: self.caller.clone(),
            action,
            origin: Origin {
                request_id: Some(self.request_id.to_owned()),
                client_request_id: self.request.client_request_id().map(str::to_owned),
                address: Some(self.request.client_address()),
            },
        }
    }

    /// The object of the body.
    fn body(&self) -> Result<Map<String, Value>, Problem> {
        let sent = self.request.single("Content-Type")?.unwrap_or_default();
        let kind = sent.split(';').next().unwrap_or_default().trim();
        if ![MEDIA_TYPE, "application/json"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(kind))
        {
            let why = "Content-Type: send application/scim+json or application/json";
            return Err(Problem::new(415, "invalid_request", why));
        }
        let unread = |error| Problem::internal(format!("cannot read the body: {error}"));
        let bytes = self.request.take_body().map_err(unread)?;
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(body)) => Ok(body),
            Ok(_) => Err(refused(ScimFault::InvalidSyntax, "send a JSON object").into()),
            Err(error) => {
                let why = format!("the body is not JSON: {error}");
                Err(refused(ScimFault::InvalidSyntax, why).into())
            }
        }
    }

    /// The body of a write.
    fn written(&self) -> Result<Map<String, Value>, Problem> {
        self.app.store().check_written_here()?;
        self.body()
    }

    /// The validators of a write.
    fn if_match(&self) -> Option<String> {
        query::joined(self.request, "If-Match")
    }
}

fn refused(fault: ScimFault, detail: impl Into<String>) -> Refusal {
    Refusal::Provisioning(fault, detail.into())
}

impl Scim {
    /// The edge of a workspace. Its requests share admission and memory with the other edges.
    pub fn new(app: App, admission: Arc<Admission>, budget: RequestBudget) -> Scim {
        Scim {
            metrics: app.metrics().route("*", PATH),
            app,
            admission,
            budget,
        }
    }

    fn answer(&self, request: &Request, id: &str) -> Outcome {
        let (path, query) = url::split(request.target());
        let credential = self.admission.admit(&self.app, request, id)?;
        let caller = &credential.caller;
        provisioning::check(&self.app, caller)?;
        let room = self.budget.room(request, Some(caller.credential()));
        let share = room.take(ROOM)?;
        let call = Call {
            app: &self.app,
            caller,
            request,
            request_id: id,
            base: format!("{}{PATH}", self.app.base_url()),
            query,
        };
        let response = routes::answer(&call, path.strip_prefix(PATH).unwrap_or_default())?;
        Ok(room::hold(response, share))
    }
}

/// A JSON answer of the type that the caller takes.
fn json_response(request: &Request, status: u16, value: &Value) -> Response {
    let accepted = query::joined(request, "Accept").unwrap_or_default();
    let accepted = accepted.to_ascii_lowercase();
    let takes_plain = accepted.contains("application/json") && !accepted.contains(MEDIA_TYPE);
    let media_type = match takes_plain {
        true => "application/json",
        false => MEDIA_TYPE,
    };
    let body = Body::from_data(value.to_string());
    Response::new(status, media_type, body).with("Cache-Control", "no-store")
}

impl Edge for Scim {
    fn prefixes(&self) -> &'static [&'static str] {
        &[PATH]
    }

    fn log_target(&self) -> &'static str {
        "rota::scim"
    }

    fn handle<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        *counted = &self.metrics;
        self.answer(request, id)
    }

    fn counted(&self, _: &Request) -> Option<&RouteMetrics> {
        Some(&self.metrics)
    }

    fn account(&self, request: &Request) -> Option<String> {
        self.admission.account(&self.app, request)
    }

    /// Earlier refusals take precedence over the size.
    fn too_large(&self, request: &Request, id: &str, malformed: Malformed) -> Problem {
        match self.admission.admit(&self.app, request, id) {
            Err(problem) => problem,
            Ok(_) => malformed.into(),
        }
    }

    /// In the form of RFC 7644, section 3.12.
    fn render(&self, request: &Request, problem: &Problem, _: &str) -> Response {
        let detail = match problem.code {
            // Whoever reads only the text must see whose the directory is.
            code @ ("directory_is_slack" | "directory_is_matrix") => {
                format!("{code}: {}", problem.detail())
            }
            _ => problem.detail().into_owned(),
        };
        let mut error = json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "status": problem.status.to_string(), "detail": detail
        });
        if ScimFault::parse(problem.code).is_some() {
            error["scimType"] = problem.code.into();
        }
        let response = json_response(request, problem.status, &error);
        let headers = problem.headers().iter().cloned();
        headers.fold(response, |mut response, header| {
            response.headers.push(header);
            response
        })
    }
}
