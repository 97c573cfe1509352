//! Checks the floors and invariants described in `src/lib.rs`, and that imports have no cycles.

mod cycles;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The permitted imports. A module may always import itself.
const FLOORS: [(&str, &[&str]); 35] = [
    ("domain", &[]),
    ("failpoint", &[]),
    ("runtime", &["failpoint"]),
    ("memory", &["runtime"]),
    ("wire", &["domain"]),
    ("client", &["domain", "runtime"]),
    ("metrics", &["domain"]),
    (
        "server",
        &[
            "domain",
            "runtime",
            "memory",
            "failpoint",
            "wire",
            "metrics",
        ],
    ),
    ("store", &["domain", "wire", "runtime", "failpoint"]),
    ("chat", &["domain", "runtime", "client", "metrics", "store"]),
    ("oidc", &["domain", "runtime", "client"]),
    ("relays", &["domain", "runtime", "client"]),
    ("sources", &["domain", "runtime", "client"]),
    (
        "actions",
        &[
            "domain",
            "runtime",
            "failpoint",
            "wire",
            "client",
            "metrics",
            "store",
            "chat",
            "relays",
            "sources",
        ],
    ),
    ("problem", &["domain", "wire", "server", "store"]),
    (
        "admission",
        &["domain", "runtime", "server", "store", "actions", "problem"],
    ),
    (
        "api",
        &[
            "domain",
            "runtime",
            "memory",
            "wire",
            "server",
            "metrics",
            "store",
            "actions",
            "problem",
            "admission",
        ],
    ),
    (
        "mcp",
        &[
            "domain",
            "wire",
            "server",
            "metrics",
            "store",
            "actions",
            "problem",
            "admission",
        ],
    ),
    (
        "scim",
        &[
            "domain",
            "runtime",
            "wire",
            "server",
            "metrics",
            "actions",
            "problem",
            "admission",
        ],
    ),
    (
        "web",
        &[
            "domain", "runtime", "wire", "server", "metrics", "store", "oidc", "actions", "problem",
        ],
    ),
    (
        "dev",
        &[
            "domain", "runtime", "wire", "server", "metrics", "store", "chat", "actions", "problem",
        ],
    ),
    (
        "timer",
        &["domain", "runtime", "failpoint", "wire", "store", "actions"],
    ),
    ("chat_watch", &["domain", "runtime", "chat", "actions"]),
    ("warning_watch", &["domain", "runtime", "actions"]),
    ("first_run", &["runtime", "actions"]),
    ("notices", &["runtime", "memory", "actions"]),
    (
        "storage_watch",
        &["runtime", "failpoint", "store", "actions"],
    ),
    (
        "delivery",
        &[
            "domain",
            "runtime",
            "failpoint",
            "client",
            "store",
            "actions",
        ],
    ),
    ("sync", &["domain", "runtime", "store", "actions"]),
    (
        "talk",
        &["domain", "wire", "server", "store", "actions", "problem"],
    ),
    (
        "matrix_inbound",
        &[
            "domain", "runtime", "wire", "client", "chat", "actions", "talk",
        ],
    ),
    (
        "slack_inbound",
        &[
            "domain",
            "runtime",
            "failpoint",
            "wire",
            "client",
            "server",
            "metrics",
            "store",
            "chat",
            "actions",
            "problem",
            "talk",
        ],
    ),
    (
        "config",
        &[
            "domain",
            "runtime",
            "wire",
            "server",
            "store",
            "chat",
            "relays",
            "actions",
            "admission",
            "api",
            "mcp",
            "scim",
            "web",
            "dev",
            "slack_inbound",
            "matrix_inbound",
            "timer",
            "delivery",
            "chat_watch",
            "warning_watch",
            "storage_watch",
            "first_run",
            "notices",
            "sync",
            "client",
            "oidc",
            "sources",
        ],
    ),
    (
        "cli",
        &[
            "domain",
            "runtime",
            "memory",
            "wire",
            "server",
            "metrics",
            "store",
            "chat",
            "relays",
            "actions",
            "admission",
            "api",
            "mcp",
            "scim",
            "web",
            "dev",
            "slack_inbound",
            "matrix_inbound",
            "timer",
            "delivery",
            "chat_watch",
            "warning_watch",
            "storage_watch",
            "first_run",
            "notices",
            "sync",
            "client",
            "oidc",
            "sources",
            "config",
        ],
    ),
    ("main", &["cli"]),
];

struct Source {
    /// The top-level module of the file.
    room: String,
    path: PathBuf,
    /// Without code that only tests compile.
    text: String,
}

fn sources() -> Vec<Source> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![src.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a source folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .expect("a name")
                .to_string();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if name.ends_with(".rs")
                && !["tests.rs", "lib.rs", "plans.rs"].contains(&name.as_str())
            {
                let whole = fs::read_to_string(&path).expect("a source file");
                let text = whole
                    .split("\n#[cfg(test)]\nmod tests {")
                    .next()
                    .unwrap_or_default()
                    .to_string();
                let inner = path.strip_prefix(&src).expect("below src").to_path_buf();
                let room = inner
                    .components()
                    .next()
                    .expect("a part")
                    .as_os_str()
                    .to_string_lossy()
                    .into_owned();
                found.push(Source {
                    room: room.trim_end_matches(".rs").to_string(),
                    path: inner,
                    text,
                });
            }
        }
    }
    assert!(found.len() > 50, "the source was not found");
    found
}

fn code_lines(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let lines = source
        .text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The lines that match one of the patterns outside the modules that are allowed to.
fn places(patterns: &[&str], allowed: impl Fn(&Source) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !allowed(source)) {
        for (at, line) in code_lines(source) {
            if patterns.iter().any(|pattern| line.contains(pattern)) {
                found.push(format!("{}:{at}: {}", source.path.display(), line.trim()));
            }
        }
    }
    found
}

#[test]
fn imports_go_downward() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some((_, below)) = FLOORS.iter().find(|(room, _)| *room == source.room) else {
            panic!("{}: no floor is known for this room", source.path.display());
        };
        for (at, line) in code_lines(&source) {
            for part in line.split("crate::").skip(1) {
                let name: String = part
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let is_room = FLOORS.iter().any(|(room, _)| *room == name);
                if is_room && name != source.room && !below.contains(&name.as_str()) {
                    wrong.push(format!(
                        "{}:{at}: {} may not import {name}",
                        source.path.display(),
                        source.room
                    ));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Actions return results, and the edges render them. Actions use only the ETags, the frozen bodies of events and their
/// signatures of `wire`, and read and write calendars with it.
#[test]
fn actions_render_nothing() {
    let taken = [
        "wire::etag",
        "wire::event",
        "wire::signature",
        "wire::{event, signature}",
        "wire::ical::reader",
        "wire::turn_invitation",
    ];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.room == "actions") {
        for (at, line) in code_lines(source) {
            let other = line.match_indices("crate::wire").any(|(found, _)| {
                !taken
                    .iter()
                    .any(|part| line[found..].starts_with(&format!("crate::{part}")))
            });
            if other || line.contains("serde") {
                wrong.push(format!("{}:{at}: {}", source.path.display(), line.trim()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The table here, the one in `src/lib.rs` and the tree have the same modules.
#[test]
fn every_room_has_a_floor() {
    let known: BTreeSet<String> = FLOORS.iter().map(|(room, _)| room.to_string()).collect();
    let rooms: BTreeSet<String> = sources().into_iter().map(|source| source.room).collect();
    assert_eq!(rooms, known);
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let lib = fs::read_to_string(lib).expect("src/lib.rs");
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | "));
    let rows = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_digit()));
    let response = rows.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split(','));
    let response = response.map(|room| room.trim().trim_matches(['[', ']', '`']).to_string());
    assert_eq!(response.collect::<BTreeSet<String>>(), known);
}

/// Each import names one module, so that the test above finds it.
#[test]
fn imports_are_not_bundled() {
    assert_eq!(
        places(&["crate::{", "crate::*"], |_| false),
        Vec::<String>::new()
    );
}

/// rules.md 1.1.
#[test]
fn only_the_clock_reads_the_clock() {
    let readings = [
        "Timestamp::now(",
        "SystemTime::now",
        "Instant::now(",
        "Zoned::now(",
    ];
    assert_eq!(
        places(&readings, |source| source
            .path
            .ends_with("runtime/clock.rs")),
        Vec::<String>::new()
    );
}

/// Other connections would bypass its limits and its check for transactions.
#[test]
fn only_the_client_connects() {
    assert_eq!(
        places(&["TcpStream::connect", "ureq::", "rustls::"], |source| {
            source.room == "client"
        }),
        Vec::<String>::new()
    );
}

#[test]
fn sql_is_in_the_store_alone() {
    let sql = [
        "\"SELECT ",
        "\"INSERT INTO",
        "\"UPDATE ",
        "\"DELETE FROM",
        "\"PRAGMA ",
        "rusqlite::",
    ];
    assert_eq!(
        places(&sql, |source| source.room == "store"),
        Vec::<String>::new()
    );
}

#[test]
fn the_domain_knows_no_documents() {
    assert_eq!(
        places(&["serde_json", "rusqlite", "rouille"], |source| source.room
            != "domain"),
        Vec::<String>::new()
    );
}

/// So that it can be replaced in one file.
#[test]
fn one_file_knows_rouille() {
    let own = Path::new("server/exchange.rs");
    assert_eq!(
        places(&["rouille"], |source| source.path == own),
        Vec::<String>::new()
    );
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(own);
    let lines = fs::read_to_string(own).expect("the file").lines().count();
    assert!(lines <= 150, "{lines} lines");
}

/// Where a write begins that leaves no audit entry by itself: what is due, and what only the program knows of. Every other one is
/// a mutation or goes through `actions::audit`.
const WITHOUT_AN_ENTRY: [(&str, &str); 30] = [
    ("audit.rs", "writes the entry"),
    ("backup.rs", "when the file was copied last"),
    ("mutation.rs", "a draft writes the entry"),
    (
        "due.rs",
        "hand-overs are in the record; a draft writes the rest",
    ),
    ("mentions.rs", "mentions that expire"),
    ("reminders.rs", "messages"),
    ("retention.rs", "purges"),
    ("tier.rs", "drafts and endpoints write the entries"),
    (
        "calendar_feeds",
        "what readings found; the addresses are written with entries",
    ),
    (
        "told_plan.rs",
        "notices; whoever sends them by hand gets an entry",
    ),
    ("told_plan", "told plans that are carried on"),
    ("dev_clock.rs", "where the development clock stands"),
    (
        "sending.rs",
        "deliveries; an endpoint that is disabled writes its entry",
    ),
    (
        "partners",
        "failed readings; a draft writes the entries of rotations that follow",
    ),
    ("agenda.rs", "messages, and when more are due"),
    ("relays", "mail and incoming webhooks"),
    ("chat_ids.rs", "who was asked for; it writes the entry"),
    (
        "chat_envelopes.rs",
        "what Slack and Matrix sent; what it asks for writes its entries",
    ),
    (
        "matrix_talk.rs",
        "what waits for a confirmation; what it asks for writes its entries",
    ),
    (
        "directory_sync",
        "what chat says of its directory; it and drafts write the entries",
    ),
    ("slack_home.rs", "what home tabs of Slack show"),
    ("chat_sync.rs", "chat"),
    (
        "chat_sync",
        "chat; a draft writes the entries of rotations that follow",
    ),
    (
        "sessions.rs",
        "signing in writes its entry; uses, ends and choices of the pages have none",
    ),
    (
        "first_run.rs",
        "what the server prints by itself; the first admin has an entry of their own",
    ),
    (
        "sign_ups.rs",
        "somebody new has their entry; whoever was added meanwhile has none",
    ),
    (
        "provisioning",
        "rotations that follow later have entries of their drafts",
    ),
    (
        "people.rs",
        "that a new workspace shows no more what it lacks",
    ),
    ("mod.rs", "locks the limits of the tier"),
    ("workspace.rs", "whose workspace it is"),
];

#[test]
fn every_write_of_somebody_leaves_an_entry() {
    let begun = [".write(", ".write_log("];
    let may = |source: &Source| {
        let known =
            |(name, _): &(&str, &str)| source.path.iter().nth(1).is_some_and(|n| n == *name);
        source.room != "actions" || WITHOUT_AN_ENTRY.iter().any(known)
    };
    assert_eq!(places(&begun, may), Vec::<String>::new());
}

#[test]
fn writes_begin_in_the_actions() {
    let begun = ["store().write", "store.write"];
    let may = |source: &Source| ["actions", "store"].contains(&source.room.as_str());
    assert_eq!(places(&begun, may), Vec::<String>::new());
}
