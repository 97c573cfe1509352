//! The request URLs, for workspaces without Socket Mode: `/slack/events`, `/slack/commands` and `/slack/interactivity`.
//!
//! A request proves by its signature that it is from Slack. Its payload then goes the way of the socket's.

use super::incoming::Class;
use super::intake::{Intake, NotTaken, Receipt};
use super::signature::{SIGNATURE_HEADER, TIMESTAMP_HEADER, verify};
use crate::actions::App;
use crate::client::Secret;
use crate::domain::refusal::Refusal;
use crate::failpoint;
use crate::metrics::{Metrics, RouteMetrics};
use crate::runtime::clock::{Clock, monotonic};
use crate::server::{Body, Edge, Outcome, Problem, Request, Response};
use crate::wire::url;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The common prefix of the routes.
const PREFIX: &str = "/slack";

/// The routes, each with what is sent to it.
const ROUTES: [(&str, Class); 3] = [
    ("/slack/events", Class::Event),
    ("/slack/commands", Class::Command),
    ("/slack/interactivity", Class::Interaction),
];

/// The edge of the request URLs. Without a signing secret it has no routes.
pub struct RequestUrls {
    open: Option<Open>,
}

struct Open {
    secret: Secret,
    taker: Taker,
    metrics: [RouteMetrics; ROUTES.len()],
}

/// What takes what is sent.
enum Taker {
    Intake(Arc<Intake>),
    /// Nothing: the server at this address writes the database.
    Standby(Arc<str>),
}

impl RequestUrls {
    /// An edge that answers 404.
    pub fn closed() -> RequestUrls {
        RequestUrls { open: None }
    }

    /// The edge with its routes.
    pub fn open(secret: Secret, intake: Arc<Intake>, metrics: &Metrics) -> RequestUrls {
        RequestUrls::with(secret, Taker::Intake(intake), metrics)
    }

    /// The edge of a standby: Slack sends what it refuses again, by when the standby may have taken over.
    pub fn of_standby(app: &App) -> RequestUrls {
        let secret = (app.slack()).and_then(|slack| slack.settings().signing_secret.clone());
        match (secret, app.standby()) {
            (Some(secret), Some(standby)) => {
                let first = Arc::clone(standby.first());
                RequestUrls::with(secret, Taker::Standby(first), app.metrics())
            }
            _ => RequestUrls::closed(),
        }
    }

    fn with(secret: Secret, taker: Taker, metrics: &Metrics) -> RequestUrls {
        let metrics = ROUTES.map(|(route, _)| metrics.route("POST", route));
        RequestUrls {
            open: Some(Open {
                secret,
                taker,
                metrics,
            }),
        }
    }

    fn find(&self, request: &Request) -> Option<(&Open, Class, &RouteMetrics)> {
        let open = self.open.as_ref()?;
        let (path, _) = url::split(request.target());
        let at = ROUTES.iter().position(|(route, _)| *route == path)?;
        Some((open, ROUTES[at].1, &open.metrics[at]))
    }
}

impl Edge for RequestUrls {
    fn prefixes(&self) -> &'static [&'static str] {
        &[PREFIX]
    }

    fn log_target(&self) -> &'static str {
        "rota::slack"
    }

    fn handle<'a>(&'a self, request: &Request, _: &str, counted: &mut &'a RouteMetrics) -> Outcome {
        let found = self.find(request);
        let (open, class, metrics) = found.ok_or_else(Problem::unknown_route)?;
        *counted = metrics;
        if request.method() != "POST" {
            return Err(Problem::wrong_method("POST"));
        }
        let unread = |error| Refusal::invalid("", format!("the body cannot be read: {error}"));
        let body = request.take_body().map_err(unread)?;
        let now = Clock::system().now().as_second();
        let (at, signature) = (
            request.single(TIMESTAMP_HEADER)?,
            request.single(SIGNATURE_HEADER)?,
        );
        if let Err(why) = verify(&open.secret, at, signature, &body, now) {
            log::info!(
                "slack: a request from {} is refused: {why}",
                request.client_address()
            );
            return Err(Problem::new(401, "invalid_signature", why));
        }
        let payload = payload(class, &body)
            .ok_or_else(|| Refusal::invalid("", "the body is not what Slack sends here"))?;
        open.answer(class, &payload)
    }

    fn counted(&self, request: &Request) -> Option<&RouteMetrics> {
        self.find(request).map(|(_, _, metrics)| metrics)
    }
}

impl Open {
    fn answer(&self, class: Class, payload: &Value) -> Outcome {
        if payload["type"] == "url_verification" {
            let challenge = payload["challenge"].as_str().unwrap_or_default();
            return Ok(acknowledged(Some(&json!({ "challenge": challenge }))));
        }
        // Slack asks from time to time whether the certificate is good.
        if class == Class::Command && payload.get("ssl_check").is_some() {
            return Ok(acknowledged(None));
        }
        let intake = match &self.taker {
            Taker::Intake(intake) => intake,
            Taker::Standby(first) => return Err(Problem::standby(first)),
        };
        let taken = intake.take(class, payload).map_err(|error| match error {
            NotTaken::Unreadable(why) => Refusal::invalid("", why.to_string()).into(),
            NotTaken::Failed(error) => Problem::from(error),
        })?;
        match taken {
            Receipt::Plain => Ok(acknowledged(None)),
            Receipt::Full => Err(Problem::overloaded()),
            Receipt::Waits(arrival, slot, patience) => {
                let Some(mut answered) = slot.close_at(monotonic() + patience) else {
                    return Ok(acknowledged(arrival.plain().as_ref()));
                };
                failpoint::point("slack.answering");
                let response = acknowledged(answered.reply.body.take().as_ref());
                intake.acknowledged(answered, true);
                Ok(response)
            }
        }
    }
}

/// The payload of a request; `None` if it has another form, or a field twice.
fn payload(class: Class, body: &[u8]) -> Option<Value> {
    if class == Class::Event {
        return serde_json::from_slice(body).ok();
    }
    let fields = url::parameters(str::from_utf8(body).ok()?)?;
    let names: BTreeSet<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    // Of a field that is there twice, it is unknown which one counts.
    if names.len() < fields.len() {
        return None;
    }
    match class {
        Class::Interaction => {
            let (_, payload) = fields.into_iter().find(|(name, _)| name == "payload")?;
            serde_json::from_str(&payload).ok()
        }
        _ => {
            let members = fields.into_iter().map(|(name, value)| (name, json!(value)));
            Some(Value::Object(members.collect::<Map<_, _>>()))
        }
    }
}

fn acknowledged(body: Option<&Value>) -> Response {
    match body {
        None => Response::empty(200),
        Some(body) => {
            let body = Body::from_data(body.to_string());
            Response::new(200, "application/json", body)
        }
    }
}
