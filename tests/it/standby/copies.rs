//! Hostile copies: whatever comes, the last good copy stays, and it is said what was wrong.

use super::{First, Second};
use crate::support::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What a proxy in front of the first server does.
#[derive(Clone, Default)]
pub struct Proxy {
    pub address: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Drops every connection.
    is_cut: bool,
    /// Answers a request for a copy in the place of the first server.
    lie: Option<Vec<u8>>,
    /// The address that requests are passed to.
    to: String,
}

impl Proxy {
    pub fn before(address: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let proxy = Proxy {
            address: listener.local_addr().unwrap().to_string(),
            state: Arc::default(),
        };
        proxy.state.lock().unwrap().to = address.to_owned();
        let state = Arc::clone(&proxy.state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&state);
                std::thread::spawn(move || pass(stream, &state));
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn cut(&self, is_cut: bool) {
        self.state.lock().unwrap().is_cut = is_cut;
    }

    /// Passes requests to another address from now on.
    pub fn lead_to(&self, address: &str) {
        self.state.lock().unwrap().to = address.to_owned();
    }

    fn lie(&self, answer: Option<Vec<u8>>) {
        self.state.lock().unwrap().lie = answer;
    }
}

/// Passes one request on. Every request of a standby and of a fence has a connection of its own.
fn pass(mut client: TcpStream, state: &Mutex<State>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match client.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let (is_cut, lie, to) = {
        let state = state.lock().unwrap();
        (state.is_cut, state.lie.clone(), state.to.clone())
    };
    if is_cut {
        return;
    }
    let is_copy = head.starts_with(b"GET /v1/replica ");
    if let Some(lie) = lie.filter(|_| is_copy) {
        let _ = client.write_all(&lie);
        return;
    }
    let Ok(mut server) = TcpStream::connect(to) else {
        return;
    };
    let text = String::from_utf8_lossy(&head).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let _ = server.write_all(text.as_bytes());
    let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let forward = std::thread::spawn(move || {
        let _ = std::io::copy(&mut client, &mut server);
    });
    let _ = std::io::copy(&mut answers, &mut back);
    let _ = back.shutdown(std::net::Shutdown::Both);
    let _ = forward.join();
}

fn answer(kind: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nETag: \"lie\"\r\n\
         Rota-Copied-At: 2026-11-28T01:00:00Z\r\nRota-Epoch: 1\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

const SQLITE: &str = "application/vnd.sqlite3";

#[test]
fn the_last_good_copy_stays_whatever_comes() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let proxy = Proxy::before(first.rota.address());
    let second = Second::of(&proxy.url(), &first.replicate, &first.rota.key, |_| {}).ready();
    let good = std::fs::read(&second.db).unwrap();
    // A database of somebody else, and one of a later version.
    let (_dir, other) = crate::cli::imported();
    crate::cli::succeeds(&other, "key list");
    let dir = TempDir::new();
    let copy_of_other = dir.join("other.db");
    crate::cli::succeeds(&other, &format!("backup {}", copy_of_other.display()));
    let other = std::fs::read(&copy_of_other).unwrap();
    let newer = {
        let file = dir.file("newer.db", &good);
        let conn = rusqlite::Connection::open(&file).unwrap();
        conn.pragma_update(None, "user_version", 99).unwrap();
        drop(conn);
        std::fs::read(&file).unwrap()
    };
    let older_epoch = {
        let file = dir.file("older.db", &good);
        let conn = rusqlite::Connection::open(&file).unwrap();
        conn.execute("UPDATE meta SET value = '0' WHERE name = 'epoch'", [])
            .unwrap();
        drop(conn);
        std::fs::read(&file).unwrap()
    };
    let corrupt = {
        let mut bytes = good.clone();
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle..middle + 4096].fill(0x5a);
        // The first page lists the tables: they are still there.
        for page in 2..6 {
            bytes[page * 4096..page * 4096 + 64].fill(0xff);
        }
        bytes
    };
    let half = &good[..good.len() / 2];
    let html = b"<html>Bad gateway</html>";
    for (what, lie, said) in [
        ("cut", answer(SQLITE, good.len(), half), "ended after"),
        ("half a file", answer(SQLITE, half.len(), half), ""),
        ("corrupt", answer(SQLITE, corrupt.len(), &corrupt), ""),
        ("newer", answer(SQLITE, newer.len(), &newer), "newer rota"),
        (
            "other",
            answer(SQLITE, other.len(), &other),
            "another database",
        ),
        (
            "older epoch",
            answer(SQLITE, older_epoch.len(), &older_epoch),
            "epoch 0",
        ),
        ("html", answer("text/html", html.len(), html), "no database"),
        ("text", answer(SQLITE, html.len(), html), "not a database"),
        ("nothing", answer(SQLITE, 0, b""), ""),
    ] {
        let rejected = || counted(&second.rota, "rejected");
        let before = rejected();
        proxy.lie(Some(lie));
        eventually(what, || rejected() > before);
        // The log is read by a thread of its own.
        eventually(said, || {
            let log = second.rota.process.log.text();
            let line = log.lines().rfind(|line| line.contains("no new copy"));
            line.is_some_and(|line| line.contains(said))
        });
        assert_eq!(std::fs::read(&second.db).unwrap(), good, "{what}");
        second
            .rota
            .get(&format!("/v1/rotations/{}", rotation.id))
            .ok();
        proxy.lie(None);
    }
    // Then it goes on.
    first.rota.daily("U2", 1);
    second.has_taken(|rota| rota.get("/v1/rotations").json()["totalItems"] == 2);
    let wrong = second.rota.anyone().get("/readyz");
    assert_eq!(wrong.status(), 200);
}

fn counted(rota: &Rota, result: &str) -> u64 {
    let metrics = rota.anyone().get("/metrics").ok().text();
    let name = format!("rota_standby_copies_total{{result=\"{result}\"}} ");
    let found = metrics.lines().find_map(|line| line.strip_prefix(&name));
    found.and_then(|count| count.parse().ok()).unwrap_or(0)
}

#[test]
fn a_standby_whose_first_server_is_gone_answers_and_grows_old() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let second = Second::of(
        &first.rota.url,
        &first.replicate,
        &first.rota.key,
        |command| {
            command.env("ROTA_STANDBY_STALE_AFTER", "4s");
        },
    );
    let second = second.ready();
    first.rota.process.signal("KILL");
    let on_call = format!("/v1/rotations/{}/on-call", rotation.id);
    second.rota.get(&on_call).ok();
    eventually("it is not ready", || {
        let answer = second.rota.anyone().get("/readyz");
        answer.status() == 503 && answer.text().contains(" s old")
    });
    second.rota.get(&on_call).ok();
    assert!(counted(&second.rota, "failed") > 0);
    // After a start it answers from the copy that it has.
    let (db, set) = (second.db.clone(), second.set.clone());
    let key = first.rota.key.clone();
    second.rota.stop();
    let again = super::start(&db, &key, &set, |_| {});
    eventually("it has its copy", || again.get(&on_call).status() == 200);
}
