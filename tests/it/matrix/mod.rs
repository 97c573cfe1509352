//! Matrix without a homeserver: settings, and a start while nothing answers. `.ci/matrix` tries everything else on Synapse.

mod talk;

use crate::support::cli::{fails_with, on};
use crate::support::*;

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:1";

fn start() -> Start {
    Start::default()
        .env("ROTA_CHAT_PLATFORM", "matrix")
        .env("ROTA_MATRIX_HOMESERVER", NOWHERE)
        .env("ROTA_MATRIX_ACCESS_TOKEN", "secret-1")
        .env("ROTA_MATRIX_SPACE", "#ops:example.org")
}

#[test]
fn settings_of_matrix_that_do_not_fit_are_told() {
    for (name, value, wrong) in [
        (
            "ROTA_MATRIX_HOMESERVER",
            "http://matrix.example.org",
            "ROTA_MATRIX_HOMESERVER: \"http://matrix.example.org\" is http, which only",
        ),
        (
            "ROTA_MATRIX_HOMESERVER",
            "matrix.example.org",
            "write one such as https://matrix.example.org",
        ),
        (
            "ROTA_MATRIX_ACCESS_TOKEN",
            "secret-1 x",
            "ROTA_MATRIX_ACCESS_TOKEN: this is not an access token",
        ),
        (
            "ROTA_MATRIX_ACCESS_TOKEN_FILE",
            "/etc/hosts",
            "ROTA_MATRIX_ACCESS_TOKEN_FILE: it is set twice",
        ),
        (
            "ROTA_MATRIX_SPACE",
            "ops",
            "ROTA_MATRIX_SPACE: \"ops\" is neither an alias nor an id of a space",
        ),
        ("ROTA_MATRIX_SPACE", "#ops", "#ops:example.org"),
        (
            "ROTA_MATRIX_COMMAND",
            "/rota",
            "ROTA_MATRIX_COMMAND: \"/rota\" is not a command",
        ),
        ("ROTA_MATRIX_COMMAND", "my rota", "is not a command"),
        (
            "ROTA_MATRIX_IGNORE",
            "@a:b, bridge",
            "\"bridge\" is not the id of an account",
        ),
        ("ROTA_MATRIX_SYNC_EVERY", "2d", "ROTA_MATRIX_SYNC_EVERY: "),
    ] {
        let Err((status, log)) = start().env(name, value).attempt() else {
            panic!("it started: {name}={value}");
        };
        assert_eq!(status.code(), Some(2), "{log}");
        assert!(log.contains(wrong) && !log.contains("secret-1"), "{log}");
    }
}

#[test]
fn what_matrix_needs_is_named() {
    for (set, missing) in [
        (
            &[][..],
            "matrix needs the address of the homeserver; write homeserver = ",
        ),
        (
            &[("ROTA_MATRIX_HOMESERVER", NOWHERE)],
            "matrix needs an access token",
        ),
        (
            &[
                ("ROTA_MATRIX_HOMESERVER", NOWHERE),
                ("ROTA_MATRIX_ACCESS_TOKEN", "secret-1"),
            ],
            "matrix needs a space",
        ),
    ] {
        let start = Start::default().env("ROTA_CHAT_PLATFORM", "matrix");
        let start = set
            .iter()
            .fold(start, |start, (name, value)| start.env(name, value));
        let Err((status, log)) = start.attempt() else {
            panic!("it started: {set:?}");
        };
        assert_eq!(status.code(), Some(2), "{log}");
        assert!(log.contains(missing), "{log}");
    }
}

#[test]
fn a_homeserver_that_is_away_does_not_keep_the_server_from_starting() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = start().db(&db).go();
    rota.get("/readyz").ok();
    let chat = rota.get("/v1/chat").ok().json();
    assert_eq!(
        (&chat["platform"], &chat["state"]),
        (&"matrix".into(), &"down".into()),
        "{chat}"
    );
    assert_eq!(chat["socketConnected"], false);
    assert_eq!(rota.get("/dev/chat").status(), 404);
    let metrics = rota.get("/metrics").ok().text();
    for line in ["rota_chat_up 0", "rota_chat_socket_connected 0"] {
        assert!(metrics.lines().any(|found| found == line), "{metrics}");
    }
    assert!(!rota.process.log.text().contains("secret-1"));
    rota.stop();
    // The database belongs to nobody yet; a file cannot fill it.
    dir.file("people.json", directory(1).to_string());
    let platform = |line: &str| {
        let mut command = on(&db, line);
        command
            .env("ROTA_CHAT_PLATFORM", "matrix")
            .env("ROTA_MATRIX_HOMESERVER", NOWHERE)
            .env("ROTA_MATRIX_ACCESS_TOKEN", "secret-1")
            .env("ROTA_MATRIX_SPACE", "#ops:example.org");
        run(&mut command)
    };
    fails_with(
        platform("directory import people.json"),
        &["is \"matrix\"", "directory sync"],
    );
    fails_with(
        platform("directory sync"),
        &["the directory cannot be read"],
    );
    fails_with(platform("setup-link"), &["read from the chat platform"]);
    let (code, output, _) = platform("matrix check");
    assert_eq!(code, 1, "{output}");
    assert!(output.starts_with("amiss  account: no answer"), "{output}");
}
