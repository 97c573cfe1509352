//! Completions and manual pages name what the command line has.

use crate::support::*;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

fn printed(line: &str) -> String {
    let dir = TempDir::new();
    let (code, output, errors) = run(rota(dir.path()).args(line.split(' ')));
    assert_eq!((code, errors.as_str()), (0, ""), "rota {line}");
    output
}

/// The commands that the help of one lists.
fn commands(line: &str) -> BTreeSet<String> {
    let help = printed(line);
    let (_, list) = help.split_once("Commands:\n").expect("commands");
    let rows = list.lines().take_while(|line| !line.is_empty());
    let names = rows.filter_map(|row| row.strip_prefix("  ")?.split(' ').next());
    names
        .filter(|name| !name.is_empty() && *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_shell_knows_every_command() {
    let known = commands("--help");
    assert!(known.contains("completions") && !known.contains("manual"));
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&format!("completions {shell}"));
        for name in &known {
            assert!(script.contains(name.as_str()), "{shell}: {name}");
        }
        assert!(!script.contains("manual"), "{shell}");
    }
}

/// The script is run: the words that bash offers after those before the cursor.
#[test]
fn bash_completes_commands_and_flags() {
    let dir = TempDir::new();
    dir.file("rota.bash", printed("completions bash"));
    for (words, offered) in [
        ("rota ke", vec!["key"]),
        ("rota key ro", vec!["rotate"]),
        ("rota serve --lis", vec!["--listen"]),
        ("rota man", vec![]),
    ] {
        let last = words.rsplit(' ').next().unwrap_or_default();
        let script = format!(
            "source ./rota.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _rota rota {last} ''; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-c", &script]);
        let (code, output, errors) = run(bash.current_dir(dir.path()));
        assert_eq!((code, errors.as_str()), (0, ""), "{words}");
        let found: Vec<&str> = output.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(found, offered, "{words}");
    }
}

#[test]
fn a_shell_that_is_not_known_is_refused_with_those_that_are() {
    let dir = TempDir::new();
    let (code, _, errors) = run(rota(dir.path()).args(["completions", "powershell"]));
    assert_eq!(code, 2);
    assert!(errors.contains("bash, zsh, fish"), "{errors}");
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = TempDir::new();
    let (code, output, errors) = run(rota(dir.path()).args(["manual", "pages/man1"]));
    assert_eq!((code, output + &errors), (0, String::new()));
    let mut expected = BTreeSet::from(["rota.1".to_owned()]);
    for name in commands("--help") {
        expected.insert(format!("rota-{name}.1"));
        let with_inner = [
            "key",
            "token",
            "login",
            "directory",
            "mail",
            "chat",
            "slack",
            "matrix",
        ];
        if with_inner.contains(&name.as_str()) {
            let inner = commands(&format!("{name} --help"));
            expected.extend(inner.iter().map(|inner| format!("rota-{name}-{inner}.1")));
        }
    }
    let entries = fs::read_dir(dir.join("pages/man1")).expect("the pages");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let written: BTreeSet<String> = names
        .map(|name| name.into_string().expect("text"))
        .collect();
    assert_eq!(written, expected);
    let page = fs::read_to_string(dir.join("pages/man1/rota-key-create.1")).expect("a page");
    for words in [
        ".SH NAME\nrota\\-key\\-create \\-",
        "rota key create",
        "\\-\\-scope",
        "read:oncall",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
