//! Stored messages: those of a version that stored texts, and an unreadable one.

use crate::cli::succeeds;
use crate::support::*;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// The steps up to the last version that stored texts.
const TEXTS: [&str; 5] = [
    include_str!("../../../src/store/steps/1.sql"),
    include_str!("../../../src/store/steps/1-to-2.sql"),
    include_str!("../../../src/store/steps/2-to-3.sql"),
    include_str!("../../../src/store/steps/3-to-4.sql"),
    include_str!("../../../src/store/steps/4-to-5.sql"),
];

fn execute(db: &Path, sql: &str) {
    let conn = Connection::open(db).expect("a database");
    conn.execute_batch(sql).expect(sql);
}

/// A database of that version with a sent message, a dropped one and three queued ones.
fn with_texts(dir: &TempDir) -> PathBuf {
    let db = dir.join("rota.db");
    for step in TEXTS {
        execute(&db, step);
    }
    // 2026-01-05T07:59Z.
    let at = 1_767_599_940_000_i64;
    execute(
        &db,
        &format!(
            "PRAGMA application_id = 0x726f7461;
             PRAGMA user_version = {};
             INSERT INTO meta VALUES ('team_id', 'T1');
             INSERT INTO person VALUES ('U1', 'T1', 'Ada', NULL, NULL, 0, 0, 0, 0, NULL, NULL, 'ada');
             INSERT INTO message (rotation_id, recipient_kind, recipient_id, text, created_at, state, due_at, until_at, tries,
                                  error, ended_at) VALUES
                 ('rot_1', 'person', 'U1', 'You are on duty for Ops.', {at}, 'sent', NULL, NULL, 0, NULL, {at}),
                 ('rot_1', 'person', 'U1', 'Ops: nobody is on call.', {at}, 'dropped', NULL, NULL, 1, 'why', {at}),
                 ('rot_1', 'person', 'U1', 'Ops: \"second\"' || char(10) || 'é 🙂', {at}, 'pending', {at}, NULL, 0, NULL, NULL),
                 ('rot_1', 'person', 'U1', 'Too late.', {at}, 'pending', {at}, {at}, 0, NULL, NULL),
                 ('rot_1', 'person', 'U1', 'Ops: third.', {at}, 'pending', {at}, NULL, 3, 'down', NULL);",
            TEXTS.len()
        ),
    );
    db
}

#[test]
fn texts_of_an_earlier_version_are_kept_and_sent() {
    let dir = TempDir::new();
    let db = with_texts(&dir);
    let rota = Start::default().db(&db).clock(MONDAY).go();
    let said: Vec<String> = rota.messages().iter().map(message_line).collect();
    assert_eq!(
        said,
        [
            "U1: You are on duty for Ops.",
            "U1: Ops: \"second\" / é 🙂",
            "U1: Ops: third.",
        ]
    );
    rota.stop();
    succeeds(&db, "check");
    // Sent once.
    let rota = Start::default().db(&db).clock(MONDAY).go();
    assert_eq!(rota.messages().len(), 3);
}

#[test]
fn a_message_that_cannot_be_read_delays_no_other() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.rotation("U1 U2");
    rotation.posts_in("C1");
    let id = rotation.id.clone();
    rota.chat_is_down();
    rotation.put_on_call("U1").is(200);
    rotation.put_on_call("U2").is(200);
    rota.chat_settles();
    rota.stop();
    // The first to the channel, of an unknown kind.
    execute(
        &db,
        "UPDATE message SET body = '{\"kind\":\"unheard\",\"text\":\"of\"}' WHERE sequence = 1",
    );
    let rota = Start::default().db(&db).go();
    rota.advance(10);
    let mut messages = rota.messages();
    // In order for each of them.
    messages.sort_by_key(|message| recipient(message).to_owned());
    let said: Vec<String> = messages.iter().map(message_line).collect();
    assert_eq!(
        said,
        [
            "C1: Rotation: @Person U2 takes over from Person U1.",
            "U1: You are on duty for Rotation.",
            "U1: You are off duty for Rotation. Person U2 takes over.",
            "U2: You are on duty for Rotation. You take over from Person U1.",
        ]
    );
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    let status = &rotation.chat_status()["messages"];
    assert_eq!(int(&status["pending"]), 0);
    let why = text(&status["lastError"]);
    assert!(why.starts_with("rota could not read"), "{why}");
}
