//! The progress of commands that copy and check, which is shown only on a terminal.

use crate::cli::{imported, on};
use crate::support::*;
use std::path::Path;
use std::process::Command;

/// The output of a command on a terminal. `None` if `script` is missing.
fn on_a_terminal(dir: &TempDir, db: &Path, line: &str) -> Option<String> {
    let command = format!("'{BINARY}' {line} --db '{}'", db.display());
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &command, "/dev/null"]);
    script.current_dir(dir.path()).env_remove("ROTA_DB");
    // Only the version of util-linux has these flags.
    let version = Command::new("script").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
        return None;
    }
    let (code, output, errors) = run(script.stdin(std::process::Stdio::null()));
    assert_eq!(code, 0, "{line}: {output}{errors}");
    Some(output)
}

const CLEARED: &str = "\r\x1b[K";

#[test]
fn a_terminal_is_shown_how_far_it_is_and_is_left_clean() {
    let (dir, db) = imported();
    for (line, shown, response) in [
        ("backup copy.db", &["copying: "][..], "copied "),
        (
            "restore copy.db",
            &["checking ...", "copying: "],
            "restored ",
        ),
        ("check", &["checking ..."], "nothing is wrong"),
    ] {
        let Some(output) = on_a_terminal(&dir, &db, line) else {
            return;
        };
        for step in shown {
            let (_, rest) = output
                .split_once(step)
                .unwrap_or_else(|| panic!("{line}: no {step:?} in {output:?}"));
            let (_, rest) = rest.split_once(CLEARED).expect("it is cleared");
            assert!(rest.contains(response), "{line}: {output:?}");
        }
        if shown.contains(&"copying: ") {
            assert!(
                output.contains(" MB (") && output.contains(" %)"),
                "{output:?}"
            );
        }
    }
}

#[test]
fn nothing_of_it_is_written_elsewhere() {
    let (_dir, db) = imported();
    for line in ["backup copy.db", "restore copy.db", "check"] {
        let (code, output, errors) = run(&mut on(&db, line));
        assert_eq!(code, 0, "{errors}");
        for text in [&output, &errors] {
            assert!(!text.contains(['\r', '\x1b']), "{line}: {text:?}");
        }
    }
}
