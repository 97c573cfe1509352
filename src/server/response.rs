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
    /// For a body that is read from a file while it is sent, and holds no memory: the bytes a second that the client takes at
    /// least, on average, or is cut off.
    pub least_rate: Option<u32>,
}

impl Response {
    /// A response with a body of this media type.
    pub fn new(status: u16, media_type: &'static str, body: Body) -> Response {
        let headers = vec![("Content-Type".into(), media_type.into())];
        Response {
            status,
            headers,
            body,
            least_rate: None,
        }
    }

    /// A response without a body.
    pub fn empty(status: u16) -> Response {
        Response {
            status,
            headers: Vec::new(),
            body: Body::empty(),
            least_rate: None,
        }
    }

    /// With a body from a file, and the rate at which the client takes it at least.
    pub fn at_least(self, bytes_per_second: u32) -> Response {
        Response {
            least_rate: Some(bytes_per_second),
            ..self
        }
    }

    /// Adds a header.
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Response {
        self.headers.push((name.into(), value.into()));
        self
    }
}
