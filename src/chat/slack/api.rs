//! Calls methods of Slack's Web API: one bounded request each, with its pace, its class of failure and its count.

use super::error::{SLACK, classify};
use super::gates::Gates;
use super::group_people::GroupPeople;
use super::method::{Encoding, METHODS, Method, Token};
use super::settings::SlackSettings;
use crate::chat::call_error::{CallError, Class, Pause, wait};
use crate::chat::health::{Asked, Health, Leave};
use crate::chat::{ReadingEvents, Remote};
use crate::client::{Client, HttpResponse, Limits, Request, Tls};
use crate::domain::ids::GroupId;
use crate::metrics::Metrics;
use crate::runtime::clock::{Clock, monotonic};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The limits of a call: 15 seconds and 8 MiB, which a page of a large directory does not reach.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(15),
    body: Duration::ZERO,
    body_bytes: 8 * 1024 * 1024,
};

/// The Slack workspace that is set up: its Web API and what is known of its state.
pub struct Slack {
    settings: SlackSettings,
    client: Client,
    pub(super) clock: Arc<Clock>,
    metrics: Arc<Metrics>,
    pub(super) gates: Gates,
    pub(super) health: Health,
    pub(super) group_people: GroupPeople,
    pub(super) meanwhile: ReadingEvents,
}

impl Slack {
    /// Creates the platform. Nothing is called yet.
    pub fn new(
        settings: SlackSettings,
        tls: &Tls,
        clock: Arc<Clock>,
        metrics: Arc<Metrics>,
    ) -> Slack {
        for method in METHODS {
            metrics.expect_chat_method(method.name);
        }
        let client = Client::new(tls, settings.api_url.is_plain(), settings.proxy.clone());
        Slack {
            settings,
            client,
            clock,
            metrics,
            gates: Gates::default(),
            health: Health::new(SLACK),
            group_people: GroupPeople::default(),
            meanwhile: ReadingEvents::default(),
        }
    }

    /// The operator's settings.
    pub fn settings(&self) -> &SlackSettings {
        &self.settings
    }

    /// The client to Slack: its trust, its proxy, and no check of addresses, because the operator named the host.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Calls a method with the members of `arguments`, and returns what Slack answers. A call whose gate is closed, or that
    /// comes while the platform is paused, is not made.
    ///
    /// # Errors
    /// [`CallError`], by what follows from it.
    pub fn call(&self, method: &Method, arguments: &Value) -> Result<Value, CallError> {
        if method.token == Token::Bot {
            match self.health.leave(self.clock.now()) {
                Leave::Given => {}
                Leave::Refused(pause) => return Err(CallError::Paused(pause)),
                Leave::Ask => self.ask_whether_paused()?,
            }
            return self.send(method, arguments);
        }
        if let Some(pause) = self.health.app_pause(self.clock.now(), monotonic()) {
            return Err(CallError::Paused(pause));
        }
        let answer = self.send(method, arguments);
        if answer.is_ok() {
            self.health.resume_app();
        }
        answer
    }

    /// Records whether Socket Mode has a connection.
    pub fn set_socket_connected(&self, connected: bool) {
        self.health.set_socket_connected(connected);
    }

    /// Records why a socket cannot be opened, or that one is open.
    pub fn set_no_socket(&self, why: Option<String>) {
        self.health.set_no_socket(why);
    }

    /// Whether Slack has refused the app token, and it is not to be asked yet.
    pub fn is_app_token_refused(&self) -> bool {
        let paused = self.health.app_pause(self.clock.now(), monotonic());
        paused.is_some()
    }

    /// Something is said of a user group: what was listed of it is over.
    pub fn forget_listed(&self, group: &GroupId) {
        self.group_people.forget(group);
    }

    /// Why user groups cannot be created; `None` if they can, as far as is known.
    pub(super) fn no_groups(&self) -> Option<String> {
        let why = "Slack permits user groups in paid workspaces only";
        self.health.has_no_groups().then(|| why.into())
    }

    /// Records what an answer about user groups says of the workspace. Returns whether it is refused because its plan has none.
    pub(super) fn note_groups<T>(&self, asked: Asked, answer: &Result<T, CallError>) -> bool {
        let code = answer.as_ref().err().and_then(CallError::code);
        let has_none = matches!(code, Some("plan_upgrade_required" | "paid_teams_only"));
        if has_none || answer.is_ok() {
            self.health.set_no_groups(asked, has_none);
        }
        has_none
    }

    fn ask_whether_paused(&self) -> Result<(), CallError> {
        self.ask_workspace().map(drop)
    }

    pub(super) fn pause(&self, pause: Pause) -> CallError {
        if self.health.pause(pause.clone(), self.clock.now()) {
            log::error!("slack: {pause}; nothing is sent until it is taken again");
        }
        CallError::Paused(pause)
    }

    pub(super) fn send(&self, method: &Method, arguments: &Value) -> Result<Value, CallError> {
        let channel = arguments["channel"].as_str().unwrap_or_default();
        let entered = monotonic();
        (self.gates.enter(method, channel, entered)).map_err(CallError::NotBefore)?;
        let result = self.exchange(method, arguments).map(|(value, _)| value);
        self.gates.leave(method, channel, entered, monotonic());
        if method.token == Token::Bot && !matches!(result, Err(Class::Transient(_))) {
            self.health.answered();
        }
        let result = result.map_err(|class| self.follow(class, method, channel));
        let outcome = result.as_ref().map_or_else(CallError::outcome, |_| "ok");
        self.metrics.chat_requested(method.name, outcome);
        log::debug!("slack: {} {channel}: {outcome}", method.name);
        result
    }

    /// Records what follows from a failure for later calls.
    fn follow(&self, class: Class, method: &Method, channel: &str) -> CallError {
        match class {
            Class::Wait(length) => {
                let until = monotonic() + length;
                self.gates.close(method, channel, until);
                self.metrics.chat_rate_limited(method.name);
                log::info!(
                    "slack: {} {channel} waits for {} s, as Slack asks",
                    method.name,
                    length.as_secs()
                );
                CallError::NotBefore(until)
            }
            Class::Transient(why) => {
                // The app token is for the socket alone: what goes out does not need it.
                if method.token == Token::Bot && self.health.failed(&why) {
                    log::warn!("slack: {}: {why}", method.name);
                }
                CallError::Transient(why)
            }
            Class::Refused(refusal) => CallError::Refused(refusal),
            Class::Paused(pause) if method.token == Token::App => {
                if (self.health).pause_app(pause.clone(), self.clock.now(), monotonic()) {
                    log::error!(
                        "slack: app token: {pause}; commands and buttons do not arrive until it is taken"
                    );
                }
                CallError::Paused(pause)
            }
            Class::Paused(pause) => self.pause(pause),
        }
    }

    /// Sends one request and reads the answer, without pace and without consequences. Also returns the head.
    pub(super) fn exchange(
        &self,
        method: &Method,
        arguments: &Value,
    ) -> Result<(Value, HttpResponse), Class> {
        let answer = self.request(method, arguments)?;
        let value = read(&answer)?;
        Ok((value, answer))
    }

    /// As [`Slack::exchange`], with the head of what Slack answers even if it refuses.
    pub(super) fn exchange_with_head(
        &self,
        method: &Method,
    ) -> (Result<Value, Class>, Option<HttpResponse>) {
        match self.request(method, &Value::Null) {
            Ok(answer) => (read(&answer), Some(answer)),
            Err(class) => (Err(class), None),
        }
    }

    fn request(&self, method: &Method, arguments: &Value) -> Result<HttpResponse, Class> {
        let url = self.settings.api_url.method(method.name);
        let token = match method.token {
            Token::Bot => Some(&self.settings.bot_token),
            Token::App => self.settings.app_token.as_ref(),
        };
        let token = token.ok_or_else(|| {
            Class::Paused(Pause {
                by: SLACK,
                code: "not_authed".into(),
                needed: Some("an app token".into()),
            })
        })?;
        let bearer = format!("Bearer {}", token.reveal());
        let request = Request::post(&url)
            .within(LIMITS)
            .header("Authorization", &bearer);
        let fields = fields(arguments);
        let request = match method.encoding {
            Encoding::Json => request.json(arguments),
            Encoding::Form => {
                let fields: Vec<(&str, &str)> = fields
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .collect();
                request.form(&fields)
            }
        };
        let answer = self.client.send(&request);
        answer.map_err(|error| Class::Transient(format!("no answer: {error}")))
    }
}

/// The members of an object as the fields of a form. Null is left out.
fn fields(arguments: &Value) -> Vec<(String, String)> {
    let members = arguments.as_object().into_iter().flatten();
    let field = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some((name.clone(), value))
    };
    members.filter_map(field).collect()
}

/// A response of Slack that says `ok`.
fn read(answer: &HttpResponse) -> Result<Value, Class> {
    if answer.status == 429 {
        return Err(Class::Wait(wait(answer.header("retry-after"))));
    }
    if answer.status != 200 {
        return Err(Class::Transient(format!("Slack answers {}", answer.status)));
    }
    if answer.truncated {
        return Err(Class::Transient(
            "Slack's answer is incomplete or too large".into(),
        ));
    }
    let value: Result<Value, _> = serde_json::from_slice(&answer.body);
    let value = value.map_err(|_| Class::Transient("Slack's answer is not JSON".into()))?;
    if value["ok"] == true {
        return Ok(value);
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let code = text(&value["error"]).unwrap_or_else(|| "unknown_error".into());
    let code = code.chars().filter(|c| c.is_ascii_graphic()).take(80);
    let code: String = code.collect();
    let messages = value["response_metadata"]["messages"].as_array();
    let detail = messages.map(|messages| {
        let texts = messages.iter().filter_map(Value::as_str);
        texts.collect::<Vec<_>>().join("; ")
    });
    let detail = detail.filter(|detail| !detail.is_empty());
    match classify(&code, text(&value["needed"]), detail) {
        Class::Wait(_) => Err(Class::Wait(wait(answer.header("retry-after")))),
        class => Err(class),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(status: u16, body: &str, headers: &[(&str, &str)]) -> HttpResponse {
        HttpResponse {
            status,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.as_bytes().to_vec(),
            truncated: false,
        }
    }

    #[test]
    fn answers_have_their_class() {
        let class =
            |status, body, headers: &[(&str, &str)]| match read(&answer(status, body, headers)) {
                Ok(value) => value.to_string(),
                Err(Class::Wait(length)) => format!("wait {}", length.as_secs()),
                Err(Class::Transient(why)) => why,
                Err(Class::Refused(refusal)) => refusal.to_string(),
                Err(Class::Paused(pause)) => pause.to_string(),
            };
        let retry = [("retry-after", "7")];
        for (status, body, headers, expected) in [
            (200, r#"{"ok":true}"#, &[][..], r#"{"ok":true}"#),
            (429, "", &retry, "wait 7"),
            (429, r#"{"ok":false,"error":"ratelimited"}"#, &[], "wait 30"),
            (
                200,
                r#"{"ok":false,"error":"ratelimited"}"#,
                &retry,
                "wait 7",
            ),
            (503, "<html>", &[], "Slack answers 503"),
            (404, "", &[], "Slack answers 404"),
            (302, "", &[], "Slack answers 302"),
            (200, "<html>", &[], "Slack's answer is not JSON"),
            (200, r#"{"ok":"true"}"#, &[], "Slack answers unknown_error"),
            (
                200,
                r#"{"ok":false,"error":"fatal_error"}"#,
                &[],
                "Slack answers fatal_error",
            ),
            (
                200,
                r#"{"ok":false,"error":"missing_scope","needed":"chat:write"}"#,
                &[],
                "Slack answers missing_scope: the app needs chat:write",
            ),
            (
                200,
                r#"{"ok":false,"error":"invalid_arguments","response_metadata":{"messages":["[ERROR] no such field"]}}"#,
                &[],
                "Slack answers invalid_arguments ([ERROR] no such field)",
            ),
        ] {
            assert_eq!(class(status, body, headers), expected, "{status} {body}");
        }
    }

    #[test]
    fn forms_have_the_members_of_the_arguments() {
        let arguments = json!({ "limit": 200, "all": true, "none": null, "types": "a,b" });
        let found = fields(&arguments);
        let pairs: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(pairs, [("all", "true"), ("limit", "200"), ("types", "a,b")]);
        assert_eq!(fields(&Value::Null), []);
    }
}
