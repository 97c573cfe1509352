//! Problem responses (RFC 9457).

use super::Malformed;
use super::exchange::Body;
use super::response::{Header, Response};
use crate::domain::fault::Fault;
use crate::wire::conflict::Conflict;
use crate::wire::problem as wire;
use std::borrow::Cow;

/// A problem: why a request failed.
#[derive(Debug)]
pub struct Problem {
    pub status: u16,
    pub code: &'static str,
    /// The title shared by all problems of one code. `None` uses the title of the status.
    title: Option<&'static str>,
    /// What is wrong, in the words of the API.
    text: Cow<'static, str>,
    /// Boxed, because most problems have none, and a problem is the error of most functions of the edges.
    particulars: Option<Box<Particulars>>,
    headers: Vec<Header>,
    /// Logged, and not part of the response.
    pub inside: Option<Box<str>>,
}

/// What is wrong with a member, and what prevents an agreement.
#[derive(Debug, Default)]
struct Particulars {
    /// The path of the member that is wrong; empty for the request as a whole.
    member: Cow<'static, str>,
    /// What is wrong with the member, for readers of other words.
    fault: Option<Fault>,
    conflicts: Option<Vec<Conflict>>,
}

/// The `Retry-After` of a busy server, in seconds.
const RETRY_AFTER: &str = "2";

const MEDIA_TYPE: &str = "application/problem+json";

impl Problem {
    /// Creates a problem with a code and the title of its status.
    pub fn new(status: u16, code: &'static str, text: impl Into<Cow<'static, str>>) -> Problem {
        Problem {
            status,
            code,
            title: None,
            text: text.into(),
            particulars: None,
            headers: Vec::new(),
            inside: None,
        }
    }

    /// Sets the title shared by all problems of its code.
    pub fn titled(self, title: Option<&'static str>) -> Problem {
        Problem { title, ..self }
    }

    /// Sets the path of the member that is wrong.
    pub fn at(mut self, member: impl Into<Cow<'static, str>>) -> Problem {
        self.particulars.get_or_insert_default().member = member.into();
        self
    }

    /// Sets what is wrong with the member.
    pub fn of(mut self, fault: Fault) -> Problem {
        self.particulars.get_or_insert_default().fault = Some(fault);
        self
    }

    /// Adds a header to the response.
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Problem {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds the conflicts that prevent an agreement.
    pub fn about(mut self, conflicts: Vec<Conflict>) -> Problem {
        self.particulars.get_or_insert_default().conflicts = Some(conflicts);
        self
    }

    /// Adds a cause for the log.
    pub fn because(self, inside: impl Into<String>) -> Problem {
        Problem {
            inside: Some(inside.into().into()),
            ..self
        }
    }

    /// No route has this path.
    pub fn unknown_route() -> Problem {
        Problem::new(
            404,
            "not_found",
            "there is nothing at this path; GET /v1/openapi.json lists the routes",
        )
    }

    /// The path exists with other methods.
    pub fn wrong_method(allowed: &str) -> Problem {
        let detail = format!("this path takes {allowed}");
        Problem::new(405, "method_not_allowed", detail).with("Allow", allowed.to_owned())
    }

    /// An internal error. The response does not include the cause.
    pub fn internal(inside: impl Into<String>) -> Problem {
        let detail = "the server could not do it; check the current state before trying again";
        Problem::new(500, "internal_error", detail).because(inside)
    }

    /// Too much memory is held for the caller, their address or all callers. The request had no effect.
    pub fn overloaded() -> Problem {
        let detail = "too much is being worked on or sent to you or to everybody; read the answers that are on their way \
                      and try again";
        Problem::busy(detail)
    }

    fn busy(detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem::new(503, "overloaded", detail)
            .titled(Some("Too much at once"))
            .with("Retry-After", RETRY_AFTER)
    }

    /// What the problems of its code, or of its status, have in common.
    pub fn title(&self) -> &'static str {
        self.title.unwrap_or_else(|| title(self.status))
    }

    /// What is wrong with this request, and what to send instead: the path of the member, and the text.
    pub fn detail(&self) -> Cow<'_, str> {
        // The name of an unknown member may be empty.
        let is_named = matches!(self.fault(), Some(Fault::Unknown(_)));
        match self.member().is_empty() && !is_named {
            true => Cow::Borrowed(&self.text),
            false => format!("{}: {}", self.member(), self.text).into(),
        }
    }

    /// The path of the member that is wrong; empty for the request as a whole.
    pub fn member(&self) -> &str {
        let particulars = self.particulars.as_ref();
        particulars.map_or("", |particulars| &particulars.member)
    }

    /// What is wrong, in the words of the API.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with the member, if that is told apart.
    pub fn fault(&self) -> Option<&Fault> {
        self.particulars.as_ref()?.fault.as_ref()
    }

    /// Headers of the answer.
    pub fn headers(&self) -> &[Header] {
        &self.headers
    }

    /// The body of the answer; `instance` names it.
    pub fn body(&self, instance: Option<&str>) -> wire::Problem {
        wire::Problem {
            kind: Some("about:blank".to_owned()),
            title: Some(self.title().to_owned()),
            status: Some(self.status.into()),
            detail: Some(self.detail().into_owned()),
            instance: instance.map(str::to_owned),
            code: self.code.to_owned(),
            conflicts: self
                .particulars
                .as_ref()
                .and_then(|particulars| particulars.conflicts.clone()),
        }
    }

    /// Renders the answer; `instance` names it, here and in the log.
    pub fn render(&self, instance: &str) -> Response {
        // Strings and a number always serialize.
        let body = serde_json::to_vec(&self.body(Some(instance))).unwrap_or_default();
        let mut response = Response::new(self.status, MEDIA_TYPE, Body::from_data(body));
        response.headers.extend(self.headers.iter().cloned());
        response
    }
}

/// The title of problems of one status that have no title of their own.
fn title(status: u16) -> &'static str {
    match status {
        404 => "Not found",
        405 => "Method not allowed",
        408 => "Request too slow",
        409 => "Conflict",
        413 => "Body too large",
        415 => "Media type not supported",
        421 => "Not this host",
        431 => "Header too large",
        501 => "Not implemented",
        503 => "Server busy",
        505 => "HTTP version not supported",
        400..=499 => "Request invalid",
        _ => "Server error",
    }
}

/// The code of a request that could not be read, by its status.
fn code(status: u16) -> &'static str {
    match status {
        408 => "request_timeout",
        417 => "expectation_failed",
        431 => "header_too_large",
        501 => "not_implemented",
        505 => "http_version_not_supported",
        _ => "invalid_request",
    }
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Problem {
        match malformed.status {
            503 => Problem::busy(malformed.detail),
            status => Problem::new(status, code(status), malformed.detail),
        }
    }
}
