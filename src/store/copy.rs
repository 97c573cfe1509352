//! Copies of the database: created while it is in use, checked, and restored.
//!
//! Only SQLite copies bytes: closing a file descriptor on a file that SQLite has open would release SQLite's locks on
//! it.

use super::files::{
    LOGS, create_new, is_same_file, open_own, real_beside, refuse_other_names_of_live,
    refuse_other_owner, refuse_planted_logs, unfinished_names,
};
use super::paths::{folder_of, named, with_suffix};
use super::progress::{copying, watch};
use super::schema::{self, Differences};
use super::version::{FileIdentity, VERSION, recognise};
use super::{Damage, Error, ReadTx, Result, integrity, latest_change, rows};
use crate::failpoint;
use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::Access;
use std::fs::{File, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Writes a consistent copy of the database at `source` to the new file `target`, readable only by its owner. The copy gets
/// its name only once it is complete and on disk. Shows progress on a terminal.
///
/// Refuses a target that exists.
pub fn copy_database(source: &Path, target: &Path) -> Result<(), String> {
    copy_to(source, target).map(drop)
}

/// As [`copy_database`]. Returns the open copy.
fn copy_to(source: &Path, target: &Path) -> Result<File, String> {
    refuse_existing(target)?;
    let partial = with_suffix(&real_beside(target)?, ".unfinished");
    let copy = take_name(&partial)?;
    let copied = copy_into(source, &partial, &copy).and_then(|()| {
        failpoint::point("copy.made");
        refuse_existing(target)?;
        std::fs::rename(&partial, target).map_err(|error| named(target, error))?;
        sync_folder_of(target)
    });
    if copied.is_err() {
        // The first error is returned. A file that cannot be removed either is visible.
        drop(std::fs::remove_file(&partial));
    }
    copied.map(|()| copy)
}

/// A consistent copy of the database at `source`, which is in use, as an open file without a name: nothing of it is left behind,
/// however the process ends. It is not synced. With it comes the last change of a rotation in it.
pub fn copy_unnamed(source: &Path) -> Result<(File, Option<Timestamp>), String> {
    let partial = with_suffix(source, ".replica");
    let copy = take_name(&partial)?;
    let copied = read_only(source).and_then(|conn| {
        let copied = conn
            .execute_batch("PRAGMA synchronous = OFF")
            .map_err(Error::from)
            .and_then(|()| rows::vacuum_into(&conn, &partial));
        copied.map_err(|error| named(source, format!("not copied: {error}")))?;
        if !is_at(&copy, &partial)? {
            return Err(named(
                &partial,
                "the file was replaced while it was written",
            ));
        }
        let made = read_only(&partial)?;
        let latest = latest_change(&ReadTx::of(&made));
        Ok((copy, latest.map_err(|error| named(&partial, error))?))
    });
    failpoint::point("replica.made");
    drop(std::fs::remove_file(&partial));
    copied
}

/// Whether a file can be used as rota's database: an intact SQLite file with rota's tables, not of a newer version. The error
/// says what is wrong with it.
pub fn check_database(path: &Path) -> Result<(), String> {
    let conn = read_only(path)?;
    let found = refuse_foreign(&conn, path)?;
    schema::refuse_other(&conn, &found, path)?;
    let damage = damage(&conn, path)?;
    match damage.findings.as_slice() {
        [] => Ok(()),
        [first, rest @ ..] => Err(named(
            path,
            format!("damaged: {first} (and {} more)", rest.len()),
        )),
    }
}

/// Replaces the database at `database`, which must not be in use, with the copy at `copy`. Returns whether there was one. The
/// replaced database is kept under the name `kept`.
///
/// If there was a database at `database`, there is a complete one at every moment. The new one keeps its mode and, as far as
/// the system permits, its owner.
pub fn replace_database(database: &Path, copy: &Path, kept: &Path) -> Result<bool, String> {
    let fresh = with_suffix(database, ".restoring");
    // Left by an interrupted restore.
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(named(&fresh, error)),
        _ => {}
    }
    let file = copy_to(copy, &fresh)?;
    let replaced = database.symlink_metadata().is_ok();
    let swapped = if replaced {
        keep_access(database, &file).and_then(|()| set_aside(database, kept))
    } else {
        // The logs of a database that was deleted or moved while it was in use.
        set_logs_aside(database, kept)
    };
    failpoint::point("restore.aside");
    swapped
        .and_then(|()| std::fs::rename(&fresh, database).map_err(|error| named(database, error)))
        .inspect_err(|_| drop(std::fs::remove_file(&fresh)))?;
    sync_folder_of(database)?;
    Ok(replaced)
}

/// Gives an open file the mode and the owner of the file at a path.
fn keep_access(from: &Path, to: &File) -> Result<(), String> {
    let failed = |error| named(from, error);
    let data = from.symlink_metadata().map_err(failed)?;
    // Only root can change the owner; otherwise the file belongs to the user that restores.
    if let Err(error) = fchown(to, Some(data.uid()), Some(data.gid())) {
        log::warn!("restore: the owner cannot be preserved: {error}");
    }
    let mode = Permissions::from_mode(data.mode() & 0o777);
    to.set_permissions(mode).map_err(failed)
}

/// Removes the second names that an interrupted restore left. A log that was moved is moved back.
pub(super) fn undo_unfinished(database: &Path) -> Result<(), String> {
    for kept in unfinished_names(database) {
        for suffix in LOGS {
            let (log, own) = (with_suffix(&kept, suffix), with_suffix(database, suffix));
            if log.exists() && !own.exists() {
                std::fs::rename(&log, own).map_err(|error| named(&log, error))?;
            }
        }
        std::fs::remove_file(&kept).map_err(|error| named(&kept, error))?;
        log::warn!(
            "{}: a restore was interrupted; nothing was replaced",
            database.display()
        );
    }
    Ok(())
}

/// Gives the replaced file a second name and moves its log, so that the log is never used with the new file. In this order:
/// if the log were moved first, an interruption would lose it.
fn set_aside(database: &Path, kept: &Path) -> Result<(), String> {
    refuse_existing(kept)?;
    checkpoint(database)?;
    // Not every file system has hard links. Without them the name does not exist for a moment.
    std::fs::hard_link(database, kept)
        .or_else(|_| std::fs::rename(database, kept))
        .map_err(|error| named(kept, error))?;
    failpoint::point("restore.linked");
    set_logs_aside(database, kept)
}

fn set_logs_aside(database: &Path, kept: &Path) -> Result<(), String> {
    for suffix in LOGS {
        let log = with_suffix(database, suffix);
        let aside = with_suffix(kept, suffix);
        match std::fs::rename(&log, &aside) {
            Ok(()) => log::info!("restore: {} is kept as {}", log.display(), aside.display()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(named(&log, error)),
        }
    }
    Ok(())
}

/// Checkpoints the write-ahead log, which works only while no other process has the database open. A file that is too damaged
/// for that is set aside unchanged.
fn checkpoint(database: &Path) -> Result<(), String> {
    refuse_planted_logs(database)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let checkpointed = Connection::open_with_flags(database, flags).and_then(|conn| {
        conn.busy_timeout(Duration::from_secs(5))?;
        // Closing a damaged file would otherwise delete the log that may repair it.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        conn.pragma_update(None, "journal_mode", "DELETE")
    });
    match checkpointed {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Err(named(
            database,
            "in use by another program; stop it and try again",
        )),
        Err(error) => {
            log::warn!("restore: {}: {error}; kept as it is", database.display());
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Creates the file that a copy is written to and locks it while it is held: two copies to one name would corrupt each
/// other. The file is always new, so no other process has it open, and it belongs to the user that makes the copy.
fn take_name(partial: &Path) -> Result<File, String> {
    let failed = |error: std::io::Error| named(partial, error);
    loop {
        let made = create_new(partial)?;
        let is_new = made.is_some();
        let file = match made {
            Some(file) => file,
            // A copy in progress or an interrupted one, possibly of another user.
            None => {
                let owner = partial.symlink_metadata().ok().map(|data| data.uid());
                open_own(partial, owner)?
            }
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(named(partial, "another copy to this name is being made"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // It may have been renamed or removed since it was opened.
        if !is_at(&file, partial)? {
            continue;
        }
        if is_new {
            return Ok(file);
        }
        std::fs::remove_file(partial).map_err(failed)?;
    }
}

/// Whether an open file still has this name.
fn is_at(file: &File, path: &Path) -> Result<bool, String> {
    let ours = file.metadata().map_err(|error| named(path, error))?;
    let there = path.symlink_metadata();
    Ok(there.is_ok_and(|there| is_same_file(&there, &ours)))
}

fn copy_into(source: &Path, partial: &Path, copy: &File) -> Result<(), String> {
    let conn = read_only(source)?;
    let found = refuse_foreign(&conn, source)?;
    for difference in schema::compare(&conn, &found, source)?.wrong {
        log::warn!(
            "{}: {difference}; `rota restore` refuses such a copy",
            source.display()
        );
    }
    let total = rows::bytes_in_use(&conn).map_err(|error| named(source, error))?;
    // SQLite copies in one step without progress, so the size of the copy is polled.
    let grown = || copy.metadata().map_or(0, |data| data.len());
    watch(
        || copying(grown(), total),
        || rows::vacuum_into(&conn, partial),
    )
    .map_err(|error| match error {
        // The error is in the source, not in the copy.
        error if error.is_damage() => named(source, format!("not copied: {error}")),
        error => named(partial, error),
    })?;
    if !is_at(copy, partial)? {
        return Err(named(partial, "the file was replaced while it was written"));
    }
    copy.sync_all().map_err(|error| named(partial, error))
}

fn refuse_foreign(conn: &Connection, path: &Path) -> Result<FileIdentity, String> {
    let found = recognise(conn, path)?;
    if found.is_empty {
        return Err(named(path, "an empty database; there is nothing in it"));
    }
    Ok(found)
}

/// A database opened for inspection. It is neither written nor migrated.
pub struct Inspection {
    conn: Connection,
    path: PathBuf,
    found: FileIdentity,
    differences: Differences,
}

impl Inspection {
    /// Opens an existing database of rota. The error names the path.
    pub fn open(path: &Path) -> Result<Inspection, String> {
        let conn = read_only(path)?;
        let found = recognise(&conn, path)?;
        let differences = schema::compare(&conn, &found, path)?;
        Ok(Inspection {
            conn,
            path: path.to_owned(),
            found,
            differences,
        })
    }

    /// How its tables differ from those of its version. If they do, no rows are read.
    pub fn differences(&self) -> &Differences {
        &self.differences
    }

    /// Whether nothing was ever written to it.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty
    }

    /// Why its rows cannot be read before the next start, if so.
    pub fn unready(&self) -> Option<String> {
        if self.found.is_empty {
            return Some("an empty database; the next start fills it".into());
        }
        let version = self.found.version;
        (version < VERSION).then(|| format!("older schema {version}; the next start migrates it"))
    }

    /// Damage of the file itself: damaged pages, rows that refer to missing rows. Empty if nothing is.
    pub fn damage(&self) -> Result<Damage, String> {
        damage(&self.conn, &self.path)
    }

    /// Reads from one snapshot.
    pub fn read<T>(&self, act: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T, String> {
        self.differences.refuse(&self.path)?;
        let read = || {
            let _snapshot = self.conn.unchecked_transaction()?;
            act(&ReadTx::of(&self.conn))
        };
        read().map_err(|error: Error| named(&self.path, error))
    }
}

/// Checks a file for damage. Shows progress on a terminal.
fn damage(conn: &Connection, path: &Path) -> Result<Damage, String> {
    watch(|| "checking ...".into(), || integrity::check(conn)).map_err(|error| named(path, error))
}

fn read_only(path: &Path) -> Result<Connection, String> {
    if !path.try_exists().map_err(|error| named(path, error))? {
        return Err(named(path, "there is no such file"));
    }
    let real = path.canonicalize().map_err(|error| named(path, error))?;
    let data = real.metadata().map_err(|error| named(path, error))?;
    if !data.is_file() {
        return Err(named(path, "a folder, or something else that is no file"));
    }
    refuse_other_names_of_live(&real)?;
    refuse_planted_logs(&real)?;
    refuse_other_owner(&real, Access::READ_OK)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let open = || {
        let conn = Connection::open_with_flags(&real, flags)?;
        conn.busy_timeout(Duration::from_secs(5))?;
        run_no_foreign_code(&conn)?;
        Ok(conn)
    };
    open().map_err(|error: rusqlite::Error| named(path, error))
}

/// Rota has no triggers and no views. Those that a file contains are never run.
pub(super) fn run_no_foreign_code(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        .map(drop)
}

fn refuse_existing(path: &Path) -> Result<(), String> {
    if path.symlink_metadata().is_ok() {
        return Err(named(path, "exists already; name a new file"));
    }
    Ok(())
}

/// A rename is durable only once its folder is synced.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), String> {
    let folder = folder_of(path);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| named(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::clock::Clock;
    use crate::store::{Store, load_fact, save_fact};
    use std::sync::Arc;

    /// A temporary folder that is removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path =
                std::env::temp_dir().join(format!("rota-copy-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a temporary folder");
            Folder(path)
        }

        fn file(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).expect("the folder");
            let name =
                |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
            let mut names: Vec<_> = entries
                .map(|entry| name(entry).to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }

    fn open(path: &Path) -> Store {
        Store::open(path, Arc::new(Clock::system()), true).expect("a database")
    }

    fn write(store: &Store, value: &'static str) {
        let done: Result<()> = store.write(move |tx| save_fact(tx, "rules", value));
        done.expect("a write");
    }

    fn read(path: &Path) -> Option<String> {
        open(path)
            .read(|tx| load_fact(tx, "rules"))
            .expect("a read")
    }

    #[test]
    fn a_copy_is_of_one_instant_and_overwrites_nothing() {
        let folder = Folder::new("backup");
        let (db, copy) = (folder.file("a.db"), folder.file("copy.db"));
        let store = open(&db);
        write(&store, "before");
        copy_database(&db, &copy).expect("a copy of a database in use");
        write(&store, "after");
        assert!(copy_database(&db, &copy).is_err_and(|why| why.contains("exists already")));
        check_database(&copy).expect("a sound copy");
        assert_eq!(
            (read(&copy).as_deref(), read(&db).as_deref()),
            (Some("before"), Some("after"))
        );
        assert!(
            !folder
                .names()
                .iter()
                .any(|name| name.contains("unfinished"))
        );
    }

    #[test]
    fn a_copy_takes_the_place_and_what_it_replaces_is_kept() {
        let folder = Folder::new("restore");
        let (db, copy, kept) = (
            folder.file("a.db"),
            folder.file("copy.db"),
            folder.file("a.db.kept"),
        );
        let store = open(&db);
        write(&store, "before");
        copy_database(&db, &copy).expect("a copy");
        write(&store, "after");
        let busy = replace_database(&db, &copy, &kept);
        assert!(busy.is_err_and(|why| why.contains("in use")));
        drop(store);
        assert_eq!(replace_database(&db, &copy, &kept), Ok(true));
        assert_eq!(folder.names(), ["a.db", "a.db.kept", "copy.db"]);
        assert_eq!(
            (read(&db).as_deref(), read(&kept).as_deref()),
            (Some("before"), Some("after"))
        );
        let new = folder.file("new.db");
        assert_eq!(replace_database(&new, &copy, &kept), Ok(false));
        assert_eq!(read(&new).as_deref(), Some("before"));
    }

    #[test]
    fn a_log_left_behind_goes_along_with_its_file() {
        let folder = Folder::new("log");
        let (db, copy, kept) = (
            folder.file("a.db"),
            folder.file("copy.db"),
            folder.file("a.db.kept"),
        );
        write(&open(&copy), "copy");
        std::fs::write(&db, "no database at all".repeat(500)).expect("a file");
        std::fs::write(folder.file("a.db-wal"), "a log").expect("a file");
        assert_eq!(replace_database(&db, &copy, &kept), Ok(true));
        assert!(folder.file("a.db.kept-wal").exists());
        assert_eq!(read(&db).as_deref(), Some("copy"));
    }

    #[test]
    fn what_is_no_database_of_ours_is_told() {
        let folder = Folder::new("check");
        let rows: [(&str, &[u8], &str); 3] = [
            ("text.db", &[b'x'; 5000], "not a database"),
            ("empty.db", b"", "empty"),
            ("absent.db", b"", "no such file"),
        ];
        for (name, bytes, expected) in rows {
            if name != "absent.db" {
                std::fs::write(folder.file(name), bytes).expect("a file");
            }
            let error = check_database(&folder.file(name)).expect_err(name);
            assert!(error.contains(expected) && error.contains(name), "{error}");
        }
        let other = Connection::open(folder.file("other.db")).expect("a database");
        other.execute_batch("CREATE TABLE t (a)").expect("a table");
        let other = folder.file("other.db");
        let copied = copy_database(&other, &folder.file("copy.db"));
        for error in [check_database(&other), copied] {
            assert!(error.is_err_and(|why| why.contains("another program")));
        }
        assert!(!folder.names().iter().any(|name| name.contains("copy")));
    }
}
