//! Receivers of one connection each, and clients that send to them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use super::receiver::{self, chain, pem, server_config};
use crate::client::guard::{GuardedClient, Rules, send_error};
use crate::client::lookup::LookUp;
use crate::client::{DialError, HttpResponse, Limits, Request, Tls, Trust};
use crate::domain::address::AllowedNetworks;
use crate::domain::webhook::SendError;
use crate::runtime::clock::monotonic;

pub const CA: &str = "ca";
pub const GOOD: &str = "good";
pub const EXPIRED: &str = "expired";
pub const ELSEWHERE: &str = "elsewhere";

/// Longer than any test takes: a test that waits for this fails.
pub const LONG: Duration = Duration::from_secs(60);
/// For tests that wait until it elapses.
pub const SHORT: Duration = Duration::from_millis(300);

/// The bytes of the response body that are kept.
pub const KEPT: usize = 4096;

/// The limits of tests that do not test limits.
pub const LIMITS: Limits = limits(LONG, LONG);

/// Limits of `head` up to the response headers, and of `body` for the body.
pub const fn limits(head: Duration, body: Duration) -> Limits {
    let total = Duration::from_millis((head.as_millis() + body.as_millis()) as u64);
    Limits {
        total,
        body,
        body_bytes: KEPT,
    }
}

pub fn rules() -> Rules {
    Rules {
        allowed_networks: AllowedNetworks {
            loopback: true,
            nets: Vec::new(),
        },
        plain_http: true,
    }
}

/// Trusts the test authority.
pub fn tls() -> Tls {
    Tls::load(Trust::Bundled, Some(&pem(CA))).expect("TLS")
}

/// Resolves every name to this address, with the requested port.
pub fn names(address: [u8; 4]) -> Arc<LookUp> {
    Arc::new(move |_, port| Ok(vec![SocketAddr::from((address, port))]))
}

/// A client, and the limits of its requests.
pub struct Sender {
    pub client: GuardedClient,
    pub limits: Limits,
}

/// The result of a POST, as an attempt of a delivery records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Answered {
        status: u16,
        retry_after: Option<String>,
        body: Vec<u8>,
        truncated: bool,
    },
    Failed(SendError),
}

/// The outcome of one POST.
#[derive(Debug)]
pub struct Exchange {
    /// `None` if no connection was attempted.
    pub duration: Option<Duration>,
    pub end: End,
}

impl Sender {
    pub fn send(&self, request: Request) -> Exchange {
        let begun = monotonic();
        let answer = self.client.send(&request.within(self.limits));
        let duration = match &answer {
            Err(error) if !error.was_dialled() => None,
            _ => Some(begun.elapsed()),
        };
        let end = end_of(answer);
        Exchange { duration, end }
    }
}

pub fn end_of(answer: Result<HttpResponse, DialError>) -> End {
    match answer {
        Ok(answer) => End::Answered {
            status: answer.status,
            retry_after: answer.header("retry-after").map(str::to_owned),
            body: answer.body,
            truncated: answer.truncated,
        },
        Err(error) => End::Failed(send_error(&error)),
    }
}

/// Sends to this machine whatever the name, within these limits.
pub fn sender(limits: Limits) -> Sender {
    let client = GuardedClient::with(&tls(), rules(), LONG, names([127, 0, 0, 1]));
    Sender { client, limits }
}

/// Listens on this machine. The thread returns the result of `serving` on the one connection.
pub fn serve<T: Send + 'static>(
    with: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (u16, JoinHandle<T>) {
    let (at, served) = serve_on([127, 0, 0, 1], with);
    (at.port(), served)
}

/// As [`serve`], on one of this machine's own addresses.
fn serve_on<T: Send + 'static>(
    address: [u8; 4],
    with: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    let listener = TcpListener::bind(SocketAddr::from((address, 0))).expect("a port");
    let at = listener.local_addr().expect("an address");
    let served = thread::spawn(move || with(listener.accept().expect("a connection").0));
    (at, served)
}

/// Reads the request, sends `answer` and closes. The thread returns the request.
pub fn answering(answer: impl Into<Vec<u8>>) -> (u16, JoinHandle<Vec<u8>>) {
    let answer = answer.into();
    serve(move |mut stream| {
        let request = read_request(&mut stream);
        // Fails if the client has stopped reading.
        let _ = stream.write_all(&answer);
        request
    })
}

/// As [`answering`], over TLS.
pub fn secured(
    certificate: &str,
    versions: &[&'static SupportedProtocolVersion],
    answer: &'static str,
) -> (u16, JoinHandle<Vec<u8>>) {
    let (at, served) = secured_on([127, 0, 0, 1], certificate, versions, answer);
    (at.port(), served)
}

/// As [`secured`], on one of this machine's own addresses.
pub fn secured_on(
    address: [u8; 4],
    certificate: &str,
    versions: &[&'static SupportedProtocolVersion],
    answer: &'static str,
) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let config = server_config(chain(&[certificate]), versions);
    serve_on(address, move |stream| {
        let mut stream = secure(config, stream);
        let request = read_request(&mut stream);
        let _ = stream.write_all(answer.as_bytes());
        stream.conn.send_close_notify();
        let _ = stream.flush();
        request
    })
}

/// The server's side of a TLS connection.
pub type Secure = StreamOwned<ServerConnection, TcpStream>;

pub fn secure(config: ServerConfig, stream: TcpStream) -> Secure {
    let connection = ServerConnection::new(Arc::new(config)).expect("a connection");
    StreamOwned::new(connection, stream)
}

/// Head and body of a request; empty if the client disconnects before its end.
pub fn read_request(stream: &mut impl Read) -> Vec<u8> {
    receiver::read_request(stream).unwrap_or_default()
}

/// Waits until the client is gone.
pub fn wait_for_end(stream: &mut impl Read) {
    let _ = stream.read_to_end(&mut Vec::new());
}

/// Closes a connection with unread bytes, which resets it.
pub fn reset(stream: TcpStream) {
    stream.peek(&mut [0]).expect("bytes");
    drop(stream);
}

/// Sends `piece` repeatedly, with pauses, until the client is gone.
pub fn trickle(stream: &mut TcpStream, piece: &[u8]) {
    pause(stream);
    receiver::trickle(stream, piece);
}

/// Pauses between two pieces.
pub fn pause(stream: &TcpStream) {
    stream
        .set_read_timeout(Some(Duration::from_millis(5)))
        .expect("a time-out");
}
