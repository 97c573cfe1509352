//! `rota promote --planned`: the first server hands over, and nothing is lost.

use super::copies::Proxy;
use super::{First, Second};
use crate::cli::fails_with;
use crate::support::*;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Somebody who writes to a server again and again, and how far they came.
struct Writer {
    /// The writes that were acknowledged.
    acknowledged: i64,
    /// Whether every refusal was one of a standby, which says when to send it again.
    refused_well: bool,
    /// Whether a read failed.
    read_failed: bool,
}

/// Writes and reads until it is told to stop.
fn write_until(rota: &Rota, path: &str, stop: &AtomicBool) -> Writer {
    let mut writer = Writer {
        acknowledged: 0,
        refused_well: true,
        read_failed: false,
    };
    while !stop.load(Ordering::Relaxed) {
        let sent = rota
            .caller()
            .post_if(&format!("{path}/rotate"), "*", json!({}));
        match sent.status() {
            200 => {
                writer.acknowledged += 1;
                writer.read_failed |= rota.get(path).status() != 200;
            }
            status => {
                writer.refused_well &= status == 503
                    && text(&sent.json()["code"]) == "standby"
                    && sent.header("retry-after").is_some();
                writer.read_failed |= rota.get(path).status() != 200;
            }
        }
    }
    writer
}

#[test]
fn a_planned_hand_over_loses_nothing() {
    let proxy = Proxy::before("127.0.0.1:9");
    let first = First::with(|command| {
        command.env("ROTA_STANDBY_PEERS", proxy.url());
    });
    let rotation = first.rota.daily("U1 U2 U3", 1).id;
    let path = format!("/v1/rotations/{rotation}");
    let second = first.standby().ready();
    proxy.lead_to(second.rota.address());
    let stop = AtomicBool::new(false);
    let (said, writer) = std::thread::scope(|scope| {
        let writing = scope.spawn(|| write_until(&first.rota, &path, &stop));
        let (code, _, said) = second.command("promote --planned --yes");
        eventually("the second serves", || {
            code != 0 || second.role() == "primary 2"
        });
        stop.store(true, Ordering::Relaxed);
        assert_eq!(code, 0, "{said}");
        (said, writing.join().expect("the writer"))
    });
    assert!(said.contains("nothing is lost"), "{said}");
    assert!(writer.refused_well && !writer.read_failed);
    // Everything that was acknowledged is there, and no more.
    assert!(writer.acknowledged > 0);
    assert_eq!(super::rotations(&second.rota), writer.acknowledged);
    eventually("the first yields", || {
        let epoch = first.rota.anyone().get("/v1/epoch").ok().json();
        text(&epoch["role"]) == "standby"
    });
    let refused = first
        .rota
        .caller()
        .post_if(&format!("{path}/rotate"), "*", json!({}));
    let problem = refused.refused(503, "standby");
    assert!(text(&problem["detail"]).contains(&proxy.url()), "{problem}");
    first.rota.get(&path).ok();
    second
        .rota
        .caller()
        .post_if(&format!("{path}/rotate"), "*", json!({}))
        .ok();
    for action in ["handOver", "promote"] {
        let audit = second.rota.get(&format!("/v1/audit?action={action}"));
        let audit = audit.ok().json();
        assert_eq!(audit["totalItems"], json!(1), "{action}: {audit}");
    }
    // And back again: the old machine stands by, and is handed over to.
    let (db, key) = (first.db.clone(), first.rota.key.clone());
    first.rota.stop();
    let key_file = db.with_file_name("standby.key");
    std::fs::write(&key_file, &first.replicate).unwrap();
    let set = [
        ("ROTA_STANDBY_FROM".to_owned(), second.rota.url.clone()),
        (
            "ROTA_STANDBY_KEY_FILE".to_owned(),
            key_file.display().to_string(),
        ),
        ("ROTA_STANDBY_EVERY".to_owned(), "2s".to_owned()),
    ];
    let back = super::start(&db, &key, &set, |_| {});
    eventually("it has a copy", || {
        back.anyone().get("/readyz").status() == 200
    });
    eventually("it has a copy of the second", || {
        let epoch = back.anyone().get("/v1/epoch").ok().json();
        (text(&epoch["role"]), &epoch["epoch"]) == ("standby", &json!(2))
    });
    assert!(db.with_file_name("rota.db.epoch-1").exists());
    let mut command = crate::cli::on(&db, "promote --planned --yes");
    command.envs(set);
    let (code, _, said) = run(&mut command);
    assert_eq!(code, 0, "{said}");
    eventually("it serves again", || {
        let epoch = back.anyone().get("/v1/epoch").ok().json();
        (text(&epoch["role"]), &epoch["epoch"]) == ("primary", &json!(3))
    });
}

/// What a standby sends to the first server.
fn hand_over(first: &First, body: &Value) -> Answer {
    first
        .rota
        .with(&first.replicate)
        .post("/v1/replica/hand-over", body.clone())
}

const INSTANCE: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn a_hand_over_that_nobody_ends_leaves_the_first_as_it_was() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let path = format!("/v1/rotations/{}", rotation.id);
    let rotate = || {
        let caller = first.rota.caller();
        caller.post_if(&format!("{path}/rotate"), "*", json!({}))
    };
    for (body, member) in [
        (json!({}), "instance"),
        (json!({ "instance": "x" }), "instance"),
        (json!({ "instance": INSTANCE, "epoch": "2" }), "epoch"),
        (json!({ "instance": INSTANCE, "since": 1 }), "since"),
    ] {
        hand_over(&first, &body).names(member);
    }
    let ended = json!({ "instance": INSTANCE, "epoch": 2 });
    hand_over(&first, &ended).refused(409, "hand_over_ended");
    rotate().ok();
    let begun = Instant::now();
    let answer = hand_over(&first, &json!({ "instance": INSTANCE })).ok();
    assert_eq!(answer.json(), json!({ "state": "waiting", "epoch": 1 }));
    rotate().refused(503, "standby");
    hand_over(&first, &json!({ "instance": INSTANCE })).refused(503, "standby");
    first.rota.get(&path).ok();
    first.rota.anyone().get("/readyz").ok();
    hand_over(
        &first,
        &json!({ "instance": INSTANCE.replace('0', "1"), "epoch": 2 }),
    )
    .refused(409, "hand_over_ended");
    hand_over(&first, &json!({ "instance": INSTANCE, "epoch": 1 })).names("epoch");
    // The last copy has all of it.
    let copy = first.rota.with(&first.replicate).get("/v1/replica").ok();
    assert!(copy.reply.body.starts_with(b"SQLite format 3"));
    eventually("writes go on", || rotate().status() == 200);
    let refused_for = begun.elapsed();
    assert!(refused_for < Duration::from_secs(13), "{refused_for:?}");
    hand_over(&first, &ended).refused(409, "hand_over_ended");
    // The loops go on as well.
    first.rota.anyone().get("/readyz").ok();
    assert!(first.rota.process.log.text().contains("writes go on here"));
}

#[test]
fn once_the_first_is_told_no_server_writes_until_one_is_promoted() {
    let first = First::new();
    let rotation = first.rota.daily("U1 U2 U3", 1);
    let path = format!("/v1/rotations/{}", rotation.id);
    let second = first.standby().ready();
    hand_over(&first, &json!({ "instance": INSTANCE })).ok();
    let told = hand_over(&first, &json!({ "instance": INSTANCE, "epoch": 2 })).ok();
    assert_eq!(told.json(), json!({ "state": "ended", "epoch": 2 }));
    eventually("the first yields", || {
        let epoch = first.rota.anyone().get("/v1/epoch").ok().json();
        text(&epoch["role"]) == "standby"
    });
    for rota in [&first.rota, &second.rota] {
        rota.caller()
            .post_if(&format!("{path}/rotate"), "*", json!({}))
            .refused(503, "standby");
    }
    fails_with(
        second.command("promote --planned --yes"),
        &["no server of this database answers as ready"],
    );
    assert_eq!(second.command("promote --yes").0, 0);
    eventually("the second serves", || second.role().starts_with("primary"));
    // The file of the first remembers.
    let db = first.db.clone();
    first.rota.stop();
    fails_with(
        run(&mut crate::cli::on(&db, "serve --listen 127.0.0.1:0")),
        &["rota promote"],
    );
}

#[test]
fn both_must_be_ready_for_a_planned_hand_over() {
    let first = First::new();
    let second = first.standby().ready();
    fails_with(
        second.command("promote --planned --force --yes"),
        &["--force"],
    );
    let Second {
        rota,
        db,
        set,
        _dir,
        ..
    } = second;
    rota.stop();
    let mut command = crate::cli::on(&db, "promote --planned --yes");
    command.envs(set);
    fails_with(run(&mut command), &["no standby runs"]);
    // A first server that the standby may not ask to hand over stays as it was.
    let wrong = Second::of(&first.rota.url, &first.replicate, &first.rota.key, |_| {}).ready();
    let keys = crate::cli::succeeds(&first.db, "key list");
    let of_standby = keys.lines().filter(|line| line.contains("replicate"));
    let ids = of_standby.flat_map(str::split_whitespace);
    let ids = ids.filter(|word| word.starts_with("key_"));
    for id in ids {
        crate::cli::succeeds(&first.db, &format!("key revoke {id}"));
    }
    eventually("the first server knows", || {
        let known = first.rota.with(&first.replicate);
        known.get("/v1/replica").status() == 401
    });
    fails_with(
        wrong.command("promote --planned --yes"),
        &["stays as it was"],
    );
    assert_eq!(wrong.role(), "standby 1");
    first.rota.daily("U1", 1);
}
