//! People type `/rota` while 200 rotations hand over at one instant.

use crate::load::{Client, request};
use crate::program::{self, Program};
use crate::seed::Scratch;
use crate::slack_directory::Slack;
use crate::table::{Floor, row, section};
use rota::client::Secret;
use rota::slack_inbound::{SIGNATURE_HEADER, TIMESTAMP_HEADER, sign};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const ROTATIONS: usize = 200;

/// Two for each rotation: the people get a message each.
const PEOPLE: usize = 2 * ROTATIONS;

/// The first instant, and the one at which all of them hand over.
const BEFORE: &str = "2026-01-05T08:00:00Z";
const HANDOVER: &str = "2026-01-06T09:00:00Z";

/// Each in its turn: a short answer, one about a rotation, and a long one.
const WORDS: [&str; 3] = ["", "R7", "me"];

/// Commands that are sent after the hand-overs, for comparison.
const AFTERWARDS: usize = 200;

/// How long commands take to be answered during the hand-overs, and after them.
pub fn run() {
    section("/rota while 200 rotations hand over");
    let folder = Scratch::new("slack-commands");
    let slack = Slack::start();
    slack.people.store(PEOPLE, Ordering::SeqCst);
    let api_url = format!("http://{}/api/", slack.address);
    let settings = [
        ("ROTA_CHAT_PLATFORM", "slack"),
        ("ROTA_SLACK_BOT_TOKEN", "xoxb-bench"),
        ("ROTA_SLACK_SIGNING_SECRET", SECRET),
        ("ROTA_SLACK_API_URL", &api_url),
    ];
    let rota = program::dev_with(&folder.file("rota.db"), BEFORE, &settings);
    let mut client = Client::connect(rota.address);
    (0..ROTATIONS).for_each(|number| create(&rota, &mut client, number));
    let (mut during, mut sent) = (Vec::new(), 0);
    let moved = std::thread::scope(|scope| {
        let moving = scope.spawn(|| {
            let begun = Instant::now();
            let body = json!({ "to": HANDOVER }).to_string();
            let mut client = Client::connect(rota.address);
            let answer = client.ask(&rota.request("POST", "/dev/clock", &[], &body));
            assert_eq!(answer.status, 200, "{answer:?}");
            begun.elapsed()
        });
        while !moving.is_finished() {
            during.push(say(&mut client, sent));
            sent += 1;
        }
        moving.join().expect("the move ends")
    });
    let afterwards = (sent..sent + AFTERWARDS).map(|number| say(&mut client, number));
    let afterwards: Vec<Duration> = afterwards.collect();
    let seconds = moved.as_secs_f64();
    let shown = format!("{seconds:.2} s, {} commands", during.len());
    row(
        "200 hand-overs, until all is tried",
        &shown,
        seconds,
        Floor::None,
    );
    p99(
        "answers during the hand-overs",
        during,
        Floor::AtMost(300.0),
    );
    p99("answers afterwards", afterwards, Floor::None);
    let resident = rota.resident();
    let shown = format!("{resident:.1} MB");
    row(
        "resident memory afterwards",
        &shown,
        resident,
        Floor::AtMost(60.0),
    );
}

fn p99(what: &str, mut times: Vec<Duration>, floor: Floor) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    let shown = format!("{:.1}, {:.1}, {:.1} ms", at(50), at(99), at(100));
    row(&format!("{what}: median, p99, most"), &shown, at(99), floor);
}

/// A rotation of two people with its own channel.
fn create(rota: &Program, client: &mut Client, number: usize) {
    let mut ask = |method: &str, path: &str, headers: &[(&str, &str)], body: Value| -> Value {
        let answer = client.ask(&rota.request(method, path, headers, &body.to_string()));
        assert!(
            matches!(answer.status, 200 | 201),
            "{path}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        serde_json::from_slice(&answer.body).expect("JSON")
    };
    // Every fiftieth person is deactivated.
    let person = |at: usize| if at % 50 == 49 { at - 1 } else { at };
    let people = [0, ROTATIONS].map(|from| format!("U{}", person(number + from)));
    let channel = format!("C{}", 2 * number);
    let key = format!("bench-{number}");
    let created = ask(
        "POST",
        "/v1/rotations",
        &[("Idempotency-Key", &key)],
        json!({ "name": format!("Rotation {number}"), "code": format!("R{number}"), "public": true,
            "owners": [people[0]], "userIds": people, "channels": [channel] }),
    );
    let path = format!("/v1/rotations/{}", created["id"].as_str().expect("an id"));
    let any = [("If-Match", "*")];
    let cadence = json!({ "type": "daily", "timeZone": "UTC", "startsAt": "2026-01-06T09:00:00Z", "times": ["09:00"] });
    let window = json!({ "id": "window1", "timeZone": "UTC", "coverage": [], "cadence": cadence });
    let cell = json!({ "laneId": "lane1", "windowId": "window1", "rosterId": null });
    ask(
        "PUT",
        &format!("{path}/coverage"),
        &any,
        json!({ "lanes": [{ "id": "lane1" }], "windows": [window], "cells": [cell] }),
    );
    ask(
        "PUT",
        &format!("{path}/channels/{channel}"),
        &any,
        json!({ "postsMessages": true, "syncsTopic": true }),
    );
}

/// Sends a command. Returns how long its answer took.
fn say(client: &mut Client, number: usize) -> Duration {
    let words = WORDS[number % WORDS.len()];
    let body = format!(
        "command=%2Frota&text={words}&team_id=T1&channel_id=C0&user_id=U{}&trigger_id=trigger-{number}",
        number % 40
    );
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let at = now.expect("after 1970").as_secs().to_string();
    let signature = sign(&Secret::new(SECRET), &at, body.as_bytes());
    let headers = [
        (TIMESTAMP_HEADER, at.as_str()),
        (SIGNATURE_HEADER, signature.as_str()),
    ];
    let asked = request("POST", "/slack/commands", &headers, &body);
    let begun = Instant::now();
    let answer = client.ask(&asked);
    let took = begun.elapsed();
    // One that is not ready within a second is acknowledged without a body, and counts as that second.
    assert_eq!(answer.status, 200, "{answer:?}");
    took
}
