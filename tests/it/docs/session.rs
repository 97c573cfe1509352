//! Runs the commands of a page in one shell against a development server, and compares their output with the page. Ids,
//! secrets and ETags may differ, `...` matches anything, and white space is ignored.

use super::pages::{Block, pages};
use crate::support::*;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// The address in the pages.
const SHOWN_ADDRESS: &str = "127.0.0.1:8080";

/// Separates the output of commands; no program prints it.
const MARK: char = '\u{1e}';

struct Step {
    /// Its line in the page.
    line: usize,
    command: String,
    expected: String,
}

/// Runs a page. Skipped if `curl` is missing.
#[track_caller]
pub fn run_page(name: &str) {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&folders).any(|folder| folder.join("curl").is_file()) {
        eprintln!("passed over: curl is not here");
        return;
    }
    let page = pages().into_iter().find(|page| page.name == name);
    let page = page.unwrap_or_else(|| panic!("no page {name}"));
    let mut steps = Vec::new();
    for block in page.blocks() {
        if block.language == "console" && block.not_run.is_none() {
            steps.extend(steps_of(name, &block));
        }
    }
    let dir = TempDir::new();
    let server = Start::default()
        .demo()
        .clock("2026-11-23T08:00:00Z")
        .db(&dir.join("dev.db"))
        .go();
    let printed = run_steps(&dir, &server, &steps);
    let mut wrong = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let (output, code) = printed.get(at).cloned().unwrap_or_default();
        let output = output.replace(server.address(), SHOWN_ADDRESS);
        let fails = step.expected.lines().any(|line| line.starts_with("rota: "));
        if (code == "0") == fails || !matches(&step.expected, &output) {
            wrong.push(format!(
                "{name}:{}: exit code {code}\n$ {}\n--- shown\n{}--- printed\n{output}\n",
                step.line, step.command, step.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The output of each command with its exit code.
fn run_steps(dir: &TempDir, server: &Rota, steps: &[Step]) -> Vec<(String, String)> {
    let mut script = String::from("exec 2>&1\n");
    for step in steps {
        let command = step.command.replace(SHOWN_ADDRESS, server.address());
        script += &format!("{command}\nprintf '\\036%d\\036' $?\n");
    }
    let tools = TempDir::new();
    symlink(BINARY, tools.join("rota")).expect("a link");
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools.path().to_owned()).chain(std::env::split_paths(&folders));
    let mut shell = Command::new("bash");
    shell
        .args(["--noprofile", "--norc"])
        .arg(tools.file("session", script))
        .current_dir(dir.path())
        .env("TZ", "UTC")
        .stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ROTA_")) {
        shell.env_remove(name);
    }
    shell
        .env("PATH", std::env::join_paths(folders).expect("a path"))
        .env("HOME", tools.path())
        .env("LC_ALL", "C")
        .env("no_proxy", "*")
        .env("ROTA_DB", dir.join("dev.db"))
        .env("ROTA_URL", &server.url)
        .env("ROTA_API_KEY", &server.key)
        .env("ROTA_WEB", format!("{}/login?as=UADA", server.url));
    for (user, token) in &server.tokens {
        shell.env(format!("ROTA_TOKEN_{user}"), token);
    }
    let (_, printed, _) = run(&mut shell);
    let parts: Vec<&str> = printed.split(MARK).collect();
    let pairs = parts.chunks_exact(2);
    pairs
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect()
}

#[track_caller]
fn steps_of(name: &str, block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut open = false;
    for (at, text) in block.lines.iter().enumerate() {
        let line = block.line + at;
        match (text.strip_prefix("$ "), steps.last_mut()) {
            (_, Some(step)) if open => {
                step.command.push('\n');
                step.command.push_str(text);
            }
            (Some(command), _) => steps.push(Step {
                line,
                command: command.to_owned(),
                expected: String::new(),
            }),
            (None, Some(step)) => {
                step.expected.push_str(text);
                step.expected.push('\n');
            }
            (None, None) => panic!("{name}:{line}: a command begins with `$ `"),
        }
        open = steps.last().is_some_and(|step| !is_whole(&step.command));
    }
    assert!(!open, "{name}:{}: a command without an end", block.line);
    steps
}

/// Whether a command is complete: no open quote, no continuation, and its here-document has ended.
fn is_whole(command: &str) -> bool {
    let (mut quote, mut chars) = (None, command.chars());
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                let Some(_) = chars.next() else {
                    return false;
                };
            }
            (None, '\'' | '"') => quote = Some(c),
            _ => {}
        }
    }
    let ends = |word: &str| command.lines().skip(1).any(|line| line == word);
    let word = command
        .split_once("<<'")
        .and_then(|(_, rest)| rest.split_once('\''));
    quote.is_none() && word.is_none_or(|(word, _)| ends(word))
}

fn matches(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (comparable(shown), comparable(printed));
    let parts: Vec<&str> = shown.split("...").collect();
    let [first, middle @ .., last] = parts.as_slice() else {
        return shown == printed;
    };
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// A text without white space, with ids, secrets and ETags replaced.
fn comparable(text: &str) -> String {
    const IDS: [&str; 20] = [
        "rot_",
        "lan_",
        "win_",
        "cel_",
        "ros_",
        "whk_",
        "sec_",
        "abs_",
        "arr_",
        "cov_",
        "swp_",
        "key_",
        "tok_",
        "men_",
        "grp_",
        "req_",
        "trd_",
        "svc_key_",
        "svc_mbr_",
        "svc_whsec_",
    ];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_hex = |text: &str| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut alike = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|c| !is_word(c))
            .unwrap_or(rest.len())
            .max(first.len_utf8());
        let (word, after) = rest.split_at(end);
        match IDS.iter().find(|id| word.starts_with(*id)) {
            Some(id) => alike.push_str(id),
            None if is_hex(word) || is_hex(word.strip_prefix(['r', 'w']).unwrap_or_default()) => {
                alike.push('#');
            }
            None => alike.push_str(word),
        }
        rest = after;
    }
    alike.retain(|c| !c.is_whitespace());
    alike
}

#[test]
fn what_differs_is_noticed() {
    for (shown, printed, expected) in [
        ("", "", true),
        ("", "x", false),
        ("a", "", false),
        ("a b\n", "a  b", true),
        ("a...z", "a and z", true),
        ("a...z", "a and", false),
        ("a...b...c", "a b c", true),
        ("a...b...c", "a c b", false),
        ("...", "anything", true),
        ("a...", "b", false),
        ("{\"id\":\"rot_1\"}", "{\"id\":\"rot_2\"}", true),
        ("{\"id\":\"rot_1\"}", "{\"id\":\"win_1\"}", false),
        ("svc_key_...", "svc_key_a_b", true),
        ("svc_key_...", "svc_mbr_a_b", false),
        ("UADA", "ULINUS", false),
        ("2026-11-23", "2026-11-24", false),
    ] {
        assert_eq!(matches(shown, printed), expected, "{shown:?} {printed:?}");
    }
    assert!(matches(&"a1".repeat(16), &"b2".repeat(16)));
    assert!(!matches(&"a1".repeat(16), &"b2".repeat(15)));
}

#[test]
fn commands_end_where_a_shell_ends_them() {
    for (command, whole) in [
        ("echo a", true),
        ("echo a \\", false),
        ("echo 'a", false),
        ("echo 'a\n b'", true),
        ("echo \"a 'b\"", true),
        ("echo \"a\\\"", false),
        ("cat <<'END'", false),
        ("cat <<'END'\nit\nEND", true),
    ] {
        assert_eq!(is_whole(command), whole, "{command:?}");
    }
}
