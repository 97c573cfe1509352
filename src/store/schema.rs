//! Compares the schema of a file with that of its version, by the text of its entries. The reference is a new database.
//!
//! No code of the file is run and no row is read, so a malicious file is refused as quickly as any other.

use super::paths::named;
use super::version::{FileIdentity, VERSION, build};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The compared length of an entry's text, in bytes. Rota's own texts are shorter.
const TEXT: i64 = 65_536;

/// The largest number of differences that are listed.
const NAMED: usize = 50;

/// Tables that Litestream creates, and SQLite's internal ones.
const NOT_OURS: [&str; 5] = [
    "_litestream_seq",
    "_litestream_lock",
    "sqlite_sequence",
    "sqlite_stat1",
    "sqlite_stat4",
];

/// How a schema differs from that of its version.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Rota does not work with these, or they would run foreign code.
    pub wrong: Vec<String>,
    /// These do not affect rota.
    pub harmless: Vec<String>,
}

impl Differences {
    /// Refuses a database that rota does not work with. The error names the first difference.
    pub(super) fn refuse(&self, path: &Path) -> Result<(), String> {
        let Some(first) = self.wrong.first() else {
            return Ok(());
        };
        let more = match self.wrong.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Err(named(
            path,
            format!(
                "the schema is not rota's: {first}{more}; `rota check` lists the differences, `rota restore` puts a backup \
                 in its place"
            ),
        ))
    }
}

/// An entry of `sqlite_schema`.
#[derive(PartialEq)]
struct Entry {
    table: String,
    /// Empty if SQLite created the entry implicitly.
    sql: String,
}

impl Entry {
    fn is_same(&self, other: &Entry) -> bool {
        // Most texts are identical, which is quick to check.
        self == other || (self.table == other.table && words(&self.sql) == words(&other.sql))
    }
}

/// Entries by type and name, tables first.
type Schema = BTreeMap<(u8, String), Entry>;

const TYPES: [&str; 5] = ["table", "index", "trigger", "view", "entry"];

/// As [`compare`], but any difference is an error.
pub(super) fn refuse_other(
    conn: &Connection,
    found: &FileIdentity,
    path: &Path,
) -> Result<(), String> {
    compare(conn, found, path)?.refuse(path)
}

/// Compares the schema of a database with that of its version. The error names the path.
pub(super) fn compare(
    conn: &Connection,
    found: &FileIdentity,
    path: &Path,
) -> Result<Differences, String> {
    let failed = |error: rusqlite::Error| named(path, error);
    let version = match found.is_empty {
        true => None,
        false if (1..=VERSION).contains(&found.version) => Some(found.version),
        false => {
            return Ok(Differences {
                wrong: vec![format!("schema version {} is unknown", found.version)],
                ..Differences::default()
            });
        }
    };
    let expected = expected(version).map_err(failed)?;
    let actual = read(conn).map_err(failed)?;
    let mut differences = Differences::default();
    // Entries of a table that is missing or differs are not listed again.
    let mut listed = BTreeSet::new();
    for (key, entry) in expected.iter() {
        let (kind, name) = (TYPES[usize::from(key.0)], &key.1);
        match actual.get(key) {
            Some(other) if other.is_same(entry) => {}
            _ if listed.contains(&entry.table) => {}
            None => {
                listed.insert(name.clone());
                differences.wrong.push(format!("{kind} {name} is missing"));
            }
            Some(other) => {
                listed.insert(name.clone());
                let columns = match is_plain_table(other) {
                    true => columns(version, conn, name).map_err(failed)?,
                    false => Vec::new(),
                };
                match columns.is_empty() {
                    true => (differences.wrong)
                        .push(format!("{kind} {name} is not defined as rota defines it")),
                    false => differences.wrong.extend(columns),
                }
            }
        }
    }
    for (key, entry) in &actual {
        if expected.contains_key(key) || is_of_another(key, entry) {
            continue;
        }
        let (kind, name) = (TYPES[usize::from(key.0)], printable(&key.1));
        let of = match key.0 {
            1 | 2 => format!(" on {}", printable(&entry.table)),
            _ => String::new(),
        };
        match kind == "index" && is_harmless_index(&words(&entry.sql)) {
            true => (differences.harmless).push(format!("{kind} {name}{of} is not rota's")),
            false => (differences.wrong).push(format!("{kind} {name}{of} is not rota's")),
        }
    }
    let unnamed = differences.wrong.len().saturating_sub(NAMED);
    if unnamed > 0 {
        differences.wrong.truncate(NAMED);
        differences.wrong.push(format!(
            "{unnamed} more entries of the schema are not rota's"
        ));
    }
    Ok(differences)
}

/// An empty database of a version; without one it has no tables.
fn reference(version: Option<i64>) -> rusqlite::Result<Connection> {
    let conn = Connection::open_in_memory()?;
    if let Some(version) = version {
        let tx = conn.unchecked_transaction()?;
        build(&tx, version)?;
        tx.commit()?;
    }
    Ok(conn)
}

/// The schema of a version. Cached for the current one, which a start needs repeatedly and takes milliseconds.
fn expected(version: Option<i64>) -> rusqlite::Result<Arc<Schema>> {
    static PRESENT: OnceLock<Arc<Schema>> = OnceLock::new();
    let make = || {
        reference(version)
            .and_then(|conn| read(&conn))
            .map(Arc::new)
    };
    if version != Some(VERSION) {
        return make();
    }
    match PRESENT.get() {
        Some(present) => Ok(Arc::clone(present)),
        None => make().map(|made| Arc::clone(PRESENT.get_or_init(|| made))),
    }
}

fn read(conn: &Connection) -> rusqlite::Result<Schema> {
    let sql = "SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), substr(CAST(sql AS TEXT), 1, ?1) || iif(length(CAST(sql AS TEXT)) > ?1, ' ...', '')
               FROM sqlite_schema";
    let mut query = conn.prepare(sql)?;
    let rows = query.query_map([TEXT], |row| {
        let kind: String = row.get(0)?;
        let known = TYPES.iter().take(4).position(|known| *known == kind);
        let entry = Entry {
            table: row.get::<_, String>(2)?.to_lowercase(),
            sql: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        };
        let name = row.get::<_, String>(1)?.to_lowercase();
        Ok(((known.unwrap_or(4) as u8, name), entry))
    })?;
    rows.collect()
}

/// The tokens of an entry without comments, spaces and redundant quotes: the text of an altered table differs from that of a
/// new one.
fn words(sql: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' | '"' | '`' => quoted(rest, first),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            _ if is_of_word(first) => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        if !(first.is_whitespace() || word.starts_with("--") || word.starts_with("/*")) {
            words.push(unquoted(word));
        }
    }
    words
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The length of a quoted token. A doubled quote does not end it.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_open = true;
    for (at, c) in text.char_indices().skip(1) {
        match (is_open, c == quote) {
            (true, true) => is_open = false,
            (false, true) => is_open = true,
            (false, false) => return at,
            (true, false) => {}
        }
    }
    text.len()
}

/// Removes redundant quotes from a name. In a quoted string letters are compared exactly.
fn unquoted(word: &str) -> String {
    if word.starts_with('\'') {
        return word.to_owned();
    }
    let bare = word.trim_matches('"').to_lowercase();
    match bare.chars().all(is_of_word) && !bare.is_empty() {
        true => bare,
        false => word.to_lowercase(),
    }
}

fn is_plain_table(entry: &Entry) -> bool {
    words(&entry.sql).starts_with(&["create".into(), "table".into()])
}

/// The missing and the extra columns of a table.
fn columns(version: Option<i64>, conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let reference = reference(version)?;
    let names = |conn: &Connection| {
        let mut query = conn.prepare("SELECT lower(name) FROM pragma_table_xinfo(?1)")?;
        let names = query.query_map([table], |row| row.get::<_, String>(0))?;
        names.collect::<rusqlite::Result<BTreeSet<_>>>()
    };
    let (expected, actual) = (names(&reference)?, names(conn)?);
    let missing = expected.difference(&actual);
    let missing = missing.map(|column| format!("table {table} has no column {column}"));
    let added = actual.difference(&expected).map(|column| {
        let column = printable(column);
        format!("column {column} of table {table} is not rota's")
    });
    Ok(missing.chain(added).collect())
}

/// Whether SQLite or Litestream created the entry. An implicit index has no text.
fn is_of_another(key: &(u8, String), entry: &Entry) -> bool {
    match TYPES[usize::from(key.0)] {
        "table" => NOT_OURS.contains(&key.1.as_str()) && is_plain_table(entry),
        "index" => entry.sql.is_empty() && key.1.starts_with("sqlite_autoindex_"),
        _ => false,
    }
}

/// An index that rejects no row and computes nothing: only columns, all rows.
fn is_harmless_index(words: &[String]) -> bool {
    let [create, index, _, on, _, open, columns @ .., close] = words else {
        return false;
    };
    let shape = [create, index, on, open, close].map(String::as_str);
    let is_column = |word: &String| word == "," || word.chars().all(is_of_word);
    shape == ["create", "index", "on", "(", ")"] && columns.iter().all(is_column)
}

/// Names in a foreign file can contain anything and be long.
fn printable(name: &str) -> String {
    let short: String = name.chars().take(64).collect();
    short.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differ_in_words_alone() {
        let same = [
            (
                "CREATE TABLE a (b TEXT)",
                "create  table \"a\"(b\n TEXT -- why\n)",
            ),
            ("CREATE TABLE a (b)", "CREATE TABLE a /* so */ (\"b\")"),
            ("a CHECK (b IN ('x', 'y'))", "a CHECK (b IN ('x','y'))"),
        ];
        for (one, other) in same {
            assert_eq!(words(one), words(other), "{one}");
        }
        let different = [
            ("CHECK (b = 'x')", "CHECK (b = 'X')"),
            ("CHECK (b = 'x')", "CHECK (b = x)"),
            ("CHECK (b = '-- x')", "CHECK (b = '')"),
            ("a TEXT NOT NULL", "\"a TEXT NOT NULL\""),
            ("'it''s' a", "'it' 's' a"),
            ("a", "ab"),
            ("a b", "ab"),
        ];
        for (one, other) in different {
            assert_ne!(words(one), words(other), "{one}");
        }
        // Incomplete texts.
        for text in ["'", "\"a", "/*", "--", "[", "'''", "ä'"] {
            assert!(words(text).len() <= 2, "{text}");
        }
    }

    #[test]
    fn an_index_that_computes_or_refuses_is_not_harmless() {
        for (sql, harmless) in [
            ("CREATE INDEX i ON t (a)", true),
            ("CREATE INDEX i ON t (a COLLATE NOCASE DESC, b)", true),
            ("CREATE UNIQUE INDEX i ON t (a)", false),
            ("CREATE INDEX i ON t (a) WHERE a > 1", false),
            ("CREATE INDEX i ON t (length(a))", false),
            ("CREATE INDEX i ON t (a || b)", false),
            ("CREATE TABLE i (a)", false),
            ("", false),
        ] {
            assert_eq!(is_harmless_index(&words(sql)), harmless, "{sql}");
        }
    }
}
