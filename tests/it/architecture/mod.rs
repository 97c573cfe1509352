//! Checks the floors and invariants described in `src/lib.rs`, and that no modules import each other in a circle.

mod cycles;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Who may import whom; a room may always import itself.
const FLOORS: [(&str, &[&str]); 19] = [
    ("domain", &[]),
    ("fault", &[]),
    ("runtime", &["fault"]),
    ("memory", &["runtime"]),
    ("wire", &["domain"]),
    ("client", &["domain", "runtime"]),
    ("metrics", &["domain"]),
    ("server", &["runtime", "memory", "fault", "wire", "metrics"]),
    ("store", &["domain", "runtime", "fault"]),
    ("chat", &["domain", "store"]),
    (
        "actions",
        &[
            "domain", "runtime", "fault", "wire", "client", "metrics", "store", "chat",
        ],
    ),
    ("problem", &["domain", "wire", "server", "store"]),
    (
        "api",
        &[
            "domain", "runtime", "memory", "wire", "server", "metrics", "store", "actions",
            "problem",
        ],
    ),
    (
        "dev",
        &[
            "domain", "wire", "server", "metrics", "store", "chat", "actions", "problem",
        ],
    ),
    (
        "timer",
        &["domain", "runtime", "fault", "wire", "store", "actions"],
    ),
    (
        "delivery",
        &["domain", "runtime", "fault", "client", "store", "actions"],
    ),
    (
        "config",
        &[
            "domain", "runtime", "wire", "server", "store", "chat", "actions", "api", "dev",
            "timer", "delivery", "client",
        ],
    ),
    (
        "cli",
        &[
            "domain", "runtime", "memory", "wire", "server", "store", "chat", "actions", "api",
            "dev", "timer", "delivery", "client", "config",
        ],
    ),
    ("main", &["cli"]),
];

struct Source {
    /// The top module that the file belongs to.
    room: String,
    path: PathBuf,
    /// Without what only tests compile.
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

/// Every place where one of the patterns stands outside the rooms that may have it.
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

/// Actions return results, and the edges render them. What actions take from `wire` is not JSON of the API: validators, the
/// frozen bodies of events and the signatures over them.
#[test]
fn actions_render_nothing() {
    let taken = [
        "wire::etag",
        "wire::event",
        "wire::signature",
        "wire::{event, signature}",
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

/// The files of a room that a file names in its imports, by `super` or by the room.
fn imported(source: &Source, files: &BTreeSet<String>) -> BTreeSet<String> {
    let lines = code_lines(source).map(|(_, line)| line);
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for start in ["super::".to_owned(), format!("crate::{}::", source.room)] {
        for (at, _) in code.match_indices(&start) {
            let rest = &code[at + start.len()..];
            let bundle = rest.strip_prefix('{').map(|inside| {
                let mut depth = 1;
                let end = inside.find(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth == 0
                });
                &inside[..end.unwrap_or(inside.len())]
            });
            let mut depth = 0;
            let split = |c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && depth == 0
            };
            let parts: Vec<&str> = match bundle {
                Some(bundle) => bundle.split(split).collect(),
                None => vec![rest],
            };
            for part in parts {
                let name = part.trim_start().chars();
                let name: String = name
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if files.contains(&name) {
                    found.insert(name);
                }
            }
        }
    }
    found
}

/// No file of the actions imports one that imports it, however long the way round.
#[test]
fn actions_do_not_import_in_a_circle() {
    let sources = sources();
    let own = |source: &&Source| source.room == "actions" && source.path.components().count() == 2;
    let name = |source: &Source| {
        let stem = source.path.file_stem().expect("a name");
        stem.to_string_lossy().into_owned()
    };
    let own: Vec<&Source> = sources
        .iter()
        .filter(own)
        .filter(|source| name(source) != "mod")
        .collect();
    let files: BTreeSet<String> = own.iter().map(|source| name(source)).collect();
    let mut left: Vec<(String, BTreeSet<String>)> = own
        .iter()
        .map(|source| (name(source), imported(source, &files)))
        .collect();
    assert!(left.iter().any(|(_, imports)| imports.contains("draft")));
    // Whatever imports nothing that is left cannot be part of a circle.
    loop {
        let names: BTreeSet<String> = left.iter().map(|(name, _)| name.clone()).collect();
        let before = left.len();
        left.retain(|(_, imports)| !imports.is_disjoint(&names));
        if left.len() == before {
            break;
        }
    }
    assert_eq!(left, []);
}

/// The table here, the one that `src/lib.rs` tells and the tree have the same rooms.
#[test]
fn every_room_has_a_floor() {
    let known: BTreeSet<String> = FLOORS.iter().map(|(room, _)| room.to_string()).collect();
    let rooms: BTreeSet<String> = sources().into_iter().map(|source| source.room).collect();
    assert_eq!(rooms, known);
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let lib = fs::read_to_string(lib).expect("src/lib.rs");
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | "));
    let rows = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_digit()));
    let told = rows.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split(','));
    let told = told.map(|room| room.trim().trim_matches(['[', ']', '`']).to_string());
    assert_eq!(told.collect::<BTreeSet<String>>(), known);
}

/// Imports are told room by room, so that the test above sees each of them.
#[test]
fn imports_are_not_bundled() {
    assert_eq!(
        places(&["crate::{", "crate::*"], |_| false),
        Vec::<String>::new()
    );
}

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

/// Every other way out would miss its limits and, in a transaction, its panic.
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
fn the_domain_knows_no_serde() {
    assert_eq!(
        places(&["serde", "rusqlite", "rouille"], |source| source.room
            != "domain"),
        Vec::<String>::new()
    );
}

/// So that it can be replaced in one place.
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

#[test]
fn writes_begin_in_the_actions() {
    let begun = ["store().write", "store.write"];
    let may = |source: &Source| ["actions", "store"].contains(&source.room.as_str());
    assert_eq!(places(&begun, may), Vec::<String>::new());
}
