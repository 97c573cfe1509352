//! Kills between a write and its messages.

use super::notices_to;
use crate::support::*;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

fn quiet(db: &Path) -> Start {
    Start::default()
        .db(db)
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
}

/// Sends a write that may not be answered, because the process ends.
fn write(rota: &Rota, path: &str, body: &str) {
    let Ok(mut stream) = TcpStream::connect(rota.address()) else {
        return;
    };
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        rota.address(),
        rota.key,
        body.len()
    );
    let sent = stream.write_all(request.as_bytes());
    drop(sent.and_then(|()| stream.read_to_end(&mut Vec::new())));
}

/// Each message is queued exactly once, wherever the process is killed: at the points between a comparison and its messages, and
/// at those of each commit from the start on.
#[test]
fn a_kill_anywhere_between_a_write_and_its_messages_loses_none() {
    let dir = TempDir::new();
    let made = dir.join("made.db");
    let mut rota = quiet(&made).go();
    rota.people(3);
    let id = rota.daily("U1 U2 U3", 1).id;
    // The first plan is told to nobody.
    rota.advance(0);
    rota.process.signal("TERM");
    rota.process.ended();
    let (mut untouched, mut told) = (0, 0);
    let points = ["notices.compared=kill", "notices.told=kill"].map(str::to_owned);
    let commits = ["commit.begun", "commit.ready", "commit.done"];
    let commits = commits
        .iter()
        .flat_map(|point| (1..=8).map(move |pass| format!("{point}=kill@{pass}")));
    for point in points.into_iter().chain(commits) {
        let db = dir.join(&format!("{}.db", point.replace(['=', '@'], "-")));
        std::fs::copy(&made, &db).expect("a copy");
        let started = quiet(&db)
            .env("ROTA_NOTICES_DELAY", "0s")
            .env("ROTA_FAILPOINTS", &point)
            .attempt();
        if let Ok(mut rota) = started {
            let body = json!({ "userId": "U2", "from": "2026-01-06T00:00:00Z", "until": "2026-01-07T00:00:00Z" });
            write(
                &rota,
                &format!("/v1/rotations/{id}/availability"),
                &body.to_string(),
            );
            write(
                &rota,
                &format!("/v1/rotations/{id}/pending-notices/send"),
                "",
            );
            rota.process.signal("KILL");
            rota.process.ended();
        }
        let rota = quiet(&db).go();
        rota.advance(0);
        rota.advance(0);
        let away = rota
            .caller()
            .get(&format!("/v1/rotations/{id}/availability"))
            .is(200)
            .json();
        let expected = away["data"].as_array().expect("absences").len();
        for user in ["U1", "U2", "U3"] {
            assert_eq!(notices_to(&rota, user).len(), expected, "{point} {user}");
        }
        match expected {
            0 => untouched += 1,
            _ => told += 1,
        }
    }
    assert!(untouched > 0 && told > 2, "{untouched} {told}");
}
