//! Copies in a folder: named after their time, checked, the newest kept, and told of by status and metric.

use crate::cli::{fails_with, on, succeeds};
use crate::support::*;
use serde_json::Value;

#[test]
fn the_newest_copies_are_kept_and_told_of() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).clock("2026-01-05T08:00Z").go();
    rota.people(2);
    let last = "rota_backup_last_timestamp_seconds";
    assert_eq!(rota.metrics().value(last), None);
    assert!(succeeds(&db, "status").contains("backup      none"));
    let names = || {
        let entries = std::fs::read_dir(dir.join("copies")).expect("the folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a file").file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    for _ in 0..3 {
        succeeds(&db, "backup --into copies --keep 2");
        rota.advance(DAY);
    }
    let kept = [
        "rota-2026-01-06T08-00-00Z.db",
        "rota-2026-01-07T08-00-00Z.db",
    ];
    assert_eq!(names(), kept);
    succeeds(&dir.join(&format!("copies/{}", kept[1])), "check");
    // What a killed copy left goes; other files stay, whatever they are called.
    dir.file("copies/rota-2026-01-01T08-00-00Z.db.unfinished", "half");
    for other in ["rota-notes.db", "other.db.unfinished", "rota-2025.db"] {
        dir.file(&format!("copies/{other}"), "own");
    }
    succeeds(&db, "backup --into copies --keep 1");
    let kept = [
        "other.db.unfinished",
        "rota-2025.db",
        "rota-2026-01-08T08-00-00Z.db",
        "rota-notes.db",
    ];
    assert_eq!(names(), kept);
    let seconds = at("2026-01-08T08:00Z").as_second() as f64;
    assert_eq!(rota.metrics().value(last), Some(seconds));
    let status: Value = serde_json::from_str(&succeeds(&db, "status --json")).expect("JSON");
    let made = &status["work"]["lastBackup"];
    assert_eq!(made["at"], "2026-01-08T08:00:00Z");
    assert_eq!(made["file"], "copies/rota-2026-01-08T08-00-00Z.db");
    let size = std::fs::metadata(dir.join("copies/rota-2026-01-08T08-00-00Z.db"))
        .expect("it")
        .len();
    assert_eq!(made["bytes"], size);
    // Within one second there is one already; nothing is overwritten.
    fails_with(
        run(&mut on(&db, "backup --into copies")),
        &["exists already"],
    );
    for (line, words) in [
        ("backup", "--into"),
        ("backup one.db --into copies", "cannot be used with"),
        ("backup --into copies --keep 0", "--keep"),
        ("backup one.db --keep 2", "--into"),
        ("backup --into rota.db", "rota.db"),
    ] {
        fails_with(run(&mut on(&db, line)), &[words]);
    }
}
