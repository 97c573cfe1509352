//! Broken and hostile clients.

use super::*;

/// Short enough for a test, long enough not to elapse by accident.
const SHORT: Duration = Duration::from_millis(200);

#[test]
fn what_could_be_read_as_two_requests_is_refused() {
    let server = Running::start(Limits::default());
    // Each body contains a request that must not be handled.
    let hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";
    for (head, status) in [
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nContent-Length: 35\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0,0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +0\r\n\r\n",
            400,
        ),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551616\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 35\r\n\r\n",
            400,
        ),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n",
            501,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
            501,
        ),
        (
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nA: b\nTransfer-Encoding: chunked\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nA: b\r\n Transfer-Encoding: chunked\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            400,
        ),
        ("GET / HTTP/1.1\r\nHost: h\r\nHost: g\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nA: \0\r\n\r\n", 400),
        ("GET a HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (
            "GET / HTTP/1.1\r\nHost: h\r\nExpect: a miracle\r\n\r\n",
            417,
        ),
    ] {
        let text = server.exchange(format!("{head}{hidden}").as_bytes());
        let expected = format!("HTTP/1.1 {status} ");
        assert!(text.starts_with(&expected), "{head:?}: {text}");
        assert!(
            text.contains("\r\nConnection: close\r\n"),
            "{head:?}: {text}"
        );
        assert_eq!(text.matches("\r\nDate: ").count(), 1, "{head:?}: {text}");
    }
    assert_eq!(server.handled(), 0);
}

#[test]
fn too_much_is_refused_before_it_is_read() {
    let limits = Limits {
        body_bytes: 1000,
        ..Limits::default()
    };
    let server = Running::start(limits);
    let long = "x".repeat(20_000);
    let many = "A: b\r\n".repeat(101);
    for (request, status) in [
        (format!("GET /{long} HTTP/1.1\r\nHost: h\r\n\r\n"), 431),
        (
            format!("GET / HTTP/1.1\r\nHost: h\r\nA: {long}\r\n\r\n"),
            431,
        ),
        (format!("GET / HTTP/1.1\r\nHost: h\r\n{many}\r\n"), 431),
        (
            "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n".into(),
            413,
        ),
        (
            "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 17592186044416\r\n\r\n".into(),
            413,
        ),
        (
            "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n".into(),
            413,
        ),
        (
            format!(
                "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: {long}"
            ),
            431,
        ),
    ] {
        let text = server.exchange(request.as_bytes());
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
    }
    // A client that reads the response only after sending everything gets a response, not a reset.
    let body = "x".repeat(2_000_000);
    let request = format!("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n{body}");
    assert!(
        server
            .exchange(request.as_bytes())
            .starts_with("HTTP/1.1 413 ")
    );
    assert_eq!(server.handled(), 0);
}

#[test]
fn slow_requests_run_into_total_deadlines() {
    let limits = Limits {
        head: SHORT,
        body: SHORT,
        ..Limits::default()
    };
    let server = Running::start(limits);
    for start in [
        "GET / HTTP/1.1\r\nHost: h\r\nA: ",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nf0000\r\n",
    ] {
        let mut client = server.connect();
        let began = monotonic();
        client.send(start.as_bytes());
        // A byte now and then does not extend the deadline.
        let pace = Duration::from_millis(10);
        client
            .stream
            .set_read_timeout(Some(pace))
            .expect("a socket");
        let mut byte = [0];
        loop {
            assert!(began.elapsed() < PATIENCE, "{start:?}");
            match client.stream.read(&mut byte) {
                Ok(count) => {
                    assert_eq!(count, 1, "{start:?}");
                    break;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => client.send(b"x"),
                Err(error) => panic!("{start:?}: {error}"),
            }
        }
        assert!(began.elapsed() >= SHORT, "{start:?}");
        client.received.push(byte[0]);
        client
            .stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a socket");
        let text = client.rest();
        assert!(text.starts_with("HTTP/1.1 408 "), "{start:?}: {text}");
    }
    assert_eq!(server.handled(), 0);
}

#[test]
fn idle_connections_are_closed_without_a_word() {
    let limits = Limits {
        idle: SHORT,
        head: SHORT,
        ..Limits::default()
    };
    let server = Running::start(limits);
    let began = monotonic();
    assert_eq!(server.connect().rest(), "");
    assert!(began.elapsed() >= SHORT);
    let mut client = server.connect();
    assert_eq!(client.get("/a").status, 200);
    client.send(b"\r\n");
    assert_eq!(client.rest(), "");
}

#[test]
fn a_slow_reader_loses_its_place() {
    let limits = Limits {
        connections: 1,
        write: SHORT,
        ..Limits::default()
    };
    let server = Running::start(limits);
    let began = monotonic();
    let mut reader = server.connect();
    reader.send(b"GET /large?100000000 HTTP/1.1\r\nHost: h\r\n\r\n");
    // The only connection slot is free once the server closes the slow one.
    until_served(&server);
    assert!(began.elapsed() >= SHORT);
    let mut received = Vec::new();
    let _ = reader.stream.read_to_end(&mut received);
    assert!(received.len() < 100_000_000);
}

#[test]
fn bodies_that_break_off() {
    let server = Running::start(Limits::default());
    for start in [
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhello",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ] {
        let mut client = server.connect();
        client.send(start.as_bytes());
        client.stream.shutdown(Shutdown::Write).expect("connected");
        assert!(client.rest().starts_with("HTTP/1.1 400 "), "{start:?}");
    }
    let mut client = server.connect();
    client.send(b"GET / HT");
    client.stream.shutdown(Shutdown::Write).expect("connected");
    assert_eq!(client.rest(), "");
    assert_eq!(server.handled(), 0);
}

#[test]
fn over_the_cap_connections_are_refused_and_places_come_back() {
    let limits = Limits {
        connections: 3,
        ..Limits::default()
    };
    let server = Running::start(limits);
    let mut clients: Vec<Client> = (0..3).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.get("/a").status, 200);
        client.send(b"GET /a HT");
    }
    let handled = server.handled();
    for _ in 0..100 {
        let text = server.exchange(b"GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
        assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
        assert!(text.contains("\r\nConnection: close\r\n"), "{text}");
    }
    assert_eq!(server.handled(), handled);
    // A slot is reused after a connection ends.
    drop(clients);
    until_served(&server);
}

#[test]
fn silent_connections_make_room() {
    let limits = Limits {
        connections: 3,
        silence: Duration::ZERO,
        ..Limits::default()
    };
    let server = Running::start(limits);
    let mut used = server.connect();
    assert_eq!(used.get("/a").status, 200);
    let mut silent = server.connect();
    for _ in 0..20 {
        server.until_idle();
        let others: Vec<Client> = (0..3).map(|_| server.connect()).collect();
        let mut client = server.connect();
        assert_eq!(client.get("/b").status, 200);
        drop(others);
    }
    assert_eq!((used.rest(), silent.rest()), (String::new(), String::new()));
}

#[test]
fn bursts_are_all_served() {
    let server = Running::start(Limits::default());
    for _ in 0..3 {
        let mut clients: Vec<Client> = (0..64).map(|_| server.connect()).collect();
        // All stay open, so none depends on another to close.
        for client in &mut clients {
            assert_eq!(client.get("/a").status, 200);
        }
    }
}

/// Connects until a slot is free.
fn until_served(server: &Running) {
    let began = monotonic();
    loop {
        assert!(began.elapsed() < PATIENCE, "no place comes free");
        let text = server.exchange(b"GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        if text.starts_with("HTTP/1.1 200 ") {
            return;
        }
        assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
    }
}

#[test]
fn large_bodies_wait_for_room_and_those_only_announced_take_none() {
    let size = 32 * 1024;
    let room = |patience| Limits {
        body_bytes: size,
        bodies: memory::Limits {
            all: size,
            address: size,
            credential: size,
        },
        patience,
        ..Limits::default()
    };
    let head = format!("POST /wait HTTP/1.1\r\nHost: h\r\nContent-Length: {size}\r\n\r\n");
    let sized = [head.as_bytes(), &vec![b'x'; size]].concat();
    let chunked = format!(
        "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n{size:x}\r\n{}\r\n0\r\n\r\n",
        "x".repeat(size)
    );
    for body in [&sized[..], chunked.as_bytes()] {
        let server = Running::start(room(SHORT));
        let mut announced: Vec<Client> = (0..4).map(|_| server.connect()).collect();
        for client in &mut announced {
            client.send(head.as_bytes());
            client.send(&[b'x'; 15 * 1024]);
        }
        let mut first = server.connect();
        first.send(&sized);
        server
            .entered
            .recv_timeout(PATIENCE)
            .expect("it is handled");
        let text = server.exchange(body);
        assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
        assert!(text.contains("large request bodies"), "{text}");
        let small = server.exchange(
            b"POST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
        );
        assert!(small.starts_with("HTTP/1.1 200 "), "{small}");
        server.open.send(()).expect("it waits");
        assert_eq!(first.answer().body, "waited");
        // Its memory is released.
        let mut next = server.connect();
        next.send(body);
        server.open.send(()).expect("a handler may wait");
        assert_eq!(next.answer().status, 200);
    }
}

/// Responses of unknown size are streamed. If one fails, the connection closes, so that clients see that it is truncated.
#[test]
fn an_answer_that_fails_on_the_way_is_not_ended() {
    let server = Running::start(Limits::default());
    let text =
        server.exchange(b"GET /stream?300000 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assert!(
        text.contains("\r\nTransfer-Encoding: chunked\r\n"),
        "{}",
        &text[..200]
    );
    assert!(text.ends_with("\r\n0\r\n\r\n"));
    let text = server.exchange(b"GET /broken-stream?300000 HTTP/1.1\r\nHost: h\r\n\r\n");
    assert!(
        text.contains("\r\nTransfer-Encoding: chunked\r\n"),
        "{}",
        &text[..200]
    );
    assert!(text.len() > 250_000 && !text.ends_with("0\r\n\r\n"));
    let text = server.exchange(b"GET /stream?300000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    assert!(
        head.contains("Connection: close") && !head.contains("chunked"),
        "{head}"
    );
    assert_eq!(body.len(), 300_000);
    let mut client = server.connect();
    client.send(b"HEAD /stream?300000 HTTP/1.1\r\nHost: h\r\n\r\nGET /after HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    let text = client.rest();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
    assert!(text.ends_with("GET /after h "), "{text}");
}
