//! What commands change, and `rota audit`.

use crate::cli::{fails_with, on, succeeds};
use crate::support::*;
use serde_json::Value;
use std::path::Path;

/// What `rota audit --json` prints.
#[track_caller]
fn audit(db: &Path, flags: &str) -> Vec<Value> {
    let printed = succeeds(db, &format!("audit --json {flags}"));
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

/// rules.md 18.2.
#[test]
fn commands_are_the_operators() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    dir.file("people.json", directory(3).to_string());
    succeeds(&db, "directory import people.json");
    let secret = succeeds(&db, "key create --name ci --scope read:oncall write:duty");
    let key = text(&audit(&db, "--limit 1")[0]["subject"]).to_owned();
    for line in [
        "key disable ID",
        "key disable ID",
        "key enable ID",
        "key rotate ID --grace 1h",
        "key revoke ID",
    ] {
        succeeds(&db, &line.replace("ID", &key));
    }
    succeeds(&db, "token create --user U1 --expires 7d");
    let token = text(&audit(&db, "--limit 1")[0]["subject"]).to_owned();
    succeeds(&db, &format!("token revoke {token}"));
    succeeds(&db, "directory import people.json");
    let entries = audit(&db, "--actor operator");
    let lines: Vec<String> = entries
        .iter()
        .rev()
        .map(|entry| format!("{}: {}", text(&entry["action"]), text(&entry["summary"])))
        .collect();
    let begins = [
        "directory import: workspace: none to \"Team One\"; people added: Person U1, Person U2, Person U3; channels: 0 to 4",
        "key create: API key \"ci\" created: read:oncall, write:duty; all rotations; does not expire",
        "key disable: API key \"ci\": enabled to disabled",
        "key enable: API key \"ci\": disabled to enabled",
        "key rotate: API key \"ci\": secret rotated, the old one ends at ",
        "key revoke: API key \"ci\" revoked",
        "token create: member token of Person U1 created; expires at ",
        "token revoke: member token of Person U1 revoked",
    ];
    assert_eq!(lines.len(), begins.len(), "{lines:?}");
    for (line, begins) in lines.iter().zip(begins) {
        assert!(line.starts_with(begins), "{line}");
    }
    for entry in &entries {
        assert_eq!(entry["actor"]["kind"], "operator");
        let none = [
            &entry["requestId"],
            &entry["address"],
            &entry["actor"]["name"],
        ];
        assert_eq!(none, [&Value::Null; 3], "{entry}");
    }
    let whole = succeeds(&db, "audit --json");
    assert!(!whole.contains(secret.trim().rsplit('_').next().unwrap()));
}

#[test]
fn the_command_has_the_filters_of_the_route() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2", 1);
    rota.to("2026-01-05T10:00Z");
    rotation.put_on_call("U2").is(200);
    for (flags, query) in [
        (String::new(), String::new()),
        (
            "--from 2026-01-05T10:00:00Z".into(),
            "from=2026-01-05T10:00:00Z".into(),
        ),
        (
            "--to 2026-01-05T10:00:00Z".into(),
            "to=2026-01-05T10:00:00Z".into(),
        ),
        ("--actor operator".into(), "actor=operator".into()),
        (
            format!("--rotation {}", rotation.id),
            format!("rotationId={}", rotation.id),
        ),
        (
            "--action replaceOnCall".into(),
            "action=replaceOnCall".into(),
        ),
        ("--action none".into(), "action=none".into()),
    ] {
        assert_eq!(audit(&db, &flags), rota.audit(&query), "{flags}");
    }
    assert_eq!(audit(&db, "--limit 2"), rota.audit("")[..2]);
    assert_eq!(audit(&db, "--limit 0"), Vec::<Value>::new());
    let table = succeeds(&db, "audit --action replaceOnCall");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(
        lines[0].starts_with("AT ") && lines[0].ends_with("SUMMARY"),
        "{table}"
    );
    assert!(
        lines[1].starts_with("2026-01-05T10:00:00Z  key key_"),
        "{table}"
    );
    assert!(
        lines[1].ends_with("127.0.0.1  on duty: Person U1 to Person U2"),
        "{table}"
    );
    let wrong = run(&mut on(
        &db,
        "audit --from 2026-01-05T10:00:00Z --to 2026-01-05T10:00:00Z",
    ));
    fails_with(wrong, &["--to"]);
    let missing = run(&mut on(&dir.join("none.db"), "audit"));
    fails_with(missing, &["none.db"]);
}

/// Starting a server on another plan is a change by whoever starts it.
/// rules.md 18.3.
#[test]
fn a_start_on_another_plan_is_the_operators() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 2);
    let id = rotation.id.clone();
    drop(rota);
    let rota = Start::default().db(&db).env("ROTA_PLAN_NAME", "free").go();
    let entries = rota.audit(&format!("rotationId={id}"));
    assert_eq!(entries[0]["action"], "dev");
    assert_eq!(entries[0]["actor"]["kind"], "operator");
    assert!(
        text(&entries[0]["summary"]).contains("runs: true to false"),
        "{entries:?}"
    );
}
