mod answers;
mod names;
mod oddities;
mod proxied;
pub mod receiver;
mod secure;
mod server;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use super::guard::{GuardedClient, Rules};
use super::{Limits, Request};
use crate::domain::webhook::SendError;
use crate::runtime::clock::monotonic;
use server::{
    End, Exchange, KEPT, LIMITS, LONG, SHORT, Sender, answering, limits, names, read_request,
    reset, rules, sender, serve, tls, trickle, wait_for_end,
};

const HEADERS: &[(&str, &str)] = &[
    ("Content-Type", "application/json"),
    ("Service-Timestamp", "1795212000"),
    ("Service-Signature", "v1=ab,v1=cd"),
];

fn post(sender: &Sender, url: &str) -> Exchange {
    post_body(sender, url, b"{}")
}

fn post_body(sender: &Sender, url: &str, body: &[u8]) -> Exchange {
    sender.send(request(url, HEADERS, body))
}

fn request<'a>(url: &'a str, headers: &[(&str, &str)], body: &'a [u8]) -> Request<'a> {
    let mut request = Request::post(url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.body = body.into();
    request
}

/// Posts to the port over http and returns the result.
fn end(limits: Limits, port: u16) -> End {
    let exchange = post(&sender(limits), &format!("http://receiver.example:{port}/"));
    assert!(exchange.duration.is_some());
    exchange.end
}

fn answered(status: u16, body: &str) -> End {
    End::Answered {
        status,
        retry_after: None,
        body: body.as_bytes().to_vec(),
        truncated: false,
    }
}

#[test]
fn what_is_reported_is_what_goes_out() {
    let (port, served) = answering("HTTP/1.1 204 No Content\r\n\r\n");
    let url = format!("http://me:secret@Receiver.example:{port}/a/b?c=d#top");
    let sender = sender(LIMITS);
    let exchange = post(&sender, &url);
    let version = env!("CARGO_PKG_VERSION");
    let sent = format!(
        "POST /a/b?c=d HTTP/1.1\r\nHost: receiver.example:{port}\r\nContent-Length: 2\r\n\
         User-Agent: rota/{version}\r\nAccept: */*\r\nContent-Type: application/json\r\n\
         Service-Timestamp: 1795212000\r\nService-Signature: v1=ab,v1=cd\r\n\r\n{{}}"
    );
    assert_eq!(String::from_utf8_lossy(&served.join().unwrap()), sent);
    let output: String = sender
        .client
        .headers(&request(&url, HEADERS, b"{}"))
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let output = format!("POST /a/b?c=d HTTP/1.1\r\n{output}\r\n{{}}");
    assert_eq!(output, sent);
    assert_eq!(exchange.end, answered(204, ""));
}

#[test]
fn large_and_empty_bodies_go_out_whole() {
    for length in [0, 1, 300_000] {
        let (port, served) = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        let body = vec![b'x'; length];
        let url = format!("http://receiver.example:{port}/");
        let exchange = post_body(&sender(LIMITS), &url, &body);
        assert_eq!(exchange.end, answered(200, ""));
        assert!(served.join().unwrap().ends_with(&body));
    }
}

#[test]
fn every_status_is_an_answer() {
    for (answer, expected) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            answered(200, "ok"),
        ),
        (
            "HTTP/1.1 200 OK\r\n\r\nuntil closed",
            answered(200, "until closed"),
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            answered(200, "ok"),
        ),
        ("HTTP/1.0 200 OK\r\n\r\nold", answered(200, "old")),
        ("HTTP/1.1 204 No Content\r\n\r\n", answered(204, "")),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
            answered(202, ""),
        ),
        (
            "HTTP/1.1 500 Oh\r\nContent-Length: 4\r\n\r\noops",
            answered(500, "oops"),
        ),
        (
            "HTTP/1.1 410 Gone\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nraw",
            answered(410, "raw"),
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 4\r\n\r\nover",
            answered(302, "over"),
        ),
        (
            "HTTP/1.1 307 Again\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
            answered(307, ""),
        ),
        (
            "HTTP/1.1 429 Slow\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
            End::Answered {
                status: 429,
                retry_after: Some("Fri, 31 Dec 1999 23:59:59 GMT".to_string()),
                body: Vec::new(),
                truncated: false,
            },
        ),
    ] {
        let (port, served) = answering(answer);
        assert_eq!(end(LIMITS, port), expected, "{answer}");
        served.join().unwrap();
    }
}

#[test]
fn no_more_of_a_body_is_kept_than_the_limit() {
    for (length, kept) in [(KEPT, KEPT), (KEPT + 1, KEPT), (10 << 20, KEPT)] {
        let mut answer =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").into_bytes();
        answer.resize(answer.len() + length, b'x');
        let (port, served) = answering(answer);
        let started = monotonic();
        let expected = End::Answered {
            status: 200,
            retry_after: None,
            body: vec![b'x'; kept],
            truncated: length > kept,
        };
        assert_eq!(end(LIMITS, port), expected);
        // The server could not send all of it, because the connection was closed early.
        served.join().unwrap();
        assert!(monotonic() - started < LONG / 4);
    }
}

#[test]
fn a_body_that_stalls_or_breaks_is_cut_and_the_status_stands() {
    let stall: fn(TcpStream) = |mut stream| wait_for_end(&mut stream);
    let close: fn(TcpStream) = drop;
    let trickle: fn(TcpStream) = |mut stream| trickle(&mut stream, b"x");
    for (name, then) in [("stalls", stall), ("closes", close), ("trickles", trickle)] {
        let (port, served) = serve(move |mut stream| {
            read_request(&mut stream);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\nsome";
            stream.write_all(answer).unwrap();
            then(stream);
        });
        match end(limits(LONG, SHORT), port) {
            End::Answered {
                status: 200,
                body,
                truncated: true,
                ..
            } => assert!(body.starts_with(b"some"), "{name}"),
            other => panic!("{name}: {other:?}"),
        }
        served.join().unwrap();
    }
}

/// The head has its own budget in every phase: the body's is not added.
#[test]
fn the_budget_ends_every_phase() {
    let hang: fn(TcpStream) = |mut stream| wait_for_end(&mut stream);
    let trickled_head: fn(TcpStream) = |mut stream| {
        read_request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").unwrap();
        trickle(&mut stream, b"x");
    };
    let hints: fn(TcpStream) = |mut stream| {
        read_request(&mut stream);
        trickle(&mut stream, b"HTTP/1.1 103 Early Hints\r\n\r\n");
    };
    let limits = limits(SHORT, LONG);
    for (name, scheme, serving) in [
        ("hangs", "http", hang),
        ("trickles its head", "http", trickled_head),
        ("sends hints for ever", "http", hints),
        ("shakes no hands", "https", hang),
    ] {
        let (port, served) = serve(serving);
        let started = monotonic();
        let url = format!("{scheme}://localhost:{port}/");
        let exchange = post(&sender(limits), &url);
        assert_eq!(exchange.end, End::Failed(SendError::Timeout), "{name}");
        let took = exchange.duration.expect("a duration");
        assert!(took >= SHORT, "{name}: {took:?}");
        assert!(monotonic() - started < LONG / 4, "{name}");
        served.join().unwrap();
    }
}

#[test]
fn a_receiver_that_reads_nothing_is_left_in_time() {
    let (done, held) = mpsc::channel::<()>();
    let (port, served) = serve(move |stream| {
        let _ = held.recv();
        drop(stream);
    });
    let limits = limits(SHORT, LONG);
    let started = monotonic();
    let url = format!("http://receiver.example:{port}/");
    let exchange = post_body(&sender(limits), &url, &vec![b'x'; 64 << 20]);
    assert_eq!(exchange.end, End::Failed(SendError::Timeout));
    assert!(monotonic() - started < LONG / 4);
    drop(done);
    served.join().unwrap();
}

#[test]
fn what_breaks_before_an_answer_is_the_connection() {
    let closes: fn(TcpStream) = |mut stream| {
        read_request(&mut stream);
    };
    let halves: fn(TcpStream) = |mut stream| {
        read_request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-").unwrap();
    };
    for (name, serving) in [
        ("closes", closes),
        ("closes within the head", halves),
        ("resets", reset),
    ] {
        let (port, served) = serve(serving);
        let ended = end(LIMITS, port);
        assert_eq!(ended, End::Failed(SendError::Connection), "{name}");
        served.join().unwrap();
    }
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    assert_eq!(end(LIMITS, port), End::Failed(SendError::Connection));
}

#[test]
fn what_is_no_response_is_told_so() {
    let many = "X: y\r\n".repeat(200);
    for answer in [
        "SSH-2.0-OpenSSH_9.9\r\n".to_string(),
        "\0\0\0\0".to_string(),
        "HTTP/1.1 099 Low\r\n\r\n".to_string(),
        "HTTP/2.0 200 OK\r\n\r\n".to_string(),
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n".to_string(),
        format!("HTTP/1.1 200 OK\r\n{many}\r\n"),
        format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(20_000)),
        format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(1 << 20)),
    ] {
        let shown = &answer[..answer.len().min(40)].to_string();
        let (port, served) = answering(answer);
        let ended = end(LIMITS, port);
        assert_eq!(ended, End::Failed(SendError::InvalidResponse), "{shown:?}");
        served.join().unwrap();
    }
    let fits = "y".repeat(16_000);
    let (port, _) = answering(format!("HTTP/1.1 204 No\r\nX: {fits}\r\n\r\n"));
    assert_eq!(end(LIMITS, port), answered(204, ""));
}

#[test]
fn urls_that_may_not_be_dialled_are_not() {
    let rules = Rules {
        plain_http: false,
        ..rules()
    };
    let sender = Sender {
        client: GuardedClient::with(&tls(), rules, LONG, names([127, 0, 0, 1])),
        limits: LIMITS,
    };
    for url in ["", "/hook", "http://localhost/", "https://localhost:0/"] {
        let exchange = post(&sender, url);
        assert_eq!(exchange.end, End::Failed(SendError::InvalidUrl), "{url}");
        assert_eq!(exchange.duration, None, "{url}");
        let headers = sender.client.headers(&request(url, HEADERS, b"{}"));
        assert_eq!(headers[0].0, "Content-Length", "{url}");
    }
    let exchange = sender.send(request("https://localhost/", &[("X", "a\r\nY: b")], b""));
    assert_eq!(exchange.end, End::Failed(SendError::Internal));
    assert_eq!(exchange.duration, None);
}

#[test]
fn a_shutdown_ends_what_is_on_the_wire() {
    let (seen, sees) = mpsc::channel();
    let (port, served) = serve(move |mut stream| {
        read_request(&mut stream);
        seen.send(()).unwrap();
        wait_for_end(&mut stream);
    });
    let sender = sender(LIMITS);
    let url = format!("http://receiver.example:{port}/");
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| post(&sender, &url));
        sees.recv().unwrap();
        sender.client.shut_down();
        let exchange = sending.join().unwrap();
        assert_eq!(exchange.end, End::Failed(SendError::Connection));
    });
    served.join().unwrap();
    assert_eq!(post(&sender, &url).end, End::Failed(SendError::Connection));
}
