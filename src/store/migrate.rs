//! Migrates a database to the current schema version, after copying it.

use super::copy::copy_database;
use super::files::{create_new, refuse_other_names, refuse_other_owner, refuse_planted_logs};
use super::paths::{left_log, missing_database, with_suffix};
use super::schema;
use super::version::{APPLICATION_ID, OLDEST, SCHEMA, STEPS, VERSION, recognise};
use crate::failpoint;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use rustix::fs::Access;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The schema version of a file that has to be migrated; `None` for any other, also where there is none.
pub(super) fn older_version(path: &Path) -> Result<Option<i64>, String> {
    if !path.exists() {
        return Ok(None);
    }
    let found = recognise(&open(path)?, path)?;
    let is_older = !found.is_empty && found.version < VERSION;
    Ok(is_older.then_some(found.version))
}

/// Creates, checks or migrates the file. An older one is migrated only by whoever holds the lock of the database. The error names the
/// path and says what to do.
pub(super) fn prepare(path: &Path, create: bool) -> Result<(), String> {
    let named = |error: rusqlite::Error| format!("{}: {error}", path.display());
    let found = path
        .try_exists()
        .map_err(|error| format!("{}: {error}", path.display()))?;
    if !found && !create {
        return Err(missing_database(path));
    }
    if !found {
        create_file(path)?;
    }
    let conn = open(path)?;
    let found = recognise(&conn, path)?;
    schema::refuse_other(&conn, &found, path)?;
    // A copy is not in WAL mode, which concurrent readers and writers require.
    conn.pragma_update(None, "journal_mode", "WAL")
        .map_err(named)?;
    if found.version == VERSION {
        return name_copies(path);
    }
    // From here on no other process writes: what is copied is what is migrated, and a concurrent start waits.
    let tx = Transaction::new_unchecked(&conn, TransactionBehavior::Immediate).map_err(named)?;
    let found = recognise(&tx, path)?;
    let copy =
        (!found.is_empty && found.version < VERSION).then(|| unfinished_name(path, found.version));
    if let Some(copy) = &copy {
        // Left by an interrupted start.
        drop(std::fs::remove_file(copy));
        copy_database(path, copy)?;
    }
    failpoint::point("migrate.copied");
    run_steps(tx).map_err(|error| {
        // The database is unchanged. A start that fails repeatedly must not fill the disk.
        if let Some(copy) = &copy {
            drop(std::fs::remove_file(copy));
        }
        named(error)
    })?;
    failpoint::point("migrate.done");
    name_copies(path)
}

/// The name of a copy until the database is migrated. The next try overwrites it.
fn unfinished_name(path: &Path, version: i64) -> PathBuf {
    with_suffix(path, &format!(".schema-{version}.migrating"))
}

/// Gives the copies of a completed migration their final names.
fn name_copies(path: &Path) -> Result<(), String> {
    for version in OLDEST..VERSION {
        let copy = unfinished_name(path, version);
        if copy.symlink_metadata().is_err() {
            continue;
        }
        let kept = free_name(path, version);
        match std::fs::rename(&copy, &kept) {
            Ok(()) => log::info!("migrate: the old database was copied to {}", kept.display()),
            // Another start was faster.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", copy.display())),
        }
    }
    Ok(())
}

/// The name of the copy: `rota.db.schema-7`, or `rota.db.schema-7.2` and so on if it exists. An older copy is never
/// overwritten: it may be of a different database.
fn free_name(path: &Path, version: i64) -> PathBuf {
    let first = format!(".schema-{version}");
    let further = (2..).map(|number| format!("{first}.{number}"));
    std::iter::once(first.clone())
        .chain(further)
        .map(|suffix| with_suffix(path, &suffix))
        .find(|name| name.symlink_metadata().is_err())
        .expect("numbers do not end")
}

/// Creates an empty file that only its owner can read, for SQLite to fill; its logs get the same mode. `false` if a file
/// exists, which is not touched: opening and closing a file that SQLite has open would release SQLite's locks.
///
/// Refuses to create one beside a log: the log is left from a database that was deleted or moved while it was in use, and
/// SQLite would empty it.
pub fn create_file(path: &Path) -> Result<bool, String> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    if left_log(path).is_some() {
        return Err(missing_database(path));
    }
    create_new(path).map(|made| made.is_some())
}

/// Refuses a file of another program or of a newer version, or with other tables. Missing and empty files pass.
pub(super) fn recognise_file(path: &Path) -> Result<(), String> {
    // An inaccessible file is reported when it is opened.
    if !path.exists() {
        return Ok(());
    }
    let conn = open(path)?;
    let found = recognise(&conn, path)?;
    schema::refuse_other(&conn, &found, path)
}

/// Opens a file for writing. A read-only one is refused before SQLite creates logs beside it: they would have its mode, and
/// keep it after the file's mode is corrected.
fn open(path: &Path) -> Result<Connection, String> {
    let named = |error: rusqlite::Error| format!("{}: {error}", path.display());
    refuse_other_names(path)?;
    refuse_planted_logs(path)?;
    refuse_other_owner(path, Access::READ_OK | Access::WRITE_OK)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(path, flags).map_err(named)?;
    if conn.is_readonly("main").map_err(named)? {
        return Err(format!(
            "{}: the file is read-only; let the user that runs rota write it",
            path.display()
        ));
    }
    conn.busy_timeout(Duration::from_secs(5)).map_err(named)?;
    Ok(conn)
}

/// Migrates in one transaction, so that a file is never between two versions. Continues from where a concurrent start
/// left it.
fn run_steps(tx: Transaction) -> rusqlite::Result<()> {
    let version: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match version {
        0 => tx.execute_batch(SCHEMA)?,
        version => {
            for (from, step) in (OLDEST..).zip(STEPS) {
                if from >= version {
                    tx.execute_batch(step)?;
                }
            }
        }
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", VERSION)?;
    failpoint::point("migrate.climbed");
    tx.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::version::FIRST;

    #[test]
    fn the_steps_lead_to_the_schema() {
        let migrated = Connection::open_in_memory().unwrap();
        migrated.execute_batch(FIRST).unwrap();
        migrated
            .pragma_update(None, "user_version", OLDEST)
            .unwrap();
        run_steps(migrated.unchecked_transaction().unwrap()).unwrap();
        let path = Path::new("migrated");
        let found = recognise(&migrated, path).unwrap();
        assert_eq!(found.version, VERSION);
        let differences = schema::compare(&migrated, &found, path).unwrap();
        assert_eq!(differences, schema::Differences::default());
    }

    #[test]
    fn tokens_of_people_who_have_left_are_disabled() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(FIRST).unwrap();
        conn.execute_batch(
            "INSERT INTO person VALUES ('U1', 'T1', 'Ada', NULL, NULL, 0, 0, 0, 0, NULL, NULL, 'ada');
             INSERT INTO person VALUES ('U2', 'T1', 'Bob', NULL, NULL, 0, 0, 1, 0, NULL, NULL, 'bob');
             INSERT INTO member_token VALUES ('tok_1', 'U1', zeroblob(32), 1, NULL);
             INSERT INTO member_token VALUES ('tok_2', 'U2', zeroblob(32), 1, NULL);
             PRAGMA user_version = 7;",
        )
        .unwrap();
        run_steps(conn.unchecked_transaction().unwrap()).unwrap();
        let sql = "SELECT group_concat(id || ' ' || disabled, ', ') FROM member_token";
        let kept: String = conn.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(kept, "tok_1 0, tok_2 1");
    }
}
