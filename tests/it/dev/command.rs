//! `rota dev`: the frozen clock and the demo workspace.

use crate::support::*;
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The folder of the temporary database, if there is one.
fn scratch(dir: &TempDir) -> Option<PathBuf> {
    let entries = std::fs::read_dir(dir.path()).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("rota-dev-"))
}

#[test]
fn a_signal_during_the_start_ends_it_cleanly() {
    for signals in [vec!["TERM"], vec!["INT", "TERM", "INT"]] {
        let dir = TempDir::new();
        let mut command = rota(dir.path());
        command.args(["dev", "--listen", "127.0.0.1:0"]);
        let (mut process, _lines) = Process::spawn(&mut command);
        eventually("the start", || scratch(&dir).is_some());
        for signal in signals {
            process.signal(signal);
        }
        let (status, log) = process.ended();
        assert_eq!(status.code(), Some(0), "{log}");
        assert_eq!(scratch(&dir), None, "the temporary folder stays behind");
    }
}

#[test]
fn a_later_second_signal_ends_it_at_once() {
    let dir = TempDir::new();
    let mut command = rota(dir.path());
    command.args(["dev", "--listen", "127.0.0.1:0"]);
    let (mut process, lines) = Process::spawn(&mut command);
    let address = lines
        .iter()
        .take_while(|line| line != "ready")
        .find_map(|line| Some(line.strip_prefix("ROTA_URL=http://")?.to_owned()))
        .expect("an address");
    while lines.recv().expect("ready") != "ready" {}
    // An incomplete request delays the end of the server.
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(b"POST /dev/receiver/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    process.signal("TERM");
    std::thread::sleep(Duration::from_millis(1200));
    process.signal("TERM");
    let (status, log) = process.ended();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(start.elapsed() < Duration::from_secs(6), "{log}");
    assert_eq!(scratch(&dir), None, "the temporary folder stays behind");
}

#[test]
fn the_clock_stands_until_it_is_moved() {
    let rota = Rota::with_people(1);
    let clock = rota.get("/dev/clock").is(200).json();
    assert_eq!(
        (instant(&clock["now"]).as_str(), &clock["frozen"]),
        (MONDAY, &json!(true))
    );
    rota.advance(90);
    assert_eq!(rota.now(), plus(MONDAY, 90));
    rota.to("2026-01-05T09:00Z");
    assert_eq!(rota.now(), "2026-01-05T09:00Z");
    rota.post("/dev/clock", json!({ "to": "2026-01-05T08:59:59Z" }))
        .is(400);
    rota.post("/dev/clock", json!({ "advanceSeconds": -1 }))
        .is(400);
    assert_eq!(rota.now(), "2026-01-05T09:00Z");
    assert_eq!(
        instant(&rota.rotation("U1").read()["createdAt"]),
        "2026-01-05T09:00Z"
    );
}

#[test]
fn without_a_given_clock_time_runs() {
    let rota = Start::default().running_clock().go();
    assert_eq!(
        rota.get("/dev/clock").is(200).json()["frozen"],
        json!(false)
    );
    assert!(at(&rota.now()) > at("2026-01-01T00:00Z"));
    assert!(
        (400..500).contains(
            &rota
                .post("/dev/clock", json!({ "advanceSeconds": 1 }))
                .status()
        )
    );
}

#[test]
fn the_demo_has_a_key_and_a_token_a_person() {
    let rota = Start::default().demo().go();
    assert!(rota.url.starts_with("http://127.0.0.1:"), "{}", rota.url);
    assert!(rota.key.starts_with("svc_key_"));
    let people = rota.caller().all("/v1/users");
    assert!(!people.is_empty());
    assert!(!rota.tokens.is_empty());
    for (user, token) in &rota.tokens {
        assert!(token.starts_with("svc_mbr_"), "{token}");
        let found = people
            .iter()
            .any(|person| text(&person["id"]).eq_ignore_ascii_case(user));
        assert!(found, "{user} is nobody of the demo");
        rota.with(token).get("/v1/rotations").is(200);
    }
    let scopes = rota.get("/v1/keys/self").is(200).json()["scopes"].clone();
    assert_eq!(scopes.as_array().unwrap().len(), 8, "{scopes}");
}

#[test]
fn an_empty_workspace_is_empty() {
    let rota = Rota::at(MONDAY);
    assert!(rota.tokens.is_empty());
    for path in ["/v1/users", "/v1/rotations", "/v1/groups", "/v1/channels"] {
        assert!(rota.caller().all(path).is_empty(), "{path}");
    }
}

#[test]
fn a_kept_database_goes_on_where_it_was() {
    let dir = TempDir::new();
    let db = dir.join("kept.db");
    let first = Start::default().db(&db).go();
    first.people(2);
    let rotation = first.daily("U1 U2", 1);
    let id = rotation.id.clone();
    first.to("2026-01-05T20:00Z");
    let (status, log) = first.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    let Err((status, log)) = Start::default()
        .clock("2026-01-05T19:59Z")
        .db(&db)
        .attempt()
    else {
        panic!("a clock before the last one is an error");
    };
    assert!(!status.success(), "{log}");
    // Data are kept with and without `--empty`; `ready` is printed after catching up.
    for (clock, on_call) in [("2026-01-06T10:00Z", "U2"), ("2026-01-07T10:00Z", "U1")] {
        let again = Start::default().clock(clock).db(&db).go();
        assert_eq!(
            Rot {
                by: again.caller(),
                id: id.clone()
            }
            .on_call(),
            on_call
        );
    }
}

#[test]
fn tokens_and_keys_are_minted() {
    let rota = Rota::with_people(2);
    let answer = rota
        .post(
            "/dev/keys",
            json!({ "name": "k", "scopes": ["read:oncall"] }),
        )
        .ok()
        .json();
    let shown = rota
        .with(text(&answer["key"]))
        .get("/v1/keys/self")
        .is(200)
        .json();
    assert_eq!(shown["id"], answer["id"]);
    rota.with(&rota.token("U2")).get("/v1/rotations").is(200);
    assert!((400..500).contains(&rota.post("/dev/tokens", json!({ "userId": "U9" })).status()));
}

#[test]
fn without_outside_sources_nothing_is_read() {
    let rota = Rota::with_people(1);
    for body in ["", "{}"] {
        let answer = rota.request("POST", "/dev/sync").body(body).send();
        let expected = json!({ "read": 0, "failed": 0 });
        assert_eq!(answer.ok().json(), expected);
    }
    let problem = rota.post("/dev/sync", json!({ "all": true }));
    problem.refused(400, "invalid_request");
}

#[test]
fn wrong_methods_are_told_the_right_ones() {
    let rota = Rota::with_people(1);
    for (method, path, allowed) in [
        ("PUT", "/dev/clock", "GET, HEAD, POST"),
        ("GET", "/dev/directory", "PUT"),
        ("POST", "/dev/chat", "GET, HEAD, PUT"),
        ("GET", "/dev/plan", "PUT"),
        ("GET", "/dev/tokens", "POST"),
        ("DELETE", "/dev/keys", "POST"),
        ("GET", "/dev/sync", "POST"),
    ] {
        let answer = rota.request(method, path).send();
        assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
        answer.refused(405, "");
    }
    rota.get("/dev/nothing").refused(404, "");
}

#[test]
fn web_pages_may_not_use_the_development_routes() {
    let rota = Rota::with_people(1);
    let body = r#"{"userId":"U1"}"#;
    for origin in ["https://example.com", "null", &rota.url.clone(), ""] {
        for (method, path) in [
            ("POST", "/dev/tokens"),
            ("POST", "/dev/keys"),
            ("PUT", "/dev/plan"),
            ("POST", "/dev/sync"),
            ("GET", "/dev/chat"),
        ] {
            let request = rota.request(method, path).header("Origin", origin);
            let problem = request.body(body).send().refused(403, "resource_denied");
            assert!(text(&problem["detail"]).contains("Origin"), "{problem}");
        }
    }
    // The default Content-Type of curl.
    let form = "application/x-www-form-urlencoded";
    let request = rota.request("POST", "/dev/tokens");
    request.header("Content-Type", form).body(body).send().ok();
}
