//! Storage that cannot be written for a while: reads continue, no write is partial, and the server recovers by itself.

use super::world::World;
use crate::cli::{fails_with, succeeds};
use crate::faults::durability::cramped;
use crate::support::*;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Warnings and errors in the log.
fn complaints(rota: &Rota) -> Vec<String> {
    let log = rota.process.log.text();
    let bad = |line: &&str| line.contains("ERROR") || line.contains("WARN");
    log.lines().filter(bad).map(str::to_owned).collect()
}

/// Waits longer than the longest retry interval.
#[track_caller]
fn recovers(what: &str, mut probe: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !probe() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "not in time: {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn a_hand_over_waits_for_room_on_a_full_disk() {
    let world = World::new();
    // The production server would not connect to them.
    world
        .opened()
        .execute_batch("DELETE FROM webhook")
        .expect("no receivers");
    let clock = world.clock.file().display().to_string();
    let settings = [
        ("ROTA_FAULT_CLOCK", clock.as_str()),
        ("ROTA_CHAT_REMINDER_BEFORE", "0s"),
    ];
    let Some(server) = cramped(&world.db, &world.base.key, &settings) else {
        return;
    };
    let idle = Rot {
        by: server.caller(),
        id: world.base.idle.clone(),
    };
    let written = Rot {
        by: server.caller(),
        id: world.base.rotations[1].clone(),
    };
    let plan = idle.schedule("2026-03-02T09:00Z", "2026-03-04T09:00Z");
    loop {
        let answer = written.patch(json!({ "description": unique("description") }));
        if answer.status() != 200 {
            answer.refused(503, "storage_unavailable");
            break;
        }
    }
    let before = (idle.on_call(), world.versions());
    world.clock.to("2026-03-03T09:30Z");
    recovers("a complaint of the timer's", || {
        complaints(&server)
            .iter()
            .any(|line| line.contains("timer: "))
    });
    // Nothing was processed, and reads return the stored state.
    assert_eq!((idle.on_call(), world.versions()), before);
    let conn = world.opened();
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    let busy: i64 = conn
        .query_row(checkpoint, [], |row| row.get(0))
        .expect("a checkpoint");
    assert_eq!(busy, 0);
    drop(conn);
    recovers("what is due is done", || world.is_settled());
    let record = idle.history("2026-03-02T09:00Z", "2026-03-03T09:30Z");
    let begins = |line: &String| line.split(' ').next().unwrap().to_owned();
    let planned: Vec<String> = plan
        .iter()
        .map(begins)
        .filter(|b| at(b) <= at("2026-03-03T09:30Z"))
        .collect();
    assert_eq!(record.iter().map(begins).collect::<Vec<_>>(), planned);
    written.patch(json!({ "description": "room" })).is(200);
    assert!(complaints(&server).len() < 12, "{:#?}", complaints(&server));
    assert_eq!(server.stop().0.code(), Some(0));
    succeeds(&world.db, "check");
}

pub fn a_database_that_somebody_else_has_locked() {
    let world = World::new();
    let rota = world.go("");
    let rotations: Vec<Rot> = (world.base.rotations.iter())
        .map(|id| Rot {
            by: rota.caller(),
            id: id.clone(),
        })
        .collect();
    let idle = Rot {
        by: rota.caller(),
        id: world.base.idle.clone(),
    };
    let before = (world.versions(), idle.on_call());
    let conn = world.opened();
    conn.execute_batch("BEGIN IMMEDIATE")
        .expect("the only writer");
    world.clock.to("2026-03-03T09:30Z");
    std::thread::scope(|scope| {
        let writes: Vec<_> = rotations
            .iter()
            .enumerate()
            .map(|(number, rotation)| {
                let (path, body) = (rotation.path(""), json!({ "description": "locked" }).to_string());
                let key = &world.base.key;
                let mut connection = Connection::open(rota.address());
                scope.spawn(move || {
                    connection.send(format!(
                        "PATCH {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\nIf-Match: *\r\n\
                         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len(),
                    ));
                    let reply = connection.answer("PATCH").expect("an answer");
                    (number, reply.status, String::from_utf8_lossy(&reply.body).into_owned())
                })
            })
            .collect();
        // Reads continue meanwhile.
        let mut reads = 0;
        while writes.iter().any(|write| !write.is_finished()) {
            let begun = Instant::now();
            assert_eq!(idle.on_call(), before.1);
            rotations[0].get("").is(200);
            assert!(
                begun.elapsed() < Duration::from_secs(2),
                "{:?}",
                begun.elapsed()
            );
            reads += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(reads > 10, "{reads}");
        for write in writes {
            let (number, status, body) = write.join().expect("an answer");
            assert_eq!(status, 503, "{number}: {body}");
            assert!(body.contains("storage_unavailable"), "{body}");
            assert!(!body.contains("locked"), "{body}");
        }
    });
    assert_eq!((world.versions(), idle.on_call()), before);
    conn.execute_batch("ROLLBACK").expect("an end");
    drop(conn);
    recovers("what is due is done", || world.is_settled());
    assert_ne!(idle.on_call(), before.1);
    rotations[0].patch(json!({ "description": "free" })).is(200);
    assert!(complaints(&rota).len() < 16, "{:#?}", complaints(&rota));
    super::audit::audit(&world, &rota, &[]);
    super::audit::ends(&world, rota);
}

pub fn a_start_on_a_locked_database_says_what_is_wrong() {
    let world = World::new();
    let conn = world.opened();
    conn.execute_batch("BEGIN IMMEDIATE")
        .expect("the only writer");
    fails_with(
        run(&mut world.command("serve --listen 127.0.0.1:0")),
        &["rota.db", "locked"],
    );
    drop(conn);
    let server = serve(world.command("serve --listen 127.0.0.1:0"), &world.base.key);
    server
        .get(&format!("/v1/rotations/{}", world.base.idle))
        .is(200);
}

/// Runs as a user to whom permissions and limits apply, with these limits. `None` if that is impossible.
pub fn as_nobody(command: &Command, limits: &str) -> Option<Command> {
    let words = format!("{limits} setpriv --reuid 54321 --regid 54321 --clear-groups {BINARY}");
    let someone = |rest: &[&str]| {
        let mut words = words.split_whitespace();
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words).args(rest);
        command
    };
    let able = someone(&["--version"]).output();
    if !able.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut new = someone(&[]);
    new.args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        new.current_dir(dir).env("TMPDIR", dir);
    }
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            new.env(name, value);
        }
    }
    Some(new)
}

/// Gives the workspace to that user.
pub fn give_away(world: &World) {
    for name in ["", "rota.db", "clock"] {
        chown(world.dir.join(name), Some(54321), Some(54321)).expect("root");
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
}

/// Root ran a command once, or restored a file by hand: it is said whose the file is, who runs rota, and what mends it.
#[test]
fn a_database_of_another_user_is_named_with_what_mends_it() {
    let (dir, db) = crate::cli::imported();
    let on = |line: &str| as_nobody(&crate::cli::on(&db, line), "");
    if on("key list").is_none() {
        return;
    }
    let give = |name: &str, user: u32| chown(dir.join(name), Some(user), Some(user)).expect("root");
    set_mode(dir.path(), 0o755);
    let tried = |line: &str| run(&mut on(line).expect("able"));
    let mend = format!("as root, run: chown 54321: {}*", db.display());
    for (folder, advice) in [
        (54321, mend.clone()),
        (
            0,
            format!("run this as root; or, if it is to be 54321's, {mend}"),
        ),
    ] {
        give("", folder);
        for line in [
            "serve --listen 127.0.0.1:0",
            "key list",
            "directory import people.json",
            "backup copy.db",
            "check",
            "status",
        ] {
            // No copy can be made in root's folder.
            if folder == 0 && line.starts_with("backup") {
                continue;
            }
            let (code, output, errors) = tried(line);
            let said = output + &errors;
            assert_eq!(code, 1, "{line}: {said}");
            let found = format!(
                "{}: the file belongs to the user root, and 54321, who runs rota, may not open it; {advice}",
                db.display()
            );
            assert!(said.contains(&found), "{line}: {said}");
        }
    }
    // The log alone may be root's.
    give("", 54321);
    give("rota.db", 54321);
    let log = dir.file("rota.db-wal", "");
    set_mode(&log, 0o600);
    let (code, _, errors) = tried("key list");
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains("rota.db-wal: the file belongs to the user root") && errors.contains(&mend),
        "{errors}"
    );
    give("rota.db-wal", 54321);
    let (code, output, errors) = tried("key list");
    assert_eq!(code, 0, "{output}{errors}");
}

#[test]
fn files_that_may_not_be_written() {
    let world = World::new();
    let serving = || as_nobody(&world.command("serve --listen 127.0.0.1:0"), "");
    if serving().is_none() {
        return;
    }
    give_away(&world);
    for (folder, file, words) in [
        (0o700, 0o400, ["rota.db", "is read-only"]),
        (0o700, 0o000, ["rota.db", "unable to open"]),
        (0o500, 0o600, ["rota.db", "readonly"]),
        (0o000, 0o600, ["rota.db", "ermission denied"]),
    ] {
        set_mode(&world.db, file);
        set_mode(world.dir.path(), folder);
        let tried = run(&mut serving().unwrap());
        set_mode(world.dir.path(), 0o700);
        fails_with(tried, &words);
    }
    // Permissions removed while the server has the files open: reads continue, writes succeed or are refused.
    set_mode(&world.db, 0o600);
    let server = serve(serving().unwrap(), &world.base.key);
    let idle = Rot {
        by: server.caller(),
        id: world.base.idle.clone(),
    };
    let describe = |text: &str| idle.patch(json!({ "description": text })).status();
    assert_eq!(describe("before"), 200);
    set_mode(&world.db, 0o400);
    set_mode(world.dir.path(), 0o500);
    for _ in 0..3 {
        assert!([200, 503].contains(&describe("meanwhile")));
        idle.get("").is(200);
    }
    set_mode(world.dir.path(), 0o700);
    set_mode(&world.db, 0o600);
    assert_eq!(describe("after"), 200);
    assert_eq!(server.stop().0.code(), Some(0));
    succeeds(&world.db, "check");
}
