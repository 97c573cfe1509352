//! Corrupted requests over a socket: each gets a valid response or the connection is closed, and other clients are served.

use super::chance::{Chance, cases};
use crate::cli::succeeds;
use crate::support::*;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// A few valid requests in a row.
fn good(chance: &mut Chance, rota: &Rota, rotation: &Rot) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..1 + chance.below(3) {
        let host = format!(
            "Host: {}\r\nAuthorization: Bearer {}\r\n",
            rota.address(),
            rota.key
        );
        let name = format!("{{\"name\":\"N{}\"}}", chance.below(100));
        let patch = format!(
            "PATCH {} HTTP/1.1\r\n{host}If-Match: *\r\nContent-Type: application/json\r\n",
            rotation.path("")
        );
        let (first, rest) = name.split_at(3);
        let request = match chance.below(8) {
            0 => format!("GET /v1/users?pageSize=1 HTTP/1.1\r\n{host}\r\n"),
            1 => {
                format!("GET http://rota.example/v1/users/U1 HTTP/1.1\r\n{host}Accept: */*\r\n\r\n")
            }
            2 => format!("{patch}Content-Length: {}\r\n\r\n{name}", name.len()),
            3 => format!(
                "{patch}Transfer-Encoding: chunked\r\n\r\n3\r\n{first}\r\n{:x};x=y\r\n{rest}\r\n0\r\nT: t\r\n\r\n",
                rest.len()
            ),
            4 => format!(
                "{patch}Expect: 100-continue\r\nContent-Length: {}\r\n\r\n{name}",
                name.len()
            ),
            5 => format!(
                "DELETE {} HTTP/1.1\r\n{host}If-Match: \"stale\"\r\n\r\n",
                rotation.path("/on-call")
            ),
            6 => "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".to_owned(),
            _ => format!("OPTIONS * HTTP/1.1\r\n{host}Connection: close\r\n\r\n"),
        };
        bytes.extend(request.into_bytes());
    }
    bytes
}

/// Changes a few bytes at random positions.
fn bend(chance: &mut Chance, bytes: &mut Vec<u8>) {
    const ODD: &[u8] = b"\r\n \t:;,=/?#%*@{}[]\"\\0159aAfFxXGP\0\x01\x7f\x80\xff";
    for _ in 0..chance.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = chance.below(bytes.len());
        match chance.below(7) {
            0 | 1 => bytes[at] = *chance.pick(ODD),
            2 | 3 => bytes.insert(at, *chance.pick(ODD)),
            4 => drop(bytes.drain(at..bytes.len().min(at + 1 + chance.below(12)))),
            5 => {
                let part = bytes[at..bytes.len().min(at + 1 + chance.below(30))].to_vec();
                let many = if chance.once_in(20) { 2_000 } else { 1 };
                bytes.splice(at..at, part.repeat(many));
            }
            _ => bytes.truncate(at),
        }
    }
}

/// Everything received until the server closes.
fn answered(rota: &Rota, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(rota.address()).expect("the server accepts");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    // The server may close after an early refusal.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answers = Vec::new();
    match stream.read_to_end(&mut answers) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error} after {}", bytes.escape_ascii()),
    }
    answers
}

/// Status, headers with their names in lower case, body.
type Parsed = (u16, Vec<(String, String)>, Vec<u8>);

/// The responses one by one.
fn parsed(mut bytes: &[u8]) -> Result<Vec<Parsed>, String> {
    let mut answers = Vec::new();
    while !bytes.is_empty() {
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .ok_or("a head without an end")?;
        let head = std::str::from_utf8(&bytes[..end]).map_err(|error| error.to_string())?;
        bytes = &bytes[end + 4..];
        let mut lines = head.split("\r\n");
        let words: Vec<&str> = lines.next().unwrap_or_default().splitn(3, ' ').collect();
        let ["HTTP/1.1", status, reason] = words[..] else {
            return Err(format!("{words:?}"));
        };
        let status: u16 = status.parse().map_err(|_| format!("status {status}"))?;
        if !(100..600).contains(&status) || reason.is_empty() {
            return Err(format!("{status} {reason}"));
        }
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line
                .split_once(": ")
                .ok_or_else(|| format!("header {line:?}"))?;
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let lengths: Vec<&String> = headers
            .iter()
            .filter(|(name, _)| name == "content-length")
            .map(|(_, value)| value)
            .collect();
        let bodiless = status < 200 || status == 204 || status == 304;
        let length = match lengths[..] {
            [] if bodiless => 0,
            [length] => length.parse().map_err(|_| format!("length {length}"))?,
            _ => return Err(format!("{status} with lengths {lengths:?}")),
        };
        let body = bytes
            .get(..length)
            .ok_or("a body that is cut off")?
            .to_vec();
        bytes = &bytes[length..];
        answers.push((status, headers, body));
    }
    Ok(answers)
}

fn judge(answers: &[u8]) -> Result<usize, String> {
    let mut good = 0;
    for (status, headers, body) in parsed(answers)? {
        good += usize::from((200..300).contains(&status));
        if status >= 500 && ![501, 503, 505].contains(&status) {
            return Err(format!("{status}"));
        }
        if status >= 400 {
            let kind = headers.iter().find(|(name, _)| name == "content-type");
            if kind.map(|(_, kind)| kind.as_str()) != Some("application/problem+json") {
                return Err(format!("{status} of {kind:?}"));
            }
            let problem: Value =
                serde_json::from_slice(&body).map_err(|error| error.to_string())?;
            let whole = ["type", "title", "status", "detail", "instance"]
                .iter()
                .all(|name| problem.get(name).is_some());
            if !whole || problem["status"] != status {
                return Err(format!("{status}: {problem}"));
            }
        }
    }
    Ok(good)
}

#[test]
fn bent_requests_are_answered_or_closed() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    let rotation = rota.daily("U1 U2", 1);
    let mut chance = Chance::new();
    let (mut answered_well, all) = (0, cases(1_000));
    for case in 0..all {
        let mut bytes = good(&mut chance, &rota, &rotation);
        bend(&mut chance, &mut bytes);
        let answers = answered(&rota, &bytes);
        match judge(&answers) {
            Ok(good) => answered_well += usize::from(good > 0),
            Err(why) => panic!(
                "case {case}: {why}\n{}\nanswered\n{}",
                bytes.escape_ascii(),
                answers.escape_ascii()
            ),
        }
        if case % 50 == 0 {
            rota.anyone().get("/healthz").is(200);
        }
    }
    assert!(
        answered_well * 5 > all,
        "only {answered_well} of {all} came through"
    );
    assert_eq!(rotation.on_call(), "U1");
    let (status, log) = rota.stop();
    assert!(
        status.success() && !log.contains("panicked"),
        "{status}\n{log}"
    );
    assert!(succeeds(&db, "check").is_empty());
}
