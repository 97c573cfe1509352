//! `rota promote`: the copy becomes the database, and the running standby goes on as its server.

use super::{First, Second, primary};
use crate::cli::fails_with;
use crate::support::*;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn a_standby_takes_over_within_seconds() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let second = first.standby().ready();
    let path = format!("/v1/rotations/{}", rotation.id);
    // Not while the first server is ready, and not unasked.
    fails_with(
        second.command("promote --yes"),
        &["answers as ready", "--force"],
    );
    let began = Instant::now();
    first.rota.process.signal("KILL");
    fails_with(second.command("promote"), &["--yes"]);
    assert_eq!(second.role(), "standby 1");
    let (code, _, said) = second.command("promote --yes");
    assert_eq!(code, 0, "{said}");
    for words in [
        "the copy is of",
        "due since",
        "it will send",
        "epoch 2 begins",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // The same process takes writes.
    eventually("it takes a write", || {
        let tag = second.rota.get(&path).header("etag").map(str::to_owned);
        let rotated = second.rota.caller().post_if(
            &format!("{path}/rotate"),
            &tag.unwrap_or_default(),
            json!({}),
        );
        rotated.status() == 200
    });
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(second.role(), "primary 2");
    let ready = second.rota.anyone().get("/readyz").ok().json();
    assert_eq!(ready["role"], json!("primary"));
    assert!(ready["timer"].is_object());
    let audit = second.rota.get("/v1/audit?action=promote").ok().json();
    let entry = &audit["data"][0];
    assert_eq!(text(&entry["actor"]["kind"]), "operator", "{audit}");
    fails_with(second.command("promote --yes"), &["nothing to promote"]);
    // After a start the unit of the standby serves what was promoted.
    let (db, set, key) = (
        second.db.clone(),
        second.set.clone(),
        first.rota.key.clone(),
    );
    second.rota.stop();
    let again = super::start(&db, &key, &set, |_| {});
    eventually("it serves", || {
        again.anyone().get("/readyz").status() == 200
    });
    let epoch = again.anyone().get("/v1/epoch").ok().json();
    assert_eq!(
        (text(&epoch["role"]), &epoch["epoch"]),
        ("primary", &json!(2))
    );
}

/// A proxy that asks the second server where the first one does not answer.
#[test]
fn reads_through_a_proxy_with_both_go_on() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let path = format!("/v1/rotations/{}/on-call", rotation.id);
    let second = first.standby().ready();
    let (address, key) = (first.rota.address(), &first.rota.key);
    let stop = AtomicBool::new(false);
    let (failed, by_second) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let (mut failed, mut by_second) = (0, 0);
            while !stop.load(Ordering::Relaxed) {
                let Some(mut connection) = Connection::try_open(address) else {
                    second.rota.get(&path).ok();
                    by_second += 1;
                    continue;
                };
                let sent = connection.try_send(format!(
                    "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
                ));
                let answer = sent.ok().and_then(|()| connection.answer("GET"));
                match answer {
                    Some(answer) => failed += usize::from(answer.status != 200),
                    // It was in flight.
                    None => drop(second.rota.get(&path).ok()),
                }
            }
            (failed, by_second)
        });
        first.rota.process.signal("KILL");
        assert_eq!(second.command("promote --yes").0, 0);
        eventually("the second serves", || second.role() == "primary 2");
        stop.store(true, Ordering::Relaxed);
        reading.join().expect("the reader")
    });
    assert_eq!(failed, 0);
    assert!(by_second > 0);
}

#[test]
fn what_fell_due_since_the_copy_happens_in_order() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let dir = TempDir::new();
    let clock = dir.file("shift", (5 * 24 * 3600).to_string());
    let second = Second::of(
        &first.rota.url,
        &first.replicate,
        &first.rota.key,
        |command| {
            command.env("ROTA_FAULT_CLOCK", &clock);
        },
    );
    let second = second.ready();
    first.rota.process.signal("KILL");
    let path = format!("/v1/rotations/{}", rotation.id);
    let history = |rota: &Rota| {
        let (from, to) = ("2026-11-20T00:00:00Z", "2027-01-20T00:00:00Z");
        let path = format!("{path}/history?from={from}&to={to}&pageSize=200");
        super::comparable(rota.get(&path).ok().json())
    };
    let planned = history(&second.rota);
    let (code, _, said) = second.command("promote --yes");
    assert_eq!(code, 0, "{said}");
    eventually("it is the server", || second.role() == "primary 2");
    // The record is what the plan of the copy said.
    let after = second.rota.get(&path).ok().json();
    assert_eq!(history(&second.rota), planned);
    assert!(after["cells"][0]["holder"]["forecast"].is_null());
}

#[test]
fn without_a_running_standby_the_next_start_serves_it() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let second = first.standby().ready();
    let (db, set) = (second.db.clone(), second.set.clone());
    let key = first.rota.key.clone();
    let Second { rota, _dir, .. } = second;
    rota.stop();
    first.rota.process.signal("KILL");
    let mut command = crate::cli::on(&db, "promote --yes");
    command.envs(set);
    let (code, _, said) = run(&mut command);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("rota serve"), "{said}");
    let server = primary(&db, &key, |_| {});
    eventually("it serves", || {
        server.anyone().get("/readyz").status() == 200
    });
    let epoch = server.anyone().get("/v1/epoch").ok().json();
    assert_eq!(
        (text(&epoch["role"]), &epoch["epoch"]),
        ("primary", &json!(2))
    );
    server.get(&format!("/v1/rotations/{}", rotation.id)).ok();
}

#[test]
fn a_damaged_copy_is_never_promoted() {
    let first = First::new();
    let second = first.standby().ready();
    first.rota.process.signal("KILL");
    let mut bytes = std::fs::read(&second.db).unwrap();
    let cut = bytes.len() / 2;
    bytes.truncate(cut);
    std::fs::write(&second.db, bytes).unwrap();
    fails_with(second.command("promote --yes --force"), &["malformed"]);
    assert_eq!(second.role(), "standby 1");
}
