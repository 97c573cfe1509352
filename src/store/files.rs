//! Files that are opened by name in a folder that another user may write.
//!
//! Links are never followed there, a file that is made is made anew, and one that is there is judged by its descriptor: its
//! type, its owner and how many names it has. A name can change between two calls, an open descriptor cannot.
//!
//! What SQLite opens itself: it refuses symbolic links in the place of its logs. It can be told nothing about hard links, so
//! these are looked for just before it opens a file.

use super::paths::{folder_of, named, with_suffix};
use rustix::fs::OFlags;
use rustix::process::geteuid;
use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Without `NONBLOCK` to open a named pipe would wait for somebody to write to it.
const NO_LINK: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits() as i32;

/// What SQLite keeps beside a database.
pub(super) const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// How many links a path may lead through.
const LINKS: usize = 40;

/// Makes a file that nobody else can read; `None` where something has that name already.
pub(super) fn create_new(path: &Path) -> Result<Option<File>, String> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    match options.custom_flags(NO_LINK).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(named(path, error)),
    }
}

/// Opens a file that is there to be written. It must be a regular file with one name that belongs to `owner` or to whoever
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

const NOT_A_FILE: &str = "a link, or something else that is no regular file; remove it";

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

/// Refuses links in the place of a database's logs: SQLite would write through them, and as root give away what they lead to.
pub(super) fn refuse_planted_logs(database: &Path) -> Result<(), String> {
    for suffix in LOGS {
        let log = with_suffix(database, suffix);
        if let Ok(data) = log.symlink_metadata() {
            refuse_other_kinds(&log, &data)?;
        }
    }
    Ok(())
}

/// Under a second name the same file would have another lock and another write-ahead log. Names that a restore left which
/// was cut short are not counted: whoever has the lock takes them away.
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

/// The same for a file that is only read: one that has no write-ahead log may have as many names as it likes, as copies in
/// the folders of some backup programs do.
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
    let known = 1 + unfinished_names(database).len() as u64;
    (data.nlink() > known).then_some(data.nlink())
}

/// Whether the head of the file says that a write-ahead log goes with it. Only to be asked of a file with several names, and
/// where this process has no connection to it: the descriptor takes SQLite's locks with it when it closes.
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

/// The user and the group that a new file beside a database is given to: the database's, else the folder's.
pub(super) fn owner_beside(database: &Path) -> Option<(u32, u32)> {
    let own = database.symlink_metadata();
    let data = own.or_else(|_| folder_of(database).metadata()).ok()?;
    Some((data.uid(), data.gid()))
}

/// The path of a file that may be missing, its folder without links.
pub(super) fn real_beside(path: &Path) -> Result<PathBuf, String> {
    let name = path
        .file_name()
        .ok_or_else(|| named(path, "not the name of a file"))?;
    let folder = folder_of(path).canonicalize();
    Ok(folder.map_err(|error| named(path, error))?.join(name))
}

/// Refuses a path that leads root through a link of another user to what does not belong to that user: it would have root
/// read and replace files that the user cannot.
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
    // The system tells it.
    Ok(())
}

/// The path with its first link replaced by what the link leads to.
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
                "a link of another user to what is not that user's; name the file itself",
            ));
        }
        return Ok(Some(target.join(components.as_path())));
    }
    Ok(None)
}

pub(super) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether two paths lead to one file.
pub fn are_same_file(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => is_same_file(&one, &other),
        _ => false,
    }
}

/// What stands between a database's name and the time in the names that replaced ones are kept under.
pub const REPLACED: &str = ".replaced-";

/// The second names of a database that restores gave it which were cut short before the new file was in its place.
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
