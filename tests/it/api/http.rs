//! HTTP, byte by byte.

use crate::support::*;
use serde_json::Value;

struct Wire<'a> {
    rota: &'a Rota,
}

impl Wire<'_> {
    /// A request with these lines, with `Host` and a credential inserted after the first, and the body.
    fn request(&self, lines: &str, body: &str) -> String {
        let lines: Vec<&str> = lines.lines().map(str::trim).collect();
        let host = format!(
            "Host: {}\r\nAuthorization: Bearer {}",
            self.rota.address(),
            self.rota.key
        );
        let rest: String = lines[1..]
            .iter()
            .map(|line| format!("\r\n{line}"))
            .collect();
        format!("{}\r\n{host}{rest}\r\n\r\n{body}", lines[0])
    }

    /// Everything received on one connection until it is closed or `most` responses have arrived.
    fn answers(&self, bytes: impl AsRef<[u8]>, most: usize) -> Vec<Reply> {
        let mut connection = Connection::open(self.rota.address());
        let _ = connection.try_send(bytes);
        (0..most).map_while(|_| connection.answer("GET")).collect()
    }

    /// The server still serves other clients.
    #[track_caller]
    fn lives(&self) {
        let mut connection = Connection::open(self.rota.address());
        connection.send(self.request("GET /v1/rotations HTTP/1.1", ""));
        assert_eq!(connection.answer("GET").expect("an answer").status, 200);
    }
}

#[track_caller]
fn problem(reply: &Reply, statuses: &[u16], what: &str) {
    assert!(
        statuses.contains(&reply.status),
        "{what}: answered {}",
        reply.status
    );
    assert_eq!(
        reply.header("content-type"),
        Some("application/problem+json"),
        "{what}"
    );
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_else(|e| panic!("{what}: {e}"));
    for member in ["type", "title", "status", "detail", "instance"] {
        assert!(body.get(member).is_some(), "{what}: no {member} in {body}");
    }
}

#[test]
fn requests_in_a_row_are_answered_in_order() {
    let rota = Rota::with_people(3);
    let wire = Wire { rota: &rota };
    let users = ["U1", "U2", "U9", "U3"];
    let row: String = users
        .iter()
        .map(|u| wire.request(&format!("GET /v1/users/{u} HTTP/1.1"), ""))
        .collect();
    let replies = wire.answers(row, 4);
    let statuses: Vec<u16> = replies.iter().map(|r| r.status).collect();
    assert_eq!(statuses, [200, 200, 404, 200]);
    let last: Value = serde_json::from_slice(&replies[3].body).unwrap();
    assert_eq!(last["id"], "U3");
}

#[test]
fn a_flood_on_one_connection_leaves_room_for_others() {
    let rota = Rota::with_people(1);
    let wire = Wire { rota: &rota };
    let flood = wire.request("GET /healthz HTTP/1.1", "").repeat(3000);
    std::thread::scope(|scope| {
        let flooding = scope.spawn(|| {
            let mut connection = Connection::open(rota.address());
            let reading = connection.stream().try_clone().unwrap();
            let writer = scope.spawn(move || {
                use std::io::Write;
                let _ = (&reading).write_all(flood.as_bytes());
            });
            let answered = (0..3000)
                .map_while(|_| connection.answer("GET"))
                .filter(|r| r.status == 200)
                .count();
            writer.join().unwrap();
            answered
        });
        for _ in 0..20 {
            wire.lives();
        }
        assert!(flooding.join().unwrap() > 0);
    });
}

#[test]
fn head_is_get_without_a_body() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    for path in [
        rotation.path(""),
        rotation.path("/on-call"),
        "/v1/users".into(),
        "/v1/users/U9".into(),
    ] {
        let get = rota.get(&path);
        let head = rota.request("HEAD", &path).send();
        assert_eq!(
            (head.status(), head.header("etag")),
            (get.status(), get.header("etag")),
            "{path}"
        );
        assert_eq!(
            head.header("content-type"),
            get.header("content-type"),
            "{path}"
        );
        assert!(head.reply.body.is_empty());
        // The connection continues at the right position.
        rota.get(&path).is(get.status());
    }
}

#[test]
fn a_body_may_be_expected_or_chunked() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let wire = Wire { rota: &rota };
    let patch = format!(
        "PATCH {} HTTP/1.1\nIf-Match: *\nContent-Type: application/json",
        rotation.path("")
    );
    let after = wire.request("GET /v1/users/U1 HTTP/1.1", "");
    let body = r#"{"name":"Expected"}"#;
    let expecting = wire.request(
        &format!(
            "{patch}\nContent-Length: {}\nExpect: 100-continue",
            body.len()
        ),
        body,
    );
    let mut connection = Connection::open(rota.address());
    connection.send(expecting + &after);
    let finals: Vec<u16> = std::iter::from_fn(|| connection.answer("GET"))
        .map(|reply| reply.status)
        .filter(|status| *status != 100)
        .take(2)
        .collect();
    assert!(finals == [200, 200] || finals == [417], "{finals:?}");

    let chunks = "8\r\n{\"name\":\r\n0a;x=y\r\n\"Chunked\" \r\n1\r\n}\r\n0\r\nTrailer: t\r\n\r\n";
    let chunked = wire.request(&format!("{patch}\nTransfer-Encoding: chunked"), chunks);
    let replies = wire.answers(chunked + &after, 2);
    match replies[0].status {
        200 => {
            assert_eq!(replies[1].status, 200);
            assert_eq!(text(&rotation.read()["name"]), "Chunked");
        }
        status => {
            assert_eq!(
                (status, replies.len()),
                (411, 1),
                "refused, and nothing of it read as a request"
            );
        }
    }
}

#[test]
fn ambiguous_requests_are_refused_and_the_connection_closed() {
    let rota = Rota::with_people(1);
    let wire = Wire { rota: &rota };
    let smuggled = wire.request("GET /v1/users/U1 HTTP/1.1", "");
    let get = "GET /v1/rotations HTTP/1.1";
    for (what, request) in [
        (
            "length and chunked",
            wire.request(
                &format!("{get}\nContent-Length: 5\nTransfer-Encoding: chunked"),
                "0\r\n\r\n",
            ),
        ),
        (
            "chunked and length",
            wire.request(
                &format!("{get}\nTransfer-Encoding: chunked\nContent-Length: 5"),
                "0\r\n\r\n",
            ),
        ),
        (
            "two lengths",
            wire.request(&format!("{get}\nContent-Length: 0\nContent-Length: 5"), ""),
        ),
        (
            "a list of lengths",
            wire.request(&format!("{get}\nContent-Length: 5, 6"), ""),
        ),
        (
            "a signed length",
            wire.request(&format!("{get}\nContent-Length: +0"), ""),
        ),
        (
            "a negative length",
            wire.request(&format!("{get}\nContent-Length: -1"), ""),
        ),
        (
            "a hexadecimal length",
            wire.request(&format!("{get}\nContent-Length: 0x0"), ""),
        ),
        (
            "an empty length",
            wire.request(&format!("{get}\nContent-Length:"), ""),
        ),
        (
            "an overflowing length",
            wire.request(
                &format!("{get}\nContent-Length: 99999999999999999999999"),
                "",
            ),
        ),
        ("no host", format!("{get}\r\n\r\n")),
        (
            "two hosts",
            wire.request(&format!("{get}\nHost: elsewhere"), ""),
        ),
        (
            "a space before the colon",
            wire.request(&format!("{get}\nTransfer-Encoding : chunked"), ""),
        ),
        (
            "a folded header",
            format!("{get}\r\nHost: h\r\nX: a\r\n  folded\r\n\r\n"),
        ),
        (
            "a header without a name",
            wire.request(&format!("{get}\n: x"), ""),
        ),
        (
            "a header without a colon",
            wire.request(&format!("{get}\nnonsense"), ""),
        ),
        (
            "an unknown version",
            wire.request("GET /v1/rotations HTTP/3.7", ""),
        ),
        ("no version", "GET /v1/rotations\r\n\r\n".to_owned()),
        (
            "no request at all",
            "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n".to_owned(),
        ),
        (
            "a space in the target",
            wire.request("GET /v1/rota tions HTTP/1.1", ""),
        ),
    ] {
        let replies = wire.answers(request + &smuggled, 3);
        assert_eq!(replies.len(), 1, "{what}: one answer, then closed");
        problem(&replies[0], &[400, 413, 505], what);
    }
    let odd = wire.request(
        &format!("{get}\nTransfer-Encoding: gzip, chunked"),
        "0\r\n\r\n",
    );
    let replies = wire.answers(odd + &smuggled, 3);
    assert_eq!(replies.len(), 1, "an encoding that nobody here knows");
    problem(&replies[0], &[400, 411, 501], "gzip, chunked");
    wire.lives();
}

#[test]
fn huge_things_are_refused_early() {
    let rota = Rota::with_people(1);
    let wire = Wire { rota: &rota };
    let long = "x".repeat(17 * 1024);
    let many: String = (0..2000).map(|n| format!("\nX-{n}: {n}")).collect();
    for (what, request, statuses) in [
        ("a long header", wire.request(&format!("GET /healthz HTTP/1.1\nX-Long: {long}"), ""), &[431][..]),
        ("many headers", wire.request(&format!("GET /healthz HTTP/1.1{many}"), ""), &[431][..]),
        ("a long target", wire.request(&format!("GET /v1/{long} HTTP/1.1"), ""), &[414, 431][..]),
        (
            "a huge announced body",
            wire.request("POST /v1/rotations HTTP/1.1\nContent-Type: application/json\nContent-Length: 17592186044416", ""),
            &[413][..],
        ),
    ] {
        let replies = wire.answers(request, 2);
        assert_eq!(replies.len(), 1, "{what}");
        problem(&replies[0], statuses, what);
    }
    // A body that the route does not read is ignored.
    let replies = wire.answers(
        wire.request("GET /healthz HTTP/1.1\nContent-Length: 17592186044416", ""),
        1,
    );
    assert!(replies.len() <= 1);
    wire.lives();
}

#[test]
fn half_a_request_holds_nobody_up() {
    let rota = Rota::with_people(1);
    let wire = Wire { rota: &rota };
    let halves: Vec<Connection> = (0..100)
        .map(|n| {
            let mut connection = Connection::open(rota.address());
            let head = [
                "GET /v1/rotations HTTP/1.1\r\nHo",
                "POST /v1/rotations HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{",
            ];
            connection.send(head[n % 2]);
            connection
        })
        .collect();
    wire.lives();
    drop(halves);
    wire.lives();
}

#[test]
fn connections_close_when_asked() {
    let rota = Rota::with_people(1);
    let wire = Wire { rota: &rota };
    let next = wire.request("GET /healthz HTTP/1.1", "");
    for (first, answers) in [
        ("GET /healthz HTTP/1.1\nConnection: close", 1),
        ("GET /healthz HTTP/1.0", 1),
        ("GET /healthz HTTP/1.1", 2),
        ("GET /healthz HTTP/1.1\nConnection: keep-alive", 2),
    ] {
        let both = wire.request(first, "") + &next;
        assert_eq!(wire.answers(both, 2).len(), answers, "{first}");
    }
}

#[test]
fn segments_are_decoded_each_alone() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    rota.get("/v1/users/U%31").is(200);
    rota.get(&format!("/v1/rotations/{}%2Fon-call", rotation.id))
        .refused(404, "");
    rota.get(&format!("/v1%2Frotations%2F{}", rotation.id))
        .refused(404, "");
    rota.get("/v1/rotations/../users").refused(404, "");
    rota.get("/v1/users/%2e%2e").refused(404, "");
    for odd in [
        "/v1/users/%zz",
        "/v1/users/%",
        "/v1/users/%ff%fe",
        "/v1/users/%00",
    ] {
        let status = rota.get(odd).status();
        assert!([400, 404].contains(&status), "{odd}: {status}");
    }
}

#[test]
fn deep_json_is_survived() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let depth = 100_000;
        let body = format!(
            "{{\"name\":\"N\",\"x\":{}1{}}}",
            open.repeat(depth),
            close.repeat(depth)
        );
        let request = rota
            .request("PATCH", &rotation.path(""))
            .header("If-Match", "*");
        // Unknown members are ignored, however deep they are.
        let answer = request.header("Content-Type", PLAIN_JSON).body(body).send();
        assert!([200, 400].contains(&answer.status()));
        let deep = format!(
            "{{\"userIds\":{}1{}}}",
            open.repeat(depth),
            close.repeat(depth)
        );
        let request = rota
            .request("PATCH", &rotation.path(""))
            .header("If-Match", "*");
        request
            .header("Content-Type", PLAIN_JSON)
            .body(deep)
            .send()
            .refused(400, "invalid_request");
    }
    rotation.get("").is(200);
}

#[test]
fn unknown_methods_are_refused() {
    let rota = Rota::with_people(1);
    let wire = Wire { rota: &rota };
    for method in ["BREW", "get", "PROPFIND", "TRACE", "CONNECT", "OPTIONS"] {
        let replies = wire.answers(
            wire.request(&format!("{method} /v1/rotations HTTP/1.1"), ""),
            1,
        );
        assert_ne!(replies.first().map(|r| r.status), Some(200), "{method}");
        if let Some(reply) = replies.first().filter(|reply| reply.status >= 400) {
            problem(reply, &[400, 405, 501], method);
        }
    }
    wire.lives();
}
