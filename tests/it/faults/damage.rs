//! Damaged, truncated or missing files: each error names the path, no response is wrong, and undamaged parts keep
//! working.

use super::world::World;
use crate::cli::fails_with;
use crate::support::*;
use serde_json::json;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SERVE: &str = "serve --listen 127.0.0.1:0";

/// The bytes of a page of the file, from 1.
fn page_size(db: &Path) -> u64 {
    let mut bytes = [0; 2];
    File::open(db)
        .expect("the file")
        .read_exact_at(&mut bytes, 16)
        .expect("a header");
    u64::from(u16::from_be_bytes(bytes))
}

/// Overwrites a page of a file that this process does not have open.
fn spoil(db: &Path, page: i64) {
    let size = page_size(db);
    let file = File::options().write(true).open(db).expect("the file");
    let begin = (page as u64 - 1) * size;
    file.write_all_at(&vec![0xa5; size as usize], begin)
        .expect("a page");
}

/// The first page of a table or an index.
fn root(world: &World, name: &str) -> i64 {
    world.number(&format!(
        "SELECT rootpage FROM sqlite_schema WHERE name = '{name}'"
    ))
}

#[test]
fn what_is_no_whole_database_is_named() {
    type Break = fn(&World);
    let rows: [(&str, Break, &[&str]); 6] = [
        (
            "half a file",
            |world| {
                let bytes = std::fs::read(&world.db).unwrap();
                std::fs::write(&world.db, &bytes[..bytes.len() / 2]).unwrap();
            },
            &["rota.db"],
        ),
        (
            "one page",
            |world| {
                let bytes = std::fs::read(&world.db).unwrap();
                std::fs::write(&world.db, &bytes[..page_size(&world.db) as usize]).unwrap();
            },
            &["rota.db"],
        ),
        (
            "half a page",
            |world| {
                let bytes = std::fs::read(&world.db).unwrap();
                std::fs::write(&world.db, &bytes[..512]).unwrap();
            },
            &["rota.db"],
        ),
        (
            "another head",
            |world| {
                File::options()
                    .write(true)
                    .open(&world.db)
                    .unwrap()
                    .write_all_at(b"SQLite", 2)
                    .unwrap();
            },
            &["rota.db", "not a database"],
        ),
        (
            "a folder",
            |world| {
                std::fs::remove_file(&world.db).unwrap();
                std::fs::create_dir(&world.db).unwrap();
            },
            &["rota.db"],
        ),
        ("the schema", |world| spoil(&world.db, 1), &["rota.db"]),
    ];
    for (name, damage, expected) in rows {
        eprintln!("{name}");
        let world = World::new();
        damage(&world);
        fails_with(run(&mut world.command(SERVE)), expected);
        let (code, output, errors) = run(&mut world.command("check"));
        assert_eq!(code, 1, "{output}{errors}");
        assert!(errors.contains("rota.db"), "{name}: {output}{errors}");
        fails_with(run(&mut world.command("backup copy.db")), &["rota.db"]);
        assert!(!world.dir.join("copy.db").exists(), "{name}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let world = World::new();
    for line in [SERVE, "check", "key list", "backup copy.db"] {
        let mut command = rota(world.dir.path());
        command
            .args(line.split(' '))
            .args(["--db", "no/such/folder/rota.db"]);
        fails_with(run(&mut command), &["no/such/folder/rota.db"]);
    }
}

#[test]
fn a_log_that_is_empty_or_rubbish_is_not_believed() {
    let rubbish = "no log of ours".repeat(1000);
    // A header in SQLite's format, with invalid frames.
    let mut frames = vec![0x37, 0x7f, 0x06, 0x82, 0, 0x2d, 0xe2, 0x18, 0, 0, 0x10, 0];
    frames.resize(40_000, 0x5a);
    for log in [&b""[..], rubbish.as_bytes(), &frames] {
        let world = World::new();
        world.dir.file("rota.db-wal", log);
        world.dir.file("rota.db-shm", "nor this".repeat(4096));
        let rota = world.go("");
        super::audit::audit(&world, &rota, &[]);
        super::audit::ends(&world, rota);
    }
}

/// The topics table is damaged: its rotation fails with an error, everything else continues.
#[test]
fn a_damaged_page_breaks_what_is_on_it_alone() {
    let world = World::new();
    spoil(&world.db, root(&world, "channel_topic"));
    let rota = world.go("");
    let told_of = Rot {
        by: rota.caller(),
        id: world.base.rotations[0].clone(),
    };
    let idle = Rot {
        by: rota.caller(),
        id: world.base.idle.clone(),
    };
    let (before, versions) = (told_of.on_call(), world.versions());
    let problem = told_of
        .put_on_call("U3")
        .refused(503, "storage_unavailable");
    assert!(!problem.to_string().contains("malformed"), "{problem}");
    assert_eq!(told_of.on_call(), before);
    idle.patch(json!({ "description": "Still" })).is(200);
    world.clock.step(DAY);
    let complaint = format!("timer: rotation {}", told_of.id);
    let log = || rota.process.log.text();
    eventually("a complaint", || log().contains(&complaint));
    let raised = |id: &str| world.versions()[id] - versions[id];
    for id in &world.base.rotations[1..] {
        eventually("the others are handed over", || raised(id) == 1);
    }
    eventually("what was written to as well", || raised(&idle.id) == 2);
    assert_eq!((told_of.on_call(), raised(&told_of.id)), (before, 0));
    assert!(
        log().contains("malformed") && log().contains("`rota check`"),
        "{}",
        log()
    );
    // What succeeds elsewhere does not repair it.
    idle.patch(json!({ "description": "Still" })).is(200);
    let problem = rota.anyone().get("/readyz").refused(503, "not_ready");
    let detail = text(&problem["detail"]);
    assert!(
        detail.contains("storage: writes fail: the database is damaged; `rota check`"),
        "{detail}"
    );
    let (code, output, _) = run(&mut world.command("status"));
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("the database is damaged"), "{output}");
    let (code, output, errors) = run(&mut world.command("check"));
    assert_eq!(code, 1, "{output}{errors}");
    assert!(errors.contains("rota.db"), "{output}{errors}");
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0));
    assert!(
        log.lines().count() < 60 && !log.contains("panicked"),
        "{log}"
    );
}

/// Damage under a running server, whose caches may be intact.
#[test]
fn a_page_that_is_damaged_meanwhile_is_never_answered_wrongly() {
    let world = World::new();
    let rota = world.go("");
    let idle = Rot {
        by: rota.caller(),
        id: world.base.idle.clone(),
    };
    let shown = idle.read();
    let table = root(&world, "rotation_person");
    // What is in the log is not read from the file.
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    world
        .opened()
        .query_row(checkpoint, [], |_| Ok(()))
        .expect("a checkpoint");
    spoil(&world.db, table);
    for number in 0..5 {
        // Every write invalidates the readers' caches.
        let written = rota.post("/v1/rotations/none/on-call", json!({}));
        assert!(written.status() >= 400, "{number}");
        let answer = idle.get("");
        match answer.status() {
            200 => assert_eq!(answer.json()["userIds"], shown["userIds"]),
            _ => drop(answer.refused(503, "storage_unavailable")),
        }
        let answer = rota.try_create(new_rotation("U1 U2"));
        if answer.status() != 201 {
            answer.refused(503, "storage_unavailable");
        }
    }
    assert_eq!(rota.caller().all("/v1/users").len(), 4);
    let (code, output, errors) = run(&mut world.command("check"));
    assert_eq!(code, 1, "{output}{errors}");
    assert!(errors.contains("rota.db"), "{errors}");
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0));
    assert!(!log.contains("panicked"), "{log}");
}

/// Damage in several places: each is named, and so is what to do.
#[test]
fn a_check_goes_on_to_its_end() {
    let world = World::new();
    let names = ["history", "rotation_by_creation", "board"];
    let pages = names.map(|name| root(&world, name));
    for page in pages {
        spoil(&world.db, page);
    }
    let (code, output, errors) = run(&mut world.command("check"));
    assert_eq!(code, 1, "{output}{errors}");
    for expected in [
        "table history: ",
        "index rotation_by_creation: ",
        "table board: ",
        "damaged: tables ",
        "to do: stop the server and run `rota restore`",
    ] {
        assert!(output.contains(expected), "{expected}: {output}{errors}");
    }
    let summary = output.lines().find(|line| line.starts_with("damaged: "));
    let (_, listed) = summary
        .and_then(|line| line.split_once("; pages "))
        .expect("pages");
    let is_listed = |page: &i64| {
        listed.split(", ").any(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            (first.parse().unwrap()..=last.parse().unwrap()).contains(page)
        })
    };
    assert!(pages.iter().all(is_listed), "{pages:?}: {listed}");
    let lists = errors.contains("`rota check` lists");
    assert!(!lists, "it is that check: {errors}");
    // A server on it answers what it can, and says that it is not ready once it has met the damage.
    let rota = world.go("");
    let idle = Rot {
        by: rota.caller(),
        id: world.base.idle.clone(),
    };
    let damaged = idle.get("/history?from=2026-03-02T08:00:00Z&to=2026-03-03T08:00:00Z");
    damaged.refused(503, "storage_unavailable");
    let problem = rota.anyone().get("/readyz").refused(503, "not_ready");
    assert!(
        text(&problem["detail"]).contains("storage: reads fail: the database is damaged"),
        "{problem}"
    );
}

/// A copy of a damaged database would be damaged or incomplete, so none is made.
#[test]
fn what_is_damaged_is_not_copied() {
    for name in ["rotation_by_creation", "rotation", "meta", "history"] {
        let world = World::new();
        spoil(&world.db, root(&world, name));
        let (code, output, errors) = run(&mut world.command("check"));
        assert_eq!(code, 1, "{output}{errors}");
        let tried = run(&mut world.command("backup copy.db"));
        assert!(!tried.2.contains("copy.db"), "{name}: {}", tried.2);
        fails_with(tried, &["/rota.db", "malformed"]);
        let left = std::fs::read_dir(world.dir.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            !left
                .iter()
                .any(|file| file.to_string_lossy().contains("copy")),
            "{left:?}"
        );
        // A copy made by another program.
        std::fs::copy(&world.db, world.dir.join("bytes.db")).unwrap();
        fails_with(
            run(&mut world.command("restore bytes.db")),
            &["bytes.db", "damaged"],
        );
    }
}
