//! Opens files by name in a folder that another user may write to.
//!
//! Links are never followed, new files are created exclusively, and existing files are checked by their descriptor: type,
//! owner and number of names. A name can change between two calls, an open descriptor cannot.
//!
//! SQLite itself refuses symbolic links for its logs, but cannot be told to refuse hard links, so they are checked just
//! before it opens a file.

use super::paths::{folder_of, named, with_suffix};
use crate::runtime::users;
use rustix::fs::{Access, OFlags, access};
use rustix::process::geteuid;
use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Without `NONBLOCK`, opening a named pipe would wait for a writer.
const NO_LINK: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits() as i32;

/// The suffixes of the files that SQLite keeps beside a database.
pub(super) const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The largest number of links in a path.
const LINKS: usize = 40;

/// Creates a file that only its owner can read; `None` if the name exists.
pub(super) fn create_new(path: &Path) -> Result<Option<File>, String> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    match options.custom_flags(NO_LINK).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(named(path, error)),
    }
}

/// Opens an existing file for writing. It must be a regular file with one name that belongs to `owner` or to the user that
/// runs the program.
pub(super) fn open_own(path: &Path, owner: Option<u32>) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(NO_LINK);
    let file = options.open(path).map_err(|error| {
        match path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
            true => named(path, NOT_A_FILE),
            false => named(path, error),
        }
    })?;
    let data = file.metadata().map_err(|error| named(path, error))?;
    refuse_other_kinds(path, &data)?;
    let found = data.uid();
    if found != geteuid().as_raw() && Some(found) != owner {
        return Err(named(
            path,
            format!("it belongs to another user ({found}); remove it"),
        ));
    }
    Ok(file)
}

/// Opens a file to be read; `None` where there is none. A link is not followed.
pub(super) fn open_to_read(path: &Path) -> std::io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    match options.read(true).custom_flags(NO_LINK).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

const NOT_A_FILE: &str = "a link, or something else that is not a regular file; remove it";

fn refuse_other_kinds(path: &Path, data: &Metadata) -> Result<(), String> {
    if !data.is_file() {
        return Err(named(path, NOT_A_FILE));
    }
    if data.nlink() > 1 {
        let names = data.nlink();
        return Err(named(
            path,
            format!("the file has {names} names (hard links); remove this one"),
        ));
    }
    Ok(())
}

/// Refuses links as a database's logs: SQLite would write through them, and as root change the owner of their targets.
pub(super) fn refuse_planted_logs(database: &Path) -> Result<(), String> {
    for suffix in LOGS {
        let log = with_suffix(database, suffix);
        if let Ok(data) = log.symlink_metadata() {
            refuse_other_kinds(&log, &data)?;
        }
    }
    Ok(())
}

/// Under a second name the file would have a different lock and a different write-ahead log. Names left by an interrupted
/// restore are not counted: the holder of the lock removes them.
pub(super) fn refuse_other_names(database: &Path) -> Result<(), String> {
    match other_names(database) {
        Some(names) => Err(named(
            database,
            format!(
                "the file has {names} names (hard links), and two programs could use it at once; leave it one name"
            ),
        )),
        None => Ok(()),
    }
}

/// As [`refuse_other_names`], for a file that is only read: one without a write-ahead log may have several names, as in the
/// copies of some backup programs.
pub(super) fn refuse_other_names_of_live(database: &Path) -> Result<(), String> {
    match has_log(database) {
        true => refuse_other_names(database),
        false => Ok(()),
    }
}

fn other_names(database: &Path) -> Option<u64> {
    let data = database.symlink_metadata().ok()?;
    if !data.is_file() || data.nlink() == 1 {
        return None;
    }
    let expected = 1 + unfinished_names(database).len() as u64;
    (data.nlink() > expected).then_some(data.nlink())
}

/// Whether the file's header says that a write-ahead log is in use. Only for a file with several names to which this process
/// has no connection: closing the descriptor releases SQLite's locks.
fn has_log(database: &Path) -> bool {
    if other_names(database).is_none() {
        return false;
    }
    let mut version = [0; 1];
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(NO_LINK)
        .open(database);
    let read = file.and_then(|file| file.read_exact_at(&mut version, 18));
    read.is_ok() && version == [2]
}

/// Refuses a database that another user owns and that this one may not open, by itself or by one of its logs. SQLite would say
/// only that it cannot.
pub(super) fn refuse_other_owner(database: &Path, needed: Access) -> Result<(), String> {
    let own = geteuid().as_raw();
    let logs = LOGS.map(|suffix| with_suffix(database, suffix));
    for file in std::iter::once(database.to_owned()).chain(logs) {
        let Ok(data) = file.symlink_metadata() else {
            continue;
        };
        if data.uid() == own || access(&file, needed).is_ok() {
            continue;
        }
        let named_user = |id: u32| users::name_of(id).unwrap_or_else(|| id.to_string());
        let (owner, user) = (named_user(data.uid()), named_user(own));
        let mend = format!("as root, run: chown {user}: {}*", database.display());
        let folder = folder_of(database).metadata();
        // In a folder of the user's own, the file is what is wrong.
        let advice = match folder.is_ok_and(|folder| folder.uid() == own) {
            true => mend,
            false => format!("run this as {owner}; or, if it is to be {user}'s, {mend}"),
        };
        return Err(named(
            &file,
            format!(
                "the file belongs to the user {owner}, and {user}, who runs rota, may not open it; {advice}"
            ),
        ));
    }
    Ok(())
}

/// The user and group for a new file beside a database: those of the database, otherwise those of the folder.
pub(super) fn owner_beside(database: &Path) -> Option<(u32, u32)> {
    let own = database.symlink_metadata();
    let data = own.or_else(|_| folder_of(database).metadata()).ok()?;
    Some((data.uid(), data.gid()))
}

/// The path of a file that may be missing, with all links in its folder resolved.
pub(super) fn real_beside(path: &Path) -> Result<PathBuf, String> {
    let name = path
        .file_name()
        .ok_or_else(|| named(path, "not the name of a file"))?;
    let folder = folder_of(path).canonicalize();
    Ok(folder.map_err(|error| named(path, error))?.join(name))
}

/// Refuses a path that leads root through another user's link to a file that does not belong to that user: root would read
/// or replace files that the user cannot access.
pub fn refuse_planted_links(path: &Path) -> Result<(), String> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let mut path = std::path::absolute(path).map_err(|error| named(path, error))?;
    for _ in 0..LINKS {
        match first_link(&path)? {
            Some(next) => path = next,
            None => return Ok(()),
        }
    }
    // Opening the file reports the error.
    Ok(())
}

/// The path with its first link resolved.
fn first_link(path: &Path) -> Result<Option<PathBuf>, String> {
    let mut walked = PathBuf::new();
    let mut components = path.components();
    while let Some(component) = components.next() {
        if component == Component::ParentDir {
            walked.pop();
            continue;
        }
        walked.push(component);
        let link = walked
            .symlink_metadata()
            .ok()
            .filter(|data| data.is_symlink());
        let (Some(link), Ok(target)) = (link, walked.read_link()) else {
            continue;
        };
        let target = folder_of(&walked).join(target);
        let leads_to = target.metadata().or_else(|_| folder_of(&target).metadata());
        let is_own = link.uid() == 0 || leads_to.is_ok_and(|data| data.uid() == link.uid());
        if !is_own {
            return Err(named(
                &walked,
                "a link owned by another user to a file that is not theirs; pass the path of the file itself",
            ));
        }
        return Ok(Some(target.join(components.as_path())));
    }
    Ok(None)
}

pub(super) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether two paths are the same file.
pub fn are_same_file(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => is_same_file(&one, &other),
        _ => false,
    }
}

/// The part between a database's name and the time in the names of replaced databases.
pub const REPLACED: &str = ".replaced-";

/// The second names that interrupted restores have given a database.
pub(super) fn unfinished_names(database: &Path) -> Vec<PathBuf> {
    let (Some(name), Ok(own)) = (database.file_name(), database.symlink_metadata()) else {
        return Vec::new();
    };
    let begins = format!("{}{REPLACED}", name.to_string_lossy());
    let Ok(entries) = std::fs::read_dir(folder_of(database)) else {
        return Vec::new();
    };
    let same = |path: &PathBuf| {
        let data = path.symlink_metadata();
        data.is_ok_and(|data| is_same_file(&data, &own))
    };
    let named = entries.filter_map(Result::ok);
    let named = named.filter(|entry| entry.file_name().to_string_lossy().starts_with(&begins));
    named.map(|entry| entry.path()).filter(same).collect()
}
