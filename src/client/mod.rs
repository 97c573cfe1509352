//! Outbound HTTP: one bounded GET, POST or PUT at a time, and raw TLS streams.
//!
//! Everything that another server can make the process hold is bounded: time, bytes, threads. One deadline covers resolving,
//! connecting, TLS, headers and body. Redirects are not followed, the environment is not read, and every request has its
//! own connection. The authorities that TLS trusts are set once, at the start, in [`Tls`].
//!
//! A [`Client`] connects to hosts that the operator configured, directly or through a [`Proxy`]. URLs from users go through
//! [`guard::GuardedClient`], which checks the addresses first and never uses a proxy: a proxy would resolve the name itself,
//! possibly to an address that was not checked.
//!
//! | File | Part |
//! |---|---|
//! | `request` | a request, its limits and the response |
//! | `url` | parses a URL (pure) |
//! | `lookup` | resolves names in a bounded number of threads |
//! | `resolver` | provides addresses to ureq |
//! | `connection` | a connection, with TLS or without, on which every wait has a deadline |
//! | `stream` | a connection for other protocols, in the clear, secured, or secured later |
//! | `proxy` | CONNECT |
//! | `trust` | the certificate authorities that TLS trusts |
//! | `error` | why there was no response |
//! | `secret` | a secret that `Debug` does not show |
//! | `guard` | the address policy for URLs from users |

mod connection;
mod error;
pub mod guard;
mod lookup;
mod proxy;
mod request;
mod resolver;
mod secret;
mod stream;
#[cfg(test)]
mod tests;
mod trust;
mod url;

use std::io::Read;
use std::net::SocketAddr;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use ureq::config::Config;
use ureq::typestate::{WithBody, WithoutBody};
use ureq::{Agent, Body, Error, RequestBuilder, http};

use crate::runtime::transaction::assert_network_allowed;
use connection::Connect;
use lookup::Lookups;
use resolver::ClientResolver;

pub use error::DialError;
pub use proxy::Proxy;
pub use request::{HttpResponse, Limits, Method, Request, encode, encode_fields, encode_segment};
pub use secret::Secret;
pub use stream::Stream;
pub use trust::{Tls, Trust};
pub use url::{Url, UrlError};

/// The largest response head, in bytes.
const RESPONSE_HEAD: usize = 16 * 1024;

/// ureq rejects a head as too large only once it holds more than the limit, so the buffer must be larger.
const INPUT_BUFFER: usize = RESPONSE_HEAD + 4 * 1024;

/// The longest header line that is sent must fit, including the path of a URL.
const OUTPUT_BUFFER: usize = 4 * 1024;

/// The User-Agent header.
const USER_AGENT: &str = concat!("rota/", env!("CARGO_PKG_VERSION"));

/// Finds the addresses to connect to for a name.
trait Addresses: Send + Sync {
    /// At least one address, within the given time.
    fn addresses(
        &self,
        host: &str,
        port: u16,
        within: Duration,
    ) -> Result<Vec<SocketAddr>, DialError>;
}

/// Sends requests. Built once and shared; requests run concurrently, each on its caller's thread.
pub struct Client {
    agent: Agent,
    resolver: ClientResolver,
    connect: Connect,
    plain_http: bool,
}

impl Client {
    /// Creates a client for hosts that the operator configured: any address is permitted. `plain_http` permits http as well as
    /// https. With a proxy all requests go through it, and it resolves the names.
    pub fn new(tls: &Tls, plain_http: bool, proxy: Option<Proxy>) -> Client {
        let lookups = Arc::new(Lookups::new(Arc::new(lookup::system)));
        Client::with(tls, plain_http, proxy, lookups)
    }

    fn with(
        tls: &Tls,
        plain_http: bool,
        proxy: Option<Proxy>,
        addresses: Arc<dyn Addresses>,
    ) -> Client {
        let config: Config = Agent::config_builder()
            // The default reads the proxy from the environment, and our resolver would then see only the proxy.
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(RESPONSE_HEAD)
            .input_buffer_size(INPUT_BUFFER)
            .output_buffer_size(OUTPUT_BUFFER)
            .build();
        let proxy = proxy.map(Arc::new);
        let resolver = ClientResolver::new(addresses, proxy.clone());
        let connect = Connect::new(tls.config(), proxy);
        Client {
            agent: Agent::with_parts(config, connect.clone(), resolver.clone()),
            resolver,
            connect,
            plain_http,
        }
    }

    /// Parses a URL to the form that is requested: without credentials and fragment, scheme and host in lower case.
    ///
    /// # Errors
    /// [`UrlError::Malformed`] and [`UrlError::SchemeNotAllowed`].
    pub fn url(&self, url: &str) -> Result<Url, UrlError> {
        Url::parse(url, self.plain_http)
    }

    /// All headers of a request in order: Host, Content-Length (of a POST or PUT), User-Agent and Accept unless the request sets
    /// them, then its own. Host is missing if the URL cannot be requested.
    pub fn headers(&self, request: &Request) -> Vec<(String, String)> {
        all_headers(self.url(request.url).ok().as_ref(), request)
    }

    /// Sends a request once. Takes at most the total time of its limits and never panics, except in debug builds within a
    /// transaction.
    ///
    /// # Errors
    /// [`DialError`] if there is no response. Every status is a response.
    pub fn send(&self, request: &Request) -> Result<HttpResponse, DialError> {
        assert_network_allowed();
        // ureq asserts its own invariants. A failed assertion must not end the caller's thread.
        let sent = panic::catch_unwind(AssertUnwindSafe(|| self.try_send(request)));
        sent.unwrap_or(Err(DialError::Panicked))
    }

    fn try_send(&self, request: &Request) -> Result<HttpResponse, DialError> {
        let url = self.url(request.url).map_err(DialError::InvalidUrl)?;
        let headers = all_headers(Some(&url), request);
        let limits = request.limits;
        let response = match request.method {
            Method::Get => {
                let builder = self.agent.get(url.as_str());
                limited::<WithoutBody>(builder, limits, &headers).call()
            }
            Method::Delete => {
                let builder = self.agent.delete(url.as_str());
                limited::<WithoutBody>(builder, limits, &headers).call()
            }
            Method::Post | Method::Put => {
                let builder = match request.method {
                    Method::Put => self.agent.put(url.as_str()),
                    _ => self.agent.post(url.as_str()),
                };
                limited::<WithBody>(builder, limits, &headers).send(&*request.body)
            }
        };
        match response {
            Ok(response) => Ok(answer(response, limits.body_bytes)),
            Err(error) => {
                log::debug!("no response from {}: {error}", url.host());
                Err(error.into())
            }
        }
    }

    /// Ends the requests in flight, which fail with [`DialError::Connection`], and refuses later ones. Does not interrupt
    /// resolving, connecting or streams.
    pub fn shut_down(&self) {
        self.agent.clone().shutdown();
    }
}

/// Applies the limits and headers of a request to a builder.
fn limited<Any>(
    builder: RequestBuilder<Any>,
    limits: Limits,
    headers: &[(String, String)],
) -> RequestBuilder<Any> {
    let mut builder = builder
        .config()
        // ureq's budget includes the body. `connection::left` subtracts the body's part from all other waits.
        .timeout_global(Some(limits.total))
        .timeout_recv_body((!limits.body.is_zero()).then_some(limits.body))
        .build();
    for (name, value) in headers {
        builder = builder.header_raw(name, value.as_bytes());
    }
    builder
}

/// The request's headers in order. All are set here, so ureq adds none and these are the ones sent.
fn all_headers(url: Option<&Url>, request: &Request) -> Vec<(String, String)> {
    let length = || request.body.len().to_string();
    let own = [
        ("Host", url.map(|url| url.authority().to_owned())),
        (
            "Content-Length",
            matches!(request.method, Method::Post | Method::Put).then(length),
        ),
        ("User-Agent", Some(USER_AGENT.to_owned())),
        ("Accept", Some("*/*".to_owned())),
    ];
    let given = |name: &str| {
        let mut headers = request.headers.iter();
        headers.any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    let own = own.into_iter().filter(|(name, _)| !given(name));
    let own = own.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    own.chain(request.headers.iter().cloned()).collect()
}

/// Reads the response up to the limit. The status is returned even if the body fails.
fn answer(response: http::Response<Body>, body_bytes: usize) -> HttpResponse {
    let headers = response.headers().iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str().to_owned(), value.into_owned())
    });
    let headers = headers.collect();
    let status = response.status().as_u16();
    let mut body = Vec::new();
    // One more byte shows whether the body is truncated. `read_to_end` keeps what it read before an error.
    let mut reader = response
        .into_body()
        .into_reader()
        .take(body_bytes as u64 + 1);
    let broken = reader.read_to_end(&mut body).is_err();
    let truncated = broken || body.len() > body_bytes;
    body.truncate(body_bytes);
    HttpResponse {
        status,
        headers,
        body,
        truncated,
    }
}

impl From<Error> for DialError {
    fn from(error: Error) -> DialError {
        match error {
            Error::Timeout(_) => DialError::Timeout,
            Error::Protocol(_) | Error::LargeResponseHeader(..) => {
                DialError::InvalidResponse(error.to_string())
            }
            // With TLS 1.3 an alert may arrive after the handshake.
            Error::Io(error) if connection::is_tls(&error) => {
                DialError::SecureConnection(error.to_string())
            }
            Error::Io(error) => DialError::Connection(error.to_string()),
            Error::Other(other) => match other.downcast() {
                Ok(own) => *own,
                Err(other) => DialError::NotSent(other.to_string()),
            },
            // The remaining errors precede the connection, such as an invalid header.
            error => DialError::NotSent(error.to_string()),
        }
    }
}
