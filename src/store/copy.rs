//! Copies of the database: made while it is in use, checked, and put in its place.
//!
//! Bytes are only ever copied by SQLite: a descriptor of ours on a file that SQLite has open takes SQLite's locks with it
//! when it closes.

use super::files::{
    LOGS, create_new, is_same_file, open_own, real_beside, refuse_other_names_of_live,
    refuse_planted_logs, unfinished_names,
};
use super::paths::{folder_of, named, with_suffix};
use super::progress::{copying, watch};
use super::schema::{self, Differences};
use super::version::{Found, VERSION, recognise};
use super::{Fault, ReadTx, rows};
use crate::fault;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{File, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Writes a copy of the database at `source` to the new file `target`, in one consistent state, readable for nobody
/// else. The copy appears under its name only when it is whole and on disk. How far it has come is shown on a terminal.
///
/// Refuses a target that exists.
pub fn copy_database(source: &Path, target: &Path) -> Result<(), String> {
    copy_to(source, target).map(drop)
}

/// The same; answers the copy, open.
fn copy_to(source: &Path, target: &Path) -> Result<File, String> {
    refuse_existing(target)?;
    let partial = with_suffix(&real_beside(target)?, ".unfinished");
    let copy = take_name(&partial)?;
    let copied = copy_into(source, &partial, &copy).and_then(|()| {
        fault::point("copy.made");
        refuse_existing(target)?;
        std::fs::rename(&partial, target).map_err(|error| named(target, error))?;
        sync_folder_of(target)
    });
    if copied.is_err() {
        // What failed is what the caller is told; a rest that cannot be removed either is plain to see.
        drop(std::fs::remove_file(&partial));
    }
    copied.map(|()| copy)
}

/// Whether a file can be used as rota's database: a sound SQLite file with the tables of rota, not of a newer version. The
/// error says what is wrong with it.
pub fn check_database(path: &Path) -> Result<(), String> {
    let conn = read_only(path)?;
    let found = refuse_foreign(&conn, path)?;
    schema::refuse_other(&conn, &found, path)?;
    let problems = integrity_problems(&conn, path)?;
    match problems.as_slice() {
        [] => Ok(()),
        [first, rest @ ..] => Err(named(
            path,
            format!("damaged: {first} (and {} more)", rest.len()),
        )),
    }
}

/// Puts a copy of the database at `copy` in the place of the one at `database`, which nobody may be using, and answers
/// whether one was replaced, which is then kept under the name `kept` beside it.
///
/// At every moment there is a whole database at `database` if there was one before. The new one keeps its mode and, as
/// far as the system lets us, its owner.
pub fn replace_database(database: &Path, copy: &Path, kept: &Path) -> Result<bool, String> {
    let fresh = with_suffix(database, ".restoring");
    // Left behind by a restore that was cut short.
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(named(&fresh, error)),
        _ => {}
    }
    let file = copy_to(copy, &fresh)?;
    let replaced = database.symlink_metadata().is_ok();
    let swapped = if replaced {
        keep_access(database, &file).and_then(|()| set_aside(database, kept))
    } else {
        // What a database left that was deleted or moved away while it was in use.
        set_logs_aside(database, kept)
    };
    fault::point("restore.aside");
    swapped
        .and_then(|()| std::fs::rename(&fresh, database).map_err(|error| named(database, error)))
        .inspect_err(|_| drop(std::fs::remove_file(&fresh)))?;
    sync_folder_of(database)?;
    Ok(replaced)
}

/// Gives an open file the mode and the owner of the one at a path.
fn keep_access(from: &Path, to: &File) -> Result<(), String> {
    let failed = |error| named(from, error);
    let data = from.symlink_metadata().map_err(failed)?;
    // Only root can give a file away; then it belongs to whoever restores.
    if let Err(error) = fchown(to, Some(data.uid()), Some(data.gid())) {
        log::warn!("restore: the owner cannot be kept: {error}");
    }
    let mode = Permissions::from_mode(data.mode() & 0o777);
    to.set_permissions(mode).map_err(failed)
}

/// Takes those names away again: nothing was replaced. A log that went along comes back.
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
            "{}: a restore was cut short; nothing was replaced",
            database.display()
        );
    }
    Ok(())
}

/// Gives the replaced file a second name. A log beside it goes along, so that it is never taken for the new file's. In this
/// order: a log that went first would be lost where the rest is cut short.
fn set_aside(database: &Path, kept: &Path) -> Result<(), String> {
    refuse_existing(kept)?;
    settle(database)?;
    // Not every file system has hard links; without them the name is free for a moment.
    std::fs::hard_link(database, kept)
        .or_else(|_| std::fs::rename(database, kept))
        .map_err(|error| named(kept, error))?;
    fault::point("restore.linked");
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

/// Brings the write-ahead log into the file, which works only while nobody else has it open. A file too damaged for that
/// is set aside as it is.
fn settle(database: &Path) -> Result<(), String> {
    refuse_planted_logs(database)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let settled = Connection::open_with_flags(database, flags).and_then(|conn| {
        conn.busy_timeout(Duration::from_secs(5))?;
        // Closing a damaged file would otherwise throw away the log that may still mend it.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        conn.pragma_update(None, "journal_mode", "DELETE")
    });
    match settled {
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

/// The empty file that a copy grows in, which nobody else writes to while the answer is held: two copies to one name would
/// spoil one another. It is always a new one, so nobody else has it open, and it belongs to whoever makes the copy.
fn take_name(partial: &Path) -> Result<File, String> {
    let failed = |error: std::io::Error| named(partial, error);
    loop {
        let made = create_new(partial)?;
        let is_new = made.is_some();
        let file = match made {
            Some(file) => file,
            // A copy that is being made, or one that was cut short, maybe by another user.
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
        // It may have become somebody's copy, or been taken away, since it was opened.
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
    // SQLite copies in one step and tells nothing, but the copy can be seen growing.
    let grown = || copy.metadata().map_or(0, |data| data.len());
    watch(
        || copying(grown(), total),
        || rows::vacuum_into(&conn, partial),
    )
    .map_err(|error| match error {
        // Not the copy's fault.
        error if error.is_damage() => named(source, format!("not copied: {error}")),
        error => named(partial, error),
    })?;
    if !is_at(copy, partial)? {
        return Err(named(partial, "the file was replaced while it was written"));
    }
    copy.sync_all().map_err(|error| named(partial, error))
}

fn refuse_foreign(conn: &Connection, path: &Path) -> Result<Found, String> {
    let found = recognise(conn, path)?;
    if found.is_empty {
        return Err(named(path, "an empty database; there is nothing in it"));
    }
    Ok(found)
}

/// A database opened to be looked at: nothing is written to it, and it is not brought up to date.
pub struct Inspection {
    conn: Connection,
    path: PathBuf,
    found: Found,
    differences: Differences,
}

impl Inspection {
    /// Opens a database of ours that is there. The error names the path.
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

    /// In what its tables are not those of its version. Nothing is read from such a database.
    pub fn differences(&self) -> &Differences {
        &self.differences
    }

    /// Whether nothing was ever written to it.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty
    }

    /// Why its rows cannot be read as they are, where that is so: it waits for the next start.
    pub fn unready(&self) -> Option<String> {
        if self.found.is_empty {
            return Some("an empty database; the next start fills it".into());
        }
        let version = self.found.version;
        (version < VERSION).then(|| format!("older schema {version}; the next start migrates it"))
    }

    /// What is wrong with the file itself: damaged pages, rows that refer to nothing. Empty when nothing is.
    pub fn integrity_problems(&self) -> Result<Vec<String>, String> {
        integrity_problems(&self.conn, &self.path)
    }

    /// Reads from one snapshot.
    pub fn read<T>(&self, act: impl FnOnce(&ReadTx) -> Result<T, Fault>) -> Result<T, String> {
        self.differences.refuse(&self.path)?;
        let read = || {
            let _snapshot = self.conn.unchecked_transaction()?;
            act(&ReadTx { conn: &self.conn })
        };
        read().map_err(|error: Fault| named(&self.path, error))
    }
}

/// What is wrong with a file; that it is being looked for is shown on a terminal.
fn integrity_problems(conn: &Connection, path: &Path) -> Result<Vec<String>, String> {
    watch(|| "checking ...".into(), || rows::integrity_problems(conn))
        .map_err(|error| named(path, error))
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
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let open = || {
        let conn = Connection::open_with_flags(&real, flags)?;
        conn.busy_timeout(Duration::from_secs(5))?;
        run_no_foreign_code(&conn)?;
        Ok(conn)
    };
    open().map_err(|error: rusqlite::Error| named(path, error))
}

/// Rota has no triggers and no views: what a file has of them is never run.
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

/// A rename is on disk only when its folder is.
fn sync_folder_of(path: &Path) -> Result<(), String> {
    let folder = folder_of(path);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| named(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::clock::Clock;
    use crate::store::{Fault, Store, load_fact, save_fact};
    use std::sync::Arc;

    /// A folder of its own; gone with the test.
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
        let done: Result<(), Fault> = store.write(move |tx| save_fact(tx, "rules", value));
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
            let told = check_database(&folder.file(name)).expect_err(name);
            assert!(told.contains(expected) && told.contains(name), "{told}");
        }
        let other = Connection::open(folder.file("other.db")).expect("a database");
        other.execute_batch("CREATE TABLE t (a)").expect("a table");
        let other = folder.file("other.db");
        let copied = copy_database(&other, &folder.file("copy.db"));
        for told in [check_database(&other), copied] {
            assert!(told.is_err_and(|why| why.contains("another program")));
        }
        assert!(!folder.names().iter().any(|name| name.contains("copy")));
    }
}
