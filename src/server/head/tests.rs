use super::*;

mod fuzz;

fn limits() -> Limits {
    Limits {
        head_bytes: 400,
        headers: 5,
        body_bytes: 100,
        ..Limits::default()
    }
}

fn status(bytes: &[u8]) -> Result<Option<usize>, u16> {
    match parse(bytes, &limits()) {
        Ok(found) => Ok(found.map(|(_, length)| length)),
        Err(problem) => {
            assert!(!problem.detail.is_empty());
            Err(problem.status)
        }
    }
}

fn read(bytes: &str) -> Head {
    let parsed = parse(bytes.as_bytes(), &limits());
    let (head, length) = parsed
        .unwrap_or_else(|problem| panic!("{bytes:?}: {problem:?}"))
        .unwrap_or_else(|| panic!("{bytes:?} is incomplete"));
    assert_eq!(length, bytes.len());
    head
}

/// Checks that the head is refused with `expected`, and that no prefix of it parses as a whole head.
fn refused(bytes: &[u8], expected: u16) {
    assert_eq!(status(bytes), Err(expected), "{}", bytes.escape_ascii());
    for end in 0..bytes.len() {
        assert!(
            !matches!(status(&bytes[..end]), Ok(Some(_))),
            "{} taken as whole at {end}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn a_head_is_read_whole_or_not_at_all() {
    let bytes = b"POST /v1/x?y=%20z HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    let end = bytes.len() - 5;
    for cut in 0..=bytes.len() {
        let expected = (cut >= end).then_some(end);
        assert_eq!(status(&bytes[..cut]), Ok(expected), "cut at {cut}");
    }
    let (head, _) = parse(bytes, &limits()).expect("good").expect("whole");
    assert_eq!(head.method, "POST");
    assert_eq!(head.target, "/v1/x?y=%20z");
    assert_eq!(head.framing, Framing::Sized(5));
    assert_eq!(head.persistence, Persistence::KeepAlive);
    assert!(!head.expects_continue);
    assert_eq!(
        head.headers,
        [
            ("Host".into(), "a".into()),
            ("Content-Length".into(), "5".into())
        ]
    );
}

#[test]
fn targets() {
    for (line, target, host) in [
        ("GET / HTTP/1.1", "/", "h"),
        ("GET //a HTTP/1.1", "//a", "h"),
        ("GET /%zz%ff%00%2F?%?? HTTP/1.1", "/%zz%ff%00%2F?%??", "h"),
        ("GET /../..;a=b{}| HTTP/1.1", "/../..;a=b{}|", "h"),
        ("BREW /pot HTTP/1.1", "/pot", "h"),
        ("OPTIONS * HTTP/1.1", "*", "h"),
        (
            "GET http://a.example:80/b?c HTTP/1.1",
            "/b?c",
            "a.example:80",
        ),
        ("GET HTTP://[::1] HTTP/1.1", "/", "[::1]"),
        ("GET http://a//b HTTP/1.1", "//b", "a"),
    ] {
        let head = read(&format!("{line}\r\nHost: h\r\n\r\n"));
        assert_eq!(head.target, target, "{line}");
        assert_eq!(head.headers, [("Host".into(), host.into())], "{line}");
    }
    // HTTP/1.0 does not require Host; the target provides it.
    let head = read("GET http://a/ HTTP/1.0\r\n\r\n");
    assert_eq!(head.headers, [("Host".into(), "a".into())]);

    for target in [
        "",
        "*",
        "a",
        "a/b",
        "?a",
        "http://",
        "http:///a",
        "http://a?b",
        "http://u@a/",
        "http://a b/",
        "https://a/",
        "ftp://a/",
        "/a#b",
        "/a b",
        "/caf\u{e9}",
        "/\u{7f}",
        "/\0",
        "/a\tb",
        "a:443",
    ] {
        refused(
            format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n").as_bytes(),
            400,
        );
    }
    refused(b"GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n", 400);
    refused(b"CONNECT a:443 HTTP/1.1\r\nHost: h\r\n\r\n", 400);
}

#[test]
fn request_lines_that_are_refused() {
    for line in [
        "GET  / HTTP/1.1",
        " GET / HTTP/1.1",
        "GET / HTTP/1.1 ",
        "GET\t/ HTTP/1.1",
        "G@T / HTTP/1.1",
        "GET /",
        "/ HTTP/1.1",
        "GET / HTP/1.1",
        "GET / http/1.1",
        "GET / HTTP/x.1",
        "GET / HTTP/11.1",
    ] {
        refused(format!("{line}\r\nHost: h\r\n\r\n").as_bytes(), 400);
    }
    for line in [
        "PRI * HTTP/2.0",
        "GET / HTTP/2",
        "GET / HTTP/1.2",
        "GET / HTTP/0.9",
    ] {
        refused(format!("{line}\r\nHost: h\r\n\r\n").as_bytes(), 505);
    }
    // A TLS client on this port gets an error at once, not after a time-out.
    assert_eq!(
        status(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        Err(400)
    );
}

#[test]
fn header_lines_that_are_refused() {
    for lines in [
        "A : b\r\n",
        " A: b\r\n",
        "\tA: b\r\n",
        ": b\r\n",
        "A\r\n",
        "A b: c\r\n",
        "A(: c\r\n",
        "A: b\r\n c\r\n",
        "A: b\r\n\tc\r\n",
        "A: b\0\r\n",
        "A: b\x01c\r\n",
        "A: b\x7fc\r\n",
        "A: b\rc\r\n",
        "A: b\nB: c\r\n",
        "A: b\n",
        "A: b\r\r\n",
        "\n",
    ] {
        refused(
            format!("GET / HTTP/1.1\r\nHost: h\r\n{lines}\r\n").as_bytes(),
            400,
        );
    }
    refused(b"GET / HTTP/1.1\nHost: h\n\n", 400);
    refused(b"GET / HTTP/1.1\r\nHost: h\n\r\n", 400);
    refused(b"\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400);
}

#[test]
fn header_values() {
    let bytes =
        b"GET / HTTP/1.1\r\nHost:h\r\nA: \t b c \t \r\nB:\r\nC: caf\xc3\xa9\r\nD: caf\xe9\r\n\r\n";
    let (head, _) = parse(bytes, &limits()).expect("good").expect("whole");
    let values: Vec<&str> = head.headers.iter().map(|(_, value)| &value[..]).collect();
    assert_eq!(values, ["h", "b c", "", "caf\u{e9}", "caf\u{fffd}"]);
}

#[test]
fn hosts() {
    for host in [
        "h",
        "h:8080",
        "127.0.0.1",
        "[::1]:80",
        "xn--caf-dma.example",
    ] {
        read(&format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n"));
    }
    for lines in [
        "",
        "Host:\r\n",
        "Host: a b\r\n",
        "Host: a/b\r\n",
        "Host: u@a\r\n",
        "Host: a\r\nHost: a\r\n",
        "Host: a\r\nHOST: b\r\n",
        "Host: caf\u{e9}\r\n",
    ] {
        refused(format!("GET / HTTP/1.1\r\n{lines}\r\n").as_bytes(), 400);
    }
    refused(b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400);
    // An absolute target does not replace a missing or invalid Host.
    refused(b"GET http://a/ HTTP/1.1\r\n\r\n", 400);
    refused(b"GET http://a/ HTTP/1.1\r\nHost: b c\r\n\r\n", 400);
}

#[test]
fn bodies() {
    for (lines, expected) in [
        ("Content-Length: 0\r\n", Framing::Sized(0)),
        ("CONTENT-LENGTH:100\r\n", Framing::Sized(100)),
        ("Content-Length: 101\r\n", Framing::TooLarge),
        ("transfer-encoding: Chunked\r\n", Framing::Chunked),
        ("X-Content-Length: 7\r\n", Framing::Sized(0)),
    ] {
        let head = read(&format!("PUT / HTTP/1.1\r\nHost: h\r\n{lines}\r\n"));
        assert_eq!(head.framing, expected, "{lines}");
    }
    for (lines, expected) in [
        ("Content-Length: 5\r\nContent-Length: 5\r\n", 400),
        ("Content-Length: 5\r\ncontent-length: 6\r\n", 400),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Content-Length:\r\n", 400),
        ("Content-Length: 5 5\r\n", 400),
        ("Transfer-Encoding: gzip\r\n", 501),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            501,
        ),
        (
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
            501,
        ),
        ("Transfer-Encoding : chunked\r\n", 400),
        ("Transfer-Encoding: \x0bchunked\r\n", 400),
    ] {
        refused(
            format!("PUT / HTTP/1.1\r\nHost: h\r\n{lines}\r\n").as_bytes(),
            expected,
        );
    }
    refused(b"PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400);
}

#[test]
fn expectations() {
    for (version, line, expected) in [
        ("1.1", "Expect: 100-Continue\r\n", true),
        ("1.1", "", false),
        ("1.0", "Expect: 100-continue\r\n", false),
        ("1.0", "Expect: magic\r\n", false),
    ] {
        let head = read(&format!("PUT / HTTP/{version}\r\nHost: h\r\n{line}\r\n"));
        assert_eq!(head.expects_continue, expected, "{version} {line}");
    }
    refused(b"PUT / HTTP/1.1\r\nHost: h\r\nExpect: magic\r\n\r\n", 417);
}

#[test]
fn persistence() {
    use Persistence::*;
    for (version, lines, expected) in [
        ("1.1", "", KeepAlive),
        ("1.1", "Connection: keep-alive\r\n", KeepAlive),
        ("1.1", "Connection: close\r\n", Close),
        ("1.1", "Connection: TE , Close\r\n", Close),
        (
            "1.1",
            "Connection: keep-alive\r\nConnection: close\r\n",
            Close,
        ),
        ("1.1", "Connection: closed\r\n", KeepAlive),
        ("1.0", "", Close),
        ("1.0", "Connection: Keep-Alive\r\n", KeepAliveRequested),
        ("1.0", "Connection: keep-alive, close\r\n", Close),
    ] {
        let head = read(&format!("GET / HTTP/{version}\r\nHost: h\r\n{lines}\r\n"));
        assert_eq!(head.persistence, expected, "{version} {lines}");
    }
}

#[test]
fn limits_of_the_head() {
    let head = |filling: usize| {
        format!(
            "GET / HTTP/1.1\r\nHost: h\r\nA: {}\r\n\r\n",
            "x".repeat(filling)
        )
    };
    let frame = head(0).len();
    assert_eq!(status(head(400 - frame).as_bytes()), Ok(Some(400)));
    assert_eq!(status(head(401 - frame).as_bytes()), Err(431));
    assert_eq!(status(&head(500).as_bytes()[..399]), Ok(None));
    assert_eq!(status(&head(500).as_bytes()[..400]), Err(431));
    assert_eq!(status("\r\n".repeat(200).as_bytes()), Err(431));

    let lines = |count: usize| {
        format!(
            "GET / HTTP/1.1\r\nHost: h\r\n{}\r\n",
            "A: b\r\n".repeat(count)
        )
    };
    assert!(matches!(status(lines(4).as_bytes()), Ok(Some(_))));
    assert_eq!(status(lines(5).as_bytes()), Err(431));
}
