//! The first server is killed at random points while it writes, hands over and delivers: what a standby answers is what a server on
//! the same copy answers, and what it does after taking over is what it had foretold.

use super::{First, Second, comparable};
use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Points at which the first server is killed, each with the most passes before. It passes fewer of the commits while it starts.
const POINTS: [(&str, u64); 7] = [
    ("send.answered", 20),
    ("due.batch", 6),
    ("commit.ready", 60),
    ("replica.made", 3),
    ("commit.begun", 60),
    ("send.taken", 20),
    ("commit.done", 60),
];

const DAY: i64 = 24 * 3600;

/// The clock that all servers of a test have.
struct Shifted {
    file: PathBuf,
    seconds: i64,
}

impl Shifted {
    fn new(dir: &Path) -> Shifted {
        let mut clock = Shifted {
            file: dir.join("shift"),
            seconds: 0,
        };
        clock.advance(0);
        clock
    }

    fn advance(&mut self, days: i64) {
        self.seconds += days * DAY;
        // A rename, so that nobody reads half of it.
        let fresh = self.file.with_extension("new");
        std::fs::write(&fresh, self.seconds.to_string()).unwrap();
        std::fs::rename(&fresh, &self.file).unwrap();
    }

    fn now(&self) -> Timestamp {
        Timestamp::now() + SignedDuration::from_secs(self.seconds)
    }

    fn set(&self, command: &mut Command) {
        command
            .env("ROTA_FAULT_CLOCK", &self.file)
            .env("ROTA_WEBHOOKS_ALLOW_NETS", "127.0.0.0/8,::1")
            .env("ROTA_WEBHOOKS_EXTRA_CA_FILE", format!("{CERTS}/ca.pem"))
            .env("ROTA_BASE_URL", "https://rota.example.org");
    }
}

#[test]
fn a_first_server_that_is_killed_leaves_a_copy_that_can_be_relied_on() {
    let kills = if in_full() { 300 } else { 3 };
    for kill in 0..kills {
        let (point, passes) = POINTS[kill % POINTS.len()];
        let least = if point.starts_with("commit") { 20 } else { 1 };
        let pass = least + rand::random::<u64>() % passes;
        is_killed(&format!("{point}=kill@{pass}"));
    }
}

fn is_killed(failpoint: &str) {
    let dir = TempDir::new();
    let mut clock = Shifted::new(dir.path());
    let outlet = Outlet::secure("good", Behavior::says(200));
    let first = First::with(|command| clock.set(command));
    let rotation = first.rota.daily("U1 U2 U3", 1).id;
    let hook = format!("{}hook", outlet.https("localhost"));
    first.rota.hook_at(&hook, "duty.changed");
    let first = first.again(|command| {
        clock.set(command);
        command.env("ROTA_FAILPOINTS", failpoint);
    });
    let second = Second::of(
        &first.rota.url,
        &first.replicate,
        &first.rota.key,
        |command| clock.set(command),
    );
    // Writes until it dies; every few writes it is another day. What was acknowledged before the copy is in it.
    let path = format!("/v1/rotations/{rotation}");
    let mut acknowledged = Vec::new();
    while rotate(&first.rota, &path) {
        acknowledged.push(clock.now());
        match acknowledged.len() {
            count if count > 400 => first.rota.process.signal("KILL"),
            count if count % 8 == 0 => clock.advance(1),
            _ => {}
        }
    }
    eventually("the standby has a copy, or there is none", || {
        let answer = second.rota.anyone().get("/readyz");
        answer.status() == 200 || answer.text().contains("without a copy: ")
    });
    if !second.db.exists() {
        return;
    }
    let ready = second.rota.anyone().get("/readyz").ok().json();
    let copied_at: Timestamp = text(&ready["copiedAt"]).parse().unwrap();
    let copy = dir.join("copy.db");
    std::fs::copy(&second.db, &copy).unwrap();
    clock.advance(2);
    let server = Start::default().running_clock();
    let server = server
        .env("ROTA_FAULT_CLOCK", clock.file.display())
        .env("ROTA_BASE_URL", "https://rota.example.org");
    let server = server.db(&copy).go();
    let server = server.with(&first.rota.key);
    let (from, to) = (
        clock.now() - SignedDuration::from_hours(24 * 60),
        clock.now() + SignedDuration::from_hours(24 * 20),
    );
    let range = format!("from={from:.0}&to={to:.0}&pageSize=200");
    let history = format!("{path}/history?{range}");
    eventually("the standby has stepped to now", || {
        let since = |answer: Answer| answer.json()["cells"][0]["holder"]["since"].clone();
        since(second.rota.get(&path).ok()) == since(server.get(&path).ok())
    });
    for path in [
        path.clone(),
        format!("{path}/on-call"),
        format!("{path}/warnings"),
        format!("{path}/schedule?{range}"),
        history.clone(),
        "/v1/on-call".to_owned(),
        "/v1/rotations".to_owned(),
    ] {
        let (standby, expected) = (second.rota.get(&path).ok(), server.get(&path).ok());
        assert_eq!(
            comparable(standby.json()),
            comparable(expected.json()),
            "{failpoint} {path}"
        );
    }
    let planned = comparable(second.rota.get(&history).ok().json());
    let before = acknowledged.iter().filter(|at| **at < copied_at).count();
    let shown = super::rotations(&second.rota);
    assert!(shown >= before as i64, "{failpoint}: {shown} of {before}");
    let (code, _, said) = second.command("promote --yes");
    assert_eq!(code, 0, "{failpoint}: {said}");
    eventually("it takes over", || second.role() == "primary 2");
    // The record is what was foretold.
    let recorded = comparable(second.rota.get(&history).ok().json());
    assert_eq!(recorded, planned, "{failpoint}");
    eventually("everything is delivered", || {
        let ready = second.rota.anyone().get("/readyz");
        ready.status() == 200 && ready.json()["delivery"]["pending"] == json!(0)
    });
    let mut bodies: BTreeMap<String, Value> = BTreeMap::new();
    for post in outlet.posts_to("/hook") {
        let event = post.json();
        let id = text(&event["deliveryId"]).to_owned();
        let known = bodies.entry(id).or_insert_with(|| event.clone());
        assert_eq!(*known, event, "{failpoint}: one id, two bodies");
    }
    assert!(!bodies.is_empty(), "{failpoint}");
}

/// Hands over by hand; false if there is no answer.
fn rotate(rota: &Rota, path: &str) -> bool {
    let body = "{}";
    let head = format!(
        "POST {path}/rotate HTTP/1.1\r\nIf-Match: *\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    match ask(rota, &head, body) {
        Some(rotated) => {
            assert_eq!(rotated.status, 200);
            true
        }
        None => false,
    }
}

/// Sends a request on a connection of its own to a server that may be gone.
fn ask(rota: &Rota, head: &str, body: &str) -> Option<Reply> {
    let mut connection = Connection::try_open(rota.address())?;
    let request = format!(
        "{head}Host: x\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n{body}",
        rota.key
    );
    connection.try_send(request).ok()?;
    connection.answer(head.split(' ').next().unwrap_or_default())
}
