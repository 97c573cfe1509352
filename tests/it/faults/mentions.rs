//! Mentions across restarts: open ones stay open, what became due during downtime is processed at the start, and an unreadable
//! one does not delay others.

use crate::support::*;
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;

/// Opens a mention on Monday at 08:00 and stops the server. Returns the ids of the rotation and the mention.
#[track_caller]
fn left_open(db: &Path, settings: serde_json::Value) -> (String, String) {
    let rota = Start::default().db(db).go();
    rota.people(4);
    let rotation = rota.daily("U1 U2 U3", 2);
    rotation.set_mention_settings(settings);
    let mention = rotation.mention("U4");
    let ids = (rotation.id.clone(), mention.id);
    rota.stop();
    ids
}

#[test]
fn an_open_mention_outlives_a_restart() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let (_, id) = left_open(&db, json!({ "remindAfterMinutes": 20, "oneAtATime": true }));
    let rota = Start::default().clock("2026-01-05T08:10Z").db(&db).go();
    let mention = Mention { rota: &rota, id };
    assert_eq!(mention.state_line(), "open U1");
    let asked = |user: &str| {
        format!("@Person {user} Person U4 asks for whoever is on call in Rotation: Help")
    };
    assert_eq!(rota.messages_to("C1"), [asked("U1")]);
    rota.to("2026-01-05T08:20Z");
    assert_eq!(mention.state_line(), "open U1+U2");
    assert_eq!(rota.messages_to("C1")[1..], [asked("U2")]);
    let stands = mention.after("U2", "acknowledge");
    assert_eq!(stands, "acknowledged U1+U2 by U2");
}

#[test]
fn what_fell_due_meanwhile_is_done_at_the_start() {
    for (clock, settings, stands, received) in [
        // Missed reminders are sent as one.
        (
            "2026-01-05T08:55Z",
            json!({ "remindAfterMinutes": 10 }),
            "open U1+U2",
            Some("@Person U1 @Person U2 Person U4 still waits for whoever is on call in Rotation."),
        ),
        (
            "2026-01-05T09:00Z",
            json!({ "remindAfterMinutes": 10 }),
            "expired U1+U2",
            Some("Rotation: nobody on call has answered Person U4."),
        ),
        (
            "2026-01-07T12:00Z",
            json!({}),
            "expired U1+U2",
            Some("Rotation: nobody on call has answered Person U4."),
        ),
        ("2026-01-05T08:59:59Z", json!({}), "open U1+U2", None),
    ] {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let (_, id) = left_open(&db, settings);
        let rota = Start::default().clock(clock).db(&db).go();
        let mention = Mention { rota: &rota, id };
        assert_eq!(mention.state_line(), stands, "{clock}");
        assert_eq!(
            rota.messages_to("C1")[1..],
            Vec::from_iter(received),
            "{clock}"
        );
    }
}

#[test]
fn by_a_running_clock_they_expire_by_themselves() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().running_clock().db(&db).go();
    rota.people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (mention, other) = (rotation.mention("U4"), rotation.mention("U4"));
    // Another process lets one of them expire, because no test waits for an hour.
    let conn = Connection::open(&db).expect("the database");
    let sql = "UPDATE mention SET expires_at = opened_at, due_at = opened_at WHERE id = ?1";
    assert_eq!(conn.execute(sql, [&mention.id]), Ok(1));
    eventually("the mention expires", || {
        mention.state_line() == "expired U1"
    });
    mention
        .step("U1", "acknowledge")
        .refused(409, "mentionNotOpen");
    eventually("the channel is told", || rota.messages_to("C1").len() == 3);
    assert_eq!(other.after("U1", "acknowledge"), "acknowledged U1 by U1");
}

#[test]
fn settings_and_closed_mentions_outlive_a_restart() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let settings = json!({
        "expiresAfterMinutes": 90, "remindAfterMinutes": 7, "oneAtATime": true,
        "rotateAfterAcknowledgement": true,
    });
    let (rotation, id) = left_open(&db, settings.clone());
    let rota = Start::default().db(&db).go();
    let mention = Mention {
        rota: &rota,
        id: id.clone(),
    };
    mention.step("U1", "pass").is(200);
    mention.step("U2", "acknowledge").is(200);
    let closed = mention.record();
    rota.stop();
    let rota = Start::default().clock("2026-01-05T20:00Z").db(&db).go();
    let mention = Mention { rota: &rota, id };
    assert_eq!(mention.record(), closed);
    let path = format!("/v1/rotations/{rotation}/mention-settings");
    assert_eq!(rota.get(&path).is(200).json(), settings);
    // Notified, the second notified, acknowledged: nothing more.
    assert_eq!(rota.messages_to("C1").len(), 3);
}

#[test]
fn one_that_cannot_be_read_holds_up_no_other() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2", 1);
    let broken = rotation.mention("U3");
    rota.to("2026-01-05T08:01Z");
    let sound = rotation.mention("U3");
    let conn = Connection::open(&db).expect("the database");
    let settings = |settings: &str| {
        let sql = "UPDATE mention SET settings = ?2 WHERE id = ?1";
        let kept = "SELECT settings FROM mention WHERE id = ?1";
        let kept: String = conn
            .query_row(kept, [&broken.id], |row| row.get(0))
            .unwrap();
        assert_eq!(conn.execute(sql, [broken.id.as_str(), settings]), Ok(1));
        kept
    };
    let kept = settings("[]");
    rota.to("2026-01-05T09:05Z");
    assert_eq!(sound.state_line(), "expired U1");
    rota.get(&broken.path("")).refused(500, "");
    assert!(rota.process.log.text().contains(&broken.id), "it is logged");
    // Hand-overs continue, and the mention is processed once it is repaired.
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U2");
    settings(&kept);
    rota.advance(600);
    assert_eq!(broken.state_line(), "expired U1");
}
