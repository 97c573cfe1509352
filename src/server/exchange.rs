//! The type of requests that handlers use, and the bodies of responses.
//!
//! Only this file uses rouille. Of the crate only `Request`, `ResponseBody` and the cookie parser are used, not its server.
//! Two of its dependencies (`buf_redux` and `multipart`) cause a future-incompatibility warning, so it may have to be
//! removed. To replace it:
//!
//! 1. Give [`Request`] more fields of its own: method, target, headers, and the body as `Mutex<Vec<u8>>`, taken once.
//! 2. Make [`Body`] an enum: nothing, bytes, a reader with its size, a reader without.
//! 3. Split the `Cookie` header at `;` and each part at its first `=`.
//! 4. Remove rouille from `Cargo.toml` and its exceptions from `.ci/deny.toml`.
//!
//! No other file changes: a test in `tests/it` enforces that. The tests of `server` cover the replacement.

use super::proxies::{self, REQUEST_ID, Scheme, TrustedProxies};
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};

/// A complete request with any method, path, headers and media type.
pub struct Request {
    inner: rouille::Request,
    client: IpAddr,
    /// The forwarding headers of a trusted proxy; `None` where there is none.
    scheme: Option<Scheme>,
}

impl Request {
    /// Creates a request from its parts. The body is decoded.
    pub fn new(
        peer: SocketAddr,
        method: String,
        target: String,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Request {
        Request {
            inner: rouille::Request::fake_http_from(peer, method, target, headers, body),
            client: peer.ip().to_canonical(),
            scheme: None,
        }
    }

    /// A request that proxies may have forwarded: their headers count if the peer is one of them.
    pub fn behind(mut self, proxies: &TrustedProxies) -> Request {
        if proxies.trusts(self.client) {
            let client = proxies.client(self.lines("X-Forwarded-For"));
            self.scheme = proxies::scheme(self.lines("X-Forwarded-Proto"));
            self.client = client.unwrap_or(self.client);
        }
        self
    }

    /// The address that the request is from, for limits, the audit log and the log: the other end of the connection, or the
    /// client that a trusted proxy names.
    pub fn client_address(&self) -> IpAddr {
        self.client
    }

    /// The other end of the connection, whatever proxies say.
    pub fn peer_address(&self) -> IpAddr {
        self.inner.remote_addr().ip().to_canonical()
    }

    /// The scheme that the client used, where a trusted proxy says so.
    pub fn forwarded_scheme(&self) -> Option<Scheme> {
        self.scheme
    }

    /// The client's own id of the request, where it sent one that is safe to log.
    pub fn client_request_id(&self) -> Option<&str> {
        proxies::request_id(self.lines(REQUEST_ID))
    }

    /// The values of the lines of this name, in any case of letters.
    fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |(known, _): &(&str, &str)| known.eq_ignore_ascii_case(name);
        self.headers().filter(named).map(|(_, value)| value)
    }

    /// The method as sent, including `HEAD`.
    pub fn method(&self) -> &str {
        self.inner.method()
    }

    /// The path and query as sent, not decoded. Begins with `/`, or is `*` for OPTIONS.
    pub fn target(&self) -> &str {
        self.inner.raw_url()
    }

    /// The header lines in order, with names as sent.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.inner.headers()
    }

    /// The value of the first header with this name, case-insensitive.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.inner.header(name)
    }

    /// Names and values of the cookies in order. A name may occur twice.
    pub fn cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        rouille::input::cookies(&self.inner)
    }

    /// Takes the raw body. A second call returns an empty one.
    ///
    /// # Errors
    /// Currently none: the body is in memory before a handler runs.
    pub fn take_body(&self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if let Some(mut data) = self.inner.data() {
            data.read_to_end(&mut body)?;
        }
        Ok(body)
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

    /// A body that is read while it is sent. If the reader fails, the connection closes before the end of the body.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Body {
        Body(rouille::ResponseBody::from_reader(reader))
    }

    /// As [`Body::from_reader`], with an announced length.
    pub fn from_reader_and_size(reader: impl Read + Send + 'static, size: usize) -> Body {
        Body(rouille::ResponseBody::from_reader_and_size(reader, size))
    }

    /// The bytes, and their number if it is known.
    pub fn into_reader_and_size(self) -> (Box<dyn Read + Send>, Option<usize>) {
        self.0.into_reader_and_size()
    }
}
