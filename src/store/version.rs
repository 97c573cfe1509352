//! Schema versions: the SQL of each, and which one a file has. It stands in `PRAGMA user_version`.

use super::rows;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use std::time::Duration;

/// The version that this program reads and writes.
pub(super) const VERSION: i64 = 7;

/// Marks a file as rota's, so that another program's database is never taken for one.
pub(super) const APPLICATION_ID: i64 = 0x726f_7461;

/// Makes an empty file one of this version.
pub(super) const SCHEMA: &str = include_str!("../../schema.sql");

/// Made an empty file one of version 1.
pub(super) const FIRST: &str = include_str!("steps/1.sql");

/// Each step brings a file from a version to the next; the first begins at version 1.
pub(super) const STEPS: [&str; VERSION as usize - 1] = [
    include_str!("steps/1-to-2.sql"),
    include_str!("steps/2-to-3.sql"),
    include_str!("steps/3-to-4.sql"),
    include_str!("steps/4-to-5.sql"),
    include_str!("steps/5-to-6.sql"),
    include_str!("steps/6-to-7.sql"),
];

/// Makes the tables of a version in an empty database.
pub(super) fn build(conn: &Connection, version: i64) -> rusqlite::Result<()> {
    if version == VERSION {
        return conn.execute_batch(SCHEMA);
    }
    let steps = usize::try_from(version - 1).unwrap_or_default();
    conn.execute_batch(FIRST)?;
    STEPS
        .iter()
        .take(steps)
        .try_for_each(|step| conn.execute_batch(step))
}

/// What a file turned out to be.
pub(super) struct Found {
    pub(super) version: i64,
    /// Nothing was ever written to it, save by Litestream.
    pub(super) is_empty: bool,
}

/// How long reading the schema of a file may take. Ours takes milliseconds; one of a million entries would take hours.
const LONGEST_LOOK: Duration = Duration::from_secs(15);

/// Tells a database of ours from another program's and from one that only a newer version can read. Changes nothing.
pub(super) fn recognise(conn: &Connection, path: &Path) -> Result<Found, String> {
    rows::within(LONGEST_LOOK, conn, || look(conn, path))
}

fn look(conn: &Connection, path: &Path) -> Result<Found, String> {
    let named = |error: rusqlite::Error| format!("{}: {error}", path.display());
    let number = |sql: &str| {
        let number = conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        number.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => {
                let seconds = LONGEST_LOOK.as_secs();
                format!(
                    "{}: its schema cannot be read within {seconds} s; rota's can",
                    path.display()
                )
            }
            _ => named(error),
        })
    };
    let version = number("PRAGMA user_version")?;
    // Litestream makes two tables of its own, maybe before we make ours.
    let is_empty = number(
        "SELECT count(*) FROM sqlite_schema WHERE name NOT IN ('_litestream_seq', '_litestream_lock')",
    )? == 0;
    if !is_empty && number("PRAGMA application_id")? != APPLICATION_ID {
        return Err(format!(
            "{}: this is another program's database",
            path.display()
        ));
    }
    if version > VERSION {
        return Err(format!(
            "{}: written by a newer rota (schema {version}, this one knows {VERSION}); use that version of the program",
            path.display()
        ));
    }
    Ok(Found { version, is_empty })
}
