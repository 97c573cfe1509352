//! Damage in a file, by SQLite's own check: which tables, indexes and pages, and what to do about it.

use super::{Result, rows};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// Findings that are listed of one table or index. The check itself goes on to its end.
const LISTED: usize = 20;

/// Ranges of pages that are listed.
const PAGES: usize = 50;

/// The damaged part.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// A line for each thing that is wrong, of each table and index the first ones.
    pub findings: Vec<String>,
    /// Which tables, indexes and pages are damaged, and what to do. Empty if nothing is damaged.
    pub advice: Vec<String>,
}

/// A table or an index, or what belongs to neither.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Table(String),
    Index(String),
    /// Free pages, and pages that nothing refers to.
    Rest,
}

impl Part {
    fn named(&self) -> String {
        match self {
            Part::Table(name) => format!("table {name}"),
            Part::Index(name) => format!("index {name}"),
            Part::Rest => "outside of tables and indexes".to_owned(),
        }
    }
}

/// The tables and indexes of a file, by name and by their first page.
#[derive(Debug, Default)]
struct Schema {
    tables: Vec<String>,
    by_name: BTreeMap<String, Part>,
    by_root: BTreeMap<u64, Part>,
}

/// The findings so far.
#[derive(Debug, Default)]
struct Findings {
    seen: BTreeSet<String>,
    lines: BTreeMap<Part, Vec<String>>,
    /// Findings that are not listed, by part.
    more: BTreeMap<Part, usize>,
    pages: BTreeSet<u64>,
    /// Whether an index is damaged in a way that making it anew does not repair: its pages, not its rows.
    has_broken_pages: bool,
}

/// Checks a file to the end: what makes SQLite stop at one table does not hide the others.
///
/// # Errors
/// If not even the list of tables can be read.
pub(super) fn check(conn: &Connection) -> Result<Damage> {
    let schema = Schema::read(conn)?;
    let mut found = Findings::default();
    // Without the limit SQLite ends after a hundred errors.
    let whole = format!("PRAGMA integrity_check({})", i32::MAX);
    let is_whole = found.take_lines(conn, &whole, &schema);
    if let Err(error) = is_whole {
        // The pages of everything were checked before it stopped. Its rows are checked table by table.
        log::debug!("check: {error}");
        for table in &schema.tables {
            let sql = format!("PRAGMA integrity_check(\"{}\")", table.replace('"', "\"\""));
            if let Err(error) = found.take_lines(conn, &sql, &schema) {
                found.has_broken_pages = true;
                let line = format!("cannot be read to its end: {error}");
                found.add(Part::Table(table.clone()), line, None);
            }
        }
    }
    match found.lines.is_empty() {
        true => references(conn),
        false => Ok(found.damage()),
    }
}

/// Rows that refer to missing rows. With damaged pages there would be many that are not missing.
fn references(conn: &Connection) -> Result<Damage> {
    let mut references = conn.prepare("PRAGMA foreign_key_check")?;
    let named = |row: &rusqlite::Row| -> rusqlite::Result<String> {
        let (table, parent) = (row.get::<_, String>(0)?, row.get::<_, String>(2)?);
        Ok(format!(
            "a row of {table} refers to a missing row of {parent}"
        ))
    };
    let findings = references.query_map([], named)?;
    Ok(Damage {
        findings: findings.collect::<Result<_, _>>()?,
        advice: Vec::new(),
    })
}

impl Schema {
    fn read(conn: &Connection) -> Result<Schema> {
        let sql = "SELECT type, name, rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY name";
        let mut schema = Schema::default();
        schema.add("table", "sqlite_schema".into(), 1);
        let mut query = conn.prepare(sql)?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let kind: String = row.get(0)?;
            schema.add(&kind, row.get(1)?, row.get(2)?);
        }
        Ok(schema)
    }

    fn add(&mut self, kind: &str, name: String, root: i64) {
        let part = match kind {
            "table" => {
                self.tables.push(name.clone());
                Part::Table(name.clone())
            }
            _ => Part::Index(name.clone()),
        };
        self.by_root.insert(root.unsigned_abs(), part.clone());
        self.by_name.insert(name, part);
    }

    /// The part that a line of SQLite's check is about, the rest of the line, and the page if it names one.
    fn locate<'a>(&self, line: &'a str) -> (Part, &'a str, Option<u64>) {
        // Tree 12 page 34 cell 5: Rowid 6 out of order
        if let Some((root, rest)) = line.strip_prefix("Tree ").and_then(number) {
            let page = rest.trim_start().strip_prefix("page ").and_then(number);
            let part = self.by_root.get(&root).cloned().unwrap_or(Part::Rest);
            let rest = rest.trim_start_matches([' ', ':']);
            return (part, rest, page.map_or(Some(root), |(page, _)| Some(page)));
        }
        // Page 34: never used
        if let Some((page, _)) = line.strip_prefix("Page ").and_then(number) {
            return (Part::Rest, line, Some(page));
        }
        // row 3 missing from index rotation_by_name; NULL value in person.id
        let names = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let part = names.filter_map(|name| self.by_name.get(name)).next_back();
        (part.cloned().unwrap_or(Part::Rest), line, None)
    }
}

/// A number at the beginning of a text, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

impl Findings {
    /// Adds what a check says, also where it ends with an error.
    fn take_lines(&mut self, conn: &Connection, sql: &str, schema: &Schema) -> Result<()> {
        rows::each_text(conn, sql, |text| {
            // A row may hold several lines, below a heading.
            let lines = text.lines().filter(|line| !line.starts_with("***"));
            for line in lines.filter(|line| *line != "ok" && !line.is_empty()) {
                let (part, rest, page) = schema.locate(line);
                self.add(part, rest.to_owned(), page);
            }
        })
    }

    fn add(&mut self, part: Part, line: String, page: Option<u64>) {
        self.pages.extend(page);
        self.has_broken_pages |= page.is_some();
        let lines = self.lines.entry(part.clone()).or_default();
        if lines.len() >= LISTED {
            *self.more.entry(part).or_default() += 1;
        } else if self.seen.insert(format!("{part:?} {line}")) {
            lines.push(line);
        }
    }

    fn damage(self) -> Damage {
        let mut findings = Vec::new();
        for (part, lines) in &self.lines {
            let name = part.named();
            findings.extend(lines.iter().map(|line| format!("{name}: {line}")));
            if let Some(more) = self.more.get(part) {
                findings.push(format!("{name}: {more} more"));
            }
        }
        let mut names = Vec::new();
        let (mut tables, mut indexes) = (Vec::new(), Vec::new());
        for part in self.lines.keys() {
            match part {
                Part::Table(name) => tables.push(name.as_str()),
                Part::Index(name) => indexes.push(name.as_str()),
                Part::Rest => {}
            }
        }
        let only_indexes = tables.is_empty() && !indexes.is_empty() && !self.has_broken_pages;
        for (what, list) in [("tables", &tables), ("indexes", &indexes)] {
            if !list.is_empty() {
                names.push(format!("{what} {}", list.join(", ")));
            }
        }
        if !self.pages.is_empty() {
            names.push(format!("pages {}", ranges(&self.pages)));
        }
        let mut advice = Vec::new();
        if !names.is_empty() {
            advice.push(format!("damaged: {}", names.join("; ")));
        }
        advice.push(match only_indexes {
            true => "to do: only indexes are wrong, and tables hold all of the data; stop the server, copy the file and its -wal, \
                     run `sqlite3 FILE REINDEX`, then `rota check` again"
                .to_owned(),
            false => "to do: stop the server and run `rota restore` with the newest backup, which keeps the damaged file; without \
                      a backup, copy what can be read with `sqlite3 FILE .recover | sqlite3 NEW`, then `rota check --db NEW`; look \
                      at the disk before you use it again"
                .to_owned(),
        });
        Damage { findings, advice }
    }
}

/// Pages as ranges, such as `3, 5-9`.
fn ranges(pages: &BTreeSet<u64>) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => ranges.push((*page, *page)),
        }
    }
    let more = ranges.len().saturating_sub(PAGES);
    let shown = ranges.iter().take(PAGES).map(|(first, last)| match last {
        last if last == first => first.to_string(),
        last => format!("{first}-{last}"),
    });
    let mut shown: Vec<String> = shown.collect();
    if more > 0 {
        shown.push(format!("and {more} more ranges"));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_about_tables_indexes_and_pages() {
        let mut schema = Schema::default();
        schema.add("table", "history".into(), 12);
        schema.add("index", "history_by_cell".into(), 13);
        let table = || Part::Table("history".into());
        let index = || Part::Index("history_by_cell".into());
        let rows = [
            (
                "Tree 12 page 34 cell 5: Rowid 6 out of order",
                table(),
                Some(34),
            ),
            (
                "Tree 13 page 13: btreeInitPage() returns error code 11",
                index(),
                Some(13),
            ),
            ("Tree 12: something", table(), Some(12)),
            ("Tree 99 page 7: unknown", Part::Rest, Some(7)),
            ("Page 40: never used", Part::Rest, Some(40)),
            ("Freelist: size is 3 but should be 4", Part::Rest, None),
            ("row 3 missing from index history_by_cell", index(), None),
            ("wrong # of entries in index history_by_cell", index(), None),
            ("NULL value in history.cell_id", table(), None),
        ];
        for (line, part, page) in rows {
            let (found, _, at) = schema.locate(line);
            assert_eq!((found, at), (part, page), "{line}");
        }
    }

    #[test]
    fn pages_are_listed_as_ranges() {
        let rows: [(&[u64], &str); 4] = [
            (&[], ""),
            (&[7], "7"),
            (&[1, 2, 3, 5, 8, 9], "1-3, 5, 8-9"),
            (&[4, 6], "4, 6"),
        ];
        for (pages, expected) in rows {
            assert_eq!(ranges(&pages.iter().copied().collect()), expected);
        }
        let many: BTreeSet<u64> = (0..200).map(|page| page * 2).collect();
        assert!(ranges(&many).ends_with("98, and 150 more ranges"));
    }

    /// An index that misses rows, more than SQLite's check lists by itself.
    #[test]
    fn an_index_that_misses_rows_is_made_anew() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(
            "CREATE TABLE t (a); CREATE INDEX by_a ON t (a);
             WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300) INSERT INTO t SELECT x FROM c;
             CREATE TABLE u (b); INSERT INTO u VALUES (1);
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE INDEX by_a ON t (a) WHERE a > 0' WHERE name = 'by_a';
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
        assert_eq!(check(&conn).unwrap(), Damage::default());
        // Rows of before that the new definition of the index would hold.
        conn.execute_batch(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE INDEX by_a ON t (a) WHERE a < 0' WHERE name = 'by_a';
             PRAGMA writable_schema = RESET;
             INSERT INTO t SELECT a FROM t;
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE INDEX by_a ON t (a)' WHERE name = 'by_a';
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
        let damage = check(&conn).unwrap();
        let index = |line: &&String| line.starts_with("index by_a: ");
        assert_eq!(damage.findings.iter().filter(index).count(), LISTED + 1);
        let more = damage.findings.last().expect("findings");
        assert_eq!(more, "index by_a: 281 more");
        assert_eq!(damage.advice[0], "damaged: indexes by_a");
        assert!(damage.advice[1].contains("REINDEX"), "{damage:?}");
        conn.execute_batch("REINDEX").unwrap();
        assert_eq!(check(&conn).unwrap(), Damage::default());
    }
}
