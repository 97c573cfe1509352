//! Requests and streams through a proxy, and streams without one.

use std::io::{ErrorKind, Read, Write, copy};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::version::TLS13;

use super::receiver::{chain, server_config};
use super::server::{
    GOOD, LONG, SHORT, answering, read_request, secure, secured, serve, tls, wait_for_end,
};
use crate::client::lookup::Lookups;
use crate::client::{Client, DialError, Limits, Proxy, Request};
use crate::runtime::clock::monotonic;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A client that uses the proxy on that port of this machine. Only the proxy's name can be resolved.
fn client(port: u16) -> Client {
    let proxy = Proxy::parse(&format!("http://proxy.example:{port}")).expect("a proxy");
    let lookups = Lookups::new(Arc::new(|host, port| match host {
        "proxy.example" => Ok(vec![([127, 0, 0, 1], port).into()]),
        _ => panic!("the proxy resolves {host}"),
    }));
    Client::with(&tls(), true, Some(proxy), Arc::new(lookups))
}

/// Connects to the requested port on this machine, whatever the host. The thread returns the head of the request.
fn proxy() -> (u16, JoinHandle<String>) {
    serve(|mut client| {
        let head = String::from_utf8(read_request(&mut client)).expect("text");
        let authority = head.split(' ').nth(1).expect("a target");
        let port = authority.rsplit(':').next().expect("a port");
        let target = TcpStream::connect(("127.0.0.1", port.parse().expect("a port")));
        let target = target.expect("the target");
        let answer = b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n";
        client.write_all(answer).expect("an answer");
        let (mut from, mut to) = (client.try_clone().unwrap(), target.try_clone().unwrap());
        let up = thread::spawn(move || {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
        let _ = copy(&mut &target, &mut &client);
        let _ = client.shutdown(Shutdown::Write);
        up.join().unwrap();
        head
    })
}

fn within(total: Duration) -> Limits {
    Limits {
        total,
        ..Limits::default()
    }
}

#[test]
fn requests_go_through_the_proxy() {
    let version = env!("CARGO_PKG_VERSION");
    for scheme in ["https", "http"] {
        let (port, served) = match scheme {
            "https" => secured(GOOD, &[&TLS13], OK),
            _ => answering(OK),
        };
        let (at, asked) = proxy();
        let url = format!("{scheme}://localhost:{port}/path");
        let answer = client(at).send(&Request::get(&url).within(within(LONG)));
        assert_eq!(answer.expect("an answer").body, b"ok");
        let request = String::from_utf8(served.join().unwrap()).unwrap();
        assert!(request.starts_with("GET /path HTTP/1.1\r\n"), "{request}");
        let connect = format!(
            "CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\nUser-Agent: rota/{version}\r\n\r\n"
        );
        assert_eq!(asked.join().unwrap(), connect);
    }
}

#[test]
fn a_proxy_that_does_not_connect_is_named() {
    let large = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(20_000));
    for (answer, says) in [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            "it answered 407",
        ),
        (
            "HTTP/1.0 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
            "it answered 502",
        ),
        ("SSH-2.0-OpenSSH_9.9\r\n\r\n", "its answer is not HTTP"),
        (
            "HTTP/1.1 200 OK\r\n",
            "it closed the connection without an answer",
        ),
        (&large, "its answer is too large"),
    ] {
        let (at, _) = answering(answer);
        let request = Request::get("https://localhost:9/").within(within(LONG));
        let error = client(at).send(&request).expect_err("no answer");
        assert_eq!(error, DialError::Proxy(says.to_owned()));
        assert!(error.was_dialled());
    }
    let (at, served) = serve(|mut stream| wait_for_end(&mut stream));
    let begun = monotonic();
    let request = Request::get("https://localhost:9/").within(within(SHORT));
    assert_eq!(client(at).send(&request), Err(DialError::Timeout));
    assert!(begun.elapsed() < LONG / 4);
    served.join().unwrap();
}

/// Alternates between writing and reading, as a WebSocket does, with the proxy and without it.
#[test]
fn a_stream_is_read_and_written_within_its_deadline() {
    for through_proxy in [false, true] {
        let (port, served) = serve(|stream| {
            let mut stream = secure(server_config(chain(&[GOOD]), &[&TLS13]), stream);
            let mut heard = [0; 4];
            stream.read_exact(&mut heard).expect("a question");
            stream.write_all(b"answer").expect("a way back");
            stream.flush().unwrap();
            wait_for_end(&mut stream);
            heard
        });
        let (client, asked) = match through_proxy {
            true => {
                let (at, asked) = proxy();
                (client(at), Some(asked))
            }
            false => (Client::new(&tls(), false, None), None),
        };
        let url = format!("https://localhost:{port}/");
        let url = client.url(&url).expect("a URL");
        let mut stream = client.stream(&url, LONG).expect("a stream");
        // The server sends nothing before a request.
        stream.set_deadline(monotonic() + SHORT);
        let waited = stream.read(&mut [0; 16]).expect_err("nothing to read");
        assert_eq!(waited.kind(), ErrorKind::TimedOut);
        stream.set_deadline(monotonic() + LONG);
        stream.write_all(b"what").expect("a way there");
        stream.flush().unwrap();
        let mut answer = [0; 6];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"answer");
        drop(stream);
        assert_eq!(&served.join().unwrap(), b"what");
        if let Some(asked) = asked {
            asked.join().unwrap();
        }
    }
}

#[test]
fn a_stream_in_the_clear_goes_through_the_proxy_too() {
    let (port, served) = serve(|mut stream| {
        stream.write_all(b"hello").expect("a way back");
        wait_for_end(&mut stream);
    });
    let (at, asked) = proxy();
    let client = client(at);
    let url = client
        .url(&format!("http://localhost:{port}/"))
        .expect("a URL");
    let mut stream = client.stream(&url, LONG).expect("a stream");
    let mut heard = [0; 5];
    stream.read_exact(&mut heard).expect("a hello");
    assert_eq!(&heard, b"hello");
    drop(stream);
    served.join().unwrap();
    assert!(
        asked
            .join()
            .unwrap()
            .starts_with(&format!("CONNECT localhost:{port} "))
    );
}

#[test]
fn a_stream_that_cannot_be_opened_says_why() {
    let (port, served) = serve(|mut stream| wait_for_end(&mut stream));
    let client = Client::new(&tls(), false, None);
    let url = |port| {
        client
            .url(&format!("https://127.0.0.1:{port}/"))
            .expect("a URL")
    };
    let stalled = client.stream(&url(port), SHORT).err();
    assert_eq!(stalled, Some(DialError::Timeout));
    served.join().unwrap();
    let (port, served) = secured("elsewhere", &[&TLS13], OK);
    let wrong = client.stream(&url(port), LONG).err();
    assert!(
        matches!(wrong, Some(DialError::SecureConnection(_))),
        "{wrong:?}"
    );
    served.join().unwrap();
}
