//! Well-behaved clients.

use super::*;

#[test]
fn requests_on_one_connection() {
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    let answer = client.get("/a%2Fb//?c=%zz");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, "GET /a%2Fb//?c=%zz h ");
    assert_eq!(answer.header("Date"), Some("Thu, 01 Jan 1970 00:00:00 GMT"));
    assert_eq!(answer.header("Connection"), None);

    client.send(b"POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello\r\n");
    assert_eq!(client.answer().body, "POST /b h hello");
    client.send(b"GET http://other/c HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(client.answer().body, "GET /c other ");
    client.send(b"OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    let last = client.answer();
    assert_eq!(last.body, "OPTIONS * h ");
    assert!(last.closes());
    assert_eq!(client.rest(), "");
}

#[test]
fn http_1_0() {
    let server = Running::start(Limits::default());
    let text = server.exchange(b"GET /a HTTP/1.0\r\n\r\n");
    assert!(text.contains("\r\nConnection: close\r\n"), "{text}");
    assert!(text.ends_with("GET /a - "), "{text}");

    let mut client = server.connect();
    client.send(b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let answer = client.answer();
    assert_eq!(answer.header("Connection"), Some("keep-alive"));
    assert_eq!(client.get("/b").body, "GET /b h ");
}

#[test]
fn head_tells_the_length_and_sends_no_body() {
    let server = Running::start(Limits::default());
    for (target, length) in [
        ("/a", "10"),
        ("/unknown-size", "11"),
        ("/large?300000", "300000"),
        ("/empty", ""),
        ("/same", ""),
    ] {
        let request = format!("HEAD {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        let text = server.exchange(request.as_bytes());
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let found = head.split_once("Content-Length: ").map_or("", |(_, rest)| {
            rest.split("\r\n").next().unwrap_or_default()
        });
        assert_eq!((found, body), (length, ""), "{target}: {text}");
    }
}

#[test]
fn answers_without_a_body_do_not_shift_the_next() {
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    for (target, status) in [("/empty", 204), ("/same", 304), ("/a", 200)] {
        let answer = client.get(target);
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("Content-Length").is_some(), status == 200);
    }
    let split = client.get("/split");
    assert_eq!(split.body, "split");
    assert!(!split.head.contains("Set-Cookie"), "{}", split.head);
    assert_eq!(client.get("/unknown-size").body, "of a reader");
    assert_eq!(client.get("/large?3000000").body.len(), 3_000_000);
    assert_eq!(client.get("/a").body, "GET /a h ");
}

#[test]
fn chunked_bodies_end_where_they_end() {
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    let head = b"PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = b"5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: t\r\n\r\n";
    let bytes = [&head[..], body].concat();
    for _ in 0..2 {
        client.send(&bytes);
        assert_eq!(client.answer().body, "PUT /c h hello!");
    }
    // One byte per packet, followed by the next request.
    for byte in &bytes {
        client.send(&[*byte]);
    }
    assert_eq!(client.get("/next").body, "PUT /c h hello!");
    assert_eq!(client.answer().body, "GET /next h ");
}

#[test]
fn a_large_body_arrives_whole() {
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    let body = "y".repeat(1024 * 1024);
    client.send(b"PUT /l HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n");
    client.send(body.as_bytes());
    let answer = client.answer();
    assert_eq!(answer.body.len(), "PUT /l h ".len() + body.len());
    assert!(answer.body.ends_with(&body));
    assert_eq!(client.get("/n").body, "GET /n h ");
}

#[test]
fn a_client_that_waits_to_send_its_body_is_told_to() {
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    for announced in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
        let head =
            format!("PUT /c HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n{announced}\r\n\r\n");
        client.send(head.as_bytes());
        let go_on = client.answer();
        assert_eq!(go_on.head, "HTTP/1.1 100 Continue\r\n\r\n");
        let chunked = announced.starts_with('T');
        client.send(if chunked {
            b"5\r\nhello\r\n0\r\n\r\n"
        } else {
            b"hello"
        });
        assert_eq!(client.answer().body, "PUT /c h hello");
    }
    // There is no body to wait for.
    client.send(b"GET /d HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.answer().body, "GET /d h ");
    // Refused before the body is sent.
    client.send(
        b"PUT /c HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
    );
    assert_eq!(client.answer().status, 413);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    const REQUESTS: usize = 2000;
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    let mut sending = client.stream.try_clone().expect("a socket");
    let sender = std::thread::spawn(move || {
        let mut bytes = String::new();
        for at in 0..REQUESTS {
            bytes += &match at % 3 {
                0 => format!("GET /{at} HTTP/1.1\r\nHost: h\r\n\r\n"),
                1 => format!("PUT /{at} HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"),
                _ => format!(
                    "PUT /{at} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                ),
            };
        }
        sending.write_all(bytes.as_bytes()).expect("it reads");
        sending.shutdown(Shutdown::Write).expect("connected");
    });
    for at in 0..REQUESTS {
        let expected = match at % 3 {
            0 => format!("GET /{at} h "),
            _ => format!("PUT /{at} h abc"),
        };
        assert_eq!(client.answer().body, expected);
    }
    sender.join().expect("sent");
    assert_eq!(client.rest(), "");
}

#[test]
fn a_panic_costs_one_answer() {
    let server = Running::start(Limits::default());
    let mut client = server.connect();
    let answer = client.get("/panic");
    assert_eq!(answer.status, 500);
    assert_eq!(answer.body, "/panic out of order");
    assert_eq!(client.get("/a").body, "GET /a h ");
}
