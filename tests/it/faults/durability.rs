//! Acknowledged writes are stored: after a kill at any moment, on a full disk, and after downtime.

use crate::cli::{imported, key, on, succeeds};
use crate::support::*;
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const SCOPES: &str = "--scope read:rotations write:rotations read:oncall write:duty";

fn production(db: &Path, key: &str) -> Rota {
    let mut command = on(db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    serve(command, key)
}

pub fn rotation<'a>(server: &'a Rota, id: &str) -> Rot<'a> {
    Rot {
        by: server.caller(),
        id: id.to_owned(),
    }
}

/// The stored version, which the API does not show.
pub fn version(db: &Path, id: &str) -> i64 {
    let only_read = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let conn = rusqlite::Connection::open_with_flags(db, only_read).expect("the database");
    conn.query_row("SELECT version FROM rotation WHERE id = ?", [id], |row| {
        row.get(0)
    })
    .expect("the rotation")
}

/// The history must be a chain without gaps with a running last entry. Returns the holders in order.
#[track_caller]
fn chain(rotation: &Rot, from: &str, until: &str) -> Vec<String> {
    let turns = rotation.turns("history", from, until);
    for pair in turns.windows(2) {
        assert_eq!(pair[0]["end"], pair[1]["start"], "a hole in the record");
    }
    let last = turns.last().expect("a record");
    assert!(last.get("end").is_none(), "nothing runs: {last}");
    let held = turns.iter().map(|turn| text(&turn["userId"]).to_owned());
    held.collect()
}

/// Writes to a rotation, each time with the ETag of the previous response.
struct Writer<'a> {
    server: &'a Rota,
    connection: Connection,
    id: String,
    etag: String,
    name: String,
    on_call: String,
    acknowledged: i64,
    /// Everyone who was put on call, in order, including writes without a response.
    asked: Vec<String>,
    /// The write that was sent and not answered.
    in_flight: Option<(&'static str, String)>,
}

impl Writer<'_> {
    /// Changes the name and the person in turn until the connection ends.
    fn write_on(&mut self, done: &AtomicUsize) {
        for n in 0.. {
            let (method, rest, value, body) = if n % 2 == 0 {
                let name = unique("name");
                ("PATCH", "", name.clone(), json!({ "name": name }))
            } else {
                let turn = |n: usize| format!("U{}", n / 2 % 3 + 1);
                // The person who is on call already would be no change.
                let person = Some(turn(n)).filter(|person| *person != self.on_call);
                let person = person.unwrap_or_else(|| turn(n + 2));
                self.asked.push(person.clone());
                (
                    "PUT",
                    "/on-call",
                    person.clone(),
                    json!({ "userIds": [person] }),
                )
            };
            self.in_flight = Some((method, value.clone()));
            let body = body.to_string();
            let request = format!(
                "{method} /v1/rotations/{}{rest} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\nIf-Match: {}\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                self.id,
                self.server.key,
                self.etag,
                body.len(),
            );
            let sent = self.connection.try_send(request).is_ok();
            let Some(reply) = sent.then(|| self.connection.answer(method)).flatten() else {
                return;
            };
            let received = String::from_utf8_lossy(&reply.body);
            assert_eq!(reply.status, 200, "{method} {rest}: {received}");
            self.etag = reply.header("etag").expect("an ETag").to_owned();
            self.in_flight = None;
            self.acknowledged += 1;
            match method {
                "PATCH" => self.name = value,
                _ => self.on_call = value,
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let (_dir, db) = imported();
    let key = key(&db, SCOPES);
    let mut server = production(&db, &key);
    server.anyone().get("/healthz").is(200);
    let ids: Vec<String> = (0..5)
        .map(|_| {
            let body = json!({ "name": "R", "owners": ["U1"], "userIds": ["U1", "U2", "U3"] });
            server.create(body).id
        })
        .collect();
    let begun = short(at(text(&rotation(&server, &ids[0]).read()["createdAt"])));
    let until = plus(&begun, DAY);
    // Somewhere in the first dozens of writes.
    for writes in [1, 57, 23, 38, 11] {
        let mut writers: Vec<Writer> = ids
            .iter()
            .map(|id| {
                let now = rotation(&server, id).get("").is(200);
                Writer {
                    server: &server,
                    connection: Connection::open(server.address()),
                    id: id.clone(),
                    etag: now.etag(),
                    name: text(&now.json()["name"]).to_owned(),
                    on_call: people_on_call(&now.json()["onCall"]),
                    acknowledged: 0,
                    asked: vec![],
                    in_flight: None,
                }
            })
            .collect();
        let before: Vec<(i64, usize)> = ids
            .iter()
            .map(|id| {
                let held = chain(&rotation(&server, id), &begun, &until);
                (version(&db, id), held.len())
            })
            .collect();
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for writer in &mut writers {
                scope.spawn(|| writer.write_on(&done));
            }
            eventually("so many writes", || done.load(Ordering::Relaxed) >= writes);
            server.process.signal("KILL");
        });
        let last: Vec<_> = writers
            .into_iter()
            .map(|w| {
                (
                    w.id,
                    w.etag,
                    w.name,
                    w.on_call,
                    w.acknowledged,
                    w.asked,
                    w.in_flight,
                )
            })
            .collect();
        drop(server);
        succeeds(&db, "check");
        // The lock was released with its process.
        server = production(&db, &key);
        for (n, (id, etag, name, on_call, acknowledged, asked, in_flight)) in
            last.into_iter().enumerate()
        {
            let rotation = rotation(&server, &id);
            let now = rotation.get("").is(200);
            let shown = now.json();
            let state = (
                text(&shown["name"]).to_owned(),
                people_on_call(&shown["onCall"]),
            );
            let raised = version(&db, &id) - before[n].0;
            if now.etag() == etag {
                assert_eq!(
                    (state, raised),
                    ((name, on_call.clone()), acknowledged),
                    "{id}"
                );
            } else {
                // The write in flight is stored as a whole.
                let whole =
                    match in_flight.unwrap_or_else(|| panic!("{id}: who wrote this? {shown}")) {
                        ("PATCH", name) => (name, on_call.clone()),
                        (_, person) => (name, person),
                    };
                assert_eq!((state, raised), (whole, acknowledged + 1), "{id}");
            }
            assert_eq!(rotation.get("/on-call").is(200).etag(), now.etag());
            // The history has the turns in the requested order, up to the present one.
            let held = chain(&rotation, &begun, &until);
            let mut asked = asked.iter();
            let fresh = &held[before[n].1..];
            assert!(
                fresh.iter().all(|held| asked.any(|a| a == held)),
                "{held:?}"
            );
            let present = people_on_call(&shown["onCall"]);
            assert_eq!(
                held.last().map(String::as_str),
                Some(present.as_str())
                    .filter(|p| !p.is_empty())
                    .or(Some("-"))
            );
        }
    }
    assert_eq!(server.stop().0.code(), Some(0));
    succeeds(&db, "check");
}

#[test]
fn a_killed_server_that_comes_back_later_has_caught_up() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = Start::default().db(&db).go();
    rota.people(3);
    let id = rota.daily("U1 U2 U3", 1).id;
    for (clock, on_call) in [
        ("2026-01-06T08:59:59Z", "U1"),
        ("2026-01-06T09:00Z", "U2"),
        ("2026-01-08T12:00Z", "U1"),
    ] {
        rota.process.signal("KILL");
        rota.process.ended();
        rota = Start::default().clock(clock).db(&db).go();
        assert_eq!(rotation(&rota, &id).on_call(), on_call, "{clock}");
    }
    let rotation = rotation(&rota, &id);
    assert_eq!(
        rotation.history(MONDAY, "2026-01-09T00:00Z"),
        [
            "2026-01-05T08:00Z 2026-01-06T09:00Z U1 coverage-changed",
            "2026-01-06T09:00Z 2026-01-07T09:00Z U2 next-on-scheduled-duty",
            "2026-01-07T09:00Z 2026-01-08T09:00Z U3 next-on-scheduled-duty",
            "2026-01-08T09:00Z - U1 next-on-scheduled-duty",
        ]
    );
    chain(&rotation, MONDAY, "2026-01-09T00:00Z");
}

/// A file that cannot grow simulates a full disk. `None` if the shell cannot limit it.
pub fn cramped(db: &Path, key: &str, settings: &[(&str, &str)]) -> Option<Rota> {
    let script = "ulimit -f 2000 && exec \"$0\" \"$@\"";
    let shell = |command: &mut Command| {
        command
            .arg("-c")
            .arg(script)
            .arg(BINARY)
            .arg("--version")
            .output()
    };
    let able = shell(&mut Command::new("sh")).is_ok_and(|output| output.status.success());
    if !able {
        return None;
    }
    let mut command = Command::new("sh");
    let folder = db.parent().expect("a folder");
    command.current_dir(folder).env("TMPDIR", folder);
    command.args([
        "-c",
        script,
        BINARY,
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--db",
    ]);
    command
        .arg(db)
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0")
        .envs(settings.iter().copied());
    Some(serve(command, key))
}

#[test]
fn a_full_disk_stops_writes_alone() {
    let (_dir, db) = imported();
    let key = key(&db, SCOPES);
    let Some(server) = cramped(&db, &key, &[]) else {
        return;
    };
    let created = server.rotation("U1 U2 U3");
    let rename = |name: &str| created.patch(json!({ "name": name }));
    let mut last = None;
    let refused = loop {
        let name = unique("name");
        let answer = rename(&name);
        if answer.status() != 200 {
            break answer;
        }
        last = Some((name, answer.etag()));
    };
    refused.refused(503, "storage_unavailable");
    let (name, etag) = last.expect("a write that had room");
    rename("No room").refused(503, "storage_unavailable");
    created
        .put_on_call("U1")
        .refused(503, "storage_unavailable");
    server
        .caller()
        .try_create("later", new_rotation("U1"))
        .refused(503, "storage_unavailable");
    // Reads continue, and no write is partial.
    let now = created.get("").is(200);
    assert_eq!(
        (text(&now.json()["name"]), now.etag()),
        (name.as_str(), etag.clone())
    );
    assert_eq!(created.on_call(), "");
    assert_eq!(server.caller().all("/v1/rotations").len(), 1);
    let id = created.id.clone();
    let (status, log) = server.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    succeeds(&db, "check");
    let roomy = production(&db, &key);
    let again = rotation(&roomy, &id);
    let now = again.get("").is(200);
    assert_eq!(
        (text(&now.json()["name"]), now.etag()),
        (name.as_str(), etag)
    );
    again.put_on_call("U1").is(200);
    // The key of the failed write is unused.
    roomy
        .caller()
        .try_create("later", new_rotation("U1"))
        .is(201);
}

#[test]
fn a_database_that_is_none_is_named() {
    let (dir, db) = imported();
    std::fs::create_dir(dir.join("folder.db")).unwrap();
    for (line, db) in [
        ("serve --listen 127.0.0.1:0", dir.join("folder.db")),
        ("check", dir.join("folder.db")),
    ] {
        let (code, _, errors) = run(&mut on(&db, line));
        assert!(code > 0 && errors.contains("folder.db"), "{line}: {errors}");
    }
    let server = production(&db, "none");
    let (code, _, errors) = run(&mut on(&db, "serve --listen 127.0.0.1:0"));
    assert!(
        code > 0 && errors.contains(&server.process.id().to_string()),
        "{errors}"
    );
    server.anyone().get("/healthz").is(200);
}
