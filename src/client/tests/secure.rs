//! TLS: trusted authorities, and handshake errors.

use std::io::Write;
use std::net::TcpStream;

use rustls::version::{TLS12, TLS13};

use super::receiver::pem;
use super::server::{
    CA, ELSEWHERE, EXPIRED, End, GOOD, LIMITS, LONG, Sender, names, reset, rules, secured,
    secured_on, sender, serve, wait_for_end,
};
use super::{answered, post};
use crate::client::guard::{GuardedClient, Rules};
use crate::client::{Tls, Trust};
use crate::domain::webhook::SendError;

/// Sends to this machine with this trust, over https only.
fn trusting(trust: Trust, extra_ca: Option<&[u8]>) -> Result<Sender, String> {
    let rules = Rules {
        plain_http: false,
        ..rules()
    };
    let tls = Tls::load(trust, extra_ca)?;
    let client = GuardedClient::with(&tls, rules, LONG, names([127, 0, 0, 1]));
    Ok(Sender {
        client,
        limits: LIMITS,
    })
}

#[test]
fn tls_believes_its_authorities_alone() {
    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let both = [&TLS12, &TLS13];
    let ok = answered(200, "ok");
    let bad = End::Failed(SendError::SecureConnection);
    for (name, host, certificate, versions, extra_ca, expected) in [
        ("a name", "localhost", GOOD, &both[..], Some(CA), &ok),
        ("an address", "127.0.0.1", GOOD, &both[..], Some(CA), &ok),
        ("TLS 1.2", "localhost", GOOD, &both[..1], Some(CA), &ok),
        ("TLS 1.3", "localhost", GOOD, &both[1..], Some(CA), &ok),
        (
            "unknown authority",
            "localhost",
            GOOD,
            &both[..],
            None,
            &bad,
        ),
        ("expired", "localhost", EXPIRED, &both[..], Some(CA), &bad),
        (
            "another name",
            "localhost",
            ELSEWHERE,
            &both[..],
            Some(CA),
            &bad,
        ),
        (
            "unknown to TLS 1.2",
            "localhost",
            GOOD,
            &both[..1],
            None,
            &bad,
        ),
        (
            "no name for a certificate",
            "0x7f.1",
            GOOD,
            &both[..],
            Some(CA),
            &bad,
        ),
    ] {
        let (port, served) = secured(certificate, versions, OK);
        let extra_ca = extra_ca.map(pem);
        let sender = trusting(Trust::Bundled, extra_ca.as_deref()).expect("TLS");
        let exchange = post(&sender, &format!("https://{host}:{port}/"));
        assert_eq!(&exchange.end, expected, "{name}");
        assert!(exchange.duration.is_some(), "{name}");
        let request = served.join().unwrap();
        assert_eq!(request.starts_with(b"POST / "), expected == &ok, "{name}");
    }
}

/// The listener has the address of the URL: addresses are not looked up.
#[test]
fn a_certificate_for_another_address_is_refused() {
    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for (address, expected) in [
        ([127, 0, 0, 1], answered(200, "ok")),
        ([127, 0, 0, 2], End::Failed(SendError::SecureConnection)),
    ] {
        let (at, served) = secured_on(address, GOOD, &[&TLS12, &TLS13], OK);
        let exchange = post(&sender(LIMITS), &format!("https://{at}/"));
        assert_eq!(exchange.end, expected, "{at}");
        assert!(exchange.duration.is_some(), "{at}");
        let request = served.join().unwrap();
        assert_eq!(request.is_empty(), expected != answered(200, "ok"), "{at}");
    }
}

#[test]
fn what_goes_wrong_in_the_handshake_is_told_so() {
    let plain: fn(TcpStream) = |mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        wait_for_end(&mut stream);
    };
    let close: fn(TcpStream) = |stream| {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        wait_for_end(&mut { stream });
    };
    for (name, serving) in [
        ("speaks plainly", plain),
        ("resets", reset),
        ("closes", close),
    ] {
        let (port, served) = serve(serving);
        let exchange = post(&sender(LIMITS), &format!("https://localhost:{port}/"));
        assert_eq!(
            exchange.end,
            End::Failed(SendError::SecureConnection),
            "{name}"
        );
        served.join().unwrap();
    }
}

#[test]
fn one_client_serves_many_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let sender = sender(LIMITS);
    shared(&sender.client);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (port, served) = secured(GOOD, &[&TLS13], "HTTP/1.1 204 No Content\r\n\r\n");
                let exchange = post(&sender, &format!("https://localhost:{port}/"));
                assert_eq!(exchange.end, answered(204, ""));
                served.join().unwrap();
            });
        }
    });
}

#[test]
fn authorities_that_cannot_be_used_are_refused_at_the_start() {
    let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let unended = b"-----BEGIN CERTIFICATE-----\nAAAA\n";
    let mut second = pem(CA);
    second.extend_from_slice(broken);
    for (trust, pem, says) in [
        (Trust::Bundled, &b""[..], "contains no certificate"),
        (Trust::Bundled, b"no PEM", "contains no certificate"),
        (Trust::Bundled, broken, "certificate 1 is no"),
        (Trust::Bundled, unended, "not PEM"),
        (Trust::Bundled, &second, "certificate 2 is no"),
        (Trust::System, b"", "contains no certificate"),
        (Trust::System, broken, "certificate 1 is no"),
    ] {
        let error = Tls::load(trust, Some(pem)).err().expect("a refusal");
        assert!(error.contains(says), "{error}");
    }
}

/// The system may have no authorities, which is an error of its own. If it has any, the test authority is not one of them.
/// With the test authority added, neither matters.
#[test]
fn the_system_is_trusted_instead() {
    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for (extra_ca, expected) in [
        (None, End::Failed(SendError::SecureConnection)),
        (Some(pem(CA)), answered(200, "ok")),
    ] {
        let alone = extra_ca.is_none();
        match trusting(Trust::System, extra_ca.as_deref()) {
            Ok(sender) => {
                let (port, served) = secured(GOOD, &[&TLS13], OK);
                let exchange = post(&sender, &format!("https://localhost:{port}/"));
                assert_eq!(exchange.end, expected);
                served.join().unwrap();
            }
            Err(error) => assert!(
                alone && error.contains("system's certificate authorities"),
                "{error}"
            ),
        }
    }
}
