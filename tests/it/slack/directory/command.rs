//! `rota directory` on Slack.

use super::people;
use crate::support::slack::{BOT_TOKEN, Slack};
use crate::support::*;
use serde_json::json;
use std::path::Path;

/// Runs `rota directory sync` with more arguments: its exit code, and what it says.
pub fn directory_sync(slack: &Slack, db: &Path, more: &str) -> (i32, String) {
    command(slack, db, &format!("directory sync {more}"))
}

fn command(slack: &Slack, db: &Path, line: &str) -> (i32, String) {
    let mut command = cli::on(db, line);
    command
        .env("ROTA_CHAT_PLATFORM", "slack")
        .env("ROTA_SLACK_API_URL", &slack.api_url)
        .env("ROTA_SLACK_BOT_TOKEN", BOT_TOKEN);
    let (code, output, errors) = run(&mut command);
    (code, output + &errors)
}

#[test]
fn the_directory_is_read_without_a_server() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let slack = Slack::with_people(3);
    // Only a server makes the database.
    let (status, said) = directory_sync(&slack, &db, "");
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("there is no database here") && !db.exists());
    slack.start().db(&db).go().stop();
    slack.team().group("S1", json!({ "users": ["U1"] }));
    let (status, said) = directory_sync(&slack, &db, "");
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("read 3 users, 1 groups, 3 channels"),
        "{said}"
    );
    let rota = slack.start().db(&db).go();
    assert_eq!(people(&rota), "U1 U2 U3");
    slack.team().refuse_bot(Some("invalid_auth"));
    let (status, said) = directory_sync(&slack, &db, "");
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("invalid_auth") && !said.contains(BOT_TOKEN),
        "{said}"
    );
}

/// rules.md 17.4.
#[test]
fn nothing_is_imported_where_the_directory_is_slacks() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let slack = Slack::with_people(2);
    let rota = slack.start().db(&db).go();
    dir.file("people.json", directory(5).to_string());
    for more in ["--yes", "--dry-run", ""] {
        let line = format!("directory import people.json {more}");
        let (status, said) = command(&slack, &db, &line);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("[chat] platform is \"slack\""), "{said}");
    }
    rota.request("PUT", "/dev/directory")
        .json(&directory(5))
        .send()
        .is(404);
    assert_eq!(people(&rota), "U1 U2");
}

#[test]
fn the_local_directory_is_not_read() {
    let (_dir, db) = cli::imported();
    let failed = run(&mut cli::on(&db, "directory sync"));
    assert_eq!(failed.0, 1);
    cli::fails_with(failed, &["[chat] platform is \"local\""]);
}
