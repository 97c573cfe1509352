//! Log contents and format.

use crate::cli::{imported, on};
use crate::support::*;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn levels_are_a_setting_like_the_others() {
    let (dir, db) = imported();
    let file = dir.file("rota.toml", "log = \"loud\"\n");
    let by_file = format!("check --config {}", file.display());
    for (line, variable, code, error) in [
        ("check --log warn", "", 0, ""),
        ("check --log info,rota::delivery=debug", "", 0, ""),
        ("check --log off", "", 0, ""),
        ("check --log loud", "", 2, "\"loud\" is not a log level"),
        (
            "check --log rota=loud",
            "",
            2,
            "\"rota=loud\" is not a log level",
        ),
        (
            "check",
            "debgu",
            1,
            "ROTA_LOG: \"debgu\" is not a log level",
        ),
        (
            "key list",
            "debgu",
            2,
            "ROTA_LOG: \"debgu\" is not a log level",
        ),
        (
            by_file.as_str(),
            "",
            1,
            "rota.toml:1: log: \"loud\" is not a log level",
        ),
        // The flag takes precedence over the variable, but an invalid variable is reported.
        ("check --log warn", "debgu", 1, "ROTA_LOG"),
    ] {
        let (found, _, errors) = run(on(&db, line).env("ROTA_LOG", variable));
        assert_eq!(found, code, "{line} {variable}: {errors}");
        assert!(errors.contains(error), "{line} {variable}: {errors}");
    }
}

/// Debug lines of requests appear or not, by each layer.
#[test]
fn the_upper_layer_decides_what_is_logged() {
    let dir = TempDir::new();
    let file = dir.file("rota.toml", "log = \"debug\"\n");
    for (variable, expected) in [("", true), ("warn", false), ("rota::api=debug", true)] {
        let rota = Start::default()
            .env("ROTA_CONFIG", file.display())
            .env("ROTA_LOG", variable)
            .go();
        rota.anyone().get("/healthz").is(200);
        let (_, log) = rota.stop();
        assert_eq!(
            log.contains("GET /healthz 200 in "),
            expected,
            "{variable}: {log}"
        );
    }
}

/// A server that logs to a file, until it listens.
fn logged(db: &Path, path: &Path, journal: Option<String>) -> String {
    let log = File::create(path).expect("a file");
    let mut command: Command = on(db, "serve --listen 127.0.0.1:0");
    if let Some(journal) = journal {
        command.env("JOURNAL_STREAM", journal);
    }
    let mut child = command.stderr(Stdio::from(log)).spawn().expect("it starts");
    let text = || std::fs::read_to_string(path).expect("the log");
    eventually("the address", || {
        text().contains("listening on http://127.0.0.1:")
    });
    child.kill().expect("a process");
    child.wait().expect("its end");
    text()
}

/// Names that turn the direction of writing hide nothing: not in the log, and not in what commands print.
#[test]
fn names_do_not_turn_the_direction_of_writing() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut people = directory(2);
    people["users"][0]["displayName"] = "Ana\u{202e}gro.live\u{2066}".into();
    dir.file("people.json", people.to_string());
    let turns = |text: &str| text.contains(['\u{202e}', '\u{2066}']);
    let printed = |line: &str| {
        let (code, output, errors) = run(&mut on(&db, line));
        assert_eq!(code, 0, "{line}: {output}{errors}");
        assert!(
            !turns(&output) && !turns(&errors),
            "{line}: {output}{errors}"
        );
        output
    };
    let said = printed("directory import people.json");
    assert!(
        said.contains("Ana\\u{202e}gro.live\\u{2066} (U1)"),
        "{said}"
    );
    // Programs read the same text.
    let exported: serde_json::Value =
        serde_json::from_str(&printed("directory export")).expect("JSON");
    assert_eq!(
        exported["users"][0]["displayName"],
        people["users"][0]["displayName"]
    );
    let rota = Start::default().db(&db).env("ROTA_LOG", "debug").go();
    let rotation = rota.rotation("U1 U2");
    rotation
        .patch(serde_json::json!({ "name": "Data\u{202e}base" }))
        .is(200);
    let (_, log) = rota.stop();
    assert!(log.contains("Data\\u{202e}base"), "{log}");
    assert!(!turns(&log), "{log}");
    for line in [
        "audit",
        "audit --json",
        "report",
        "report --json",
        "status --json",
    ] {
        let (_, output, errors) = run(&mut on(&db, line));
        assert!(
            !turns(&output) && !turns(&errors),
            "{line}: {output}{errors}"
        );
    }
}

#[test]
fn the_journal_has_times_of_its_own() {
    let (dir, db) = imported();
    let path = dir.file("log", "");
    let file = std::fs::metadata(&path).expect("the file");
    let named = format!("{}:{}", file.dev(), file.ino());
    for (journal, begins) in [
        (Some(named), "<6>[INFO  rota"),
        // Inherited, while the log goes elsewhere.
        (Some("1:2".to_owned()), "[20"),
        (None, "[20"),
    ] {
        let log = logged(&db, &path, journal.clone());
        let line = log
            .lines()
            .find(|line| line.contains("listening"))
            .expect("a line");
        assert!(line.starts_with(begins), "{journal:?}: {line}");
    }
}

/// A line of the log that has these words.
fn line_with<'a>(log: &'a str, words: &str) -> &'a str {
    let found = log.lines().find(|line| line.contains(words));
    found.unwrap_or_else(|| panic!("no line with {words:?}: {log}"))
}

#[test]
fn the_log_tells_duty() {
    let rota = Rota::with_people(3);
    let mut body = new_rotation("U1 U2 U3");
    body["code"] = "PLAT".into();
    let rotation = rota.create(body);
    let weekdays = hours("UTC", &weekdays("08:00", "17:00"), daily());
    rotation.cover(2, &[weekdays]);
    rota.to("2026-01-06T09:00Z");
    rotation.put_on_call("U3").is(200);
    rota.to("2026-01-06T18:00Z");
    rota.to("2026-01-07T10:00Z");
    rotation
        .by
        .delete_if(&rotation.path("/on-call"), "*")
        .is(200);
    let (_, log) = rota.stop();
    let at_hand_over = line_with(&log, "scheduled");
    assert!(at_hand_over.contains("rota::duty] PLAT"), "{at_hand_over}");
    assert!(at_hand_over.contains(" -> Person U"), "{at_hand_over}");
    let by_hand = line_with(&log, "-> nobody, by hand");
    assert!(by_hand.contains("INFO"), "{by_hand}");
    line_with(
        &log,
        "PLAT Lane 2: nobody is on call; the next hand-over is at",
    );
    let shut = line_with(
        &log,
        "nobody is on call, as planned, until 2026-01-07T08:00:00Z",
    );
    assert!(shut.contains("INFO"), "{shut}");
    let empty = line_with(&log, "PLAT: nobody is on call; the next hand-over is at");
    assert!(empty.contains("WARN"), "{empty}");
}

#[test]
fn a_server_without_rotations_says_what_is_next() {
    let (dir, db) = imported();
    let log = logged(&db, &dir.file("log", ""), None);
    assert!(
        log.contains("there is no rotation yet: make one at http://127.0.0.1:"),
        "{log}"
    );
}
