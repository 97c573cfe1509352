//! What a standby answers: for now, not for then, and nothing that writes.

use super::{First, Second, comparable, token_of};
use crate::cli::{fails_with, on};
use crate::support::*;
use serde_json::{Value, json};
use std::path::Path;

/// Writes by how many seconds the system clock of a server is shifted.
fn shift(dir: &Path, seconds: i64) -> String {
    let file = dir.join("shift");
    std::fs::write(&file, seconds.to_string()).unwrap();
    file.display().to_string()
}

const DAY: i64 = 24 * 3600;

#[test]
fn a_standby_answers_as_a_server_that_has_moved_on() {
    let first = First::new();
    let hourly = first.rota.daily("U1 U2 U3", 1);
    let other = first.rota.daily("U3 U2", 2);
    let token = token_of(&first, "U1");
    let days = if in_full() {
        [1, 3, 40, 300].as_slice()
    } else {
        &[1, 9]
    };
    for days in days {
        let dir = TempDir::new();
        let clock = shift(dir.path(), days * DAY);
        let second = Second::of(
            &first.rota.url,
            &first.replicate,
            &first.rota.key,
            |command| {
                command.env("ROTA_FAULT_CLOCK", &clock);
            },
        );
        let second = second.ready();
        // The same copy, moved on through every instant.
        let copy = dir.join("moved.db");
        std::fs::copy(&second.db, &copy).unwrap();
        let moved = Start::default()
            .running_clock()
            .env("ROTA_FAULT_CLOCK", &clock);
        let moved = moved.db(&copy).go();
        let moved = moved.with(&first.rota.key);
        for rotation in [&hourly, &other] {
            let id = &rotation.id;
            for path in [
                format!("/v1/rotations/{id}"),
                format!("/v1/rotations/{id}/on-call"),
                format!("/v1/rotations/{id}/warnings"),
            ] {
                let standby = second.rota.get(&path).ok();
                let expected = moved.get(&path).ok();
                let (standby, expected) = (comparable(standby.json()), comparable(expected.json()));
                assert_eq!(standby, expected, "{days} {path}");
            }
        }
        let on_call = second
            .rota
            .get(&format!("/v1/rotations/{}/on-call", hourly.id))
            .ok();
        assert!(on_call.etag().ends_with("-standby\""), "{}", on_call.etag());
        assert!(on_call.header("rota-copied-at").is_some());
        assert_eq!(on_call.json()["onCall"][0]["forecast"], json!(true));
        let rotation = second
            .rota
            .get(&format!("/v1/rotations/{}", hourly.id))
            .ok()
            .json();
        assert_eq!(
            rotation["cells"][0]["holder"]["forecast"],
            json!(true),
            "{rotation}"
        );
        let tag = on_call.etag();
        let known = second
            .rota
            .caller()
            .request("GET", &format!("/v1/rotations/{}/on-call", hourly.id));
        known.header("If-None-Match", &tag).send().is(304);
        let as_token = second.rota.with(&token);
        as_token.get("/v1/rotations").ok();
    }
}

#[test]
fn every_write_is_refused_with_where_to_make_it() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let second = first.standby().ready();
    let host = first.rota.url.clone();
    let refused = |answer: Answer| {
        let retry = answer.header("retry-after").is_some();
        let copied = answer.header("rota-copied-at").is_some();
        let problem = answer.refused(503, "standby");
        assert!(text(&problem["detail"]).contains(&host), "{problem}");
        assert!(retry && copied);
    };
    let document = second.rota.anyone().get("/v1/openapi.json").ok().json();
    let mut writes = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        if !path.starts_with("/v1/") || path.contains("/preview") || path == "/v1/plan" {
            continue;
        }
        for method in operations.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            if !["POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str()) {
                continue;
            }
            let target = path
                .replace("{rotationId}", &rotation.id)
                .replace(['{', '}'], "x");
            let answer = second
                .rota
                .caller()
                .request(&method, &target)
                .json(&json!({}))
                .send();
            // Some are for people, or for keys with other scopes.
            if answer.status() != 403 {
                refused(answer);
                writes += 1;
            }
        }
    }
    assert!(writes > 20, "{writes}");
    let inbound = format!("/v1/rotations/{}/inbound-webhook", rotation.id);
    refused(second.rota.get(&inbound));
    let unknown = second
        .rota
        .caller()
        .request("POST", "/v1/nothing")
        .json(&json!({}))
        .send();
    assert_eq!(unknown.status(), 404);
    second
        .rota
        .anyone()
        .post("/v1/rotations", json!({}))
        .refused(401, "missing_credential");
    // Made there, it is read here.
    first.rota.get(&inbound).ok();
    second.has_taken(|rota| rota.get(&inbound).status() == 200);
    let on_call = second
        .rota
        .get(&format!("/v1/rotations/{}/on-call", rotation.id))
        .ok();
    assert!(
        on_call.json()["onCall"][0]["forecast"].is_null(),
        "it is in the copy"
    );
}

#[test]
fn pages_say_that_they_are_of_a_standby() {
    let first = First::new();
    first.rota.daily("U1 U2 U3", 1);
    let token = token_of(&first, "U1");
    let second = first.standby().ready();
    let signed_in = second
        .rota
        .anyone()
        .request("POST", "/login")
        .header("Origin", &second.rota.url)
        .header("Sec-Fetch-Site", "same-origin")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(format!("token={token}"))
        .send()
        .is(303);
    let cookie = signed_in
        .header("set-cookie")
        .expect("a session")
        .to_owned();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let read = |path: &str| {
        let request = second.rota.anyone().request("GET", path);
        request
            .header("Cookie", &cookie)
            .header("Accept", "text/html")
            .send()
    };
    let page = read("/").ok();
    let shown = String::from_utf8_lossy(&page.reply.body).into_owned();
    assert!(shown.contains("Standby. As of "), "{shown}");
    let host = first.rota.address();
    assert!(
        shown.contains(&format!("Changes are made at {host}.")),
        "{shown}"
    );
    assert!(page.header("rota-copied-at").is_some());
    let people = read("/me").ok();
    let people = String::from_utf8_lossy(&people.reply.body).into_owned();
    assert!(
        people.contains("<fieldset class=\"bare\" disabled>"),
        "{people}"
    );
    assert!(
        !people.contains("method=\"post\" action=\"/me/zone\"><input"),
        "{people}"
    );
    // The session is this standby's own, and outlives the next copy.
    let copied = page.header("rota-copied-at").unwrap().to_owned();
    first.rota.daily("U2", 1);
    second.has_taken(|_| {
        let again = read("/");
        again.header("rota-copied-at") != Some(&copied) && again.status() == 200
    });
    assert_eq!(read("/me").status(), 200);
    let sent = second
        .rota
        .anyone()
        .request("POST", "/logout")
        .header("Cookie", &cookie)
        .header("Sec-Fetch-Site", "same-origin")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .send();
    assert_eq!(sent.status(), 503, "{}", sent.text());
}

#[test]
fn readiness_and_metrics_tell_of_the_copy() {
    let first = First::new();
    let second = first.standby().ready();
    let ready = second.rota.anyone().get("/readyz").ok().json();
    assert_eq!(text(&ready["role"]), "standby");
    assert!(ready["copiedAt"].is_string() && ready["ageSeconds"].as_f64().is_some());
    assert!(
        ready["timer"].is_null() && ready["delivery"].is_null(),
        "{ready}"
    );
    let metrics = second.rota.anyone().get("/metrics").ok().text();
    for line in [
        "rota_standby_age_seconds ",
        "rota_standby_copies_total{result=\"taken\"} ",
        "rota_standby_copies_total{result=\"unchanged\"} ",
        "rota_standby_copies_total{result=\"rejected\"} 0",
        "rota_standby_copies_total{result=\"failed\"} 0",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert!(!metrics.contains("rota_timer_last_tick"), "{metrics}");
    assert_eq!(second.role(), "standby 1");
}

#[test]
fn without_a_copy_only_health_and_epoch_are_answered() {
    let (dir, nowhere) = (TempDir::new(), "http://127.0.0.1:9");
    drop(dir);
    let second = Second::of(nowhere, "svc_key_x_y", "svc_key_x_y", |_| {});
    second.rota.anyone().get("/healthz").ok();
    let epoch = second.rota.anyone().get("/v1/epoch").ok().json();
    assert_eq!(text(&epoch["role"]), "standby");
    for path in ["/readyz", "/v1/rotations", "/metrics", "/v1/openapi.json"] {
        second.rota.anyone().get(path).refused(503, "not_ready");
    }
    let page = second.rota.anyone().get("/");
    assert_eq!(page.status(), 503);
}

#[test]
fn commands_that_write_refuse_a_copy() {
    let first = First::new();
    let second = first.standby().ready();
    for line in [
        "key create --name k --scope read:oncall",
        "directory import people.json",
        "token create --user U1",
    ] {
        let file = second.db.parent().unwrap().join("people.json");
        std::fs::write(file, directory(3).to_string()).unwrap();
        let failed = second.command(line);
        assert_eq!(failed.0, 1, "{line}: {failed:?}");
        fails_with(failed, &["standby", "promote"]);
    }
    let backup = second.db.parent().unwrap().join("b.db");
    let (code, _, errors) = second.command(&format!("backup {}", backup.display()));
    assert_eq!(code, 0, "{errors}");
    fails_with(
        second.command(&format!("restore {}", backup.display())),
        &["standby"],
    );
    let (code, listed, errors) = second.command("key list");
    assert!(
        code == 0 && listed.contains("replicate"),
        "{listed}{errors}"
    );
    let db = second.db.clone();
    let (_, _) = second.rota.stop();
    let failed = run(&mut on(&db, "serve --listen 127.0.0.1:0"));
    assert_eq!(failed.0, 2, "{failed:?}");
    fails_with(failed, &["rota promote"]);
}

#[test]
fn a_file_that_something_else_replaces_is_opened_anew() {
    let first = First::new();
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let copy = |name: &str| {
        let file = dir.join(name);
        crate::cli::succeeds(&first.db, &format!("backup {}", file.display()));
        file
    };
    std::fs::rename(copy("one.db"), &db).unwrap();
    let set = [
        ("ROTA_STANDBY_FILE".to_owned(), "true".to_owned()),
        ("ROTA_STANDBY_EVERY".to_owned(), "2s".to_owned()),
    ];
    let rota = super::start(&db, &first.rota.key, &set, |_| {});
    eventually("it has a copy", || {
        rota.anyone().get("/readyz").status() == 200
    });
    let count = |rota: &Rota| rota.get("/v1/rotations").json()["totalItems"].clone();
    let before = count(&rota);
    first.rota.daily("U1", 1);
    std::fs::rename(copy("two.db"), &db).unwrap();
    eventually("it has the next copy", || count(&rota) != before);
    let refused: Value = rota
        .post("/v1/rotations", json!({}))
        .refused(503, "standby");
    assert!(refused["detail"].is_string());
}

/// Variables of the environment.
type Settings = &'static [(&'static str, &'static str)];

#[test]
fn settings_that_do_not_fit_are_named() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rows: [(Settings, &[&str]); 8] = [
        (&[], &["standby.from", "https://a.example.org"]),
        (&[("ROTA_STANDBY_FROM", "http://a.example.org")], &["https"]),
        (
            &[("ROTA_STANDBY_FROM", "https://a.example.org")],
            &["key_file"],
        ),
        (
            &[
                ("ROTA_STANDBY_FROM", "https://a.example.org"),
                ("ROTA_STANDBY_KEY", "abc"),
            ],
            &["rota key create"],
        ),
        (
            &[
                ("ROTA_STANDBY_FROM", "https://a.example.org"),
                ("ROTA_STANDBY_FILE", "true"),
            ],
            &["both set"],
        ),
        (&[("ROTA_STANDBY_EVERY", "1s")], &["2s to 1h"]),
        (&[("ROTA_STANDBY_EVERY", "2h")], &["2s to 1h"]),
        (
            &[
                ("ROTA_STANDBY_FROM", "https://a.example.org"),
                ("ROTA_STANDBY_KEY", "svc_key_a_b"),
                ("ROTA_STANDBY_EVERY", "10s"),
                ("ROTA_STANDBY_STALE_AFTER", "19s"),
            ],
            &["twice"],
        ),
    ];
    for (set, words) in rows {
        let mut command = on(&db, "standby --listen 127.0.0.1:0");
        command.envs(set.iter().copied());
        let failed = run(&mut command);
        assert_eq!(failed.0, 2, "{failed:?}");
        fails_with(failed, words);
    }
}
