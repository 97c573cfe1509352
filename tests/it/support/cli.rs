//! Runs commands of `rota` in the folder of their database.

use super::{TempDir, directory, rota, run};
use std::path::Path;
use std::process::Command;

/// A command on a database; arguments are separated by spaces.
pub fn on(db: &Path, line: &str) -> Command {
    let mut command = rota(db.parent().unwrap());
    command.args(line.split_whitespace()).arg("--db").arg(db);
    command
}

#[track_caller]
pub fn succeeds(db: &Path, line: &str) -> String {
    let (code, output, errors) = run(&mut on(db, line));
    assert_eq!(code, 0, "rota {line}: {output}{errors}");
    output
}

/// A failure with these words on standard error and without a panic.
#[track_caller]
pub fn fails_with((code, output, errors): (i32, String, String), words: &[&str]) {
    assert!([1, 2].contains(&code), "exit code {code}: {output}{errors}");
    for word in words {
        assert!(errors.contains(word), "{word:?} is not response: {errors}");
    }
    assert!(
        !errors.contains("panicked") && !errors.contains("RUST_BACKTRACE"),
        "{errors}"
    );
}

/// A directory with a database that an import created.
pub fn imported() -> (TempDir, std::path::PathBuf) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    dir.file("people.json", directory(3).to_string());
    succeeds(&db, "directory import people.json");
    (dir, db)
}

pub fn key(db: &Path, line: &str) -> String {
    let output = succeeds(db, &format!("key create --name cli {line}"));
    let keys: Vec<&str> = output
        .lines()
        .filter(|line| line.starts_with("svc_key_"))
        .collect();
    assert_eq!(keys.len(), 1, "alone on its line: {output}");
    keys[0].to_owned()
}
