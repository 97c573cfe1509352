//! Two servers of one database: the one of the lower epoch gives way, or does not start.

use super::copies::Proxy;
use super::{First, primary, token_of};
use crate::cli::{fails_with, on};
use crate::support::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The ids of the entries of the audit log, but for those of copies.
fn audited(rota: &Rota) -> BTreeSet<String> {
    let entries = rota.get("/v1/audit?pageSize=200").ok().json();
    let entries = entries["data"].as_array().expect("entries").clone();
    let others = entries
        .iter()
        .filter(|entry| text(&entry["action"]) != "getReplica");
    others.map(|entry| text(&entry["id"]).to_owned()).collect()
}

/// The standby is promoted while the first server is cut off; once it is reachable again, one alone writes.
#[test]
fn after_a_partition_one_server_alone_writes() {
    // The peer's port is not known before it starts, so that its proxy comes first.
    let proxy = Proxy::before("127.0.0.1:9");
    let first = First::with(|command| {
        command.env("ROTA_STANDBY_PEERS", proxy.url());
    });
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let path = format!("/v1/rotations/{}", rotation.id);
    let second = first.standby().ready();
    proxy.cut(true);
    proxy.lead_to(second.rota.address());
    let (code, _, said) = second.command("promote --yes --force");
    assert_eq!(code, 0, "{said}");
    eventually("the second serves", || second.role() == "primary 2");
    // Both write while they cannot see each other.
    let known = audited(&second.rota);
    rotation.rotate();
    first.rota.daily("U3 U2", 1);
    token_of(&first, "U2");
    second.rota.daily("U1", 1);
    let lost: BTreeSet<String> = &audited(&first.rota) - &known;
    assert!(lost.len() >= 4, "{lost:?}");
    proxy.cut(false);
    let since = Instant::now();
    eventually("the first gives way", || {
        let epoch = first.rota.anyone().get("/v1/epoch").ok().json();
        text(&epoch["role"]) == "standby"
    });
    assert!(
        since.elapsed() < Duration::from_secs(15),
        "{:?}",
        since.elapsed()
    );
    let refused = first
        .rota
        .caller()
        .post_if(&format!("{path}/rotate"), "*", json!({}));
    let problem = refused.refused(503, "standby");
    assert!(text(&problem["detail"]).contains(&proxy.url()), "{problem}");
    // It goes on to answer, from what it had.
    assert!(
        first
            .rota
            .get(&path)
            .ok()
            .header("rota-copied-at")
            .is_some()
    );
    let tag = second.rota.get(&path).ok().etag();
    second
        .rota
        .caller()
        .post_if(&format!("{path}/rotate"), &tag, json!({}))
        .ok();
    // No loop of it runs.
    let ready = first.rota.anyone().get("/readyz").json();
    assert!(
        ready["timer"].is_null() && ready["delivery"].is_null(),
        "{ready}"
    );
    // The file remembers.
    let db = first.db.clone();
    first.rota.stop();
    // What only it did is listed.
    let (code, listed, said) = second.command(&format!("compare {}", db.display()));
    assert_eq!(code, 2, "{listed}{said}");
    assert!(
        listed.contains("rotate") && listed.contains("Who came on call there"),
        "{listed}"
    );
    let (code, listed, _) = second.command(&format!("compare --json {}", db.display()));
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(code, 2, "{listed}");
    let entries = listed["entries"].as_array().expect("entries");
    let entries = entries.iter().map(|entry| text(&entry["id"]).to_owned());
    assert_eq!(entries.collect::<BTreeSet<_>>(), lost);
    assert!(
        listed["handOvers"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
    let own = second.command(&format!("compare {}", second.db.display()));
    assert_eq!(own.0, 0, "{own:?}");
    fails_with(
        run(&mut on(&db, "serve --listen 127.0.0.1:0")),
        &["rota promote"],
    );
}

#[test]
fn a_server_of_an_earlier_epoch_does_not_start() {
    let first = First::new();
    let second = first.standby().ready();
    first.rota.process.signal("KILL");
    assert_eq!(second.command("promote --yes").0, 0);
    eventually("the second serves", || second.role() == "primary 2");
    let url = second.rota.url.clone();
    let mut command = on(&first.db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_STANDBY_PEERS", &url);
    let failed = run(&mut command);
    assert_eq!(failed.0, 2, "{failed:?}");
    fails_with(failed, &["epoch 2", "rota standby", &url]);
    // As its standby it starts, and what it had is kept.
    let replicate = crate::cli::key(&second.db, "--scope replicate");
    let key_file = first.db.parent().unwrap().join("standby.key");
    std::fs::write(&key_file, replicate).unwrap();
    let set = [
        ("ROTA_STANDBY_FROM".to_owned(), url),
        (
            "ROTA_STANDBY_KEY_FILE".to_owned(),
            key_file.display().to_string(),
        ),
        ("ROTA_STANDBY_EVERY".to_owned(), "2s".to_owned()),
    ];
    let back = super::start(&first.db, &first.rota.key, &set, |_| {});
    eventually("it has a copy", || {
        back.anyone().get("/readyz").status() == 200
    });
    let epoch = back.anyone().get("/v1/epoch").ok().json();
    assert_eq!(
        (text(&epoch["role"]), &epoch["epoch"]),
        ("standby", &json!(2))
    );
    assert!(first.db.with_file_name("rota.db.epoch-1").exists());
}

#[test]
fn peers_that_do_not_answer_are_a_warning_or_required() {
    let (_dir, db) = crate::cli::imported();
    let key = crate::cli::key(&db, super::SCOPES);
    let lonely = primary(&db, &key, |command| {
        command.env("ROTA_STANDBY_PEERS", "http://127.0.0.1:9");
    });
    assert!(
        lonely
            .process
            .log
            .text()
            .contains("fence: http://127.0.0.1:9")
    );
    lonely.stop();
    let mut command = on(&db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_STANDBY_PEERS", "http://127.0.0.1:9");
    command.env("ROTA_STANDBY_REQUIRE_PEER", "true");
    let failed = run(&mut command);
    assert_eq!(failed.0, 1, "{failed:?}");
    fails_with(failed, &["require_peer"]);
}
