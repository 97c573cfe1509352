//! A stored message that cannot be read.

use crate::support::*;
use rusqlite::Connection;
use std::path::Path;

fn execute(db: &Path, sql: &str) {
    let conn = Connection::open(db).expect("a database");
    conn.execute_batch(sql).expect(sql);
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
