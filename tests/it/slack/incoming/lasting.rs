//! What is stored: bounded, purged, and taken up by the next process.

use super::{Counting, Running, app, hurried};
use crate::support::slack::{APP_TOKEN, Slack, command, submission};
use crate::support::*;
use rota::actions::chat_envelopes::{self, Accepted};
use rota::slack_inbound::incoming::Class;
use serde_json::{Value, json};

/// Stores something as an earlier process did that was killed then.
fn stored(app: &rota::actions::App, class: Class, payload: &Value) {
    let id = payload["trigger_id"].as_str().unwrap().to_owned();
    let accepted = chat_envelopes::accept(app, id, class.name(), payload.to_string());
    assert!(matches!(accepted, Ok(Accepted::New(_))), "{accepted:?}");
}

/// rules.md 21.3.
#[test]
fn what_an_earlier_process_has_left_is_done_and_answered_by_the_response_url() {
    let slack = Slack::with_people(3);
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let url = slack.response_url();
    let before = app(&db, &slack, Some(APP_TOKEN));
    stored(&before, Class::Command, &command("U1", "OPS", &url));
    let view = slack.open_modal(super::modal("cover"));
    stored(
        &before,
        Class::Interaction,
        &submission("U2", view.clone(), json!({})),
    );
    drop(before);
    let running = Running::on(&db, slack, hurried(), Counting::default());
    running.settled();
    assert_eq!(
        running.slack.responses(),
        [(url, json!({ "text": "u1: OPS" }))]
    );
    let shown = running.slack.team().views[view["id"].as_str().unwrap()].to_string();
    assert!(shown.contains("Too short."), "{shown}");
    assert_eq!(running.handler.asked().len(), 2);
}

#[test]
fn what_was_stored_is_known_by_the_next_process() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let running = Running::on(&db, Slack::with_people(3), hurried(), Counting::default());
    running.sockets.await_greeted(1);
    let payload = command("U1", "OPS", "");
    let id = running.sockets.send("slash_commands", payload.clone());
    running.sockets.acknowledged(&id);
    running.settled();
    drop(running);
    let running = Running::on(&db, Slack::with_people(3), hurried(), Counting::default());
    running.sockets.await_greeted(1);
    let id = running.sockets.send("slash_commands", payload);
    assert_eq!(running.sockets.acknowledged(&id).payload, None);
    assert_eq!(running.handler.asked().len(), 0);
}

/// rules.md 21.2.
#[test]
fn texts_are_forgotten_once_they_are_processed() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let running = Running::on(&db, Slack::with_people(3), hurried(), Counting::default());
    running.sockets.await_greeted(1);
    let id = running
        .sockets
        .send("slash_commands", command("U1", "a private text", ""));
    running.sockets.acknowledged(&id);
    running.settled();
    let conn = rusqlite::Connection::open(&db).unwrap();
    let sql = "SELECT count(*), count(body), count(processed_at), max(outcome) FROM chat_envelope";
    let found: (i64, i64, i64, String) = conn
        .query_row(sql, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap();
    assert_eq!(found, (1, 0, 1, "answered".to_owned()));
}

/// rules.md 21.5.
#[test]
fn too_much_at_once_is_not_stored_and_comes_again() {
    let slack = Slack::with_people(3);
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    drop(app(&db, &slack, None));
    let conn = rusqlite::Connection::open(&db).unwrap();
    let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
               INSERT INTO chat_envelope (id, kind, body, received_at, answer_until)
               SELECT 'old ' || i, 'events_api', '{}', 0, 0 FROM n";
    conn.execute(sql, []).unwrap();
    drop(conn);
    let app = app(&db, &slack, None);
    let payload = command("U1", "OPS", "").to_string();
    let accept = || chat_envelopes::accept(&app, "new".into(), "slash_commands", payload.clone());
    assert_eq!(accept().unwrap(), Accepted::Full);
    let first = chat_envelopes::open(&app).unwrap().remove(0);
    chat_envelopes::finish(&app, &first.id, "ignored").unwrap();
    assert!(matches!(accept().unwrap(), Accepted::New(_)));
    assert_eq!(accept().unwrap(), Accepted::Again);
}
