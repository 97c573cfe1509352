//! Unusual, careless and hostile TLS servers. Each must end with the right error, in time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::cipher::{MessageEncrypter, OutboundChunks, OutboundPlainMessage};
use rustls::crypto::ring::cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{
    ConnectionTrafficSecrets, ContentType, ProtocolVersion, RootCertStore, ServerConfig,
    SupportedCipherSuite,
};

use super::receiver::{self, CERTS, chain, pem, server_config};
use super::server::{
    CA, End, GOOD, LIMITS, LONG, SHORT, Secure, Sender, limits, names, pause, read_request, rules,
    secure, sender, serve, wait_for_end,
};
use super::{answered, post};
use crate::client::guard::GuardedClient;
use crate::client::{Limits, Tls, Trust};
use crate::domain::webhook::SendError;
use crate::runtime::clock::monotonic;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

type Serving = Box<dyn FnOnce(TcpStream) + Send>;

fn serving(serving: impl FnOnce(TcpStream) + Send + 'static) -> Serving {
    Box::new(serving)
}

/// Performs the handshake, reads the request, then calls `then`.
fn after_request(config: ServerConfig, then: impl FnOnce(Secure) + Send + 'static) -> Serving {
    serving(move |stream| {
        let mut stream = secure(config, stream);
        if receiver::read_request(&mut stream).is_some() {
            then(stream);
        }
    })
}

/// Answers normally.
fn answers(config: ServerConfig) -> Serving {
    after_request(config, |mut stream| {
        let _ = stream.write_all(OK).and_then(|()| stream.flush());
        wait_for_end(&mut stream);
    })
}

fn good() -> ServerConfig {
    server_config(chain(&[GOOD]), &[&TLS12, &TLS13])
}

fn good13() -> ServerConfig {
    server_config(chain(&[GOOD]), &[&TLS13])
}

/// The TLS records that carry `plain`.
fn records(stream: &mut Secure, plain: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.conn.writer().write_all(plain).expect("room");
    while stream.conn.wants_write() {
        stream.conn.write_tls(&mut bytes).expect("records");
    }
    bytes
}

/// Requests a client certificate.
fn asks_for_certificate(
    required: bool,
    version: &'static rustls::SupportedProtocolVersion,
) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(chain(&[CA]).remove(0)).expect("an authority");
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider));
    let verifier = match required {
        true => verifier,
        false => verifier.allow_unauthenticated(),
    };
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .expect("a version")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(
            chain(&[GOOD]),
            PrivateKeyDer::from_pem_file(format!("{CERTS}/leaf.key")).expect("a key"),
        )
        .expect("a certificate with its key")
}

/// The server's side of a TLS 1.2 connection, record by record: rustls itself sends nothing unusual.
struct Records {
    socket: TcpStream,
    encrypter: Box<dyn MessageEncrypter>,
    sequence: u64,
}

impl Records {
    /// Performs the handshake and reads the request.
    fn after_request(socket: TcpStream) -> Records {
        let suite = TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256;
        let mut provider = rustls::crypto::ring::default_provider();
        provider.cipher_suites = vec![suite];
        let key = PrivateKeyDer::from_pem_file(format!("{CERTS}/leaf.key")).expect("a key");
        let mut config = ServerConfig::builder_with_provider(provider.into())
            .with_protocol_versions(&[&TLS12])
            .expect("a version")
            .with_no_client_auth()
            .with_single_cert(chain(&[GOOD]), key)
            .expect("a certificate with its key");
        config.enable_secret_extraction = true;
        let mut stream = secure(config, socket);
        assert!(!read_request(&mut stream).is_empty(), "a request");
        let secrets = stream.conn.dangerous_extract_secrets().expect("secrets");
        let (sequence, ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv }) = secrets.tx else {
            panic!("another suite");
        };
        let SupportedCipherSuite::Tls12(suite) = suite else {
            panic!("another version");
        };
        Records {
            socket: stream.sock,
            encrypter: suite.aead_alg.encrypter(key, iv.as_ref(), &[]),
            sequence,
        }
    }

    /// Sends one record; `false` if the client is gone.
    fn send(&mut self, typ: ContentType, payload: &[u8]) -> bool {
        let message = OutboundPlainMessage {
            typ,
            version: ProtocolVersion::TLSv1_2,
            payload: OutboundChunks::Single(payload),
        };
        let sealed = self.encrypter.encrypt(message, self.sequence);
        self.sequence += 1;
        let bytes = sealed.expect("a record").encode();
        self.socket.write_all(&bytes).is_ok()
    }
}

/// A HelloRequest, which starts a renegotiation.
const HELLO_REQUEST: [u8; 4] = [0; 4];

fn sends(sender: &Sender, name: &str, serving: Serving, expected: &End) {
    let (port, served) = serve(serving);
    let begun = monotonic();
    let exchange = post(sender, &format!("https://localhost:{port}/"));
    assert_eq!(&exchange.end, expected, "{name}");
    assert!(exchange.duration.is_some(), "{name}");
    assert!(begun.elapsed() < LONG / 4, "{name}");
    served.join().expect(name);
}

#[test]
fn careless_servers_are_answered_for() {
    let ok = answered(200, "ok");
    let failed = |error| End::Failed(error);
    let truncated = |body: &str| End::Answered {
        status: 200,
        retry_after: None,
        body: body.as_bytes().to_vec(),
        truncated: true,
    };
    let many = |count: usize| {
        let mut names = vec![GOOD];
        names.resize(count, CA);
        server_config(chain(&names), &[&TLS13])
    };
    let mut h2 = good();
    h2.alpn_protocols = vec![b"h2".to_vec()];
    let mut tickets = good13();
    tickets.send_tls13_tickets = 500;
    let below = |names: &[&str]| server_config(chain(names), &[&TLS12, &TLS13]);
    let cases: Vec<(&str, Serving, End)> = vec![
        (
            "the whole chain",
            answers(below(&["below", "intermediate"])),
            ok.clone(),
        ),
        (
            "no intermediate",
            answers(below(&["below"])),
            failed(SendError::SecureConnection),
        ),
        (
            "self-signed",
            answers(below(&["self-signed"])),
            failed(SendError::SecureConnection),
        ),
        ("a long chain", answers(many(60)), ok.clone()),
        (
            "a chain over 64 KiB",
            answers(many(300)),
            failed(SendError::SecureConnection),
        ),
        (
            "may have a certificate, 1.2",
            answers(asks_for_certificate(false, &TLS12)),
            ok.clone(),
        ),
        (
            "may have a certificate, 1.3",
            answers(asks_for_certificate(false, &TLS13)),
            ok.clone(),
        ),
        (
            "wants a certificate, 1.2",
            answers(asks_for_certificate(true, &TLS12)),
            failed(SendError::SecureConnection),
        ),
        (
            "wants a certificate, 1.3",
            answers(asks_for_certificate(true, &TLS13)),
            failed(SendError::SecureConnection),
        ),
        ("many session tickets", answers(tickets), ok.clone()),
        (
            "no close_notify after the body",
            after_request(good(), |mut stream| {
                stream.write_all(OK).unwrap();
                stream.flush().unwrap();
            }),
            ok.clone(),
        ),
        (
            "no close_notify, no length",
            after_request(good(), |mut stream| {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nso far").unwrap();
                stream.flush().unwrap();
            }),
            truncated("so far"),
        ),
        (
            "close_notify instead of a response",
            after_request(good(), |mut stream| {
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            }),
            failed(SendError::Connection),
        ),
        (
            "the end instead of a response",
            after_request(good(), drop),
            failed(SendError::Connection),
        ),
        (
            "a record cut off before the response",
            after_request(good(), |mut stream| {
                let bytes = records(&mut stream, OK);
                stream.sock.write_all(&bytes[..bytes.len() / 2]).unwrap();
            }),
            failed(SendError::Connection),
        ),
        (
            "a record cut off after the response",
            after_request(good(), |mut stream| {
                let mut bytes = records(&mut stream, OK);
                let next = records(&mut stream, b"more");
                bytes.extend_from_slice(&next[..next.len() / 2]);
                stream.sock.write_all(&bytes).unwrap();
            }),
            ok.clone(),
        ),
        (
            "a record cut off within the body",
            after_request(good(), |mut stream| {
                let head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome";
                let mut bytes = records(&mut stream, head);
                let next = records(&mut stream, b"thing");
                bytes.extend_from_slice(&next[..next.len() / 2]);
                stream.sock.write_all(&bytes).unwrap();
            }),
            truncated("some"),
        ),
        (
            "a broken record instead of the response",
            after_request(good(), |mut stream| {
                let mut bytes = records(&mut stream, OK);
                *bytes.last_mut().unwrap() ^= 1;
                stream.sock.write_all(&bytes).unwrap();
                wait_for_end(&mut stream.sock);
            }),
            failed(SendError::SecureConnection),
        ),
        (
            "HTTP/2 alone",
            after_request(h2, |mut stream| {
                // An empty SETTINGS frame.
                stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).unwrap();
                stream.flush().unwrap();
                wait_for_end(&mut stream);
            }),
            failed(SendError::InvalidResponse),
        ),
        (
            "an alert within the handshake",
            serving(|mut stream| {
                let _ = stream.read(&mut [0; 4096]);
                // Fatal: handshake_failure.
                stream.write_all(&[21, 3, 3, 0, 2, 2, 40]).unwrap();
                wait_for_end(&mut stream);
            }),
            failed(SendError::SecureConnection),
        ),
        (
            "an alert instead of the response",
            serving(|stream| {
                let mut records = Records::after_request(stream);
                // Fatal: internal_error.
                records.send(ContentType::Alert, &[2, 80]);
                wait_for_end(&mut records.socket);
            }),
            failed(SendError::SecureConnection),
        ),
        (
            "asks to renegotiate once",
            serving(|stream| {
                let mut records = Records::after_request(stream);
                records.send(ContentType::Handshake, &HELLO_REQUEST);
                records.send(ContentType::ApplicationData, OK);
                wait_for_end(&mut records.socket);
            }),
            ok,
        ),
        (
            "empty records for ever",
            serving(|stream| {
                let mut records = Records::after_request(stream);
                while records.send(ContentType::ApplicationData, b"") {}
            }),
            failed(SendError::SecureConnection),
        ),
        (
            "asks to renegotiate for ever",
            serving(|stream| {
                let mut records = Records::after_request(stream);
                while records.send(ContentType::Handshake, &HELLO_REQUEST) {}
            }),
            failed(SendError::SecureConnection),
        ),
    ];
    let sender = sender(LIMITS);
    for (name, serving, expected) in cases {
        sends(&sender, name, serving, &expected);
    }
}

/// A certificate authority would be refused, but a self-signed certificate does not need to be one.
#[test]
fn a_self_signed_certificate_is_trusted_where_it_is_listed() {
    let tls = Tls::load(Trust::Bundled, Some(&pem("self-signed"))).expect("TLS");
    let client = GuardedClient::with(&tls, rules(), LONG, names([127, 0, 0, 1]));
    let sender = Sender {
        client,
        limits: LIMITS,
    };
    let serving = answers(server_config(chain(&["self-signed"]), &[&TLS13]));
    sends(&sender, "listed", serving, &answered(200, "ok"));
}

#[test]
fn servers_that_keep_us_waiting_are_left_in_time() {
    let timeout = End::Failed(SendError::Timeout);
    let flood = |piece: &'static [u8]| {
        after_request(good(), move |mut stream| {
            while stream
                .write_all(piece)
                .and_then(|()| stream.flush())
                .is_ok()
            {}
        })
    };
    let cases: Vec<(&str, Serving)> = vec![
        (
            "stalls within a record of the handshake",
            serving(|mut stream| {
                let _ = stream.read(&mut [0; 4096]);
                // An incomplete ServerHello.
                stream.write_all(&[22, 3, 3, 0, 122, 2, 0, 0, 118]).unwrap();
                wait_for_end(&mut stream);
            }),
        ),
        (
            "drips the handshake",
            serving(|mut stream| {
                let _ = stream.read(&mut [0; 4096]);
                stream.write_all(&[22, 3, 3, 64, 0, 2, 0, 63, 252]).unwrap();
                pause(&stream);
                receiver::trickle(&mut stream, &[3]);
            }),
        ),
        (
            "drips the records of the response",
            after_request(good(), |mut stream| {
                let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(8000));
                let bytes = records(&mut stream, long.as_bytes());
                pause(&stream.sock);
                for byte in bytes {
                    if stream.sock.write_all(&[byte]).is_err() {
                        return;
                    }
                    match stream.sock.read(&mut [0; 64]) {
                        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                        _ => return,
                    }
                }
            }),
        ),
        ("says 100 for ever", flood(b"HTTP/1.1 100 Continue\r\n\r\n")),
        (
            "says 103 for ever",
            flood(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        ),
        (
            "hangs after the handshake",
            after_request(good(), |mut stream| wait_for_end(&mut stream)),
        ),
    ];
    for (name, serving) in cases {
        sends(&sender(limits(SHORT, LONG)), name, serving, &timeout);
    }
}

/// The limits of a delivery, with a body that drips: the status is kept and the body is truncated.
#[test]
fn a_body_that_drips_in_records_is_cut() {
    let serving = after_request(good(), |mut stream| {
        pause(&stream.sock);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n")
            .unwrap();
        receiver::trickle(&mut stream, b"x");
    });
    let limits: Limits = limits(LONG, SHORT);
    let (port, served) = serve(serving);
    let begun = monotonic();
    let exchange = post(&sender(limits), &format!("https://localhost:{port}/"));
    assert!(begun.elapsed() < LONG / 4);
    let End::Answered {
        status, truncated, ..
    } = exchange.end
    else {
        panic!("{exchange:?}");
    };
    assert_eq!((status, truncated), (200, true));
    assert!(begun.elapsed() >= SHORT - Duration::from_millis(1));
    served.join().unwrap();
}
