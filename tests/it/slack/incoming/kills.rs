//! `kill -9` at the moments at which a command could be lost or done twice.

use crate::support::slack::{
    APP_TOKEN, SIGNING_SECRET, Slack, Sockets, body, command, seconds, signature,
};
use crate::support::*;
use serde_json::json;
use std::path::Path;

/// A server on a database, with Socket Mode and request URLs, that is killed at a point.
fn start(slack: &Slack, db: &Path, faults: &str) -> Rota {
    let start = slack
        .start()
        .db(db)
        .env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET);
    let start = start
        .env("ROTA_SLACK_APP_TOKEN", APP_TOKEN)
        .env("ROTA_FAILPOINTS", faults);
    start.env("ROTA_FAULT_HURRY", 20).go()
}

/// A rotation of three people, handed over once by a command of its owner.
struct World {
    slack: Slack,
    sockets: Sockets,
    dir: TempDir,
}

impl World {
    fn new() -> World {
        let slack = Slack::with_people(3);
        World {
            sockets: slack.socket_mode(),
            slack,
            dir: TempDir::new(),
        }
    }

    fn start(&self, faults: &str) -> Rota {
        start(&self.slack, &self.dir.join("rota.db"), faults)
    }

    /// Makes the rotation, with `U1` on duty.
    fn rotation(&self, rota: &Rota) -> String {
        self.slack.read_directory(rota);
        let rotation = rota.daily("U1 U2 U3", 1);
        rotation.patch(json!({ "code": "OPS" })).ok();
        assert_eq!(on_duty(rota, &rotation.id), "U1");
        rotation.id.clone()
    }

    /// The command has handed over once, and its author was told once.
    #[track_caller]
    fn done_once(&self, rota: &Rota, id: &str, url: &str) {
        eventually("an answer", || !self.slack.responses().is_empty());
        let responses = self.slack.responses();
        assert_eq!(responses.len(), 1, "{responses:?}");
        assert_eq!(responses[0].0, url);
        assert_eq!(on_duty(rota, id), "U2");
    }
}

#[track_caller]
fn on_duty(rota: &Rota, id: &str) -> String {
    let answer = rota.get(&format!("/v1/rotations/{id}")).ok();
    people_on_call(&answer.json()["onCall"])
}

/// rules.md 21.3.
#[test]
fn a_command_on_the_socket_is_done_once() {
    // Stored and not acknowledged; done and not acknowledged.
    for point in ["slack.stored", "slack.answered"] {
        let world = World::new();
        let mut rota = world.start(&format!("{point}=kill"));
        let id = world.rotation(&rota);
        world.sockets.await_greeted(1);
        let url = world.slack.response_url();
        let envelope = world
            .sockets
            .send("slash_commands", command("U1", "OPS rotate", &url));
        let (status, log) = rota.process.ended();
        assert_eq!(status.code(), None, "{point}: killed: {log}");
        assert_eq!(world.sockets.acknowledgements(&envelope), 0, "{point}");
        drop(rota);
        // Slack sends it again to the next process, which knows it.
        let rota = world.start("");
        assert_eq!(
            world.sockets.acknowledged(&envelope).payload,
            None,
            "{point}"
        );
        world.done_once(&rota, &id, &url);
    }
}

#[test]
fn a_command_at_its_request_url_is_done_once() {
    for point in ["slack.stored", "slack.answered", "slack.answering"] {
        let world = World::new();
        let mut rota = world.start(&format!("{point}=kill"));
        let id = world.rotation(&rota);
        let url = world.slack.response_url();
        let payload = command("U1", "OPS rotate", &url);
        let (bytes, _) = body("/slack/commands", &payload);
        let at = seconds().to_string();
        let signed = signature(SIGNING_SECRET, &at, bytes.as_bytes());
        let mut connection = Connection::open(rota.address());
        connection.send(format!(
            "POST /slack/commands HTTP/1.1\r\nHost: h\r\nX-Slack-Request-Timestamp: {at}\r\nX-Slack-Signature: {signed}\r\n\
             Content-Length: {}\r\n\r\n{bytes}",
            bytes.len()
        ));
        assert!(connection.answer("POST").is_none(), "{point}");
        let (status, log) = rota.process.ended();
        assert_eq!(status.code(), None, "{point}: killed: {log}");
        drop(rota);
        // Slack does not repeat commands: what was stored is enough.
        let rota = world.start("");
        world.done_once(&rota, &id, &url);
    }
}
