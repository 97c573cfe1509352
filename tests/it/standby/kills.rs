//! The first server is killed at random points while it writes: what a standby answers is what a server on the same copy answers.

use super::{First, comparable};
use crate::support::*;
use serde_json::json;

/// Points at which the first server is killed. It passes fewer of them while it starts.
const POINTS: [&str; 3] = ["commit.begun", "commit.ready", "commit.done"];

#[test]
fn a_first_server_that_is_killed_leaves_a_copy_that_can_be_relied_on() {
    let kills = if in_full() { 300 } else { 3 };
    for kill in 0..kills {
        let point = POINTS[kill % POINTS.len()];
        let pass = 20 + rand::random::<u64>() % 60;
        let failpoint = format!("{point}=kill@{pass}");
        let first = First::new();
        let rotation = first.rota.daily("U1 U2 U3", 1).id;
        let first = first.again(|command| {
            command.env("ROTA_FAILPOINTS", &failpoint);
        });
        let second = first.standby();
        // Writes until it dies. What was acknowledged before the copy is in it.
        let path = format!("/v1/rotations/{rotation}");
        let mut acknowledged = Vec::new();
        while let Some(version) = rotate(&first.rota, &path) {
            acknowledged.push((jiff::Timestamp::now(), version));
            if acknowledged.len() > 400 {
                first.rota.process.signal("KILL");
            }
        }
        eventually("the standby has a copy, or there is none", || {
            let answer = second.rota.anyone().get("/readyz");
            answer.status() == 200 || answer.text().contains("without a copy")
        });
        if !second.db.exists() {
            continue;
        }
        let ready = second.rota.anyone().get("/readyz").ok().json();
        let copied_at: jiff::Timestamp = text(&ready["copiedAt"]).parse().unwrap();
        let shown = second.rota.get(&path).ok().json();
        let version = int(&shown["version"]);
        let before = acknowledged.iter().filter(|(at, _)| *at < copied_at);
        let last = before.map(|(_, version)| *version).max().unwrap_or(0);
        assert!(version >= last, "{failpoint}: {version} of {last}");
        // The same answers as those of a server on the same copy.
        let dir = TempDir::new();
        let copy = dir.join("copy.db");
        std::fs::copy(&second.db, &copy).unwrap();
        let server = Start::default().running_clock().db(&copy).go();
        let server = server.with(&first.rota.key);
        for rest in ["", "/on-call", "/warnings"] {
            let path = format!("{path}{rest}");
            let (standby, expected) = (second.rota.get(&path).ok(), server.get(&path).ok());
            assert_eq!(
                comparable(standby.json()),
                comparable(expected.json()),
                "{failpoint} {path}"
            );
        }
        let (code, _, said) = second.command("promote --yes");
        assert_eq!(code, 0, "{failpoint}: {said}");
        eventually("it takes over", || second.role() == "primary 2");
        assert_eq!(int(&second.rota.get(&path).ok().json()["version"]), version);
    }
}

/// Hands over by hand. The version after it; `None` if there is no answer.
fn rotate(rota: &Rota, path: &str) -> Option<i64> {
    let mut connection = Connection::try_open(rota.address())?;
    let body = json!({}).to_string();
    let request = format!(
        "POST {path}/rotate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIf-Match: *\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        rota.key,
        body.len()
    );
    connection.try_send(request).ok()?;
    let answer = connection.answer("POST")?;
    assert_eq!(answer.status, 200);
    let mut connection = Connection::try_open(rota.address())?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        rota.key
    );
    connection.try_send(request).ok()?;
    let read = connection.answer("GET")?;
    let rotation: serde_json::Value = serde_json::from_slice(&read.body).ok()?;
    Some(int(&rotation["version"]))
}
