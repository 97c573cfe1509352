//! Requests and responses as handlers see them.
//!
//! This is the only file that knows rouille. The project chose its types; its server is not used, and of the crate only
//! `Request`, `ResponseBody` and the reading of cookies are needed. Two crates below it (`buf_redux` and `multipart`)
//! draw a future-incompatibility warning from the compiler, so it may have to go one day. To replace it:
//!
//! 1. Give [`Request`] fields of its own: peer, method, target, headers, and the body as `Mutex<Vec<u8>>`, taken once.
//! 2. Make [`Body`] an enum: nothing, bytes, a reader with its size, a reader without.
//! 3. Split the `Cookie` header at `;` and each part at its first `=`.
//! 4. Remove rouille from `Cargo.toml` and its exceptions from `.ci/deny.toml`.
//!
//! No other file changes: a test in `tests/it` keeps the name out of them. The tests of `server` show whether it is right.

use std::borrow::Cow;
use std::io::{self, Read};
use std::net::SocketAddr;

/// A request, whole: whatever its method, path, headers or media type.
pub struct Request(rouille::Request);

impl Request {
    /// A request as it was received, its body decoded.
    pub fn new(
        peer: SocketAddr,
        method: String,
        target: String,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Request {
        let request = rouille::Request::fake_http_from(peer, method, target, headers, body);
        Request(request)
    }

    /// Who sent it: the other end of the connection.
    pub fn peer(&self) -> SocketAddr {
        *self.0.remote_addr()
    }

    /// The method as sent, `HEAD` too.
    pub fn method(&self) -> &str {
        self.0.method()
    }

    /// The path and the query as sent, not decoded. Begins with `/`, or is `*` for OPTIONS.
    pub fn target(&self) -> &str {
        self.0.raw_url()
    }

    /// The lines of the head in their order, names as sent.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.headers()
    }

    /// The value of the first line of this name, in any case of letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.header(name)
    }

    /// Names and values of the cookies, in their order. A name can be there twice.
    pub fn cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        rouille::input::cookies(&self.0)
    }

    /// Takes the body, as sent, whatever its media type. A second call gets nothing.
    ///
    /// # Errors
    /// None today: the body is in memory before a handler sees the request.
    pub fn take_body(&self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if let Some(mut data) = self.0.data() {
            data.read_to_end(&mut body)?;
        }
        Ok(body)
    }
}

/// A header of a response.
pub type Header = (Cow<'static, str>, Cow<'static, str>);

/// A response. What the server sets itself ([`is_own_header`](super::is_own_header)) is ignored among its headers.
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

/// The body of a response: in memory, or read while it is sent.
pub struct Body(rouille::ResponseBody);

impl Body {
    /// No bytes.
    pub fn empty() -> Body {
        Body(rouille::ResponseBody::empty())
    }

    /// A body in memory.
    pub fn from_data(data: impl Into<Vec<u8>>) -> Body {
        Body(rouille::ResponseBody::from_data(data))
    }

    /// A body that is read as it is sent. When the reader fails, the connection ends before the body does.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Body {
        Body(rouille::ResponseBody::from_reader(reader))
    }

    /// The same, with its length announced.
    pub fn from_reader_and_size(reader: impl Read + Send + 'static, size: usize) -> Body {
        Body(rouille::ResponseBody::from_reader_and_size(reader, size))
    }

    /// The bytes, and how many there are where that is known.
    pub fn into_reader_and_size(self) -> (Box<dyn Read + Send>, Option<usize>) {
        self.0.into_reader_and_size()
    }
}
