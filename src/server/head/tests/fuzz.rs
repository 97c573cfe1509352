//! Slightly corrupted request heads, checked against a second parser that only splits lines.

use super::super::super::exchange::Request;
use super::*;
use crate::tests::{bent, try_out};
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Small enough that some heads exceed them.
fn limits() -> Limits {
    Limits {
        head_bytes: 300,
        headers: 6,
        body_bytes: 100,
        ..Limits::default()
    }
}

fn some_line() -> impl Strategy<Value = String> {
    let method =
        prop_oneof![4 => Just("GET"), 2 => Just("POST"), 1 => Just("OPTIONS"), 1 => Just("M-X!")];
    let target = prop_oneof![
        5 => "/[a-z%/?&=._~-]{0,12}",
        1 => "/[!-~]{0,20}",
        1 => Just("*".to_owned()),
        1 => "(http|HTTP)://[a-z.]{1,8}(:[0-9]{1,5})?(/[a-z?]{0,5})?",
        1 => "[!-~]{1,8}",
    ];
    let version = prop_oneof![8 => Just("HTTP/1.1"), 2 => Just("HTTP/1.0"), 1 => Just("HTTP/2.0")];
    (method, target, version)
        .prop_map(|(method, target, version)| format!("{method} {target} {version}\r\n"))
}

fn some_header() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z-]{1,8}: ?[ -~\t\u{e5}]{0,10}",
        1 => "Cookie: [ -~]{0,20}",
        1 => "(Content-Length|content-length): ?[0-9]{1,4}",
        1 => "Transfer-Encoding: (chunked|Chunked|gzip|gzip, chunked)",
        1 => "(Expect: 100-continue|Expect: 200-ok|Host: [a-z]{1,4})",
        1 => "Connection: (close|keep-alive|x, Close|keep-alive ,y)",
    ]
    .prop_map(|line| line + "\r\n")
}

fn some_head() -> impl Strategy<Value = Vec<u8>> {
    let host = prop_oneof![12 => Just("Host: h\r\n"), 1 => Just("hOST:h:80 \r\n"), 1 => Just("")];
    let headers = prop::collection::vec(some_header(), 0..4);
    let whole =
        (some_line(), headers, host, any::<bool>()).prop_map(|(line, headers, host, first)| {
            let headers = headers.concat();
            let (one, other) = if first {
                (host, headers.as_str())
            } else {
                (headers.as_str(), host)
            };
            format!("{line}{one}{other}\r\n").into_bytes()
        });
    let invalid = prop_oneof![
        3 => prop::sample::select(b"\r\n \t:,;=/#%?*@\0\x7f\x80\xff1HG".to_vec()),
        1 => any::<u8>(),
    ];
    bent(whole, invalid)
}

/// The lines of an accepted head: method, target and version, then names and values.
fn lines(head: &[u8]) -> (Vec<String>, Vec<(String, String)>) {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.trim_start_matches("\r\n").split("\r\n");
    let words = lines.next().unwrap_or_default().split(' ');
    let words = words.map(str::to_owned).collect();
    let pair = |line: &str| {
        let (name, value) = line.split_once(':').expect("a header has a colon");
        (name.to_owned(), value.trim_matches([' ', '\t']).to_owned())
    };
    let headers = lines.take_while(|line| !line.is_empty()).map(pair);
    (words, headers.collect())
}

/// Checks that the parsed head matches the raw lines.
fn agrees(head: &Head, bytes: &[u8]) -> Result<(), TestCaseError> {
    let (words, mut headers) = lines(bytes);
    let [method, target, version] = &words[..] else {
        return Err(TestCaseError::fail(format!("taken: {words:?}")));
    };
    let named = |name: &str| -> Vec<&str> {
        let named = headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    };
    let is_http_1_1 = version == "HTTP/1.1";
    prop_assert!(is_http_1_1 || version == "HTTP/1.0");
    prop_assert_eq!(&head.method, method);
    prop_assert!(head.target.starts_with('/') || head.target == "*");
    prop_assert!(target.ends_with(&head.target) || head.target == "/");
    let coded = named("transfer-encoding");
    let framing = match (&named("content-length")[..], &coded[..]) {
        ([], []) => Framing::Sized(0),
        ([], [one]) if one.eq_ignore_ascii_case("chunked") && is_http_1_1 => Framing::Chunked,
        ([digits], []) => match digits.parse() {
            Ok(length) if length <= limits().body_bytes => Framing::Sized(length),
            _ => Framing::TooLarge,
        },
        invalid => return Err(TestCaseError::fail(format!("taken: {invalid:?}"))),
    };
    prop_assert_eq!(head.framing, framing);
    let options = named("connection").join(",").to_ascii_lowercase();
    let options: Vec<&str> = options.split(',').map(str::trim).collect();
    let closes = options.contains(&"close") || !is_http_1_1 && !options.contains(&"keep-alive");
    prop_assert_eq!(head.persistence == Persistence::Close, closes);
    prop_assert_eq!(
        head.expects_continue,
        is_http_1_1 && !named("expect").is_empty()
    );
    prop_assert!(named("host").len() == 1 || !is_http_1_1 && named("host").is_empty());
    // The authority of an absolute target overrides the Host header.
    if !target.starts_with('/') && target != "*" {
        let rest = &target["http://".len()..];
        let host = rest.split('/').next().unwrap_or_default().to_owned();
        match headers
            .iter_mut()
            .find(|(n, _)| n.eq_ignore_ascii_case("host"))
        {
            Some((_, value)) => *value = host,
            None => headers.push(("Host".to_owned(), host)),
        }
    }
    prop_assert_eq!(&head.headers, &headers);
    // The head survives a round trip.
    let mut again = format!("{method} {} {version}\r\n", head.target);
    for (name, value) in &head.headers {
        again.push_str(&format!("{name}: {value}\r\n"));
    }
    again.push_str("\r\n");
    let wide = Limits {
        head_bytes: 1000,
        headers: 7,
        ..limits()
    };
    let (second, length) = parse(again.as_bytes(), &wide)
        .expect("taken")
        .expect("whole");
    prop_assert_eq!(length, again.len());
    prop_assert_eq!(&second.headers, &head.headers);
    prop_assert_eq!(
        (&second.target, second.framing),
        (&head.target, head.framing)
    );
    Ok(())
}

const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// Calls every accessor that a handler may use.
fn look_at(request: Request) {
    let all = (request.method(), request.target(), request.header("Host"));
    let counts = (request.headers().count(), request.cookies().count());
    let _ = (all, counts, request.client_address(), request.take_body());
}

#[test]
fn heads_are_what_their_lines_say() {
    try_out(3_000, 20..=80, some_head(), |bytes| {
        let read = |bytes: &[u8]| match parse(bytes, &limits()) {
            Ok(found) => Ok(found.map(|(_, length)| length)),
            Err(problem) => Err((problem.status, problem.detail)),
        };
        match parse(&bytes, &limits()) {
            Ok(Some((head, length))) => {
                prop_assert!(length <= limits().head_bytes);
                for cut in 0..length {
                    prop_assert_eq!(read(&bytes[..cut]), Ok(None), "cut at {}", cut);
                }
                prop_assert_eq!(read(&bytes[..length]), Ok(Some(length)));
                agrees(&head, &bytes[..length])?;
                look_at(Request::new(
                    PEER,
                    head.method,
                    head.target,
                    head.headers,
                    vec![],
                ));
                Ok(true)
            }
            // An incomplete head is accepted or refused at some point, whatever follows.
            Ok(None) => {
                prop_assert!(bytes.len() < limits().head_bytes);
                let flood = [&bytes[..], &[b'x'; 400]].concat();
                prop_assert!(read(&flood).is_err());
                Ok(false)
            }
            Err(problem) => {
                prop_assert!(
                    [400, 417, 431, 501, 505].contains(&problem.status),
                    "{:?}",
                    problem
                );
                prop_assert!(problem.detail.ends_with('.') && problem.detail.len() < 200);
                // More bytes do not make a refused head valid.
                let more = [&bytes[..], b"\r\nHost: h\r\n\r\n"].concat();
                prop_assert!(read(&more).is_err());
                Ok(false)
            }
        }
    });
}
