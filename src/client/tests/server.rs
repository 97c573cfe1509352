//! Receivers of one connection each, and what dials them.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use crate::client::lookup::LookUp;
use crate::client::{Budget, Dialler, Rules, Trust};
use crate::domain::address::Openings;

pub const CA: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/certs/ca.pem"
));
pub const GOOD: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/certs/good.pem"
));
pub const EXPIRED: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/certs/expired.pem"
));
pub const ELSEWHERE: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/certs/elsewhere.pem"
));
const KEY: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/certs/leaf.key"
));

/// Longer than any test takes: what waits for this fails.
pub const LONG: Duration = Duration::from_secs(60);
/// Where the end of it is waited for.
pub const SHORT: Duration = Duration::from_millis(300);

pub const BUDGET: Budget = Budget {
    head: LONG,
    body: LONG,
    judge: LONG,
};

pub fn rules() -> Rules {
    Rules {
        openings: Openings {
            loopback: true,
            nets: Vec::new(),
        },
        plain_http: true,
        trust: Trust::Bundled,
        extra_ca: Some(CA.to_vec()),
    }
}

/// Resolves every name to what is given, on the port that is asked for.
pub fn names(address: [u8; 4]) -> Arc<LookUp> {
    Arc::new(move |_, port| Ok(vec![SocketAddr::from((address, port))]))
}

/// Dials this machine, with this budget.
pub fn dialler(budget: Budget) -> Dialler {
    Dialler::with(rules(), budget, names([127, 0, 0, 1])).expect("a dialler")
}

/// Listens on this machine; what is done with the one connection is returned by the thread.
pub fn serve<T: Send + 'static>(
    with: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (u16, JoinHandle<T>) {
    let (at, served) = serve_on([127, 0, 0, 1], with);
    (at.port(), served)
}

/// Listens on one of this machine's own addresses.
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
        // Fails where the client has seen enough.
        let _ = stream.write_all(&answer);
        request
    })
}

/// The same over TLS.
pub fn secured(
    certificate: &[u8],
    versions: &[&'static SupportedProtocolVersion],
    answer: &'static str,
) -> (u16, JoinHandle<Vec<u8>>) {
    let (at, served) = secured_on([127, 0, 0, 1], certificate, versions, answer);
    (at.port(), served)
}

/// The same on one of this machine's own addresses.
pub fn secured_on(
    address: [u8; 4],
    certificate: &[u8],
    versions: &[&'static SupportedProtocolVersion],
    answer: &'static str,
) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(certificate).expect("a certificate")],
            PrivateKeyDer::from_pem_slice(KEY).expect("a key"),
        )
        .expect("a certificate with its key");
    serve_on(address, move |stream| {
        let connection = ServerConnection::new(Arc::new(config)).expect("a connection");
        let mut stream = StreamOwned::new(connection, stream);
        let request = read_request(&mut stream);
        let _ = stream.write_all(answer.as_bytes());
        stream.conn.send_close_notify();
        let _ = stream.flush();
        request
    })
}

/// Head and body of a request; what there is of it when the client goes away.
pub fn read_request(stream: &mut impl Read) -> Vec<u8> {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1).expect("a length");
            let length = length.lines().next().expect("a line");
            if body.len() >= length.parse().expect("a number") {
                return request;
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return request,
            Ok(n) => request.extend_from_slice(&piece[..n]),
        }
    }
}

/// Waits until the client has gone.
pub fn wait_for_end(stream: &mut TcpStream) {
    let _ = stream.read_to_end(&mut Vec::new());
}

/// Closes a connection with bytes unread, which resets it.
pub fn reset(stream: TcpStream) {
    stream.peek(&mut [0]).expect("bytes");
    drop(stream);
}

/// Sends `piece` again and again, with pauses, until the client has gone.
pub fn trickle(stream: &mut TcpStream, piece: &[u8]) {
    stream
        .set_read_timeout(Some(Duration::from_millis(5)))
        .expect("a time-out");
    while stream.write_all(piece).is_ok() {
        match stream.read(&mut [0; 64]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(n) if n > 0 => {}
            _ => return,
        }
    }
}
