//! A response as handlers make it.

use super::exchange::Body;
use std::borrow::Cow;

/// A header of a response.
pub type Header = (Cow<'static, str>, Cow<'static, str>);

/// A response. Headers that the server sets itself ([`is_own_header`](super::is_own_header)) are ignored.
pub struct Response {
    pub status: u16,
    pub headers: Vec<Header>,
    pub body: Body,
}

impl Response {
    /// A response with a body of this media type.
    pub fn new(status: u16, media_type: &'static str, body: Body) -> Response {
        let headers = vec![("Content-Type".into(), media_type.into())];
        Response {
            status,
            headers,
            body,
        }
    }

    /// A response without a body.
    pub fn empty(status: u16) -> Response {
        Response {
            status,
            headers: Vec::new(),
            body: Body::empty(),
        }
    }

    /// Adds a header.
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Response {
        self.headers.push((name.into(), value.into()));
        self
    }
}
