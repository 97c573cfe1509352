//! The command line: keys, tokens, the directory, copies, checks, and errors.

use crate::cli::{fails_with, imported, key, on, succeeds};
use crate::operator::migrate::of_version_7;
use crate::support::*;
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

const SERVE: &str = "serve --listen 127.0.0.1:0";

fn inode(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().ino()
}

fn dev(db: &Path) -> Rota {
    Start::default().db(db).go()
}

/// A development server with three people on its own database.
fn running() -> (TempDir, std::path::PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = dev(&db);
    rota.people(3);
    (dir, db, rota)
}

#[test]
fn keys_live_and_die() {
    let (_dir, db, rota) = running();
    let first = key(&db, "--scope read:rotations read:oncall --scope write:duty");
    let status = |key: &str| rota.with(key).get("/v1/rotations").status();
    let becomes =
        |key: &str, expected: u16| eventually(&format!("{expected}"), || status(key) == expected);
    becomes(&first, 200);
    let shown = rota.with(&first).get("/v1/keys/self").is(200).json();
    assert_eq!(shown["scopes"].as_array().unwrap().len(), 3);
    let id = text(&shown["id"]).to_owned();
    let list = succeeds(&db, "key list");
    assert!(
        list.contains(&id) && list.contains("cli") && !list.contains(&first),
        "{list}"
    );

    succeeds(&db, &format!("key disable {id}"));
    becomes(&first, 401);
    rota.with(&first)
        .get("/v1/rotations")
        .refused(401, "disabled");
    succeeds(&db, &format!("key enable {id}"));
    becomes(&first, 200);

    let rotated = succeeds(&db, &format!("key rotate {id}"));
    let second = rotated
        .lines()
        .find(|line| line.starts_with("svc_key_"))
        .expect("the new secret")
        .to_owned();
    becomes(&second, 200);
    assert_eq!(status(&first), 200, "the old one goes on in its grace");
    rota.advance(DAY + 1);
    rota.with(&first)
        .get("/v1/rotations")
        .refused(401, "expired_secret");
    assert_eq!(status(&second), 200);
    let rotated = succeeds(&db, &format!("key rotate {id} --grace 90s"));
    let third = rotated
        .lines()
        .find(|line| line.starts_with("svc_key_"))
        .expect("the new secret")
        .to_owned();
    becomes(&third, 200);
    rota.advance(91);
    rota.with(&second)
        .get("/v1/rotations")
        .refused(401, "expired_secret");

    succeeds(&db, &format!("key revoke {id}"));
    becomes(&third, 401);
    for revoked in [&first, &second, &third] {
        rota.with(revoked).get("/v1/rotations").is(401);
    }
    rota.with(&third)
        .get("/v1/rotations")
        .refused(401, "unknown");
}

#[test]
fn each_rotated_out_secret_keeps_its_own_grace() {
    let (_dir, db, rota) = running();
    let first = key(&db, "--scope read:rotations");
    let status = |key: &str| rota.with(key).get("/v1/rotations").status();
    eventually("the key works", || status(&first) == 200);
    let shown = rota.with(&first).get("/v1/rotations").is(200);
    assert_eq!(shown.status(), 200);
    let list = succeeds(&db, "key list");
    let line = list
        .lines()
        .find(|line| line.contains(" cli "))
        .expect("the key");
    let id = line.split_whitespace().next().expect("an id").to_owned();
    let rotate = |grace: &str| {
        let output = succeeds(&db, &format!("key rotate {id} --grace {grace}"));
        let secret = output.lines().find(|line| line.starts_with("svc_key_"));
        let secret = secret.expect("the new secret").to_owned();
        eventually("the new secret works", || status(&secret) == 200);
        secret
    };
    let second = rotate("2h");
    let third = rotate("1h");
    let fourth = rotate("0s");
    let expired = |key: &str| {
        drop(
            rota.with(key)
                .get("/v1/rotations")
                .refused(401, "expired_secret"),
        )
    };
    assert_eq!([&first, &second, &fourth].map(|key| status(key)), [200; 3]);
    expired(&third);
    let list = succeeds(&db, "key list");
    for until in ["2026-01-05T10:00:00Z", "2026-01-05T09:00:00Z"] {
        assert!(list.contains(until), "{list}");
    }
    rota.advance(HOUR);
    assert_eq!(status(&first), 200);
    expired(&second);
    rota.advance(HOUR);
    expired(&first);
    assert_eq!(status(&fourth), 200);
    succeeds(&db, &format!("key revoke {id}"));
    eventually("the key is gone", || status(&fourth) == 401);
    for key in [&first, &second, &third, &fourth] {
        rota.with(key).get("/v1/rotations").refused(401, "unknown");
    }
}

#[test]
fn a_key_is_limited_to_rotations() {
    let (_dir, db, rota) = running();
    let (mine, other) = (rota.rotation("U1"), rota.rotation("U1"));
    let limited = key(
        &db,
        &format!("--scope read:rotations --rotation {}", mine.id),
    );
    eventually("the key works", || {
        mine.with(&limited).get("").status() == 200
    });
    other.with(&limited).get("").refused(403, "resource_denied");
    fails_with(
        run(&mut on(&db, "key create --name x --scope read:everything")),
        &["read:everything"],
    );
    fails_with(
        run(&mut on(&db, "key disable key_unknown")),
        &["key_unknown"],
    );
}

#[test]
fn tokens_live_and_die() {
    let (_dir, db, rota) = running();
    let make = |line: &str| {
        let output = succeeds(&db, &format!("token create {line}"));
        let token = output.lines().find(|line| line.starts_with("svc_mbr_"));
        token
            .unwrap_or_else(|| panic!("no token in {output}"))
            .to_owned()
    };
    let (lasting, short_lived) = (make("--user U1"), make("--user U2 --expires 15m"));
    let status = |token: &str| rota.with(token).get("/v1/rotations").status();
    eventually("the tokens work", || {
        status(&lasting) == 200 && status(&short_lived) == 200
    });
    rota.advance(15 * MINUTE);
    assert_eq!([status(&lasting), status(&short_lived)], [200, 401]);
    let list = succeeds(&db, "token list");
    assert!(list.contains("U1") && !list.contains(&lasting), "{list}");
    let line = list.lines().find(|line| line.contains("U1")).unwrap();
    let id = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .find(|word| word.starts_with("tok_"));
    succeeds(&db, &format!("token revoke {}", id.expect("its id")));
    eventually("the token is revoked", || status(&lasting) == 401);
    fails_with(run(&mut on(&db, "token create --user U9")), &["U9"]);
}

#[test]
fn the_directory_goes_in_and_out() {
    let (dir, db) = imported();
    let exported = succeeds(&db, "directory export");
    let out: Value = serde_json::from_str(&exported).expect("JSON on standard output");
    let of = |list: &Value| {
        let mut ids: Vec<String> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|e| text(&e["id"]).to_owned())
            .collect();
        ids.sort();
        ids.join(" ")
    };
    assert_eq!(
        [of(&out["users"]), of(&out["channels"])],
        ["U1 U2 U3", "C1 C2 C3 C4"]
    );
    assert_eq!(out["team"]["id"], json!(TEAM));
    dir.file("again.json", &exported);
    succeeds(&db, "directory import again.json");
    assert_eq!(
        serde_json::from_str::<Value>(&succeeds(&db, "directory export")).unwrap(),
        out
    );
    let rota = Start::default().clock("2041-01-07T08:00Z").db(&db).go();
    dir.file("fewer.json", directory(1).to_string());
    succeeds(&db, "directory import fewer.json");
    eventually("the import is seen", || {
        rota.caller().all("/v1/users").len() == 1
    });
    dir.file("broken.json", "{\"users\":");
    fails_with(
        run(&mut on(&db, "directory import broken.json")),
        &["broken.json"],
    );
    fails_with(
        run(&mut on(&db, "directory import absent.json")),
        &["absent.json"],
    );
    assert_eq!(rota.caller().all("/v1/users").len(), 1);
}

#[test]
fn a_copy_is_made_and_put_back() {
    let (dir, db, rota) = running();
    let id = rota.daily("U1 U2", 1).id;
    succeeds(&db, "backup copy.db");
    rota.caller()
        .delete_if(&format!("/v1/rotations/{id}"), "*")
        .is(204);
    // Not while a server uses the file.
    fails_with(run(&mut on(&db, "restore copy.db")), &[]);
    assert_eq!(rota.stop().0.code(), Some(0));
    let before = std::fs::read(&db).unwrap();
    dir.file("rubbish.db", "this is no database at all".repeat(500));
    fails_with(run(&mut on(&db, "restore rubbish.db")), &["rubbish.db"]);
    fails_with(run(&mut on(&db, "restore absent.db")), &["absent.db"]);
    assert_eq!(std::fs::read(&db).unwrap(), before, "nothing was replaced");
    succeeds(&db, "restore copy.db");
    let names = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let kept = names
        .filter(|name| name.to_string_lossy().starts_with("rota.db.replaced-"))
        .count();
    assert_eq!(kept, 1, "what was replaced is kept");
    let rota = dev(&db);
    rota.get(&format!("/v1/rotations/{id}")).is(200);
}

#[test]
fn a_check_says_what_is_wrong() {
    let (dir, db) = imported();
    succeeds(&db, "check");
    fails_with(
        run(&mut on(&dir.join("absent.db"), "check")),
        &["absent.db"],
    );
    assert!(!dir.join("absent.db").exists(), "a check makes no database");
    let mut bytes = std::fs::read(&db).unwrap();
    let half = bytes.len() / 2;
    bytes[100..half].fill(0xa5);
    let broken = dir.file("broken.db", bytes);
    let (code, output, errors) = run(&mut on(&broken, "check"));
    assert_eq!(code, 1, "{output}{errors}");
    assert!(errors.contains("broken.db"), "it is named: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    dir.file("wrong.toml", "[plan]\nmax_rotatoins = 3\n");
    let (code, _, errors) = run(&mut on(&db, "check --config wrong.toml"));
    assert_eq!(code, 1, "a wrong configuration is something found");
    assert!(errors.contains("max_rotatoins"), "{errors}");
}

#[test]
fn a_check_changes_nothing() {
    let (dir, db) = imported();
    // A copy differs from a file that a server leaves.
    succeeds(&db, "backup copy.db");
    let copy = dir.join("copy.db");
    let before = std::fs::read(&copy).unwrap();
    succeeds(&copy, "check");
    assert_eq!(std::fs::read(&copy).unwrap(), before);
    let first = TempDir::new();
    let old = of_version_7(&first);
    let older = std::fs::read(&old).unwrap();
    let (code, output, errors) = run(&mut on(&old, "check"));
    assert_eq!(code, 1, "{errors}");
    assert!(output.contains("older schema 7"), "{output}");
    assert_eq!(std::fs::read(&old).unwrap(), older);
    let empty = dir.file("empty.db", "");
    assert_eq!(run(&mut on(&empty, "check")).0, 1);
    assert!(std::fs::read(&empty).unwrap().is_empty());
}

#[test]
fn missing_databases_are_missed() {
    let dir = TempDir::new();
    let absent = dir.join("absent.db");
    for line in [
        "key list",
        "token list",
        "directory export",
        "backup copy.db",
        "check",
        "key create --name k --scope read:oncall",
        "token create --user U1",
        "directory sync",
    ] {
        fails_with(
            run(on(&absent, line)
                .env("ROTA_CHAT_PLATFORM", "slack")
                .env("ROTA_SLACK_BOT_TOKEN", "xoxb-1")),
            &["absent.db"],
        );
        assert!(!absent.exists(), "rota {line} made one");
    }
    dir.file("people.json", directory(1).to_string());
    succeeds(&absent, "directory import people.json");
    assert!(absent.exists());
}

#[test]
fn a_newer_database_is_left_alone() {
    let (_dir, db) = imported();
    let mut bytes = std::fs::read(&db).unwrap();
    // PRAGMA user_version is big-endian at offset 60 of the header.
    bytes[60..64].copy_from_slice(&1_000_000_i32.to_be_bytes());
    std::fs::write(&db, &bytes).unwrap();
    for line in [
        "serve --listen 127.0.0.1:0",
        "dev --listen 127.0.0.1:0",
        "check",
        "key list",
    ] {
        fails_with(run(&mut on(&db, line)), &["newer"]);
        assert_eq!(std::fs::read(&db).unwrap(), bytes, "rota {line} touched it");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let (dir, db) = imported();
    dir.file("wrong.toml", "[plan]\nname = \"pro\"\nmax_rotatoins = 3\n");
    dir.file("worse.toml", "listen = \n");
    dir.file("type.toml", "[plan]\nmax_rotations = \"many\"\n");
    dir.file("plain", "a file, not a directory");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    for (line, words) in [
        ("serve --config wrong.toml", vec!["max_rotatoins"]),
        ("serve --config worse.toml", vec!["worse.toml"]),
        ("serve --config type.toml", vec!["max_rotations"]),
        ("serve --config absent.toml", vec!["absent.toml"]),
        ("serve --lisen 127.0.0.1:0", vec!["--lisen"]),
        ("serve --listen nowhere", vec!["nowhere"]),
        ("dev --clock yesterday", vec!["yesterday"]),
        ("frobnicate", vec!["frobnicate"]),
        ("key rotate key_x --grace soon", vec!["soon"]),
    ] {
        fails_with(run(&mut on(&db, line)), &words);
    }
    fails_with(run(&mut on(&db, "serve --nonsense")), &["--nonsense"]);
    assert_eq!(run(&mut on(&db, "serve --nonsense")).0, 2);
    fails_with(
        run(&mut on(&db, &format!("serve --listen {taken}"))),
        &[&taken],
    );
    drop(listener);
    let mut nowhere = rota(dir.path());
    nowhere.args(["serve", "--listen", "127.0.0.1:0", "--db", "plain/rota.db"]);
    fails_with(run(&mut nowhere), &["plain/rota.db"]);
    for line in ["--help", "--version", "serve --help", "key --help"] {
        let mut command = rota(dir.path());
        let (code, output, _) = run(command.args(line.split(' ')));
        assert_eq!(code, 0, "rota {line}");
        assert!(!output.is_empty());
    }
}

#[test]
fn one_server_a_database() {
    let (_dir, db, rota) = running();
    let holder = rota.process.id().to_string();
    for line in ["serve --listen 127.0.0.1:0", "dev --listen 127.0.0.1:0"] {
        fails_with(run(&mut on(&db, line)), &[&holder]);
    }
    rota.get("/v1/rotations").is(200);
}

#[test]
fn one_server_a_database_through_links_too() {
    let (dir, db, rota) = running();
    let holder = rota.process.id().to_string();
    let link = dir.join("link.db");
    symlink("rota.db", &link).unwrap();
    fails_with(run(&mut on(&link, SERVE)), &[&holder]);
    assert_eq!(rota.stop().0.code(), Some(0));
    std::fs::hard_link(&db, dir.join("second.db")).unwrap();
    for name in ["rota.db", "second.db"] {
        fails_with(run(&mut on(&dir.join(name), SERVE)), &[name, "hard links"]);
    }
    // A link to a file that does not exist yet.
    symlink("to-be.db", dir.join("ahead.db")).unwrap();
    dir.file("people.json", directory(1).to_string());
    succeeds(&dir.join("ahead.db"), "directory import people.json");
    assert!(dir.join("to-be.db").exists());
}

#[test]
fn a_link_stays_when_its_database_is_replaced() {
    let (dir, db) = imported();
    succeeds(&db, "backup copy.db");
    let before = inode(&db);
    let link = dir.join("link.db");
    symlink("rota.db", &link).unwrap();
    succeeds(&link, "restore copy.db");
    assert!(link.is_symlink(), "the link is as it was");
    assert_ne!(inode(&db), before, "what it leads to was replaced");
}

#[test]
fn nobody_else_reads_the_database() {
    let (dir, db, rota) = running();
    let mode = |name: &str| {
        let data = std::fs::metadata(dir.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        data.permissions().mode() & 0o777
    };
    succeeds(&db, "backup copy.db");
    for name in ["rota.db", "rota.db-wal", "rota.db-shm", "copy.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!(rota.stop().0.code(), Some(0));
    std::fs::set_permissions(&db, PermissionsExt::from_mode(0o640)).unwrap();
    succeeds(&db, "restore copy.db");
    assert_eq!(mode("rota.db"), 0o640, "as what it replaced");
    succeeds(&dir.join("new.db"), "restore copy.db");
    assert_eq!(mode("new.db"), 0o600);
}

#[test]
fn a_new_database_is_told() {
    let dir = TempDir::new();
    let db = dir.join("new.db");
    dir.file("people.json", directory(1).to_string());
    let create = || run(&mut on(&db, "directory import people.json"));
    let (_, _, errors) = create();
    assert!(
        errors.contains("created") && errors.contains("/new.db\n"),
        "{errors}"
    );
    let output = succeeds(&db, "key create --name cli --scope read:oncall");
    assert_eq!(output.lines().count(), 1, "the key alone: {output}");
    let (_, _, errors) = create();
    assert!(!errors.contains("new.db"), "it was there: {errors}");
}

#[test]
fn what_is_no_database_of_ours_is_left_as_it_is() {
    let (dir, db) = imported();
    let text = "this is no database at all".repeat(500);
    let rubbish = dir.file("rubbish.db", &text);
    dir.file("empty.db", "");
    for line in [SERVE, "dev --listen 127.0.0.1:0", "backup copy.db", "check"] {
        fails_with(run(&mut on(&rubbish, line)), &["rubbish.db"]);
    }
    fails_with(
        run(&mut on(&dir.join("empty.db"), "backup copy.db")),
        &["empty.db"],
    );
    assert_eq!(std::fs::read_to_string(&rubbish).unwrap(), text);
    for name in ["rubbish.db.lock", "copy.db", "copy.db.unfinished"] {
        assert!(!dir.join(name).exists(), "{name} was left");
    }
    assert!(db.exists());
}

#[test]
fn what_is_minted_lasts_and_is_listed_oldest_first() {
    let (_dir, db) = imported();
    for line in [
        "key create --name x --scope read:oncall --expires 0s",
        "token create --user U1 --expires 0d",
    ] {
        fails_with(
            run(&mut on(&db, line)),
            &["--expires", "would expire immediately"],
        );
    }
    for n in ["1", "2", "3"] {
        succeeds(&db, &format!("key create --name n{n} --scope read:oncall"));
        succeeds(&db, &format!("token create --user U{n}"));
    }
    for (line, names) in [
        ("key list", ["n1", "n2", "n3"]),
        ("token list", ["U1", "U2", "U3"]),
    ] {
        let list = succeeds(&db, line);
        let second = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
        assert_eq!(list.lines().skip(1).map(second).collect::<Vec<_>>(), names);
    }
}

#[test]
fn the_production_server_serves_and_stops() {
    let (dir, db) = imported();
    let key = key(&db, "--scope read:rotations write:rotations read:directory");
    dir.file("rota.toml", "[plan]\nname = \"free\"\n");
    let two_lanes = || {
        let mut body = new_rotation("U1");
        body["lanes"] = json!(2);
        body
    };
    for (signal, plan, lanes) in [("TERM", None, 402), ("INT", Some("pro"), 201)] {
        let mut command = on(&db, "serve --config rota.toml --listen 127.0.0.1:0");
        command.envs(plan.map(|name| ("ROTA_PLAN_NAME", name)));
        let server = serve(command, &key);
        server.anyone().get("/healthz").is(200);
        server
            .anyone()
            .get("/v1/users")
            .refused(401, "missing_credential");
        assert_eq!(server.caller().all("/v1/users").len(), 3);
        for path in ["/dev/clock", "/dev/chat", "/dev/receiver/x"] {
            server.get(path).refused(404, "");
        }
        server
            .post("/dev/tokens", json!({ "userId": "U1" }))
            .refused(404, "");
        server
            .request("PUT", "/dev/plan")
            .json(&json!({ "name": "pro" }))
            .send()
            .refused(404, "");
        // The environment takes precedence over the file.
        server.try_create(two_lanes()).is(lanes);
        server.process.signal(signal);
        let mut server = server;
        let (status, log) = server.process.ended();
        assert_eq!(status.code(), Some(0), "{signal}: {log}");
    }
    succeeds(&db, "check");
}

/// A pipe is empty when it is read again.
#[test]
fn a_config_file_is_read_once() {
    let dir = TempDir::new();
    let mut command = rota(dir.path());
    command.args([
        "directory",
        "import",
        "people.json",
        "--config",
        "/dev/stdin",
    ]);
    dir.file("people.json", directory(1).to_string());
    let (receiver, mut sender) = std::io::pipe().expect("a pipe");
    sender
        .write_all(b"log = \"off\"\ndb = \"piped.db\"\n")
        .expect("room in the pipe");
    drop(sender);
    let (code, _, errors) = run(command.stdin(receiver));
    assert_eq!(code, 0, "{errors}");
    assert!(dir.join("piped.db").exists() && !dir.join("rota.db").exists());
}
