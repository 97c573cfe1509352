//! After a kill at any moment each message is sent once, and topics and user groups are in sync.

use crate::cli::succeeds;
use crate::support::*;
use serde_json::json;
use std::path::Path;

fn killed(mut rota: Rota, db: &Path) {
    rota.process.signal("KILL");
    rota.process.ended();
    succeeds(db, "check");
}

fn started(db: &Path) -> Rota {
    started_at(db, MONDAY)
}

fn started_at(db: &Path, clock: &str) -> Rota {
    let start = Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
    start.db(db).clock(clock).go()
}

fn again<'a>(rota: &'a Rota, id: &str) -> Rot<'a> {
    Rot {
        by: rota.caller(),
        id: id.to_owned(),
    }
}

fn lines(rota: &Rota) -> Vec<String> {
    rota.messages().iter().map(message_line).collect()
}

#[test]
fn a_kill_while_the_platform_is_down_loses_and_doubles_nothing() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = started(&db);
    rota.import_with(4, &[("G1", "U4")], &[("C2", "Old topic")]);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1");
    rotation.tells_in("C2");
    rotation.bind("G1");
    let id = rotation.id.clone();
    rota.chat_is_down();
    rotation.put_on_call("U1").is(200);
    rota.advance(1);
    rotation.put_on_call("U2").is(200);
    rota.chat_settles();
    let before = rotation.chat_status();
    assert_eq!(int(&before["messages"]["pending"]), 5);
    killed(rota, &db);

    // The failure mode is gone after a restart; what waits for its instant still waits.
    let rota = started_at(&db, "2026-01-05T08:00:01Z");
    let rotation = again(&rota, &id);
    assert_eq!(rotation.chat_status(), before);
    rota.set_failure_mode(json!({ "failure": "error" }));
    rota.advance(30);
    rotation.put_on_call("U3").is(200);
    rota.chat_settles();
    killed(rota, &db);

    let rota = started_at(&db, "2026-01-05T08:01Z");
    let rotation = again(&rota, &id);
    rota.advance(2 * HOUR);
    let said = lines(&rota);
    let to = |who: &str| -> Vec<&str> {
        let to = format!("{who}: ");
        said.iter()
            .filter_map(|line| line.strip_prefix(&to))
            .collect()
    };
    assert_eq!(
        to("C1"),
        [
            "Rotation: @Person U1 is on duty.",
            "Rotation: @Person U2 takes over from Person U1.",
            "Rotation: @Person U3 takes over from Person U2.",
        ]
    );
    assert_eq!([to("U1").len(), to("U2").len(), to("U3").len()], [2, 2, 1]);
    assert_eq!(said.len(), 8);
    assert_eq!(rota.topic("C2"), "Rotation: Person U3");
    assert_eq!(rota.group("G1"), "U4 U3");
    let standing = rotation.chat_status();
    assert_eq!(int(&standing["messages"]["pending"]), 0);
    killed(rota, &db);

    // Sent messages are not sent again; the previous topic is still stored.
    let rota = started_at(&db, "2026-01-05T11:00Z");
    rota.advance(DAY);
    assert_eq!(lines(&rota), said);
    again(&rota, &id).delete();
    assert_eq!([rota.topic("C2"), rota.group("G1")], ["Old topic", "U4"]);
}

#[test]
fn a_kill_while_a_slow_platform_is_asked() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = started(&db);
    rota.import_with(4, &[("G1", "")], &[("C2", "Old topic")]);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1");
    rotation.tells_in("C2");
    rotation.bind("G1");
    let id = rotation.id.clone();
    // Each call takes long: the kill comes while all queues wait.
    rota.set_failure_mode(json!({ "delayMs": 60_000 }));
    rotation.put_on_call("U1").is(200);
    rotation.put_on_call("U2").is(200);
    killed(rota, &db);

    let rota = started(&db);
    assert_eq!(
        lines(&rota),
        [
            "C1: Rotation: @Person U1 is on duty.",
            "U1: You are on duty for Rotation.",
            "C1: Rotation: @Person U2 takes over from Person U1.",
            "U2: You are on duty for Rotation. You take over from Person U1.",
            "U1: You are off duty for Rotation. Person U2 takes over.",
        ]
    );
    assert_eq!(
        [rota.topic("C2"), rota.group("G1")],
        ["Rotation: Person U2", "U2"]
    );
    again(&rota, &id)
        .patch(json!({ "enableTopic": false }))
        .is(200);
    assert_eq!(rota.topic("C2"), "Old topic");
}

#[test]
fn kills_amid_many_changes() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = started(&db);
    rota.people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1");
    rotation.bind_handle("duty");
    let id = rotation.id.clone();
    let mut expected = Vec::new();
    let mut last = None;
    for (round, writes) in [3, 1, 5, 2].into_iter().enumerate() {
        // Some are sent before the kill, some are not.
        if round % 2 == 1 {
            rota.set_failure_mode(json!({ "delayMs": 5 }));
        }
        for turn in 0..writes {
            let person = ["U1", "U2", "U3"][(round + turn) % 3];
            if last == Some(person) {
                continue;
            }
            again(&rota, &id).put_on_call(person).is(200);
            expected.push(match last {
                None => format!("C1: Rotation: @Person {person} is on duty."),
                Some(off) => {
                    format!("C1: Rotation: @Person {person} takes over from Person {off}.")
                }
            });
            last = Some(person);
        }
        killed(rota, &db);
        rota = started(&db);
    }
    let mut said = lines(&rota);
    let all = said.len();
    said.retain(|line| line.starts_with("C1: "));
    assert_eq!(said, expected);
    // One person comes on each time, and one goes off each time but the first.
    assert_eq!(all, expected.len() * 3 - 1);
    let standing = again(&rota, &id).chat_status();
    assert_eq!(standing["onDutyGroup"]["userIds"], json!([last.unwrap()]));
    assert_eq!(
        standing["messages"],
        json!({ "pending": 0, "lastError": null })
    );
}

#[test]
fn a_stop_lets_what_is_under_way_end() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = started(&db);
    rota.people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1");
    rotation.patch(json!({ "enableTopic": true })).is(200);
    // This channel has both.
    rotation.put("/channels/C2", json!({})).is(200);
    rotation.bind_handle("duty");
    rota.set_failure_mode(json!({ "delayMs": 100 }));
    for person in ["U1", "U2"] {
        rotation.put_on_call(person).is(200);
    }
    let id = rotation.id.clone();
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    succeeds(&db, "check");
    let rota = started(&db);
    let mut said = lines(&rota);
    said.sort();
    assert_eq!(
        said,
        [
            "C1: Rotation: @Person U1 is on duty.",
            "C1: Rotation: @Person U2 takes over from Person U1.",
            "C2: Rotation: @Person U1 is on duty.",
            "C2: Rotation: @Person U2 takes over from Person U1.",
            "U1: You are off duty for Rotation. Person U2 takes over.",
            "U1: You are on duty for Rotation.",
            "U2: You are on duty for Rotation. You take over from Person U1.",
        ]
    );
    let standing = again(&rota, &id).chat_status();
    assert_eq!(standing["onDutyGroup"]["userIds"], json!(["U2"]));
    assert_eq!(rota.topic("C2"), "Rotation: Person U2");
}
