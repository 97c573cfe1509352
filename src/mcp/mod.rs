//! `POST /mcp`: tools for assistants, by the Model Context Protocol over Streamable HTTP. Stateless: no session is kept, and every
//! message is answered with JSON.
//!
//! A request is admitted as one of the API is, by the same credentials, rights and limits. Each tool calls the action that the API's
//! route calls, and renders the same JSON.
//!
//! | File | Part |
//! |---|---|
//! | `message` | JSON-RPC 2.0 |
//! | `protocol` | the versions, and what each wants of a request and an answer |
//! | `origin` | where browsers may send from |
//! | `tools` | the tools: what they are called, take and give, one file for each kind |

mod message;
mod origin;
mod protocol;
mod tools;

use crate::actions::App;
use crate::admission::Admission;
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::metrics::RouteMetrics;
use crate::server::room::{self, RequestBudget};
use crate::server::{Body, Edge, Malformed, Outcome, Problem, Request, Response};
use crate::wire::url;
use message::{INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message, RpcError};
use protocol::Era;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;

/// The one path.
const PATH: &str = "/mcp";

/// The longest message, in bytes. It is parsed before a tool takes memory from the budget.
const LONGEST: usize = 64 * 1024;

/// The edge for assistants.
pub struct Mcp {
    app: App,
    admission: Arc<Admission>,
    budget: RequestBudget,
    metrics: RouteMetrics,
}

/// A message of somebody known.
pub struct Call<'a> {
    pub app: &'a App,
    pub caller: &'a Principal,
    request_id: &'a str,
    client_request_id: Option<&'a str>,
    address: IpAddr,
}

impl Call<'_> {
    /// Who writes by this message; `action` is the API's operation.
    pub fn author(&self, action: &'static str) -> Author {
        Author {
            principal: self.caller.clone(),
            action,
            origin: Origin {
                request_id: Some(self.request_id.to_owned()),
                client_request_id: self.client_request_id.map(str::to_owned),
                address: Some(self.address),
            },
        }
    }
}

impl Mcp {
    /// The tools of a workspace. Its requests share admission and memory with the other edges.
    pub fn new(app: App, admission: Arc<Admission>, budget: RequestBudget) -> Mcp {
        Mcp {
            metrics: app.metrics().route("POST", PATH),
            app,
            admission,
            budget,
        }
    }

    fn answer(&self, request: &Request, id: &str) -> Outcome {
        origin::check(self.app.base_url(), request)?;
        if request.method() != "POST" {
            return Err(Problem::wrong_method("POST"));
        }
        let credential = self.admission.admit(&self.app, request, id)?;
        check_media_types(request)?;
        let unread = |error| Problem::internal(format!("cannot read the body: {error}"));
        let body = request.take_body().map_err(unread)?;
        if body.len() > LONGEST {
            return Err(Problem::new(
                413,
                "invalid_request",
                "the message is longer than 64 KiB; send a shorter one",
            ));
        }
        let message = match message::parse(&body) {
            Ok(message) => message,
            Err((id, error)) => return json_response(400, &error.answer(&id)),
        };
        let params = match &message {
            Message::Request(call) => Some(&call.params),
            Message::Notification | Message::Response => None,
        };
        let era = match Era::of(request, params) {
            Ok(era) => era,
            Err(error) => return json_response(400, &error.answer(id_of(&message))),
        };
        let rpc = match message {
            Message::Notification => return Ok(Response::empty(202)),
            Message::Response if era == Era::Handshake => return Ok(Response::empty(202)),
            Message::Response => {
                let wrong = "this server asks for nothing; send a request or a notification";
                let error = RpcError::new(INVALID_REQUEST, wrong);
                return json_response(400, &error.answer(&Value::Null));
            }
            Message::Request(rpc) => rpc,
        };
        let call = Call {
            app: &self.app,
            caller: &credential.caller,
            request_id: id,
            client_request_id: request.client_request_id(),
            address: request.client_address(),
        };
        match era.check(request, &rpc) {
            Ok(()) => self.dispatch(request, &call, era, &rpc),
            Err(error) => json_response(era.status(&error), &error.answer(&rpc.id)),
        }
    }

    /// Does what a request asks for.
    fn dispatch(
        &self,
        request: &Request,
        call: &Call,
        era: Era,
        rpc: &message::Request,
    ) -> Outcome {
        let mut share = None;
        let done = match (rpc.method.as_str(), era) {
            ("initialize", Era::Handshake) => protocol::initialize(&rpc.params),
            ("ping", Era::Handshake) => Ok(json!({})),
            ("server/discover", Era::Modern) => Ok(era.uncached(protocol::discover())),
            ("tools/list", _) => match rpc.params.get("cursor") {
                Some(_) => {
                    let wrong = "cursor: unknown; all tools are in one answer";
                    Err(RpcError::new(INVALID_PARAMS, wrong))
                }
                None => Ok(era.uncached(json!({ "tools": tools::list(call.caller) }))),
            },
            ("tools/call", _) => {
                let credential = call.caller.credential();
                let room = self.budget.room(request, Some(credential));
                match tools::find(call.caller, &rpc.params) {
                    Err(error) => Err(error),
                    Ok(called) => {
                        share = room.take(called.tool.memory)?;
                        Ok(era.result(called.run(call)?))
                    }
                }
            }
            (method, _) => {
                let method: String = method.chars().take(100).collect();
                let wrong = format!("Method not found: {method}");
                Err(RpcError::new(METHOD_NOT_FOUND, wrong))
            }
        };
        let response = match done {
            Ok(result) => json_response(200, &message::answer(&rpc.id, result))?,
            Err(error) => json_response(era.status(&error), &error.answer(&rpc.id))?,
        };
        Ok(room::hold(response, share))
    }
}

fn id_of(message: &Message) -> &Value {
    match message {
        Message::Request(rpc) => &rpc.id,
        Message::Notification | Message::Response => &Value::Null,
    }
}

/// Refuses bodies that are not JSON, and clients that do not take it.
fn check_media_types(request: &Request) -> Result<(), Problem> {
    let kind = |value: &str| {
        let kind = value.split(';').next().unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    };
    let sent = request.single("Content-Type")?.unwrap_or_default();
    if kind(sent) != "application/json" {
        return Err(Problem::new(
            415,
            "invalid_request",
            "Content-Type: send application/json",
        ));
    }
    let mut accepted = request
        .headers()
        .filter(|(name, _)| name.eq_ignore_ascii_case("Accept"))
        .flat_map(|(_, value)| value.split(','))
        .peekable();
    let takes_all = accepted.peek().is_none();
    let json = ["application/json", "application/*", "*/*"];
    match takes_all || accepted.any(|range| json.contains(&kind(range).as_str())) {
        true => Ok(()),
        false => Err(Problem::new(
            406,
            "not_acceptable",
            "Accept: answers are application/json; accept it",
        )),
    }
}

fn json_response(status: u16, value: &Value) -> Outcome {
    let body = Body::from_data(value.to_string());
    let response = Response::new(status, "application/json", body);
    Ok(response.with("Cache-Control", "no-store"))
}

impl Edge for Mcp {
    fn prefixes(&self) -> &'static [&'static str] {
        &[PATH]
    }

    fn log_target(&self) -> &'static str {
        "rota::mcp"
    }

    fn handle<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        if url::split(request.target()).0 != PATH {
            return Err(Problem::unknown_route());
        }
        *counted = &self.metrics;
        self.answer(request, id)
    }

    fn counted(&self, request: &Request) -> Option<&RouteMetrics> {
        (url::split(request.target()).0 == PATH).then_some(&self.metrics)
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
}

/// The arguments of a tool.
pub type Arguments = Map<String, Value>;
