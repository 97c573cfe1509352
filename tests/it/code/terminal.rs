//! Questions, colour and progress, which only a terminal has.

use super::{Shell, weekly_file};
use crate::support::*;
use std::fs::File;
use std::process::Command;

/// A command on a terminal at which these lines are typed: its exit code and what is seen. `None` if `script` is missing.
fn on_a_terminal(
    shell: &Shell,
    line: &str,
    typed: &str,
    more: &[(&str, &str)],
) -> Option<(i32, String)> {
    let version = Command::new("script").arg("--version").output().ok()?;
    // Only the version of util-linux has these flags.
    if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
        return None;
    }
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &format!("'{BINARY}' {line}"), "/dev/null"]);
    script
        .current_dir(shell.dir.path())
        .env("ROTA_URL", &shell.url)
        .env("ROTA_API_KEY", &shell.key)
        .env_remove("NO_COLOR")
        .envs(more.iter().copied());
    let answers = File::open(shell.dir.file("typed", typed)).expect("the answers");
    let (code, output, errors) = run(script.stdin(answers));
    Some((code, output + &errors))
}

const COLOUR: &str = "\u{1b}[3";

#[test]
fn apply_asks_and_yes_is_y_or_yes() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    shell.file(&weekly_file("DB", "U1 U2", ""));
    for (typed, code) in [("no\n", 1), ("\n", 1), ("yess\n", 1), ("y\n", 0)] {
        let Some((found, seen)) = on_a_terminal(&shell, "apply team.toml", typed, &[]) else {
            return;
        };
        assert_eq!(found, code, "{typed}: {seen}");
        assert!(seen.contains("Apply these changes? [y/N]"), "{seen}");
        let there = rota.get("/v1/rotations").is(200).json()["totalItems"].clone();
        assert_eq!(there, i32::from(code == 0), "{typed}");
        assert_eq!(seen.contains("nothing was written"), code == 1, "{seen}");
    }
    // Where nothing is to be done nothing is asked.
    let (code, seen) = on_a_terminal(&shell, "apply team.toml", "", &[]).expect("a terminal");
    assert!(code == 0 && !seen.contains("[y/N]"), "{seen}");
}

#[test]
fn each_deletion_is_asked_for() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    let files = ["AA", "BB"]
        .map(|code| weekly_file(code, "U1 U2", ""))
        .concat();
    shell.file(&format!("managed_by = \"team\"\n{files}"));
    shell.apply("");
    shell.file("managed_by = \"team\"\n");
    let there = || rota.get("/v1/rotations").is(200).json()["totalItems"].clone();
    let Some((code, seen)) = on_a_terminal(&shell, "apply team.toml --prune", "y\nn\n", &[]) else {
        return;
    };
    assert!(
        code == 1 && seen.contains("Delete AA Rotation AA?") && seen.contains("Delete BB"),
        "{seen}"
    );
    assert_eq!(there(), 2, "nothing is deleted after a no");
    let (code, seen) =
        on_a_terminal(&shell, "apply team.toml --prune", "y\nYES\n", &[]).expect("a terminal");
    assert_eq!(code, 0, "{seen}");
    assert_eq!(there(), 0);
}

#[test]
fn a_terminal_has_colour_and_progress_unless_told() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    let files: String = (0..6)
        .map(|at| weekly_file(&format!("R{at}"), "U1 U2", ""))
        .collect();
    shell.file(&files);
    let Some((code, seen)) = on_a_terminal(&shell, "plan team.toml", "", &[]) else {
        return;
    };
    assert_eq!(code, 2, "{seen}");
    assert!(
        seen.contains(COLOUR) && seen.contains("planning 6 of 6") && seen.contains("\r\u{1b}[K"),
        "{seen}"
    );
    let (_, plain) =
        on_a_terminal(&shell, "plan team.toml", "", &[("NO_COLOR", "1")]).expect("a terminal");
    assert!(!plain.contains(COLOUR), "{plain}");
}
