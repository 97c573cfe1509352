//! Kills while a change is stored that waits for its time, and while the timer makes it.

use crate::support::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// When the change begins, together with a hand-over.
const THEN: &str = "2026-01-06T09:00:00Z";

/// Sends a write that may not be answered, because the process ends. Whether it was acknowledged.
fn sent(rota: &Rota, path: &str, precondition: &str, body: &Value) -> bool {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\n{precondition}Content-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        rota.key,
        body.len()
    );
    let Some(mut connection) = Connection::try_open(rota.address()) else {
        return false;
    };
    let is_sent = connection.try_send(request).is_ok();
    let answer = is_sent.then(|| connection.answer("POST")).flatten();
    answer.is_some_and(|answer| (200..300).contains(&answer.status))
}

/// The change, under an operation id of its own.
fn change() -> Value {
    json!({
        "operationId": "the-change", "at": THEN, "remove": ["U2"],
        "rotation": { "description": "Made later" },
    })
}

/// Stores the change and lets its time come, as far as the process gets. Whether the change was acknowledged.
fn live(db: &Path, id: &str, point: &str) -> bool {
    let started = Start::default()
        .db(db)
        .env("ROTA_FAILPOINTS", point)
        .attempt();
    let Ok(mut rota) = started else {
        return false;
    };
    let path = format!("/v1/rotations/{id}/changes");
    let is_stored = sent(&rota, &path, "If-Match: *\r\n", &change());
    sent(
        &rota,
        "/dev/clock",
        "",
        &json!({ "to": "2026-01-06T12:00:00Z" }),
    );
    rota.process.signal("KILL");
    rota.process.ended();
    is_stored
}

/// How often each event that carries the id of a change was made, by the ids of deliveries.
fn events(outlet: &Outlet, path: &str, change: &str) -> BTreeMap<String, usize> {
    let posts = outlet.posts_to(path);
    let bodies = posts.iter().map(|post| post.json());
    let of_change: BTreeSet<(String, String)> = bodies
        .filter(|body| body["changeId"] == change)
        .map(|body| {
            (
                text(&body["deliveryId"]).to_owned(),
                text(&body["eventType"]).to_owned(),
            )
        })
        .collect();
    let mut counts = BTreeMap::new();
    for (_, kind) in of_change {
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

/// No change that was acknowledged is lost, each is made once, and so is each of its events.
#[test]
fn a_change_that_waits_survives_kills_and_is_made_once() {
    let outlet = Outlet::new(Behavior::says(200));
    let dir = TempDir::new();
    let (mut lost, mut stored) = (0, 0);
    let commits = ["commit.begun", "commit.ready", "commit.done"];
    let commits = commits
        .iter()
        .flat_map(|point| (1..=8).map(move |pass| format!("{point}=kill@{pass}")));
    let timer = [
        "due.batch=kill",
        "timer.look=kill@2",
        "send.taken=kill",
        "send.answered=kill",
    ];
    for (number, point) in timer
        .into_iter()
        .map(str::to_owned)
        .chain(commits)
        .enumerate()
    {
        let db = dir.join(&format!("{number}.db"));
        let hook = format!("/{number}");
        let rota = Start::default().db(&db).go();
        rota.people(3);
        rota.hook_at(
            &format!("{}{number}", outlet.url()),
            "rotation.updated duty.changed",
        );
        let id = rota.daily("U1 U2 U3", 1).id;
        rota.advance(0);
        rota.stop();
        let was_stored = live(&db, &id, &point);
        // Where it starts again nothing is due yet, or all of it was done: the clock stands where it stood.
        let rota = Start::default().db(&db).go();
        let rotation = Rot {
            by: rota.caller(),
            id,
        };
        let known = rotation.by.all(&rotation.path("/changes"));
        match was_stored {
            true => stored += 1,
            false => lost += 1,
        }
        assert!(known.len() == 1 || !was_stored, "{point}: {known:?}");
        // What was not stored is sent again.
        let made = match known.into_iter().next() {
            Some(known) => known,
            None => {
                let again = rotation
                    .by
                    .post_if(&rotation.path("/changes"), "*", change());
                again.is(201).json()
            }
        };
        if at(&rota.now()) < at(THEN) {
            rota.to(THEN);
        }
        rota.advance(60);
        let path = rotation.path(&format!("/changes/{}", text(&made["id"])));
        let ended = rota.get(&path).is(200).json();
        assert_eq!(
            (&ended["state"], &ended["appliedAt"]),
            (&json!("applied"), &json!(THEN)),
            "{point}"
        );
        assert_eq!(
            (rotation.order().as_str(), rotation.on_call().as_str()),
            ("U1 U3", "U3"),
            "{point}"
        );
        let query = format!("rotationId={}&action=applyScheduledChange", rotation.id);
        assert_eq!(rota.audit(&query).len(), 1, "{point}");
        let turns = rotation.turns("history", MONDAY, "2026-01-06T12:00:00Z");
        assert_eq!(turns.len(), 2, "{point}: {turns:?}");
        let once = [("duty.changed", 1), ("rotation.updated", 1)];
        let once = once.map(|(kind, count)| (kind.to_owned(), count));
        let counted = events(&outlet, &hook, text(&made["id"]));
        assert_eq!(counted, BTreeMap::from(once), "{point}");
        rota.stop();
    }
    assert!(lost > 1 && stored > 1, "{lost} {stored}");
}
