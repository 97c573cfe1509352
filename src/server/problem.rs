//! Requests that are not carried out, as problem objects (RFC 9457).

use super::Malformed;
use super::exchange::{Body, Header, Response};
use crate::wire::conflict::Conflict;
use crate::wire::problem as wire;
use std::borrow::Cow;

/// A request that was not carried out.
#[derive(Debug)]
pub struct Problem {
    pub status: u16,
    pub code: Option<&'static str>,
    /// The same for every problem of one code; without one it goes by the status.
    title: Option<&'static str>,
    detail: Cow<'static, str>,
    headers: Vec<Header>,
    conflicts: Option<Box<[Conflict]>>,
    /// What the log says and the answer does not.
    pub inside: Option<Box<str>>,
}

/// Seconds after which a caller who found the server busy may try again.
const RETRY_AFTER: &str = "2";

const MEDIA_TYPE: &str = "application/problem+json";

impl Problem {
    /// A problem with a code, whose title is that of its status.
    pub fn new(status: u16, code: &'static str, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem {
            code: Some(code),
            ..Problem::uncoded(status, detail)
        }
    }

    /// A problem whose status says it all.
    pub fn uncoded(status: u16, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem {
            status,
            code: None,
            title: None,
            detail: detail.into(),
            headers: Vec::new(),
            conflicts: None,
            inside: None,
        }
    }

    /// Sets what the problems of its code have in common.
    pub fn titled(self, title: Option<&'static str>) -> Problem {
        Problem { title, ..self }
    }

    /// Adds a header to the answer.
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Problem {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds the conflicts that stand against an agreement.
    pub fn about(self, conflicts: Vec<Conflict>) -> Problem {
        Problem {
            conflicts: Some(conflicts.into()),
            ..self
        }
    }

    /// Adds what the log is to say.
    pub fn because(self, inside: impl Into<String>) -> Problem {
        Problem {
            inside: Some(inside.into().into()),
            ..self
        }
    }

    /// No route of that path.
    pub fn unknown_route() -> Problem {
        Problem::uncoded(
            404,
            "there is nothing at this path; GET /v1/openapi.json lists what there is",
        )
    }

    /// A path that takes other methods.
    pub fn wrong_method(allowed: &str) -> Problem {
        let detail = format!("this path takes {allowed}");
        Problem::uncoded(405, detail).with("Allow", allowed.to_owned())
    }

    /// Something of ours went wrong; the answer says nothing of it.
    pub fn internal(inside: impl Into<String>) -> Problem {
        let detail = "the server could not do it; check the current state before trying again";
        Problem::uncoded(500, detail).because(inside)
    }

    /// Too much is held in memory for the caller, their address or everybody; nothing was done.
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

    /// Renders the answer; `instance` names it, here and in the log.
    pub fn render(&self, instance: &str) -> Response {
        let title = self.title.unwrap_or_else(|| title(self.status));
        let body = wire::Problem {
            kind: Some("about:blank".to_owned()),
            title: Some(title.to_owned()),
            status: Some(self.status.into()),
            detail: Some(self.detail.to_string()),
            instance: Some(instance.to_owned()),
            code: self.code.map(str::to_owned),
            conflicts: self.conflicts.as_deref().map(<[Conflict]>::to_vec),
        };
        // Strings and a number: they always serialize.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = Response::new(self.status, MEDIA_TYPE, Body::from_data(body));
        response.headers.extend(self.headers.iter().cloned());
        response
    }
}

/// What the problems of one status have in common where they have no title of their own.
fn title(status: u16) -> &'static str {
    match status {
        404 => "Not found",
        405 => "Method not allowed",
        408 => "Request too slow",
        409 => "Conflict",
        413 => "Body too large",
        415 => "Media type not supported",
        431 => "Header too large",
        501 => "Not implemented",
        503 => "Server busy",
        505 => "HTTP version not supported",
        400..=499 => "Request invalid",
        _ => "Server error",
    }
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Problem {
        match malformed.status {
            400 | 413 => Problem::new(malformed.status, "invalid_request", malformed.detail),
            503 => Problem::busy(malformed.detail),
            status => Problem::uncoded(status, malformed.detail),
        }
    }
}
