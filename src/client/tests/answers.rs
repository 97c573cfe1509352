//! Requests to configured addresses: GET and POST, several kinds of body, and the limits of a response.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::server::{LONG, SHORT, answering, names, read_request, serve, tls, wait_for_end};
use crate::client::lookup::Lookups;
use crate::client::{Client, DialError, HttpResponse, Limits, Request};
use crate::runtime::clock::monotonic;
use crate::runtime::transaction::TransactionGuard;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Resolves every name to this machine and permits http.
fn client() -> Client {
    let lookups = Lookups::new(names([127, 0, 0, 1]));
    Client::with(&tls(), true, None, Arc::new(lookups))
}

const PATIENT: Limits = Limits {
    total: LONG,
    body: Duration::ZERO,
    body_bytes: 4 << 20,
};

#[test]
fn what_goes_out_is_the_request() {
    let version = env!("CARGO_PKG_VERSION");
    type Build = fn(Request) -> Request;
    let cases: [(&str, &str, Build, String, &str); 5] = [
        (
            "get",
            "GET",
            |request| request,
            format!("User-Agent: rota/{version}\r\nAccept: */*\r\n"),
            "",
        ),
        (
            "own headers",
            "GET",
            |request| {
                request
                    .header("accept", "text/calendar")
                    .header("Authorization", "Bearer x")
            },
            format!(
                "User-Agent: rota/{version}\r\naccept: text/calendar\r\nAuthorization: Bearer x\r\n"
            ),
            "",
        ),
        (
            "an empty post",
            "POST",
            |request| request,
            format!("Content-Length: 0\r\nUser-Agent: rota/{version}\r\nAccept: */*\r\n"),
            "",
        ),
        (
            "json",
            "POST",
            |request| request.json(&json!({ "text": "caf\u{e9}" })),
            format!(
                "Content-Length: 16\r\nUser-Agent: rota/{version}\r\nAccept: */*\r\n\
                 Content-Type: application/json; charset=utf-8\r\n"
            ),
            "{\"text\":\"caf\u{e9}\"}",
        ),
        (
            "a form",
            "POST",
            |request| request.form(&[("channel", "C1"), ("text", "a b & c")]),
            format!(
                "Content-Length: 29\r\nUser-Agent: rota/{version}\r\nAccept: */*\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\n"
            ),
            "channel=C1&text=a+b+%26+c",
        ),
    ];
    for (name, method, build, headers, body) in cases {
        let (port, served) = answering(OK);
        let url = format!("http://service.example:{port}/a?b=c");
        let request = match method {
            "GET" => Request::get(&url),
            _ => Request::post(&url),
        };
        let answer = client().send(&build(request).within(PATIENT)).expect(name);
        assert_eq!((answer.status, &answer.body[..]), (200, &b"ok"[..]));
        let headers = headers.replace("29", &body.len().to_string());
        let expected = format!(
            "{method} /a?b=c HTTP/1.1\r\nHost: service.example:{port}\r\n{headers}\r\n{body}"
        );
        let sent = served.join().unwrap();
        assert_eq!(String::from_utf8_lossy(&sent), expected, "{name}");
    }
}

#[test]
fn an_answer_has_its_headers_in_order() {
    let (port, _) = answering(
        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nX-Next: 1\r\nX-Next: 2\r\nContent-Length: 0\r\n\r\n",
    );
    let url = format!("http://service.example:{port}/");
    let answer = client().send(&Request::get(&url)).expect("an answer");
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = HttpResponse {
        status: 302,
        headers: vec![
            header("location", "/elsewhere"),
            header("x-next", "1"),
            header("x-next", "2"),
            header("content-length", "0"),
        ],
        body: Vec::new(),
        truncated: false,
    };
    assert_eq!(answer, expected);
    assert_eq!(answer.header("x-next"), Some("1"));
    assert_eq!(answer.header("retry-after"), None);
}

#[test]
fn a_body_is_kept_up_to_its_limit() {
    for (length, limit) in [(3 << 20, 3 << 20), ((3 << 20) + 1, 3 << 20), (1, 0), (0, 0)] {
        let mut answer =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").into_bytes();
        answer.resize(answer.len() + length, b'x');
        let (port, _) = answering(answer);
        let url = format!("http://service.example:{port}/");
        let limits = Limits {
            body_bytes: limit,
            ..PATIENT
        };
        let answer = client().send(&Request::get(&url).within(limits));
        let answer = answer.expect("an answer");
        assert_eq!(answer.body.len(), length.min(limit));
        assert_eq!(answer.truncated, length > limit, "{length} {limit}");
    }
}

/// Without a reserved part the body has the remaining time, and no more.
#[test]
fn one_deadline_covers_head_and_body() {
    for (name, head) in [
        ("head", ""),
        ("body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome"),
    ] {
        let (port, served) = serve(move |mut stream| {
            read_request(&mut stream);
            stream.write_all(head.as_bytes()).unwrap();
            wait_for_end(&mut stream);
        });
        let url = format!("http://service.example:{port}/");
        let limits = Limits {
            total: SHORT,
            ..PATIENT
        };
        let begun = monotonic();
        let answer = client().send(&Request::get(&url).within(limits));
        let took = begun.elapsed();
        assert!(took >= SHORT && took < LONG / 4, "{name}: {took:?}");
        match answer {
            Err(error) => assert_eq!((name, error), ("head", DialError::Timeout)),
            Ok(answer) => {
                let (body, truncated) = (&answer.body[..], answer.truncated);
                assert_eq!((name, body, truncated), ("body", &b"some"[..], true));
            }
        }
        served.join().unwrap();
    }
}

/// An address that is not public needs no permission here.
#[test]
fn configured_addresses_are_not_judged() {
    let (port, served) = answering(OK);
    let client = Client::new(&tls(), true, None);
    let answer = client.send(&Request::get(&format!("http://127.0.0.1:{port}/")));
    assert_eq!(answer.expect("an answer").status, 200);
    served.join().unwrap();
    let client = Client::new(&tls(), false, None);
    let refused = client.send(&Request::get(&format!("http://127.0.0.1:{port}/")));
    assert!(
        matches!(refused, Err(DialError::InvalidUrl(_))),
        "{refused:?}"
    );
}

#[test]
fn a_network_call_within_a_transaction_panics() {
    let url = client().url("http://localhost:9/").expect("a URL");
    let guarded = super::sender(super::LIMITS).client;
    let target = guarded.url("https://localhost/").expect("a URL");
    let calls: [(&str, &dyn Fn()); 3] = [
        ("send", &|| {
            drop(client().send(&Request::get("http://localhost/")))
        }),
        ("stream", &|| drop(client().stream(&url, SHORT))),
        ("check", &|| drop(guarded.check(&target))),
    ];
    for (name, call) in calls {
        let _guard = TransactionGuard::enter();
        let called = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
        let panic = called.expect_err(name);
        let text = panic.downcast_ref::<&str>().copied();
        assert!(text.is_some_and(|text| text.contains("within a transaction")));
    }
    // Network calls are permitted after the transaction.
    guarded.check(&target).expect("no panic");
}
