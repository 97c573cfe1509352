//! Links and files that another user placed in the database's folder under names that rota opens.

use crate::cli::{fails_with, imported, key, on, succeeds};
use crate::support::*;
use std::fs::{File, Metadata, OpenOptions, hard_link};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};

const SERVE: &str = "serve --listen 127.0.0.1:0";
const SECRET: &str = "what nobody but root may write to\n";
/// The user of the service, when root runs a command.
const SERVICE: u32 = 54321;

/// Whether this process may change owners; otherwise a note is printed.
fn is_root() -> bool {
    let root = std::fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0);
    if !root {
        eprintln!("skipped: only root can give files away");
    }
    root
}

/// A file in its own folder that belongs to the user of the tests.
struct Victim {
    _dir: TempDir,
    path: PathBuf,
    before: Metadata,
}

impl Victim {
    fn new() -> Victim {
        let dir = TempDir::new();
        let path = dir.file("victim", SECRET);
        let before = path.metadata().expect("a file");
        Victim {
            _dir: dir,
            path,
            before,
        }
    }

    #[track_caller]
    fn is_unharmed(&self, what: &str) {
        let now = self.path.metadata().expect("the file");
        let seen = |data: &Metadata| (data.ino(), data.uid(), data.gid(), data.mode());
        assert_eq!(seen(&now), seen(&self.before), "{what}");
        let text = std::fs::read_to_string(&self.path).expect("the file");
        assert_eq!(text, SECRET, "{what}");
    }
}

/// A database with a copy; if root runs the tests, owned by another user, in that user's folder.
fn of_the_service() -> (TempDir, PathBuf) {
    let (dir, db) = imported();
    succeeds(&db, "backup copy.db");
    if is_root() {
        for path in [dir.path(), &db] {
            chown(path, Some(SERVICE), Some(SERVICE)).expect("root");
        }
    }
    (dir, db)
}

fn link_to(victim: &Path, planted: &Path) {
    symlink(victim, planted).expect("a link");
    if is_root() {
        lchown(planted, Some(SERVICE), Some(SERVICE)).expect("root");
    }
}

fn second_name_of(victim: &Path, planted: &Path) {
    hard_link(victim, planted).expect("a hard link");
}

/// Commands and the planted file: they name it and do not change its target.
#[test]
fn no_link_is_written_through() {
    let rows = [
        ("rota.db.lock", SERVE),
        ("rota.db.lock", "restore copy.db"),
        ("rota.db.restoring.unfinished", "restore copy.db"),
        ("other.db.unfinished", "backup other.db"),
        ("rota.db-wal", "key list"),
        ("rota.db-wal", SERVE),
        ("rota.db-shm", "key list"),
        ("rota.db-journal", "key list"),
        ("rota.db-wal", "restore copy.db"),
        ("rota.db-shm", "backup other.db"),
    ];
    for plant in [link_to, second_name_of] {
        for (name, line) in rows {
            let (dir, db) = of_the_service();
            let victim = Victim::new();
            // Removes what a previous command left.
            drop(std::fs::remove_file(dir.join(name)));
            plant(&victim.path, &dir.join(name));
            fails_with(run(&mut on(&db, line)), &[name]);
            victim.is_unharmed(&format!("{name}: {line}"));
        }
    }
}

/// A link under the name of a kept or a temporary file is not followed.
#[test]
fn a_link_in_the_place_of_an_old_name_is_not_followed() {
    let (dir, db) = of_the_service();
    let victim = Victim::new();
    link_to(&victim.path, &dir.join("rota.db.restoring"));
    succeeds(&db, "restore copy.db");
    victim.is_unharmed("restoring");
    succeeds(&db, "check");
    // A dangling link occupies its name, too.
    symlink("nowhere", dir.join("taken.db")).expect("a link");
    fails_with(
        run(&mut on(&db, "backup taken.db")),
        &["taken.db", "exists"],
    );
    assert!(!dir.join("nowhere").exists());
}

#[test]
fn a_pipe_in_the_place_of_the_lock_is_told() {
    let (dir, db) = imported();
    drop(std::fs::remove_file(dir.join("rota.db.lock")));
    let made = std::process::Command::new("mkfifo")
        .arg(dir.join("rota.db.lock"))
        .status();
    assert!(made.expect("mkfifo").success());
    fails_with(run(&mut on(&db, SERVE)), &["rota.db.lock"]);
}

/// A user who could not read the file before must not be able to read the copy.
#[test]
fn a_copy_is_never_made_in_somebody_elses_file() {
    let (dir, db) = imported();
    let planted = dir.join("copy.db.unfinished");
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o666);
    let mut held = options.open(&planted).expect("a file");
    if is_root() {
        chown(&planted, Some(SERVICE), Some(SERVICE)).expect("root");
    }
    succeeds(&db, "backup copy.db");
    let mut bytes = Vec::new();
    held.read_to_end(&mut bytes).expect("the planted file");
    assert!(bytes.is_empty(), "{} bytes of the copy", bytes.len());
    let copy = dir.join("copy.db").metadata().expect("the copy");
    let own = std::fs::metadata("/proc/self").expect("a process").uid();
    assert_eq!((copy.mode() & 0o777, copy.uid()), (0o600, own));
    assert!(!planted.exists());
}

/// Files that root creates for the service belong to the service, and existing ones keep their owner.
#[test]
fn root_restores_for_the_service() {
    if !is_root() {
        return;
    }
    let (dir, db) = of_the_service();
    let owner = |name: &str| dir.join(name).metadata().expect(name).uid();
    for _ in 0..2 {
        succeeds(&db, "restore copy.db");
        for name in ["rota.db", "rota.db.lock"] {
            assert_eq!(owner(name), SERVICE, "{name}");
        }
    }
    // Owned by a third user.
    std::fs::remove_file(dir.join("rota.db.lock")).expect("the lock");
    let lock = dir.file("rota.db.lock", "mine");
    chown(&lock, Some(SERVICE + 1), None).expect("root");
    for line in [SERVE, "restore copy.db"] {
        let tried = run(&mut on(&db, line));
        fails_with(tried, &["rota.db.lock", "another user"]);
    }
    assert_eq!(std::fs::read_to_string(&lock).expect("the lock"), "mine");
    assert_eq!(owner("rota.db.lock"), SERVICE + 1);
}

/// The service's user cannot make root replace or create a file elsewhere.
#[test]
fn root_follows_no_link_of_the_service_to_what_is_not_the_services() {
    if !is_root() {
        return;
    }
    let (dir, db) = of_the_service();
    let elsewhere = TempDir::new();
    for (target, exists) in [("victim", true), ("missing", false)] {
        let target = elsewhere.join(target);
        if exists {
            std::fs::write(&target, SECRET).expect("a file");
        }
        std::fs::rename(&db, dir.join("aside.db")).expect("a rename");
        link_to(&target, &db);
        for line in [
            "restore copy.db",
            "key list",
            SERVE,
            "directory import people.json",
        ] {
            fails_with(run(&mut on(&db, line)), &["rota.db", "another user"]);
        }
        match exists {
            true => assert_eq!(std::fs::read_to_string(&target).expect("it"), SECRET),
            false => assert!(!target.exists()),
        }
        let left = std::fs::read_dir(elsewhere.path()).expect("the folder");
        assert_eq!(left.count(), 1);
        std::fs::remove_file(&db).expect("the link");
        std::fs::rename(dir.join("aside.db"), &db).expect("a rename");
    }
    // The service may place its own file anywhere.
    let own = TempDir::new();
    chown(own.path(), Some(SERVICE), Some(SERVICE)).expect("root");
    std::fs::copy(&db, own.join("rota.db")).expect("a copy");
    chown(own.join("rota.db"), Some(SERVICE), Some(SERVICE)).expect("root");
    let link = dir.join("link.db");
    link_to(&own.join("rota.db"), &link);
    succeeds(&link, "check");
    key(&link, "--scope read:oncall");
}

/// Commands on a second name would write a separate log, which the server never reads.
#[test]
fn a_second_name_is_refused_by_every_command() {
    let (dir, db) = imported();
    succeeds(&db, "backup copy.db");
    let server = serve(on(&db, SERVE), "");
    server.anyone().get("/healthz").is(200);
    hard_link(&db, dir.join("second.db")).expect("a second name");
    for line in [
        "key create --name k --scope read:oncall",
        "key list",
        "token create --user U1",
        "directory import people.json",
        "directory export",
        "backup other.db",
        "restore copy.db",
        "check",
        SERVE,
    ] {
        let tried = run(&mut on(&dir.join("second.db"), line));
        assert_eq!(tried.1, "", "{line}");
        fails_with(tried, &["second.db", "hard links"]);
    }
    fails_with(
        run(&mut on(&db, "restore second.db")),
        &["second.db", "this is the database itself"],
    );
    // Instead of another database.
    let tried = run(&mut on(&dir.join("new.db"), "restore second.db"));
    fails_with(tried, &["second.db", "hard links"]);
    for name in ["second.db-wal", "second.db-shm", "second.db.lock", "new.db"] {
        assert!(!dir.join(name).exists(), "{name}");
    }
    std::fs::remove_file(dir.join("second.db")).expect("the second name");
    succeeds(&db, "key list");
    // A copy has no log, and backup programs hard-link unchanged files.
    hard_link(dir.join("copy.db"), dir.join("yesterday.db")).expect("a second name");
    succeeds(&dir.join("yesterday.db"), "check");
    assert_eq!(server.stop().0.code(), Some(0));
    succeeds(&db, "restore yesterday.db");
    assert!(File::open(dir.join("yesterday.db")).is_ok());
}
