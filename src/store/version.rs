//! Schema versions: the SQL of each, and the version of a file, in `PRAGMA user_version`.

use super::rows;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use std::time::Duration;

/// The version that this program reads and writes.
pub(super) const VERSION: i64 = 8;

/// Marks a file as rota's, so that another program's database is never mistaken for one.
pub(super) const APPLICATION_ID: i64 = 0x726f_7461;

/// Creates the current version in an empty file.
pub(super) const SCHEMA: &str = include_str!("../../schema.sql");

/// Creates version 1 in an empty file.
pub(super) const FIRST: &str = include_str!("steps/1.sql");

/// Each step migrates from one version to the next, beginning with version 1.
pub(super) const STEPS: [&str; VERSION as usize - 1] = [
    include_str!("steps/1-to-2.sql"),
    include_str!("steps/2-to-3.sql"),
    include_str!("steps/3-to-4.sql"),
    include_str!("steps/4-to-5.sql"),
    include_str!("steps/5-to-6.sql"),
    include_str!("steps/6-to-7.sql"),
    include_str!("steps/7-to-8.sql"),
];

/// Creates the tables of a version in an empty database.
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

/// Why a file that was opened with the current version must not be written any more: another process has migrated it since. Takes
/// microseconds.
pub(super) fn superseded(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let mut query = conn.prepare_cached("PRAGMA user_version")?;
    let version: i64 = query.query_row([], |row| row.get(0))?;
    Ok((version != VERSION).then(|| {
        format!(
            "the database was migrated to schema {version} while it was in use, and this rota knows {VERSION}; start the version of \
             rota that migrated it"
        )
    }))
}

/// The identification of a file.
pub(super) struct FileIdentity {
    pub(super) version: i64,
    /// Nothing was ever written to it except by Litestream.
    pub(super) is_empty: bool,
}

/// The time limit for reading the schema of a file. Rota's takes milliseconds; one of a million entries would take hours.
const MAX_READING: Duration = Duration::from_secs(15);

/// Identifies a file. Refuses another program's database and one of a newer version. Changes nothing.
pub(super) fn recognise(conn: &Connection, path: &Path) -> Result<FileIdentity, String> {
    rows::within(MAX_READING, conn, || identify(conn, path))
}

fn identify(conn: &Connection, path: &Path) -> Result<FileIdentity, String> {
    let named = |error: rusqlite::Error| format!("{}: {error}", path.display());
    let number = |sql: &str| {
        let number = conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        number.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => {
                let seconds = MAX_READING.as_secs();
                format!(
                    "{}: its schema cannot be read within {seconds} s",
                    path.display()
                )
            }
            _ => named(error),
        })
    };
    let version = number("PRAGMA user_version")?;
    // Litestream creates two tables, possibly before rota creates its own.
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
    Ok(FileIdentity { version, is_empty })
}
