//! The files of a standby beside its database: `NAME.standby`, the marker that says that `NAME` is a copy and of what;
//! `NAME.receiving`, a copy that is being received; `NAME.forecast-N`, a working copy that is stepped to now. And `NAME.promote`,
//! by which a copy is asked to take over.
//!
//! The copy itself is opened only to be checked: what is read are working copies. A new copy therefore takes its place by a rename,
//! and a request that reads the old one reads it to its end.

use super::files::{LOGS, create_new, open_to_read, owner_beside};
use super::paths::{folder_of, named, with_suffix};
use super::{Epoch, ReadTx, copy, epoch, migrate, schema, version};
use crate::domain::stored;
use crate::failpoint;
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Says of a database that another server writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Marker {
    /// Where changes are made.
    pub first: String,
    /// Everything that the other server had committed by then is in it.
    #[serde(with = "stored")]
    pub copied_at: Timestamp,
    /// The highest epoch that was seen.
    pub epoch: u64,
    /// Whether the file is a copy; else it was this server's own, until another one took over.
    pub is_copy: bool,
}

/// Asks the standby of a database to take over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Promotion {
    /// The epoch that begins with it.
    pub epoch: u64,
    /// The system user who asked for it, where it is known.
    pub by: Option<String>,
    #[serde(default)]
    pub stage: Stage,
}

/// How far a promotion is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// It takes over at once.
    #[default]
    Now,
    /// It takes over once the first server has handed over.
    Planned,
    /// The first server has not handed over: why, in a sentence.
    Failed(String),
}

/// The marker of a database; `None` of one that is written here.
pub fn load_marker(database: &Path) -> Result<Option<Marker>, String> {
    load(&with_suffix(database, ".standby"))
}

/// Writes the marker of a database.
pub fn save_marker(database: &Path, marker: &Marker) -> Result<(), String> {
    save(database, ".standby", marker)
}

/// Removes the marker: from now on the database is written here.
pub fn remove_marker(database: &Path) -> Result<(), String> {
    remove(&with_suffix(database, ".standby"))?;
    copy::sync_folder_of(database)
}

/// How a database is asked to take over; `None` where it is not.
pub fn load_promotion(database: &Path) -> Result<Option<Promotion>, String> {
    load(&with_suffix(database, ".promote"))
}

/// Asks a database to take over.
pub fn save_promotion(database: &Path, promotion: &Promotion) -> Result<(), String> {
    save(database, ".promote", promotion)
}

/// Forgets that it was asked.
pub fn remove_promotion(database: &Path) -> Result<(), String> {
    remove(&with_suffix(database, ".promote"))
}

/// The largest of these small files that is read.
const LONGEST: u64 = 64 * 1024;

fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let file = open_to_read(path).map_err(|error| named(path, error))?;
    let Some(file) = file else {
        return Ok(None);
    };
    let mut text = String::new();
    let read = file.take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| named(path, error))?;
    let unreadable = |error| {
        named(
            path,
            format!("unreadable: {error}; see \"A second machine\" in the manual"),
        )
    };
    serde_json::from_str(&text).map(Some).map_err(unreadable)
}

/// Replaces a small file as a whole. It belongs to the owner of the database, whoever writes it.
fn save<T: Serialize>(database: &Path, suffix: &str, value: &T) -> Result<(), String> {
    let (path, fresh) = (
        with_suffix(database, suffix),
        with_suffix(database, &format!("{suffix}.new")),
    );
    remove(&fresh)?;
    let text = serde_json::to_string(value).map_err(|error| named(&path, error))?;
    let file = create_new(&fresh)?;
    let mut file = file.ok_or_else(|| named(&fresh, "it was made meanwhile"))?;
    if let Some((user, group)) = owner_beside(database) {
        // Without the right to it the file stays the writer's, who can then read it at least.
        drop(fchown(&file, Some(user), Some(group)));
    }
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    written.map_err(|error| named(&fresh, error))?;
    std::fs::rename(&fresh, &path).map_err(|error| named(&path, error))?;
    copy::sync_folder_of(database)
}

fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(named(path, error)),
        _ => Ok(()),
    }
}

/// The file that a copy is received into, empty. One that was left by an interrupted reception is discarded.
pub fn begin_receiving(database: &Path) -> Result<File, String> {
    let path = received(database);
    remove(&path)?;
    let file = create_new(&path)?;
    file.ok_or_else(|| named(&path, "another process receives a copy"))
}

fn received(database: &Path) -> PathBuf {
    with_suffix(database, ".receiving")
}

/// What a received copy has to be.
#[derive(Clone, Debug)]
pub struct Expected<'a> {
    /// The bytes that were announced.
    pub length: Option<u64>,
    /// The id of the database, where one is known.
    pub database_id: Option<&'a str>,
    /// The least epoch.
    pub epoch: u64,
}

/// Checks a received copy: that it is whole, sound, of this database, and not of an older epoch. The error says what is wrong.
pub fn check_received(database: &Path, expected: &Expected) -> Result<Epoch, String> {
    check_copy(&received(database), expected).map_err(|why| {
        let received = format!("{}: ", received(database).display());
        why.strip_prefix(&received).unwrap_or(&why).to_owned()
    })
}

/// Checks a copy in its place, which must have no log.
pub fn check_copy(path: &Path, expected: &Expected) -> Result<Epoch, String> {
    let failed = |error: rusqlite::Error| named(path, error);
    let length = path.metadata().map_err(|error| named(path, error))?.len();
    if expected.length.is_some_and(|announced| announced != length) {
        let announced = expected.length.unwrap_or_default();
        return Err(named(
            path,
            format!("{length} bytes came, and {announced} were announced"),
        ));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(path, flags).map_err(failed)?;
    copy::run_no_foreign_code(&conn).map_err(failed)?;
    let found = version::recognise(&conn, path)?;
    if found.is_empty {
        return Err(named(path, "an empty database; there is nothing in it"));
    }
    schema::refuse_other(&conn, &found, path)?;
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let pages = number("PRAGMA page_count").map_err(failed)?;
    let page_size = number("PRAGMA page_size").map_err(failed)?;
    if u64::try_from(pages * page_size).ok() != Some(length) {
        return Err(named(
            path,
            format!("damaged: it has {length} bytes, and {pages} pages of {page_size}"),
        ));
    }
    let check = "PRAGMA quick_check(1)";
    let verdict: String = conn
        .query_row(check, [], |row| row.get(0))
        .map_err(failed)?;
    if verdict != "ok" {
        return Err(named(path, format!("damaged: {verdict}")));
    }
    let epoch = epoch::find_epoch(&ReadTx::of(&conn)).map_err(|error| named(path, error))?;
    let epoch = epoch.ok_or_else(|| {
        named(
            path,
            "it has no database id; start its server with this version first",
        )
    })?;
    if expected
        .database_id
        .is_some_and(|id| id != epoch.database_id)
    {
        let id = &epoch.database_id;
        return Err(named(path, format!("it is of another database, {id}")));
    }
    if epoch.number < expected.epoch {
        let (number, least) = (epoch.number, expected.epoch);
        return Err(named(
            path,
            format!("it is of epoch {number}, and epoch {least} was seen"),
        ));
    }
    Ok(epoch)
}

/// Puts a checked copy in the place of the last one, on disk.
pub fn adopt_received(database: &Path, received_into: &File) -> Result<(), String> {
    let path = received(database);
    received_into
        .sync_all()
        .map_err(|error| named(&path, error))?;
    failpoint::point("standby.received");
    std::fs::rename(&path, database).map_err(|error| named(database, error))?;
    copy::sync_folder_of(database)
}

/// Discards a copy that was received, or a part of it.
pub fn discard_received(database: &Path) {
    // One that stays is discarded before the next.
    drop(remove(&received(database)));
}

/// Moves a database with its log out of the way of copies of a later epoch. Returns its new name: `rota.db.epoch-1`, or with the
/// time if that is taken.
pub fn set_epoch_aside(database: &Path, epoch: u64, now: Timestamp) -> Result<PathBuf, String> {
    let plain = format!(".epoch-{epoch}");
    let timed = format!("{plain}-{}", now.strftime("%Y%m%dT%H%M%S%.3fZ"));
    let mut names = [plain, timed].into_iter();
    let free = names.find(|suffix| with_suffix(database, suffix).symlink_metadata().is_err());
    let suffix =
        free.ok_or_else(|| named(database, "both names for it are taken; move one away"))?;
    let aside = with_suffix(database, &suffix);
    // The logs first: a database whose log is missing would look whole.
    for log in LOGS {
        let (from, to) = (with_suffix(database, log), with_suffix(&aside, log));
        match std::fs::rename(&from, to) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(named(&from, error)),
            _ => {}
        }
    }
    std::fs::rename(database, &aside).map_err(|error| named(database, error))?;
    copy::sync_folder_of(database)?;
    Ok(aside)
}

/// The file of a working copy. It is removed when this is dropped.
#[derive(Debug)]
pub struct WorkingCopy(PathBuf);

impl WorkingCopy {
    /// Makes a working copy of a copy beside it.
    pub fn beside(database: &Path) -> Result<WorkingCopy, String> {
        static MADE: AtomicU64 = AtomicU64::new(1);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        WorkingCopy::of(
            database,
            with_suffix(database, &format!("{FORECAST}{number}")),
        )
    }

    /// Makes a working copy of a database in a folder for temporary files.
    pub fn elsewhere(database: &Path) -> Result<WorkingCopy, String> {
        let name = format!("rota-standby-{:032x}.db", rand::random::<u128>());
        WorkingCopy::of(database, std::env::temp_dir().join(name))
    }

    fn of(database: &Path, path: PathBuf) -> Result<WorkingCopy, String> {
        let copy = WorkingCopy(path);
        copy::copy_database(database, &copy.0)?;
        Ok(copy)
    }

    /// Makes an empty one beside a database that is not there yet.
    pub fn empty(database: &Path) -> Result<WorkingCopy, String> {
        let copy = WorkingCopy(with_suffix(database, &format!("{FORECAST}0")));
        migrate::create_file(&copy.0)?;
        Ok(copy)
    }

    /// Removes those that a process has left, for whoever holds the lock of the database.
    pub fn remove_left(database: &Path) -> Result<(), String> {
        let Some(name) = with_suffix(database, FORECAST)
            .file_name()
            .map(ToOwned::to_owned)
        else {
            return Ok(());
        };
        let folder = folder_of(database);
        let entries = folder.read_dir().map_err(|error| named(folder, error))?;
        for entry in entries.flatten() {
            let found = entry.file_name();
            if found
                .as_encoded_bytes()
                .starts_with(name.as_encoded_bytes())
            {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

const FORECAST: &str = ".forecast-";

impl Drop for WorkingCopy {
    fn drop(&mut self) {
        let logs = LOGS.map(|log| with_suffix(&self.0, log));
        for path in std::iter::once(&self.0).chain(&logs) {
            if let Err(error) = remove(path) {
                log::warn!("a working copy stays: {error}");
            }
        }
    }
}
